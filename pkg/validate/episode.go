package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// episodes plays episodes over /ws and judges what comes.
func (s *server) episodes(ctx context.Context) []triage.Check {
	c := newClaim("episode", "the schema without compression, and reset, state and steps over /ws", "at most 1 MiB each; every frame is answered by one of the due type")
	var first *session
	var seeded bool
	err := s.plainSchema(ctx)
	if err == nil {
		first, seeded, err = s.rehearsed(ctx)
	}
	if err == nil && first != nil {
		err = first.play(ctx, "validate-1", s.Seed, seeded)
		first.conn.Close()
	}
	var nothing *noAction
	switch {
	case errors.As(err, &nothing) && !nothing.valid:
		return append([]triage.Check{c.skipped("%v", err)}, s.unplayed("no episode was played")...)
	case err != nil:
		c.against("%v", err)
		return append([]triage.Check{c.done("")}, s.unplayed("no episode was played")...)
	case first.steps == 0:
		return append([]triage.Check{c.skipped("the reset ends the episode: there is no step to look at")}, s.unplayed("no step was played")...)
	}
	last := first.trace[len(first.trace)-2].data // before it is the last state
	how := fmt.Sprintf("%d steps, done %v", first.steps, last["done"])
	if !seeded {
		how += "; the server refuses seeds"
	}
	out := []triage.Check{c.done("%s", how), s.rewards(first), s.observations(first), states(first), s.wrongFrames(ctx)}
	return append(out, s.comparisons(ctx, first, seeded)...)
}

