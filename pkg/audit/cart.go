package audit

import "slices"

// treeDepth is how many questions a tree asks, leastLeaf how many rows a leaf needs: fewer are chance.
const treeDepth, leastLeaf = 3, 50

// row is an example for a tree.
type row struct {
	traces [traceCount]int32
	label  int
}

// tree is a binary decision tree: what is at most at goes left.
type tree struct {
	feature     int
	at          int32
	left, right *tree // nil in a leaf
	answer      int
}

// label gives the tree's answer.
func (t *tree) label(r *row) int {
	for t.left != nil {
		if r.traces[t.feature] <= t.at {
			t = t.left
		} else {
			t = t.right
		}
	}
	return t.answer
}

// grow learns a tree on the first features, splitting where the Gini impurity falls most. It reorders rows.
func grow(rows []row, features, depth int) *tree {
	t := &tree{answer: leaf(rows)}
	if depth == 0 || len(rows) < 2*leastLeaf {
		return t
	}
	best := purity(counts(rows), len(rows)) + exact
	found := false
	for f := range features {
		if value, at, ok := split(rows, f); ok && value > best {
			best, t.feature, t.at, found = value, f, at, true
		}
	}
	if !found {
		return t
	}
	sortBy(rows, t.feature)
	n, _ := slices.BinarySearchFunc(rows, t.at+1, func(r row, at int32) int { return int(r.traces[t.feature] - at) })
	t.left, t.right = grow(rows[:n], features, depth-1), grow(rows[n:], features, depth-1)
	return t
}

func sortBy(rows []row, feature int) {
	slices.SortStableFunc(rows, func(a, b row) int { return int(a.traces[feature] - b.traces[feature]) })
}

// labelCount is the most labels that a tree tells apart.
const labelCount = 5

func counts(rows []row) (out [labelCount]int) {
	for i := range rows {
		out[rows[i].label]++
	}
	return out
}

// leaf is the most frequent label, the first of them if several are.
func leaf(rows []row) int {
	c := counts(rows)
	best := 0
	for i, n := range c {
		if n > c[best] {
			best = i
		}
	}
	return best
}

// purity is Σ n²/N: the higher the sum over all leaves, the lower their Gini impurity.
func purity(c [labelCount]int, n int) float64 {
	sum := 0
	for _, x := range c {
		sum += x * x
	}
	return float64(sum) / float64(max(1, n))
}

// split finds the best threshold of a feature; ok is false where none leaves enough rows on both sides.
func split(rows []row, feature int) (value float64, at int32, ok bool) {
	sortBy(rows, feature)
	right := counts(rows)
	var left [labelCount]int
	for i := 0; i+leastLeaf < len(rows); i++ {
		left[rows[i].label]++
		right[rows[i].label]--
		x := rows[i].traces[feature]
		if i+1 < leastLeaf || x == rows[i+1].traces[feature] {
			continue
		}
		if v := purity(left, i+1) + purity(right, len(rows)-i-1); !ok || v > value {
			value, at, ok = v, x, true
		}
	}
	return value, at, ok
}
