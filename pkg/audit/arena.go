package audit

import (
	"context"
	"fmt"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// arena is one task of an audit: who plays it and what came out.
type arena struct {
	*audit
	task triage.Task
	// constant is the answer of the constant agent: what an attack says where it knows nothing.
	constant   triage.Action
	contenders []contender
	results    map[string][]outcome // by contender, an entry an episode
	// train are train tickets with their truth, as a user of the benchmark has them.
	train []triage.Case
	// shown are tickets as a server shows them, by episode, with the truth that was made for them.
	shown [][]triage.Case
}

// contender is one attack on one task. Exactly one of agent and attack is set.
type contender struct {
	name string // the last part of the ids of its checks
	// secret is that of the environment it plays.
	secret []byte
	// agent makes an agent that plays by the usual loop; each worker makes its own.
	agent func() (triage.Agent, error)
	// attack plays an episode by its own rules. Several workers call it at once.
	attack func(ctx context.Context, e triage.Env, key triage.Key) (outcome, error)
}

// outcome is what one episode of a contender came to.
type outcome struct {
	score          float64 // queue: mean ticket reward; desk: correctness
	reward         float64 // what the steps paid in all
	recommendation float64 // value of that part, 0 where it is not graded
	accepted       int     // wrong values that the environment took
	refused        int     // wrong values sent in a row that it did not take
}

// arena prepares a task.
func (a *audit) arena(ctx context.Context, task triage.Task) (*arena, error) {
	ar := &arena{audit: a, task: task, results: map[string][]outcome{}}
	var err error
	if ar.constant, err = a.constantAnswer(ctx, task); err != nil {
		return nil, err
	}
	if ar.train, err = ar.sample(triage.Train, learnSeed(a.Seed), a.Train); err != nil {
		return nil, err
	}
	return ar, nil
}

// constantAnswer is what the constant agent answers to any ticket of a task.
func (d *Deps) constantAnswer(ctx context.Context, task triage.Task) (triage.Action, error) {
	c, err := d.NewAgent(nameConstant)
	if err != nil {
		return triage.Action{}, err
	}
	o := triage.Observation{Queue: &triage.QueueObservation{Task: task.Name}}
	if task.Track == triage.Desk {
		o = triage.Observation{Desk: &triage.DeskObservation{TaskDifficulty: task.Difficulty}}
	}
	return c.Act(ctx, o)
}

// The seeds of tickets that attacks learn from and of those that a sample is measured on. They never overlap, and follow
// the audit's seed as far as no seed gets too large.
const seedRange = int64(1) << 40

func learnSeed(seed int64) int64   { return 2*seedRange + seed%seedRange }
func measureSeed(seed int64) int64 { return 4*seedRange + seed%seedRange }

// sample makes n tickets, whole episodes from a seed on, with all workers.
func (a *arena) sample(split triage.Split, seed int64, n int) ([]triage.Case, error) {
	tickets, err := a.Source(a.task, split)
	if err != nil {
		return nil, err
	}
	out := make([]triage.Case, n)
	var wg sync.WaitGroup
	for w := range a.Workers {
		wg.Go(func() {
			for i := w; i < n; i += a.Workers {
				out[i] = *tickets(seed+int64(i/a.task.Tickets), i%a.task.Tickets)
			}
		})
	}
	wg.Wait()
	return out, nil
}

// enter collects the contenders of all sections.
func (a *arena) enter(list []section) error {
	seen := map[string]bool{}
	for _, s := range list {
		if s.enter == nil {
			continue
		}
		more, err := s.enter(a)
		if err != nil {
			return err
		}
		for _, c := range more {
			if seen[c.name] {
				return fmt.Errorf("two contenders are called %q", c.name)
			}
			seen[c.name] = true
		}
		a.contenders = append(a.contenders, more...)
	}
	return nil
}

// named makes the contender of an agent that is made by its name.
func (a *arena) named(name string) contender {
	return contender{name: name, secret: a.Secret, agent: func() (triage.Agent, error) { return a.NewAgent(name) }}
}
