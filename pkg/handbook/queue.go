package handbook

import "github.com/triagebench/triage/pkg/triage"

// urgencyRow is one line of the urgency table: the first line whose test holds decides.
type urgencyRow struct {
	urgency triage.Urgency
	when    string // as printed in the handbook
	test    func(r *triage.Request) bool
}

func atRisk(r *triage.Request) bool { return r.Severity == triage.DataAtRisk }
func stuck(r *triage.Request) bool  { return r.Severity == triage.Blocked && !r.Workaround }

var urgencyTable = []urgencyRow{
	{triage.UrgencyCritical, "data or security is at risk for more than one person",
		func(r *triage.Request) bool { return atRisk(r) && r.Impact != triage.One }},
	{triage.UrgencyCritical, "work is blocked for the whole company or for its customers, and there is no workaround",
		func(r *triage.Request) bool {
			return stuck(r) && (r.Impact == triage.Company || r.Impact == triage.Customers)
		}},
	{triage.UrgencyHigh, "data or security is at risk for one person", atRisk},
	{triage.UrgencyHigh, "work is blocked for a person or a team, and there is no workaround", stuck},
	{triage.UrgencyHigh, "the deadline is hours away",
		func(r *triage.Request) bool { return r.Deadline == triage.Hours }},
	{triage.UrgencyMedium, "work is blocked, but a workaround is in use",
		func(r *triage.Request) bool { return r.Severity == triage.Blocked }},
	{triage.UrgencyMedium, "work goes on, degraded",
		func(r *triage.Request) bool { return r.Severity == triage.Degraded }},
	{triage.UrgencyMedium, "the deadline is days away",
		func(r *triage.Request) bool { return r.Deadline == triage.Days }},
	{triage.UrgencyLow, "anything else", func(*triage.Request) bool { return true }},
}

// Urgency is the urgency of a request by the handbook's table; spam is low.
func Urgency(r *triage.Request) triage.Urgency {
	if r.Route == triage.Spam {
		return triage.UrgencyLow
	}
	for i := range urgencyTable {
		if urgencyTable[i].test(r) {
			return urgencyTable[i].urgency
		}
	}
	return triage.UrgencyLow
}

// Resolution is the resolution difficulty of a request; spam is easy.
func Resolution(r *triage.Request) triage.Resolution {
	if r.Route == triage.Spam {
		return triage.ResolutionEasy
	}
	switch r.Effort {
	case triage.Investigation:
		return triage.ResolutionMedium
	case triage.CrossTeam:
		return triage.ResolutionHard
	}
	return triage.ResolutionEasy
}

// The points of the priority score. The handbook's table is printed from them.
var (
	urgencyPoints = [4]int{0, 25, 50, 75} // by [triage.Urgency.Level]
	tierPoints    = [4]int{0, 4, 8, 12}   // in the order of [triage.Tiers]
	waitPoints    = [3]int{0, 3, 6}       // under the first bound, under the second, from there on
	waitBounds    = [2]float64{4, 24}     // hours
)

const (
	escalatedPoints = 4
	contactsPoints  = 3
	contactsFrom    = 2
	maxScore        = 100
)

// PriorityScore is the score 0..100 of a queue ticket that is not spam.
func PriorityScore(u triage.Urgency, tier triage.Tier, waitHours float64, escalated bool, previousContacts int) int {
	score := 0
	if l := u.Level(); l >= 0 {
		score = urgencyPoints[l]
	}
	for i, t := range triage.Tiers() {
		if t == tier {
			score += tierPoints[i]
		}
	}
	switch {
	case waitHours < waitBounds[0]:
		score += waitPoints[0]
	case waitHours < waitBounds[1]:
		score += waitPoints[1]
	default:
		score += waitPoints[2]
	}
	if escalated {
		score += escalatedPoints
	}
	if previousContacts >= contactsFrom {
		score += contactsPoints
	}
	return min(score, maxScore)
}

// Queue gives the right answer of a queue ticket from its facts.
func Queue(f *triage.Facts) triage.QueueTruth {
	t := triage.QueueTruth{
		Route:      f.Primary.Route,
		Urgency:    Urgency(&f.Primary),
		Difficulty: Resolution(&f.Primary),
	}
	if f.Primary.Route != triage.Spam {
		t.Priority = PriorityScore(t.Urgency, f.Tier, f.WaitHours, f.Escalated, f.PreviousContacts)
	}
	if f.Secondary != nil {
		t.Secondary = f.Secondary.Route
	}
	return t
}
