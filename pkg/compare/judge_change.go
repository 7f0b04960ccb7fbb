package compare

import (
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// change is the drop or rise that a question is about.
func (j *judge) change(q *question) figure {
	f := j.delta(q)
	same := len(q.tasks) > 0
	for _, t := range q.tasks {
		same = same && t.SameBytes
	}
	if same {
		f.settled = true
		if f.exact != "" {
			f.exact = "the canonical bytes of both are the same"
		}
	}
	if q.gate.Change == Drop {
		return f.turned()
	}
	return f
}

// delta is new − base.
func (j *judge) delta(q *question) figure {
	score := q.gate.Metric == "score" && !q.gate.Quoted
	if score && len(q.tasks) == 1 && q.tasks[0].Score.pairs(q.tasks[0]) {
		return ofDeltas(q.tasks[0])
	}
	strata := deltaStrata(q)
	switch {
	case score && strata != nil:
		return ofStrata(strata, unitsOf(q.tasks[0]))
	case score && q.scope == overall && j.c.Overall.Delta.CI95 != nil && len(q.tasks) == len(j.c.Tasks):
		return ofDifference(&j.c.Overall, unitsOf(q.tasks[0]), 0)
	}
	figures := make([]figure, len(q.tasks))
	for i, t := range q.tasks {
		d, ok := differenceOf(q.gate, t)
		if !ok && lost(q.gate, q.bases[i], q.news[i]) {
			return figure{value: math.NaN(), n: t.Pairs, units: unitsOf(t), lost: true}
		}
		if ok {
			units, degrees := metricUnits(q.gate, t), 0
			if units == unitsOf(t) && t.ClusterOf != nil {
				degrees = distinct(t.ClusterOf) - 1
			}
			if figures[i] = ofDifference(d, units, degrees); yesOrNo(q.gate) && onePlay(q.news[i]) && onePlay(q.bases[i]) {
				figures[i].passes()
			}
			continue
		}
		figures[i] = figure{value: q.news[i].Figures[q.gate.Metric] - q.bases[i].Figures[q.gate.Metric], reason: noTickets, n: len(q.news[i].Episodes), units: "episodes"}
	}
	if len(figures) == 1 {
		return figures[0]
	}
	f := joined(figures, taskWeights(q.news))
	if f.se > 0 && strata != nil {
		f.widen(shared(strata))
	}
	return f
}

const noTickets = "a results file does not tell how it varies: give run folders instead"

// pairs tells whether a task's differences are there one by one.
func (d *Difference) pairs(t *TaskComparison) bool {
	return len(t.Deltas) > 0 && (d.Paired || d.Delta.N == 0)
}

// yesOrNo tells whether a metric is a share of what is right.
func yesOrNo(g Gate) bool {
	return strings.HasSuffix(g.Metric, accuracy) || g.Metric == "success_rate" && !g.Quoted
}

// onePlay tells whether nothing was played more than once.
func onePlay(t *TaskSide) bool {
	return !slices.ContainsFunc(t.Episodes, func(e Episode) bool { return e.Trial > 0 })
}

// metricUnits is what a figure is a mean over: what an episode earns as a whole is paired by episode.
func metricUnits(g Gate, t *TaskComparison) string {
	switch {
	case g.Quoted, g.Metric != "reward" && g.Metric != "efficiency" && g.Metric != "success_rate":
		return unitsOf(t)
	}
	return "episodes"
}

// taskWeights make a mean over tracks of means over their tasks.
func taskWeights(tasks []*TaskSide) []float64 {
	list := make([]triage.Task, len(tasks))
	for i, t := range tasks {
		list[i] = t.Task
	}
	return weights(list)
}

// shared is how many times larger the standard error of the score is as tasks share scenarios, 1 at least: what is taken for a
// figure of which the single tickets are not at hand.
func shared(strata []stats.Stratum) float64 {
	figures, weights := make([]figure, len(strata)), make([]float64, len(strata))
	for i, s := range strata {
		figures[i], weights[i] = ofStrata([]stats.Stratum{s}, ""), s.Weight
	}
	apart, together := joined(figures, weights), ofStrata(strata, "")
	if apart.se == 0 || together.se == 0 {
		return 1
	}
	return max(1, together.se/apart.se)
}

// deltaStrata are the differences of several tasks, or nil where not all are paired.
func deltaStrata(q *question) []stats.Stratum {
	out := make([]stats.Stratum, len(q.tasks))
	for i, w := range taskWeights(q.news) {
		t := q.tasks[i]
		if !t.Score.pairs(t) {
			return nil
		}
		out[i] = stats.Stratum{Weight: w, Values: t.Deltas, Clusters: t.ClusterOf}
	}
	return out
}