// plainSchema fetches the schemas as a validator does that holds episodes against them.
func (s *server) plainSchema(ctx context.Context) error {
	a := s.request(ctx, http.MethodGet, "/schema", nil, http.Header{"Accept-Encoding": {"identity"}})
	coding := strings.ToLower(strings.TrimSpace(a.header.Get("Content-Encoding")))
	switch {
	case a.err == nil && coding != "" && coding != "identity":
		return fmt.Errorf("/schema is sent as %s, though identity was asked for", coding)
	case a.err != nil || a.status < 200 || a.status > 299 || a.object() == nil:
		return fmt.Errorf("/schema: %s", a.said())
	case len(a.body) > client.MaxFrame:
		return fmt.Errorf("/schema has %d bytes, over 1 MiB", len(a.body))
	case !has(a.object(), "observation"):
		return fmt.Errorf("/schema has no observation")
	}
	s.schema = a.object()
	return nil
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

// unplayed are the checks that need an episode, where there is none.
func (s *server) unplayed(why string) []triage.Check {
	list := []*claim{rewardClaim(), observationClaim(), stateClaim(), wrongFramesClaim(), determinismClaim(), differenceClaim(), capacityClaim(), isolationClaim()}
	out := make([]triage.Check, len(list))
	for i, c := range list {
		out[i] = c.skipped("%s", why)
	}
	return out
}

// noAction says that the server refuses all actions that were made from its schema. If it refused one as invalid, schema and
// server contradict each other.
type noAction struct {
	valid  bool // it refused one that its schema allows
	reason string
}

func (e *noAction) Error() string {
	return "the server refuses the actions that were made from its schema; give it some with --action: " + e.reason
}

// rehearsed finds an action that the server takes, in an episode that does not count, and gives a session for one that does.
func (s *server) rehearsed(ctx context.Context) (*session, bool, error) {
	test, err := s.open(ctx)
	if err != nil {
		return nil, false, err
	}
	seeded := true
	seen, err := test.reset(ctx, "validate-0", s.Seed, true)
	if f := refusal(err); f != nil { // a sealed server chooses its seeds
		seeded = false
		if seen, err = test.reset(ctx, "validate-0", 0, false); err != nil {
			return nil, false, fmt.Errorf("reset: %w", f)
		}
	}
	if err == nil {
		s.ours = test.isOurs(ctx)
		err = s.choose(ctx, test, seen)
	}
	test.conn.Close()
	if err != nil {
		return nil, false, err
	}
	out, err := s.open(ctx)
	return out, seeded, err
}

// isOurs tells whether the state is one that servers of ours give.
func (s *session) isOurs(ctx context.Context) bool {
	state, err := s.ask(ctx, openenv.TypeState, nil)
	return err == nil && isText(state["task"]) && (state["track"] == string(triage.Queue) || state["track"] == string(triage.Desk))
}

// choose finds what makes actions that the server takes: those that were given, or full or lean ones of its schema.
func (s *server) choose(ctx context.Context, test *session, seen map[string]any) error {
	s.actor = actor{given: s.Actions}
	if len(s.Actions) > 0 || seen["done"] == true {
		return nil
	}
	action, ok := s.schema["action"].(map[string]any)
	if !ok {
		return &noAction{reason: "it publishes no schema of actions"}
	}
	compiled, err := s.published("action")
	if err != nil {
		return err
	}
	refused := &noAction{}
	for _, lean := range []bool{false, true} {
		s.actor = actor{schema: action, lean: lean}
		made := s.actor.action(0)
		value, err := decode(made)
		allowed := err == nil && compiled.problems(value) == nil
		_, err = test.step(ctx, made)
		f := refusal(err)
		if err == nil || f == nil {
			return err
		}
		refused.reason = fmt.Sprintf("%s is refused: %v", brief(made), f)
		refused.valid = refused.valid || allowed && f.Code == openenv.CodeValidation
	}
	return refused
}

func rewardClaim() *claim {
	return newClaim("runtime.reward_well_formed", "the reward of every step", "a finite number that is no boolean; null only after a reset")
}

// rewards looks at the reward of every step and reset.
func (s *server) rewards(e *session) triage.Check {
	c := rewardClaim()
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range e.trace {
		if x.kind == openenv.TypeState {
			continue
		}
		reward, ok := x.data["reward"]
		if ok && reward == nil && x.kind == openenv.TypeReset {
			continue
		}
		n, isNumber := reward.(json.Number)
		v, err := strconv.ParseFloat(string(n), 64)
		if !ok || !isNumber || err != nil {
			c.against("exchange %d (%s): reward is %v, %s", i, x.kind, reward, kindOf(reward))
			continue
		}
		c.unless(!s.ours || v >= 0 && v <= 1, "exchange %d (%s): reward %v, where 0 to 1 is due", i, x.kind, v)
		low, high = min(low, v), max(high, v)
	}
	return c.done("%d steps, from %v to %v", e.steps, low, high)
}

func observationClaim() *claim {
	return newClaim("runtime.observation_schema", "envelopes, and observations with reward and done in them", "object, boolean, reward; valid by the published schema of draft 2020-12")
}

// observations holds observations against the published schema.
func (s *server) observations(e *session) triage.Check {
	c := observationClaim()
	step, err := s.published("observation")
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	reset, err := s.published("reset_observation", "observation")
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	n := 0
	for i, x := range e.trace {
		by := map[string]*schema{openenv.TypeReset: reset, openenv.TypeStep: step}[x.kind]
		if by == nil {
			continue
		}
		n++
		_, paid := x.data["reward"]
		if _, ok := x.data["done"].(bool); !ok || !isObject(x.data["observation"]) || !paid {
			c.against("exchange %d (%s): the envelope lacks an object observation, a boolean done or a reward", i, x.kind)
			continue
		}
		if err := by.problems(merged(x.data)); err != nil {
			c.against("exchange %d (%s): %v", i, x.kind, err)
		}
	}
	note := ""
	if unread := append(step.unread, reset.unread...); len(unread) > 0 {
		note = fmt.Sprintf("; not held against the pattern %s, which Go does not read", brief([]byte(unread[0])))
	}
	return c.done("%d observations%s", n, note)
}

func stateClaim() *claim {
	return newClaim("runtime.state_contract", "the state after the reset and after each step", "the episode's id, and as step_count an integer: the steps since the reset")
}

// states looks at the state after every exchange.
func states(e *session) triage.Check {
	c := stateClaim()
	steps, n := 0, 0
	for i, x := range e.trace {
		switch x.kind {
		case openenv.TypeStep:
			steps++
		case openenv.TypeState:
			n++
			c.unless(x.data["episode_id"] == e.id, "exchange %d: episode_id is %v, where %q is due", i, x.data["episode_id"], e.id)
			c.unless(counts(x.data["step_count"], steps), "exchange %d: step_count is %v, where the integer %d is due", i, x.data["step_count"], steps)
		}
	}
	return c.done("%d states", n)
}

// counts tells whether a value is the integer n, written as one.
func counts(v any, n int) bool { return v == json.Number(strconv.Itoa(n)) }

func wrongFramesClaim() *claim {
	return newClaim("wrong_frames", "frames that are no JSON, of an unknown type, without data, and a wrong action", "error frames of their codes; session and state stay as they are")
}

// wrongFrames sends what has to be refused and looks that nothing comes of it.
func (s *server) wrongFrames(ctx context.Context) triage.Check {
	c := wrongFramesClaim()
	e, err := s.open(ctx)
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	defer e.conn.Close()
	if _, err := e.reset(ctx, "validate-w", s.Seed, false); err != nil {
		c.against("reset: %v", err)
		return c.done("")
	}
	before, err := e.ask(ctx, openenv.TypeState, nil)
	c.unless(err == nil, "state: %v", err)
	list := []struct{ frame, code string }{{`{"type":`, openenv.CodeInvalidJSON}, {`{"type":"bogus"}`, openenv.CodeUnknownType}, {`{"type":"step"}`, openenv.CodeValidation}}
	if action, ok := s.schema["action"].(map[string]any); ok && action["additionalProperties"] == false {
		list = append(list, struct{ frame, code string }{`{"type":"step","data":{"no_such_field":1}}`, openenv.CodeValidation})
	}
	for _, x := range list {
		_, err := e.send(ctx, []byte(x.frame))
		if f := refusal(err); f == nil || f.Code != x.code {
			c.against("%s gives %v, where %s is due", x.frame, err, x.code)
		}
	}
	after, err := e.ask(ctx, openenv.TypeState, nil)
	c.unless(err == nil && reflect.DeepEqual(before, after), "the state is another afterwards, error %v", err)
	return c.done("%d refused", len(list))
}
