package export

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/triage"
)

// inspectTally sums up what each ticket earned, by score and part.
type inspectTally struct {
	names              []string // scoreName, then the parts
	order              []*inspectTicket
	by                 map[string]*inspectTicket
	planned, completed int // samples
}

// inspectTicket is a ticket over its trials.
type inspectTicket struct {
	scenario string
	trials   int
	sums     map[string]float64
}

// scoreName is what the log calls the total.
const scoreName = "score"

func newInspectTally() inspectTally {
	return inspectTally{names: []string{scoreName}, by: map[string]*inspectTicket{}}
}

func (y *inspectTally) of(id string) *inspectTicket {
	t := y.by[id]
	if t == nil {
		t = &inspectTicket{sums: map[string]float64{}}
		y.by[id], y.order = t, append(y.order, t)
	}
	return t
}

// add counts a ticket whose episode was played to its end.
func (y *inspectTally) add(t *Ticket) {
	y.planned++
	total := t.total()
	if total == nil {
		return
	}
	y.completed++
	x := y.of(t.sampleID())
	x.trials++
	if t.About.Scenario != "" {
		x.scenario = t.About.Scenario
	}
	x.sums[scoreName] += triage.Rounded(*total)
	for _, p := range t.Score.Parts {
		name := partName(p.Name)
		if _, ok := x.sums[name]; !ok && !slices.Contains(y.names, name) {
			y.names = append(y.names, name)
		}
		x.sums[name] += triage.Rounded(p.Value)
	}
}

// partName is what the log calls a part: its name, unless that is the total's.
func partName(name string) string {
	if name == scoreName {
		return "label " + name
	}
	return name
}

// breaks counts every ticket of a broken episode as 0, also those that were never shown.
func (y *inspectTally) breaks(key triage.Key, list []Ticket) {
	n := taskOf(key).Tickets
	if key.Position.Set || n == 0 {
		n = 1
	}
	first := Ticket{Key: key, Task: taskOf(key)}
	if key.Position.Set {
		first.Position = key.Position.Value
	}
	for i := range n {
		t := first
		t.Position += i
		x := y.of(t.sampleID())
		x.trials++
		y.planned++
		if i < len(list) && list[i].About.Scenario != "" {
			x.scenario = list[i].About.Scenario
		}
	}
}

// scores are the means and standard errors; nothing where no ticket was graded.
func (y *inspectTally) scores() []any {
	out := []any{}
	if y.completed == 0 {
		return out
	}
	for _, name := range y.names {
		metrics := map[string]any{}
		mean, stderr := y.mean(name)
		for k, v := range map[string]float64{"mean": mean, "stderr": stderr} {
			if !math.IsNaN(v) {
				metrics[k] = map[string]any{"name": k, "value": json.RawMessage(triage.AppendRounded(nil, v))}
			}
		}
		out = append(out, map[string]any{"name": name, "scorer": name, "scored_samples": y.completed, "unscored_samples": y.planned - y.completed,
			"params": map[string]any{}, "metrics": metrics})
	}
	return out
}

// mean is that over tickets, each the mean of its trials, with its standard error: the square root of the sum over scenarios of the
// squared sum of what their tickets are off the mean, divided by the number of tickets (Miller 2024, arXiv 2411.00640, equation 4),
// times √(g/(g−1)) for g scenarios, as inspect_ai has it. A ticket without a scenario stands for itself. The error is NaN where
// there are fewer than two scenarios.
func (y *inspectTally) mean(name string) (mean, stderr float64) {
	n := float64(len(y.order))
	for _, t := range y.order {
		mean += t.sums[name] / float64(t.trials)
	}
	mean /= n
	var scenarios []string
	off, squares, groups := map[string]float64{}, 0.0, 0.0
	for _, t := range y.order {
		d := t.sums[name]/float64(t.trials) - mean
		if t.scenario == "" {
			squares += float64(d * d)
			groups++
			continue
		}
		if _, ok := off[t.scenario]; !ok {
			scenarios = append(scenarios, t.scenario)
		}
		off[t.scenario] += d
	}
	for _, s := range scenarios {
		squares += float64(off[s] * off[s])
		groups++
	}
	if groups < 2 {
		return mean, math.NaN()
	}
	return mean, math.Sqrt(squares*(groups/(groups-1))) / n
}
