package agent

import (
	"math"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// What the graders give for a near miss, so that an answer can be the one with the highest expected credit. A test compares
// these with package grade.
const (
	creditOneLevel           = 0.5
	creditOneDay, creditTwo  = 0.5, 0.25
	scoreExact, scoreFar     = 2, 15 // points of the priority score: full credit up to the first, none from the second on
	deskLevels, pointsALevel = 4, 2
)

// distance is how far apart two places are.
func distance(a, b int) int {
	if a < b {
		a, b = b, a
	}
	return a - b
}

// levelCredit is what an ordered label earns: 1 exact, half one level off.
func levelCredit(answer, truth int) float64 {
	switch distance(answer, truth) {
	case 0:
		return 1
	case 1:
		return creditOneLevel
	}
	return 0
}

// exactCredit is what a label without an order earns.
func exactCredit(answer, truth int) float64 {
	if answer == truth {
		return 1
	}
	return 0
}

// daysCredit is what urgency days earn.
func daysCredit(answer, truth int) float64 {
	switch distance(answer, truth) {
	case 0:
		return 1
	case 1:
		return creditOneDay
	case 2:
		return creditTwo
	}
	return 0
}

// scoreCredit is what a priority score earns.
func scoreCredit(answer, truth int) float64 {
	off := distance(answer, truth)
	if off <= scoreExact {
		return 1
	}
	return math.Max(0, float64(scoreFar-off)/float64(scoreFar-scoreExact))
}

// expected is the credit that an answer earns on average where truths[i] has probability p[i].
func expected(answer int, truths []int, p []float64, credit func(answer, truth int) float64) float64 {
	sum := 0.0
	for i, t := range truths {
		sum += float64(p[i] * credit(answer, t))
	}
	return sum
}

// surest gives the one of the answers with the highest expected credit, the first of equals.
func surest(answers, truths []int, p []float64, credit func(answer, truth int) float64) int {
	best, high := answers[0], -1.0
	for _, a := range answers {
		if e := expected(a, truths, p, credit); e > high {
			best, high = a, e
		}
	}
	return best
}

// places are the numbers 0 to n-1.
func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// decide gives the place of the label with the highest expected credit.
func decide(p []float64, ordered bool) int {
	credit := exactCredit
	if ordered {
		credit = levelCredit
	}
	all := places(len(p))
	return surest(all, all, p, credit)
}

// queueBelief is what a model thinks of a queue ticket: a probability a label, in the order of the vocabulary. Urgency and
// difficulty are those that it has if it is no spam.
type queueBelief struct{ route, urgency, difficulty []float64 }

// act answers with the highest expected credit. What follows from spam by the handbook is not asked of the models.
func (b *queueBelief) act(m *triage.Metadata) triage.QueueAction {
	a := triage.QueueAction{Route: triage.Routes()[decide(b.route, false)]}
	if a.Route == triage.Spam {
		a.Urgency, a.Difficulty, a.Priority = triage.UrgencyLow, triage.ResolutionEasy, triage.IntOf(0)
		return a
	}
	a.Urgency = triage.Urgencies()[decide(b.urgency, true)]
	a.Difficulty = triage.Resolutions()[decide(b.difficulty, true)]
	a.Priority = triage.IntOf(b.score(m))
	return a
}

// score is the priority score with the highest expected credit: each urgency has the score that the handbook's arithmetic gives with
// this metadata. That the ticket may be spam after all counts little: beside a wrong route the other parts earn a quarter.
func (b *queueBelief) score(m *triage.Metadata) int {
	var truths []int
	for _, u := range triage.Urgencies() {
		truths = append(truths, handbook.PriorityScore(u, m.CustomerTier, finite(m.WaitTimeHours), m.IsEscalated, m.PreviousContacts))
	}
	return surest(truths, truths, b.urgency, scoreCredit)
}

// deskBelief is what a model thinks of a desk ticket: kinds are the pairs of [deskKinds].
type deskBelief struct{ kinds []float64 }

// deskKind is a category with its points before tone, wait and escalation.
type deskKind struct {
	category triage.Category
	points   int
}

// deskKinds are all pairs that the handbook has, in their order.
func deskKinds() []deskKind {
	var out []deskKind
	for _, c := range triage.Categories() {
		levels := deskLevels
		if c != triage.Bug {
			levels-- // the other scales end with the level of blocked work
		}
		for l := range levels {
			out = append(out, deskKind{c, pointsALevel * l})
		}
	}
	return out
}

// categories are the probabilities of the categories.
func (b *deskBelief) categories() []float64 {
	out := make([]float64, len(triage.Categories()))
	for i, k := range deskKinds() {
		for j, c := range triage.Categories() {
			if c == k.category {
				out[j] += b.kinds[i]
			}
		}
	}
	return out
}

// act answers with the highest expected credit.
func (b *deskBelief) act(o *triage.DeskObservation) triage.DeskAction {
	tone, wait := finite(o.SentimentScore), finite(o.WaitTimeHours)
	kinds, categories := deskKinds(), b.categories()
	levels, days := make([]int, len(kinds)), make([]int, len(kinds))
	credits := make([]float64, len(triage.Departments()))
	for i, k := range kinds {
		p := handbook.DeskPriority(k.category, k.points, tone, wait, o.IsEscalated)
		levels[i], days[i] = p.Level(), handbook.UrgencyDays(p, wait)
		_, credit := handbook.Department(k.category, tone, wait, o.IsEscalated)
		for j := range credits {
			credits[j] += float64(b.kinds[i] * credit[j])
		}
	}
	a := triage.DeskAction{Category: triage.Categories()[decide(categories, false)],
		Priority:    triage.Priorities()[surest(places(deskLevels), levels, b.kinds, levelCredit)],
		UrgencyDays: triage.IntOf(surest([]int{1, 2, 3, 4, 5, 6, 7}, days, b.kinds, daysCredit))}
	best := 0
	for j := range credits {
		if credits[j] > credits[best] {
			best = j
		}
	}
	a.Department = triage.Departments()[best]
	return a
}

// kindOfTruth finds the place of a right answer among [deskKinds]; ok is false where the metadata hides the points, as an
// outraged customer's ticket is always critical.
func kindOfTruth(o *triage.DeskObservation, t *triage.DeskTruth) (place int, ok bool) {
	seen := map[triage.Priority]bool{}
	place = -1
	for i, k := range deskKinds() {
		if k.category != t.Category {
			continue
		}
		p := handbook.DeskPriority(k.category, k.points, o.SentimentScore, o.WaitTimeHours, o.IsEscalated)
		if seen[p] {
			return 0, false
		}
		seen[p] = true
		if p == t.Priority {
			place = i
		}
	}
	return place, place >= 0
}
