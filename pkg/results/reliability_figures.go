package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// TaskReliability are the figures of one agent on one task that it played several times. Their unit is the ticket: on the
// queue track one ticket of an episode, on the desk track the episode.
type TaskReliability struct {
	Agent string
	Task  triage.Task
	// Tickets is the number of tickets, Trials the largest number of times that one of them was played, Errors the number
	// of times that one was played and not graded because the episode broke before.
	Tickets, Trials, Errors int
	// ErrorsFail counts an error as a trial that failed; ErrorsExcluded leaves it out, and the ticket has a trial less.
	ErrorsFail, ErrorsExcluded PassFigures
	// FlipRate is the share of tickets with two answers or more that are not all the same. An answer that was refused or
	// could not be read is the empty one, and free text is not compared.
	FlipRate stats.Estimate
	// Episodes is how many episodes every trial scored, Means their mean score in each trial. Lowest and Highest are those
	// of the means; NaN where there is no such episode.
	Episodes        int
	Means           []float64
	Lowest, Highest float64
}

// PassFigures are pass^k and pass@k for k from 1 to the number of trials, at index k−1.
type PassFigures struct{ Hat, At []PassFigure }

// PassFigure is one of them: the mean over the tickets with k trials or more, with an interval over those tickets: Wilson's
// where every ticket has 0 or 1, as it is a proportion then, else Student's t. It says how the tickets that happened to be
// drawn vary. Reason says why there is no mean (it is NaN then), or is empty.
type PassFigure struct {
	K int
	stats.Estimate
	Reason string
}

// Of gives the figures of an agent on a task, in which a ticket was played twice at least; ok is false where none was.
func (r *Reliability) Of(agent, task string) (f TaskReliability, ok bool) {
	g := r.groups[played{agent, task}]
	if g == nil {
		return f, false
	}
	f = TaskReliability{Agent: agent, Task: g.task}
	list, tickets, flipped, compared := g.counts()
	for i, c := range list {
		f.Tickets += tickets[i]
		f.Errors += tickets[i] * c.errors
		f.Trials = max(f.Trials, c.graded+c.errors)
	}
	for _, t := range g.episodes {
		f.Trials = max(f.Trials, len(t))
	}
	f.FlipRate = stats.Share(flipped, compared)
	fail := func(c count) (n, right int) { return c.graded + c.errors, c.right }
	excluded := func(c count) (n, right int) { return c.graded, c.right }
	for k := 1; k <= f.Trials; k++ {
		f.ErrorsFail.Hat = append(f.ErrorsFail.Hat, passFigure(k, list, tickets, fail, stats.PassHat))
		f.ErrorsFail.At = append(f.ErrorsFail.At, passFigure(k, list, tickets, fail, stats.PassAt))
		f.ErrorsExcluded.Hat = append(f.ErrorsExcluded.Hat, passFigure(k, list, tickets, excluded, stats.PassHat))
		f.ErrorsExcluded.At = append(f.ErrorsExcluded.At, passFigure(k, list, tickets, excluded, stats.PassAt))
	}
	f.Episodes, f.Means = g.means()
	f.Lowest, f.Highest = notANumber(), notANumber()
	if f.Episodes > 0 {
		f.Lowest, f.Highest = slices.Min(f.Means), slices.Max(f.Means)
	}
	return f, f.Trials > 1
}

