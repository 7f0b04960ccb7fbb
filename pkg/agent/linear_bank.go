package agent

import (
	"context"
	"fmt"

	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/triage"
)

// The labels that are learned from the bank. A kind is a desk ticket's category with its points, see [deskKinds]: the rest of a
// desk answer follows from it by the handbook's arithmetic.
const (
	bankRoute, bankUrgency, bankDifficulty, bankKind = "route", "urgency", "difficulty", "kind"
)

// LinearBankLabels names the labels that a model of the bank has.
func LinearBankLabels() []string { return []string{bankRoute, bankUrgency, bankDifficulty, bankKind} }

// linearBankValues are the values of such a label, in the order of the vocabulary.
func linearBankValues(label string) []string {
	switch label {
	case bankRoute:
		return words(triage.Routes())
	case bankUrgency:
		return words(triage.Urgencies())
	case bankDifficulty:
		return words(triage.Resolutions())
	case bankKind:
		var out []string
		for _, k := range deskKinds() {
			out = append(out, fmt.Sprintf("%s %d", k.category, k.points))
		}
		return out
	}
	return nil
}

// LinearSet is what a model of the bank is trained on.
type LinearSet struct {
	Examples []linear.Example
	Labels   []linear.Labels
}

// The seeds of training begin here: no example and no committed result uses them.
const linearFirstSeed = 1_000_000

// LinearBankSet plays n tickets of each task of the train split, as an agent sees them, and collects them with their right answers.
// newEnv makes the environment of a task; one of another split, or one that does not tell the truth, is refused. progress, if any,
// is told how many tickets are there of how many. Tickets of one scenario are a group: what is said of them is known of all.
func LinearBankSet(ctx context.Context, newEnv func(task string) (triage.Env, error), n int, progress func(done, total int)) (*LinearSet, error) {
	s := &LinearSet{}
	for _, name := range LinearBankLabels() {
		s.Labels = append(s.Labels, linear.Labels{Name: name, Values: linearBankValues(name)})
	}
	tasks := triage.Tasks()
	for i, t := range tasks {
		e, err := newEnv(t.Name)
		if err != nil {
			return nil, err
		}
		told := func(done int) {
			if progress != nil {
				progress(i*n+done, len(tasks)*n)
			}
		}
		if err := s.draw(ctx, e, n, told); err != nil {
			return nil, fmt.Errorf("train on %s: %w", t.Name, err)
		}
	}
	return s, nil
}

// draw adds n tickets of a task.
func (s *LinearSet) draw(ctx context.Context, e triage.Env, n int, told func(done int)) error {
	knower, ok := e.(triage.Knower)
	if !ok {
		return &triage.Error{Code: triage.CodeUsage, Message: "the environment does not tell the truth: only local ones can be learned from"}
	}
	oracle := &Oracle{knower: knower}
	done := 0
	for seed := int64(linearFirstSeed); done < n; seed++ {
		r, err := e.Reset(ctx, triage.ResetOptions{Seed: seed, Split: triage.Train})
		if err != nil {
			return err
		}
		if split := e.State().Split; split != triage.Train {
			return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("the environment plays the split %s, not %s", split, triage.Train)}
		}
		for !r.Done && done < n {
			o := r.Observation
			truth, ok := knower.Truth()
			if !ok {
				return &triage.Error{Code: triage.CodeUsage, Message: "the environment does not tell the truth of its tickets"}
			}
			answer, err := oracle.Act(ctx, o) // a complete one goes on to the next ticket
			if err != nil {
				return err
			}
			if r, err = e.Step(ctx, answer); err != nil {
				return err
			}
			group := ""
			if d, ok := e.(triage.Describer); ok {
				if about := d.About(); about != nil {
					group = about.Scenario
				}
			}
			s.add(o, &truth, group)
			done++
			told(done)
		}
	}
	return nil
}

// add adds a ticket. Labels that it does not have, or does not tell, are left out.
func (s *LinearSet) add(o triage.Observation, t *triage.Truth, group string) {
	x := LinearFeatures(o)
	x.Group = group
	s.Examples = append(s.Examples, x)
	of := map[string]int{bankRoute: linear.NoLabel, bankUrgency: linear.NoLabel, bankDifficulty: linear.NoLabel, bankKind: linear.NoLabel}
	switch {
	case o.Queue != nil && t.Queue != nil:
		for i, r := range triage.Routes() {
			if r == t.Queue.Route {
				of[bankRoute] = i
			}
		}
		if t.Queue.Route != triage.Spam { // its urgency and difficulty follow from the route
			of[bankUrgency], of[bankDifficulty] = t.Queue.Urgency.Level(), t.Queue.Difficulty.Level()
		}
	case o.Desk != nil && t.Desk != nil:
		if place, ok := kindOfTruth(o.Desk, t.Desk); ok {
			of[bankKind] = place
		}
	}
	for i := range s.Labels {
		s.Labels[i].Of = append(s.Labels[i].Of, of[s.Labels[i].Name])
	}
}

// LinearBankTickets is how many tickets of each task the embedded model was trained on.
const LinearBankTickets = 4000

// linearBankOptions were chosen by cross-validation on the train split, with the tickets of a scenario in one fold: words and pairs
// of words do better on scenarios that were not seen than n-grams of characters do, as the bank's texts have few endings and many
// phrases. MaxFeatures keeps the embedded file small.
func linearBankOptions() linear.Options {
	return linear.Options{Words: 2, Chars: -1, C: 1, Bits: 18, MinExamples: 5, MaxFeatures: 12000}
}

// TrainLinearBank trains a model of the bank on n tickets of each task, see [LinearBankSet]; source is the version of the tickets'
// generator. Equal environments give equal models, whatever the number of workers (0: one a processor).
func TrainLinearBank(ctx context.Context, newEnv func(task string) (triage.Env, error), source string, n, workers int, progress func(what string, done, total int)) (*LinearModel, linear.Report, error) {
	told := func(what string) func(done, total int) {
		return func(done, total int) {
			if progress != nil {
				progress(what, done, total)
			}
		}
	}
	set, err := LinearBankSet(ctx, newEnv, n, told("tickets"))
	if err != nil {
		return nil, linear.Report{}, err
	}
	opt := linearBankOptions()
	opt.Workers, opt.Progress = workers, told("training")
	b, report, err := linear.Train(ctx, set.Examples, set.Labels, opt)
	if err != nil {
		return nil, report, err
	}
	return &LinearModel{Bundle: b, About: LinearAbout{Bank: true, Source: source, Tickets: len(set.Examples)}}, report, nil
}
