package stats

import (
	"cmp"
	"math"
	"slices"
)

// Stratum is one part of a mean over parts that count by their weight and not by their size, such as the tasks of a benchmark.
type Stratum struct {
	// Weight is the part's share in the whole, above 0; weights need not sum to 1.
	Weight float64
	// Values are of this part, such as new − base of each pair.
	Values []float64
	// Clusters has the number of each value's cluster, or is nil where values stand alone. Strata may share clusters: the
	// tickets of one scenario occur in several tasks.
	Clusters []int
	// Against, with AgainstClusters, makes the part a difference of two independent samples, mean(Values) − mean(Against); nil
	// for the mean of Values.
	Against         []float64
	AgainstClusters []int
}

// Stratified estimates the weighted mean of the means of strata, and tests whether it is 0. Its variance is that of a stratified
// sample, Σ weight²·variance (Cochran 1977, Sampling Techniques, 5.9), each stratum's being cluster-robust as in [MeanByCluster];
// where strata share clusters, what they vary together is added (their residuals are summed by cluster before they are squared).
// The degrees of freedom are Satterthwaite's (1946), at most one less than there are clusters in all strata together, and rounded
// down above 60. N is the number of all values, Test.N that of the clusters, or of values that stand alone. Without a stratum, or with one that has no mean, there is no mean; where one has a single cluster there is no
// interval. Bounds are kept within low and high.
func Stratified(strata []Stratum, low, high float64) (Estimate, Test) {
	n, whole := 0, 0.0
	for _, s := range strata {
		n += len(s.Values) + len(s.Against)
		whole += s.Weight
		if !finite(s.Weight) || s.Weight <= 0 {
			const reason = "a weight is not above 0: there is no mean"
			return nothing(n, reason), noTest(n, reason)
		}
	}
	if len(strata) == 0 {
		return nothing(0, noValues), noTest(0, noValues)
	}
	e := Estimate{N: n}
	var m mixture
	for _, s := range strata {
		share := s.Weight / whole
		mean, reason := m.add(s, share)
		if reason != "" {
			return nothing(n, reason), noTest(n, reason)
		}
		e.Mean += float64(share * mean)
	}
	if m.single {
		e.warn("a part has one value or cluster: there is no interval")
		return e, noTest(m.distinct(), "a part has one value or cluster: its variation is not known")
	}
	df := min(satterthwaite(m.components), float64(m.distinct()-1))
	e, t := e.within(math.Sqrt(m.variance()), df, m.distinct())
	e.CI95.Low, e.CI95.High = max(low, e.CI95.Low), min(high, e.CI95.High)
	return e, t
}

// mixture gathers the variance of a mean over strata.
type mixture struct {
	shared     map[int]float64 // by cluster: what it moves the mean by
	alone      []float64       // the same of values without cluster
	between    float64         // variance of the differences of two samples
	components []component
	single     bool
	seen       map[int]bool // the clusters
	others     int          // values that stand alone, and clusters of two samples
}

// distinct is how many clusters there are in all strata together.
func (m *mixture) distinct() int { return len(m.seen) + m.others }

// count takes note of clusters.
func (m *mixture) count(s Stratum) {
	if s.Clusters == nil {
		m.others += len(s.Values)
		return
	}
	if m.seen == nil {
		m.seen = map[int]bool{}
	}
	for _, c := range s.Clusters {
		m.seen[c] = true
	}
}

// add takes a stratum and gives its mean, or why there is none.
func (m *mixture) add(s Stratum, share float64) (mean float64, reason string) {
	v, reason := spreadOf(s.Values, s.Clusters)
	if reason != "" {
		return 0, reason
	}
	if s.Against != nil {
		b, reason := spreadOf(s.Against, s.AgainstClusters)
		if reason != "" {
			return 0, reason
		}
		m.others += v.clusters + b.clusters
		m.component(share, v)
		m.component(share, b)
		m.between += float64(share*share*v.variance) + float64(share*share*b.variance)
		return v.mean - b.mean, ""
	}
	m.count(s)
	m.component(share, v)
	if v.clusters < 2 || v.variance == 0 {
		return v.mean, ""
	}
	if s.Clusters == nil {
		scale := share * math.Sqrt(float64(v.n)/float64(v.n-1)) / float64(v.n)
		for _, x := range s.Values {
			m.alone = append(m.alone, float64(scale*(x-v.mean)))
		}
		return v.mean, ""
	}
	if m.shared == nil {
		m.shared = map[int]float64{}
	}
	order := make([]int, len(s.Values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.Values[a], s.Values[b]) })
	sizes := map[int]int{}
	for _, c := range s.Clusters {
		sizes[c]++
	}
	for _, i := range order {
		scale := share / math.Sqrt(1-float64(sizes[s.Clusters[i]])/float64(v.n)) / float64(v.n)
		m.shared[s.Clusters[i]] += float64(scale * (s.Values[i] - v.mean))
	}
	return v.mean, ""
}

func (m *mixture) component(share float64, v spread) {
	if v.clusters < 2 {
		m.single = true
		return
	}
	m.components = append(m.components, component{float64(share * share * v.variance), v.df})
}

// variance sums in an order that does not depend on that of the values or on the clusters' numbers.
func (m *mixture) variance() float64 {
	list := slices.Clone(m.alone)
	for _, u := range m.shared {
		list = append(list, u)
	}
	slices.Sort(list)
	sum := 0.0
	for _, u := range list {
		sum += float64(u * u)
	}
	return sum + m.between
}
