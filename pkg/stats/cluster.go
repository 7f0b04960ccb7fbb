package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// group is one cluster: the sum and the number of its values, and the sum of their distances from 0.
type group struct {
	sum, size float64
	n         int
}

// fewClusters is the number of clusters below which the interval over them is known to be too narrow now and then
// (Cameron and Miller 2015, A Practitioner's Guide to Cluster-Robust Inference).
const fewClusters = 10

// groups sums the values of each cluster. The result depends neither on the order of the values nor on how the clusters are
// numbered. clusters may be nil: every value is a cluster then. The reason says why there are no groups.
func groups(values []float64, clusters []int) (out []group, reason string) {
	if clusters != nil && len(clusters) != len(values) {
		return nil, fmt.Sprintf("%d values and %d clusters: each value needs one: there is no mean", len(values), len(clusters))
	}
	if len(values) == 0 {
		return nil, noValues
	}
	order := make([]int, len(values))
	total := 0.0
	for i, v := range values {
		order[i] = i
		total += math.Abs(v)
	}
	if !finite(total) {
		return nil, noNumber
	}
	of := func(i int) int {
		if clusters == nil {
			return i
		}
		return clusters[i]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(values[a], values[b])) })
	for k, i := range order {
		if k == 0 || of(i) != of(order[k-1]) {
			out = append(out, group{})
		}
		g := &out[len(out)-1]
		g.sum += values[i]
		g.size += math.Abs(values[i])
		g.n++
	}
	slices.SortFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.n, b.n), cmp.Compare(a.size, b.size))
	})
	return out, ""
}

// meanOf is the mean of all values of the groups and how many these are. What is left of values that cancel out but for rounding
// is 0.
func meanOf(list []group) (mean float64, n int) {
	sum, size := 0.0, 0.0
	for _, g := range list {
		sum += g.sum
		size += g.size
		n += g.n
	}
	if math.Abs(sum) <= float64(rounding*size) {
		return 0, n
	}
	return sum / float64(n), n
}

// MeanByCluster estimates the mean of values that come in clusters, such as the tickets of one scenario, which resemble each
// other: clusters[i] is the number of the cluster of values[i], or clusters is nil and every value stands alone, which is
// [Mean] then. Every value counts the same; the 95 % interval is Student's with the bias-reduced cluster-robust variance
// CR2 and the degrees of freedom of Bell and McCaffrey (2002), for a mean in closed form: with h = size/n of each cluster the
// variance is Σ(sum of the residuals)²/(1−h)/n², the degrees n²/(Σsize² + Σ size²·size²/((1−h)(1−h)·n²) over pairs of two). For G
// clusters of one size that is G/(G−1)·Σ(sum)²/n² with G−1 degrees (Liang and Zeger 1986; for evaluations of models Miller 2024,
// arXiv 2411.00640); of unequal clusters, above all where one is large, that would be too narrow. Where there are levels (trials
// in tickets in scenarios) take the outermost: it allows for everything within. Bounds are kept within low and high.
func MeanByCluster(values []float64, clusters []int, low, high float64) Estimate {
	list, reason := groups(values, clusters)
	if reason != "" {
		return nothing(len(values), reason)
	}
	mean, n := meanOf(list)
	e := Estimate{N: n, Mean: mean}
	if len(list) == 1 {
		e.warn("one cluster: there is no interval")
		return e
	}
	se, df := clusteredError(list, mean, n)
	half := float64(student975(df) * se)
	e.CI95 = &Interval{Low: max(low, mean-half), High: min(high, mean+half)}
	e.doubtClusters(list, se)
	return e
}

// clusteredError is the cluster-robust standard error of the mean of two clusters or more, with its degrees of freedom. What
// is no more than rounding beside the values is 0.
func clusteredError(list []group, mean float64, n int) (se, df float64) {
	squares, sizes, a, b, far := 0.0, 0.0, 0.0, 0.0, 0.0
	whole := float64(n)
	for _, g := range list {
		size := float64(g.n)
		rest := 1 - size/whole
		d := g.sum - float64(size*mean)
		squares += float64(d*d) / rest
		sizes += float64(size * size)
		part := float64(size*size) / rest
		a += part
		b += float64(part * part)
		far += g.size
	}
	between := max(0, float64(a*a)-b) / float64(whole*whole)
	if se = math.Sqrt(squares) / whole; se <= float64(rounding*far)/whole {
		se = 0
	}
	return se, degrees(float64(whole*whole) / (sizes + between))
}

// doubtClusters adds what makes an interval over clusters doubtful.
func (e *Estimate) doubtClusters(list []group, se float64) {
	largest := 0
	for _, g := range list {
		largest = max(largest, g.n)
	}
	switch {
	case se <= float64(rounding*math.Abs(e.Mean)):
		e.warn("%d clusters do not vary: the interval has no width", len(list))
	case len(list) < fewClusters:
		e.warn("%d clusters: the interval is rough", len(list))
	}
	if largest > 1 && 2*largest > e.N {
		e.warn("one cluster has %d of the %d values: the interval is rough", largest, e.N)
	}
}

// rounding is what a sum of values may be off, relative to their size.
const rounding = 1e-12

// MeanNested estimates the mean of values on two levels: trials of one unit (a ticket) count as one value, their mean, so
// that a unit that was tried more often weighs no more; and units come in clusters (scenarios). units[i] and clusters[i] are
// those of values[i]. N is the number of units, and the interval is that of [MeanByCluster] over the clusters. clusters may
// be nil: units stand alone. A unit that is in two clusters is refused.
func MeanNested(values []float64, units, clusters []int, low, high float64) Estimate {
	if len(units) != len(values) || clusters != nil && len(clusters) != len(values) {
		return nothing(len(values), fmt.Sprintf("%d values, %d units and %d clusters: each value needs one: there is no mean", len(values), len(units), len(clusters)))
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(units[a], units[b]), cmp.Compare(values[a], values[b])) })
	var means []float64
	var outer []int
	for start := 0; start < len(order); {
		end, sum := start, 0.0
		for ; end < len(order) && units[order[end]] == units[order[start]]; end++ {
			if clusters != nil && clusters[order[end]] != clusters[order[start]] {
				return nothing(len(values), fmt.Sprintf("unit %d is in clusters %d and %d: there is no mean", units[order[start]],
					min(clusters[order[start]], clusters[order[end]]), max(clusters[order[start]], clusters[order[end]])))
			}
			sum += values[order[end]]
		}
		means = append(means, sum/float64(end-start))
		if clusters != nil {
			outer = append(outer, clusters[order[start]])
		}
		start = end
	}
	return MeanByCluster(means, outer, low, high)
}
