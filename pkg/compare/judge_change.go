package compare

import (
	"math"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

const noTickets = "a results file does not tell how it varies: give run folders instead"

// change is the drop or rise that a question is about.
func (j *judge) change(q *question) figure {
	f := j.delta(q)
	same := len(q.tasks) > 0 && j.c.Base.Deterministic && j.c.New.Deterministic && !j.options.AsSample
	for _, t := range q.tasks {
		same = same && t.SameBytes
	}
	if same && !math.IsNaN(f.value) {
		f.exact = "the canonical bytes of both are the same"
	}
	if q.gate.Change == Drop {
		return f.turned()
	}
	return f
}

// delta is new − base.
func (j *judge) delta(q *question) figure {
	weights := taskWeights(q.news)
	strata := make([]stats.Stratum, 0, len(q.tasks))
	units, told, n, mean := metricUnits(q.gate, q.tasks[0]), false, 0, 0.0
	for i, t := range q.tasks {
		d, ok := differenceOf(q.gate, t)
		switch {
		case ok && len(d.Strata) == 1:
			s := d.Strata[0]
			s.Weight = weights[i]
			strata = append(strata, s)
			mean += float64(weights[i] * d.Delta.Mean)
			n += len(s.Values) + len(s.Against)
		case !ok && lost(q.gate, q.bases[i], q.news[i]):
			return figure{value: math.NaN(), n: t.Pairs, units: unitsOf(t), lost: true}
		case ok:
			told = true
			mean += float64(weights[i] * d.Delta.Mean)
			n += d.Delta.N
		default:
			told, units = true, "episodes"
			mean += float64(weights[i] * (q.news[i].Figures[q.gate.Metric] - q.bases[i].Figures[q.gate.Metric]))
			n += len(q.news[i].Episodes)
		}
	}
	if told {
		return figure{value: mean, reason: noTickets, n: n, units: units}
	}
	f := ofStrata(strata, units, -1, 1)
	if f.value == 0 && f.alike != "" && q.gate.Metric == "score" && !q.gate.Quoted {
		f.alike = "none of " + counted(f.n, units) + " has another score"
	}
	f.warnings = append(f.warnings, scenariosOf(q)...)
	return f
}

// scenariosOf warns of tickets whose scenarios are not known, or are one. Imported tickets have none.
func scenariosOf(q *question) []string {
	var out []string
	for _, t := range q.tasks {
		if t.Task.Track == triage.Dataset || max(t.Pairs, t.Score.Delta.N) < 2 {
			continue
		}
		switch w := unitsOf(t); {
		case t.Clusters == 0:
			out = eachOnce(out, []string{"scenarios are not known: " + w + " are taken for independent"})
		case t.Clusters == 1 && t.ClusterOf == nil && t.Score.Paired:
			out = eachOnce(out, []string{t.Task.Name + ": all " + w + " come from one scenario: they are taken for independent, and say nothing of others"})
		}
	}
	return out
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
