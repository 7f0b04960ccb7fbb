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
