package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// builtin are the placeholders that every scenario may use beside its own parameters.
var builtin = []string{"first", "last", "company", "colleague", "ref", "plan"}

// The least numbers of phrasings.
const (
	minParams, minPlainSubjects, minVagueSubjects = 6, 4, 3
	minStatements, minSpamTexts, minDetails       = 4, 6, 5
	minSituations, minEntities, minEfforts        = 4, 4, 2
)

var placeholder = lazyregexp.New(`\{(\w+)\}`)

// checker collects the problems of one scenario.
type checker struct {
	at       *locator
	s        *Scenario
	draft    bool // a place of the skeleton is not filled in yet
	problems Problems
}

func (c *checker) fail(message string, place ...any) {
	c.problems = append(c.problems, c.at.problem(message, place...))
}

// atLeast says when a list is too short.
func (c *checker) atLeast(list []string, n int, place ...any) {
	if len(list) < n {
		c.fail(fmt.Sprintf("%s has %s, needs at least %d: add %d more", where(place), texts(len(list)), n, n-len(list)), place...)
	}
	for i, text := range list {
		if strings.TrimSpace(text) == "" {
			c.fail(where(place)+" has an empty text: write or remove it", append(place, i)...)
		}
	}
}

func texts(n int) string {
	if n == 1 {
		return "1 text"
	}
	return fmt.Sprintf("%d texts", n)
}

// where names a place for people, who count from 1: subjects.vague, params row 2, situation 3, plain.
func where(place []any) string {
	var out strings.Builder
	for i, p := range place {
		n, isIndex := p.(int)
		switch {
		case isIndex && i == 1 && place[0] == "params":
			fmt.Fprintf(&out, " row %d", n+1)
		case isIndex && i == 1 && place[0] == "entities":
			fmt.Fprintf(&out, " group %d", n+1)
		case isIndex && i == 1 && place[0] == "situations":
			out.Reset()
			fmt.Fprintf(&out, "situation %d", n+1)
		case isIndex:
			fmt.Fprintf(&out, ", text %d", n+1)
		case i == 2 && place[0] == "situations":
			fmt.Fprintf(&out, ", %v", p)
		case i > 0:
			fmt.Fprintf(&out, ".%v", p)
		default:
			fmt.Fprint(&out, p)
		}
	}
	return out.String()
}

// oneOf checks a value of a closed list.
func oneOf[T ~string](c *checker, name string, value T, allowed []T, place ...any) {
	if slices.Contains(allowed, value) {
		return
	}
	list := make([]string, len(allowed))
	for i, a := range allowed {
		list[i] = string(a)
	}
	c.fail(fmt.Sprintf("%s %q is not one of %s", name, string(value), strings.Join(list, ", "))+meant("", near.Word(string(value), list), ""), place...)
}

// foreign says which keys have no place in scenarios of the route.
func (c *checker) foreign() {
	s := c.s
	refuse := func(there bool, key string) {
		if there {
			c.fail(fmt.Sprintf("%s is not for %s: remove it", key, s.Route), key)
		}
	}
	if s.Route == triage.Spam {
		refuse(s.Desk != "", "desk")
		refuse(len(s.Entities) > 0, "entities")
		refuse(len(s.Situations) > 0, "situations")
		refuse(len(s.Deadline) > 0, "deadline")
		refuse(len(s.Effort) > 0, "effort")
		refuse(len(s.Quoted) > 0, "quoted")
		refuse(len(s.Settled) > 0, "settled")
	}
	if s.Route == triage.Spam || s.Route == triage.Feedback {
		refuse(len(s.Secondary.Cosmetic)+len(s.Secondary.Degraded) > 0, "secondary")
		refuse(len(s.Resolved) > 0, "resolved")
	}
}

// levels checks the phrasings of one fact. Where there are none at all, that is said once.
func (c *checker) levels(l Levels, plain, indirect, buried int, place ...any) {
	if len(l.Plain)+len(l.Indirect)+len(l.Buried) == 0 {
		needs := fmt.Sprintf("plain (%s or more), indirect (%d)", texts(plain), indirect)
		if buried > 0 {
			needs += fmt.Sprintf(", buried (%d)", buried)
		}
		c.fail(fmt.Sprintf("%s has no texts: it needs %s", where(place), needs), place...)
		return
	}
	at := func(level string) []any { return append(slices.Clone(place), level) }
	c.atLeast(l.Plain, plain, at("plain")...)
	c.atLeast(l.Indirect, indirect, at("indirect")...)
	c.atLeast(l.Buried, buried, at("buried")...)
}

func checkScenario(at *locator, s *Scenario) Problems {
	c := &checker{at: at, s: s}
	c.unfilled()
	if s.Title == "" {
		c.fail("title is missing: say in a line what the situation is")
	}
	oneOf(c, "split", s.Split, triage.Splits(), "split")
	c.lists()
	c.texts()
	c.placeholders()
	c.foreign()
	if s.Route != triage.Spam {
		c.desk()
		c.entities()
		c.situations()
		c.facts()
	}
	return c.problems
}

// lists checks tiers and tones.
func (c *checker) lists() {
	s := c.s
	for i, t := range s.Tiers {
		oneOf(c, "tier", t, triage.Tiers(), "tiers", i)
	}
	for i, t := range s.Tones {
		oneOf(c, "tone", t, Tones(), "tones", i)
	}
	if len(s.Tones) > 0 && s.Route != triage.Feedback {
		c.fail("tones is for feedback only: elsewhere the tone is independent of everything", "tones")
	}
}

