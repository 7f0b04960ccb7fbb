package split

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// ErrNoTime says that there is no time by which the tickets could be split: fewer than two different dates.
var ErrNoTime = errors.New("split by time: the tickets do not have two different dates; split by customer or at random")

// ErrNoTickets says that there is nothing to split.
var ErrNoTickets = errors.New("split: there are no tickets")

// Result is a split.
type Result struct {
	By By
	// Train and Test count the tickets of the sides.
	Train, Test int
	// Cut is the date of the oldest ticket that was for testing before near-duplicates were moved, where the split is by time.
	Cut time.Time
	// Undated, NoCustomer and NoText count the tickets without a date, a customer, or a single word.
	Undated, NoCustomer, NoText int
	// Groups counts the groups of two and more near-duplicates, and Grouped the tickets in them.
	Groups, Grouped int
	// Largest are the largest groups, at most five, the largest first.
	Largest []Group
	// Moved counts the tickets that changed side so that their group is on one.
	Moved int
	// Before is the leak if near-duplicates were not kept together, After that of the sides as they are.
	Before, After Leak
	// Warnings are doubts about the split, in words, the gravest first.
	Warnings []string

	sides []Side
	most  int // tickets of the customer with the most
}

// Group is a set of tickets that are near-duplicates, each of at least one other.
type Group struct {
	// First is the position of its first ticket, in the order of [Splitter.Add], counted from 0, and Size how many it has.
	First, Size int
}

// Side tells where ticket i (in the order of [Splitter.Add], counted from 0) stands.
func (r *Result) Side(i int) Side { return r.sides[i] }

// Dated counts the tickets that have a date.
func (s *Splitter) Dated() int {
	dated := 0
	for i := range s.tickets.len() {
		if s.tickets.at(i).created != 0 {
			dated++
		}
	}
	return dated
}

// Use changes the rule, for callers that choose it when they have seen the tickets. An unknown rule is an error.
func (s *Splitter) Use(by By) error {
	if _, err := by.MarshalText(); err != nil {
		return err
	}
	s.options.By = by
	return nil
}

// Split decides the sides of the tickets so far. It errs with [ErrNoTickets] and, by time, with [ErrNoTime]. The same tickets in the same
// order give the same result; by customer and at random, a ticket's side does not depend on the order.
//
// A group of near-duplicates goes as a whole: by time to where its earliest ticket is (in practice to training), otherwise
// where a hash of it says. By customer, customers who share a near-duplicate go together.
func (s *Splitter) Split() (*Result, error) {
	if s.tickets.len() == 0 {
		return nil, ErrNoTickets
	}
	r := &Result{By: s.options.By}
	order := s.ordered()
	var sorter radix
	together := s.groups(order, &sorter)
	before, err := s.ruled(r)
	if err != nil {
		return nil, err
	}
	r.sides = before
	s.describe(r, together)
	if !s.options.Apart {
		r.sides = s.kept(before, together)
	}
	for i, side := range r.sides {
		if side == Test {
			r.Test++
		}
		if side != before[i] {
			r.Moved++
		}
	}
	r.Train = len(r.sides) - r.Test
	s.leaks(r, before, order, &sorter)
	s.warn(r)
	return r, nil
}

// ruled gives the sides by the rule alone.
func (s *Splitter) ruled(r *Result) ([]Side, error) {
	sides := make([]Side, s.tickets.len())
	var cut uint64
	if s.options.By == ByTime {
		if cut = s.cut(); cut == 0 {
			return nil, ErrNoTime
		}
		r.Cut = second(cut)
	}
	for i := range sides {
		t := s.tickets.at(i)
		if s.options.By == ByTime {
			sides[i] = Side(t.created >= cut)
		} else {
			sides[i] = s.drawn(s.unit(t))
		}
	}
	return sides, nil
}

// unit is the hash of what is drawn as one: the customer, or the ticket.
func (s *Splitter) unit(t *ticket) uint64 {
	if s.options.By == ByCustomer && t.customer != 0 {
		return t.customer
	}
	return t.id
}

// drawn tells the side of a unit.
func (s *Splitter) drawn(unit uint64) Side {
	h := mix(unit ^ mix(uint64(s.options.Seed)+0x7f4a_7c15))
	// 53 bits, as a number of 0 up to 1, that every machine computes alike.
	return Side(float64(h>>11)/(1<<53) < s.options.Test)
}

// cut gives the second from which on tickets are for testing, 0 for none: the one whose share is nearest to what is asked, of the
// seconds that leave something on both sides.
func (s *Splitter) cut() uint64 {
	dates := make([]uint64, 0, s.tickets.len())
	for i := range s.tickets.len() {
		if c := s.tickets.at(i).created; c != 0 {
			dates = append(dates, c)
		}
	}
	slices.Sort(dates)
	if len(dates) == 0 || dates[0] == dates[len(dates)-1] {
		return 0
	}
	want := float64(s.options.Test) * float64(s.tickets.len())
	from := min(max(len(dates)-int(want+0.5), 1), len(dates)-1)
	// Tickets of the second at from go to one side: those before its first, or those from it on.
	low, _ := slices.BinarySearch(dates, dates[from])
	high, _ := slices.BinarySearch(dates, dates[from]+1)
	switch {
	case low == 0:
		return dates[high]
	case high == len(dates), from-low <= high-from:
		return dates[low]
	}
	return dates[high]
}

// kept gives the sides with every group on one.
func (s *Splitter) kept(before []Side, f forest) []Side {
	after := make([]Side, len(before))
	if s.options.By == ByTime {
		old := make([]bool, len(before))
		for i, side := range before {
			if side == Train {
				old[f.root(uint32(i))] = true
			}
		}
		for i := range after {
			after[i] = Side(!old[f.root(uint32(i))])
		}
		return after
	}
	if s.options.By == ByCustomer {
		byCustomer := s.customers()
		for i := 1; i < len(byCustomer); i++ {
			if byCustomer[i].key == byCustomer[i-1].key {
				f.join(byCustomer[i].at, byCustomer[i-1].at)
			}
		}
	}
	least := make([]uint64, len(before))
	for i := range least {
		root := f.root(uint32(i))
		unit := s.unit(s.tickets.at(i))
		// Roots come first in their group.
		if uint32(i) == root || unit < least[root] {
			least[root] = unit
		}
	}
	for i := range after {
		after[i] = s.drawn(least[f.root(uint32(i))])
	}
	return after
}

// customers gives the tickets that have a customer, by customer.
func (s *Splitter) customers() []entry {
	all := make([]entry, 0, s.tickets.len())
	for i := range s.tickets.len() {
		if c := s.tickets.at(i).customer; c != 0 {
			all = append(all, entry{c, uint32(i)})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	return all
}

// describe counts what the tickets lack and the groups they form.
func (s *Splitter) describe(r *Result, f forest) {
	sizes := make([]uint32, len(f))
	for i := range f {
		sizes[f.root(uint32(i))]++
		t := s.tickets.at(i)
		if t.created == 0 {
			r.Undated++
		}
		if t.customer == 0 {
			r.NoCustomer++
		}
		if t.sketch == (sketch{}) {
			r.NoText++
		}
	}
	for i, size := range sizes {
		if size < 2 {
			continue
		}
		r.Groups++
		r.Grouped += int(size)
		at := len(r.Largest)
		for at > 0 && r.Largest[at-1].Size < int(size) {
			at--
		}
		if at < 5 {
			r.Largest = slices.Insert(r.Largest, at, Group{First: i, Size: int(size)})
			r.Largest = r.Largest[:min(5, len(r.Largest))]
		}
	}
}
