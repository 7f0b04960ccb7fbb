package stats

import (
	"math"
	"sort"
)

// The figures of a gate that tests at another level than 5 %, as one among several does. They are those of power.go else.

// TwoSidedT is how likely Student's t with df degrees of freedom, which need not be whole up to 60, is at least as far from 0 as
// t, to 10 digits; NaN for df below 1 or a t that is no number.
func TwoSidedT(t, df float64) float64 {
	if !(df >= 1) || math.IsNaN(t) {
		return math.NaN()
	}
	return studentTails(t, degrees(df))
}

// TwoSidedNormal is how likely a standard normal value is at least as far from 0 as z, to 12 digits.
func TwoSidedNormal(z float64) float64 { return digits12(math.Erfc(math.Abs(z) / math.Sqrt2)) }

// CriticalT is the t that Student's t with df degrees of freedom, which need not be whole up to 60, is beyond, on either side, with
// the chance level: that of 0.05 and whole df is [StudentT975], others are to 10 digits. ok is false for df below 1 or a level not
// within 1e-6 and 1.
func CriticalT(df, level float64) (t float64, ok bool) {
	if !(df >= 1) || !validLevel(level) {
		return 0, false
	}
	df = degrees(df)
	if level == 0.05 && df == math.Floor(df) {
		return StudentT975(int(df)), true
	}
	// The logarithm of the tail falls nearly straight with that of t: the secant rule on it, from the normal quantile on.
	off := func(x float64) float64 { return math.Log(unroundedTails(math.Exp(x), df) / level) }
	last := math.Log(normalQuantile(1 - float64(level/2)))
	x := last + 0.05
	before, now := off(last), off(x)
	for range 50 {
		if now == before || math.Abs(x-last) < 1e-13 {
			break
		}
		next := x - float64(now*(x-last))/(now-before)
		last, before = x, now
		x, now = next, off(next)
	}
	return digits10(math.Exp(x)), true
}

func validLevel(level float64) bool { return level >= 1e-6 && level < 1 }

// PowerOfGateAt is [PowerOfGate] for a gate at a level: the interval that it holds against the margin is one of 1 − level.
// ok is false also for a level not within 1e-6 and 1.
func PowerOfGateAt(n int, sd, drop, margin, level float64) (power float64, ok bool) {
	if !powerArguments(n, sd, drop, margin) || !validLevel(level) {
		return 0, false
	}
	t, _ := CriticalT(float64(n-1), level)
	return digits10(noncentralAbove(t, n-1, float64((drop-margin)/sd*math.Sqrt(float64(n))))), true
}

