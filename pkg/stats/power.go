package stats

import (
	"math"
	"sort"
)

// The gate that these figures are about holds the 95 % interval of the mean difference new − base (Student's t over pairs)
// against −margin: wholly below it is a regression, wholly above it a pass, anything else is inconclusive. drop is the true
// loss, positive where new is worse; drop and margin have the unit of the score, as has sd, the standard deviation of the
// differences. The figures take the differences for normal; for passes and failures see [PowerOfGateFlips].

// PowerOfGate is how likely the gate says regression for n pairs, 0..1. ok is false, and there is no such figure, for
// fewer than 2 pairs, an sd that is not above 0, or anything that is no number.
func PowerOfGate(n int, sd, drop, margin float64) (power float64, ok bool) {
	if !powerArguments(n, sd, drop, margin) {
		return 0, false
	}
	return beyond(n, (drop-margin)/sd), true
}

// ChanceOfPass is how likely the gate says pass for n pairs, 0..1. ok is as with [PowerOfGate]. What is left of 1 after the
// two is how likely it is inconclusive.
func ChanceOfPass(n int, sd, drop, margin float64) (chance float64, ok bool) {
	if !powerArguments(n, sd, drop, margin) {
		return 0, false
	}
	return beyond(n, (margin-drop)/sd), true
}

// PowerPairedT is how likely a two-sided paired t test at 5 % of n pairs tells a true mean difference of effect from one of
// margin (0 for the usual test): how likely the 95 % interval does not hold margin. Both are new − base. ok is as with
// [PowerOfGate].
func PowerPairedT(n int, sd, effect, margin float64) (power float64, ok bool) {
	if !powerArguments(n, sd, effect, margin) {
		return 0, false
	}
	d := (effect - margin) / sd
	return digits10(min(1, beyond(n, d)+beyond(n, -d))), true
}

func powerArguments(n int, sd, a, b float64) bool {
	return n >= 2 && finite(sd) && sd > 0 && finite(a) && finite(b) && finite((a-b)/sd)
}

// beyond is how likely Student's t of n values whose true mean is size standard deviations is above its 97.5 % quantile.
func beyond(n int, size float64) float64 {
	return digits10(noncentralAbove(StudentT975(n-1), n-1, float64(size*math.Sqrt(float64(n)))))
}

// DetectableDrop is the smallest true drop for which the gate says regression with the chance power, such as 0.8, for n
// pairs: it is above margin, and may be more than scores can drop. ok is false as with [PowerOfGate], or for a power not
// within 0.025 and 1, both excluded.
func DetectableDrop(n int, sd, margin, power float64) (drop float64, ok bool) {
	if !powerArguments(n, sd, margin, 0) || !validPower(power) {
		return 0, false
	}
	return digits10(margin + float64(sd*detectable(n, power))), true
}

// validPower says whether a power can be asked for: the test's own level is had for nothing.
func validPower(power float64) bool { return power > 0.025 && power < 1 }

// detectable is the size in standard deviations that n values show with the chance power.
func detectable(n int, power float64) float64 {
	low, high := 0.0, 1.0
	for beyond(n, high) < power {
		low, high = high, 2*high
	}
	for range 60 {
		middle := (low + high) / 2
		if beyond(n, middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// MostPairs is the largest number that [NeededN] gives.
const MostPairs = 10_000_000

// NeededN is the smallest number of pairs for which the gate gives the right verdict with the chance power, such as 0.8:
// regression where drop is above margin, pass where it is below. ok is false where they are equal, as no number settles
// that, where more than [MostPairs] are needed, and as with [DetectableDrop].
func NeededN(sd, drop, margin, power float64) (n int, ok bool) {
	if !powerArguments(2, sd, drop, margin) || !validPower(power) || drop == margin {
		return 0, false
	}
	size := math.Abs(drop-margin) / sd
	if beyond(MostPairs, size) < power {
		return 0, false
	}
	n = 2 + sort.Search(MostPairs-2, func(i int) bool { return beyond(i+2, size) >= power })
	return n, true
}
