package split_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/split"
)

var day = time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)

// prose draws a text of n words.
func prose(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%c%c%c%c", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
	}
	return strings.Join(words, " ")
}

func divided(t testing.TB, o split.Options, items []split.Item) *split.Result {
	t.Helper()
	s, err := split.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		s.Add(it)
	}
	r, err := s.Split()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sides gives the side of each item.
func sides(r *split.Result, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = r.Side(i).String()
	}
	return out
}

func TestTheNewestShareIsForTesting(t *testing.T) {
	t.Parallel()
	at := func(days ...int) []split.Item {
		r := rand.New(rand.NewPCG(1, 1))
		var items []split.Item
		for i, d := range days {
			it := split.Item{ID: fmt.Sprint(i), Text: prose(r, 20)}
			if d >= 0 {
				it.Created = day.AddDate(0, 0, d)
			}
			items = append(items, it)
		}
		return items
	}
	const n, y = "train", "test"
	for _, tt := range []struct {
		name  string
		test  float64
		items []split.Item
		want  []string
		cut   int
	}{
		{"in order", 0.2, at(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), []string{n, n, n, n, n, n, n, n, y, y}, 8},
		{"newest first", 0.2, at(9, 8, 7, 6, 5, 4, 3, 2, 1, 0), []string{y, y, n, n, n, n, n, n, n, n}, 8},
		{"equal dates stay together, the nearest share wins", 0.5, at(0, 1, 2, 3, 3, 3, 3, 3), []string{n, n, n, y, y, y, y, y}, 3},
		{"a date that would take nearly all is left for training", 0.25, at(0, 1, 1, 1, 1, 1, 1, 2), []string{n, n, n, n, n, n, n, y}, 2},
		{"undated tickets are for training", 0.25, at(-1, 0, 1, -1, 2, 3, 4, 5), []string{n, n, n, n, n, n, y, y}, 4},
		{"two tickets", 0.2, at(0, 1), []string{n, y}, 1},
		{"before 1970", 0.5, at(-0, 40000, 1, 2), []string{n, y, n, y}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := divided(t, split.Options{Test: tt.test}, tt.items)
			if d := cmp.Diff(tt.want, sides(r, len(tt.items))); d != "" {
				t.Errorf("sides (-want +got):\n%s", d)
			}
			if want := day.AddDate(0, 0, tt.cut); !r.Cut.Equal(want) {
				t.Errorf("cut at %s, want %s", r.Cut, want)
			}
		})
	}
}

