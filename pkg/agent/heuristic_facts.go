package agent

import "github.com/triagebench/triage/pkg/triage"

// judge decides the facts of a queue ticket's primary request.
func (h *Heuristic) judge(rd reading, selected triage.Route, d triage.Difficulty) triage.Request {
	r := triage.Request{Route: h.route(selected, d), Severity: triage.Cosmetic, Impact: triage.One, Deadline: triage.NoDeadline,
		Effort: triage.SelfService}
	if r.Route == triage.Spam || rd.followUp {
		return r
	}
	h.facts(&rd, &r)
	return r
}

// judgeDesk decides the facts of a desk ticket's primary request.
func (h *Heuristic) judgeDesk(rd reading) triage.Request {
	r := triage.Request{Category: h.category()}
	h.facts(&rd, &r)
	return r
}

// facts decides severity, impact, workaround, deadline, effort and stake.
func (h *Heuristic) facts(rd *reading, r *triage.Request) {
	l := &h.lists
	var sev [4]float64
	for i := range sev {
		sev[i] = h.strongest(rd, l.severity[i], 12, h.situation)
	}
	no, yes := h.strongest(rd, l.noWorkaround, 12, h.situation), h.strongest(rd, l.workaround, 12, h.situation)
	var impact [4]float64
	for i := range impact {
		impact[i] = h.strongest(rd, l.impact[i], 9, h.hit)
	}
	r.Severity, r.Workaround = severity(sev, impact, no, yes)
	r.Impact = triage.Impacts()[highest(impact[:])]
	r.Deadline = h.deadline(rd)
	var effort [3]float64
	for i := range effort {
		effort[i] = h.strongest(rd, l.effort[i], 12, even)
	}
	r.Effort = triage.Efforts()[highest(effort[:])]
	r.Stake = triage.NoStake
	daily, contract := h.strongest(rd, l.daily, 9, h.situation), h.strongest(rd, l.contract, 9, h.situation)
	switch {
	case contract >= 12 && contract >= daily:
		r.Stake = triage.Contract
	case daily >= 9:
		r.Stake = triage.DailyWork
	}
}

// What the workaround and those who are hit say of the severity: trifles mostly bother one person, whole companies are
// seldom named but when they stand still.
const workaroundShare, impactShare = 0.8, 0.15

// doubt is what speaks for the lesser severities from the start: few cues are no standstill.
const doubt = 4.0

// severity decides between the severities, with blocked told apart by its workaround.
func severity(s, impact [4]float64, no, yes float64) (triage.Severity, bool) {
	v := [5]float64{
		s[0] + float64(impactShare*impact[0]) + doubt,
		s[1] + float64(impactShare*impact[1]) + doubt,
		s[2] + float64(workaroundShare*yes) + float64(impactShare*impact[1]),
		s[2] + float64(workaroundShare*no) + float64(impactShare*max(impact[1], impact[2], impact[3])),
		s[3],
	}
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
func (h *Heuristic) situation(s *sentence) float64 {
	l := &h.lists
	situ, eff := 0.0, 0.0
	for k := range l.severity {
		situ = max(situ, s.scores[l.severity[k]])
	}
	for k := range l.impact {
		situ += float64(0.25 * clip(s.scores[l.impact[k]], 8))
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

// hit weighs a sentence by how far it says who is hit: people are named in many sentences, but those that tell how bad it
// is tell for whom.
func (h *Heuristic) hit(s *sentence) float64 {
	l := &h.lists
	bad := max(s.scores[l.noWorkaround], s.scores[l.workaround])
	for k := range l.severity {
		bad = max(bad, s.scores[l.severity[k]])
	}
	return float64(h.situation(s) * (0.4 + float64(0.1*clip(bad, 6))))
}

// even weighs all sentences alike.
func even(*sentence) float64 { return 1 }

// dated is the score from which a sentence names a deadline: times are named in many that set none.
const dated = 5

// deadline decides when the sender needs it.
func (h *Heuristic) deadline(rd *reading) triage.Deadline {
	l := &h.lists
	hours, days := 0.0, 0.0
	for i := rd.subject; i < len(h.reader.sentences); i++ {
		s := &h.reader.sentences[i]
		if h.weight[i] == 0 || s.scores[l.wait] >= 3 || s.scores[l.noDate] >= certain {
			continue
		}
		hours = max(hours, s.scores[l.hours])
		days = max(days, s.scores[l.days])
	}
	switch {
	case days >= dated && days >= hours:
		return triage.Days
	case hours >= dated:
		return triage.Hours
	}
	return triage.NoDeadline
}
