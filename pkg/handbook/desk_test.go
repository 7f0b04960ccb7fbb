package handbook_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

func TestDeskPointsFollowTheTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		r    triage.Request
		want int
	}{
		{"bug, cosmetic", triage.Request{Category: triage.Bug, Severity: triage.Cosmetic}, 0},
		{"bug, degraded", triage.Request{Category: triage.Bug, Severity: triage.Degraded}, 2},
		{"bug, blocked", triage.Request{Category: triage.Bug, Severity: triage.Blocked}, 4},
		{"bug, data at risk", triage.Request{Category: triage.Bug, Severity: triage.DataAtRisk}, 6},
		{"a deadline does not count for a bug", triage.Request{Category: triage.Bug, Severity: triage.Cosmetic, Deadline: triage.Hours}, 0},
		{"a workaround does not count for a bug", triage.Request{Category: triage.Bug, Severity: triage.Blocked, Workaround: true}, 4},
		{"question", triage.Request{Category: triage.Question, Severity: triage.Cosmetic, Deadline: triage.NoDeadline}, 0},
		{"question, degraded", triage.Request{Category: triage.Question, Severity: triage.Degraded, Deadline: triage.NoDeadline}, 0},
		{"question, days left", triage.Request{Category: triage.Question, Severity: triage.Cosmetic, Deadline: triage.Days}, 2},
		{"question, hours left", triage.Request{Category: triage.Question, Severity: triage.Cosmetic, Deadline: triage.Hours}, 2},
		{"question, blocked", triage.Request{Category: triage.Question, Severity: triage.Blocked, Deadline: triage.NoDeadline}, 4},
		{"question, blocked and hours left: the highest line", triage.Request{Category: triage.Question, Severity: triage.Blocked, Deadline: triage.Hours}, 4},
		{"wish", triage.Request{Category: triage.FeatureRequest, Stake: triage.NoStake}, 0},
		{"wish for daily work", triage.Request{Category: triage.FeatureRequest, Stake: triage.DailyWork}, 2},
		{"wish on which a contract depends", triage.Request{Category: triage.FeatureRequest, Stake: triage.Contract}, 4},
		{"severity does not count for a wish", triage.Request{Category: triage.FeatureRequest, Severity: triage.DataAtRisk, Stake: triage.NoStake}, 0},
		{"no category", triage.Request{Severity: triage.DataAtRisk}, 0},
		{"a bug without a severity", triage.Request{Category: triage.Bug}, 0},
		{"a wish without a stake", triage.Request{Category: triage.FeatureRequest}, 0},
	} {
		if got := handbook.Points(&tt.r); got != tt.want {
			t.Errorf("%s: %d points, want %d", tt.name, got, tt.want)
		}
	}
}

