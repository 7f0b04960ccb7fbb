package validate_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
	"github.com/triagebench/triage/pkg/validate"
)

// broken is an environment with a fault that a test chooses. Function fields that are nil leave things as they are.
type broken struct {
	triage.Env
	reset   func(b *broken, ctx context.Context, o triage.ResetOptions) (triage.StepResult, error)
	step    func(b *broken, ctx context.Context, a triage.Action) (triage.StepResult, error)
	state   func(triage.State) triage.State
	see     func(b *broken, r *triage.StepResult)
	last    func(triage.Score) triage.Score
	summary func(triage.Summary) triage.Summary
	done    bool
	steps   int
}

func (b *broken) Reset(ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
	b.done, b.steps = false, 0
	if b.reset != nil {
		return b.reset(b, ctx, o)
	}
	return b.seen(b.Env.Reset(ctx, o))
}

func (b *broken) Step(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if b.step != nil {
		return b.seen(b.step(b, ctx, a))
	}
	return b.seen(b.Env.Step(ctx, a))
}

func (b *broken) seen(r triage.StepResult, err error) (triage.StepResult, error) {
	if err == nil {
		b.done = r.Done
		b.steps++
		if b.see != nil {
			b.see(b, &r)
		}
	}
	return r, err
}

func (b *broken) State() triage.State {
	if b.state != nil {
		return b.state(b.Env.State())
	}
	return b.Env.State()
}

func (b *broken) Truth() (triage.Truth, bool) { return b.Env.(triage.Knower).Truth() }

func (b *broken) LastScore() *triage.Score {
	s := b.Env.(triage.Grader).LastScore()
	if s == nil || b.last == nil {
		return s
	}
	out := *s
	out.Parts = append([]triage.Part(nil), s.Parts...)
	out = b.last(out)
	return &out
}

func (b *broken) Summary() (triage.Summary, bool) {
	s, ok := b.Env.(triage.Grader).Summary()
	if b.summary != nil && ok {
		s = b.summary(s)
	}
	return s, ok
}

// breaking gives every environment a fault.
func breaking(d validate.Deps, fault broken) validate.Deps {
	whole := d.NewEnv
	d.NewEnv = func(task triage.Task, split triage.Split) (triage.Env, error) {
		e, err := whole(task, split)
		b := fault
		b.Env = e
		return &b, err
	}
	return d
}

// desk changes the desk observation of a result.
func desk(change func(*triage.DeskObservation)) func(*broken, *triage.StepResult) {
	return func(_ *broken, r *triage.StepResult) {
		if r.Observation.Desk != nil {
			o := *r.Observation.Desk
			change(&o)
			r.Observation.Desk = &o
		}
	}
}

var drawn atomic.Int64

func TestEachLocalCheckFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, group, task string
		fault             broken
		failed            string // of the task
		says              string
	}{
		{"a reset that pays", "reset", "queue-easy", broken{see: func(b *broken, r *triage.StepResult) {
			if b.steps == 1 {
				r.Reward = 0.1
			}
		}}, "reset", "reward 0.1"},
		{"a reset that ends", "reset", "desk-easy", broken{see: func(_ *broken, r *triage.StepResult) { r.Done = true }}, "reset", "done true"},
		{"a reset that forgets the id", "reset", "desk-easy", broken{reset: func(b *broken, ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
			o.EpisodeID = ""
			return b.Env.Reset(ctx, o)
		}}, "reset", "the state is episode-1"},
		{"a reset that ignores the split", "reset", "queue-hard", broken{reset: func(b *broken, ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
			o.Split = triage.Test
			return b.Env.Reset(ctx, o)
		}}, "reset", "the same ticket on both splits"},
		{"a reset that fails", "reset", "queue-hard", broken{reset: func(*broken, context.Context, triage.ResetOptions) (triage.StepResult, error) {
			return triage.StepResult{}, errors.New("out of order")
		}}, "reset", "out of order"},
		{"an observation of another track", "reset", "queue-easy", broken{see: func(_ *broken, r *triage.StepResult) {
			r.Observation = triage.Observation{Desk: &triage.DeskObservation{}}
		}}, "reset", "another track"},
		{"no end", "steps", "queue-easy", broken{see: func(_ *broken, r *triage.StepResult) { r.Done = false }}, "steps", "done is false"},
		{"an early end", "steps", "desk-medium", broken{see: func(_ *broken, r *triage.StepResult) { r.Done = true }}, "steps", "the reset ends the episode"},
		{"a reward that is none", "steps", "desk-easy", broken{see: func(_ *broken, r *triage.StepResult) { r.Reward = math.NaN() }}, "steps", "reward NaN"},
		{"steps that do not count", "steps", "queue-easy", broken{state: func(s triage.State) triage.State { s.StepCount = 0; return s }}, "steps", "at step 0, done false, where"},
		{"a step before a reset", "wrong", "desk-easy", broken{step: func(b *broken, ctx context.Context, a triage.Action) (triage.StepResult, error) {
			r, err := b.Env.Step(ctx, a)
			if triage.CodeOf(err) == triage.CodeNotReset {
				return r, nil
			}
			return r, err
		}}, "out-of-turn", "a step before a reset gives <nil>"},
		{"a step after the end", "wrong", "desk-easy", broken{step: func(b *broken, ctx context.Context, a triage.Action) (triage.StepResult, error) {
			r, err := b.Env.Step(ctx, a)
			if triage.CodeOf(err) == triage.CodeDone {
				return r, errors.New("no")
			}
			return r, err
		}}, "out-of-turn", "a step after the end gives no"},
		{"wrong values that are taken", "wrong", "queue-easy", broken{step: func(b *broken, ctx context.Context, a triage.Action) (triage.StepResult, error) {
			r, err := b.Env.Step(ctx, a)
			if triage.CodeOf(err) == triage.CodeInvalid {
				return r, nil
			}
			return r, err
		}}, "wrong-values", "gives <nil>"},
		{"wrong values that change the state", "wrong", "queue-easy", broken{step: func(b *broken, ctx context.Context, a triage.Action) (triage.StepResult, error) {
			r, err := b.Env.Step(ctx, a)
			if triage.CodeOf(err) == triage.CodeInvalid {
				_, _ = b.Env.Step(ctx, triage.Action{})
			}
			return r, err
		}}, "wrong-values", ""},
		{"wrong options that are taken", "wrong", "queue-easy", broken{reset: func(b *broken, ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
			o.Seed, o.Tickets = max(0, o.Seed), 0
			return b.Env.Reset(ctx, o)
		}}, "wrong-options", "Seed:-1"},
		{"on_invalid is ignored", "wrong", "desk-hard", broken{reset: func(b *broken, ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
			if o.OnInvalid == triage.InvalidIsEmpty {
				o.OnInvalid = ""
			}
			return b.Env.Reset(ctx, o)
		}}, "on-invalid-empty", "there is no such field"},
		{"observations that vary", "seeds", "desk-easy", broken{see: desk(func(o *triage.DeskObservation) { o.CustomerName += fmt.Sprint(drawn.Add(1)) })}, "same-seed parallel", "another episode"},
		{"a seed that is ignored", "seeds", "desk-easy", broken{reset: func(b *broken, ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
			o.Seed = 1
			return b.Env.Reset(ctx, o)
		}}, "same-seed", "seeds 42 and 43 begin with the same observation"},
		{"a text that JSON cannot hold", "models", "desk-easy", broken{see: desk(func(o *triage.DeskObservation) { o.IssueText = "a\xff" })}, "round-trip", "another value"},
		{"a number that the schema does not allow", "models", "desk-easy", broken{see: desk(func(o *triage.DeskObservation) { o.WaitTimeHours = -1 })}, "schemas", "wait_time_hours"},
		{"a part over 1", "graders", "queue-easy", broken{last: func(s triage.Score) triage.Score { s.Parts[0].Value = 1.2; return s }}, "parts", "value 1.2"},
		{"weights that do not sum up", "graders", "desk-medium", broken{last: func(s triage.Score) triage.Score { s.Parts[0].Weight = 0.5; return s }}, "parts", "the weights sum to"},
		{"parts of other names", "graders", "desk-hard", broken{last: func(s triage.Score) triage.Score { s.Parts = s.Parts[:2]; return s }}, "parts", "where [category priority department recommendation] are due"},
		{"all or nothing", "graders", "desk-hard", broken{summary: func(s triage.Summary) triage.Summary { s.Score = math.Floor(s.Score); return s }}, "partial-credit", "alone scores 0"},
		{"something for nothing", "graders", "queue-easy", broken{summary: func(s triage.Summary) triage.Summary { s.Score = max(s.Score, 0.1); return s }}, "partial-credit", "empty ones 0.1"},
		{"steps that pay more", "rewards", "queue-easy", broken{see: func(_ *broken, r *triage.StepResult) { r.Reward *= 1.01 }}, "reward", "where"},
		{"a desk that pays early", "rewards", "desk-medium", broken{see: func(b *broken, r *triage.StepResult) {
			if !r.Done && b.steps > 1 {
				r.Reward = 0.1
			}
		}}, "reward", "step 1: reward is 0.1, where 0 is due"},
		{"a total of its own", "rewards", "desk-medium", broken{last: func(s triage.Score) triage.Score { s.Total += 0.01; return s }}, "reward", "total is"},
		{"a part of its own", "rewards", "queue-medium", broken{last: func(s triage.Score) triage.Score { s.Parts[3].Value /= 2; return s }}, "reward", "the parts are"},
		{"an efficiency of its own", "rewards", "queue-medium", broken{summary: func(s triage.Summary) triage.Summary { s.Efficiency /= 2; return s }}, "reward", "efficiency is"},
		{"scores that are others now", "scores", "desk-easy", broken{summary: func(s triage.Summary) triage.Summary { s.Score /= 2; return s }}, "committed-scores", "are committed"},
		{"a field that the design does not name", "leaks", "desk-easy", broken{see: func(_ *broken, r *triage.StepResult) {
			r.Observation = triage.Observation{Dataset: &triage.DatasetObservation{Fields: map[string]string{"truth": "Bug"}}}
		}}, "no-leak/fields no-leak/words", "an observation has"},
		{"a message that tells", "leaks", "desk-easy", broken{see: func(b *broken, r *triage.StepResult) {
			if truth, ok := b.Truth(); ok {
				desk(func(o *triage.DeskObservation) { o.Message += string(truth.Desk.Category) })(b, r)
			}
		}}, "no-leak/words", "message differs from seed to seed"},
		{"an error that tells", "leaks", "desk-easy", broken{step: func(b *broken, ctx context.Context, a triage.Action) (triage.StepResult, error) {
			truth, _ := b.Truth()
			r, err := b.Env.Step(ctx, a)
			if err != nil && truth.Desk != nil {
				err = fmt.Errorf("%w (%s)", err, truth.Desk.Category)
			}
			return r, err
		}}, "no-leak/words", "the error of"},
		{"an id that tells", "leaks", "desk-easy", broken{see: desk(func(o *triage.DeskObservation) { o.TicketID = "BUG-1" })}, "no-leak/words", `"BUG-1"`},
		{"a placeholder that tells", "leaks", "desk-easy", broken{see: desk(func(o *triage.DeskObservation) { o.IssueType = o.IssueText[:3] })}, "no-leak/words", "issue_type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			task, err := triage.TaskByName(tt.task)
			if err != nil {
				t.Fatal(err)
			}
			failed, says := fails(validate.Group(t.Context(), tt.group, breaking(deps(t), tt.fault), task, 42), tt.task)
			if failed != tt.failed || !strings.Contains(says, tt.says) {
				t.Errorf("failed %q, want %q; seen %q, want %q in it", failed, tt.failed, says, tt.says)
			}
		})
	}
}