// passFigure takes the mean of a figure over the tickets that have it.
func passFigure(k int, list []count, tickets []int, rule func(count) (n, right int), figure func(n, c, k int) (float64, bool)) PassFigure {
	var values []float64
	var counts []int
	without, most, ones, between := 0, 0, 0, false
	for i, c := range list {
		n, right := rule(c)
		most = max(most, n)
		if v, ok := figure(n, right, k); ok {
			values, counts = append(values, v), append(counts, tickets[i])
			between = between || v != 0 && v != 1
			if v == 1 {
				ones += tickets[i]
			}
		} else {
			without += tickets[i]
		}
	}
	out := PassFigure{K: k, Estimate: stats.MeanOfCounts(values, counts, 0, 1)}
	if !between {
		out.Estimate = stats.Share(ones, out.N)
	}
	switch {
	case len(values) == 0 && most == 0:
		out.Reason, out.Warnings = "no trial was graded", nil
	case len(values) == 0:
		out.Reason, out.Warnings = fmt.Sprintf("no ticket has %d graded trials", k), nil
	case without > 0:
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d of %d tickets have fewer graded trials than %d and are left out", without, without+out.N, k))
	}
	return out
}

// means gives the mean score of each trial over the episodes that all of them scored.
func (g *trials) means() (episodes int, means []float64) {
	numbers := map[int]bool{}
	for _, list := range g.episodes {
		for _, t := range list {
			numbers[t.number] = true
		}
	}
	order := slices.Sorted(maps.Keys(numbers))
	sums := make([]float64, len(order))
	for _, at := range g.order() {
		list := slices.Clone(g.episodes[at])
		list = slices.DeleteFunc(list, func(t trial) bool { return t.broken })
		if len(list) < len(order) {
			continue
		}
		episodes++
		for _, t := range list {
			i, _ := slices.BinarySearch(order, t.number)
			sums[i] += t.score
		}
	}
	if episodes == 0 {
		return 0, nil
	}
	for i := range sums {
		sums[i] /= float64(episodes)
	}
	return episodes, sums
}

// Right tells whether a ticket of a task is right with a score, in the one meaning that comparisons, reliability and exports share: on the
// desk track where it reaches the task's target, elsewhere where everything is right. [Success] says it in words.
func Right(t triage.Task, score float64) bool {
	score = triage.Rounded(score)
	if t.Track == triage.Desk {
		return t.Pass(score)
	}
	return score == 1
}

// Success says when a trial of a task's ticket is a success.
func Success(t triage.Task) string {
	switch t.Track {
	case triage.Desk:
		return fmt.Sprintf("correctness of at least %.2f", t.Target)
	case triage.Queue:
		return "every field of the ticket right (reward 1)"
	}
	return "every label of the ticket right"
}

// MarshalJSON gives the figures in the form of a results file: keys sorted, 6 decimals, null for what there is not, and how
// each figure is meant.
func (f TaskReliability) MarshalJSON() ([]byte, error) { return json.Marshal(f.object()) }

func (f TaskReliability) object() map[string]any {
	means := make([]number, len(f.Means))
	for i, v := range f.Means {
		means[i] = number(v)
	}
	flips := estimate(f.FlipRate)
	flips["n"] = f.FlipRate.N
	return map[string]any{
		"tickets": f.Tickets, "trials": f.Trials, "errors": f.Errors, "success": Success(f.Task), "flip_rate": flips,
		"estimator": "pass^k is C(c,k)/C(n,k), pass@k is 1-C(n-c,k)/C(n,k), of c successes in n trials; means and intervals are over tickets; " +
			"intervals are Wilson's where every ticket has 0 or 1, else Student's t",
		"errors_failed": f.ErrorsFail.object(), "errors_excluded": f.ErrorsExcluded.object(),
		"trial_scores": map[string]any{"episodes": f.Episodes, "means": means, "lowest": number(f.Lowest), "highest": number(f.Highest)},
	}
}

func (p *PassFigures) object() map[string]any {
	list := func(figures []PassFigure) []map[string]any {
		out := make([]map[string]any, len(figures))
		for i, x := range figures {
			out[i] = estimate(x.Estimate)
			out[i]["k"], out[i]["n"] = x.K, x.N
			if x.Reason != "" {
				out[i]["reason"] = x.Reason
			}
		}
		return out
	}
	return map[string]any{"pass_hat": list(p.Hat), "pass_at": list(p.At)}
}
