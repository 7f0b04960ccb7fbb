package linear

import "math"

// The temperatures that are tried, and the one that serves where there is nothing to fit it on.
const (
	coldest, hottest = 0.01, 10.0
	rough            = 0.25
)

// temperature is that with the least log loss of the labels given the scores of each example (Guo, Pleiss, Sun and Weinberger
// 2017), by golden-section search in its logarithm: the loss has one valley in 1/T.
func temperature(scores [][]float64, of []int, seen []int) float64 {
	if len(of) == 0 {
		return rough
	}
	buffer := make([]float64, len(seen))
	loss := func(t float64) float64 {
		sum := 0.0
		for i, s := range scores {
			copy(buffer, s)
			sum += surprise(softmax(buffer, seen, t)[of[i]])
		}
		return sum
	}
	ratio := (math.Sqrt(5) - 1) / 2
	lo, hi := ln(coldest), ln(hottest)
	at := func(x float64) float64 { return loss(float64(hottest * exp(x-ln(hottest)))) }
	a, b := hi-float64(ratio*(hi-lo)), lo+float64(ratio*(hi-lo))
	la, lb := at(a), at(b)
	for hi-lo > 1e-2 {
		if la <= lb {
			hi, b, lb = b, a, la
			a = hi - float64(ratio*(hi-lo))
			la = at(a)
		} else {
			lo, a, la = a, b, lb
			b = lo + float64(ratio*(hi-lo))
			lb = at(b)
		}
	}
	return float64(hottest * exp(float64((lo+hi)/2)-ln(hottest)))
}

// surprise is the log loss of the probability that was given to what came true; one below 1e-15 counts as that.
func surprise(p float64) float64 { return -ln(max(p, 1e-15)) }
