package split_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/split"
)

func TestTheLeakIsMeasuredBeforeAndAfter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	var items []split.Item
	for i := range 1000 {
		it := split.Item{ID: fmt.Sprint(i), Text: prose(r, 30), Created: day.Add(time.Duration(i) * time.Hour), Customer: fmt.Sprint("c", i%500), Label: fmt.Sprint(i % 2)}
		if i >= 800 && i < 840 { // copies of training tickets, one in four with another label
			it.Text = items[i-700].Text + " again"
			if i%4 == 0 {
				it.Label = "other"
			}
		}
		items = append(items, it)
	}
	apart := divided(t, split.Options{Apart: true}, items)
	kept := divided(t, split.Options{}, items)
	if apart.Test != 200 || apart.Moved != 0 || kept.Moved != 40 || kept.Test != 160 || kept.Groups != 40 || kept.Grouped != 80 {
		t.Errorf("apart %d for testing and %d moved; together %d and %d, %d groups of %d", apart.Test, apart.Moved, kept.Test, kept.Moved, kept.Groups, kept.Grouped)
	}
	b := kept.Before
	if b != apart.After || b.Copies != 40 || b.Labelled != 40 || b.Right != 30 || b.Customers != 200 || b.Seen != 200 {
		t.Errorf("before: %+v, apart %+v", b, apart.After)
	}
	if b.CopyShare() != 0.2 || b.RightShare() != 0.15 || b.SeenShare() != 1 {
		t.Errorf("shares before: %v %v %v", b.CopyShare(), b.RightShare(), b.SeenShare())
	}
	if a := kept.After; a.Copies != 0 || a.Right != 0 || a.CopyShare() != 0 {
		t.Errorf("after: %+v", a)
	}
	if d := cmp.Diff([]string{"20 % of the test tickets have a near-duplicate for training: scores are too good by up to that"}, apart.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

func TestDoubtsAreSaidInWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	bag := func(n int, change func(i int, it *split.Item)) []split.Item {
		var items []split.Item
		for i := range n {
			it := split.Item{ID: fmt.Sprint(i), Text: prose(r, 20), Customer: fmt.Sprint(i), Created: day.Add(time.Duration(i) * time.Hour)}
			change(i, &it)
			items = append(items, it)
		}
		return items
	}
	for _, tt := range []struct {
		name  string
		by    split.By
		items []split.Item
		want  string
	}{
		{"few", split.ByTime, bag(100, func(int, *split.Item) {}), "20 tickets are for testing: under 50, a score says little"},
		{"undated", split.ByTime, bag(1000, func(i int, it *split.Item) {
			if i%10 < 3 {
				it.Created = time.Time{}
			}
		}), "30 % of the tickets have no date: all of them are for training"},
		{"one customer", split.ByCustomer, bag(1000, func(i int, it *split.Item) {
			if i%10 < 6 {
				it.Customer = "big"
			}
		}), "one customer has 60 % of the tickets"},
		{"no customer", split.ByCustomer, bag(1000, func(i int, it *split.Item) {
			if i%10 < 6 {
				it.Customer = ""
			}
		}), "60 % of the tickets name no customer: each counts as a customer of its own"},
		{"template", split.ByTime, bag(1000, func(i int, it *split.Item) {
			if i%10 == 7 {
				it.Text = fmt.Sprintf("Monitoring alert: disk %d of the server is full, please look at it as soon as you can. Automatic message %d.", i, i*7)
			}
		}), "100 tickets (10 %) are near-duplicates, the first of them ticket 8: a template or an automatic mail?"},
		{"one text", split.AtRandom, bag(1000, func(_ int, it *split.Item) { it.Text = "help" }), "1000 tickets (100 %) are near-duplicates, the first of them ticket 1: a template or an automatic mail?"},
		{"nearly one date", split.ByTime, bag(1000, func(i int, it *split.Item) { it.Created = day.AddDate(0, 0, min(i, 1)) }), "100 % of the tickets are for testing, where 20 % was asked for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := divided(t, split.Options{By: tt.by}, tt.items); !slices.Contains(got.Warnings, tt.want) {
				t.Errorf("warnings %q, want %q among them", got.Warnings, tt.want)
			}
		})
	}
}

// edited replaces words of a text until its similarity is at most j.
func edited(r *rand.Rand, text string, j float64) string {
	words := strings.Fields(text)
	for split.Similarity(text, strings.Join(words, " ")) > j {
		words[r.IntN(len(words))] = prose(r, 1)
	}
	return strings.Join(words, " ")
}

