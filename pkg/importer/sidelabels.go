package importer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// sideLabels remembers the labels of the tickets, to see how the sides differ in them: 4 bytes a ticket and label, and each value once.
type sideLabels struct {
	n      int
	labels map[string]*sidesOfLabel
}

// sidesOfLabel is one label: of has a ticket's value as its place in values, counted from 1, and 0 for none; it may be shorter than there
// are tickets.
type sidesOfLabel struct {
	places map[string]uint32
	values []string
	of     []uint32
}

// add takes the labels of the next ticket.
func (s *sideLabels) add(labels map[string]string) {
	for name, value := range labels {
		c := s.labels[name]
		if c == nil {
			if s.labels == nil {
				s.labels = map[string]*sidesOfLabel{}
			}
			c = &sidesOfLabel{places: map[string]uint32{}}
			s.labels[name] = c
		}
		at, ok := c.places[value]
		if !ok {
			c.values = append(c.values, value)
			at = uint32(len(c.values))
			c.places[value] = at
		}
		for len(c.of) < s.n {
			c.of = append(c.of, 0)
		}
		c.of = append(c.of, at)
	}
	s.n++
}

// enoughToCompare is how many tickets of a label a side must have before what it has is held against the other's.
const enoughToCompare = 20

// doubts says in sentences, label by label, where the sides differ much; test tells which tickets are for testing.
func (s *sideLabels) doubts(test func(i int) bool) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.labels)) {
		c := s.labels[name]
		train, tests := make([]int, len(c.values)+1), make([]int, len(c.values)+1)
		for i, at := range c.of {
			switch {
			case at == 0:
			case test(i):
				tests[at]++
				tests[0]++
			default:
				train[at]++
				train[0]++
			}
		}
		most := 0
		var strange []string
		for at := 1; at < len(train); at++ {
			if train[at] > 0 && (most == 0 || train[at] > train[most]) {
				most = at
			}
			if train[at] == 0 && tests[at] > 0 {
				strange = append(strange, c.values[at-1])
			}
		}
		if most > 0 && train[0] >= enoughToCompare && tests[0] >= enoughToCompare {
			const half = 0.5
			in, of := float64(train[most])/float64(train[0]), float64(tests[most])/float64(tests[0])
			if of < float64(half*in) {
				out = append(out, fmt.Sprintf("label %s: %s has %.0f %% of the tickets for training and %.0f %% of those for testing: what is learned of one side says little of the other",
					name, strconv.Quote(shorten(c.values[most-1])), 100*in, 100*of))
			}
		}
		if len(strange) > 0 && train[0] >= enoughToCompare {
			out = append(out, strangeValues(name, strange))
		}
	}
	return out
}

// strangeValues says which values no agent can learn.
func strangeValues(label string, values []string) string {
	const most = 3
	slices.Sort(values)
	quoted := make([]string, min(len(values), most))
	for i := range quoted {
		quoted[i] = strconv.Quote(shorten(values[i]))
	}
	if len(values) == 1 {
		return fmt.Sprintf("label %s: %s is there for testing only, so that nobody can learn it", label, quoted[0])
	}
	list := strings.Join(quoted, ", ")
	if len(values) > most {
		list += ", …"
	}
	return fmt.Sprintf("label %s: %d values are there for testing only, so that nobody can learn them: %s", label, len(values), list)
}
