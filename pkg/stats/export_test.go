package stats

import "slices"

// What tests look at besides what everybody may.
var (
	StudentTails = studentTails
	Beyond       = beyond
	Quantile     = quantile
	Digits12     = digits12
	Index        = index
)

// BCaOfDraws is the interval that [BootstrapBCa] makes of given means of draws.
func BCaOfDraws(values, draws []float64) (low, high float64) {
	list, _ := groups(values, nil)
	mean, _ := meanOf(list)
	draws = slices.Sorted(slices.Values(draws))
	a, b, _ := bcaLevels(draws, mean, acceleration(list))
	return quantile(draws, a), quantile(draws, b)
}
