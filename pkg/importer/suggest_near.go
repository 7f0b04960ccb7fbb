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
