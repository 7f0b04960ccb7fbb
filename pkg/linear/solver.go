package linear

import (
	"context"
	"math"
	"math/rand/v2"
)

// matrix is a set of vectors, one after the other: example i has features rows[start[i]:start[i+1]]. Squares has the
// squared length of each, with the 1 of the bias.
type matrix struct {
	features int
	start    []int
	rows     []int32
	values   []float32
	squares  []float64
}

func newMatrix(features int) *matrix { return &matrix{features: features, start: []int{0}} }

func (m *matrix) add(v Vector) {
	squares := 1.0
	for i, value := range v.values {
		x := float64(value) / one
		m.rows, m.values = append(m.rows, v.rows[i]), append(m.values, float32(x))
		squares += float64(x * x)
	}
	m.start, m.squares = append(m.start, len(m.rows)), append(m.squares, squares)
}

// lanes is how many classes are solved side by side, which reads an example once for all of them: the weights of a feature
// for eight classes are one line of the processor's cache.
const lanes = 8

type lane [lanes]float64

// problem is up to eight classes, each against the rest: the examples to train on, the class of each, and what an error
// costs.
type problem struct {
	matrix  *matrix
	of      []int
	class   []int
	classes []int
	// cost is for each class C for its examples and for the others.
	cost      [][2]float64
	tolerance float64
	epochs    int
	random    *rand.Rand
}

// solution has for each lane the weights, the last of which is the bias, and how the search for them went.
type solution struct {
	weights []lane
	alpha   []lane
	epochs  [lanes]int
	// violation is how far the last pass was from the conditions of the optimum.
	violation [lanes]float64
	done      [lanes]bool
}

// solve finds for each class the w with the least ½|w|² + Σ C max(0, 1 − y w·x)² by coordinate descent in the dual: algorithm 3
// of Hsieh, Chang, Lin, Keerthi and Sundararajan, "A Dual Coordinate Descent Method for Large-scale Linear SVM", 2008, with L2
// loss. An example is set aside when that algorithm would do so for all classes. It looks at the context once a pass.
func (p *problem) solve(ctx context.Context) (*solution, error) {
	s := &solution{weights: make([]lane, p.matrix.features+1), alpha: make([]lane, len(p.of))}
	for l := range s.done {
		s.done[l] = l >= len(p.classes)
	}
	order := make([]int32, len(p.of))
	for i := range order {
		order[i] = int32(i)
	}
	w := newPasser(p, s)
	active := len(order)
	for range p.epochs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.random.Shuffle(active, func(i, j int) { order[i], order[j] = order[j], order[i] })
		whole := active == len(order)
		active = w.pass(order, active)
		again, over := w.judge(whole)
		if over {
			break
		}
		if again {
			active = len(order)
		}
	}
	return s, nil
}

// passer goes over the examples.
type passer struct {
	*problem
	*solution
	// half is 1/(2C) of each lane, for others and for its own; bound is the gradient above which an example at 0 is set aside.
	half        [2]lane
	bound       lane
	most, least lane
}

func newPasser(p *problem, s *solution) *passer {
	w := &passer{problem: p, solution: s}
	for l := range p.classes {
		w.half[1][l], w.half[0][l] = 0.5/p.cost[l][0], 0.5/p.cost[l][1]
		w.bound[l] = math.Inf(1)
	}
	return w
}

// pass goes once over the active examples and gives how many are still active.
func (w *passer) pass(order []int32, active int) int {
	for l := range w.most {
		w.most[l], w.least[l] = math.Inf(-1), math.Inf(1)
	}
	for i := 0; i < active; i++ {
		at := order[i]
		if w.step(int(at)) {
			active--
			order[i], order[active] = order[active], order[i]
			i--
		}
	}
	return active
}

// step minimises the dual along the coordinates of one example, and says whether it may be set aside.
func (w *passer) step(at int) (aside bool) {
	x, class, alpha := w.of[at], w.class[at], &w.alpha[at]
	dots := w.matrix.dots(x, w.weights)
	aside = true
	for l, own := range w.classes {
		if w.done[l] {
			continue
		}
		sign, diagonal := -1.0, w.half[0][l]
		if class == own {
			sign, diagonal = 1, w.half[1][l]
		}
		old := alpha[l]
		g := float64(sign*dots[l]) - 1 + float64(diagonal*old)
		projected := g
		if old == 0 {
			if g > w.bound[l] {
				continue
			}
			projected = min(g, 0)
		}
		aside = false
		w.most[l], w.least[l] = max(w.most[l], projected), min(w.least[l], projected)
		if math.Abs(projected) < 1e-12 {
			continue
		}
		alpha[l] = max(old-g/(w.matrix.squares[x]+diagonal), 0)
		w.matrix.addTo(x, float64(sign*(alpha[l]-old)), w.weights, l)
	}
	return aside
}

// judge ends the lanes that are close enough to the optimum, where the pass went over all examples. It says whether the next
// pass must, and whether all lanes have ended.
func (w *passer) judge(whole bool) (again, over bool) {
	near := true
	over = true
	for l := range w.classes {
		if w.done[l] {
			continue
		}
		w.solution.epochs[l]++
		w.violation[l] = max(w.most[l]-w.least[l], 0)
		if w.violation[l] <= w.tolerance {
			w.done[l] = whole
		} else {
			near = false
		}
		if w.bound[l] = w.most[l]; w.most[l] <= 0 {
			w.bound[l] = math.Inf(1)
		}
		over = over && w.done[l]
	}
	if again = near && !over; again {
		// What was set aside may matter again.
		for l := range w.bound {
			w.bound[l] = math.Inf(1)
		}
	}
	return again, over
}

// dots are the products of an example and the weights of each lane.
func (m *matrix) dots(x int, weights []lane) lane {
	rows := m.rows[m.start[x]:m.start[x+1]]
	values := m.values[m.start[x]:m.start[x+1]][:len(rows)]
	bias := &weights[len(weights)-1]
	a, b, c, d := bias[0], bias[1], bias[2], bias[3]
	e, f, g, h := bias[4], bias[5], bias[6], bias[7]
	for i, row := range rows {
		w, v := &weights[row], float64(values[i])
		a += float64(v * w[0])
		b += float64(v * w[1])
		c += float64(v * w[2])
		d += float64(v * w[3])
		e += float64(v * w[4])
		f += float64(v * w[5])
		g += float64(v * w[6])
		h += float64(v * w[7])
	}
	return lane{a, b, c, d, e, f, g, h}
}

// addTo adds an example times a factor to the weights of a lane.
func (m *matrix) addTo(x int, factor float64, weights []lane, l int) {
	rows := m.rows[m.start[x]:m.start[x+1]]
	values := m.values[m.start[x]:m.start[x+1]][:len(rows)]
	for i, row := range rows {
		weights[row][l] += float64(float64(values[i]) * factor)
	}
	weights[len(weights)-1][l] += factor
}
