package stats

import (
	"math"
	"sort"
)

// window is a binomial distribution without the outcomes that together weigh less than 1e-17: p[i] is that of first + i. It
// is made of quotients and sums alone, which are the same on every machine.
type window struct {
	first int
	p     []float64
}

// binomialWindow is the distribution of n tries with chance p, 0..1.
func binomialWindow(n int, p float64) window {
	if p <= 0 || n == 0 {
		return window{0, []float64{1}}
	}
	if p >= 1 {
		return window{n, []float64{1}}
	}
	const least = 1e-20
	mode := min(n, int(float64(n+1)*p))
	odds := p / (1 - p)
	var up, down []float64 // relative to the mode, away from it
	for k, v := mode, 1.0; k < n; k++ {
		if v = v * odds * float64(n-k) / float64(k+1); v < least {
			break
		}
		up = append(up, v)
	}
	for k, v := mode, 1.0; k > 0; k-- {
		if v = v / odds * float64(k) / float64(n-k+1); v < least {
			break
		}
		down = append(down, v)
	}
	w := window{first: mode - len(down), p: make([]float64, 0, len(down)+1+len(up))}
	for i := len(down) - 1; i >= 0; i-- {
		w.p = append(w.p, down[i])
	}
	w.p = append(append(w.p, 1), up...)
	sum := 0.0
	for _, v := range w.p {
		sum += v
	}
	for i := range w.p {
		w.p[i] /= sum
	}
	return w
}

// atLeast is how likely the outcome is k or more.
func (w window) atLeast(k int) float64 {
	sum := 0.0
	for i := len(w.p) - 1; i >= max(0, k-w.first); i-- {
		sum += w.p[i]
	}
	return sum
}

// atMost is how likely the outcome is k or less.
func (w window) atMost(k int) float64 {
	sum := 0.0
	for i := range w.p[:max(0, min(len(w.p), k-w.first+1))] {
		sum += w.p[i]
	}
	return sum
}

// within is the number of outcomes, from 0 on, that together are no more likely than the chance.
func (w window) within(chance float64) int {
	sum := 0.0
	for i, p := range w.p {
		if sum += p; sum > chance {
			return w.first + i
		}
	}
	return w.first + len(w.p)
}

// MostFlips is the largest number of pairs for which the figures of flips are reckoned: their cost grows with it.
const MostFlips = 100_000

func flipArguments(n int, fixed, broken float64) bool {
	return n >= 1 && n <= MostFlips && fixed >= 0 && broken >= 0 && fixed+broken <= 1
}

// PowerOfMcNemar is how likely the exact one-sided McNemar test at 5 % finds that new is worse, for n pairs of which each is
// fixed with the chance fixed and broken with the chance broken: exact over all outcomes, 0..1. ok is false, and there is no
// such figure, for n not within 1..[MostFlips], or chances that are negative or together above 1.
func PowerOfMcNemar(n int, fixed, broken float64) (power float64, ok bool) {
	if !flipArguments(n, fixed, broken) {
		return 0, false
	}
	return powerOfMcNemar(n, fixed, broken), true
}

func powerOfMcNemar(n int, fixed, broken float64) float64 {
	flipped := fixed + broken
	if flipped == 0 {
		return 0
	}
	outer := binomialWindow(n, flipped)
	power := 0.0
	for i, p := range outer.p {
		m := outer.first + i
		power += float64(p * binomialWindow(m, broken/flipped).atLeast(criticalFlips(m)))
	}
	return min(1, power)
}

// criticalFlips is how many of m flips at least must be broken ones for McNemar's one-sided P to be at most 0.05; m + 1 where
// even all are too few.
func criticalFlips(m int) int {
	w := binomialWindow(m, 0.5)
	tail := 0.0
	for i := len(w.p) - 1; i >= 0; i-- {
		if tail += w.p[i]; tail > 0.05 {
			return w.first + i + 1
		}
	}
	return w.first
}

// DetectableFlips is the smallest drop of the share of passes, in whole thousandths as a share (0.075), that the exact
// one-sided McNemar test at 5 % finds with the chance power, such as 0.8, for n pairs: each is fixed by chance with q and
// broken with q + drop. ok is false for arguments as with [PowerOfMcNemar], a power not within 0.05 and 1, both excluded,
// and where no drop that leaves chances of at most 1 is found that often.
func DetectableFlips(n int, q, power float64) (drop float64, ok bool) {
	if !flipArguments(n, q, q) || !(power > 0.05 && power < 1) {
		return 0, false
	}
	const steps = 1000
	most := int(math.Floor(float64((1-2*q)*steps) + 1e-9))
	// The power rises with the drop: one more broken pair, in place of one that did not flip, makes the test's P no larger.
	i := sort.Search(most+1, func(i int) bool {
		d := float64(i) / steps
		return powerOfMcNemar(n, q, min(q+d, 1-q)) >= power
	})
	return float64(i) / steps, i <= most
}

