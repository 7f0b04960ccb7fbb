package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// checkEndpoints plays episodes and looks at all that can be asked meanwhile.
func (s *server) checkEndpoints(ctx context.Context) ([]triage.Check, error) {
	l := s.looker()
	if err := l.findVolatile(ctx); err != nil {
		return nil, err
	}
	for _, prefix := range s.prefixes {
		further, err := s.documented(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for i := range s.visits {
			v := &visit{looker: l, prefix: prefix, stage: "no episode"}
			if err := v.overHTTP(ctx, i, further); err != nil {
				return nil, err
			}
		}
	}
	for _, track := range s.tracks() {
		for i := range s.visits {
			v := &visit{looker: l, track: track, prefix: "/" + string(track)}
			if err := v.overSocket(ctx, i); err != nil {
				return nil, err
			}
		}
	}
	if len(s.control) == 0 {
		l.observations.skip("plain HTTP begins no episode here")
	}
	switch {
	case s.sealed:
		l.review.skip("a sealed server has none: server/sealed/review")
	case !slices.Contains(s.control, "/web"):
		l.review.skip("the server has no page")
	}
	logs := claim("endpoints/logs", "logs", "none holds a label")
	logs.skip("a client cannot read them")
	return []triage.Check{l.static.check("answers"), l.errors.check("answers"), l.headers.check("headers"), l.observations.check("documents"),
		s.watch.sockets.check("frames"), l.tools.check("answers"), l.metrics.check("readings"), l.review.check("reviews"), l.ids.check("ids"), logs.check("")}, nil
}

// overHTTP plays an episode over plain HTTP, its answers by turns as steps and as calls of a tool. Without plain HTTP it only asks
// for what has nothing to do with an episode.
func (v *visit) overHTTP(ctx context.Context, i int, further []request) error {
	if len(v.server.control) == 0 {
		return v.still(ctx, further)
	}
	v.control, v.episode = v.server.control[i%len(v.server.control)], v.begun.Add(1)
	r, err := v.begin(ctx, i)
	if err != nil || r.status != http.StatusOK {
		return err
	}
	if i == 0 {
		if err := v.hidden(ctx); err != nil {
			return err
		}
	}
	var answered []string
	for n := 0; ; n++ {
		if n < 2 || v.done {
			if err := v.around(ctx, further, answered); err != nil {
				return err
			}
		}
		if v.done || n > v.task.MaxSteps {
			return nil
		}
		answered = append(answered, v.current)
		if err := v.answer(ctx, n); err != nil {
			return err
		}
	}
}

// begin begins the episode of a visit.
func (v *visit) begin(ctx context.Context, i int) (reply, error) {
	options := map[string]any{openenv.OptionDifficulty: triage.Hard, openenv.OptionSplit: v.options.Split}
	if !v.sealed {
		options[openenv.OptionSeed] = learnSeed(v.options.Seed) + int64(i)
	}
	r, err := v.send(ctx, request{path: v.control + "/reset", body: string(encoded(options))})
	if err != nil {
		return r, err
	}
	where := "POST " + v.prefix + v.control + "/reset"
	if r.status != http.StatusOK {
		v.observations.fault("%s answers %d: %s", where, r.status, short(r.body))
		return r, nil
	}
	v.track = trackOfDocument(r.body)
	if v.task, err = triage.TaskFor(v.track, triage.Hard); err != nil {
		return r, err
	}
	v.session, v.stage = r.header.Get(sessionHeader), "open"
	v.observations.unless(v.session != "", "%s names no session in the header %s", where, sessionHeader)
	v.shows(v.observations, docEnvelope, where, r.body)
	return r, nil
}

// answer gives the constant answer, by turns as a step and by the tool.
func (v *visit) answer(ctx context.Context, n int) error {
	constant, err := v.constantAnswer(ctx, v.task)
	if err != nil {
		return err
	}
	x := request{path: v.control + "/step", body: string(encoded(map[string]any{"action": actionJSON(constant)}))}
	f := v.observations
	if n%2 == 1 {
		x = request{path: "/mcp", body: string(encoded(rpc("tools/call", map[string]any{"name": openenv.ToolSubmit, "arguments": actionJSON(constant)})))}
		f = v.tools
	}
	r, err := v.send(ctx, x)
	if err != nil {
		return err
	}
	doc := r.body
	if n%2 == 1 {
		doc = v.result(x.name(), r.body)
	}
	v.moved(doc)
	v.shows(f, docEnvelope, "POST "+v.prefix+x.path, doc)
	return nil
}

// moved notes how far the episode is.
func (v *visit) moved(envelope []byte) {
	var e struct{ Done bool }
	_ = json.Unmarshal(envelope, &e) // what is none does not end it
	if v.done, v.stage = e.Done, "answered"; e.Done {
		v.stage = "done"
	}
}

// around asks for all that can be asked for in an episode.
func (v *visit) around(ctx context.Context, further []request, answered []string) error {
	for _, under := range v.server.control {
		r, err := v.send(ctx, request{path: under + "/state"})
		if err != nil {
			return err
		}
		v.shows(v.observations, docState, "GET "+v.prefix+under+"/state", r.body)
	}
	for _, t := range []struct{ name, kind string }{{openenv.ToolReadTicket, docRead}, {openenv.ToolQueueStatus, docStatus}} {
		r, err := v.send(ctx, request{path: "/mcp", body: string(encoded(rpc("tools/call", map[string]any{"name": t.name})))})
		if err != nil {
			return err
		}
		where := fmt.Sprintf("the tool %s of track %s", t.name, v.track)
		v.shows(v.tools, t.kind, where, v.result(where, r.body))
	}
	if !v.sealed && slices.Contains(v.server.control, "/web") {
		if err := v.reviewed(ctx, answered); err != nil {
			return err
		}
	}
	if err := v.still(ctx, further); err != nil {
		return err
	}
	return v.meter(ctx)
}

// reviewed looks whose gradings the page is told.
func (v *visit) reviewed(ctx context.Context, answered []string) error {
	r, err := v.send(ctx, request{path: "/web/review"})
	if err != nil {
		return err
	}
	var doc struct {
		Graded []struct {
			TicketID string `json:"ticket_id"`
		} `json:"graded"`
	}
	if r.status != http.StatusOK || json.Unmarshal(r.body, &doc) != nil {
		v.review.fault("GET %s/web/review answers %d: %s", v.prefix, r.status, short(r.body))
		return nil
	}
	v.review.saw()
	for i, g := range doc.Graded {
		if i >= len(answered) || g.TicketID != answered[i] {
			v.review.fault("after %d answers the grading of %s is told", len(answered), short(g.TicketID))
		}
	}
	return nil
}
