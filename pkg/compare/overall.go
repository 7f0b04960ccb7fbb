package compare

import (
	"math"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// weights are those of tasks in the whole: the mean over each track's tasks, then over the tracks.
func weights(tasks []triage.Task) []float64 {
	counts := map[triage.Track]int{}
	for _, t := range tasks {
		counts[t.Track]++
	}
	out := make([]float64, len(tasks))
	for i, t := range tasks {
		out[i] = 1 / float64(len(counts)*counts[t.Track])
	}
	return out
}

// weighted is the mean of values by weights that sum to 1.
func weighted(values, weights []float64) float64 {
	sum := 0.0
	for i, v := range values {
		sum += float64(v * weights[i])
	}
	return sum
}

// overall fills in the difference over all tasks.
func (c *Comparison) overall(parts []*part) {
	tasks := make([]triage.Task, len(parts))
	lists := make([]*aligned, len(parts))
	for i, p := range parts {
		tasks[i], lists[i] = p.task, p.units
	}
	c.Overall = overallOf(lists, weights(tasks))
}

// overallOf is the difference of scores over several tasks.
func overallOf(lists []*aligned, weights []float64) Difference {
	score := func(x *unit) float64 { return x.score }
	d := Difference{Metric: "score", Paired: true, P: math.NaN(), Holm: math.NaN()}
	bases, news := make([]float64, len(lists)), make([]float64, len(lists))
	strata := make([]stats.Stratum, len(lists))
	for i, a := range lists {
		base, new := values(a.base, score), values(a.new, score)
		bases[i], news[i] = meanOf(base), meanOf(new)
		if strata[i] = (stats.Stratum{Weight: weights[i], Values: new, Clusters: a.against, Against: base, AgainstClusters: a.clusters}); a.paired {
			strata[i] = stats.Stratum{Weight: weights[i], Values: a.deltas(score), Clusters: a.clusters}
		}
		d.Paired = d.Paired && a.paired
	}
	d.Base, d.New = weighted(bases, weights), weighted(news, weights)
	d.Strata = strata
	var t stats.Test
	d.Delta, t = stats.Stratified(strata, math.Inf(-1), math.Inf(1))
	d.take(t)
	if d.Paired && d.constant() {
		d.bySigns(flipStrata(strata))
	}
	return d
}

// flipStrata is the sign-flip test of a weighted mean: each difference counts by what it moves the mean by, and clusters that
// occur in several strata keep or change their signs together.
func flipStrata(strata []stats.Stratum) stats.Test {
	var moves []float64
	var clusters []int
	next := math.MinInt32 // numbers that no scenario has
	for _, s := range strata {
		scale := s.Weight / float64(len(s.Values))
		for i, v := range s.Values {
			moves = append(moves, v*scale)
			if s.Clusters != nil {
				clusters = append(clusters, s.Clusters[i])
				continue
			}
			clusters = append(clusters, next)
			next++
		}
	}
	return stats.SignFlipByCluster(moves, clusters, draws(moves, clusters), signs())
}
