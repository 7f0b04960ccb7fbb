package handbook

import "github.com/triagebench/triage/pkg/triage"

// The desk's rules in numbers. The handbook's tables are printed from them.
const (
	furious, annoyed = -0.8, -0.4 // sentiment at or under these adds 2 and 1 points
	outraged         = -0.9       // sentiment at or under this is always Critical
	longWait, wait   = 48.0, 24.0 // hours from which 2 and 1 points are added
	managementTone   = -0.6       // with an escalation, sentiment at or under this calls for Management
	maxDays          = 7
)

var (
	bugPoints      = [4]int{0, 2, 4, 6} // by severity: cosmetic, degraded, blocked, data_at_risk
	questionPoints = [3]int{0, 2, 4}    // nothing, a deadline, blocked until answered
	featurePoints  = [3]int{0, 2, 4}    // a personal wish, daily work, a contract
	priorityFrom   = [3]int{2, 4, 6}    // points from which Medium, High, Critical begin
	priorityDays   = [4]int{7, 4, 2, 1} // Low, Medium, High, Critical
)

// Points is what a request is worth before tone, wait and escalation: 0, 2, 4 or 6.
func Points(r *triage.Request) int {
	switch r.Category {
	case triage.Bug:
		for i, s := range triage.Severities() {
			if s == r.Severity {
				return bugPoints[i]
			}
		}
	case triage.Question:
		switch {
		case r.Severity == triage.Blocked:
			return questionPoints[2]
		case r.Deadline != triage.NoDeadline:
			return questionPoints[1]
		}
	case triage.FeatureRequest:
		for i, s := range triage.Stakes() {
			if s == r.Stake {
				return featurePoints[i]
			}
		}
	}
	return 0
}

// DeskPriority is the priority of a desk ticket: points is as from [Points], sentiment -1..1 as shown to the agent.
func DeskPriority(c triage.Category, points int, sentiment, waitHours float64, escalated bool) triage.Priority {
	if sentiment <= outraged || c == triage.Bug && sentiment <= furious {
		return triage.PriorityCritical
	}
	switch {
	case sentiment <= furious:
		points += 2
	case sentiment <= annoyed:
		points++
	}
	switch {
	case waitHours >= longWait:
		points += 2
	case waitHours >= wait:
		points++
	}
	if escalated {
		points++
	}
	p := triage.Priorities()
	level := 0
	for _, from := range priorityFrom {
		if points >= from {
			level++
		}
	}
	return p[level]
}

// UrgencyDays is within how many days a desk ticket must be settled, 1..7.
func UrgencyDays(p triage.Priority, waitHours float64) int {
	days := maxDays
	if l := p.Level(); l >= 0 {
		days = priorityDays[l]
	}
	if waitHours >= wait {
		days--
	}
	return max(days, 1)
}

// Department gives the department that has to act, and what each department earns in the order of
// [triage.Departments].
func Department(c triage.Category, sentiment, waitHours float64, escalated bool) (triage.Department, [4]float64) {
	home := triage.Support
	switch c {
	case triage.Bug:
		home = triage.Engineering
	case triage.FeatureRequest:
		home = triage.Product
	}
	var credit [4]float64
	credit[home.Index()] = 1
	if !escalated {
		return home, credit
	}
	management := triage.Management.Index()
	if sentiment > managementTone && waitHours < longWait {
		credit[management] = 0.5
		return home, credit
	}
	credit[management] = 1
	if c == triage.Bug {
		return home, credit
	}
	credit[home.Index()] = 0.5
	return triage.Management, credit
}

// Desk gives the right answer of a desk ticket from its facts; text is the ticket as the agent sees it, against which
// recommendations are graded.
func Desk(f *triage.Facts, text string) triage.DeskTruth {
	c := f.Primary.Category
	t := triage.DeskTruth{Category: c, Entities: f.Entities, Distractors: f.Distractors, Text: text}
	t.Priority = DeskPriority(c, Points(&f.Primary), f.Sentiment, f.WaitHours, f.Escalated)
	t.UrgencyDays = UrgencyDays(t.Priority, f.WaitHours)
	t.Department, t.Credit = Department(c, f.Sentiment, f.WaitHours, f.Escalated)
	return t
}

// SampleRecommendation writes a recommendation that earns the full part: two words of the category's kind and two
// entities of the request, in a sentence that tells someone to do something.
func SampleRecommendation(d *triage.DeskTruth) string {
	a, b := "matter", "ticket"
	if len(d.Entities) > 1 {
		a, b = d.Entities[0][0], d.Entities[1][0]
	}
	switch d.Category {
	case triage.Bug:
		return "Investigate and reproduce what goes wrong here with " + a + " and " + b + "."
	case triage.FeatureRequest:
		return "Evaluate this for the roadmap and gather what is needed: " + a + " together with " + b + "."
	}
	return "Guide the customer and explain how " + a + " and " + b + " go together."
}
