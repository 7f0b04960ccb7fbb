package stats

import "math/big"

// PassHat estimates pass^k: how likely all of k trials of a task succeed, of which c of n succeeded. It is C(c,k)/C(n,k),
// the share of the choices of k trials that hold successes only, which has no bias (Yao, Shinn, Razavi and Narasimhan 2024,
// tau-bench, arXiv 2406.12045). The value is the float nearest to the fraction, 0..1, for any n. ok is false where there is
// no such figure: fewer trials than k, k under 1, or c not within 0..n.
func PassHat(n, c, k int) (value float64, ok bool) {
	if !passArguments(n, c, k) {
		return 0, false
	}
	return ratio(n, k, c, false), true
}

// PassAt estimates pass@k: how likely at least one of k trials of a task succeeds, of which c of n succeeded. It is
// 1 − C(n−c,k)/C(n,k), which has no bias (Chen et al. 2021, arXiv 2107.03374). The value is the float nearest to the
// fraction, 0..1, for any n. ok is false as with [PassHat].
func PassAt(n, c, k int) (value float64, ok bool) {
	if !passArguments(n, c, k) {
		return 0, false
	}
	return ratio(n, k, n-c, true), true
}

func passArguments(n, c, k int) bool { return k >= 1 && n >= k && c >= 0 && c <= n }

// mostExact is the largest n of which every binomial is below 2^53, so that floats hold it.
const mostExact = 56

// ratio is C(m,k)/C(n,k), or 1 minus that, rounded once.
func ratio(n, k, m int, complement bool) float64 {
	if n <= mostExact {
		all, some := binomial(n, k), binomial(m, k)
		if complement {
			some = all - some
		}
		return float64(some) / float64(all)
	}
	all, some := new(big.Int).Binomial(int64(n), int64(k)), new(big.Int).Binomial(int64(m), int64(k)) // 0 where k > m
	if complement {
		some.Sub(all, some)
	}
	v, _ := new(big.Rat).SetFrac(some, all).Float64()
	return v
}

// binomial is C(n,k) for n up to [mostExact].
func binomial(n, k int) uint64 {
	if k > n {
		return 0
	}
	out := uint64(1)
	for i := range min(k, n-k) {
		out = out * uint64(n-i) / uint64(i+1)
	}
	return out
}