func TestWhatCannotBeSplitIsAnError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    split.Options
	}{
		{"negative share", split.Options{Test: -0.1}}, {"whole share", split.Options{Test: 1}}, {"no number", split.Options{Test: math.NaN()}},
		{"unknown rule", split.Options{By: 7}}, {"negative rule", split.Options{By: -1}},
	} {
		if _, err := split.New(tt.o); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	s, err := split.New(split.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Split(); !errors.Is(err, split.ErrNoTickets) {
		t.Errorf("empty: %v", err)
	}
	s.Add(split.Item{ID: "1", Text: "a", Created: day})
	s.Add(split.Item{ID: "2", Text: "b", Created: day.Add(300 * time.Millisecond)})
	s.Add(split.Item{ID: "3", Text: "c"})
	if _, err := s.Split(); !errors.Is(err, split.ErrNoTime) {
		t.Errorf("one date: %v", err)
	}
	if err := s.Use(9); err == nil {
		t.Error("an unknown rule can be used")
	}
	if err := s.Use(split.AtRandom); err != nil {
		t.Error(err)
	}
	if r, err := s.Split(); err != nil || r.Train+r.Test != 3 || s.Dated() != 2 || s.Len() != 3 {
		t.Errorf("after another rule: %+v, %v, %d dated of %d", r, err, s.Dated(), s.Len())
	}
}

func TestRulesAreWordsInFiles(t *testing.T) {
	t.Parallel()
	for _, by := range []split.By{split.ByTime, split.ByCustomer, split.AtRandom} {
		text, err := by.MarshalText()
		var back split.By
		if err != nil || back.UnmarshalText(text) != nil || back != by || string(text) != by.String() {
			t.Errorf("%s comes back as %s", by, back)
		}
	}
	var by split.By
	if err := by.UnmarshalText([]byte("date")); err == nil || !strings.Contains(err.Error(), "time, customer, random") {
		t.Errorf("an unknown word: %v", err)
	}
}

// mailbag draws tickets: some are near-copies of others, customers have several, some lack a date, a customer or a text.
func mailbag(r *rand.Rand, n int) []split.Item {
	var items []split.Item
	for i := range n {
		it := split.Item{ID: fmt.Sprint("T", i), Text: prose(r, 5+r.IntN(40)), Customer: fmt.Sprint("c", r.IntN(n/3+1)), Created: day.Add(time.Duration(r.IntN(90*24)) * time.Hour), Label: fmt.Sprint(r.IntN(3))}
		if i > 0 && r.IntN(4) == 0 {
			it.Text = items[r.IntN(i)].Text + [...]string{"", "!", " 17"}[r.IntN(3)]
		}
		switch r.IntN(12) {
		case 0:
			it.Created = time.Time{}
		case 1:
			it.Customer = ""
		case 2:
			it.Text = [...]string{"", "?!", "help"}[r.IntN(3)]
		}
		items = append(items, it)
	}
	return items
}

func TestNoNearDuplicateAndNoCustomerIsOnBothSides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		items := mailbag(r, rapid.IntRange(3, 120).Draw(t, "n"))
		by := rapid.SampledFrom([]split.By{split.ByTime, split.ByCustomer, split.AtRandom}).Draw(t, "by")
		s, err := split.New(split.Options{By: by, Seed: rapid.Int64().Draw(t, "split seed")})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			s.Add(it)
		}
		res, err := s.Split()
		if errors.Is(err, split.ErrNoTime) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		texts, customers := map[string]split.Side{}, map[string]split.Side{}
		test := 0
		for i, it := range items {
			side := res.Side(i)
			if side == split.Test {
				test++
			}
			if was, ok := texts[it.Text]; ok && was != side && strings.Trim(it.Text, "?!") != "" {
				t.Fatalf("the text %q is on both sides by %s", it.Text, by)
			}
			texts[it.Text] = side
			if was, ok := customers[it.Customer]; ok && was != side && by == split.ByCustomer && it.Customer != "" {
				t.Fatalf("customer %s is on both sides", it.Customer)
			}
			customers[it.Customer] = side
			if by == split.ByTime && side == split.Test && it.Created.Before(res.Cut) {
				t.Fatalf("ticket %d of %s is for testing, before the cut %s", i, it.Created, res.Cut)
			}
		}
		if test != res.Test || test+res.Train != len(items) {
			t.Fatalf("%d for testing and %d for training are said, of %d there are %d for testing", res.Test, res.Train, len(items), test)
		}
	})
}

func TestByCustomerAndAtRandomTheOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, by := range []split.By{split.ByCustomer, split.AtRandom} {
		items := mailbag(rand.New(rand.NewPCG(3, 3)), 600)
		want := divided(t, split.Options{By: by, Seed: 4}, items)
		order := rand.New(rand.NewPCG(9, 9)).Perm(len(items))
		shuffled := make([]split.Item, len(items))
		for i, from := range order {
			shuffled[i] = items[from]
		}
		got := divided(t, split.Options{By: by, Seed: 4}, shuffled)
		for i, from := range order {
			if got.Side(i) != want.Side(from) {
				t.Fatalf("by %s, ticket %s is for %s in one order and for %s in another", by, shuffled[i].ID, want.Side(from), got.Side(i))
			}
		}
		if got.After != want.After || got.Before != want.Before || got.Grouped != want.Grouped {
			t.Errorf("by %s, the leak is %+v in one order and %+v in another", by, want.After, got.After)
		}
	}
}

func TestANewTicketChangesNoOtherAtRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	var items []split.Item
	for i := range 500 {
		items = append(items, split.Item{ID: fmt.Sprint(i), Text: prose(r, 25)})
	}
	before := sides(divided(t, split.Options{By: split.AtRandom}, items), 500)
	more := append([]split.Item{{ID: "new", Text: prose(r, 25)}}, items...)
	after := sides(divided(t, split.Options{By: split.AtRandom}, more), 501)[1:]
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("sides (-before +after):\n%s", d)
	}
	if other := sides(divided(t, split.Options{By: split.AtRandom, Seed: 1}, items), 500); cmp.Equal(other, before) {
		t.Error("another seed gives the same sides")
	}
}

func TestSharesAreNearWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 8))
	var items []split.Item
	for i := range 6000 {
		items = append(items, split.Item{ID: fmt.Sprint(i), Text: prose(r, 8), Customer: fmt.Sprint(r.IntN(2500)), Created: day.Add(time.Duration(i) * time.Minute)})
	}
	for _, by := range []split.By{split.ByTime, split.ByCustomer, split.AtRandom} {
		for _, share := range []float64{0.1, 0.2, 0.5} {
			got := divided(t, split.Options{By: by, Test: share}, items)
			if p := float64(got.Test) / 6000; math.Abs(p-share) > 0.03 {
				t.Errorf("by %s, %.3f are for testing, want %.1f", by, p, share)
			}
		}
	}
}
