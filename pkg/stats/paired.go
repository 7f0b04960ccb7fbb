package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Test is the outcome of a test of "there is no difference".
type Test struct {
	// N is how many pairs, or clusters of them, the test had to go by.
	N int
	// SE is the standard error and DF the degrees of freedom of the t tests; 0 where there is no such test.
	SE, DF float64
	// Statistic is what was tested: t of the t tests, the sum of the differences of the sign-flip tests.
	Statistic float64
	// P is how likely a Statistic at least as far from 0 is where there is no difference, 0..1, two-sided.
	P float64
	// Reason says why there is no P, or is empty. P is 1 then, so that who does not look at Reason finds no difference.
	Reason   string
	Warnings []string
}

func noTest(n int, reason string) Test { return Test{N: n, P: 1, Reason: reason} }

// PairedT compares in pairs: diffs are new − base of each pair. The estimate is the mean difference with Student's t interval,
// as [Mean] without bounds; the test is the paired t test, two-sided. Differences that are all the same have an interval
// without width and no test, and a warning says so.
func PairedT(diffs []float64) (Estimate, Test) {
	mean, half, reason := student(diffs)
	if reason != "" {
		return nothing(len(diffs), reason), noTest(len(diffs), reason)
	}
	n := len(diffs)
	e := Estimate{N: n, Mean: mean}
	if n == 1 {
		e.warn("one value: there is no interval")
		return e, noTest(1, "one pair: its variation is not known")
	}
	e.CI95 = &Interval{Low: mean - half, High: mean + half}
	if half <= float64(rounding*math.Abs(mean)) {
		e.warn("%d differences do not vary: the interval has no width", n)
		return e, noVariation(n, mean)
	}
	if n < 5 {
		e.warn("%d values: the interval is rough", n)
	}
	quantile := StudentT975(n - 1)
	t := float64(mean*quantile) / half
	return e, Test{N: n, SE: half / quantile, DF: float64(n - 1), Statistic: t, P: studentTails(t, float64(n-1))}
}

// noVariation is the test of n differences that are all the same.
func noVariation(n int, mean float64) Test {
	if mean == 0 {
		return noTest(n, "no pair differs")
	}
	return noTest(n, "the differences are all the same: nothing says how they vary")
}

// PairedByCluster is [PairedT] where pairs come in clusters: the estimate is that of [MeanByCluster], without bounds, and the
// test has its degrees of freedom. Test.N is the number of clusters.
func PairedByCluster(diffs []float64, clusters []int) (Estimate, Test) {
	e := MeanByCluster(diffs, clusters, math.Inf(-1), math.Inf(1))
	list, reason := groups(diffs, clusters)
	if reason != "" {
		return e, noTest(0, reason)
	}
	if len(list) == 1 {
		return e, noTest(1, "one cluster: its variation is not known")
	}
	se, df := clusteredError(list, e.Mean, e.N)
	if se <= float64(rounding*math.Abs(e.Mean)) {
		return e, noVariation(len(list), e.Mean)
	}
	t := e.Mean / se
	return e, Test{N: len(list), SE: se, DF: df, Statistic: t, P: studentTails(t, df)}
}

// mostExactFlips is the number of differences up to which all their signs are tried: 2^20 patterns.
const mostExactFlips = 20

// SignFlip tests by permutation whether the mean of the differences (new − base) is 0: without a difference each could as
// well have the other sign (Fisher 1935). It assumes no distribution. Differences of 0 change nothing and are left out; N is
// the number of the others. Up to 20 of them all patterns are tried and P is exact; beyond, P is (1+b)/(1+draws), where b of
// the drawn patterns are at least as far from 0 (Phipson and Smyth 2010), a warning says how far it may be off, and the same
// differences in any order and the same state of r give the same P. r may be nil up to 20.
func SignFlip(diffs []float64, draws int, r *rand.Rand) Test {
	if len(diffs) == 0 {
		return noTest(0, noValues)
	}
	var sizes []float64
	total := 0.0
	for _, d := range diffs {
		total += math.Abs(d)
		if d != 0 {
			sizes = append(sizes, d)
		}
	}
	if !finite(total) {
		return noTest(len(diffs), "a difference is no number, or their sum is too large for one")
	}
	if len(sizes) == 0 {
		return noTest(0, "no pair differs")
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Or(cmp.Compare(math.Abs(a), math.Abs(b)), cmp.Compare(a, b)) })
	sum, scale := 0.0, 0.0
	for i, d := range sizes {
		sum += d
		sizes[i] = math.Abs(d)
		scale += sizes[i]
	}
	t := Test{N: len(sizes), Statistic: sum}
	least := math.Abs(sum) - float64(rounding*scale) // sums that are the same but for rounding count as the same
	if t.N <= mostExactFlips {
		// The first sign is fixed: a pattern and its mirror image are equally far from 0.
		t.P = math.Ldexp(float64(extreme(sizes[1:], sizes[0], least)), 1-t.N)
		return t
	}
	if draws < 1 || r == nil {
		return noTest(t.N, fmt.Sprintf("%d differences have too many patterns to try all, and %d are to be drawn", t.N, draws))
	}
	t.P = float64(1+drawnExtreme(sizes, least, draws, r)) / float64(1+draws)
	t.Warnings = []string{fmt.Sprintf("p is of %d drawn patterns: it may be off by %.2g", draws, 2*math.Sqrt(float64(t.P*(1-t.P))/float64(draws)))}
	return t
}

// extreme counts the patterns of signs of sizes that, added to sum, are at least least away from 0.
func extreme(sizes []float64, sum, least float64) int {
	if len(sizes) == 0 {
		if math.Abs(sum) >= least {
			return 1
		}
		return 0
	}
	return extreme(sizes[1:], sum+sizes[0], least) + extreme(sizes[1:], sum-sizes[0], least)
}

func drawnExtreme(sizes []float64, least float64, draws int, r *rand.Rand) int {
	count := 0
	for range draws {
		sum := 0.0
		var signs uint64
		for i, v := range sizes {
			if i%64 == 0 {
				signs = r.Uint64()
			}
			// The lowest bit becomes the sign bit of the number, without a branch.
			sum += math.Float64frombits(math.Float64bits(v) | signs<<63)
			signs >>= 1
		}
		if math.Abs(sum) >= least {
			count++
		}
	}
	return count
}

// SignFlipByCluster is [SignFlip] of whole clusters: the differences of one keep or change their signs together, as they need
// not be independent. N is the number of clusters whose differences do not sum to 0.
func SignFlipByCluster(diffs []float64, clusters []int, draws int, r *rand.Rand) Test {
	list, reason := groups(diffs, clusters)
	if reason != "" {
		return noTest(len(diffs), reason)
	}
	sums := make([]float64, len(list))
	for i, g := range list {
		sums[i] = g.sum
	}
	return SignFlip(sums, draws, r)
}
