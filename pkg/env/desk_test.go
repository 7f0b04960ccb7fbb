package env_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

func desk(d triage.DeskAction) triage.Action { return triage.Action{Track: triage.Desk, Desk: d} }

func TestADeskEpisodeShowsItsTicketAndWhatIsAsked(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]string{"desk-easy": "category", "desk-medium": "category, priority, urgency_days",
		"desk-hard": "category, priority, urgency_days, department, recommendation"} {
		e := newEnv(t, name)
		c := fake{triage.Train}.Ticket(11, 0)
		want := triage.StepResult{Observation: triage.Observation{Desk: &triage.DeskObservation{TicketID: c.Ticket.ID, CustomerName: "Ada Ash",
			IssueText: c.Ticket.Subject + "\n\n" + c.Ticket.Body, IssueType: "unclassified", SentimentScore: c.Ticket.Sentiment,
			WaitTimeHours: c.Ticket.Metadata.WaitTimeHours, IsEscalated: c.Ticket.Metadata.IsEscalated,
			TaskDifficulty: triage.Difficulty(strings.TrimPrefix(name, "desk-")), Message: "Answer with " + asked + "."}}}
		if d := cmp.Diff(want, reset(t, e, triage.ResetOptions{Seed: 11})); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestDeskSubmissionsAddUpAndLaterOnesReplaceEarlierOnes(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "desk-hard")
	reset(t, e, triage.ResetOptions{Seed: 12})
	truth, _ := e.Truth()
	w := truth.Desk
	wrong := pick(triage.Categories(), int64(len(w.Category)))
	if wrong == w.Category {
		wrong = pick(triage.Categories(), int64(len(w.Category))+1)
	}
	for i, tt := range []struct {
		a       triage.DeskAction
		message string
		done    bool
	}{
		{triage.DeskAction{Category: wrong, Priority: w.Priority}, "Still missing: urgency_days, department, recommendation.", false},
		{triage.DeskAction{Category: w.Category, UrgencyDays: triage.IntOf(w.UrgencyDays)}, "Still missing: department, recommendation.", false},
		{triage.DeskAction{Department: w.Department, Recommendation: handbook.SampleRecommendation(w)}, "The ticket is answered.", true},
	} {
		r := step(t, e, desk(tt.a))
		got := r.Observation.Desk
		if got.Message != tt.message || r.Done != tt.done || got.StepCount != i+1 || !tt.done && r.Reward != 0 {
			t.Errorf("step %d: message %q, done %v, step count %d, reward %v", i, got.Message, r.Done, got.StepCount, r.Reward)
		}
		if tt.done != (e.LastScore() != nil) {
			t.Errorf("step %d: score %+v", i, e.LastScore())
		}
	}
	s, ok := e.Summary()
	if d := cmp.Diff(triage.Summary{Score: 1, Efficiency: 1. / 3, Reward: 0.8}, s, cmpopts.EquateApprox(0, 1e-12)); d != "" || !ok {
		t.Errorf("summary, done %v (-want +got):\n%s", ok, d)
	}
}

func TestADeskEpisodeEndsAfterThreeStepsAsItStands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		task    string
		answers func(w *triage.DeskTruth) []triage.DeskAction
		want    triage.Summary
	}{
		{"nothing", "desk-easy", func(*triage.DeskTruth) []triage.DeskAction { return make([]triage.DeskAction, 3) }, triage.Summary{Truncated: true}},
		{"the category of three", "desk-medium", func(w *triage.DeskTruth) []triage.DeskAction {
			return []triage.DeskAction{{Category: w.Category}, {}, {}}
		}, triage.Summary{Score: 1. / 3, Efficiency: 1. / 3, Reward: 0.7/3 + 0.3/3, Truncated: true}},
		{"complete with the third", "desk-medium", func(w *triage.DeskTruth) []triage.DeskAction {
			return []triage.DeskAction{{Category: w.Category}, {Priority: w.Priority}, {UrgencyDays: triage.IntOf(w.UrgencyDays)}}
		}, triage.Summary{Score: 1, Efficiency: 1. / 3, Reward: 0.8}},
		{"fields that are not asked for are ignored", "desk-easy", func(w *triage.DeskTruth) []triage.DeskAction {
			return []triage.DeskAction{{Department: triage.Support, Recommendation: "x"}, {UrgencyDays: triage.IntOf(7)}, {Category: w.Category, Priority: triage.PriorityLow}}
		}, triage.Summary{Score: 1, Efficiency: 1. / 3, Reward: 0.8}},
	} {
		e := newEnv(t, tt.task)
		r := reset(t, e, triage.ResetOptions{Seed: 13})
		truth, _ := e.Truth()
		for i, a := range tt.answers(truth.Desk) {
			if r.Done {
				t.Fatalf("%s: done after %d steps", tt.name, i)
			}
			r = step(t, e, desk(a))
			if i < 2 && r.Reward != 0 {
				t.Errorf("%s: step %d pays %v before the end", tt.name, i, r.Reward)
			}
		}
		s, _ := e.Summary()
		if d := cmp.Diff(tt.want, s, cmpopts.EquateApprox(0, 1e-12)); d != "" || !r.Done || r.Reward != s.Reward {
			t.Errorf("%s: done %v, reward %v (-want +got):\n%s", tt.name, r.Done, r.Reward, d)
		}
		if tt.want.Truncated && r.Observation.Desk.Message != "The ticket is closed after the third step." {
			t.Errorf("%s: message %q", tt.name, r.Observation.Desk.Message)
		}
	}
}

func TestACompleteAnswerEndsTheEpisodeAtOnceHoweverWrong(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "desk-hard")
	for seed := range int64(20) {
		reset(t, e, triage.ResetOptions{Seed: seed})
		truth, _ := e.Truth()
		r := step(t, e, desk(triage.DeskAction{Category: triage.Question, Priority: triage.PriorityLow, UrgencyDays: triage.IntOf(7),
			Department: triage.Product, Recommendation: "nothing"}))
		s, _ := e.Summary()
		if !r.Done || s.Truncated || r.Observation.Desk.Message != "The ticket is answered." {
			t.Errorf("done %v, summary %+v, message %q", r.Done, s, r.Observation.Desk.Message)
		}
		if right := truth.Desk.Category == triage.Question; (s.Efficiency == 1) != right || !right && s.Efficiency != 0 {
			t.Errorf("efficiency %v with a category that is right: %v", s.Efficiency, right)
		}
	}
}

// A message depends on what was submitted, never on whether it is right.
func TestDeskMessagesNeverTellWhatIsWrong(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "desk-hard")
	messages := map[string]string{}
	for seed := range int64(30) {
		for _, a := range []triage.DeskAction{{}, {Category: triage.Bug}, {Category: triage.Question}, {Priority: triage.PriorityLow}, {Priority: triage.PriorityHigh},
			{Department: triage.Support, UrgencyDays: triage.IntOf(1)}, {Department: triage.Product, UrgencyDays: triage.IntOf(7)}} {
			reset(t, e, triage.ResetOptions{Seed: seed})
			given := ""
			if a.Category != "" {
				given = "category"
			} else if a.Priority != "" {
				given = "priority"
			} else if a.Department != "" {
				given = "department and days"
			}
			got := step(t, e, desk(a)).Observation.Desk.Message
			if before, ok := messages[given]; ok && before != got {
				t.Errorf("seed %d, given %s: message %q, elsewhere %q", seed, given, got, before)
			}
			messages[given] = got
		}
	}
}
