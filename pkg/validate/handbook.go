package validate

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// checkHandbook reads the handbook's text as a person would, labels the whole space of facts by it, and expects the labels
// and the grades that the program gives.
func checkHandbook(text string) []triage.Check {
	b := readBook(text)
	read := newClaim("handbook/text", "the handbook's tables and sentences", "all of them can be read as rules")
	for _, p := range b.problems {
		read.against("%s", p)
	}
	return []triage.Check{read.done("%d tables, %d lines", 4, len(b.urgency)+len(b.points)+len(b.under)+len(b.from)+len(b.contacts)+len(b.desk)+len(b.extra)), checkQueueBook(b), checkDeskBook(b), checkCredit(b), checkAdvice(b)}
}

// queueFacts are all facts that a queue label may depend on; numbers stand at and beside every bound.
func queueFacts(yield func(*triage.Facts)) {
	var f triage.Facts
	r := &f.Primary
	for _, r.Route = range triage.Routes() {
		for _, r.Severity = range triage.Severities() {
			for _, r.Impact = range triage.Impacts() {
				for _, r.Workaround = range []bool{false, true} {
					for _, r.Deadline = range triage.Deadlines() {
						for _, r.Effort = range triage.Efforts() {
							queueNumbers(&f, yield)
						}
					}
				}
			}
		}
	}
}

func queueNumbers(f *triage.Facts, yield func(*triage.Facts)) {
	for _, f.Tier = range triage.Tiers() {
		for _, f.WaitHours = range []float64{0, 3.9, 4, 23.9, 24, 500} {
			for _, f.Escalated = range []bool{false, true} {
				for _, f.PreviousContacts = range []int{0, 1, 2, 9} {
					yield(f)
				}
			}
		}
	}
}

func checkQueueBook(b *book) triage.Check {
	c := newClaim("handbook/queue", "queue labels by the text over the whole space of facts", "the labels of the program, and the grade 1 for them")
	n := 0
	var parts []triage.Part
	queueFacts(func(f *triage.Facts) {
		n++
		u := b.urgencyOf(&f.Primary)
		a := triage.QueueAction{Route: f.Primary.Route, Urgency: u, Difficulty: b.resolutionOf(&f.Primary), Priority: triage.IntOf(b.scoreOf(u, f))}
		truth := handbook.Queue(f)
		want := triage.QueueAction{Route: truth.Route, Urgency: truth.Urgency, Difficulty: truth.Difficulty, Priority: triage.IntOf(truth.Priority)}
		if a != want {
			c.against("%s gives %s %s %d by the text, %s %s %d in the program", facts{f}, a.Urgency, a.Difficulty, a.Priority.Value, want.Urgency, want.Difficulty, want.Priority.Value)
			return
		}
		score := grade.Queue(parts, &truth, &a)
		parts = score.Parts[:0]
		if score.Total != 1 {
			c.against("%s: the right answer is graded %v", facts{f}, score.Total)
		}
	})
	return c.done("%d combinations", n)
}

// facts are rendered only if they are told.
type facts struct{ *triage.Facts }

// String renders the facts of a ticket.
func (f facts) String() string {
	r := &f.Primary
	return fmt.Sprintf("%s%s %s/%s/workaround %v/deadline %s/%s/%s, %s, %v h, escalated %v, %d contacts, sentiment %v", r.Route, r.Category, r.Severity, r.Impact, r.Workaround, r.Deadline,
		r.Effort, r.Stake, f.Tier, f.WaitHours, f.Escalated, f.PreviousContacts, f.Sentiment)
}

// deskFacts are all facts that a desk label may depend on; numbers stand at and beside every bound.
func deskFacts(yield func(*triage.Facts)) {
	var f triage.Facts
	r := &f.Primary
	for _, r.Category = range triage.Categories() {
		for _, r.Severity = range triage.Severities() {
			for _, r.Deadline = range triage.Deadlines() {
				for _, r.Stake = range triage.Stakes() {
					deskNumbers(&f, yield)
				}
			}
		}
	}
}

func deskNumbers(f *triage.Facts, yield func(*triage.Facts)) {
	for _, f.Sentiment = range []float64{-1, -0.91, -0.9, -0.89, -0.81, -0.8, -0.79, -0.61, -0.6, -0.59, -0.41, -0.4, -0.39, 0, 1} {
		for _, f.WaitHours = range []float64{0, 23.9, 24, 24.1, 47.9, 48, 500} {
			for _, f.Escalated = range []bool{false, true} {
				yield(f)
			}
		}
	}
}

