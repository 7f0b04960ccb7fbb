package handbook_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

func TestQueueUrgencyFollowsTheTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		severity   triage.Severity
		impact     triage.Impact
		workaround bool
		deadline   triage.Deadline
		want       triage.Urgency
	}{
		{"data of a team at risk", triage.DataAtRisk, triage.Team, false, triage.NoDeadline, "critical"},
		{"data of the company at risk", triage.DataAtRisk, triage.Company, false, triage.NoDeadline, "critical"},
		{"data of customers at risk", triage.DataAtRisk, triage.Customers, false, triage.NoDeadline, "critical"},
		{"data of one person at risk", triage.DataAtRisk, triage.One, false, triage.NoDeadline, "high"},
		{"data of one person at risk, with a deadline", triage.DataAtRisk, triage.One, false, triage.Hours, "high"},
		{"a workaround makes no difference to data at risk", triage.DataAtRisk, triage.Team, true, triage.NoDeadline, "critical"},
		{"company blocked", triage.Blocked, triage.Company, false, triage.NoDeadline, "critical"},
		{"customers blocked", triage.Blocked, triage.Customers, false, triage.NoDeadline, "critical"},
		{"team blocked", triage.Blocked, triage.Team, false, triage.NoDeadline, "high"},
		{"one person blocked", triage.Blocked, triage.One, false, triage.NoDeadline, "high"},
		{"company blocked with a workaround", triage.Blocked, triage.Company, true, triage.NoDeadline, "medium"},
		{"customers blocked with a workaround", triage.Blocked, triage.Customers, true, triage.Days, "medium"},
		{"one person blocked with a workaround", triage.Blocked, triage.One, true, triage.NoDeadline, "medium"},
		{"company blocked with a workaround, hours left", triage.Blocked, triage.Company, true, triage.Hours, "high"},
		{"degraded for one", triage.Degraded, triage.One, false, triage.NoDeadline, "medium"},
		{"degraded for customers", triage.Degraded, triage.Customers, false, triage.NoDeadline, "medium"},
		{"degraded, days left", triage.Degraded, triage.Team, false, triage.Days, "medium"},
		{"degraded, hours left", triage.Degraded, triage.Team, false, triage.Hours, "high"},
		{"cosmetic", triage.Cosmetic, triage.One, false, triage.NoDeadline, "low"},
		{"cosmetic for customers", triage.Cosmetic, triage.Customers, false, triage.NoDeadline, "low"},
		{"cosmetic, days left", triage.Cosmetic, triage.One, false, triage.Days, "medium"},
		{"cosmetic, hours left", triage.Cosmetic, triage.One, false, triage.Hours, "high"},
	} {
		r := triage.Request{Route: triage.Technical, Severity: tt.severity, Impact: tt.impact, Workaround: tt.workaround, Deadline: tt.deadline}
		if got := handbook.Urgency(&r); got != tt.want {
			t.Errorf("%s: urgency %s, want %s", tt.name, got, tt.want)
		}
		r.Route = triage.Spam
		if got := handbook.Urgency(&r); got != triage.UrgencyLow {
			t.Errorf("spam that claims %s: urgency %s, want low", tt.name, got)
		}
	}
}

// wantUrgency says the contract's sentence again, in another form than the table of the code.
func wantUrgency(r *triage.Request) triage.Urgency {
	risk, blocked := r.Severity == "data_at_risk", r.Severity == "blocked" && !r.Workaround
	switch {
	case risk && r.Impact != "one", blocked && (r.Impact == "company" || r.Impact == "customers"):
		return "critical"
	case risk, blocked, r.Deadline == "hours":
		return "high"
	case r.Severity == "blocked", r.Severity == "degraded", r.Deadline == "days":
		return "medium"
	}
	return "low"
}

func TestQueueUrgencyOfEveryCombination(t *testing.T) {
	t.Parallel()
	for _, severity := range triage.Severities() {
		for _, impact := range triage.Impacts() {
			for _, workaround := range []bool{false, true} {
				for _, deadline := range triage.Deadlines() {
					r := triage.Request{Route: triage.Billing, Severity: severity, Impact: impact, Workaround: workaround, Deadline: deadline}
					if got, want := handbook.Urgency(&r), wantUrgency(&r); got != want {
						t.Errorf("%+v: urgency %s, want %s", r, got, want)
					}
				}
			}
		}
	}
}

func TestResolutionFollowsEffort(t *testing.T) {
	t.Parallel()
	for effort, want := range map[triage.Effort]triage.Resolution{triage.SelfService: "easy", triage.Investigation: "medium", triage.CrossTeam: "hard"} {
		for _, route := range triage.Routes() {
			r := triage.Request{Route: route, Effort: effort}
			if route == triage.Spam {
				want = "easy"
			}
			if got := handbook.Resolution(&r); got != want {
				t.Errorf("%s with effort %s: difficulty %s, want %s", route, effort, got, want)
			}
		}
	}
}

func TestPriorityScoreAddsThePointsOfTheTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		urgency   triage.Urgency
		tier      triage.Tier
		wait      float64
		escalated bool
		contacts  int
		want      int
	}{
		{"low", triage.Free, 0, false, 0, 0},
		{"medium", triage.Free, 0, false, 0, 25},
		{"high", triage.Free, 0, false, 0, 50},
		{"critical", triage.Free, 0, false, 0, 75},
		{"low", triage.Pro, 0, false, 0, 4},
		{"low", triage.Business, 0, false, 0, 8},
		{"low", triage.Enterprise, 0, false, 0, 12},
		{"low", triage.Free, 3.9, false, 0, 0},
		{"low", triage.Free, 4, false, 0, 3},
		{"low", triage.Free, 23.9, false, 0, 3},
		{"low", triage.Free, 24, false, 0, 6},
		{"low", triage.Free, 1000, false, 0, 6},
		{"low", triage.Free, 0, true, 0, 4},
		{"low", triage.Free, 0, false, 1, 0},
		{"low", triage.Free, 0, false, 2, 3},
		{"low", triage.Free, 0, false, 9, 3},
		{"critical", triage.Enterprise, 24, true, 2, 100},
		{"high", triage.Business, 5, true, 2, 68},
		{"medium", triage.Business, 2, false, 0, 33},
	} {
		if got := handbook.PriorityScore(tt.urgency, tt.tier, tt.wait, tt.escalated, tt.contacts); got != tt.want {
			t.Errorf("%s, %s, %v h, escalated %v, %d contacts: score %d, want %d", tt.urgency, tt.tier, tt.wait, tt.escalated, tt.contacts, got, tt.want)
		}
	}
}

func TestAHigherUrgencyNeverFallsBelowALowerOne(t *testing.T) {
	t.Parallel()
	type rest struct {
		tier      triage.Tier
		wait      float64
		escalated bool
		contacts  int
	}
	draw := rapid.Custom(func(t *rapid.T) rest {
		return rest{rapid.SampledFrom(triage.Tiers()).Draw(t, "tier"), float64(rapid.IntRange(0, 1000).Draw(t, "tenths")) / 10,
			rapid.Bool().Draw(t, "escalated"), rapid.IntRange(0, 9).Draw(t, "contacts")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		level := rapid.IntRange(0, 2).Draw(t, "level")
		low := handbook.PriorityScore(triage.Urgencies()[level], a.tier, a.wait, a.escalated, a.contacts)
		high := handbook.PriorityScore(triage.Urgencies()[level+1], b.tier, b.wait, b.escalated, b.contacts)
		if high < low {
			t.Errorf("%s with %+v has score %d, %s with %+v only %d", triage.Urgencies()[level], a, low, triage.Urgencies()[level+1], b, high)
		}
		if low < 0 || high > 100 {
			t.Errorf("scores %d and %d leave 0..100", low, high)
		}
	})
}

func TestQueueLabelsComeFromThePrimaryRequestAlone(t *testing.T) {
	t.Parallel()
	lesser := triage.Request{Route: triage.Billing, Severity: triage.Degraded, Impact: triage.One, Effort: triage.CrossTeam}
	f := triage.Facts{Primary: triage.Request{Route: triage.Technical, Severity: triage.Blocked, Impact: triage.Company, Effort: triage.Investigation},
		Secondary: &lesser, Tier: triage.Pro, WaitHours: 4, Escalated: true, PreviousContacts: 3}
	want := triage.QueueTruth{Route: "technical", Urgency: "critical", Difficulty: "medium", Priority: 75 + 4 + 3 + 4 + 3, Secondary: "billing"}
	if d := cmp.Diff(want, handbook.Queue(&f)); d != "" {
		t.Errorf("truth (-want +got):\n%s", d)
	}
	f.Secondary = nil
	want.Secondary = ""
	if d := cmp.Diff(want, handbook.Queue(&f)); d != "" {
		t.Errorf("truth without a secondary request (-want +got):\n%s", d)
	}
	f.Primary.Route = triage.Spam
	if d := cmp.Diff(triage.QueueTruth{Route: "spam", Urgency: "low", Difficulty: "easy"}, handbook.Queue(&f)); d != "" {
		t.Errorf("truth of spam (-want +got):\n%s", d)
	}
}

func TestWorkedExamplesOfTheContract(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		f    triage.Facts
		want triage.QueueTruth
	}{
		{"seats charged after removal, easy", triage.Facts{Primary: triage.Request{Route: triage.Billing, Severity: triage.Degraded, Impact: triage.One,
			Deadline: triage.NoDeadline, Effort: triage.SelfService}, Tier: triage.Business, WaitHours: 2},
			triage.QueueTruth{Route: "billing", Urgency: "medium", Difficulty: "easy", Priority: 33}},
		{"seats charged after removal, hard", triage.Facts{Primary: triage.Request{Route: triage.Billing, Severity: triage.Blocked, Impact: triage.Company,
			Deadline: triage.NoDeadline, Effort: triage.CrossTeam}, Tier: triage.Free},
			triage.QueueTruth{Route: "billing", Urgency: "critical", Difficulty: "hard", Priority: 75}},
	} {
		if d := cmp.Diff(tt.want, handbook.Queue(&tt.f)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func ExampleUrgency() {
	fmt.Println(handbook.Urgency(&triage.Request{Route: triage.Technical, Severity: triage.Blocked, Impact: triage.Company}))
	fmt.Println(handbook.Urgency(&triage.Request{Route: triage.Spam, Severity: triage.DataAtRisk, Impact: triage.Customers}))
	// Output:
	// critical
	// low
}
