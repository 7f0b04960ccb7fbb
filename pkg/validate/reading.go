package validate

import (
	"github.com/triagebench/triage/pkg/triage"
)

// The labels that a reader of the handbook gives a ticket.

func (b *book) urgencyOf(r *triage.Request) triage.Urgency {
	if r.Route == triage.Spam {
		return triage.UrgencyLow
	}
	for _, l := range b.urgency {
		if l.holds(r) {
			return l.urgency
		}
	}
	return ""
}

// effortWords are what the text says of each resolution difficulty.
var effortWords = map[triage.Effort]struct {
	level triage.Resolution
	says  string
}{
	triage.SelfService:   {triage.ResolutionEasy, "- **easy**: self-service or one touch"},
	triage.Investigation: {triage.ResolutionMedium, "- **medium**: one team has to investigate"},
	triage.CrossTeam:     {triage.ResolutionHard, "- **hard**: several teams or a code change"},
}

func (b *book) resolutionOf(r *triage.Request) triage.Resolution {
	if r.Route == triage.Spam {
		return triage.ResolutionEasy
	}
	return b.effort[r.Effort]
}

// scoreOf adds up the priority score.
func (b *book) scoreOf(u triage.Urgency, f *triage.Facts) int {
	if f.Primary.Route == triage.Spam {
		return 0
	}
	sum := b.points["urgency "+string(u)] + b.points["tier "+string(f.Tier)] + b.waited(f.WaitHours)
	if f.Escalated {
		sum += b.points["escalated"]
	}
	for _, c := range b.contacts {
		if float64(f.PreviousContacts) >= c.at {
			sum += c.points
		}
	}
	return min(sum, b.score)
}

// waited gives the points of a wait: of the longest one that it reaches, else of the shortest that it stays under.
func (b *book) waited(hours float64) int {
	for i := len(b.from) - 1; i >= 0; i-- {
		if hours >= b.from[i].at {
			return b.from[i].points
		}
	}
	for _, u := range b.under {
		if hours < u.at {
			return u.points
		}
	}
	return 0
}

// priorityOf adds up the points of a desk ticket: the highest line that applies, and additions.
func (b *book) priorityOf(f *triage.Facts) triage.Priority {
	r := &f.Primary
	if r.Category == triage.Bug && f.Sentiment <= b.furious || f.Sentiment <= b.outraged {
		return triage.PriorityCritical
	}
	points := 0
	for _, l := range b.desk {
		if l.category == r.Category && l.holds(r) {
			points = max(points, l.points)
		}
	}
	counted := map[string]bool{}
	for _, x := range b.extra {
		applies := x.kind == "escalated" && f.Escalated || x.kind == "sentiment" && f.Sentiment <= x.bound || x.kind == "wait" && f.WaitHours >= x.bound
		if applies && (!x.other || !counted[x.kind]) {
			points += x.points
			counted[x.kind] = true
		}
	}
	out := triage.Priority("")
	for _, s := range b.scale {
		if points >= s.from {
			out = s.priority
		}
	}
	return out
}

func (b *book) daysOf(p triage.Priority, f *triage.Facts) int {
	days := b.days[p]
	if f.WaitHours >= b.lessFrom {
		days--
	}
	return max(days, b.leastDay)
}

// departmentOf gives the department, and what each earns.
func (b *book) departmentOf(f *triage.Facts) (triage.Department, map[triage.Department]float64) {
	home := b.home[f.Primary.Category]
	credit := map[triage.Department]float64{home: 1}
	switch {
	case !f.Escalated:
	case f.Sentiment > b.tone && f.WaitHours < b.wait:
		credit[triage.Management] = 0.5
	case f.Primary.Category == triage.Bug:
		credit[triage.Management] = 1
	default:
		credit[triage.Management], credit[home] = 1, 0.5
		return triage.Management, credit
	}
	return home, credit
}
