package audit

import (
	"context"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

// fault is one thing that is broken on purpose, with the check that must find it.
type fault struct {
	name, task, check string
	list              []section
	d                 func(Deps) Deps
}

// TestWhatIsBrokenFailsItsCheck breaks one thing at a time: an audit that nothing can fail would be worth nothing.
func TestWhatIsBrokenFailsItsCheck(t *testing.T) {
	t.Parallel()
	for _, f := range append(append(brokenGrading(), brokenSteps()...), leaks()...) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			o := small(t, f.task)
			if f.check == nameTable {
				o.Train = 3000 // some tickets of each scenario, of 200 too
			}
			checks, err := run(t.Context(), f.d(deps(t)), o, f.list)
			if err != nil {
				t.Fatal(err)
			}
			got := find(t, checks, f.task+"/"+f.check)
			if got.Passed || got.Printed || got.Skipped != "" {
				t.Errorf("the check holds: %+v", got)
			}
			if checks, err = run(t.Context(), deps(t), o, f.list); err != nil {
				t.Fatal(err)
			}
			whole := find(t, checks, f.task+"/"+f.check)
			if whole.Seen == got.Seen || !whole.Passed && !dependsOnBank[f.check] {
				t.Errorf("without the fault it fails or sees the same: %+v", whole)
			}
		})
	}
}

// dependsOnBank are checks that may fail without a fault too: the bank and the agents change, and few tickets are noisy.
var dependsOnBank = map[string]bool{"heuristic:lead": true, "train-table": true, "phrasebook:private": true,
	"tree:ids:route": true, "tree:lengths:category": true}

var (
	floor   = section{enterBlind, judgeBlind}
	readers = section{enterReaders, judgeReaders}
	idlers  = section{enterIdlers, judgeIdlers}
)

// scoring is a fault of what an episode comes to.
func scoring(change func(s *triage.Summary)) func(Deps) Deps {
	return func(d Deps) Deps {
		return breaking(d, broken{score: func(s triage.Summary) triage.Summary { change(&s); return s }})
	}
}

// stepping is a fault of the step.
func stepping(step func(*broken, triage.Action) (triage.StepResult, error)) func(Deps) Deps {
	return func(d Deps) Deps { return breaking(d, broken{step: step}) }
}

func brokenGrading() []fault {
	return []fault{
		{"random answers earn a third", "queue-hard", "random", []section{floor}, scoring(func(s *triage.Summary) { s.Score = max(s.Score, 0.33) })},
		{"the truth is graded down", "desk-easy", "oracle", []section{readers}, scoring(func(s *triage.Summary) { s.Score *= 0.9 })},
		{"no answer earns all", "desk-easy", "idle:empty", []section{floor, idlers}, scoring(func(s *triage.Summary) {
			if s.Truncated {
				s.Score = 1
			}
		})},
		{"any recommendation is good", "desk-hard", "recommendation:every-kind", []section{{enterRecommenders, judgeRecommenders}}, func(d Deps) Deps {
			return breaking(d, broken{last: func(s *triage.Score) *triage.Score {
				out := triage.Score{Total: s.Total, Parts: append([]triage.Part(nil), s.Parts...)}
				for i := range out.Parts {
					if out.Parts[i].Name == grade.PartRecommendation {
						out.Parts[i].Value = 1
					}
				}
				return &out
			}})
		}},
		{"the rules are the word lists", "queue-hard", "heuristic:lead", []section{readers}, func(d Deps) Deps {
			whole := d.NewAgent
			d.NewAgent = func(name string) (triage.Agent, error) {
				if name == nameHeuristic {
					name = nameKeyword
				}
				return whole(name)
			}
			return d
		}},
	}
}

func brokenSteps() []fault {
	ctx := context.Background()
	return []fault{
		{"the route is ignored", "queue-easy", "constant", []section{floor}, stepping(func(b *broken, a triage.Action) (triage.StepResult, error) {
			if t, ok := b.Truth(); ok {
				a.Queue.Route = t.Queue.Route
			}
			return b.Env.Step(ctx, a)
		})},
		{"wrong values are taken", "queue-medium", "idle:flood:refused", []section{floor, idlers}, stepping(lenient)},
		{"wrong values earn something", "queue-medium", "idle:wrong-values", []section{floor, idlers}, stepping(lenient)},
		{"steps after the end pay", "desk-easy", "idle:repeats", []section{floor, idlers}, stepping(func(b *broken, a triage.Action) (triage.StepResult, error) {
			if b.done {
				return triage.StepResult{Reward: 0.1, Done: true}, nil
			}
			return b.Env.Step(ctx, a)
		})},
	}
}

