package scenario

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// hidden tells characters that nobody sees: controls, and those that turn the direction of text.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar
}

// visible refuses characters that nobody sees.
func (c *checker) visible(text string, place ...any) {
	if i := strings.IndexFunc(text, hidden); i >= 0 {
		c.fail(fmt.Sprintf("%s has the character %q, which is not seen in a mail: take it out", where(place), []rune(text[i:])[0]), place...)
	}
}

// facts checks deadlines, efforts and what other mails borrow.
func (c *checker) facts() {
	s := c.s
	for _, d := range []triage.Deadline{triage.Days, triage.Hours} {
		c.levels(s.Deadline[d], 2, 2, 1, "deadline", string(d))
	}
	deadlines := make([]string, 0, len(s.Deadline))
	for d := range s.Deadline {
		deadlines = append(deadlines, string(d))
	}
	sort.Strings(deadlines)
	for _, d := range deadlines {
		oneOf(c, "deadline", triage.Deadline(d), []triage.Deadline{triage.Days, triage.Hours}, "deadline", d)
	}
	if len(s.Effort) < minEfforts {
		c.fail(fmt.Sprintf("effort has %d values, needs at least %d", len(s.Effort), minEfforts), "effort")
	}
	names := make([]string, 0, len(s.Effort))
	for e := range s.Effort {
		names = append(names, string(e))
	}
	sort.Strings(names)
	for _, e := range names {
		oneOf(c, "effort", triage.Effort(e), triage.Efforts(), "effort", e)
		c.levels(s.Effort[triage.Effort(e)], 2, 2, 1, "effort", e)
	}
	c.atLeast(s.Mentions.Passing, 2, "mentions", "passing")
	c.atLeast(s.Mentions.Denied, 2, "mentions", "denied")
	c.atLeast(s.Quoted, 2, "quoted")
	c.atLeast(s.Settled, 2, "settled")
}

// placeholders must be filled by every row, and every value of a row be used.
func (c *checker) placeholders() {
	s := c.s
	if len(s.Params) == 0 {
		return
	}
	used := map[string]bool{}
	s.eachText(func(text string, place ...any) {
		c.visible(text, place...)
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
			if _, ok := s.Params[0][m[1]]; !ok && !slices.Contains(builtin, m[1]) {
				known := slices.Concat(sortedKeys(s.Params[0]), builtin)
				c.fail(fmt.Sprintf("placeholder {%s} is neither in params nor one of {%s}", m[1], strings.Join(builtin, "}, {"))+meant("{", near.Word(m[1], known), "}"), place...)
			}
		}
		if n := len(placeholder.FindAllString(text, -1)); strings.Count(text, "{") != n || strings.Count(text, "}") != n {
			c.fail("a brace that is no placeholder: placeholders look like {ref}, and a text has no other braces", place...)
		}
	})
	for _, k := range builtin {
		if _, ok := s.Params[0][k]; ok {
			c.fail(fmt.Sprintf("parameter %q has the name of a built-in placeholder: give it another", k), "params", 0)
		}
	}
	c.rows()
	for _, k := range sortedKeys(s.Params[0]) {
		if !used[k] && !c.draft {
			c.fail(fmt.Sprintf("parameter %q is used in no text: use or remove it", k), "params", 0)
		}
	}
}

// rows must all have the same keys: those of most of them.
func (c *checker) rows() {
	rows := c.s.Params
	counts := map[string]int{}
	for _, row := range rows {
		counts[strings.Join(sortedKeys(row), " ")]++
	}
	usual := rows[0]
	for _, row := range rows {
		if counts[strings.Join(sortedKeys(row), " ")] > counts[strings.Join(sortedKeys(usual), " ")] {
			usual = row
		}
	}
	for i, row := range rows {
		place := where([]any{"params", i})
		mistyped := map[string]bool{}
		for _, k := range sortedKeys(row) {
			if _, ok := usual[k]; !ok {
				nearest := near.Word(k, sortedKeys(usual))
				mistyped[nearest] = true
				c.fail(fmt.Sprintf("%s has a key %q that the other rows lack: give all rows the same keys", place, k)+meant("", nearest, ""), "params", i, k)
			}
			c.visible(row[k], "params", i, k)
			if v := row[k]; strings.TrimSpace(v) == "" || strings.ContainsAny(v, "{}") {
				c.fail(fmt.Sprintf("value %q of key %q: want a text without braces", v, k), "params", i, k)
			}
		}
		for _, k := range sortedKeys(usual) {
			if _, ok := row[k]; !ok && !mistyped[k] {
				c.fail(fmt.Sprintf("%s lacks the key %q that the other rows have: give all rows the same keys", place, k), "params", i)
			}
		}
	}
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// eachText calls f for every text with its place in the file.
func (s *Scenario) eachText(f func(text string, place ...any)) {
	list := func(texts []string, place ...any) {
		for i, t := range texts {
			f(t, append(slices.Clone(place), i)...)
		}
	}
	levels := func(l Levels, place ...any) {
		list(l.Plain, append(slices.Clone(place), "plain")...)
		list(l.Indirect, append(slices.Clone(place), "indirect")...)
		list(l.Buried, append(slices.Clone(place), "buried")...)
	}
	list(s.Subjects.Plain, "subjects", "plain")
	list(s.Subjects.Vague, "subjects", "vague")
	levels(s.Statement, "statement")
	levels(s.Ask, "ask")
	for i := range s.Situations {
		levels(s.Situations[i].Levels, "situations", i)
	}
	for _, d := range triage.Deadlines() {
		levels(s.Deadline[d], "deadline", string(d))
	}
	for _, e := range triage.Efforts() {
		levels(s.Effort[e], "effort", string(e))
	}
	list(s.Details, "details")
	list(s.Secondary.Cosmetic, "secondary", "cosmetic")
	list(s.Secondary.Degraded, "secondary", "degraded")
	list(s.Mentions.Passing, "mentions", "passing")
	list(s.Mentions.Denied, "mentions", "denied")
	list(s.Quoted, "quoted")
	list(s.Settled, "settled")
	list(s.Resolved, "resolved")
}

// Request gives the facts of the situation as a request of the scenario, without deadline and effort.
func (x *Situation) Request(s *Scenario) triage.Request {
	return triage.Request{Scenario: s.Slug, Route: s.Route, Category: s.Desk, Severity: x.Severity, Impact: x.Impact,
		Workaround: x.Workaround != nil && *x.Workaround, Stake: x.Stake}
}
