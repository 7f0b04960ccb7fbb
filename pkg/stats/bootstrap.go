package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// fewDraws is the number of draws below which the ends of an interval of draws are rough.
const fewDraws = 1000

// BootstrapPercentile estimates the mean of values with the percentile interval: the middle 95 % of the means of draws
// samples of the same size, drawn with replacement (Efron 1979). clusters[i] is the number of the cluster of values[i], and
// whole clusters are drawn then; nil where values stand alone. The same values in any order and the same state of r give the
// same interval. It needs no normal distribution, yet takes a skewed sample for what it is; see [BootstrapBCa].
func BootstrapPercentile(values []float64, clusters []int, draws int, r *rand.Rand) Estimate {
	e, list, means := bootstrap(values, clusters, draws, r)
	if means == nil {
		return e
	}
	e.CI95 = &Interval{Low: quantile(means, 0.025), High: quantile(means, 0.975)}
	if g := skew(list, e.Mean); math.Abs(g) > 1 {
		e.warn("the values are skewed (%.2f): BCa is nearer", g)
	}
	return e
}

// BootstrapBCa is [BootstrapPercentile] with the bias-corrected and accelerated interval (Efron 1987; Efron and Tibshirani
// 1993, chapter 14): the percentiles are shifted for how far the draws lie to one side of the mean and for how their spread
// changes with it, which is taken from the jackknife. It serves small and skewed samples. Draws that equal the mean count
// half. It is what scipy.stats.bootstrap(method="BCa") gives for the same draws.
func BootstrapBCa(values []float64, clusters []int, draws int, r *rand.Rand) Estimate {
	e, list, means := bootstrap(values, clusters, draws, r)
	if means == nil {
		return e
	}
	low, high, ok := bcaLevels(means, e.Mean, acceleration(list))
	if !ok {
		e.warn("all draws lie on one side of the mean: there is no interval")
		return e
	}
	e.CI95 = &Interval{Low: quantile(means, low), High: quantile(means, high)}
	if least := 5 / float64(len(means)); min(low, high) < least || max(low, high) > 1-least {
		e.warn("a bound rests on fewer than 5 of %d draws: the interval is rough", len(means))
	}
	return e
}

// bootstrap gives the mean, the clusters, and the sorted means of the draws, nil where there is no interval.
func bootstrap(values []float64, clusters []int, draws int, r *rand.Rand) (e Estimate, list []group, means []float64) {
	list, reason := groups(values, clusters)
	if reason != "" {
		return nothing(len(values), reason), nil, nil
	}
	e.Mean, e.N = meanOf(list)
	unit := "value"
	if clusters != nil {
		unit = "cluster"
	}
	switch {
	case len(list) == 1:
		e.warn("one %s: there is no interval", unit)
		return e, list, nil
	case draws < 40:
		e.warn("%d draws are too few for an interval: at least 40 are needed", draws)
		return e, list, nil
	case withoutVariation(list, e.Mean, e.N):
		e.CI95 = &Interval{Low: e.Mean, High: e.Mean}
		e.warn("%d %ss do not vary: the interval has no width", len(list), unit)
		return e, list, nil
	}
	if len(list) < fewClusters {
		e.warn("%d %ss: the interval is rough", len(list), unit)
	}
	if draws < fewDraws {
		e.warn("%d draws: the interval is rough, %d are usual", draws, fewDraws)
	}
	means = make([]float64, draws)
	counts := make([]int, len(list))
	for i := range means {
		means[i] = resample(list, counts, r)
	}
	slices.Sort(means)
	return e, list, means
}

// withoutVariation tells whether the means of all clusters are the same but for rounding.
func withoutVariation(list []group, mean float64, n int) bool {
	se, _ := clusteredError(list, mean, n)
	return se <= float64(rounding*math.Abs(mean))
}

// resample is the mean of as many clusters as there are, drawn with replacement. What was drawn is counted and then summed
// in the order of the list, so that the same draw has the same mean to the last bit, whatever its order.
func resample(list []group, counts []int, r *rand.Rand) float64 {
	clear(counts)
	for range list {
		counts[index(len(list), r)]++
	}
	sum, n := 0.0, 0
	for i, c := range counts {
		sum += float64(float64(c) * list[i].sum)
		n += c * list[i].n
	}
	return sum / float64(n)
}

// index draws evenly from 0 to n−1 (Lemire 2019). It is ours so that draws stay the same from one Go release to the next:
// only the source of r is fixed by Go's promise.
func index(n int, r *rand.Rand) int {
	size := uint64(n)
	high, low := bits.Mul64(r.Uint64(), size)
	if low < size {
		for least := -size % size; low < least; {
			high, low = bits.Mul64(r.Uint64(), size)
		}
	}
	return int(high)
}

// quantile interpolates between sorted values as numpy.percentile does by default; 0 ≤ p ≤ 1.
func quantile(sorted []float64, p float64) float64 {
	at := float64(p * float64(len(sorted)-1))
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return between(sorted[i], sorted[j], at-float64(i))
}

// between is the point at share t of the way from a to b, a where t is 0 and b where it is 1.
func between(a, b, t float64) float64 {
	if t < 0.5 {
		return a + float64((b-a)*t)
	}
	return b - float64((b-a)*(1-t))
}

// acceleration is how the spread of the mean changes with it: a sixth of the skewness of what the mean loses without each
// cluster (the jackknife).
func acceleration(list []group) float64 {
	sum, n := 0.0, 0
	for _, g := range list {
		sum += g.sum
		n += g.n
	}
	without := make([]float64, len(list))
	mean := 0.0
	for i, g := range list {
		without[i] = (sum - g.sum) / float64(n-g.n)
		mean += without[i]
	}
	mean /= float64(len(list))
	squares, cubes := 0.0, 0.0
	for _, v := range without {
		d := mean - v
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * squares * math.Sqrt(squares))
}

// bcaLevels are the shares of the draws between which the interval lies; ok is false where the shift is beyond measure.
func bcaLevels(means []float64, mean, a float64) (low, high float64, ok bool) {
	tie := float64(rounding * math.Abs(mean))
	below := 0.0
	for _, m := range means {
		switch {
		case m < mean-tie:
			below++
		case m <= mean+tie:
			below += 0.5
		}
	}
	share := below / float64(len(means))
	if share <= 0 || share >= 1 {
		return 0, 0, false
	}
	z0 := normalQuantile(share)
	level := func(z float64) float64 {
		s := z0 + z
		return normalBelow(z0 + s/(1-float64(a*s)))
	}
	low, high = level(-z975), level(z975)
	return low, high, 1-float64(a*(z0+z975)) > 0 && 1-float64(a*(z0-z975)) > 0
}

// skew is the skewness of the clusters' residuals, or of the values where these stand alone.
func skew(list []group, mean float64) float64 {
	squares, cubes := 0.0, 0.0
	for _, g := range list {
		d := g.sum - float64(float64(g.n)*mean)
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	return cubes * math.Sqrt(float64(len(list))) / (squares * math.Sqrt(squares))
}
