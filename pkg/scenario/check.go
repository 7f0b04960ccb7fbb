package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/handbook"
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

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// checker collects the problems of one scenario.
type checker struct {
	at       *locator
	s        *Scenario
	problems Problems
}

func (c *checker) fail(message string, place ...any) {
	c.problems = append(c.problems, c.at.problem(message, place...))
}

// atLeast says when a list is too short.
func (c *checker) atLeast(list []string, n int, place ...any) {
	if len(list) < n {
		c.fail(fmt.Sprintf("%s has %d texts, needs at least %d: add %d more", where(place), len(list), n, n-len(list)), place...)
	}
	for i, text := range list {
		if strings.TrimSpace(text) == "" {
			c.fail(where(place)+" has an empty text: write or remove it", append(place, i)...)
		}
	}
}

func where(place []any) string {
	out := make([]string, len(place))
	for i, p := range place {
		out[i] = fmt.Sprint(p)
	}
	return strings.Join(out, ".")
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

// levels checks the phrasings of one fact.
func (c *checker) levels(l Levels, plain, indirect, buried int, place ...any) {
	at := func(level string) []any { return append(slices.Clone(place), level) }
	c.atLeast(l.Plain, plain, at("plain")...)
	c.atLeast(l.Indirect, indirect, at("indirect")...)
	c.atLeast(l.Buried, buried, at("buried")...)
}

func checkScenario(at *locator, s *Scenario) Problems {
	c := &checker{at: at, s: s}
	if s.Title == "" {
		c.fail("title is missing: say in a line what the situation is")
	}
	if s.Split != triage.Train && s.Split != triage.Test {
		c.fail(fmt.Sprintf("split %q is not one of train, test", s.Split), "split")
	}
	for i, t := range s.Tiers {
		if !slices.Contains(triage.Tiers(), t) {
			c.fail(fmt.Sprintf("tier %q is not one of free, pro, business, enterprise", t), "tiers", i)
		}
	}
	for i, t := range s.Tones {
		if !slices.Contains(Tones(), t) {
			c.fail(fmt.Sprintf("tone %q is not one of furious, annoyed, neutral, pleased", t), "tones", i)
		}
	}
	if len(s.Tones) > 0 && s.Route != triage.Feedback {
		c.fail("tones is for feedback only: elsewhere the tone is independent of everything", "tones")
	}
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

func (c *checker) texts() {
	s := c.s
	if len(s.Params) < minParams {
		c.fail(fmt.Sprintf("params has %d rows, needs at least %d", len(s.Params), minParams), "params")
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
	if !s.Desk.Valid() {
		if s.Desk == "" {
			c.fail("desk is missing: Bug, FeatureRequest or Question")
		} else {
			c.fail(fmt.Sprintf("desk %q is not one of Bug, FeatureRequest, Question", s.Desk), "desk")
		}
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
		if !slices.ContainsFunc(group, func(term string) bool { return strings.Contains(text, strings.ToLower(term)) }) {
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
	if !slices.Contains(triage.Severities(), x.Severity) {
		c.fail(fmt.Sprintf("severity %q is not one of cosmetic, degraded, blocked, data_at_risk", x.Severity), "situations", i, "severity")
	}
	if !slices.Contains(triage.Impacts(), x.Impact) {
		c.fail(fmt.Sprintf("impact %q is not one of one, team, company, customers", x.Impact), "situations", i, "impact")
	}
	if (x.Severity == triage.Blocked) != (x.Workaround != nil) {
		c.fail("workaround is said with severity blocked, and only there", "situations", i)
	}
	if c.s.Route == triage.Feature && !slices.Contains(triage.Stakes(), x.Stake) {
		c.fail(fmt.Sprintf("stake %q is not one of none, daily_work, contract", x.Stake), "situations", i)
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

// hidden tells characters that nobody sees: controls, and those that turn the direction of text.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar
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
		if d != string(triage.Days) && d != string(triage.Hours) {
			c.fail(fmt.Sprintf("deadline %q is not one of days, hours", d), "deadline", d)
		}
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
		if !slices.Contains(triage.Efforts(), triage.Effort(e)) {
			c.fail(fmt.Sprintf("effort %q is not one of self_service, investigation, cross_team", e), "effort", e)
		}
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
		if i := strings.IndexFunc(text, hidden); i >= 0 {
			c.fail(fmt.Sprintf("the character %q is not seen in a mail: take it out", []rune(text[i:])[0]), place...)
		}
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
			if _, ok := s.Params[0][m[1]]; !ok && !slices.Contains(builtin, m[1]) {
				c.fail(fmt.Sprintf("placeholder {%s} is neither in params nor one of {%s}", m[1], strings.Join(builtin, "}, {")), place...)
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
	for i, row := range s.Params {
		if len(row) != len(s.Params[0]) {
			c.fail("row has other keys than the first: give each row "+strings.Join(sortedKeys(s.Params[0]), ", "), "params", i)
		}
		for _, k := range sortedKeys(row) {
			if _, ok := s.Params[0][k]; !ok {
				c.fail(fmt.Sprintf("key %q is not in the first row", k), "params", i, k)
			}
			if v := row[k]; strings.TrimSpace(v) == "" || strings.ContainsAny(v, "{}") {
				c.fail(fmt.Sprintf("value %q of key %q: want a text without braces", v, k), "params", i, k)
			}
		}
	}
	for _, k := range sortedKeys(s.Params[0]) {
		if !used[k] {
			c.fail(fmt.Sprintf("parameter %q is used in no text: use or remove it", k), "params", 0)
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
