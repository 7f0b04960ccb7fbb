package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/triagebench/triage/pkg/testkit"
)

func TestTheCodeHasNoFusedProducts(t *testing.T) {
	t.Parallel()
	testkit.NoFusedProducts(t, 15)
}

func TestExpAndLnAreThoseOfMath(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := -r.Float64() * math.Pow(10, float64(r.IntN(6)-3))
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 2e-15*want && x > -700 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
		v := math.Ldexp(r.Float64()+1e-9, r.IntN(100)-50)
		if got, want := ln(v), math.Log(v); math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
			t.Fatalf("ln(%v) = %v, want %v", v, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 1, -701: 0, math.Inf(-1): 0} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := ln(1); got != 0 {
		t.Errorf("ln(1) = %v", got)
	}
}
