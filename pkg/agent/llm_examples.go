package agent

import (
	"context"
	"fmt"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/triage"
)

// Example is a ticket with its right answer, to be shown to a model before the ticket that it is asked about.
type Example struct {
	Observation triage.Observation
	Action      triage.Action
}

// pairs renders the examples of a task, each as a question and its answer.
func (a *LLM) pairs(task string) ([]llm.Message, error) {
	examples := a.options.Examples[task]
	var out []llm.Message
	for i, e := range examples {
		pair, err := a.pair(task, e, len(examples))
		if err != nil {
			return nil, fmt.Errorf("example %d of task %s: %w", i+1, task, err)
		}
		out = append(out, pair...)
	}
	return out, nil
}

// pair renders an example in the words in which the model is asked itself. The answer has the fields that the task asks for,
// in their order.
func (a *LLM) pair(task string, e Example, examples int) ([]llm.Message, error) {
	k, err := kitOf(e.Observation, !a.options.NoHandbook)
	if err != nil {
		return nil, err
	}
	if k.task != task {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("it is of the task %s", k.task)}
	}
	_, user, err := a.prompt.render(k.data(e.Observation, examples))
	if err != nil {
		return nil, err
	}
	if err := e.Action.Validate(k.track, k.labels()); err != nil {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: "its answer is wrong", Err: err}
	}
	var all triage.Encoder
	all.Action(&e.Action)
	members, err := triage.AppendMembers(nil, all.Buf)
	if err != nil {
		return nil, err
	}
	answer := []byte{'{'}
	for _, f := range k.fields {
		for _, m := range members {
			if string(m.Key) != f.Name {
				continue
			}
			if len(answer) > 1 {
				answer = append(answer, ',')
			}
			answer = append(append(append(answer, quoted(f.Name)...), ':'), m.Value...)
		}
	}
	answer = append(answer, '}')
	return []llm.Message{{Role: llm.User, Content: user}, {Role: llm.Assistant, Content: string(answer)}}, nil
}

// mostTried is how many episodes are looked at for one more example of another kind.
const mostTried = 24

// TrainExamples takes n examples from an environment of the train split, which it resets. An environment of another split is
// refused: what is played must not be shown. They are the first tickets of the episodes with the seeds [triage.MaxSeed],
// [triage.MaxSeed] − 1 …, so that a run over low seeds of train meets none of them; as long as there are routes or categories
// without an example, tickets of others are passed over. n is 0 or more; equal environments give equal examples.
func TrainExamples(ctx context.Context, e triage.Env, n int) ([]Example, error) {
	var oracle Oracle
	if err := oracle.Attach(e); err != nil {
		return nil, err
	}
	out := []Example{}
	seen := map[string]int{}
	seed := triage.MaxSeed
	for len(out) < n {
		var best Example
		for try := range mostTried {
			x, err := example(ctx, e, &oracle, seed)
			if err != nil {
				return nil, fmt.Errorf("examples: %w", err)
			}
			seed--
			if try == 0 || seen[kindOf(x)] < seen[kindOf(best)] {
				best = x
			}
			if seen[kindOf(best)] == fewest(seen, x.Action.Track) {
				break
			}
		}
		seen[kindOf(best)]++
		out = append(out, best)
	}
	return out, nil
}

func example(ctx context.Context, e triage.Env, oracle *Oracle, seed int64) (Example, error) {
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: seed, Split: triage.Train})
	if err != nil {
		return Example{}, err
	}
	if split := e.State().Split; split != triage.Train {
		return Example{}, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("they come from the split %s, not %s", triage.Train, split)}
	}
	action, err := oracle.Act(ctx, r.Observation)
	return Example{Observation: r.Observation, Action: action}, err
}

func kindOf(e Example) string {
	if e.Action.Track == triage.Desk {
		return string(e.Action.Desk.Category)
	}
	return string(e.Action.Queue.Route)
}

// fewest is how many examples the kind has that has the fewest.
func fewest(seen map[string]int, track triage.Track) int {
	kinds := words(triage.Routes())
	if track == triage.Desk {
		kinds = words(triage.Categories())
	}
	out := seen[kinds[0]]
	for _, k := range kinds {
		out = min(out, seen[k])
	}
	return out
}
