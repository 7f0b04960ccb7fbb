package redact

import (
	"unicode"
	"unicode/utf8"
)

// numbers remembers which number a value has, by a hash of the value: a table with open addressing that is between half and
// nine tenths full, of 12 bytes a place.
type numbers struct {
	hashes []uint64 // 0 is a free place
	of     []uint32
	used   int
	last   [kinds]uint32
}

// number gives the number of a value, the next one of its kind if it is new.
func (n *numbers) number(k Kind, h uint64) uint32 {
	if 10*(n.used+1) > 9*len(n.hashes) {
		n.grow()
	}
	at := n.place(h)
	if n.hashes[at] == h {
		return n.of[at]
	}
	n.used++
	n.last[k]++
	n.hashes[at], n.of[at] = h, n.last[k]
	return n.last[k]
}

// place finds where a hash is or belongs.
func (n *numbers) place(h uint64) int {
	// The high half of h times the size: a place for any size, as fair as the hash (Lemire 2016).
	at := int(h >> 32 * uint64(len(n.hashes)) >> 32)
	for n.hashes[at] != 0 && n.hashes[at] != h {
		if at++; at == len(n.hashes) {
			at = 0
		}
	}
	return at
}

func (n *numbers) grow() {
	old, of := n.hashes, n.of
	size := max(64, len(old)*8/5)
	n.hashes, n.of = make([]uint64, size), make([]uint32, size)
	for i, h := range old {
		if h != 0 {
			at := n.place(h)
			n.hashes[at], n.of[at] = h, of[i]
		}
	}
}

// hashValue hashes a value so that its usual ways of writing are one: without case but in secrets, numbers without what
// separates their groups, names and addresses without punctuation. It is FNV-1a, mixed, and never 0.
func hashValue(k Kind, value string) uint64 {
	const prime = 1099511628211
	h := (uint64(14695981039346656037) ^ uint64(k)) * prime
	exact := k == Key || k == Secret || k == URLSecret
	number := k == Phone || k == Card || k == IBAN || k == Account || k == NationalID
	spaced := k == Name || k == Address
	gap, begun := false, false
	zeros := 0
	for _, r := range value {
		word := r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case exact:
		case word:
			r = unicode.ToLower(r)
		case number:
			continue
		case spaced:
			gap = true
			continue
		}
		if k == Phone && !begun && r == '0' && zeros < 2 {
			zeros++ // 0049 is +49
			continue
		}
		if k == Phone && zeros == 1 && !begun {
			h = (h ^ '0') * prime
		}
		if gap && begun {
			h = (h ^ ' ') * prime
		}
		gap, begun = false, true
		h = (h ^ uint64(r)) * prime
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return max(1, h^h>>31)
}
