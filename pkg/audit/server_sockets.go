package audit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// result takes the document out of the answer to a call of a tool, and looks at what stands around it.
func (v *visit) result(where string, body []byte) []byte {
	var call struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	if json.Unmarshal(body, &call) != nil || call.Result == nil {
		v.tools.fault("%s gives no result: %s", where, short(body))
		return nil
	}
	doc := call.Result["structuredContent"]
	for _, key := range sortedKeys(call.Result) {
		data := call.Result[key]
		switch key {
		case "isError", "is_error", "meta":
			v.same(v.tools, where+" "+v.stage+" "+key, string(data))
		case "structuredContent", "structured_content", "data":
			v.tools.unless(string(data) == string(doc), "%s has another %s than structuredContent: %s", where, key, short(data))
		case "content":
			var list []struct {
				Type, Text        string
				Annotations, Meta any
			}
			ok := json.Unmarshal(data, &list) == nil && len(list) == 1 && list[0].Text == string(doc) && list[0].Annotations == nil && list[0].Meta == nil
			v.tools.unless(ok, "%s has another content than structuredContent: %s", where, short(data))
		default:
			v.tools.fault("%s has the key %q: %s", where, key, short(data))
		}
	}
	return doc
}

// overSocket plays an episode over /ws and asks for all that can be asked for there.
func (v *visit) overSocket(ctx context.Context, i int) error {
	task, err := triage.TaskFor(v.track, triage.Hard)
	if err != nil {
		return err
	}
	v.task, v.episode, v.stage = task, v.begun.Add(1), "no episode"
	k, err := v.Open(ctx, wsPath(v.track), v.token())
	if err != nil {
		return err
	}
	defer k.Close()
	if err := v.frames(ctx, k); err != nil {
		return err
	}
	constant, err := v.constantAnswer(ctx, task)
	if err != nil {
		return err
	}
	sent := frame(openenv.TypeReset, v.resetOptions(task, triage.ResetOptions{Seed: learnSeed(v.options.Seed) + int64(i)}))
	for n := 0; !v.done && n <= task.MaxSteps; n++ {
		a, raw, err := exchange(ctx, k, sent)
		if err != nil {
			return err
		}
		if a.Type != openenv.TypeObservation {
			v.watch.sockets.fault("%s answers %s", wsPath(v.track), short(raw))
			return nil
		}
		v.moved(a.Data)
		if n == 0 {
			v.stage = "open"
		}
		v.shows(v.watch.sockets, docEnvelope, "WS "+wsPath(v.track), a.Data)
		if n < 2 || v.done {
			if err := v.frames(ctx, k); err != nil {
				return err
			}
		}
		sent = frame(openenv.TypeStep, actionJSON(constant))
	}
	return v.mistaken(ctx, k, frame(openenv.TypeStep, actionJSON(constant)), "a step after the end")
}

// frames asks for what can be asked for at any time: the state, the tools, and mistakes.
func (v *visit) frames(ctx context.Context, k Socket) error {
	a, raw, err := exchange(ctx, k, frame(openenv.TypeState, nil))
	if err != nil {
		return err
	}
	v.watch.sockets.unless(a.Type == openenv.TypeState, "the state is answered with %s", short(raw))
	v.shows(v.watch.sockets, docState, "WS "+wsPath(v.track)+" state", a.Data)
	for _, call := range toolCalls() {
		if a, _, err = exchange(ctx, k, frame(openenv.TypeMCP, call)); err != nil {
			return err
		}
		v.same(v.tools, "WS "+wsPath(v.track)+" "+string(encoded(call)), string(a.Data))
	}
	for _, t := range []struct{ name, kind string }{{openenv.ToolReadTicket, docRead}, {openenv.ToolQueueStatus, docStatus}} {
		if v.stage == "no episode" {
			break
		}
		if a, _, err = exchange(ctx, k, frame(openenv.TypeMCP, rpc("tools/call", map[string]any{"name": t.name}))); err != nil {
			return err
		}
		where := fmt.Sprintf("the tool %s on %s", t.name, wsPath(v.track))
		v.shows(v.tools, t.kind, where, v.result(where, a.Data))
	}
	for _, x := range wrongActions(triage.Action{Track: v.track}) {
		if err := v.mistaken(ctx, k, frame(openenv.TypeStep, actionJSON(x)), "a wrong value "+short(actionJSON(x))); err != nil {
			return err
		}
	}
	for _, x := range []string{`{"type":"step"`, `{"type":"truth"}`, `{"type":"state","data":{"truth":true}}`, `{"type":"reset","data":{"difficulty":"harder"}}`} {
		if err := v.mistaken(ctx, k, []byte(x), x); err != nil {
			return err
		}
	}
	return nil
}

// mistaken sends a frame that must be refused with the same words whatever the ticket is.
func (v *visit) mistaken(ctx context.Context, k Socket, sent []byte, what string) error {
	a, raw, err := exchange(ctx, k, sent)
	if err != nil {
		return err
	}
	where := "WS " + wsPath(v.track) + " " + what
	v.errors.unless(a.Type == openenv.TypeError, "%s is answered with %s", where, short(raw))
	v.same(v.errors, where, string(raw))
	v.watch.grading(where, raw)
	return nil
}