// fails gives the names of the checks of a task that do not hold, and what they have seen.
func fails(checks []triage.Check, task string) (names, seen string) {
	for _, c := range checks {
		if c.Skipped == "" && !c.Passed {
			names += " " + strings.TrimPrefix(c.ID, task+"/")
			seen += c.Seen + "\n"
		}
	}
	return strings.TrimSpace(names), seen
}

func TestAProcessThatPlaysAnotherEpisodeIsFound(t *testing.T) {
	t.Parallel()
	task, err := triage.TaskByName("desk-easy")
	if err != nil {
		t.Fatal(err)
	}
	d := deps(t)
	right := func(ctx context.Context, task triage.Task, seed int64) (string, error) {
		e, err := d.NewEnv(task, triage.Test)
		if err != nil {
			return "", err
		}
		a, err := d.NewAgent("random")
		if err != nil {
			return "", err
		}
		return validate.Fingerprint(ctx, e, a, task, seed)
	}
	for want, elsewhere := range map[string]func(context.Context, triage.Task, int64) (string, error){
		"": right,
		"processes": func(ctx context.Context, task triage.Task, seed int64) (string, error) {
			return right(ctx, task, seed+1)
		},
	} {
		d.Elsewhere = elsewhere
		if got, _ := fails(validate.Group(t.Context(), "seeds", d, task, 42), task.Name); got != want {
			t.Errorf("failed %q, want %q", got, want)
		}
	}
	d.Elsewhere = func(context.Context, triage.Task, int64) (string, error) { return "", errors.New("no process") }
	if got, seen := fails(validate.Group(t.Context(), "seeds", d, task, 42), task.Name); got != "processes" || !strings.Contains(seen, "no process") {
		t.Errorf("failed %q: %s", got, seen)
	}
}