// DetectableDropAt is [DetectableDrop] for a gate at a level. ok is false also for a level not within 1e-6 and 1, or one that
// is not below twice the power.
func DetectableDropAt(n int, sd, margin, power, level float64) (drop float64, ok bool) {
	if !powerArguments(n, sd, margin, 0) || !validLevel(level) || !(power > level/2 && power < 1) {
		return 0, false
	}
	t, _ := CriticalT(float64(n-1), level)
	found := func(size float64) bool {
		return digits10(noncentralAbove(t, n-1, float64(size*math.Sqrt(float64(n))))) >= power
	}
	low, high := 0.0, 1.0
	for !found(high) {
		low, high = high, 2*high
	}
	for range 40 {
		if middle := (low + high) / 2; found(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return digits10(margin + float64(sd*high)), true
}

// NeededNAt is [NeededN] for a gate at a level. ok is false also for a level not within 1e-6 and 1, or one that is not below
// twice the power.
func NeededNAt(sd, drop, margin, power, level float64) (n int, ok bool) {
	if !powerArguments(2, sd, drop, margin) || !validLevel(level) || !(power > level/2 && power < 1) || drop == margin {
		return 0, false
	}
	size := math.Abs(drop-margin) / sd
	enough := func(n int) bool {
		p, _ := PowerOfGateAt(n, 1, size, 0, level)
		return p >= power
	}
	if !enough(MostPairs) {
		return 0, false
	}
	// For normal values with a known sd it would be the square of the quantiles' sum by the size: the number is near there.
	near := (normalQuantile(1-float64(level/2)) + normalQuantile(power)) / size
	low := max(1, int(min(float64(near*near), MostPairs-1))) // not enough, or 1
	step := 2
	for ; low > 1 && enough(low); step *= 2 {
		low = max(1, low-step)
	}
	high := min(MostPairs, low+step)
	for ; !enough(high); step *= 2 {
		low, high = high, min(MostPairs, high+step)
	}
	return low + 1 + sort.Search(high-low-1, func(i int) bool { return enough(low + 1 + i) }), true
}

// MostGateFlips is the largest number of pairs for which the exact powers of the gate are reckoned.
const MostGateFlips = 2000

// PowerOfGateFlipsAt is [PowerOfGateFlips] for a gate at a level. ok is false also for a level not within 1e-6 and 1.
func PowerOfGateFlipsAt(n int, fixed, broken, margin, level float64) (power float64, ok bool) {
	if !flipArguments(n, fixed, broken) || n < 2 || n > MostGateFlips || !finite(margin) || !validLevel(level) {
		return 0, false
	}
	t, _ := CriticalT(float64(n-1), level)
	return powerOfGateFlips(n, fixed, broken, margin, t), true
}

// powerOfGateFlips is the power where the interval is t standard errors to each side.
func powerOfGateFlips(n int, fixed, broken, margin, t float64) float64 {
	return overFlips(n, fixed, broken, func(f, b int) bool {
		middle, half := guardedFlips(n, f, b, t)
		return middle+half < -margin
	})
}

// guardedFlips are the middle and the half width of the interval of [Guard] for f fixed and b broken ones of n pairs.
func guardedFlips(n, f, b int, t float64) (middle, half float64) {
	count := float64(n + 2)
	middle = float64(f-b) / count
	squares := max(0, float64(f+b+2)-float64(count*middle*middle)) // Σ(d − middle)² of all, with the added two
	return middle, float64(t * math.Sqrt(squares) / count)
}

// PassOfGateFlipsAt is how likely the gate of [PowerOfGateFlipsAt] says pass: its interval lies above −margin. Where no pair flips
// it passes if a drop of margin would have shown, see [Hidden]. ok is as with that.
func PassOfGateFlipsAt(n int, fixed, broken, margin, level float64) (chance float64, ok bool) {
	if !flipArguments(n, fixed, broken) || n < 2 || n > MostGateFlips || !finite(margin) || !validLevel(level) {
		return 0, false
	}
	t, _ := CriticalT(float64(n-1), level)
	return overFlips(n, fixed, broken, func(f, b int) bool {
		if f+b == 0 {
			return Hidden(n, level) <= margin
		}
		middle, half := guardedFlips(n, f, b, t)
		return middle-half > -margin
	}), true
}

// DetectableGateFlips is the smallest drop of the share of passes, in whole thousandths, that the gate calls a regression with
// the chance power, such as 0.8, for n pairs: each is fixed by chance with q and broken with q + drop. It is exact, as
// [PowerOfGateFlipsAt]. ok is false for arguments as with that, a power not within 0 and 1, both excluded, and where no drop that
// leaves chances of at most 1 is found that often.
func DetectableGateFlips(n int, q, margin, power, level float64) (drop float64, ok bool) {
	if !flipArguments(n, q, q) || n < 2 || n > MostGateFlips || !finite(margin) || !validLevel(level) || !(power > 0 && power < 1) {
		return 0, false
	}
	const steps = 1000
	t, _ := CriticalT(float64(n-1), level)
	most := int(math.Floor(float64((1-2*q)*steps) + 1e-9))
	least := min(max(0, int(math.Ceil(margin*steps))), most+1)
	i := least + sort.Search(most+1-least, func(i int) bool {
		d := float64(least+i) / steps
		return powerOfGateFlips(n, q, min(q+d, 1-q), margin, t) >= power
	})
	return float64(i) / steps, i <= most
}

// DetectableShare is the largest share of yes, in whole thousandths, that is found to be below a threshold with the chance power,
// such as 0.8, in n cases: that the interval of Clopper and Pearson of 1 − level ([ExactShare] for 0.05) lies below it. It is exact over all outcomes. ok is
// false for n not within 1..[MostFlips], a threshold not within 0 and 1, a power not within 0 and 1, a level not within 1e-6 and 1
// (all but the thresholds excluded), and where no share is found that often.
func DetectableShare(n int, threshold, power, level float64) (share float64, ok bool) {
	if n < 1 || n > MostFlips || !(threshold >= 0 && threshold <= 1) || !(power > 0 && power < 1) || !validLevel(level) {
		return 0, false
	}
	// The interval lies below where so few or fewer are no more likely than level/2 at the threshold.
	below := binomialWindow(n, threshold).within(level / 2) // the number of yes from which it does not any more
	const steps = 1000
	found := func(i int) bool { return 1-binomialWindow(n, float64(i)/steps).atLeast(below) >= power }
	if below < 1 || !found(0) {
		return 0, false
	}
	i := sort.Search(steps, func(i int) bool { return !found(i + 1) })
	return float64(i) / steps, true
}

// NeededForShare is about how many cases tell a share of yes from a threshold with the chance power, as [DetectableShare] does:
// ((z₁·√(t(1−t)) + z₂·√(s(1−s)))/(s−t))² for the quantiles z₁ of 1 − level/2 and z₂ of the power (Fleiss, Levin and Paik 2003,
// Statistical Methods for Rates and Proportions, 2.5), by the normal approximation. ok is false for a share or threshold not within
// 0 and 1, for equal ones, for a power not within 0.5 (included) and 1, and for a level not within 1e-6 and 1.
func NeededForShare(share, threshold, power, level float64) (n int, ok bool) {
	within := func(p float64) bool { return p >= 0 && p <= 1 }
	if !within(share) || !within(threshold) || share == threshold || !(power >= 0.5 && power < 1) || !validLevel(level) {
		return 0, false
	}
	root := (float64(normalQuantile(1-float64(level/2))*math.Sqrt(threshold*(1-threshold))) + float64(normalQuantile(power)*math.Sqrt(share*(1-share)))) / math.Abs(share-threshold)
	if needed := float64(root * root); needed <= MostPairs {
		return max(1, int(math.Ceil(needed-1e-9))), true
	}
	return 0, false
}
