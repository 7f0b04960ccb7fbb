// Package split parts tickets into a training and a test side, and measures how much the test side gives away.
//
// What it is: three rules for the sides ([ByTime], [ByCustomer], [AtRandom]), near-duplicates found by MinHash and kept on
// one side, and the leak that is left ([Leak]), with doubts in words ([Result].Warnings). What it is not: a store of texts
// (of a ticket it keeps some 60 bytes, none of which can be read back), nor a judge of meaning: two tickets that say the same in
// other words are no near-duplicates. It knows no tickets, files or labels' meaning. Start at [New].
//
// Near-duplicates are pairs of texts whose sets of word pairs overlap to 0.8 of their union (Jaccard; see [Similarity]).
// That is estimated from 64 minima of hashes (Broder 1997) of which 4 bits each are kept (Li and König 2010), for pairs that
// banding brings together (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, chapter 3). The estimate is off by 0.05
// (standard deviation) at 0.8, so a pair near that line may fall on either side of it; from 0.9 on, some 99 of 100 are found.
// Of texts of fewer than 20 pairs only those with the same words count: subject lines of one template would be one chain otherwise.
package split

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// By is the rule that decides the sides.
type By int

// The rules.
const (
	// ByTime makes the newest share of the tickets the test side. Tickets of the same second stay together, and tickets without a
	// date are for training. It is the rule that comes nearest to use: a model is asked about what comes after its training.
	ByTime By = iota
	// ByCustomer puts all tickets of a customer on one side. A ticket without a customer is a customer of its own.
	ByCustomer
	// AtRandom draws a side for each ticket from a hash of the seed and its id, so that a new ticket changes no other's side
	// (but for its near-duplicates').
	AtRandom
)

// byNames are the words for the rules, in their order.
var byNames = [...]string{"time", "customer", "random"}

// String gives the word that options and files use: time, customer or random.
func (b By) String() string {
	if b < 0 || int(b) >= len(byNames) {
		return fmt.Sprintf("By(%d)", int(b))
	}
	return byNames[b]
}

// MarshalText gives the word of [By.String], or an error for a rule that there is not.
func (b By) MarshalText() ([]byte, error) {
	if b < 0 || int(b) >= len(byNames) {
		return nil, fmt.Errorf("split rule %d is none of time, customer, random", int(b))
	}
	return []byte(byNames[b]), nil
}

// UnmarshalText reads the word of [By.String]; any other word is an error that names the three.
func (b *By) UnmarshalText(text []byte) error {
	for i, name := range byNames {
		if string(text) == name {
			*b = By(i)
			return nil
		}
	}
	return fmt.Errorf("split rule %q is none of time, customer, random", text)
}

// Side is where a ticket stands.
type Side bool

// The sides.
const (
	Train Side = false
	Test  Side = true
)

// String gives train or test.
func (s Side) String() string {
	if s == Test {
		return "test"
	}
	return "train"
}

// Options say how to split. The zero value splits by time, a fifth of the tickets for testing.
type Options struct {
	By By
	// Test is the share of the tickets that are for testing, above 0 and under 1; 0 means 0.2.
	Test float64
	// Seed changes the draws of ByCustomer and AtRandom.
	Seed int64
	// Apart leaves near-duplicates where the rule puts them: they are only measured.
	Apart bool
}

// Item is one ticket.
type Item struct {
	// ID names the ticket; it should occur once. Where it is empty, the ticket's position stands for it.
	ID string
	// Text is all that an agent will read of it.
	Text string
	// Customer says who asks, in any form that is the same for the same customer; empty where that is not known.
	Customer string
	// Created is when it came in; the zero time where that is not known. Fractions of a second are dropped.
	Created time.Time
	// Label is what is to be learned of it, in any form that is the same for the same label; it serves [Leak] only, and may be empty.
	Label string
}

// Splitter takes tickets one by one and splits them when all are there. It is not for use by several goroutines at once.
type Splitter struct {
	options Options
	tickets column[ticket]
}

// ticket is what is kept of one: 64 bytes.
type ticket struct {
	sketch       sketch
	id, customer uint64 // hashes; customer is 0 for none
	created      uint64 // order of its second; 0 for none
	label        uint32 // hash; 0 for none
	pairs        uint32 // how many word pairs the text has
}

// New begins a split. It refuses a rule that there is not, and a share that is not above 0 and under 1.
func New(o Options) (*Splitter, error) {
	if _, err := o.By.MarshalText(); err != nil {
		return nil, err
	}
	if math.IsNaN(o.Test) || o.Test < 0 || o.Test >= 1 {
		return nil, fmt.Errorf("share of the test side %v is not above 0 and under 1", o.Test)
	}
	o.Test = cmp.Or(o.Test, 0.2)
	return &Splitter{options: o}, nil
}

// Add takes the next ticket and keeps hashes of it only. It works in time and memory linear in the text.
func (s *Splitter) Add(it Item) {
	var t ticket
	t.sketch, t.pairs = sketchOf(it.Text)
	if it.ID != "" {
		t.id = hash(1, it.ID)
	} else {
		t.id = mix(uint64(s.tickets.len()) + 2)
	}
	if it.Customer != "" {
		t.customer = max(1, hash(3, it.Customer))
	}
	if it.Label != "" {
		t.label = max(1, uint32(hash(4, it.Label)))
	}
	if !it.Created.IsZero() {
		// The sign is turned so that seconds before 1970 order as unsigned too; no time has the order 0.
		t.created = max(1, uint64(it.Created.Unix())^(1<<63))
	}
	s.tickets.add(t)
}

// Len is how many tickets there are so far.
func (s *Splitter) Len() int { return s.tickets.len() }

// second gives back the time of an order of [ticket].created.
func second(created uint64) time.Time { return time.Unix(int64(created^(1<<63)), 0).UTC() }

// column is a growing list that never moves what it holds, so that no more is in memory than is used.
type column[T any] struct {
	blocks [][]T
	n      int
}

const blockSize = 1 << 12

func (c *column[T]) add(v T) {
	if c.n%blockSize == 0 {
		// The first block begins small: many files are.
		c.blocks = append(c.blocks, make([]T, 0, blockSize))
	}
	last := len(c.blocks) - 1
	c.blocks[last] = append(c.blocks[last], v)
	c.n++
}

func (c *column[T]) len() int { return c.n }

func (c *column[T]) at(i int) *T { return &c.blocks[i/blockSize][i%blockSize] }
