package linear

import (
	"fmt"
	"math"
	"slices"
)

// Bundle is one model for each column of labels, over one space of features. It does not change; many may use it at once.
type Bundle struct {
	space  *space
	models []*Model
}

// Model answers one column of labels.
type Model struct {
	name    string
	values  []string
	ordered bool
	cost    [][]float64
	// seen is how many examples of each class it was trained on; one without is never answered.
	seen []int
	// weights are in units of scale[class]; bias is added to the sum.
	weights     sparse
	scale, bias []float64
	temperature float64
}

// sparse has for each feature the weights that are not 0: those of feature i are weight[start[i]:start[i+1]], for the classes beside
// them.
type sparse struct {
	start  []uint32
	class  []uint16
	weight []int8
}

// sparseOf takes rows of a weight for each class.
func sparseOf(weights []int8, classes int) sparse {
	s := sparse{start: []uint32{0}}
	for at := 0; at < len(weights); at += classes {
		for c, w := range weights[at : at+classes] {
			if w != 0 {
				s.class, s.weight = append(s.class, uint16(c)), append(s.weight, w)
			}
		}
		s.start = append(s.start, uint32(len(s.weight)))
	}
	return s
}

func (s *sparse) row(row int32) ([]uint16, []int8) {
	lo, hi := s.start[row], s.start[row+1]
	return s.class[lo:hi], s.weight[lo:hi][:hi-lo]
}

// at is the weight of a feature for a class.
func (s *sparse) at(row int32, class int) int8 {
	classes, weights := s.row(row)
	if i, ok := slices.BinarySearch(classes, uint16(class)); ok {
		return weights[i]
	}
	return 0
}

// Models are those of the bundle, in the order of the columns they were trained on.
func (b *Bundle) Models() []*Model { return slices.Clone(b.models) }

// Model is the one of a column, or an error that says which there are.
func (b *Bundle) Model(name string) (*Model, error) {
	var names []string
	for _, m := range b.models {
		if m.name == name {
			return m, nil
		}
		names = append(names, m.name)
	}
	return nil, fmt.Errorf("no model for labels %q: there are %q", name, names)
}

// Features is how many n-grams and fields the bundle knows.
func (b *Bundle) Features() int { return len(b.space.keys) }

// Examples is how many examples it was trained on.
func (b *Bundle) Examples() int { return b.space.n }

// Vector is an example in numbers, for all models of this bundle and no other.
func (b *Bundle) Vector(e Example) Vector { return b.space.vector(e, false) }

// Name is the column's.
func (m *Model) Name() string { return m.name }

// Values are what it may answer, in the order of [Labels.Values].
func (m *Model) Values() []string { return slices.Clone(m.values) }

// Ordered says whether the values are a scale.
func (m *Model) Ordered() bool { return m.ordered }

// Seen is on how many examples of each value it was trained. A value without any has probability 0 and is never decided on.
func (m *Model) Seen() []int { return slices.Clone(m.seen) }

// Temperature divides the scores before they become probabilities.
func (m *Model) Temperature() float64 { return m.temperature }

// scores are the distances from each class's plane.
func (m *Model) scores(v Vector) []float64 {
	classes := len(m.values)
	sums := make([]int64, classes)
	for i, row := range v.rows {
		x := int64(v.values[i])
		places, weights := m.weights.row(row)
		for k, c := range places {
			sums[c] += x * int64(weights[k])
		}
	}
	out := make([]float64, classes)
	for c, sum := range sums {
		out[c] = float64(float64(float64(sum)*m.scale[c])/one) + m.bias[c]
	}
	return out
}

// Probabilities are the chances of each value, 0..1, which add up to 1: the softmax of the scores over the temperature.
func (m *Model) Probabilities(v Vector) []float64 { return softmax(m.scores(v), m.seen, m.temperature) }

// softmax turns scores of the classes that were seen into probabilities, in place.
func softmax(scores []float64, seen []int, temperature float64) []float64 {
	most := math.Inf(-1)
	for c, s := range scores {
		if seen[c] > 0 {
			most = max(most, s)
		}
	}
	sum := 0.0
	for c, s := range scores {
		scores[c] = 0
		if seen[c] > 0 {
			scores[c] = exp((s - most) / temperature)
			sum += scores[c]
		}
	}
	for c := range scores {
		scores[c] /= sum
	}
	return scores
}

// Decide gives the place of the value to answer: the one with the least expected cost by [Labels.Cost], or the least expected
// distance on an ordered scale, or else the most probable. Of equals it takes the more probable, then the first.
func (m *Model) Decide(probabilities []float64) int {
	if m.cost == nil {
		return decide(probabilities, m.seen, nil)
	}
	return decide(probabilities, m.seen, m.cost)
}

// DecideBy is Decide with another cost, cost[truth][answer], with a row and a column for each value, finite and 0 or more. It is
// an error if it is not so.
func (m *Model) DecideBy(probabilities []float64, cost [][]float64) (int, error) {
	if err := checkCost(m.name, cost, len(m.values)); err != nil {
		return 0, err
	}
	return decide(probabilities, m.seen, cost), nil
}

func decide(probabilities []float64, seen []int, cost [][]float64) int {
	best, least := -1, 0.0
	for a, p := range probabilities {
		if seen[a] == 0 {
			continue
		}
		expected := 1 - p
		if cost != nil {
			expected = 0
			for t, p := range probabilities {
				expected += float64(p * cost[t][a])
			}
		}
		if best < 0 || expected < least || expected == least && p > probabilities[best] {
			best, least = a, expected
		}
	}
	return best
}
