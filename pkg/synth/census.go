package synth

import (
	"fmt"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// Census is what a large sample of one task's tickets looks like.
type Census struct {
	Task  triage.Task
	Split triage.Split
	N     int
	// Counts has the number of tickets by kind and value, such as Counts["route"]["billing"]; labels, facts, traps,
	// scenarios, and "urgency in billing".
	Counts map[string]map[string]int
	// Words and Bytes are the sorted lengths of the tickets.
	Words, Bytes []int
	// Texts is the number of different texts, Near the tickets that have a near-duplicate (Jaccard of the sets of word
	// 5-grams over 0.8).
	Texts, Near int
	// Grams and Distinct are the numbers of word n-grams and of different ones, for n = 1 to 4.
	Grams, Distinct [4]int
	// Seen is the share of the tickets' different 6-grams that occur in the training sample or the handbook's examples.
	Seen float64
	// Predicts says how well each observed field predicts each label.
	Predicts []Prediction
}

// Prediction is how often the most frequent label given the value of an observed field is right, on a half of the sample
// that was not counted, beside how often the most frequent label of all is.
type Prediction struct {
	Field, Label       string
	Accuracy, Majority float64
}

// TrainSample is the number of train tickets whose 6-grams test tickets are held against.
const TrainSample = 20000

// nearJaccard is the Jaccard index from which two tickets are near-duplicates.
const nearJaccard = 0.8

// Take makes n tickets, whole episodes from seed on, and counts them. train may be nil; else its 6-grams are held against
// the sample's.
func Take(s *Source, seed int64, n int, train *Source) *Census {
	c := &Census{Task: s.task, Split: s.split, N: n, Counts: map[string]map[string]int{}}
	cases := sample(s, seed, n)
	x := newExamples(s.task)
	texts := make([]string, n)
	for i := range cases {
		t := &cases[i]
		texts[i] = t.Ticket.IssueText()
		c.labels(t)
		c.facts(&t.Facts)
		c.Words = append(c.Words, len(strings.Fields(texts[i])))
		c.Bytes = append(c.Bytes, len(texts[i]))
		x.add(t, i%s.task.Tickets)
	}
	sort.Ints(c.Words)
	sort.Ints(c.Bytes)
	c.texts(texts)
	if train != nil {
		c.Seen = overlap(texts, sample(train, seed, TrainSample))
	}
	c.Predicts = x.predictions()
	return c
}

// sample makes tickets of whole episodes on all processors.
func sample(s *Source, seed int64, n int) []triage.Case {
	out := make([]triage.Case, n)
	per := s.task.Tickets
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				out[i] = *s.Ticket(seed+int64(i/per), i%per)
			}
		})
	}
	wg.Wait()
	return out
}

func (c *Census) count(kind, value string) {
	m := c.Counts[kind]
	if m == nil {
		m = map[string]int{}
		c.Counts[kind] = m
	}
	m[value]++
}

func (c *Census) labels(t *triage.Case) {
	if c.Task.Track == triage.Queue {
		q := t.Truth.Queue
		c.count("route", string(q.Route))
		c.count("urgency", string(q.Urgency))
		c.count("difficulty", string(q.Difficulty))
		c.count("urgency in "+string(q.Route), string(q.Urgency))
		c.count("difficulty in "+string(q.Route), string(q.Difficulty))
		selected := "right"
		switch t.Ticket.Metadata.SelectedCategory {
		case q.Route:
		case "":
			selected = "empty"
		default:
			selected = "wrong"
		}
		c.count("selected_category", selected)
		return
	}
	d := t.Truth.Desk
	points := strconv.Itoa(handbook.Points(&t.Facts.Primary))
	c.count("category", string(d.Category))
	c.count("priority", string(d.Priority))
	c.count("department", string(d.Department))
	c.count("points in "+string(d.Category), points)
	kind := string(d.Category) + " " + points
	c.count("kind", kind)
	if t.Facts.Sentiment <= -0.8 {
		c.count("furious by kind", kind)
	}
	if t.Facts.WaitHours >= 24 {
		c.count("long wait by kind", kind)
	}
	if t.Facts.Escalated {
		c.count("escalated by kind", kind)
	}
}

func (c *Census) facts(f *triage.Facts) {
	p := &f.Primary
	c.count("scenario", p.Scenario)
	c.count("severity", string(p.Severity))
	c.count("impact", string(p.Impact))
	c.count("deadline", string(p.Deadline))
	c.count("effort", string(p.Effort))
	if p.Severity == triage.Blocked {
		c.count("workaround", strconv.FormatBool(p.Workaround))
	}
	c.count("tier", string(f.Tier))
	c.count("escalated", strconv.FormatBool(f.Escalated))
	switch {
	case f.Sentiment <= -0.8:
		c.count("sentiment", "-0.80 and less")
	case f.Sentiment <= -0.4:
		c.count("sentiment", "-0.79 to -0.40")
	case f.Sentiment < 0.4:
		c.count("sentiment", "-0.39 to 0.39")
	default:
		c.count("sentiment", "0.40 and more")
	}
	switch {
	case f.WaitHours < 4:
		c.count("wait", "under 4 h")
	case f.WaitHours < 24:
		c.count("wait", "4 to 24 h")
	case f.WaitHours < 48:
		c.count("wait", "24 to 48 h")
	default:
		c.count("wait", "48 h and more")
	}
	for _, t := range f.Traps {
		c.count("trap", t)
	}
}

