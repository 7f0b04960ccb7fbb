package agent

import (
	"context"
	"testing"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// hardQueue makes observations of queue-hard, the longest texts that there are.
func hardQueue(tb testing.TB, n int) []triage.Observation {
	tb.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		tb.Fatal(err)
	}
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		tb.Fatal(err)
	}
	source, err := synth.New(bank, task, triage.Train, nil)
	if err != nil {
		tb.Fatal(err)
	}
	out := make([]triage.Observation, n)
	for i := range out {
		c := source.Ticket(int64(i), 0)
		out[i] = triage.Observation{Queue: &triage.QueueObservation{Task: task.Name, Ticket: &triage.QueueTicket{ID: c.Ticket.ID,
			Subject: c.Ticket.Subject, Description: c.Ticket.Body, Metadata: c.Ticket.Metadata}}}
	}
	return out
}

func benchmarkAgent(b *testing.B, name string) {
	observations := hardQueue(b, 256)
	a, err := New(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := a.Act(context.Background(), observations[i%len(observations)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeyword(b *testing.B)   { benchmarkAgent(b, "keyword") }
func BenchmarkHeuristic(b *testing.B) { benchmarkAgent(b, "heuristic") }

func BenchmarkLoadHeuristic(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := loadLexicon(baselines.Files, "heuristic", listNames()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadKeyword(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := loadLexicon(baselines.Files, "keyword", keywordLists()); err != nil {
			b.Fatal(err)
		}
	}
}
