package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// ceilingWorthless is what stuffed, listed and pasted texts earn at most of the recommendation's part.
const ceilingWorthless = 0.2

// rareTickets is how many train tickets tell which words are rare, rareWords how many of a ticket's words are listed.
const rareTickets, rareWords = 2000, 20

// stuffing is an attack on the recommendation's grader: everything else of the answer is right, so that only it counts.
type stuffing struct {
	name, what string
	ceiling    float64 // 0: only printed
	text       func(d *triage.DeskTruth, o *triage.DeskObservation) string
}

// stuffings lists the attacks; counts says how rare words are.
func stuffings(counts map[string]int) []stuffing {
	return []stuffing{
		{"every-kind", "every keyword of every category", ceilingWorthless,
			func(*triage.DeskTruth, *triage.DeskObservation) string { return keywordsOf(triage.Categories()...) }},
		{"right-kind", "every keyword of the right category, nothing of the ticket", ceilingWorthless,
			func(d *triage.DeskTruth, _ *triage.DeskObservation) string { return keywordsOf(d.Category) }},
		{"observation", "the ticket pasted back", ceilingWorthless,
			func(_ *triage.DeskTruth, o *triage.DeskObservation) string {
				return pasted(strings.Fields(o.IssueText))
			}},
		{"handbook", "the handbook's chapter on recommendations pasted back", ceilingWorthless,
			func(*triage.DeskTruth, *triage.DeskObservation) string { return cut(chapter()) }},
		{"rare-words", "the ticket's rarest words, listed", ceilingWorthless,
			func(_ *triage.DeskTruth, o *triage.DeskObservation) string {
				return strings.Join(rarest(o.IssueText, counts, rareWords), ", ")
			}},
		{"rare-words-told", "the ticket's rarest words in a sentence of the right kind", ceilingWorthless,
			func(d *triage.DeskTruth, o *triage.DeskObservation) string {
				return keywordsOf(d.Category) + " It is about " + strings.Join(rarest(o.IssueText, counts, rareWords), ", ") + "."
			}},
		{"observation-thinned", "the ticket pasted back without every fourth word", 0,
			func(_ *triage.DeskTruth, o *triage.DeskObservation) string {
				return pasted(thinned(strings.Fields(o.IssueText)))
			}},
	}
}

// keywordsOf is a sentence that tells someone to do something and holds all keywords of some categories. They stand in
// another order than in the handbook: it must not fail for being copied.
func keywordsOf(categories ...triage.Category) string {
	var out []string
	for _, c := range categories {
		for _, k := range handbook.KindWords(c) {
			out = append(out, k.Word)
		}
	}
	slices.Reverse(out)
	return order + strings.Join(out, ", ") + "."
}

// order begins a text with somebody being told to do something, which any agent can.
const order = "Please check this ticket: "

// chapter is the handbook from its chapter on recommendations on.
func chapter() string {
	text := handbook.Text()
	return text[max(0, strings.LastIndex(text, "### Recommendation")):]
}

// pasted are the first words of a text, as many as a recommendation may have to count as one, behind an order.
func pasted(words []string) string {
	return cut(order + strings.Join(words[:min(pastedWords, len(words))], " "))
}

// pastedWords leaves room for the order and for words that the grader splits in two.
const pastedWords = 60

// thinned leaves out every fourth word, so that no run of four words is a copy.
func thinned(words []string) []string {
	var out []string
	for i, w := range words {
		if i%4 != 3 {
			out = append(out, w)
		}
	}
	return out
}

// cut keeps as much of a text as a recommendation may hold.
func cut(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), triage.MaxRecommendation)])
}

// informed answers with the truth, which it asks its environment for, but for the recommendation.
type informed struct {
	knower triage.Knower
	text   func(*triage.DeskTruth, *triage.DeskObservation) string
}

var _ triage.Attacher = (*informed)(nil)

// Attach takes the environment that will be asked.
func (i *informed) Attach(e triage.Env) error {
	k, ok := e.(triage.Knower)
	if !ok {
		return errors.New("the environment does not tell the truth")
	}
	i.knower = k
	return nil
}

// Act gives the truth with the attack's recommendation.
func (i *informed) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	t, ok := i.knower.Truth()
	if !ok || t.Desk == nil {
		return triage.Action{}, &triage.Error{Code: triage.CodeUnavailable, Message: "the environment does not tell the truth of this ticket"}
	}
	d := t.Desk
	return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: d.Category, Priority: d.Priority,
		UrgencyDays: triage.IntOf(d.UrgencyDays), Department: d.Department, Recommendation: i.text(d, o.Desk)}}, nil
}

func recommenderName(s *stuffing) string { return "recommendation:" + s.name }

// enterRecommenders enters the attacks where recommendations are graded.
func enterRecommenders(a *arena) ([]contender, error) {
	if a.task.Name != "desk-hard" {
		return nil, nil
	}
	var out []contender
	for _, s := range stuffings(frequencies(a.train[:min(rareTickets, len(a.train))])) {
		out = append(out, contender{name: recommenderName(&s), secret: a.Secret,
			agent: func() (triage.Agent, error) { return &informed{text: s.text}, nil }})
	}
	return out, nil
}

// judgeRecommenders looks at the mean of the recommendation's part alone.
func judgeRecommenders(a *arena) ([]triage.Check, error) {
	if a.task.Name != "desk-hard" {
		return nil, nil
	}
	var out []triage.Check
	for _, s := range stuffings(nil) {
		m, se := a.mean(recommenderName(&s), recommendation)
		c := a.check(recommenderName(&s), "recommendation part of: "+s.what, "printed", told(m, se), true)
		if c.Printed = s.ceiling == 0; !c.Printed {
			slack, said := a.slack(se, len(a.results[recommenderName(&s)]))
			c.Expected, c.Passed = fmt.Sprintf("at most %.2f", s.ceiling)+said, m <= s.ceiling+slack+exact
		}
		out = append(out, c)
	}
	return out, nil
}
