package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// The test of leaks holds a conversation with two servers over every endpoint. Their tickets are the same, their truths are not: what
// they say and log must be the same, but for the gradings of tickets that are answered, and for nothing at all where they are
// sealed. And none of it may hold a word that only facts have.

// twisted gives the tickets of a source with other truths.
type twisted struct{ next env.Source }

func turn[T comparable](list []T, v T) T { return list[(slices.Index(list, v)+1)%len(list)] }

func (s twisted) Ticket(seed int64, position int) *triage.Case {
	c := *s.next.Ticket(seed, position)
	if q := c.Truth.Queue; q != nil {
		c.Truth.Queue = &triage.QueueTruth{Route: turn(triage.Routes(), q.Route), Urgency: turn(triage.Urgencies(), q.Urgency),
			Difficulty: turn(triage.Resolutions(), q.Difficulty), Priority: (q.Priority + 37) % 101}
	}
	if d := c.Truth.Desk; d != nil {
		x := *d
		x.Category, x.Priority, x.UrgencyDays, x.Department = turn(triage.Categories(), d.Category), turn(triage.Priorities(), d.Priority), d.UrgencyDays%7+1, turn(triage.Departments(), d.Department)
		x.Credit = [4]float64{d.Credit[3], d.Credit[0], d.Credit[1], d.Credit[2]}
		x.Entities, x.Distractors = [][]string{{"nothing"}}, nil
		c.Truth.Desk = &x
	}
	c.Facts = triage.Facts{}
	return &c
}

// sourceOf gives the tickets of a task, with their truths or twisted.
func sourceOf(task triage.Task, twist bool) env.Sources {
	return func(split triage.Split) (env.Source, error) {
		s, err := realSource(task, split)
		if err != nil || !twist {
			return s, err
		}
		return twisted{s}, nil
	}
}

// leak makes environments that tell more than they should; nil tells nothing.
type leak func(e env.Grading) triage.Env

// said is what a server sent or logged.
type said struct{ where, text string }

// counted gives the same bytes again and again, never the same ones twice: ids of two servers are alike.
type counted struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (c *counted) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.r.Read(p)
}

// graded are the members that tell how answers did; where they stand, only an answered ticket is in them.
var graded = map[string]bool{"stats": true, "last_result": true, "reward": true, "score": true, "efficiency": true, "rubrics": true, "mean_reward": true}

// published are words that stand in what everybody may read.
var published = sync.OnceValue(func() string {
	return handbook.Text() + string(openenv.Schemas(triage.Queue)) + string(openenv.Schemas(triage.Desk))
})

// ungraded takes the gradings out of a payload: of the observations after the first ticket of a queue, and of what is done.
func ungraded(v any, answered bool) any {
	switch v := v.(type) {
	case map[string]any:
		if n, ok := v["position"].(float64); ok {
			answered = n > 0
		}
		if done, ok := v["done"].(bool); ok && done {
			answered = true
		}
		if o, ok := v["observation"].(map[string]any); ok {
			if n, ok := o["position"].(float64); ok {
				answered = n > 0
			}
		}
		out := map[string]any{}
		for k, x := range v {
			if !answered || !graded[k] {
				out[k] = ungraded(x, answered)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = ungraded(x, answered)
		}
		return out
	case string:
		var inner any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			return ungraded(inner, answered)
		}
	}
	return v
}

// noise are the metrics of time, of memory, and of sockets, whose end is a matter of time too.
var noise = regexp.MustCompile(`(?m)^(# .*|go_.*|process_.*|promhttp_.*|triage_http_request_seconds.*|triage_sessions .*|triage_websockets .*)\n`)

// alike is a payload as it must be the same on both servers.
func alike(s said, sealed bool) string {
	var v any
	if json.Unmarshal([]byte(s.text), &v) != nil {
		return noise.ReplaceAllString(s.text, "")
	}
	if !sealed {
		v = ungraded(v, false)
	} else if m, ok := v.(map[string]any); ok && m["msg"] == nil {
		v = withoutEnd(v)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// withoutEnd takes out what a sealed server tells of an episode that is over: score, efficiency, and the reward of the desk or of the
// whole episode.
func withoutEnd(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		over := v["done"] == true
		_, figures := v["ended"]
		for k, x := range v {
			if over && k == "reward" || figures && (k == "score" || k == "efficiency" || k == "reward") {
				continue
			}
			out[k] = withoutEnd(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = withoutEnd(x)
		}
		return out
	case string:
		var inner any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			return withoutEnd(inner)
		}
	}
	return v
}

// factWords are those that only facts and their gradings have: slugs of scenarios, which begin with a route, values of facts, names of
// members.
func factWords() []string {
	var out []string
	for _, r := range triage.Routes() {
		out = append(out, string(r)+"/")
	}
	for _, s := range triage.Severities() {
		out = append(out, `"`+string(s)+`"`)
	}
	for _, s := range triage.Impacts() {
		out = append(out, `"`+string(s)+`"`)
	}
	for _, s := range triage.Efforts() {
		out = append(out, string(s))
	}
	out = append(out, "daily_work", "misleading_subject", `"got"`, `"want"`, `"why"`, `"truth"`, `"facts"`, `"primary"`, `"secondary"`, `"severity"`, `"impact"`,
		`"workaround"`, `"deadline"`, `"effort"`, `"stake"`, `"entities"`, `"distractors"`, `"traps"`, `"follow_up"`, `"scenario"`, `"credit"`, "; right is")
	return slices.DeleteFunc(out, func(w string) bool { return strings.Contains(published(), w) })
}

// holds gives the words that a payload holds, also within texts that hold JSON. The document of the API may describe the review, which is
// for people and after the answer.
func holds(s said, words []string) []string {
	var out []string
	for _, w := range words {
		quoted := strings.HasPrefix(w, `"`)
		if quoted && strings.Contains(s.where, "/openapi.json") {
			continue
		}
		if strings.Contains(s.text, w) || quoted && strings.Contains(s.text, strings.ReplaceAll(w, `"`, `\"`)) {
			out = append(out, w)
		}
	}
	return out
}

// leaks says what a server told that it must not.
func leaks(t *testing.T, task triage.Task, sealed bool, tell leak) []string {
	t.Helper()
	one, other := converse(t, task, false, sealed, tell), converse(t, task, true, sealed, tell)
	var out []string
	if len(one) != len(other) {
		out = append(out, fmt.Sprintf("one server says %d things, the other %d", len(one), len(other)))
	}
	words := factWords()
	for i, s := range one {
		for _, w := range holds(s, words) {
			out = append(out, s.where+" holds "+w)
		}
		if i >= len(other) {
			break
		}
		if a, b := alike(s, sealed), alike(other[i], sealed); s.where != other[i].where || a != b {
			out = append(out, fmt.Sprintf("%s depends on the truth: %s", s.where, firstDifference(a, b)))
		}
	}
	return out
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("…%.80s and …%.80s", a[max(0, i-30):], b[max(0, i-30):])
}

// TestNoPayloadTellsTheTruthOfATicket plays every task over every endpoint, on open and on sealed servers.
func TestNoPayloadTellsTheTruthOfATicket(t *testing.T) {
	t.Parallel()
	for _, task := range triage.Tasks() {
		for _, sealed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s sealed=%v", task.Name, sealed), func(t *testing.T) {
				t.Parallel()
				for _, l := range leaks(t, task, sealed, nil) {
					t.Error(l)
				}
			})
		}
	}
}

