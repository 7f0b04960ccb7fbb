package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
)

func deskAnswer(t *testing.T, o triage.DeskObservation) triage.DeskAction {
	t.Helper()
	a, err := theHeuristic(t).Act(context.Background(), triage.Observation{Desk: &o})
	if err != nil {
		t.Fatal(err)
	}
	return a.Desk
}

func TestHeuristicDesk(t *testing.T) {
	tests := []struct {
		name, text string
		want       triage.Category
		department triage.Department
	}{
		{"a bug", "Export\n\nHello,\n\nThe export should have 40 rows and has 30, ten rows are missing from it. Please repair the export.", triage.Bug, triage.Engineering},
		{"a question", "Refund\n\nHello,\n\nWe no longer need the plan. How do we cancel it, and please refund the rest?", triage.Question, triage.Support},
		{"a wish", "Dark mode\n\nHello,\n\nI miss a dark mode in the app, nothing like it exists. Please add an option for it, it has to be built.", triage.FeatureRequest, triage.Product},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := deskAnswer(t, triage.DeskObservation{IssueText: tt.text, TaskDifficulty: triage.Hard})
			if a.Category != tt.want || a.Department != tt.department {
				t.Errorf("%s, %s; want %s, %s", a.Category, a.Department, tt.want, tt.department)
			}
		})
	}
	furious := deskAnswer(t, triage.DeskObservation{IssueText: tests[0].text, SentimentScore: -0.95, WaitTimeHours: 50, TaskDifficulty: triage.Hard})
	if furious.Priority != triage.PriorityCritical || furious.UrgencyDays != triage.IntOf(1) {
		t.Errorf("a furious bug is %s in %v days, want Critical in 1", furious.Priority, furious.UrgencyDays)
	}
}

func TestHeuristicRecommendation(t *testing.T) {
	a := deskAnswer(t, triage.DeskObservation{TaskDifficulty: triage.Hard,
		IssueText: "Export\n\nHello,\n\nThe CSV export should have 40 rows and has 30. Please repair the export.\n\nOn Tue, Fennwick Support wrote:\n> Your webhook was resumed."})
	for _, word := range []string{"nvestigate", "reproduce", "export", "csv"} {
		if !strings.Contains(a.Recommendation, word) {
			t.Errorf("recommendation %q lacks %q", a.Recommendation, word)
		}
	}
	if strings.Contains(a.Recommendation, "webhook") {
		t.Errorf("recommendation %q names what is only quoted", a.Recommendation)
	}
	empty := deskAnswer(t, triage.DeskObservation{TaskDifficulty: triage.Hard})
	if empty.Recommendation == "" {
		t.Error("an empty ticket gets no recommendation")
	}
}