func TestCommittedScoresAreHeldAgainstTargets(t *testing.T) {
	t.Parallel()
	task, err := triage.TaskByName("queue-easy")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, old, new string
		failed, says   string
	}{
		{"another generator", `"generator": "`, `"generator": "x`, "committed-scores target", `is of generator "x`},
		{"no JSON", "{", "", "committed-scores target", "heuristic.json"},
		{"no such task", `"queue-easy"`, `"queue-simple"`, "committed-scores target", "has no queue-easy"},
		{"a mean that is not that of the episodes", `"mean": 0.98`, `"mean": 0.88`, "committed-scores", "committed are 10 of"},
		{"under the target", `"mean": 0.98`, `"mean": 0.18`, "committed-scores target", "heuristic: 0.1"},
		{"another target", `"target": 0.85`, `"target": 0.1`, "committed-scores", "target 0.1"},
	} {
		d := deps(t)
		files := fstest.MapFS{}
		for _, name := range []string{"constant", "keyword", "heuristic", "oracle"} {
			data, err := fs.ReadFile(d.Scores, name+".json")
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if name == "heuristic" {
				if !strings.Contains(text, tt.old) {
					t.Fatalf("%s: the results do not hold %q", tt.name, tt.old)
				}
				text = strings.ReplaceAll(text, tt.old, tt.new)
			}
			files[name+".json"] = &fstest.MapFile{Data: []byte(text)}
		}
		d.Scores = files
		if got, seen := fails(validate.Group(t.Context(), "scores", d, task, 42), task.Name); got != tt.failed && got != "committed-scores" || !strings.Contains(seen, tt.says) {
			t.Errorf("%s: failed %q, want %q; seen %q, want %q in it", tt.name, got, tt.failed, seen, tt.says)
		}
	}
	d := deps(t)
	d.Scores = fstest.MapFS{}
	if got, _ := fails(validate.Group(t.Context(), "scores", d, task, 42), task.Name); got != "committed-scores target" {
		t.Errorf("no scores: failed %q", got)
	}
}

