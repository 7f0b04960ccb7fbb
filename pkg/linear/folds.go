package linear

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// folds deals the examples that have a label into so many folds, each label as evenly as can be, examples of a group into
// the same. It gives the fold of each example, -1 where there is no label.
func folds(examples []Example, of []int, classes, n int, seed uint64) []int {
	type group struct {
		members []int
		place   uint64
	}
	var groups []group
	byName := map[string]int{}
	random := rand.New(rand.NewPCG(seed, 0xf01d))
	for i, label := range of {
		if label == NoLabel {
			continue
		}
		g, ok := byName[examples[i].Group]
		if !ok || examples[i].Group == "" {
			g = len(groups)
			byName[examples[i].Group] = g
			groups = append(groups, group{place: random.Uint64()})
		}
		groups[g].members = append(groups[g].members, i)
	}
	// Large groups first, while there is room to even them out; those of one size in random order.
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(len(b.members), len(a.members)), cmp.Compare(a.place, b.place))
	})
	out := slices.Repeat([]int{-1}, len(of))
	sizes := make([]int, n)
	have := make([][]int, n)
	for f := range have {
		have[f] = make([]int, classes)
	}
	for _, g := range groups {
		best, least := 0, -1
		for f := range n {
			same := 0
			for _, i := range g.members {
				same += have[f][of[i]]
			}
			if least < 0 || same < least || same == least && sizes[f] < sizes[best] {
				best, least = f, same
			}
		}
		for _, i := range g.members {
			out[i] = best
			have[best][of[i]]++
		}
		sizes[best] += len(g.members)
	}
	return out
}
