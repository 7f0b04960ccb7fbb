package agent

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
	"pgregory.net/rapid"
)

// anyText draws texts from pieces that the rules look for and from anything else.
func anyText() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{"please refund ", "> quoted\n", "\n\n", "no workaround", ". ", "! ", "(", ")", "'t", "n't", "can’t", "P.S. ",
		"On Tue, X wrote:\n", "-- \n", "From: a@b\n", "tomorrow", "the whole ", "Zelda Quirke ", "1,240", ": ", "\x00", "\xff", "é", "Something else: "})
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for range rapid.IntRange(0, 30).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "known") {
				s += pieces.Draw(t, "piece")
			} else {
				s += rapid.String().Draw(t, "any")
			}
		}
		return s
	})
}

// TestAnyTextGivesAValidAction plays one agent over many texts: what one leaves behind must not touch the next.
func TestAnyTextGivesAValidAction(t *testing.T) {
	for _, name := range []string{"keyword", "heuristic"} {
		t.Run(name, func(t *testing.T) {
			used, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				track, o := anyObservation(t)
				got, err := used.Act(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				var labels map[string][]string
				if o.Dataset != nil {
					labels = o.Dataset.Labels
				}
				if err := got.Validate(track, labels); err != nil {
					t.Fatalf("%+v: %v", got, err)
				}
				fresh, err := New(name)
				if err != nil {
					t.Fatal(err)
				}
				if again, _ := fresh.Act(context.Background(), o); !reflect.DeepEqual(got, again) {
					t.Fatalf("answers %+v after other tickets and %+v at first", got, again)
				}
			})
		})
	}
}

func anyObservation(t *rapid.T) (triage.Track, triage.Observation) {
	subject, body := anyText().Draw(t, "subject"), anyText().Draw(t, "body")
	wait := rapid.SampledFrom([]float64{0, 3.9, 24, 1e9, -1, math.Inf(1), math.NaN()}).Draw(t, "wait")
	switch rapid.IntRange(0, 2).Draw(t, "track") {
	case 0:
		return triage.Queue, triage.Observation{Queue: &triage.QueueObservation{
			Task: rapid.SampledFrom([]string{"queue-easy", "queue-medium", "queue-hard", "other", ""}).Draw(t, "task"),
			Ticket: &triage.QueueTicket{Subject: subject, Description: body, Metadata: triage.Metadata{
				CustomerTier: triage.Tier(rapid.SampledFrom([]string{"free", "enterprise", "gold", ""}).Draw(t, "tier")), WaitTimeHours: wait,
				PreviousContacts: rapid.IntRange(-1, 9).Draw(t, "contacts"),
				SelectedCategory: triage.Route(rapid.SampledFrom([]string{"", "spam", "billing", "sales"}).Draw(t, "selected"))}}}}
	case 1:
		return triage.Desk, triage.Observation{Desk: &triage.DeskObservation{IssueText: subject + "\n\n" + body, WaitTimeHours: wait,
			SentimentScore: rapid.SampledFrom([]float64{-2, -0.95, 0, 1, math.NaN()}).Draw(t, "sentiment"), IsEscalated: rapid.Bool().Draw(t, "escalated"),
			TaskDifficulty: triage.Difficulty(rapid.SampledFrom([]string{"easy", "hard", ""}).Draw(t, "difficulty"))}}
	}
	return triage.Dataset, triage.Observation{Dataset: &triage.DatasetObservation{Subject: subject, Body: body,
		Labels: map[string][]string{"a": {"Billing", "spam"}, "b": {"x"}, "c": {"Low", "HIGH"}}}}
}

func FuzzHeuristic(f *testing.F) {
	f.Add("Re: Refund", "Hello,\n\nPlease refund the invoice.\n\nOn Tue, X wrote:\n> All done.")
	f.Add("", "")
	f.Add("\xff", "(((\n>\n--\n\n:: 1,2.3 ’t 't")
	h := theHeuristic(f)
	f.Fuzz(func(t *testing.T, subject, body string) {
		for _, o := range []triage.Observation{
			{Queue: &triage.QueueObservation{Task: "queue-hard", Ticket: &triage.QueueTicket{Subject: subject, Description: body}}},
			{Desk: &triage.DeskObservation{IssueText: subject + "\n\n" + body, TaskDifficulty: triage.Hard}},
		} {
			a, err := h.Act(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Validate(a.Track, nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}