func TestDegenerateAgentsOverTheirCeilingsAreFound(t *testing.T) {
	t.Parallel()
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	for says, floors := range map[string][]string{"oracle earns 1.000": {"constant", "oracle"}, "there are no degenerate agents": nil, "unknown agent": {"nobody"}} {
		d := deps(t)
		d.Floors = func(triage.Track) []string { return floors }
		if got, seen := fails(validate.Group(t.Context(), "degenerate", d, task, 42), task.Name); got != "degenerate" || !strings.Contains(seen, says) {
			t.Errorf("%v: failed %q: %s", floors, got, seen)
		}
	}
}

func TestTracksWithoutTheirTasksAreFound(t *testing.T) {
	t.Parallel()
	for says, newEnv := range map[string]func(triage.Task, triage.Split) (triage.Env, error){
		"out of order":                 func(triage.Task, triage.Split) (triage.Env, error) { return nil, errors.New("out of order") },
		"its environment cannot grade": func(triage.Task, triage.Split) (triage.Env, error) { return &triagetest.Env{}, nil },
	} {
		d := deps(t)
		d.NewEnv = newEnv
		if got, seen := fails(validate.CheckTasks(d), ""); got != "tasks/queue tasks/desk" || !strings.Contains(seen, says) {
			t.Errorf("failed %q: %s, want %s", got, seen, says)
		}
	}
}

func TestAHandbookThatGradersDoNotFollowIsFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, new, failed, says string }{
		{"| urgency high | 50 |", "| urgency high | 51 |", "handbook/queue", "by the text"},
		{"| high | the deadline is hours away |", "| medium | the deadline is hours away |", "handbook/queue", "medium"},
		{"| high | the deadline is hours away |", "| high | somebody is angry |", "handbook/text handbook/queue", "somebody is angry"},
		{"| tier pro | 4 |", "| tier pro | four |", "handbook/text handbook/queue", `"four" is no number`},
		{"wait under 4 hours", "wait under 5 hours", "handbook/queue", ""},
		{"- **medium**: one team", "- **medium**: two teams", "handbook/queue", ""},
		{"Spam is low.", "Spam is high.", "handbook/text", "Spam is low"},
		{"| Bug | 4 | blocked |", "| Bug | 3 | blocked |", "handbook/desk", ""},
		{"| else sentiment at or under −0.4 | 1 |", "| sentiment at or under −0.4 | 1 |", "handbook/desk", ""},
		{"0–1 Low, 2–3 Medium", "0–2 Low, 3–3 Medium", "handbook/desk", ""},
		{"at or under −0.9, is Critical", "at or under −0.95, is Critical", "handbook/desk", ""},
		{"one day less from 24 hours", "one day less from 36 hours", "handbook/desk", ""},
		{"Question: Support.", "Question: Product.", "handbook/desk handbook/departments", ""},
		{"sentiment at or under −0.6 or a wait", "sentiment at or under −0.7 or a wait", "handbook/desk handbook/departments", ""},
		{"- Bug: investigate", "- Bug: ponder, investigate", "handbook/recommendation", "ponder"},
		{"**Kind** (0.3)", "**Kind** (0.4)", "handbook/recommendation", "(0.3)"},
		{"| category | points | when |", "| category | points | if |", "handbook/text handbook/desk", "there is no table"},
	} {
		text := handbook.Text()
		if !strings.Contains(text, tt.old) {
			t.Errorf("the handbook does not hold %q", tt.old)
		}
		if got, seen := fails(validate.CheckHandbook(strings.Replace(text, tt.old, tt.new, 1)), ""); got != tt.failed || !strings.Contains(seen, tt.says) {
			t.Errorf("%q: failed %q, want %q; seen %s, want %s in it", tt.new, got, tt.failed, seen, tt.says)
		}
	}
	if got, _ := fails(validate.CheckHandbook(""), ""); got != "handbook/text handbook/queue handbook/desk handbook/departments handbook/recommendation" {
		t.Errorf("no handbook: failed %q", got)
	}
}
