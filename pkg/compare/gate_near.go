package compare

import (
	"fmt"
	"strings"
)

// Meant is "; did you mean NAME?" for the name that is nearest to a mistyped one, or empty where none is near.
func Meant(word string, known []string) string { return meant(word, known) }

// meant is "; did you mean …?" for the known word that is nearest to one, or empty where none is near.
func meant(word string, known []string) string {
	best, distance := "", 1+max(1, len([]rune(word))/3)
	for _, k := range known {
		if k == word {
			continue
		}
		d := edits(strings.ToLower(word), strings.ToLower(k))
		if strings.HasPrefix(k, word+"_") || strings.HasPrefix(k, word+"-") {
			d = min(d, 1)
		}
		if d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// edits is how many characters have to be added, taken away, changed or swapped with the next to make one word of another.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
