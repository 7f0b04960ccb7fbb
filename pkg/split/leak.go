package split

import (
	"fmt"
)

// Leak says what the test side has in common with the training side.
type Leak struct {
	// Copies counts the test tickets that have a near-duplicate for training (similarity of 0.8 and more, as estimated; the search
	// is another than the one that grouped them, and finds some pairs that the grouping missed).
	Copies int
	// Labelled counts those of Copies whose label and whose nearest copy's label are known, and Right those where they are the same:
	// what a table that looks up the nearest copy gets right.
	Labelled, Right int
	// Customers counts the different customers on the test side, and Seen those of them who have tickets for training too.
	Customers, Seen int

	test int
}

// CopyShare is the share of test tickets that have a near-duplicate for training, 0..1, and 0 where there is no test ticket.
func (l Leak) CopyShare() float64 { return share(l.Copies, l.test) }

// SeenShare is the share of the test side's customers who have tickets for training too, 0..1, and 0 where none is known.
func (l Leak) SeenShare() float64 { return share(l.Seen, l.Customers) }

// RightShare is the share of test tickets whose label the nearest copy gives away, 0..1: the accuracy, over the whole test side, of a
// table of copies that answers nothing else. It is 0 where there is no test ticket, and says nothing where Labelled is 0.
func (l Leak) RightShare() float64 { return share(l.Right, l.test) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// The bands of the search for leaks are shorter than those of the grouping, and other ones: a pair of similarity 0.8 meets with 99 of 100.
const leakRows, leakBands = 6, 16

// searchBands are the masks of those bands: neighbouring slots, or slots that are eleven apart.
var searchBands = func() (out [leakBands]sketch) {
	for b := range out {
		step := 1
		if b >= slots/leakRows {
			step = 11
		}
		for i := range leakRows {
			out[b].mark((b*leakRows + i*step) % slots)
		}
	}
	return out
}()

// siding is one way to put the tickets on sides, and what is known of each test ticket's nearest copy.
type siding struct {
	sides []Side
	// slots is in how many slots it agrees with the nearest near-duplicate so far, 0 where there is none, and label is that one's.
	slots  []uint8
	label  []uint32
	recent ring
}

// leaks measures both leaks of a split.
func (s *Splitter) leaks(r *Result, before []Side, order []uint32, sorter *radix) {
	ways := []*siding{{sides: before}}
	if r.Moved > 0 {
		ways = append(ways, &siding{sides: r.sides})
	}
	for _, w := range ways {
		w.slots, w.label = make([]uint8, len(before)), make([]uint32, len(before))
	}
	for b := range leakBands {
		buckets(sorter, order, s.keys(&searchBands[b]), func(bucket []keyed) {
			for _, w := range ways {
				s.search(w, bucket)
			}
		})
	}
	byCustomer := s.customers()
	r.most = mostOfOne(byCustomer)
	r.Before = s.leak(ways[0], byCustomer)
	r.After = s.leak(ways[len(ways)-1], byCustomer)
}

// search holds each test ticket of a bucket against the training tickets beside it, on either side.
func (s *Splitter) search(w *siding, bucket []keyed) {
	w.recent = ring{}
	for i := range bucket {
		s.meet(w, bucket[i].at)
	}
	w.recent = ring{}
	for i := range bucket {
		s.meet(w, bucket[len(bucket)-1-i].at)
	}
}

// meet takes one more ticket of a bucket.
func (s *Splitter) meet(w *siding, at uint32) {
	t := s.tickets.at(int(at))
	if w.sides[at] == Train {
		if latest, ok := w.recent.latest(); !ok || s.tickets.at(int(latest)).sketch != t.sketch {
			w.recent.add(at)
		}
		return
	}
	if w.slots[at] == slots {
		return
	}
	for _, other := range w.recent.all() {
		o := s.tickets.at(int(other))
		if n, enough := like(t, o); enough && uint8(n) > w.slots[at] {
			w.slots[at], w.label[at] = uint8(n), o.label
		}
	}
}

// leak counts what was found.
func (s *Splitter) leak(w *siding, byCustomer []entry) Leak {
	var l Leak
	for i, side := range w.sides {
		if side == Train {
			continue
		}
		l.test++
		if w.slots[i] == 0 {
			continue
		}
		l.Copies++
		if own := s.tickets.at(i).label; own != 0 && w.label[i] != 0 {
			l.Labelled++
			if own == w.label[i] {
				l.Right++
			}
		}
	}
	for i := 0; i < len(byCustomer); {
		j, inTest, inTrain := i, 0, 0
		for ; j < len(byCustomer) && byCustomer[j].key == byCustomer[i].key; j++ {
			if w.sides[byCustomer[j].at] == Test {
				inTest = 1
			} else {
				inTrain = 1
			}
		}
		l.Customers += inTest
		l.Seen += inTest * inTrain
		i = j
	}
	return l
}

// enoughTests is how many test tickets a score should rest on: at 50 its interval is 14 points wide on either side.
const enoughTests = 50

// warn says in words what is doubtful.
func (s *Splitter) warn(r *Result) {
	n := len(r.sides)
	say := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case r.Test == 0:
		say("no ticket is for testing")
	case r.Train == 0:
		say("no ticket is for training")
	case r.Test < enoughTests:
		say("%d tickets are for testing: under %d, a score says little", r.Test, enoughTests)
	}
	if got := share(r.Test, n); got < s.options.Test*0.75 || got > s.options.Test*1.25 {
		say("%s of the tickets are for testing, where %s was asked for", percent(got), percent(s.options.Test))
	}
	if u := share(r.Undated, n); r.By == ByTime && u >= 0.05 {
		say("%s of the tickets have no date: all of them are for training", percent(u))
	}
	if c := share(r.NoCustomer, n); r.By == ByCustomer && c >= 0.05 {
		say("%s of the tickets name no customer: each counts as a customer of its own", percent(c))
	}
	if most := share(r.most, n); most >= 0.3 {
		say("one customer has %s of the tickets", percent(most))
	}
	for _, g := range r.Largest {
		if part := share(g.Size, n); g.Size >= 20 && part >= 0.05 {
			say("%d tickets (%s) are near-duplicates, the first of them ticket %d: a template or an automatic mail?", g.Size, percent(part), g.First+1)
		}
	}
	if after := r.After.CopyShare(); after >= 0.05 {
		say("%s of the test tickets have a near-duplicate for training: scores are too good by up to that", percent(after))
	}
}

// mostOfOne is how many tickets the customer with the most has.
func mostOfOne(byCustomer []entry) int {
	most, run := 0, 0
	for i, e := range byCustomer {
		if i == 0 || e.key != byCustomer[i-1].key {
			run = 0
		}
		run++
		most = max(most, run)
	}
	return most
}

// percent writes a share with one decimal where it is small.
func percent(share float64) string {
	if share < 0.1 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// latest gives the ticket that came last.
func (r *ring) latest() (uint32, bool) {
	if r.n == 0 {
		return 0, false
	}
	return r.at[(r.next+near-1)%near], true
}
