package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
)

func theKeyword(t testing.TB) *Keyword {
	t.Helper()
	a, err := newKeyword()
	if err != nil {
		t.Fatal(err)
	}
	return a.(*Keyword)
}

func TestKeywordQueue(t *testing.T) {
	tests := []struct {
		name, subject, body string
		selected            triage.Route
		want                triage.QueueAction
	}{
		{"money", "Refund", "Please refund the invoice, a link is enough. It is only cosmetic.", "",
			triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(0)}},
		{"the picked category is one more word", "Hello", "It is about the plan, someone has to check the log.", triage.Technical,
			triage.QueueAction{Route: triage.Technical, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionMedium, Priority: triage.IntOf(0)}},
		{"a denied word counts all the same", "Hello", "This is not about the invoice or a refund. The app.", "",
			triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(0)}},
		{"spam is low and easy", "Bitcoin", "Click www now, guaranteed profit! The whole company, two departments, no workaround.", "",
			triage.QueueAction{Route: triage.Spam, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(0)}},
		{"nothing", "", "", "",
			triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := triage.Observation{Queue: &triage.QueueObservation{Ticket: &triage.QueueTicket{Subject: tt.subject, Description: tt.body,
				Metadata: triage.Metadata{SelectedCategory: tt.selected}}}}
			a, err := theKeyword(t).Act(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if a.Queue != tt.want {
				t.Errorf("answers %+v, want %+v", a.Queue, tt.want)
			}
		})
	}
}

func TestKeywordDesk(t *testing.T) {
	o := triage.Observation{Desk: &triage.DeskObservation{TaskDifficulty: triage.Hard,
		IssueText: "Export\n\nThe export shows an error, it should work. Nobody here, the whole company, no workaround."}}
	a, err := theKeyword(t).Act(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := a.Desk; d.Category != triage.Bug || d.Priority != triage.PriorityCritical || d.Department != triage.Engineering ||
		!strings.Contains(d.Recommendation, "export") {
		t.Errorf("answers %+v, want a critical bug about the export", d)
	}
}

func TestWithoutTicket(t *testing.T) {
	for _, name := range []string{"keyword", "heuristic"} {
		a, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []triage.Observation{{}, {Queue: &triage.QueueObservation{}}, {Desk: &triage.DeskObservation{}}, {Dataset: &triage.DatasetObservation{}}} {
			if _, err := a.Act(context.Background(), o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestDataset(t *testing.T) {
	o := triage.Observation{Dataset: &triage.DatasetObservation{Subject: "Refund", Body: "Please refund the invoice and cancel our plan.",
		Labels: map[string][]string{"Queue": {"BILLING", "TECHNICAL", "FEATURE"}, "Sentiment": {"good", "bad"}, "Priority": {"Low", "Medium", "High"}}}}
	for _, name := range []string{"keyword", "heuristic"} {
		a, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Act(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Validate(triage.Dataset, o.Dataset.Labels); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := got.Labels["Sentiment"]; ok || got.Labels["Queue"] != "BILLING" || got.Labels["Priority"] == "" {
			t.Errorf("%s answers %v, want Queue BILLING, a Priority and no Sentiment", name, got.Labels)
		}
	}
}
