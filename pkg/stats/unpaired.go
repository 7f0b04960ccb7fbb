package stats

import "math"

// Unpaired compares two independent samples, such as the scores on tickets that two runs do not share: the estimate is
// mean(other) − mean(base) with the interval of Welch (1947), whose degrees of freedom (Satterthwaite 1946) are rounded down above
// 60; the test is two-sided. Values may come in clusters, as with [MeanByCluster]; clusters are nil where they stand alone, and Welch's
// test is what is left then. A cluster is taken to be in one of the samples only. N is the number of all values, Test.N that of
// the values or clusters that vary on their own. It is far blunter than [PairedByCluster]: take that wherever there are pairs.
func Unpaired(base, other []float64, baseClusters, otherClusters []int) (Estimate, Test) {
	n := len(base) + len(other)
	a, reason := spreadOf(base, baseClusters)
	if reason == "" {
		var b spread
		if b, reason = spreadOf(other, otherClusters); reason == "" {
			return welch(a, b)
		}
	}
	return nothing(n, reason), noTest(n, reason)
}

// spread is what a difference of means needs of a sample: the mean of n values in so many clusters and its variance, which
// is NaN for one cluster.
type spread struct {
	n, clusters    int
	mean, variance float64
	df             float64
}

func spreadOf(values []float64, clusters []int) (spread, string) {
	list, reason := groups(values, clusters)
	if reason != "" {
		return spread{}, reason
	}
	mean, n := meanOf(list)
	s := spread{n: n, clusters: len(list), mean: mean, variance: math.NaN()}
	if len(list) > 1 {
		se, df := clusteredError(list, mean, n)
		if se <= float64(rounding*math.Abs(mean)) {
			se = 0
		}
		s.variance, s.df = float64(se*se), df
	}
	return s, ""
}

func welch(a, b spread) (Estimate, Test) {
	e := Estimate{N: a.n + b.n, Mean: b.mean - a.mean}
	if a.clusters < 2 || b.clusters < 2 {
		e.warn("one value or cluster on one side: there is no interval")
		return e, noTest(a.clusters+b.clusters, "one value or cluster on one side: its variation is not known")
	}
	variance := a.variance + b.variance
	df := satterthwaite([]component{{a.variance, a.df}, {b.variance, b.df}})
	return e.within(math.Sqrt(variance), df, a.clusters+b.clusters)
}

// component is a variance and its degrees of freedom.
type component struct {
	variance, df float64
}

// satterthwaite gives the degrees of freedom of a sum of variances: (Σv)²/Σ(v²/df), see [degrees].
func satterthwaite(list []component) float64 {
	sum, below := 0.0, 0.0
	for _, c := range list {
		sum += c.variance
		below += float64(c.variance*c.variance) / c.df
	}
	if below == 0 {
		return 1
	}
	return degrees(float64(sum*sum) / below)
}

// within adds the interval of a standard error with df degrees of freedom, and gives the test of "the mean is 0", which goes by so
// many values or clusters.
func (e Estimate) within(se, df float64, count int) (Estimate, Test) {
	half := float64(student975(df) * se)
	e.CI95 = &Interval{Low: e.Mean - half, High: e.Mean + half}
	if se <= float64(rounding*math.Abs(e.Mean)) {
		e.warn("%d values do not vary: the interval has no width", e.N)
		return e, noVariation(count, e.Mean)
	}
	if df < 4 {
		e.warn("%.3g degrees of freedom: the interval is rough", df)
	}
	t := e.Mean / se
	return e, Test{N: count, SE: se, DF: df, Statistic: t, P: studentTails(t, df)}
}
