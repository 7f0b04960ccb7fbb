package synth

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/triage"
)

func TestJaccardIsTheShareInCommon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []uint64
		want float64
	}{
		{nil, nil, 0}, {[]uint64{1}, nil, 0}, {[]uint64{1, 2}, []uint64{1, 2}, 1}, {[]uint64{1, 2, 3}, []uint64{2, 3, 4}, 0.5},
		{[]uint64{1, 3, 5}, []uint64{2, 4, 6}, 0}, {[]uint64{1, 2, 3, 4, 5}, []uint64{5}, 0.2},
	} {
		if got := jaccard(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// numbers are a sorted set from low to under high.
func numbers(low, high int) []uint64 {
	var out []uint64
	for i := low; i < high; i++ {
		out = append(out, uint64(i))
	}
	return out
}

func TestNearDuplicatesAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		sets [][]uint64
		want int
	}{
		{"none", nil, 0},
		{"empty sets", [][]uint64{{}, {}}, 0},
		{"the same twice", [][]uint64{numbers(0, 10), numbers(0, 10)}, 2},
		{"exactly at the bound", [][]uint64{numbers(0, 9), append(numbers(0, 8), 100)}, 0}, // 8 of 10
		{"over the bound", [][]uint64{numbers(0, 10), append(numbers(0, 9), 100)}, 2},      // 9 of 11
		{"under the bound", [][]uint64{numbers(0, 10), append(numbers(0, 8), 100, 101)}, 0},
		{"two pairs and one alone", [][]uint64{numbers(0, 20), numbers(100, 120), numbers(0, 19), numbers(200, 220), numbers(101, 120)}, 4},
		{"three alike", [][]uint64{numbers(0, 30), numbers(0, 29), numbers(0, 28)}, 3},
		{"a subset that is much smaller", [][]uint64{numbers(0, 100), numbers(0, 50)}, 0},
	} {
		if got := nearDuplicates(c.sets); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestNearDuplicatesAreThoseOfAllPairs holds the prefix filter against the plain way.
func TestNearDuplicatesAreThoseOfAllPairs(t *testing.T) {
	t.Parallel()
	var sets [][]uint64
	for i := range 120 {
		x := uint64(i / 3)
		var s []uint64
		for j := range uint64(25) {
			if mix(x*31+j+uint64(i%3)*7777*(j%9/8)) != 0 && mix(uint64(i)*977+j)%10 > 0 {
				s = append(s, x*20+j)
			}
		}
		sets = append(sets, unique(s))
	}
	want := 0
	for i := range sets {
		if slices.ContainsFunc(sets, func(other []uint64) bool { return &other[0] != &sets[i][0] && jaccard(sets[i], other) > nearJaccard }) {
			want++
		}
	}
	if got := nearDuplicates(sets); got != want || want == 0 || want == len(sets) {
		t.Errorf("%d sets have a near-duplicate, all pairs say %d of %d", got, want, len(sets))
	}
}

func TestWordsAndGrams(t *testing.T) {
	t.Parallel()
	a, b := wordHashes("Hello, WORLD: 12 cafés\n"), wordHashes("hello world 12 cafés")
	if len(a) != 4 || !slices.Equal(a, b) {
		t.Errorf("words %v and %v", a, b)
	}
	if got := wordHashes(" ,.\n"); len(got) != 0 {
		t.Errorf("no words give %v", got)
	}
	count := func(words []uint64, n int) (out int) {
		eachGram(words, n, func(uint64) { out++ })
		return out
	}
	for n, want := range map[int]int{1: 4, 2: 3, 4: 1, 5: 0} {
		if got := count(a, n); got != want {
			t.Errorf("%d words have %d %d-grams, want %d", len(a), got, n, want)
		}
	}
	var grams []uint64
	eachGram(wordHashes("a b a b b a"), 2, func(h uint64) { grams = append(grams, h) }) // ab ba ab bb ba
	if grams[0] != grams[2] || grams[1] != grams[4] || grams[0] == grams[1] || len(unique(grams)) != 3 {
		t.Errorf("grams %v", grams)
	}
}

func TestOverlapIsTheShareOfKnownSixGrams(t *testing.T) {
	t.Parallel()
	train := []triage.Case{{Ticket: triage.Ticket{Subject: "one two", Body: "three four five six seven"}}}
	for _, c := range []struct {
		name  string
		texts []string
		want  float64
	}{
		{"nothing", nil, 0},
		{"too short", []string{"one two three"}, 0},
		{"all", []string{"One two three four five six."}, 1},
		{"half", []string{"two three four five six seven eight"}, 0.5},
		{"a run counts once", []string{"two three four five six seven eight", "two three four five six seven"}, 0.5},
		{"over the end of a text", []string{"six seven one two three four"}, 0},
	} {
		if got := overlap(c.texts, train); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPredictionsAreMeasuredOnTheOtherHalf(t *testing.T) {
	t.Parallel()
	x := &examples{fields: []string{"form"}, labels: []string{"route"}}
	for _, row := range [][2]string{ // counted, measured, counted, …
		{"a", "x"}, {"a", "x"}, {"a", "x"}, {"b", "y"}, {"b", "y"}, {"c", "x"}, {"b", "y"}, {"b", "x"}, {"a", "x"}, {"a", "y"},
	} {
		x.rows = append(x.rows, exampleRow{fields: []string{row[0]}, labels: []string{row[1]}})
	}
	want := []Prediction{{Field: "form", Label: "route", Accuracy: 0.6, Majority: 0.6}} // a says x, b says y, c is unknown: x
	if d := cmp.Diff(want, x.predictions()); d != "" {
		t.Error(d)
	}
	if got := (&examples{fields: []string{"f"}, labels: []string{"l"}}).predictions(); got[0].Accuracy != 0 {
		t.Errorf("no examples give %+v", got)
	}
	if got := top(map[string]int{"b": 2, "a": 2, "c": 1}); got != "a" {
		t.Errorf("the most frequent is %s", got)
	}
	for v, want := range map[float64]int{0: 0, 3.9: 0, 4: 1, 24: 2, 100: 3} {
		if got := steps(v, 4, 24, 48); got != want {
			t.Errorf("%v is in band %d, want %d", v, got, want)
		}
	}
}

func TestCensusCountsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	c := &Census{Task: triage.Task{Name: "queue-easy", Track: triage.Queue}, N: 3, Counts: map[string]map[string]int{}}
	c.texts([]string{"one two three four five six", "one two three four five six", "seven"})
	if c.Texts != 2 || c.Near != 2 || c.Grams != [4]int{13, 10, 8, 6} || c.Distinct != [4]int{7, 5, 4, 3} {
		t.Errorf("texts %d, near %d, grams %v, different %v", c.Texts, c.Near, c.Grams, c.Distinct)
	}
	for range 3 {
		c.count("route", "billing")
	}
	c.count("route", "spam")
	c.count("trap", "order")
	if c.Share("route", "billing") != 0.75 || c.Share("route", "feature") != 0 || c.Share("nothing", "x") != 0 {
		t.Errorf("shares of %v", c.Counts)
	}
	if math.Abs(c.Share("trap", "order")-1.0/3) > 1e-9 {
		t.Errorf("a trap's share is that of all tickets, not %v", c.Share("trap", "order"))
	}
	if d := cmp.Diff([]string{"route", "trap"}, c.Kinds()); d != "" {
		t.Error(d)
	}
	if slug, share := c.TopScenario(); slug != "" || share != 0 {
		t.Errorf("the top scenario is %s, %v", slug, share)
	}
	c.count("scenario", "b")
	c.count("scenario", "a")
	c.count("scenario", "b")
	if slug, share := c.TopScenario(); slug != "b" || math.Abs(share-2.0/3) > 1e-9 {
		t.Errorf("the top scenario is %s, %v", slug, share)
	}
}

func TestLabelsAndFactsAreCountedByBand(t *testing.T) {
	t.Parallel()
	c := &Census{Task: triage.Task{Track: triage.Desk}, Counts: map[string]map[string]int{}}
	for _, f := range []triage.Facts{
		{Sentiment: -0.8, WaitHours: 3.9, Escalated: true}, {Sentiment: -0.4, WaitHours: 4}, {Sentiment: 0.39, WaitHours: 24}, {Sentiment: 0.4, WaitHours: 48},
	} {
		f.Primary = triage.Request{Category: triage.Bug, Severity: triage.Blocked}
		c.facts(&f)
		c.labels(&triage.Case{Facts: f, Truth: triage.Truth{Desk: &triage.DeskTruth{Category: triage.Bug}}})
	}
	want := map[string]map[string]int{
		"sentiment": {"-0.80 and less": 1, "-0.79 to -0.40": 1, "-0.39 to 0.39": 1, "0.40 and more": 1},
		"wait":      {"under 4 h": 1, "4 to 24 h": 1, "24 to 48 h": 1, "48 h and more": 1},
		"kind":      {"Bug 4": 4}, "furious by kind": {"Bug 4": 1}, "long wait by kind": {"Bug 4": 2}, "escalated by kind": {"Bug 4": 1},
		"workaround": {"false": 4}, "escalated": {"true": 1, "false": 3},
	}
	got := map[string]map[string]int{}
	for kind := range want {
		got[kind] = c.Counts[kind]
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	q := &Census{Task: triage.Task{Track: triage.Queue}, Counts: map[string]map[string]int{}}
	for _, selected := range []triage.Route{triage.Billing, triage.Spam, ""} {
		q.labels(&triage.Case{Ticket: triage.Ticket{Metadata: triage.Metadata{SelectedCategory: selected}},
			Truth: triage.Truth{Queue: &triage.QueueTruth{Route: triage.Billing, Urgency: triage.UrgencyLow}}})
	}
	if d := cmp.Diff(map[string]int{"right": 1, "wrong": 1, "empty": 1}, q.Counts["selected_category"]); d != "" {
		t.Error(d)
	}
	if q.Counts["urgency in billing"]["low"] != 3 {
		t.Errorf("counts %v", q.Counts)
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(percent(0.1234), percent(0)); !strings.HasPrefix(got, "12.3 %") || !strings.HasSuffix(got, "0.0 %") {
		t.Errorf("percent gives %s", got)
	}
}
