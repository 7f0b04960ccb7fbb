package linear

import "math"

// exp is e to the power of x for x ≤ 0, within 1e-15 of it, with the same bits on every architecture; math.Exp is written
// in assembler on some, with other last bits. Below -700 it is 0.
func exp(x float64) float64 {
	if !(x > -700) {
		return 0
	}
	// x = k ln 2 + r with |r| ≤ ln 2 / 2; the series of e^r, its even and odd terms apart.
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*6.93147180369123816490e-01) - float64(k*1.90821492927058770002e-10)
	r2 := float64(r * r)
	even, odd := 1.0/479001600, 1.0/6227020800
	for _, c := range [...][2]float64{
		{1.0 / 3628800, 1.0 / 39916800}, {1.0 / 40320, 1.0 / 362880}, {1.0 / 720, 1.0 / 5040}, {1.0 / 24, 1.0 / 120}, {1.0 / 2, 1.0 / 6}, {1, 1},
	} {
		even, odd = c[0]+float64(r2*even), c[1]+float64(r2*odd)
	}
	// 2^k times that; k is -1010 at least.
	return (even + float64(r*odd)) * math.Float64frombits(uint64(1023+int(k))<<52)
}

// ln is the natural logarithm of x > 0, within 1e-15 of it (relative or absolute), with the same bits everywhere.
func ln(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	// ln m = 2 artanh((m-1)/(m+1)), whose argument is at most 0.172.
	t := (m - 1) / (m + 1)
	t2 := float64(t * t)
	sum := 0.0
	for n := 23.0; n >= 1; n -= 2 {
		sum = 1/n + float64(t2*sum)
	}
	return float64(float64(e)*math.Ln2) + 2*float64(t*sum)
}
