package html_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
)

func TestCostsHaveATableWhereTheyWereAskedFor(t *testing.T) {
	t.Parallel()
	var asked []string
	first := true
	cost := func(run int, agent, task string) *results.CostFigures {
		asked = append(asked, agent+" "+task)
		c := &results.CostFigures{Matrix: "m.yaml", Unit: "<script>EUR", Labels: []string{"route", "a|b"}, Tickets: 7, Cost: stats.Estimate{Mean: 2.5, N: 7}}
		if first {
			c.Handover = &results.HandoverFigures{Cost: 3, Threshold: 0.875, Taken: 4, Coverage: stats.Share(4, 7), Mean: stats.Estimate{Mean: 1.25, N: 7}}
		}
		if first = false; run != 0 {
			return nil
		}
		return c
	}
	page := pageOf(t, html.Options{Cost: cost}, small(t))
	for _, want := range []string{"What mistakes cost", "Expected cost in &lt;script&gt;EUR by m.yaml: route, a|b", "2.500", "0.875", "1.250", "3.000", "All handed over"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if len(asked) == 0 || strings.Contains(page, "<script>EUR") {
		t.Errorf("%d asked, or a unit is markup", len(asked))
	}
	if plain := pageOf(t, html.Options{}, small(t)); strings.Contains(plain, "What mistakes cost") {
		t.Error("a page that was not asked for costs has some")
	}
}
