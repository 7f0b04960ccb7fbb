package split

import (
	"cmp"
	"slices"
)

const (
	// alike is from which similarity on two texts are near-duplicates.
	alike = 0.8
	// rows is how many slots a band has that brings pairs together, and bands how many bands there are: contiguous slots, and slots
	// eight apart. A pair of similarity 0.8 meets in one of them with 96 of 100, of 0.9 always, of 0.3 with 3 of 1000.
	rows, bands = 8, 16
	// few is up to how many word pairs a text counts as short: of a subject line of one template with another name in it, more than half
	// of the pairs can be the same, and the estimate is wrong often enough that thousands of them would be one chain. A short text is a
	// near-duplicate only of one whose sketch is the same, which means the same words.
	few = 20
	// near is how many unlike neighbours of its bucket a text is held against: a bound on the work where thousands share a
	// phrase, and no loss where they are copies, for those are joined already.
	near = 16
)

// forest joins tickets to groups (union-find with path halving; the smaller number is the root).
type forest []uint32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

func (f forest) root(i uint32) uint32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(a, b uint32) {
	a, b = f.root(a), f.root(b)
	if a > b {
		a, b = b, a
	}
	f[b] = a
}

// entry is a ticket under a key that it is sorted by.
type entry struct {
	key uint64
	at  uint32
}

// ordered gives the tickets that have words, those of equal sketches beside each other, in an order that does not depend on the
// order in which they came (where their ids are different).
func (s *Splitter) ordered() []uint32 {
	n := s.tickets.len()
	all := make([]entry, 0, n)
	for i := range n {
		t := s.tickets.at(i)
		if t.sketch != (sketch{}) {
			k := t.sketch[0]
			for _, w := range t.sketch[1:] {
				k = mix(k) ^ w
			}
			all = append(all, entry{mix(k), uint32(i)})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Or(cmp.Compare(s.tickets.at(int(a.at)).id, s.tickets.at(int(b.at)).id), cmp.Compare(a.at, b.at))
	})
	out := make([]uint32, len(all))
	for i, e := range all {
		out[i] = e.at
	}
	return out
}

// likeSlots is in how many slots near-duplicates agree.
var likeSlots = agreeing(alike)

// like is in how many slots two tickets agree, and whether these are enough for near-duplicates.
func like(a, b *ticket) (n int, enough bool) {
	n = agree(&a.sketch, &b.sketch)
	return n, n >= likeSlots && (n == slots || a.pairs >= few && b.pairs >= few)
}

// groups joins near-duplicates; order is what [Splitter.ordered] gave.
func (s *Splitter) groups(order []uint32, sorter *radix) forest {
	f := newForest(s.tickets.len())
	for b := range bands {
		buckets(sorter, order, s.keys(&groupBands[b]), func(bucket []keyed) {
			var recent ring
			for i, e := range bucket {
				mine := s.tickets.at(int(e.at))
				if i > 0 && mine.sketch == s.tickets.at(int(bucket[i-1].at)).sketch {
					f.join(bucket[i-1].at, e.at)
					continue
				}
				// A text whose group is in the ring already stands there for its like: a chain of copies takes one place, not all.
				if !s.held(f, &recent, e.at, mine) {
					recent.add(e.at)
				}
			}
		})
	}
	return f
}

// held joins a ticket to those of the ring that are near-duplicates of it, and tells whether its group is in the ring.
func (s *Splitter) held(f forest, recent *ring, at uint32, mine *ticket) bool {
	in := false
	for _, other := range recent.all() {
		if f.root(other) == f.root(at) {
			in = true
		} else if _, enough := like(mine, s.tickets.at(int(other))); enough {
			f.join(other, at)
			in = true
		}
	}
	return in
}

// key hashes the slots of a sketch that a mask leaves.
func (s *sketch) key(m *sketch) uint32 {
	h := (s[0] & m[0]) * 0x9e3779b97f4a7c15
	h = (h>>32 ^ h ^ s[1]&m[1]) * 0xbf58476d1ce4e5b9
	h = (h>>32 ^ h ^ s[2]&m[2]) * 0x94d049bb133111eb
	h = (h>>32 ^ h ^ s[3]&m[3]) * 0x9e3779b97f4a7c15
	return uint32(h >> 32)
}

// groupBands are the masks of the bands that group.
var groupBands = func() (out [bands]sketch) {
	for b := range out {
		for i := range rows {
			if b < slots/rows {
				out[b].mark(b*rows + i)
			} else {
				out[b].mark(i*(slots/rows) + b - slots/rows)
			}
		}
	}
	return out
}()

// mark adds a slot to a mask.
func (s *sketch) mark(i int) { s[i/16] |= 15 << (i % 16 * bitsPerSlot) }

// keys gives what writes the keys of a band beside the tickets.
func (s *Splitter) keys(mask *sketch) func([]keyed) {
	return func(all []keyed) {
		for i := range all {
			all[i].key = s.tickets.at(int(all[i].at)).sketch.key(mask)
		}
	}
}

// buckets calls do for each set of at least two tickets that have the same key, in the order of the keys and, in a bucket, of the
// tickets as given.
func buckets(r *radix, tickets []uint32, keys func([]keyed), do func([]keyed)) {
	sorted := r.sort(tickets, keys)
	for i := 0; i < len(sorted); {
		j := i + 1
		for j < len(sorted) && sorted[j].key == sorted[i].key {
			j++
		}
		if j-i > 1 {
			do(sorted[i:j])
		}
		i = j
	}
}

// keyed is a ticket under the key of a band.
type keyed struct {
	key, at uint32
}

// radix sorts by keys of 32 bits in linear time and keeps its memory for the next time.
type radix struct {
	from, to []keyed
	start    [digits][1 << digitBits]uint32
}

// The digits that radix sorts by: three of eleven bits, of which the last has ten.
const digits, digitBits = 3, 11

// sort gives the tickets by key; equal keys keep their order. What it gives is good until the next call.
func (r *radix) sort(tickets []uint32, keys func([]keyed)) []keyed {
	if len(r.from) < len(tickets) {
		r.from, r.to = make([]keyed, len(tickets)), make([]keyed, len(tickets))
	}
	from, to := r.from[:len(tickets)], r.to[:len(tickets)]
	for i, at := range tickets {
		from[i].at = at
	}
	keys(from)
	const mask = 1<<digitBits - 1
	r.start = [digits][mask + 1]uint32{}
	for _, e := range from {
		for d := range r.start {
			r.start[d][e.key>>(d*digitBits)&mask]++
		}
	}
	for d := range r.start {
		start, sum := &r.start[d], uint32(0)
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, e := range from {
			k := e.key >> (d * digitBits) & mask
			to[start[k]] = e
			start[k]++
		}
		from, to = to, from
	}
	return from
}

// ring holds the latest few tickets.
type ring struct {
	at   [near]uint32
	n    int
	next int
}

func (r *ring) add(at uint32) {
	r.at[r.next] = at
	r.next = (r.next + 1) % near
	r.n = min(r.n+1, near)
}

func (r *ring) all() []uint32 { return r.at[:r.n] }
