package synth_test

import (
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func BenchmarkTicket(b *testing.B) {
	for _, task := range triage.Tasks() {
		b.Run(task.Name, func(b *testing.B) {
			src := newSource(b, task.Name, triage.Test)
			b.ReportAllocs()
			for i := range b.N {
				src.Ticket(int64(i), 3%task.Tickets)
			}
		})
	}
}

func newSource(tb testing.TB, name string, split triage.Split) *synth.Source {
	tb.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		tb.Fatal(err)
	}
	task, err := triage.TaskByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	src, err := synth.New(bank, task, split, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return src
}