// TestNearDuplicatesAreFoundByTheirSimilarity holds the estimate against exact Jaccard.
func TestNearDuplicatesAreFoundByTheirSimilarity(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	const n = 500
	for _, tt := range []struct {
		name      string
		low, high float64 // of the exact similarity
		words     int
		least     float64 // share that is found
		most      float64
	}{
		{"long and nearly the same", 0.9, 0.95, 120, 0.95, 1},
		{"short and nearly the same", 0.9, 0.95, 50, 0.95, 1},
		{"at the line", 0.78, 0.82, 100, 0.3, 0.85},
		{"half", 0.45, 0.55, 60, 0, 0.001},
		{"little in common", 0.2, 0.3, 60, 0, 0.0001},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(r.Uint64(), 1))
			var items []split.Item
			for i := 0; len(items) < 2*n; i++ {
				text := prose(r, tt.words)
				other := edited(r, text, tt.high)
				if j := split.Similarity(text, other); j < tt.low || j > tt.high {
					continue
				}
				items = append(items, split.Item{ID: fmt.Sprint(i, "a"), Text: text}, split.Item{ID: fmt.Sprint(i, "b"), Text: other})
			}
			got := divided(t, split.Options{By: split.AtRandom, Apart: true}, items)
			share := float64(got.Groups) / n
			t.Logf("found %.4f of pairs of similarity %.2f to %.2f", share, tt.low, tt.high)
			if share < tt.least || share > tt.most {
				t.Errorf("found %.4f, want %.4f to %.4f", share, tt.least, tt.most)
			}
		})
	}
}

func TestSimilarityIsJaccardOfWordPairs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0}, {"?!", "...", 0}, {"", "a", 0}, {"Help", "help!!", 1}, {"order 17 is late", "Order 23456 is late.", 1},
		{"a b c", "a b c d", 3.0 / 6}, {"a b", "c d", 0}, {"über", "ÜBER", 1}, {"a\xffb", "a b", 1}, {"注文が届かない", "注文が届かない。", 1},
	} {
		if got := split.Similarity(tt.a, tt.b); got != tt.want {
			t.Errorf("Similarity(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestHostileTextsAreSplitToo(t *testing.T) {
	t.Parallel()
	texts := []string{"", "x", "\x00\x01", "\xff\xfe", strings.Repeat("a", 1<<20), strings.Repeat("a ", 1<<19), strings.Repeat("\u0301", 1000),
		"<script>alert(1)</script>", "=cmd()", "|", strings.Repeat("word1 word2 ", 1<<16)}
	var items []split.Item
	for i, text := range texts {
		for n := range 2 {
			items = append(items, split.Item{ID: fmt.Sprint(i, n), Text: text, Customer: text, Created: day.Add(time.Duration(2*i+n) * time.Hour)})
		}
	}
	for _, by := range []split.By{split.ByTime, split.ByCustomer, split.AtRandom} {
		got := divided(t, split.Options{By: by}, items)
		// Texts without words are like no other.
		if got.NoText != 8 || got.Grouped < 14 {
			t.Errorf("by %s: %d without text, %d grouped", by, got.NoText, got.Grouped)
		}
	}
}

func TestAMillionOfOneTextIsOneGroup(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a million tickets")
	}
	s, err := split.New(split.Options{By: split.AtRandom})
	if err != nil {
		t.Fatal(err)
	}
	for range 1_000_000 {
		s.Add(split.Item{Text: "please help me"})
	}
	r, err := s.Split()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]split.Group{{First: 0, Size: 1_000_000}}, r.Largest); d != "" {
		t.Errorf("groups (-want +got):\n%s", d)
	}
}

// BenchmarkMillion adds and splits a million tickets of some 300 bytes, and reports what they hold in memory.
func BenchmarkMillion(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 5000)
	for i := range texts {
		texts[i] = prose(r, 55)
	}
	for b.Loop() {
		var before, added, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, err := split.New(split.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range 1_000_000 {
			text := texts[i%len(texts)]
			cut := i / len(texts) % 50 * 4
			s.Add(split.Item{ID: fmt.Sprint(i), Text: text[cut:] + text[:cut], Customer: fmt.Sprint(i % 90000), Created: day.Add(time.Duration(i) * time.Second)})
		}
		runtime.GC()
		runtime.ReadMemStats(&added)
		res, err := s.Split()
		if err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(added.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
		b.ReportMetric(float64(after.TotalAlloc-added.TotalAlloc)/1e6, "MB-split-allocs")
		runtime.KeepAlive(s)
		runtime.KeepAlive(res)
	}
}

func BenchmarkAdd(b *testing.B) {
	text := prose(rand.New(rand.NewPCG(1, 2)), 55)
	s, err := split.New(split.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Add(split.Item{ID: "1", Text: text})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a b c\na b c\nd", "c1\nc2", uint8(0), int64(1))
	f.Add("\xff\n\n", "", uint8(1), int64(-1))
	f.Fuzz(func(t *testing.T, texts, customers string, by uint8, seed int64) {
		s, err := split.New(split.Options{By: split.By(by % 3), Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		who := strings.Split(customers, "\n")
		lines := strings.Split(texts, "\n")
		for i, text := range lines {
			s.Add(split.Item{Text: text, Customer: who[i%len(who)], Created: time.Unix(seed^int64(i), 0)})
		}
		r, err := s.Split()
		if err != nil {
			return
		}
		seen := map[string]split.Side{}
		for i, text := range lines {
			if was, ok := seen[text]; ok && was != r.Side(i) && split.Similarity(text, text) == 1 {
				t.Errorf("%q is on both sides", text)
			}
			seen[text] = r.Side(i)
		}
	})
}
