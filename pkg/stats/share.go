package stats

import (
	"fmt"
	"math"
)

// Share estimates a proportion, of which yes of n cases are some, with Wilson's interval (Wilson 1927), which does not
// shrink to nothing where all cases are alike: 0 of 30 gives 0 to 0.114. The mean is NaN, with the reason as a
// warning, for n of 0 and where yes is not within 0..n.
func Share(yes, n int) Estimate {
	switch {
	case n == 0:
		return nothing(0, noValues)
	case yes < 0 || yes > n:
		return nothing(n, fmt.Sprintf("%d of %d is no share: there is no mean", yes, n))
	}
	count := float64(n)
	p := float64(yes) / count
	const square = z975 * z975
	scale := 1 + square/count
	middle := (p + square/(2*count)) / scale
	half := float64(z975 / scale * math.Sqrt(float64(p*(1-p))/count+square/float64(4*count*count)))
	e := Estimate{N: n, Mean: p, CI95: &Interval{Low: max(0, middle-half), High: min(1, middle+half)}}
	if yes == 0 {
		e.CI95.Low = 0 // up to rounding it is
	}
	if yes == n {
		e.CI95.High = 1
	}
	if n < 5 {
		e.warn("%d values: the interval is rough", n)
	}
	return e
}

// ExactShare is [Share] with the interval of Clopper and Pearson (1934), which is wrong on neither side in more than 2.5 %, however
// small the sample or rare the cases: for who decides by it. Its ends are to 10 digits. There is none beyond [MostFlips] cases.
func ExactShare(yes, n int) Estimate {
	e := Share(yes, n)
	if e.CI95 == nil || n > MostFlips {
		return e
	}
	e.CI95.Low, e.CI95.High = 0, 1
	if yes > 0 {
		e.CI95.Low = digits10(crossing(func(p float64) bool { return binomialWindow(n, p).atLeast(yes) > 0.025 }))
	}
	if yes < n {
		e.CI95.High = digits10(crossing(func(p float64) bool { return binomialWindow(n, p).atMost(yes) <= 0.025 }))
	}
	return e
}

// crossing is the place within 0 and 1 from which on something holds.
func crossing(holds func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// TwoSidedBinomial is twice the chance of yes of n cases, or of what is further off on its side, where each is one with the chance p:
// below 0.05 where [ExactShare] does not hold p. It is at most 1, and NaN for p not within 0 and 1, yes not within 0..n, and n below
// 1 or beyond [MostFlips].
func TwoSidedBinomial(yes, n int, p float64) float64 {
	if !(p >= 0 && p <= 1) || n < 1 || n > MostFlips || yes < 0 || yes > n {
		return math.NaN()
	}
	w := binomialWindow(n, p)
	return digits10(min(1, 2*min(w.atLeast(yes), w.atMost(yes))))
}

// BinomialAtLeast is how likely k or more of n cases are, each one with the chance p; NaN for p not within 0 and 1, and n not within
// 0..[MostFlips].
func BinomialAtLeast(k, n int, p float64) float64 {
	if !(p >= 0 && p <= 1) || n < 0 || n > MostFlips {
		return math.NaN()
	}
	return digits10(min(1, binomialWindow(n, p).atLeast(k)))
}

// ShareByCluster is [Share] of cases, each 0 or 1, that come in clusters: Wilson's interval for as many cases as these are worth, n
// by the design effect (how many times larger the variance is than of independent cases, 1 at least), with Student's t in the place
// of the normal quantile. worth is that number and df the degrees of freedom. Where all cases are alike the clusters are the cases,
// and the interval is that of [ExactShare]. There is none for one cluster.
func ShareByCluster(values []float64, clusters []int) (e Estimate, worth, df float64) {
	g := Guard([]Stratum{{Weight: 1, Values: values, Clusters: clusters}}, 0, 1)
	switch {
	case g.Alike:
		e = ExactShare(int(math.Round(g.Mean))*g.Independent, g.Independent)
		e.N = g.N
		return e, float64(g.Independent), float64(max(1, g.Independent-1))
	case g.CI95 == nil:
		return nothing(g.N, g.Reason), 0, 0
	}
	worth, df = float64(g.N)/g.Design, g.DF
	t := student975(df)
	square := float64(t * t)
	scale := 1 + square/worth
	middle := (g.Mean + square/(2*worth)) / scale
	half := float64(t / scale * math.Sqrt(float64(g.Mean*(1-g.Mean))/worth+square/float64(4*worth*worth)))
	return Estimate{N: g.N, Mean: g.Mean, CI95: &Interval{Low: max(0, middle-half), High: min(1, middle+half)}, Warnings: g.Warnings}, worth, df
}
