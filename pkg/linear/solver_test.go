package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// problemOf is all classes against the rest on some vectors, solved to nearly the optimum.
func problemOf(vectors []Vector, class []int, classes, features int, cost [2]float64) *problem {
	p := &problem{matrix: newMatrix(features), class: class, tolerance: 1e-9, epochs: 100_000, random: rand.New(rand.NewPCG(1, 1))}
	for i, v := range vectors {
		p.matrix.add(v)
		p.of = append(p.of, i)
	}
	for c := range classes {
		p.classes, p.cost = append(p.classes, c), append(p.cost, cost)
	}
	return p
}

func solved(t *testing.T, p *problem) *solution {
	t.Helper()
	s, err := p.solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTwoPointsOppositeEachOtherHaveTheWeightOfTheFormula(t *testing.T) {
	t.Parallel()
	// The least ½w² + 2C(1−w)² is at w = 4C/(1+4C), and the bias is 0 by symmetry.
	for _, c := range []float64{0.01, 0.5, 1, 100} {
		p := problemOf([]Vector{{[]int32{0}, []int32{one}}, {[]int32{0}, []int32{-one}}}, []int{0, 1}, 2, 1, [2]float64{c, c})
		s := solved(t, p)
		want := 4 * c / (1 + 4*c)
		for l, sign := range []float64{1, -1} {
			if w, b := s.weights[0][l], s.weights[1][l]; math.Abs(w-sign*want) > 1e-6 || math.Abs(b) > 1e-6 {
				t.Errorf("C %v, class %d: weight %v and bias %v, want %v and 0", c, l, w, b, sign*want)
			}
		}
	}
}

func randomProblem(seed uint64) *problem {
	r := rand.New(rand.NewPCG(seed, 3))
	const features, n, classes = 40, 120, 5
	vectors, class := make([]Vector, n), make([]int, n)
	for i := range vectors {
		class[i] = r.IntN(classes)
		for f := range features {
			if r.IntN(6) == 0 || f%classes == class[i] && r.IntN(3) == 0 {
				vectors[i].rows = append(vectors[i].rows, int32(f))
				vectors[i].values = append(vectors[i].values, int32(r.IntN(one)))
			}
		}
	}
	return problemOf(vectors, class, classes, features, [2]float64{2, 0.5})
}

func TestTheSolverClosesTheDualityGap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		p := randomProblem(seed)
		s := solved(t, p)
		for l := range p.classes {
			primal, dual := 0.0, 0.0
			for _, w := range s.weights {
				primal += w[l] * w[l] / 2
				dual -= w[l] * w[l] / 2
			}
			for i, x := range p.of {
				sign, c := -1.0, p.cost[l][1]
				if p.class[i] == l {
					sign, c = 1, p.cost[l][0]
				}
				loss := max(0, 1-sign*p.matrix.dots(x, s.weights)[l])
				primal += c * loss * loss
				a := s.alpha[i][l]
				if a < 0 {
					t.Fatalf("seed %d: alpha %d of class %d is %v", seed, i, l, a)
				}
				dual += a - a*a/(4*c)
			}
			if primal-dual > 1e-6*primal || dual > primal+1e-9 {
				t.Errorf("seed %d, class %d: primal %v, dual %v", seed, l, primal, dual)
			}
		}
	}
}

func TestTheWeightsAreTheSumOfTheExamplesTimesTheirAlphas(t *testing.T) {
	t.Parallel()
	p := randomProblem(1)
	s := solved(t, p)
	want := make([]lane, len(s.weights))
	for i, x := range p.of {
		for l := range p.classes {
			sign := -1.0
			if p.class[i] == l {
				sign = 1
			}
			p.matrix.addTo(x, sign*s.alpha[i][l], want, l)
		}
	}
	for f := range want {
		for l := range want[f] {
			if math.Abs(want[f][l]-s.weights[f][l]) > 1e-6 {
				t.Fatalf("feature %d, lane %d: %v, want %v", f, l, s.weights[f][l], want[f][l])
			}
		}
	}
}

func TestTheSolverStopsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := randomProblem(1).solve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTheSolverMakesNoMorePassesThanAllowed(t *testing.T) {
	t.Parallel()
	p := randomProblem(1)
	p.epochs = 3
	if s := solved(t, p); s.epochs != [lanes]int{3, 3, 3, 3, 3} || s.violation[0] <= p.tolerance {
		t.Errorf("passes %v, violation %v", s.epochs, s.violation)
	}
}
