package compare_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
)

// manyTickets is the log of two agents on n tickets, 12 an episode, and how long it is.
func manyTickets(b *testing.B, n int) *results.Folder {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for _, agent := range []string{"a", "b"} {
		for seed := range n / 12 {
			p := played{agent: agent, task: "queue-hard", seed: int64(seed), position: -1}
			for i := range 12 {
				p.tickets = append(p.tickets, ticketPlayed{score: float64(r.IntN(21)) / 20, text: strings.Repeat(fmt.Sprintf("%d-%d ", seed, i), 60), scenario: fmt.Sprint("s/", (seed*12+i)%400), got: "billing"})
			}
			text.WriteString(p.line(b))
		}
	}
	return writeRun(b, runSettings("a,b"), results.EpisodesFile, text.String())
}

// BenchmarkLoad reads a folder with 20,000 tickets of each of two agents.
func BenchmarkLoad(b *testing.B) {
	f := manyTickets(b, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compare.FromFolder("r", f, compare.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompare compares two sides of 20,000 tickets, tests and looking up the tickets that moved included.
func BenchmarkCompare(b *testing.B) {
	sides, err := compare.FromFolder("r", manyTickets(b, 20_000), compare.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compare.Compare(sides[0], sides[1], compare.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