func (c *checker) texts() {
	s := c.s
	if len(s.Params) < minParams {
		c.fail(fmt.Sprintf("params has %d rows, needs at least %d: add %d more", len(s.Params), minParams, minParams-len(s.Params)), "params")
	}
	c.atLeast(s.Subjects.Plain, minPlainSubjects, "subjects", "plain")
	c.atLeast(s.Subjects.Vague, minVagueSubjects, "subjects", "vague")
	n := minStatements
	if s.Route == triage.Spam {
		n = minSpamTexts
	}
	c.levels(s.Statement, n, n, 0, "statement")
	c.levels(s.Ask, n, n, 0, "ask")
	c.atLeast(s.Details, minDetails, "details")
}

func (c *checker) desk() {
	s := c.s
	if s.Route == triage.Feedback {
		if s.Desk != "" {
			c.fail("desk is for billing, technical and feature only: remove it", "desk")
		}
		return
	}
	if s.Desk == "" {
		c.fail("desk is missing: Bug, FeatureRequest or Question")
	} else {
		oneOf(c, "desk", s.Desk, triage.Categories(), "desk")
	}
	c.atLeast(s.Secondary.Cosmetic, 2, "secondary", "cosmetic")
	c.atLeast(s.Secondary.Degraded, 2, "secondary", "degraded")
	c.atLeast(s.Resolved, 3, "resolved")
}

// entities must be named where a reader can find them.
func (c *checker) entities() {
	s := c.s
	if len(s.Entities) < minEntities {
		c.fail(fmt.Sprintf("entities has %d groups, needs at least %d", len(s.Entities), minEntities), "entities")
	}
	text := strings.ToLower(strings.Join(slices.Concat(s.Statement.Plain, s.Statement.Indirect, s.Ask.Plain, s.Ask.Indirect), "\n"))
	for i, group := range s.Entities {
		if len(group) == 0 {
			c.fail(fmt.Sprintf("entities group %d has no word: write or remove it", i+1), "entities", i)
			continue
		}
		for j, term := range group {
			if strings.TrimSpace(term) == "" {
				c.fail(where([]any{"entities", i, j})+" is empty: write or remove it", "entities", i, j)
			}
		}
		if !c.draft && !slices.ContainsFunc(group, func(term string) bool { return strings.Contains(text, strings.ToLower(term)) }) {
			c.fail(fmt.Sprintf("entity %q is named in no statement or ask: name it there, or remove it", strings.Join(group, ", ")), "entities", i)
		}
	}
}

func (c *checker) situations() {
	s := c.s
	if len(s.Situations) < minSituations {
		c.fail(fmt.Sprintf("situations has %d entries, needs at least %d", len(s.Situations), minSituations), "situations")
	}
	urgencies := map[triage.Urgency]bool{}
	for i := range s.Situations {
		x := &s.Situations[i]
		c.situation(i, x)
		c.levels(x.Levels, 3, 3, 2, "situations", i)
		r := x.Request(s)
		r.Deadline = triage.NoDeadline
		urgencies[handbook.Urgency(&r)] = true
	}
	if s.Route == triage.Feedback {
		return
	}
	for _, u := range triage.Urgencies() {
		if !urgencies[u] {
			c.fail(fmt.Sprintf("no situation gives urgency %s: add one (%s)", u, givesUrgency[u]), "situations")
		}
	}
	c.deskSituations()
}

// deskSituations asks for what the desk's priorities are drawn from.
func (c *checker) deskSituations() {
	need := func(what string, is func(*Situation) bool) {
		if !slices.ContainsFunc(c.s.Situations, func(x Situation) bool { return is(&x) }) {
			c.fail(fmt.Sprintf("a %s needs a situation with %s: add one", c.s.Desk, what), "situations")
		}
	}
	switch c.s.Desk {
	case triage.Bug:
		for _, v := range triage.Severities() {
			need("severity "+string(v), func(x *Situation) bool { return x.Severity == v })
		}
	case triage.Question:
		for _, v := range []triage.Severity{triage.Cosmetic, triage.Degraded} {
			need("severity "+string(v), func(x *Situation) bool { return x.Severity == v })
		}
		for _, way := range []bool{true, false} {
			need(fmt.Sprintf("severity blocked and workaround %t", way), func(x *Situation) bool {
				return x.Severity == triage.Blocked && x.Workaround != nil && *x.Workaround == way
			})
		}
	case triage.FeatureRequest:
		for _, v := range triage.Stakes() {
			need("stake "+string(v), func(x *Situation) bool { return x.Stake == v })
		}
	}
}

func (c *checker) situation(i int, x *Situation) {
	oneOf(c, "severity", x.Severity, triage.Severities(), "situations", i, "severity")
	oneOf(c, "impact", x.Impact, triage.Impacts(), "situations", i, "impact")
	switch {
	case x.Severity == triage.Blocked && x.Workaround == nil:
		c.fail("workaround is said with severity blocked, and only there: add workaround: true or false", "situations", i)
	case x.Severity != triage.Blocked && x.Workaround != nil:
		c.fail("workaround is said with severity blocked, and only there: remove it", "situations", i, "workaround")
	}
	if c.s.Route == triage.Feature {
		oneOf(c, "stake", x.Stake, triage.Stakes(), "situations", i, "stake")
	}
	if c.s.Route != triage.Feature && x.Stake != "" {
		c.fail("stake is for feature scenarios only: remove it", "situations", i, "stake")
	}
}

// givesUrgency says which situations give an urgency, without a deadline.
var givesUrgency = map[triage.Urgency]string{
	triage.UrgencyLow:      "severity cosmetic",
	triage.UrgencyMedium:   "severity degraded, or blocked with workaround true",
	triage.UrgencyHigh:     "severity blocked with workaround false for one or team, or data_at_risk for one",
	triage.UrgencyCritical: "severity blocked with workaround false for company or customers, or data_at_risk for more than one",
}