// DetectableUnpaired is the smallest drop from the share p, in whole thousandths, that two independent samples of n each show with
// 80 % by Fisher's exact one-sided test at 5 %: what is left to see for who does not compare in pairs. It is exact over all
// outcomes. ok is false for n not within 1..[MostGateFlips], p not within 0..1, and where no drop is found that often.
func DetectableUnpaired(n int, p float64) (drop float64, ok bool) {
	if n < 1 || n > MostGateFlips || !(p >= 0 && p <= 1) {
		return 0, false
	}
	limits := fisherLimits(n)
	base := binomialWindow(n, p)
	power := func(q float64) float64 {
		other := binomialWindow(n, q)
		sum := 0.0
		for i, v := range base.p {
			sum += float64(v * other.atMost(limits[base.first+i]))
		}
		return sum
	}
	const steps = 1000
	most := int(math.Floor(float64(p*steps) + 1e-9))
	i := sort.Search(most+1, func(i int) bool { return power(max(0, p-float64(i)/steps)) >= 0.8 })
	return float64(i) / steps, i <= most
}

// fisherLimits are, for each number of yes among n, how many among n others are at most so many fewer that Fisher's one-sided P is no
// more than 5 %; −1 where none are.
func fisherLimits(n int) []int {
	critical := make([]int, 2*n+1) // by the number of yes in both
	for k := range critical {
		low, mode := max(0, k-n), k/2
		down := []float64{1} // relative to the mode, away from it; the distribution is symmetric around k/2
		for b := mode; b > low; b-- {
			next := down[len(down)-1] * float64(b) * float64(n-k+b) / float64(n-b+1) / float64(k-b+1)
			if next < 1e-20 {
				break
			}
			down = append(down, next)
		}
		all := 0.0
		for i := len(down) - 1; i >= 0; i-- {
			all += 2 * down[i]
		}
		if k%2 == 0 { // the mode is in the middle, and there once
			all--
		}
		tail := 0.0
		critical[k] = mode
		for i := len(down) - 1; i >= 0; i-- {
			if tail += down[i]; tail > float64(0.05*all) {
				critical[k] = mode - i - 1
				break
			}
		}
	}
	limits := make([]int, n+1)
	for a := range limits {
		limits[a] = sort.Search(n+1, func(b int) bool { return b > critical[a+b] }) - 1
	}
	return limits
}

// FalseAlarm is how likely a gate with a plain tolerance, a share, reports a drop where there is none: of n pairs each is
// fixed and broken with the chance q, and the share of passes falls by more than tolerance. ok is as with [PowerOfMcNemar].
func FalseAlarm(n int, q, tolerance float64) (chance float64, ok bool) {
	if !flipArguments(n, q, q) || !finite(tolerance) {
		return 0, false
	}
	return overFlips(n, q, q, func(fixed, broken int) bool {
		return float64(broken-fixed) > float64(tolerance*float64(n))+1e-9
	}), true
}

// PowerOfGateFlips is how likely the gate says regression for scores that pass or fail, exact over all outcomes: its interval, that of
// [Guard], lies below −margin. Each of n pairs is fixed with the chance fixed and broken with the chance broken, so that the drop is
// broken − fixed. ok is false for arguments as with [PowerOfMcNemar], n below 2 or above 2,000, and a margin that is no number.
func PowerOfGateFlips(n int, fixed, broken, margin float64) (power float64, ok bool) {
	return PowerOfGateFlipsAt(n, fixed, broken, margin, 0.05)
}

// overFlips is how likely an outcome is one of those that match.
func overFlips(n int, fixed, broken float64, match func(fixed, broken int) bool) float64 {
	outer := binomialWindow(n, fixed+broken)
	sum := 0.0
	for i, p := range outer.p {
		m := outer.first + i
		share := 0.0
		if m > 0 {
			share = broken / (fixed + broken)
		}
		inner, part := binomialWindow(m, share), 0.0
		for j, v := range inner.p {
			b := inner.first + j
			if match(m-b, b) {
				part += v
			}
		}
		sum += float64(p * part)
	}
	return min(1, sum)
}
