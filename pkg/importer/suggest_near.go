package importer

import (
	"strings"
	"unicode"
)

// letters leaves a value's letters and digits, lower case.
func letters(value string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, value)
}

// digits leaves a value's digits.
func digits(value string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, value)
}

// within tells whether a becomes b by at most k insertions, deletions, changes of a letter or swaps of two neighbours.
func within(a, b string, k int) bool {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > k || len(y)-len(x) > k {
		return false
	}
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
			least = min(least, now[j])
		}
		if least > k {
			return false
		}
		before, last, now = last, now, before
	}
	return last[len(y)] <= k
}

// mergeOf is merge of a column's values; of the labels of a mail, those that a program gives become none.
func (s *Suggest) mergeOf(col *suggestColumn) []proposal {
	list := s.merge(col.sorted())
	if !s.format.isMail() || !isFiled(col.name) {
		return list
	}
	for i := range list {
		if isProgramLabel(list[i].theirs) {
			list[i].ours, list[i].why = "", "given by a program"
		}
	}
	return list
}

// merge proposes one spelling for values that are nearly equal, that of the most frequent, and "other" for rare ones.
func (s *Suggest) merge(values []ValueCount) []proposal {
	const compared = 500 // the most frequent: all are compared with all
	var out []proposal
	for i, v := range values {
		p := proposal{theirs: v.Value, count: v.Count, ours: v.Value}
		if nothing(v.Value) {
			out = append(out, proposal{theirs: v.Value, count: v.Count, why: "stands for no value"})
			continue
		}
		for j := range min(i, compared) {
			if i >= compared || out[j].ours != out[j].theirs {
				continue
			}
			if p.why = nearlyEqual(v, values[j]); p.why != "" {
				p.ours = out[j].ours
				break
			}
		}
		if p.why == "" && v.Count < s.min {
			p.ours, p.why = "other", "rare"
		}
		out = append(out, p)
	}
	return out
}

// nearlyEqual says why a value is probably another spelling of a more frequent one; it is empty where it is not. Values of
// different digits are never the same.
func nearlyEqual(v, of ValueCount) string {
	a, b := letters(v.Value), letters(of.Value)
	switch {
	case a == "" || digits(a) != digits(b):
		return ""
	case strings.EqualFold(v.Value, of.Value):
		return "differs in case only"
	case a == b && len(a) >= 3:
		return "differs in case and punctuation only"
	}
	const seldom = 5 // a slip is rarer than what was meant
	short := min(len(a), len(b))
	if v.Count*seldom <= of.Count && (short >= 5 && within(a, b, 1) || short >= 10 && within(a, b, 2)) {
		return "nearly the same spelling"
	}
	return ""
}
