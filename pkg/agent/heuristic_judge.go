package agent

import "github.com/triagebench/triage/pkg/triage"

// judge decides the facts of a queue ticket's primary request.
func (h *Heuristic) judge(rd reading, selected triage.Route, d triage.Difficulty) triage.Request {
	r := triage.Request{Route: h.route(&rd, selected, d), Severity: triage.Cosmetic, Impact: triage.One, Deadline: triage.NoDeadline,
		Effort: triage.SelfService}
	if r.Route == triage.Spam || rd.followUp {
		return r
	}
	h.facts(&rd, &r)
	return r
}

// judgeDesk decides the facts of a desk ticket's primary request.
func (h *Heuristic) judgeDesk(rd reading) triage.Request {
	r := triage.Request{Category: h.category(&rd)}
	h.facts(&rd, &r)
	return r
}

// route weighs what the sender wants done over what is only mentioned. What was picked in the form is one more voice,
// as loud as it is reliable.
func (h *Heuristic) route(rd *reading, selected triage.Route, d triage.Difficulty) triage.Route {
	if d == triage.Easy && selected.Valid() {
		return selected
	}
	best, high := triage.Technical, -1.0
	for i, route := range triage.Routes() {
		v := h.total(h.lists.route[i], 10, h.asked)
		if route == selected {
			switch d {
			case triage.Medium:
				v += 8
			default:
				v += 4
			}
		}
		if v > high {
			best, high = route, v
		}
	}
	return best
}

// asked weighs a sentence by whether it asks for something.
func (h *Heuristic) asked(i int, s *sentence) float64 {
	w := 1.0
	if s.scores[h.lists.ask] >= certain {
		w = 1.6
	}
	if s.scores[h.lists.second] >= 3 {
		w *= 0.5
	}
	if s.aside {
		w *= 0.5
	}
	return w
}

// category decides the kind of a desk ticket.
func (h *Heuristic) category(rd *reading) triage.Category {
	l := &h.lists
	bug, feature, question := h.total(l.category[0], 8, h.asked), h.total(l.category[1], 8, h.asked), h.total(l.category[2], 8, h.asked)
	billing, technical, wish := h.total(l.route[0], 10, h.asked), h.total(l.route[1], 10, h.asked), h.total(l.route[2], 10, h.asked)
	feature += 0.5 * wish
	question += 0.3 * billing
	bug += 0.15 * technical
	switch {
	case feature >= bug && feature >= question:
		return triage.FeatureRequest
	case bug >= question:
		return triage.Bug
	}
	return triage.Question
}

// facts decides severity, impact, workaround, deadline, effort and stake.
func (h *Heuristic) facts(rd *reading, r *triage.Request) {
	l := &h.lists
	var sev [4]float64
	for i := range sev {
		sev[i] = h.total(l.severity[i], 9, h.situation)
	}
	no, yes := h.total(l.noWorkaround, 9, h.situation), h.total(l.workaround, 9, h.situation)
	var impact [4]float64
	for i := range impact {
		impact[i] = h.total(l.impact[i], 8, h.situation)
	}
	r.Severity, r.Workaround = severity(sev, no, yes)
	r.Impact = triage.Impacts()[highest(impact[:])]
	r.Deadline = h.deadline()
	var effort [3]float64
	for i := range effort {
		effort[i] = h.total(l.effort[i], 9, h.effort)
	}
	r.Effort = triage.Efforts()[highest(effort[:])]
	r.Stake = triage.NoStake
	daily, contract := h.total(l.daily, 8, h.situation), h.total(l.contract, 8, h.situation)
	switch {
	case contract >= 4 && contract >= daily:
		r.Stake = triage.Contract
	case daily >= 4:
		r.Stake = triage.DailyWork
	}
}

// severity decides between the severities, with blocked told apart by its workaround.
func severity(s [4]float64, no, yes float64) (triage.Severity, bool) {
	v := [5]float64{s[0], s[1], s[2] + 0.8*yes, s[2] + 0.8*no, s[3]}
	switch highest(v[:]) {
	case 0:
		return triage.Cosmetic, false
	case 1:
		return triage.Degraded, false
	case 2:
		return triage.Blocked, true
	case 3:
		return triage.Blocked, false
	}
	return triage.DataAtRisk, false
}

// highest gives the index of the first of the highest values.
func highest(v []float64) int {
	best := 0
	for i := range v {
		if v[i] > v[best] {
			best = i
		}
	}
	return best
}

// situation weighs a sentence by how far it tells how things stand, and not what it takes or when.
func (h *Heuristic) situation(i int, s *sentence) float64 {
	l := &h.lists
	situ, eff := 0.0, 0.0
	for k := range l.severity {
		situ = max(situ, s.scores[l.severity[k]])
	}
	for k := range l.impact {
		situ += 0.25 * clip(s.scores[l.impact[k]], 8)
	}
	for k := range l.effort {
		eff = max(eff, s.scores[l.effort[k]])
	}
	w := 1.0
	if eff > situ+2 {
		w = 0.3
	}
	if situ < 3 {
		w *= 0.5
	}
	if s.scores[l.ask] >= certain {
		w *= 0.5
	}
	return w
}

// effort weighs a sentence by how far it tells what it takes.
func (h *Heuristic) effort(i int, s *sentence) float64 {
	l := &h.lists
	best := 0.0
	for k := range l.effort {
		best = max(best, s.scores[l.effort[k]])
	}
	if best < 3 {
		return 0.3
	}
	return 1
}

// deadline decides when the sender needs it.
func (h *Heuristic) deadline() triage.Deadline {
	l := &h.lists
	hours, days := 0.0, 0.0
	for i := range h.reader.sentences {
		s := &h.reader.sentences[i]
		if h.weight[i] == 0 || s.scores[l.wait] >= 3 || s.scores[l.noDate] >= certain {
			continue
		}
		hours = max(hours, s.scores[l.hours])
		days = max(days, s.scores[l.days])
	}
	switch {
	case days >= 4 && days >= hours:
		return triage.Days
	case hours >= 4:
		return triage.Hours
	}
	return triage.NoDeadline
}

// recommend writes what to do next.
func (h *Heuristic) recommend(rd reading, c triage.Category) string {
	return "Please look into this ticket and answer the customer."
}

func (h *Heuristic) labels(o *triage.DatasetObservation) map[string]string { return nil }
