package scenario

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// FillIn begins each text of a [Skeleton] that a person has to write; what is wanted follows it.
const FillIn = "FILL IN"

// mark finds a text that is not written yet.
var mark = lazyregexp.New(`^\s*FILL IN\b:?\s*`)

// unfilled says what is still to be written, place by place, in the order of the file.
func (c *checker) unfilled() {
	look := func(text string, place ...any) {
		at := mark.FindStringIndex(text)
		if at == nil {
			return
		}
		c.draft = true
		message := "fill in " + where(place)
		if want := strings.TrimSpace(text[at[1]:]); want != "" {
			message += ": " + want
		}
		c.fail(message, place...)
	}
	s := c.s
	c.visible(s.Title, "title")
	look(s.Title, "title")
	for i, group := range s.Entities {
		for j, term := range group {
			look(term, "entities", i, j)
			c.visible(term, "entities", i, j)
		}
	}
	for i, row := range s.Params {
		for _, k := range sortedKeys(row) {
			look(row[k], "params", i, k)
		}
	}
	s.eachText(look)
}

// meant is "; did you mean …?" with the word between two signs, or empty where there is none.
func meant(before, word, after string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s%s?", before, word, after)
}
