package importer

import "math/bits"

// hashSet is a set of texts by 64-bit hashes, 11 to 22 bytes each. Two of a million texts are taken for one with a chance of 1 in 37
// million.
type hashSet struct {
	slots []uint64 // 0 is free
	n     int
}

// add puts a text into the set and tells whether it was new.
func (s *hashSet) add(text string) bool {
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	if !s.put(max(1, textHash(text))) {
		return false
	}
	s.n++
	return true
}

func (s *hashSet) put(h uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = h
			return true
		case h:
			return false
		}
	}
}

func (s *hashSet) grow() {
	old := s.slots
	s.slots = make([]uint64, max(64, 2*len(old)))
	for _, h := range old {
		if h != 0 {
			s.put(h)
		}
	}
}

// textHash hashes a text, eight bytes at a time, with the folded product of two words (as wyhash does).
func textHash(text string) uint64 {
	const a, b = 0x9e3779b97f4a7c15, 0xe7037ed1a0b428db
	h := uint64(len(text)) ^ a
	for len(text) >= 8 {
		word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		h = folded(h^word, b) + a
		text = text[8:]
	}
	var word uint64
	for i := range len(text) {
		word |= uint64(text[i]) << (8 * i)
	}
	return folded(folded(h^word, b)+a, b)
}

func folded(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}
