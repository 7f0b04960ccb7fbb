package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// shownRefusals is how many refused answers of an agent on a task are printed with their reasons.
const shownRefusals = 2

// refusal is an answer that was refused.
type refusal struct {
	place, step int
	text        string
}

// noteRefusals keeps the first answers in the plan's order that were refused, so that a person sees why without the run's log. Why
// the replies of models could not be read is counted elsewhere.
func (c *cast) noteRefusals(place int, ep *triage.Episode) {
	for i := range ep.Steps {
		s := &ep.Steps[i]
		if s.Error == "" || s.Reply != nil {
			continue
		}
		if c.refusals == nil {
			c.refusals = map[results.Pair][]refusal{}
		}
		pair := results.Pair{Agent: ep.Key.Agent, Task: ep.Key.Task}
		list := append(c.refusals[pair], refusal{place, i, fmt.Sprintf("%s, step %d: %s", ep.Key, i, s.Error)})
		slices.SortFunc(list, func(a, b refusal) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.step, b.step)) })
		c.refusals[pair] = list[:min(len(list), shownRefusals)]
	}
}

// refusalLines are the kept refusals, in the order of the tables.
func (c *cast) refusalLines(agents []agentResult) []string {
	var out []string
	for _, a := range agents {
		for i := range a.Tasks {
			for _, r := range c.refusals[results.Pair{Agent: a.Agent, Task: a.Tasks[i].Task.Name}] {
				out = append(out, "Refused: "+r.text)
			}
		}
	}
	return out
}