// leaky is an environment that tells too much.
type leaky struct {
	env.Grading
	tell   func(truth triage.Truth, r triage.StepResult) (triage.StepResult, error)
	fail   func(truth triage.Truth) error
	failed bool
}

func (l *leaky) told(r triage.StepResult, err error) (triage.StepResult, error) {
	truth, ok := l.Truth()
	if err != nil || !ok {
		return r, err
	}
	if o := r.Observation.Queue; o != nil {
		c := *o
		if o.Ticket != nil {
			ticket := *o.Ticket
			c.Ticket = &ticket
		}
		r.Observation.Queue = &c
	}
	if o := r.Observation.Desk; o != nil {
		c := *o
		r.Observation.Desk = &c
	}
	return l.tell(truth, r)
}

func (l *leaky) Reset(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	return l.told(l.Grading.Reset(ctx, opts))
}

func (l *leaky) Step(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if truth, ok := l.Truth(); ok && l.fail != nil {
		if l.failed = !l.failed; l.failed { // every other time
			return triage.StepResult{}, l.fail(truth)
		}
	}
	return l.told(l.Grading.Step(ctx, a))
}

// TestTheTestOfLeaksFindsThem has environments that tell the truth of the ticket that is shown, each in another place.
func TestTheTestOfLeaksFindsThem(t *testing.T) {
	t.Parallel()
	words := func(truth triage.Truth) string {
		if truth.Queue != nil {
			return string(truth.Queue.Urgency)
		}
		return string(truth.Desk.Priority)
	}
	type result = triage.StepResult
	for name, tell := range map[string]func(truth triage.Truth, r result) (result, error){
		"message": func(truth triage.Truth, r result) (result, error) {
			if r.Observation.Queue != nil {
				r.Observation.Queue.Message += " " + words(truth)
			}
			if r.Observation.Desk != nil {
				r.Observation.Desk.Message += " " + words(truth)
			}
			return r, nil
		},
		"id": func(truth triage.Truth, r result) (result, error) {
			n := len(words(truth))
			if o := r.Observation.Queue; o != nil && o.Ticket != nil {
				o.Ticket.ID = fmt.Sprintf("TKT-%d%s", n, o.Ticket.ID[4:])
			}
			if o := r.Observation.Desk; o != nil {
				o.TicketID = fmt.Sprintf("TKT-%d%s", n, o.TicketID[4:])
			}
			return r, nil
		},
		"reward of what is not answered": func(truth triage.Truth, r result) (result, error) {
			if !r.Done {
				r.Reward += float64(len(words(truth))) / 1000
			}
			return r, nil
		},
		"slug": func(_ triage.Truth, r result) (result, error) {
			b, err := bank()
			if r.Observation.Queue != nil {
				r.Observation.Queue.Message = b.Scenarios[0].Slug
			}
			if r.Observation.Desk != nil {
				r.Observation.Desk.CustomerName = b.Scenarios[0].Slug
			}
			return r, err
		},
		"error, and with it the log": nil,
	} {
		for _, name2 := range []string{"queue-easy", "desk-medium"} {
			t.Run(name+" "+name2, func(t *testing.T) {
				t.Parallel()
				task, err := triage.TaskByName(name2)
				if err != nil {
					t.Fatal(err)
				}
				found := leaks(t, task, false, func(e env.Grading) triage.Env {
					if tell == nil {
						return &leaky{Grading: e, tell: func(_ triage.Truth, r result) (result, error) { return r, nil }, fail: func(truth triage.Truth) error {
							return &triage.Error{Code: triage.CodeUnavailable, Message: "no " + words(truth)}
						}}
					}
					return &leaky{Grading: e, tell: tell}
				})
				if len(found) == 0 {
					t.Error("nothing was found")
				}
				inLog := slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "log") })
				if strings.HasSuffix(name, "the log") != inLog {
					t.Errorf("found in the log: %v: %q", inLog, found)
				}
			})
		}
	}
}