func leaks() []fault {
	regenerators := []section{{enterRegenerator, judgeRegenerator}}
	return []fault{
		{"the form is always right", "queue-hard", "field:selected_category", []section{{enterFields, judgeFields}}, leakingForm},
		{"test is made of train's sentences", "queue-hard", "train-table", []section{readers, {enterTable, judgeTable}},
			playing(func(_ triage.Split, secret []byte) (triage.Split, []byte) { return triage.Train, secret })},
		{"the secret is ignored", "queue-easy", "regenerator:secret", regenerators,
			playing(func(s triage.Split, _ []byte) (triage.Split, []byte) { return s, nil })},
		{"the seed does not decide", "queue-easy", "regenerator:open", regenerators, func(d Deps) Deps {
			whole := d.Source
			d.Source = func(task triage.Task, split triage.Split) (Tickets, error) {
				s, err := whole(task, split)
				return func(seed int64, position int) *triage.Case { return s(seed+1, position) }, err
			}
			return d
		}},
		{"the private bank is the public one", "queue-hard", "phrasebook:private", []section{readers, {enterPhrasebook, judgePhrasebook}},
			func(d Deps) Deps { d.Outside = d.Bank; return d }},
		{"ids tell the label", "queue-easy", "tree:ids:route", []section{{nil, judgeTree}}, func(d Deps) Deps { return leakingSource(d, true) }},
		{"lengths tell the label", "desk-easy", "tree:lengths:category", []section{{nil, judgeTree}}, func(d Deps) Deps { return leakingSource(d, false) }},
	}
}

// playing makes environments with another split or secret than they are asked for.
func playing(change func(triage.Split, []byte) (triage.Split, []byte)) func(Deps) Deps {
	return func(d Deps) Deps {
		whole := d.NewEnv
		d.NewEnv = func(task triage.Task, split triage.Split, secret []byte) (triage.Env, error) {
			split, secret = change(split, secret)
			return whole(task, split, secret)
		}
		return d
	}
}

// lenient takes what an environment must refuse for half an answer.
func lenient(b *broken, a triage.Action) (triage.StepResult, error) {
	r, err := b.Env.Step(context.Background(), a)
	if triage.CodeOf(err) == triage.CodeInvalid {
		return b.Env.Step(context.Background(), triage.Action{Track: triage.Queue,
			Queue: triage.QueueAction{Urgency: triage.UrgencyMedium, Difficulty: triage.ResolutionMedium}})
	}
	return r, err
}

// leakingForm shows the right route as the category that the customer picked.
func leakingForm(d Deps) Deps {
	whole := d.NewEnv
	d.NewEnv = func(task triage.Task, split triage.Split, secret []byte) (triage.Env, error) {
		e, err := whole(task, split, secret)
		b := &broken{Env: e}
		b.look = func(o *triage.Observation) {
			if t, ok := b.Truth(); ok {
				q, ticket := *o.Queue, *o.Queue.Ticket
				ticket.Metadata.SelectedCategory = t.Queue.Route
				q.Ticket, o.Queue = &ticket, &q
			}
		}
		return b, err
	}
	return d
}

// leakingSource makes tickets whose id or text length tells the label.
func leakingSource(d Deps, ids bool) Deps {
	whole := d.Source
	d.Source = func(task triage.Task, split triage.Split) (Tickets, error) {
		s, err := whole(task, split)
		return func(seed int64, position int) *triage.Case {
			c := *s(seed, position)
			if ids {
				c.Ticket.ID = c.Ticket.ID[:len(c.Ticket.ID)-1] + string(rune('0'+place(triage.Routes(), c.Truth.Queue.Route)))
			} else {
				c.Ticket.Body += strings.Repeat(" ", 5000*place(triage.Categories(), c.Truth.Desk.Category))
			}
			return &c
		}, err
	}
	return d
}
