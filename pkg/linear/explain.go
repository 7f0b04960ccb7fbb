package linear

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Contribution is what an n-gram or field of an example adds to an answer.
type Contribution struct {
	// Name is the text's name; empty for a field.
	Name string
	// Kind is "word", "char", "field" or "bias".
	Kind string
	// Text is the n-gram as the text has it, in lower case: it is a stranger's, without control characters. A space at an end
	// of a "char" is the end of a word.
	Text string
	// Words are the words it stands in, the one it is from for a "char". Of a longer word or n-gram the first 64 runes are given.
	Words string
	// Weight is what it adds to the logarithm of the odds of the answer against the other one: above 0 speaks for it.
	Weight float64
}

// Explain says what the features of an example add to the log odds of one value against another, both given as places in
// [Model.Values], which must not be the same; both must have been seen in training. They add up to ln(p[class]/p[against]). The
// largest come first, whether for or against; an n-gram that is there several times is one contribution for each word it is in.
func (b *Bundle) Explain(m *Model, e Example, class, against int) ([]Contribution, error) {
	for _, c := range []int{class, against} {
		if c < 0 || c >= len(m.values) || m.seen[c] == 0 {
			return nil, fmt.Errorf("explaining labels %q: value %d is none of the %d, or no example had it", m.name, c, len(m.values))
		}
	}
	if class == against {
		return nil, fmt.Errorf("explaining labels %q: value %d against itself", m.name, class)
	}
	if !slices.Contains(b.models, m) {
		return nil, fmt.Errorf("explaining labels %q: the model is of another bundle", m.name)
	}
	x := explainer{model: m, class: class, against: against, merged: map[Contribution]float64{}}
	x.weights(b.space.vector(e, false))
	b.space.trace(e, x.of, x.add)
	out := []Contribution{{Kind: "bias", Weight: (m.bias[class] - m.bias[against]) / m.temperature}}
	for _, c := range x.order {
		weight := x.merged[c]
		c.Weight = weight
		out = append(out, c)
	}
	return heaviest(out), nil
}

// ByWord adds up what n-grams of characters and single words contribute under the words they stand in; what spans several words
// stays as it is. The largest come first.
func ByWord(list []Contribution) []Contribution {
	sums := map[Contribution]float64{}
	var order []Contribution
	for _, c := range list {
		key := Contribution{Name: c.Name, Kind: c.Kind, Text: c.Text, Words: c.Words}
		if c.Kind == "char" || c.Kind == "word" {
			key.Kind, key.Text = "word", c.Words
		}
		if _, ok := sums[key]; !ok {
			order = append(order, key)
		}
		sums[key] += c.Weight
	}
	for i := range order {
		order[i].Weight = sums[order[i]]
	}
	return heaviest(order)
}

func heaviest(list []Contribution) []Contribution {
	slices.SortStableFunc(list, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(b.Weight, a.Weight),
			strings.Compare(a.Name, b.Name), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Text, b.Text), strings.Compare(a.Words, b.Words))
	})
	return list
}

type explainer struct {
	model          *Model
	class, against int
	// of has for each feature what it adds to the log odds, in all.
	of     map[int32]float64
	merged map[Contribution]float64
	order  []Contribution
}

func (x *explainer) weights(v Vector) {
	m := x.model
	x.of = map[int32]float64{}
	for i, row := range v.rows {
		odds := float64(float64(m.weights.at(row, x.class))*m.scale[x.class]) - float64(float64(m.weights.at(row, x.against))*m.scale[x.against])
		x.of[row] += float64(odds*float64(v.values[i])) / one / m.temperature
	}
}

// add gives one of several places of a row its share.
func (x *explainer) add(row int32, share float64, c Contribution) {
	weight := float64(x.of[row] * share)
	if _, ok := x.merged[c]; !ok {
		x.order = append(x.order, c)
	}
	x.merged[c] += weight
}

// trace calls f for each place of each feature that an example has and that is wanted, with the share of the feature's weight that
// falls to it.
func (s *space) trace(e Example, wanted map[int32]float64, f func(row int32, share float64, c Contribution)) {
	count := map[int32]int{}
	s.places(e, func(row int32, _ func() Contribution) { count[row]++ })
	s.places(e, func(row int32, c func() Contribution) {
		if wanted[row] != 0 {
			f(row, 1/float64(count[row]), c())
		}
	})
}

// places calls f for each place of each feature that an example has.
func (s *space) places(e Example, f func(row int32, c func() Contribution)) {
	scan := s.opt.scanner()
	for _, t := range e.Texts {
		scan.scan(t.Text)
		for _, k := range []kind{word, char} {
			scan.eachOf(k, seeder(k, t.Name), func(g gram) {
				if row := s.row(g.hash); row >= 0 {
					f(row, func() Contribution { return scan.contribution(t.Name, g) })
				}
			})
		}
	}
	seen := map[string]bool{}
	for _, field := range e.Fields {
		if row := s.row(hashOf(field, fieldSeed)); row >= 0 && !seen[field] {
			seen[field] = true
			f(row, func() Contribution { return Contribution{Kind: "field", Text: field, Words: field} })
		}
	}
}

// contribution names an n-gram and the words it stands in.
func (s *scanner) contribution(name string, g gram) Contribution {
	c := Contribution{Name: name, Kind: "word", Text: s.text(span{g.lo, g.hi})}
	c.Words = c.Text
	if g.kind == char {
		c.Kind, c.Words = "char", s.wordAt(g)
	}
	return c
}

// longest is how many runes of a word an explanation shows.
const longest = 64

func (s *scanner) text(at span) string {
	if at.hi-at.lo > longest {
		return string(s.runes[at.lo:at.lo+longest]) + "…"
	}
	return string(s.runes[at.lo:at.hi])
}

// wordAt is the word of a token that an n-gram of characters touches first, or the whole token where it touches none.
func (s *scanner) wordAt(g gram) string {
	lo := g.lo
	if s.runes[lo] == ' ' {
		lo++
	}
	i, _ := slices.BinarySearchFunc(s.inner, lo, func(w span, at int) int { return cmp.Compare(w.hi, at+1) })
	if i < len(s.inner) && s.inner[i].lo < g.hi {
		return s.text(s.inner[i])
	}
	j, _ := slices.BinarySearchFunc(s.tokens, lo, func(w span, at int) int { return cmp.Compare(w.hi, at+1) })
	if j < len(s.tokens) {
		return s.text(s.tokens[j])
	}
	return s.text(span{g.lo, g.hi})
}
