package compare

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
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
		d := triage.Edits(strings.ToLower(word), strings.ToLower(k))
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
