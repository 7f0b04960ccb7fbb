package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
)

// nodes are those of the Gauss-Legendre rule by which noncentralAbove integrates each of its panels.
var nodes = sync.OnceValues(func() (x, weights []float64) {
	x, weights = make([]float64, 32), make([]float64, 32)
	quad.Legendre{}.FixedLocations(x, weights, -1, 1)
	return x, weights
})

// NoncentralAbove is how likely the noncentral t with df degrees of freedom and noncentrality delta is above t, to 10 digits; NaN for
// df below 1, a t below 0, and what is no number.
func NoncentralAbove(t float64, df int, delta float64) float64 {
	if df < 1 || !(t >= 0) || math.IsNaN(delta) {
		return math.NaN()
	}
	return digits10(noncentralAbove(t, df, delta))
}

// noncentralAbove is how likely the noncentral t with df degrees of freedom and noncentrality delta is above t ≥ 0: the mean of
// Φ(delta − t·u) over the distribution of u = √(χ²/df), by numerical integration. The density is divided by its own integral
// over the same nodes, so that no gamma function is needed, of which much would cancel, and any df serves. It is the same to
// about 1e-14 on all machines, and callers round it. gonum's NoncentralT loses digits beyond a few thousand df.
func noncentralAbove(t float64, df int, delta float64) float64 {
	x, weights := nodes()
	n := float64(df)
	spread := 1 / math.Sqrt(2*n)
	peak := 1.0
	if delta == 0 { // far out in the tail the integrand peaks below 1
		peak = math.Sqrt(n / (n + min(float64(t*t), 1e300)))
	}
	from, to := max(0, peak-float64(9*spread)), 1+float64(13*spread)
	const panels = 24
	width := (to - from) / panels
	above, all := 0.0, 0.0
	for p := range panels {
		for i, at := range x {
			u := from + float64(width*(float64(p)+float64((1+at)/2)))
			density := float64(weights[i] * math.Exp(logChi(u-1, n)))
			all += density
			above += float64(density * (math.Erfc(float64(t*u)/math.Sqrt2-delta/math.Sqrt2) / 2))
		}
	}
	return min(1, above/all)
}

// logChi is the logarithm of the density of √(χ²/n) at 1 + d, less that at 1: (n−1)·log(1+d) − n·(d + d²/2). The parts that
// cancel are taken out: what is left is (n−1)·(log(1+d) − d + d²/2) − (n−1/2)·d² − d.
func logChi(d, n float64) float64 {
	square := float64(d * d)
	return float64((n-1)*log1pRest(d)) - float64((n-0.5)*square) - d
}

// log1pRest is log(1+d) − d + d²/2 = d³/3 − d⁴/4 + …
func log1pRest(d float64) float64 {
	if math.Abs(d) > 0.1 {
		return math.Log1p(d) - d + float64(d*d/2)
	}
	sum, power := 0.0, float64(d*d*d)
	for k := 3; k < 20; k++ {
		sum += power / float64(k)
		power = -float64(power * d)
	}
	return sum
}
