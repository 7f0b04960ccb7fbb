package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// digits rounds to so many significant digits, 1..15. Quantiles and tails of distributions come out of logarithms,
// exponentials and long series, in which one processor fuses products and sums and another does not: they differ in the last
// digits. Rounded they are the same, and so is everything that is made of them, unless a figure lies right between two
// rounded ones. That has a chance of noise by grid, so the noise must be kept small before: see [StudentT975], of which
// every value is checked, and studentTails.
func digits(v float64, count int) float64 {
	if v == 0 || !finite(v) {
		return v
	}
	exponent := count - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	switch {
	case exponent > 300: // below 1e-285 nothing is told apart here
		return 0
	case exponent >= 0:
		scale := math.Pow10(exponent)
		return math.Round(v*scale) / scale
	default:
		scale := math.Pow10(-exponent)
		return math.Round(v/scale) * scale
	}
}

// digits12 is for quantiles.
func digits12(v float64) float64 { return digits(v, 12) }

// digits10 is for tails and powers, whose noise is larger; nobody needs more of a probability.
func digits10(v float64) float64 { return digits(v, 10) }

// z975 is the 97.5 % quantile of the normal distribution.
const z975 = 1.959963984540054

// mostBySums is the number of degrees of freedom up to which the quantile is found on the exact sums, whose length grows with
// them; beyond it the expansion in 1/df is right to 1e-14.
const mostBySums = 1000

// StudentT975 is the 97.5 % quantile of Student's t with df degrees of freedom, to 12 digits; NaN for less than one. Up to
// 1000 degrees it is found by the secant rule on the exact sums for whole degrees, beyond that it is the expansion
// of Fisher and Cornish to the fourth order (Abramowitz and Stegun 26.7.5), which is sums and quotients alone. gonum's serves as
// a check only: it differs from machine to machine by 2e-13, which at two of the 1000 (673 and 841) crosses a 12th digit, and
// takes a hundred times as long.
func StudentT975(df int) float64 {
	switch {
	case df < 1:
		return math.NaN()
	case df == 1:
		return digits12(math.Tan(0.475 * math.Pi))
	case df == 2:
		return digits12(math.Sqrt(2 * 0.95 * 0.95 / (1 - 0.95*0.95)))
	case df > mostBySums:
		return digits12(expanded975(df))
	}
	last := expanded975(df)
	t := last + 1e-3
	before := studentWithin(last, df) - 0.95
	for range 12 {
		now := studentWithin(t, df) - 0.95
		if now == before || t == last {
			break
		}
		next := t - float64(now*(t-last))/(now-before)
		last, t, before = t, next, now
		if math.Abs(t-last) < 1e-10 { // the step after would be below the last digit
			break
		}
	}
	return digits12(t)
}

// expanded975 is the expansion of the 97.5 % quantile in 1/df.
func expanded975(df int) float64 {
	n := float64(df)
	const z = z975
	z3 := float64(z * z * z)
	z5 := float64(z3 * z * z)
	z7 := float64(z5 * z * z)
	z9 := float64(z7 * z * z)
	g1 := (z3 + z) / 4
	g2 := (float64(5*z5) + float64(16*z3) + float64(3*z)) / 96
	g3 := (float64(3*z7) + float64(19*z5) + float64(17*z3) - float64(15*z)) / 384
	g4 := (float64(79*z9) + float64(776*z7) + float64(1482*z5) - float64(1920*z3) - float64(945*z)) / 92160
	return z + g1/n + g2/float64(n*n) + g3/float64(n*n*n) + g4/float64(n*n*n*n)
}

// studentWithin is how likely Student's t is within ±t, by the finite sums for whole degrees of freedom (Abramowitz and Stegun
// 26.7.3 and 26.7.4).
func studentWithin(t float64, df int) float64 {
	n := float64(df)
	square := n + float64(t*t)
	sine, cosine := t/math.Sqrt(square), math.Sqrt(n/square)
	// The terms have cosine to the 0, 2, 4 … and the factors 1/2, 3/4 … for even degrees, 2/3, 4/5 … for odd ones.
	sum, term := 0.0, 1.0
	for k := df % 2; k < df-1; k += 2 {
		sum += term
		term = term * float64(k+1) / float64(k+2) * (n / square)
	}
	if df%2 == 0 {
		return sine * sum
	}
	return (math.Atan(t/math.Sqrt(n)) + float64(sine*cosine*sum)) * 2 / math.Pi
}

// mostByBeta is the number of degrees of freedom up to which tails come from the incomplete beta function. Its noise grows
// with them, as it is made of logarithms of gammas.
const mostByBeta = 60

// studentTails is how likely Student's t with n ≥ 1 degrees of freedom, such as [degrees] gives, is at least |t| away from 0, to
// 10 digits.
func studentTails(t, n float64) float64 { return digits10(unroundedTails(t, n)) }

// unroundedTails is [studentTails] with the last digits, which machines compute differently.
func unroundedTails(t, n float64) float64 {
	if n > mostByBeta {
		return 2 * noncentralAbove(math.Abs(t), int(n), 0)
	}
	square := float64(t * t)
	if math.IsInf(square, 1) {
		return 0
	}
	return mathext.RegIncBeta(n/2, 0.5, n/(n+square))
}

// degrees are degrees of freedom as they are used here: 1 at least, whole where they are so up to rounding, and rounded down above
// 60, where a part of one moves the quantile by less than 1 in 1,000.
func degrees(df float64) float64 {
	whole := math.Round(df)
	switch {
	case !(df >= 1):
		return 1
	case math.Abs(df-whole) <= 1e-9*whole:
		return whole
	case df > mostByBeta:
		return math.Floor(df)
	}
	return df
}

// student975 is [StudentT975] for degrees of freedom that need not be whole.
func student975(df float64) float64 {
	if df == math.Floor(df) {
		return StudentT975(int(df))
	}
	t, _ := CriticalT(df, 0.05)
	return t
}

// normalBelow is how likely a standard normal value is below z, to 12 digits.
func normalBelow(z float64) float64 { return digits12(math.Erfc(-z/math.Sqrt2) / 2) }

// normalQuantile is the inverse of [normalBelow] for 0 < p < 1.
func normalQuantile(p float64) float64 { return digits12(mathext.NormalQuantile(p)) }
