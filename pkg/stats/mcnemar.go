package stats

import (
	"math"
	"math/big"
	"slices"
)

// Flips is McNemar's exact test of pairs that pass or fail: of those that differ, are as many broken as fixed? All its P are
// within 0..1, and 1 where no pair flipped.
type Flips struct {
	// Fixed failed before and pass now, Broken passed before and fail now.
	Fixed, Broken int
	// TwoSided is how likely a split at least as uneven is where both are equally likely. Worse is how likely so many or more
	// of the flips are broken ones, Better so many or more fixed ones.
	TwoSided, Worse, Better float64
	// MidTwoSided, MidWorse and MidBetter count the split that occurred half (mid-p): less cautious, nearer to the level in
	// small samples (Fagerland, Lydersen and Laake 2013).
	MidTwoSided, MidWorse, MidBetter float64
}

// McNemar tests the flips of pairs (McNemar 1947, exact by the binomial distribution). The P are the floats nearest to the
// fractions. Negative numbers count as 0.
func McNemar(fixed, broken int) Flips {
	f := Flips{Fixed: max(fixed, 0), Broken: max(broken, 0)}
	n := f.Fixed + f.Broken
	small := min(f.Fixed, f.Broken)
	below, at := halves(n, small) // P(X ≤ small) and P(X = small)
	value := func(x *big.Float) float64 { v, _ := x.Float64(); return v }
	minus := func(a, b *big.Float) *big.Float { return new(big.Float).Sub(a, b) }
	double := func(x *big.Float) *big.Float { return new(big.Float).Add(x, x) }
	half := new(big.Float).SetMantExp(at, -1)
	above := new(big.Float).Add(minus(big.NewFloat(1).SetPrec(precision), below), at) // P(X ≥ small)
	f.TwoSided = min(1, value(double(below)))
	f.MidTwoSided = min(1, value(minus(double(below), at)))
	few, fewMid := value(above), value(minus(above, half))   // of the kind that is rarer: as many or more
	many, manyMid := value(below), value(minus(below, half)) // of the other kind: as many or more
	f.Worse, f.MidWorse, f.Better, f.MidBetter = many, manyMid, few, fewMid
	if f.Fixed > f.Broken {
		f.Worse, f.MidWorse, f.Better, f.MidBetter = few, fewMid, many, manyMid
	}
	if n == 0 {
		f.MidTwoSided, f.MidWorse, f.MidBetter = 1, 1, 1
	}
	return f
}

// precision are the bits of sums of binomials: what is lost in a million steps leaves a float's 53.
const precision = 128

// halves are P(X ≤ k) and P(X = k) of n fair coins.
func halves(n, k int) (below, at *big.Float) {
	whole := func(v int) *big.Float { return new(big.Float).SetPrec(precision).SetInt64(int64(v)) }
	at, below = whole(1), whole(1)
	for i := 1; i <= k; i++ {
		at.Mul(at, whole(n-i+1))
		at.Quo(at, whole(i))
		below.Add(below, at)
	}
	return below.SetMantExp(below, -n), at.SetMantExp(at, -n)
}

// Holm adjusts the P of several tests so that the chance of one false find or more among them stays below the level that the
// adjusted ones are held against (Holm 1979). The result has the order of p. A P that is no number counts as 1; others are
// taken to within 0..1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	clean := make([]float64, len(p))
	for i, v := range p {
		order[i] = i
		clean[i] = 1
		if !math.IsNaN(v) {
			clean[i] = min(1, max(0, v))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case clean[a] < clean[b]:
			return -1
		case clean[a] > clean[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	last := 0.0
	for rank, i := range order {
		last = max(last, min(1, clean[i]*float64(len(p)-rank)))
		out[i] = last
	}
	return out
}
