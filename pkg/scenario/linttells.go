package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// tell is a turn of phrase that says the value of a fact outright, whoever reads it. The lists are short on purpose: what they find is
// told as a contradiction.
type tell struct {
	fact, value string
	words       *lazyregexp.Regexp
}

// tells are looked for in the order of the facts.
var tells = []tell{
	{"severity", string(triage.Cosmetic), lazyregexp.New(`(?i)\b(?:purely|only|just|merely) (?:a )?cosmetic\b|\bno work (?:depends|hangs) on it\b`)},
	{"severity", string(triage.Blocked), lazyregexp.New(`(?i)\b(?:completely|entirely|totally) (?:stuck|blocked|stopped)\b|\bat a (?:complete )?standstill\b|\b(?:cannot|can't|can not|unable to) work at all\b|\bnobody can work\b`)},
	{"severity", string(triage.DataAtRisk), lazyregexp.New(`(?i)\b(?:data|files|records) (?:is|are|was|were|has been|have been) (?:being )?(?:lost|exposed|deleted|overwritten)\b|\bstrangers (?:can|could) (?:see|read|open)\b`)},
	{"workaround", "false", lazyregexp.New(`(?i)\b(?:is|know|have|has|found|with|are) no (?:workaround|alternative)\b|\b(?:there is|there's|know|knows) no (?:other )?way (?:a)?round\b|\bno workaround\b`)},
	{"workaround", "true", lazyregexp.New(`(?i)\b(?:there is|there's) a workaround\b|\b(?:a|the|our) workaround is in use\b`)},
	{"impact", string(triage.One), lazyregexp.New(`(?i)\bonly (?:I am|I'm|affects me|me)\b|\bI am the only (?:one|person)\b|\b(?:for|affects|concerns) (?:only me|me alone)\b`)},
	{"impact", string(triage.Team), lazyregexp.New(`(?i)\b(?:the|our|my) (?:whole|entire) (?:team|department)\b`)},
	{"impact", string(triage.Company), lazyregexp.New(`(?i)\b(?:the|our) (?:whole|entire) (?:company|firm|business)\b|\b(?:nobody|no one|everyone|everybody|all of us) (?:else )?(?:in|at) (?:the|our) (?:company|firm)\b`)},
	{"impact", string(triage.Customers), lazyregexp.New(`(?i)\b(?:none|all) of our (?:customers|clients|guests|patients|tenants)\b|\bour (?:customers|clients|guests|patients|tenants) (?:cannot|can't|are unable)\b`)},
	{"deadline", string(triage.Hours), lazyregexp.New(`(?i)\b(?:by|before|until) (?:tonight|noon today|tomorrow (?:morning|noon|at)|the end of today)\b|\bwithin (?:(?:two|three|four|five|six|\d{1,2}) hours)\b`)},
	{"deadline", string(triage.Days), lazyregexp.New(`(?i)\b(?:needed|need (?:it|this|that)|due|wanted) (?:with)?in (?:two|three|four|five|six|[2-6]) days\b`)},
}

// told gives the first turn of phrase that tells a value of a fact, and that value.
func told(fact, text string) (value, words string) {
	for _, t := range tells {
		if t.fact != fact {
			continue
		}
		if m := t.words.FindString(text); m != "" {
			return t.value, m
		}
	}
	return "", ""
}

// clashes remarks on texts that say outright what their place denies: a situation that tells another severity, impact or workaround, a
// deadline of the other kind, and a statement, ask, effort or detail that tells what only situations and deadlines may.
func clashes(x linted) Problems {
	var out Problems
	if x.s.Route == triage.Spam { // it has no facts
		return nil
	}
	x.s.eachText(func(text string, place ...any) {
		for _, fact := range []string{"severity", "workaround", "impact", "deadline"} {
			value, words := told(fact, text)
			if value == "" {
				continue
			}
			if message := clash(x.s, fact, value, words, place); message != "" {
				out = append(out, x.at.problem(message, place...))
			}
		}
	})
	return out
}

// clash says what is wrong with telling a value of a fact at a place, or nothing.
func clash(s *Scenario, fact, value, words string, place []any) string {
	kind, _ := place[0].(string)
	switch {
	case kind == "situations":
		if fact == "deadline" {
			return fmt.Sprintf("%q is a deadline, which goes with any situation or none: move it to deadline.%s", words, value)
		}
		i, _ := place[1].(int)
		return clashOf(&s.Situations[i], i+1, fact, value, words)
	case kind == "deadline" && fact == "deadline":
		if own := fmt.Sprint(place[1]); own != value {
			return fmt.Sprintf("%q is a deadline of %s, and stands under deadline.%s: move it or write another", words, value, own)
		}
	case slices.Contains([]string{"statement", "ask", "details", "effort", "deadline"}, kind):
		home := "a situation's to say"
		if fact == "deadline" {
			home = "said under deadline"
		}
		return fmt.Sprintf("%q tells %s %s, which is %s: every %s goes with every situation and deadline, so leave it out here", words, fact, value, home, strings.TrimSuffix(kind, "s"))
	}
	return ""
}

// clashOf compares what a phrasing of a situation tells with the situation.
func clashOf(v *Situation, number int, fact, value, words string) string {
	own := map[string]string{"severity": string(v.Severity), "impact": string(v.Impact), "workaround": ""}
	if v.Workaround != nil {
		own["workaround"] = fmt.Sprint(*v.Workaround)
	}
	if own[fact] == value || fact == "impact" && v.Severity != triage.Blocked && v.Severity != triage.DataAtRisk {
		return ""
	}
	if own[fact] == "" {
		return fmt.Sprintf("%q tells of a workaround, and situation %d is not blocked: write it without, or make the severity blocked", words, number)
	}
	return fmt.Sprintf("%q tells %s %s, and situation %d has %s %s: change the text or the situation", words, fact, value, number, fact, own[fact])
}