func checkDeskBook(b *book) triage.Check {
	c := newClaim("handbook/desk", "desk labels by the text over the whole space of facts", "the labels of the program, and the grade 1 for them")
	n := 0
	deskFacts(func(f *triage.Facts) {
		n++
		p := b.priorityOf(f)
		d, _ := b.departmentOf(f)
		a := triage.DeskAction{Category: f.Primary.Category, Priority: p, UrgencyDays: triage.IntOf(b.daysOf(p, f)), Department: d}
		truth := handbook.Desk(f, "")
		want := triage.DeskAction{Category: truth.Category, Priority: truth.Priority, UrgencyDays: triage.IntOf(truth.UrgencyDays), Department: truth.Department}
		if a != want {
			c.against("%s gives %s %d %s by the text, %s %d %s in the program", facts{f}, a.Priority, a.UrgencyDays.Value, a.Department, want.Priority, want.UrgencyDays.Value, want.Department)
			return
		}
		if score := grade.Desk(triage.Medium, &truth, &a); score.Total != 1 {
			c.against("%s: the right answer is graded %v", facts{f}, score.Total)
		}
	})
	return c.done("%d combinations", n)
}

// checkCredit compares what each department earns.
func checkCredit(b *book) triage.Check {
	c := newClaim("handbook/departments", "what each department earns by the text", "what the grader gives for it")
	n := 0
	earns := func(f *triage.Facts) {
		truth := handbook.Desk(f, "")
		_, credit := b.departmentOf(f)
		for _, d := range triage.Departments() {
			n++
			score := grade.Desk(triage.Hard, &truth, &triage.DeskAction{Department: d})
			got, ok := score.Part(grade.PartDepartment)
			if !ok || got.Value != credit[d] {
				c.against("%s: %s earns %v by the text, %v in the program", facts{f}, d, credit[d], got.Value)
			}
		}
	}
	var f triage.Facts // it depends on nothing else
	for _, f.Primary.Category = range triage.Categories() {
		deskNumbers(&f, earns)
	}
	return c.done("%d answers", n)
}

// checkAdvice writes recommendations out of the words that the text prints, and expects what it says they earn.
func checkAdvice(b *book) triage.Check {
	c := newClaim("handbook/recommendation", "recommendations of the vocabulary that the text prints", "two words of the kind 0.3, two things named 0.5, a sentence 0.2, at most 0.2 where it lists")
	for _, says := range []string{"**Kind** (0.3)", "**Specific** (0.5)", "**Form** (0.2)", "6 to 80 words", "together earn at most 0.2"} {
		c.unless(strings.Contains(b.text, says), "the text does not say %q", says)
	}
	n := 0
	for _, category := range triage.Categories() {
		words := b.kindWords(category)
		c.unless(len(words) >= 2, "the text prints no words of %s", category)
		for i := range words {
			first, second := words[i], words[(i+1)%len(words)]
			truth := &triage.DeskTruth{Category: category, Entities: [][]string{{"alpha unit"}, {"beta unit"}}, Distractors: []string{"gamma unit"}}
			for _, x := range []struct {
				text string
				want float64
			}{
				{"Please check the " + first + " and the " + second + " of the alpha unit and the beta unit.", 1},
				{"Please check the " + first + " of the alpha unit and the beta unit as well.", 0.85},
				{"Please check the " + first + " and the " + second + " of the alpha unit as well.", 0.75},
				{"Please check the " + first + " and the " + second + " of the alpha unit and the beta unit, not the gamma unit.", 0.5},
				{"Please check the " + first + " and the " + second + " of whatever there may be.", 0.5},
				{first + ", " + second + ", alpha unit, beta unit, here, now, there, then", 0.2},
			} {
				n++
				got := grade.Recommendation(truth, x.text)
				c.unless(near(got.Value, x.want), "%s: %q earns %v, where the text says %v", category, x.text, got.Value, x.want)
			}
		}
	}
	return c.done("%d recommendations", n)
}

// kindWords reads the vocabulary of a category: "  - Bug: investigate, reproduce (replicate), …."
func (b *book) kindWords(c triage.Category) []string {
	_, rest, ok := strings.Cut(b.text, " - "+string(c)+": ")
	list, _, end := strings.Cut(rest, ".")
	if !ok || !end {
		return nil
	}
	var out []string
	depth := 0
	for _, w := range strings.Split(list, ",") {
		w = strings.TrimSpace(w)
		if depth == 0 {
			out = append(out, strings.TrimSpace(strings.SplitN(w, "(", 2)[0]))
		}
		depth += strings.Count(w, "(") - strings.Count(w, ")")
	}
	return out
}