func TestDeskPriorityAddsPointsAndReadsTheScale(t *testing.T) {
	t.Parallel()
	const bug, wish, question = triage.Bug, triage.FeatureRequest, triage.Question
	for _, tt := range []struct {
		name      string
		category  triage.Category
		points    int
		sentiment float64
		wait      float64
		escalated bool
		want      triage.Priority
	}{
		{"nothing", question, 0, 0, 0, false, "Low"},
		{"1 point is Low", question, 0, 0, 0, true, "Low"},
		{"2 points are Medium", question, 2, 0, 0, false, "Medium"},
		{"3 points are Medium", question, 2, 0, 0, true, "Medium"},
		{"4 points are High", question, 4, 0, 0, false, "High"},
		{"5 points are High", question, 4, 0, 0, true, "High"},
		{"6 points are Critical", bug, 6, 0, 0, false, "Critical"},
		{"9 points are Critical", question, 4, -0.8, 48, true, "Critical"},

		{"sentiment just over −0.4 adds nothing", question, 1, -0.39, 0, false, "Low"},
		{"sentiment −0.4 adds 1", question, 1, -0.4, 0, false, "Medium"},
		{"sentiment just over −0.8 adds 1", question, 2, -0.79, 0, false, "Medium"},
		{"sentiment −0.8 adds 2", question, 2, -0.8, 0, false, "High"},
		{"sentiment −0.8 adds 2 to a wish", wish, 0, -0.8, 0, false, "Medium"},
		{"good sentiment adds nothing", question, 1, 1, 0, false, "Low"},

		{"23.9 hours add nothing", question, 1, 0, 23.9, false, "Low"},
		{"24 hours add 1", question, 1, 0, 24, false, "Medium"},
		{"47.9 hours add 1", question, 2, 0, 47.9, false, "Medium"},
		{"48 hours add 2", question, 2, 0, 48, false, "High"},
		{"escalation adds 1", question, 1, 0, 0, true, "Medium"},
		{"all additions together", question, 0, -0.8, 48, true, "High"},

		{"a bug at −0.8 is Critical", bug, 0, -0.8, 0, false, "Critical"},
		{"a bug just over −0.8 is not", bug, 0, -0.79, 0, false, "Low"},
		{"a question at −0.89 is not Critical", question, 0, -0.89, 0, false, "Medium"},
		{"a question at −0.9 is Critical", question, 0, -0.9, 0, false, "Critical"},
		{"a wish at −0.9 is Critical", wish, 0, -0.9, 0, false, "Critical"},
		{"a wish at −1 is Critical", wish, 0, -1, 0, false, "Critical"},
	} {
		if got := handbook.DeskPriority(tt.category, tt.points, tt.sentiment, tt.wait, tt.escalated); got != tt.want {
			t.Errorf("%s: priority %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestUrgencyDaysFollowPriorityAndWait(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		priority triage.Priority
		wait     float64
		want     int
	}{
		{"Critical", 0, 1}, {"High", 0, 2}, {"Medium", 0, 4}, {"Low", 0, 7},
		{"Critical", 23.9, 1}, {"High", 23.9, 2}, {"Medium", 23.9, 4}, {"Low", 23.9, 7},
		{"Critical", 24, 1}, {"High", 24, 1}, {"Medium", 24, 3}, {"Low", 24, 6},
		{"Critical", 500, 1}, {"High", 500, 1}, {"Medium", 500, 3}, {"Low", 500, 6},
	} {
		if got := handbook.UrgencyDays(tt.priority, tt.wait); got != tt.want {
			t.Errorf("%s after %v hours: %d days, want %d", tt.priority, tt.wait, got, tt.want)
		}
	}
}

func TestDepartmentAndCredit(t *testing.T) {
	t.Parallel()
	// Credit of Engineering, Product, Support, Management.
	type credit = [4]float64
	for _, tt := range []struct {
		name      string
		category  triage.Category
		sentiment float64
		wait      float64
		escalated bool
		want      triage.Department
		credit    credit
	}{
		{"bug", triage.Bug, 0, 0, false, "Engineering", credit{1, 0, 0, 0}},
		{"wish", triage.FeatureRequest, 0, 0, false, "Product", credit{0, 1, 0, 0}},
		{"question", triage.Question, 0, 0, false, "Support", credit{0, 0, 1, 0}},
		{"tone without escalation", triage.Question, -1, 0, false, "Support", credit{0, 0, 1, 0}},
		{"wait without escalation", triage.FeatureRequest, 0, 99, false, "Product", credit{0, 1, 0, 0}},

		{"escalated bug", triage.Bug, 0, 0, true, "Engineering", credit{1, 0, 0, 0.5}},
		{"escalated wish", triage.FeatureRequest, 0, 0, true, "Product", credit{0, 1, 0, 0.5}},
		{"escalated question", triage.Question, 0, 0, true, "Support", credit{0, 0, 1, 0.5}},
		{"escalated question just over −0.6", triage.Question, -0.59, 0, true, "Support", credit{0, 0, 1, 0.5}},
		{"escalated question after 47.9 hours", triage.Question, 0, 47.9, true, "Support", credit{0, 0, 1, 0.5}},

		{"escalated question at −0.6", triage.Question, -0.6, 0, true, "Management", credit{0, 0, 0.5, 1}},
		{"escalated question after 48 hours", triage.Question, 0, 48, true, "Management", credit{0, 0, 0.5, 1}},
		{"escalated wish at −0.6", triage.FeatureRequest, -0.6, 0, true, "Management", credit{0, 0.5, 0, 1}},
		{"escalated wish after 48 hours", triage.FeatureRequest, 1, 48, true, "Management", credit{0, 0.5, 0, 1}},
		{"escalated bug at −0.6", triage.Bug, -0.6, 0, true, "Engineering", credit{1, 0, 0, 1}},
		{"escalated bug after 48 hours", triage.Bug, 0, 48, true, "Engineering", credit{1, 0, 0, 1}},
	} {
		got, c := handbook.Department(tt.category, tt.sentiment, tt.wait, tt.escalated)
		if got != tt.want || c != tt.credit {
			t.Errorf("%s: %s with credit %v, want %s with %v", tt.name, got, c, tt.want, tt.credit)
		}
		if c[got.Index()] != 1 {
			t.Errorf("%s: the right department %s earns %v", tt.name, got, c[got.Index()])
		}
	}
}

func TestDeskTruthComesFromFactsAndText(t *testing.T) {
	t.Parallel()
	f := triage.Facts{Primary: triage.Request{Category: triage.Question, Severity: triage.Blocked, Deadline: triage.Days},
		WaitHours: 48, Escalated: true, Sentiment: -0.41, Entities: [][]string{{"invoice"}, {"seats"}}, Distractors: []string{"export"}}
	want := triage.DeskTruth{Category: "Question", Priority: "Critical", UrgencyDays: 1, Department: "Management", Credit: [4]float64{0, 0, 0.5, 1},
		Entities: f.Entities, Distractors: f.Distractors, Text: "Subject\n\nBody"}
	if d := cmp.Diff(want, handbook.Desk(&f, "Subject\n\nBody")); d != "" {
		t.Errorf("truth (-want +got):\n%s", d)
	}
}
