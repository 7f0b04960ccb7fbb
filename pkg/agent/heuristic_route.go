package agent

import "github.com/triagebench/triage/pkg/triage"

// route weighs what the sender wants done over what is only mentioned. What was picked in the form is one more voice,
// as loud as it is reliable.
func (h *Heuristic) route(selected triage.Route, d triage.Difficulty) triage.Route {
	if d == triage.Easy && selected.Valid() {
		return selected
	}
	best, high := triage.Technical, -1.0
	for i, route := range triage.Routes() {
		v := float64(routeShare[i] * h.total(h.lists.route[i], routeMost, h.wanted))
		if route == triage.Technical {
			v += float64(brokenShare * h.total(h.lists.category[0], routeMost, h.wanted))
		}
		if route == selected {
			v += selectedShare(d)
		}
		if v > high {
			best, high = route, v
		}
	}
	return best
}

// routeShare is what the cues of each route count, in the order of triage.Routes: what spam wants is said nowhere else.
var routeShare = [5]float64{1, 1, 1, 1, 1.3}

// routeMost is the most that one sentence counts for a route, and brokenShare what the cues of a bug say for the technical
// team.
const routeMost, brokenShare = 10, 0.3

// selectedShare is what the category picked in the form counts. On train it is right in 60 % of the medium tickets and in
// 35 % of the hard ones; more than this drowns the text.
func selectedShare(d triage.Difficulty) float64 {
	if d == triage.Medium {
		return 7
	}
	return 4.5
}

// What a sentence that asks for something counts: the grammar of the ask tells a repair from a wish and from a question.
const askShare = 1.6

// wanted weighs a sentence by whether it asks for something.
func (h *Heuristic) wanted(s *sentence) float64 {
	w := 1.0
	if s.scores[h.lists.ask] >= certain {
		w = askShare
	}
	if s.scores[h.lists.second] >= 3 {
		w *= 0.5
	}
	return w
}

// category decides the kind of a desk ticket. What a route's cues say of it: wishes are requests for features, and money is
// mostly a matter of questions.
func (h *Heuristic) category() triage.Category {
	l := &h.lists
	kind := func(list int) float64 { return h.total(list, categoryMost, h.wanted) }
	bug := float64(bugShare * kind(l.category[0]))
	feature := float64(featureShare*kind(l.category[1])) + float64(wishShare*kind(l.route[2]))
	question := kind(l.category[2]) + float64(billingShare*kind(l.route[0]))
	switch {
	case feature >= bug && feature >= question:
		return triage.FeatureRequest
	case bug >= question:
		return triage.Bug
	}
	return triage.Question
}

// What the lists count for the category, and the most that one sentence counts for.
const bugShare, featureShare, wishShare, billingShare, categoryMost = 1.1, 0.9, 0.4, 0.5, 14
