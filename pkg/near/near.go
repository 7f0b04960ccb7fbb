// Package near finds the word that someone may have meant who typed another: "heuristc" for "heuristic". Messages say it as a hint.
//
// It corrects nothing, and knows no words of its own: the caller names those that are allowed. What agents read a ticket's mistyped words
// with is in pkg/agent, which asks for more. Start with [Hint].
package near

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is how many characters a word may have to be compared; a stranger's may be long.
const longest = 200

// Edits is how many characters have to be added, taken away, changed or swapped with the next to make one word of another (optimal string
// alignment, after Damerau 1964). It takes time and memory by the product of the lengths; words of more than 200 characters are not compared,
// and are as far from any other as the longer is long.
func Edits(a, b string) int {
	if a == b {
		return 0
	}
	if n := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); n > longest {
		return n
	}
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

// Word gives the known word that is nearest to a mistyped one, or nothing where none is near: at most one edit in three characters, at
// least one. Capitals do not count, but the word itself is no answer; one that it is the beginning of, up to a - or _, is near. Words that have
// no character in common are near only if there is no other known word. Of several that are equally near it is the first.
func Word(word string, known []string) string {
	best, distance := "", 1+max(1, utf8.RuneCountInString(word)/3)
	for _, k := range known {
		if k == word {
			continue
		}
		d := Edits(strings.ToLower(word), strings.ToLower(k))
		if strings.HasPrefix(k, word+"_") || strings.HasPrefix(k, word+"-") {
			d = min(d, 1)
		}
		if len(known) > 1 && d >= max(utf8.RuneCountInString(word), utf8.RuneCountInString(k)) {
			continue // they have nothing in common
		}
		if d < distance {
			best, distance = k, d
		}
	}
	return best
}

// Hint is "; did you mean WORD?" for the known word that is nearest to a mistyped one, or empty where none is near.
func Hint(word string, known []string) string { return Meant(Word(word, known)) }

// Meant is "; did you mean WORD?" for what may have been meant, or empty for nothing.
func Meant(word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", word)
}