// Share is the share of tickets with a value of a kind; among tells the kind's total where not every ticket has it.
func (c *Census) Share(kind, value string) float64 {
	total := 0
	for _, n := range c.Counts[kind] {
		total += n
	}
	if kind == "trap" {
		total = c.N
	}
	if total == 0 {
		return 0
	}
	return float64(c.Counts[kind][value]) / float64(total)
}

// Kinds lists what was counted, sorted.
func (c *Census) Kinds() []string { return keys(c.Counts) }

// Values lists the values of a kind, sorted.
func (c *Census) Values(kind string) []string { return keys(c.Counts[kind]) }

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// texts counts what texts have in common.
func (c *Census) texts(texts []string) {
	seen := map[uint64]bool{}
	var distinct [4]map[uint64]struct{}
	for i := range distinct {
		distinct[i] = map[uint64]struct{}{}
	}
	sets := make([][]uint64, len(texts))
	for i, text := range texts {
		seen[slugHash(text)] = true
		words := wordHashes(text)
		for n := 1; n <= 4; n++ {
			eachGram(words, n, func(h uint64) {
				c.Grams[n-1]++
				distinct[n-1][h] = struct{}{}
			})
		}
		eachGram(words, 5, func(h uint64) { sets[i] = append(sets[i], h) })
		sets[i] = unique(sets[i])
	}
	c.Texts = len(seen)
	for i := range distinct {
		c.Distinct[i] = len(distinct[i])
	}
	c.Near = nearDuplicates(sets)
}

// wordHashes hashes the words of a text in lower case; what is no letter or digit separates.
func wordHashes(text string) []uint64 {
	var out []uint64
	const offset, prime = 14695981039346656037, 1099511628211
	h, in := uint64(offset), false
	for i := range len(text) {
		b := text[i]
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= utf8.RuneSelf {
			h, in = (h^uint64(b))*prime, true
			continue
		}
		if in {
			out = append(out, h)
		}
		h, in = offset, false
	}
	if in {
		out = append(out, h)
	}
	return out
}

func eachGram(words []uint64, n int, f func(uint64)) {
	for i := 0; i+n <= len(words); i++ {
		h := uint64(n)
		for _, w := range words[i : i+n] {
			h = mix(h*0x9e3779b97f4a7c15 + w)
		}
		f(h)
	}
}

func unique(list []uint64) []uint64 {
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	out := list[:0]
	for i, v := range list {
		if i == 0 || v != list[i-1] {
			out = append(out, v)
		}
	}
	return out
}

// nearDuplicates counts the sets that have another with a Jaccard index over the bound. Two such sets share one of their
// rarest elements (prefix filter), so only those are compared.
func nearDuplicates(sets [][]uint64) int {
	frequency := map[uint64]int{}
	for _, s := range sets {
		for _, h := range s {
			frequency[h]++
		}
	}
	near := make([]bool, len(sets))
	index := map[uint64][]int{}
	for i, s := range sets {
		rare := append([]uint64(nil), s...)
		sort.Slice(rare, func(a, b int) bool {
			if frequency[rare[a]] != frequency[rare[b]] {
				return frequency[rare[a]] < frequency[rare[b]]
			}
			return rare[a] < rare[b]
		})
		rare = rare[:min(len(rare), len(rare)-int(nearJaccard*float64(len(rare)))+1)]
		tried := map[int]bool{}
		for _, h := range rare {
			if frequency[h] == 1 {
				continue
			}
			for _, j := range index[h] {
				if !tried[j] && (!near[i] || !near[j]) && jaccard(s, sets[j]) > nearJaccard {
					near[i], near[j] = true, true
				}
				tried[j] = true
			}
			index[h] = append(index[h], i)
		}
	}
	n := 0
	for _, b := range near {
		if b {
			n++
		}
	}
	return n
}

// jaccard compares two sorted sets.
func jaccard(a, b []uint64) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// overlap is the share of the texts' different 6-grams that occur in the training cases or the handbook's examples.
func overlap(texts []string, train []triage.Case) float64 {
	known := map[uint64]struct{}{}
	learn := func(text string) {
		eachGram(wordHashes(text), 6, func(h uint64) { known[h] = struct{}{} })
	}
	for i := range train {
		learn(train[i].Ticket.IssueText())
	}
	for _, e := range handbook.Examples() {
		learn(e)
	}
	all := map[uint64]bool{}
	seen := 0
	for _, text := range texts {
		eachGram(wordHashes(text), 6, func(h uint64) {
			if _, counted := all[h]; counted {
				return
			}
			_, there := known[h]
			all[h] = there
			if there {
				seen++
			}
		})
	}
	if len(all) == 0 {
		return 0
	}
	return float64(seen) / float64(len(all))
}

// TopScenario gives the scenario with the largest share.
func (c *Census) TopScenario() (slug string, share float64) {
	for _, s := range c.Values("scenario") {
		if x := c.Share("scenario", s); x > share {
			slug, share = s, x
		}
	}
	return slug, share
}

// percent renders a share.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
