package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// prowler tries to get into sessions that are not its own.
type prowler struct {
	*server
	track triage.Track
	task  triage.Task
	// own is the owner's session over plain HTTP, empty where there is none; episode its id; rpc one that JSON-RPC made.
	own, episode, rpc string
}

// checkSessions looks whether a client gets into another's session.
func (s *server) checkSessions(ctx context.Context) ([]triage.Check, error) {
	attach := claim("sessions/attach", "a second socket on a session that has one", "refused")
	unknown := claim("sessions/unknown", "sessions and episodes that there are not, by header, cookie, id, tool and socket", "refused")
	shared := claim("sessions/shared-id", "an episode_id that two live episodes have", "refused, not guessed")
	track := claim("sessions/track", "a session of the other track", "refused")
	apart := claim("sessions/apart", "two sessions that play by turns", "each has its own tickets and steps")
	other := claim("sessions/other-token", "another token's session by header, cookie, episode_id, tool and socket", "refused, and it goes on unharmed")
	if len(s.control) == 0 {
		shared.skip("plain HTTP begins no episode here")
		track.skip("plain HTTP begins no episode here")
	}
	switch {
	case !s.tokened:
		other.skip("the server needs no tokens: who has a session's id may use it")
	case len(s.Tokens) < 2:
		other.skip("it needs two tokens in the audit's file")
	}
	for _, t := range s.tracks() {
		p, err := s.prowler(ctx, t)
		if err != nil {
			return nil, err
		}
		steps := []func(context.Context) error{
			func(ctx context.Context) error { return p.attachTwice(ctx, attach) },
			func(ctx context.Context) error { return p.madeUp(ctx, unknown) },
			func(ctx context.Context) error { return p.sharedID(ctx, shared) },
			func(ctx context.Context) error { return p.wrongTrack(ctx, track) },
			func(ctx context.Context) error { return p.byTurns(ctx, apart) },
			func(ctx context.Context) error { return p.stranger(ctx, other) },
		}
		for _, step := range steps {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
	}
	return []triage.Check{attach.check("attempts"), unknown.check("attempts"), shared.check("attempts"), track.check("attempts"), apart.check("answers"), other.check("attempts")}, nil
}

// prowler begins the owner's sessions on a track.
func (s *server) prowler(ctx context.Context, track triage.Track) (*prowler, error) {
	task, err := triage.TaskFor(track, triage.Easy)
	p := &prowler{server: s, track: track, task: task, episode: fmt.Sprintf("audit-%d", s.begun.Add(1))}
	if err != nil {
		return nil, err
	}
	if len(s.control) > 0 {
		if p.own, err = p.reset(ctx, p.episode); err != nil {
			return nil, err
		}
	}
	p.rpc, err = p.created(ctx)
	return p, err
}

// at is a path under the track's prefix.
func (p *prowler) at(path string) string { return "/" + string(p.track) + path }

// reset begins an episode over plain HTTP and gives its session.
func (p *prowler) reset(ctx context.Context, episode string) (string, error) {
	r, err := p.ask(ctx, request{path: p.at(p.control[0] + "/reset"), body: string(encoded(p.resetOptions(p.task, triage.ResetOptions{Seed: p.options.Seed, EpisodeID: episode}))), token: p.token()})
	if err == nil && r.header.Get(sessionHeader) == "" {
		err = unusable("POST %s answers %d without a session: %s", p.at(p.control[0]+"/reset"), r.status, short(r.body))
	}
	return r.header.Get(sessionHeader), err
}

// created makes a session by JSON-RPC.
func (p *prowler) created(ctx context.Context) (string, error) {
	r, err := p.ask(ctx, request{path: p.at("/mcp"), body: string(encoded(rpc("openenv/session/create", map[string]any{}))), token: p.token()})
	var call struct {
		Result struct {
			ID string `json:"session_id"`
		} `json:"result"`
	}
	if err == nil && (json.Unmarshal(r.body, &call) != nil || call.Result.ID == "") {
		err = unusable("openenv/session/create is answered with %s", short(r.body))
	}
	return call.Result.ID, err
}

// attachTwice attaches two sockets to one session.
func (p *prowler) attachTwice(ctx context.Context, f *finding) error {
	path := wsPath(p.track) + "?session_id=" + p.rpc
	k, err := p.Open(ctx, path, p.token())
	if err != nil {
		return err
	}
	defer k.Close()
	a, raw, err := exchange(ctx, k, frame(openenv.TypeReset, p.resetOptions(p.task, triage.ResetOptions{Seed: p.options.Seed})))
	if err != nil {
		return err
	}
	if a.Type != openenv.TypeObservation {
		return unusable("a reset on an attached session is answered with %s", short(raw))
	}
	f.unless(p.shut(ctx, path, p.token()), "WS %s is attached twice", wsPath(p.track))
	// A socket's own session is nobody else's to attach to.
	if a, _, err = exchange(ctx, k, frame(openenv.TypeMCP, rpc("openenv/session/create", map[string]any{}))); err != nil {
		return err
	}
	var call struct {
		Result struct {
			ID string `json:"session_id"`
		} `json:"result"`
	}
	if json.Unmarshal(a.Data, &call) == nil && call.Result.ID != "" {
		f.unless(p.shut(ctx, wsPath(p.track)+"?session_id="+call.Result.ID, p.token()), "a socket is attached to the own session of another one")
	}
	return nil
}

// intrusions are requests that name a session or an episode in all ways that there are.
func (p *prowler) intrusions(session, episode, rpcSession string) []request {
	var out []request
	call := func(params map[string]any, name string) string {
		params["name"] = name
		return string(encoded(rpc("tools/call", params)))
	}
	unders := append(append([]string{}, p.control...), "")
	for _, under := range unders {
		if under == "" && len(p.control) == 0 {
			break
		}
		step := request{path: p.at(under + "/step"), body: `{"action":{}}`}
		state := request{path: p.at(under + "/state")}
		out = append(out, request{path: step.path, body: string(encoded(map[string]any{"action": map[string]any{}, "episode_id": episode}))},
			request{path: state.path + "?episode_id=" + episode})
		for _, x := range []request{step, state} {
			out = append(out, x.with(sessionHeader, session), x.with("Cookie", sessionCookie+"="+session))
		}
	}
	if !p.sealed {
		out = append(out, request{path: p.at("/web/review?episode_id=") + episode}, request{path: p.at("/web/review")}.with(sessionHeader, session))
	}
	for _, tool := range []string{openenv.ToolReadTicket, openenv.ToolQueueStatus, openenv.ToolSubmit} {
		for _, id := range []string{session, rpcSession} {
			out = append(out, request{path: p.at("/mcp"), body: call(map[string]any{"session_id": id}, tool)},
				request{path: p.at("/mcp?session_id=") + id, body: call(map[string]any{}, tool)})
		}
		out = append(out, request{path: p.at("/mcp"), body: call(map[string]any{}, tool)}.with(sessionHeader, session),
			request{path: p.at("/mcp"), body: call(map[string]any{}, tool)}.with("Cookie", sessionCookie+"="+session))
	}
	return append(out, request{path: p.at("/mcp"), body: string(encoded(rpc("openenv/session/close", map[string]any{"session_id": rpcSession})))})
}

// intrude sends them as the bearer of a token and expects that each is refused.
func (p *prowler) intrude(ctx context.Context, f *finding, token, whose, session, episode, rpcSession string) error {
	for _, x := range p.intrusions(session, episode, rpcSession) {
		x.token = token
		r, err := p.ask(ctx, x)
		if err != nil {
			return err
		}
		well := r.refused()
		if strings.Contains(x.path, "/mcp") {
			well = well || failed(r.body)
		}
		f.unless(well, "%s%s with %s answers %d: %s", x.name(), briefly(x), whose, r.status, short(r.body))
	}
	f.unless(p.shut(ctx, wsPath(p.track)+"?session_id="+rpcSession, token), "a socket is attached to %s", whose)
	return nil
}

// briefly says how a request names a session.
func briefly(x request) string {
	for name := range x.header {
		return " by " + name
	}
	if x.body != "" {
		return " " + short(x.body)
	}
	return ""
}

// failed tells whether the answer to a call is an error.
func failed(body []byte) bool {
	var call struct {
		Error  any `json:"error"`
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	return json.Unmarshal(body, &call) == nil && (call.Error != nil || call.Result.IsError)
}

// madeUp names sessions that there are not.
func (p *prowler) madeUp(ctx context.Context, f *finding) error {
	const session, id = "00112233445566778899aabbccddeeff", "00112233-4455-4677-8899-aabbccddeeff"
	return p.intrude(ctx, f, p.token(), "a session that is made up", session, "no-such-episode", id)
}
