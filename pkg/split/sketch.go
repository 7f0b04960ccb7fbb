package split

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// slots is how many minima a sketch has, and bitsPerSlot how much is kept of each.
const (
	slots       = 64
	bitsPerSlot = 4
)

// sketch stands for the set of a text's word pairs: 4 bits of each of 64 minima, 16 slots a word. All zero is a text without words.
type sketch [slots * bitsPerSlot / 64]uint64

// agree counts the slots that are the same.
func agree(a, b *sketch) int {
	n := slots
	for i := range a {
		x := a[i] ^ b[i]
		x |= x >> 2
		x |= x >> 1
		n -= bits.OnesCount64(x & 0x1111111111111111)
	}
	return n
}

// agreeing is how many slots must be the same for an estimated Jaccard index of at least j: of two slots that differ one
// in 16 agrees by chance, which is taken off.
func agreeing(j float64) int {
	for n := range slots {
		if (float64(n)/slots-1.0/16)/(15.0/16) >= j {
			return n
		}
	}
	return slots
}

// sketchOf makes the sketch of a text, and counts its word pairs.
func sketchOf(text string) (s sketch, count uint32) {
	var least [slots]uint32
	for i := range least {
		least[i] = ^uint32(0)
	}
	pairs(text, func(h uint64) {
		count++
		for i := range slots / 2 {
			// Multiplying by an odd number permutes the hashes (2-universal); its halves are two hashes.
			v := h * multipliers[i]
			least[i] = min(least[i], uint32(v>>32))
			least[i+slots/2] = min(least[i+slots/2], uint32(v))
		}
	})
	if count == 0 {
		return s, 0
	}
	for i, v := range least {
		s[i/16] |= mix(uint64(v)) & 15 << (i % 16 * bitsPerSlot)
	}
	if s == (sketch{}) {
		s[0] = 1 // 1 in 2^256, but zero means no text
	}
	return s, count
}

// multipliers are odd numbers without a pattern: the first hashes of a counter.
var multipliers = func() (m [slots / 2]uint64) {
	for i := range m {
		m[i] = mix(uint64(i)+0x5bf0_3635) | 1
	}
	return m
}()

// pairs gives a hash of each pair of neighbouring words, of the first word alone and of the last, in their order; so a text
// of n words has n + 1. A word is a run of letters, marks and digits in lower case, each run of digits read as 0: two mails of one
// template differ in their numbers.
func pairs(text string, yield func(uint64)) {
	previous := uint64(startOfText)
	words(text, func(h uint64) {
		yield(pair(previous, h))
		previous = h
	})
	if previous != startOfText {
		yield(pair(previous, startOfText))
	}
}

// startOfText stands before the first word and after the last.
const startOfText = 0x9e3779b97f4a7c15

func pair(a, b uint64) uint64 { return mix(a*0xff51afd7ed558ccd + b) }

// words gives a hash (FNV-1a of the normalised letters) of each word.
func words(text string, yield func(uint64)) {
	const offset, prime = 14695981039346656037, 1099511628211
	h, inWord := uint64(offset), false
	last := byte(0)
	for i := 0; i < len(text); {
		c := text[i]
		size := 1
		letter := wordByte[c]
		if c < utf8.RuneSelf {
			if letter != 0 && (letter != '0' || last != '0') {
				h = (h ^ uint64(letter)) * prime
			}
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			if letter = normal(r); letter != 0 {
				h = (h ^ uint64(unicode.ToLower(r))) * prime
			}
		}
		i += size
		last = letter
		if letter != 0 {
			inWord = true
			continue
		}
		if inWord {
			yield(h)
			h, inWord = offset, false
		}
	}
	if inWord {
		yield(h)
	}
}

// normal tells whether a rune beyond ASCII is part of a word: 0 if not.
func normal(r rune) byte {
	if r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
		return 1
	}
	return 0
}

// wordByte gives what an ASCII byte counts as in a word, 0 if it is in none.
var wordByte = func() (t [256]byte) {
	for c := range t[:utf8.RuneSelf] {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		case '0' <= c && c <= '9':
			t[c] = '0'
		}
	}
	return t
}()

// Similarity gives the Jaccard index of two texts, 0..1: the word pairs that both have, as a share of those that either
// has (case, punctuation and the values of numbers do not count; a text of n words has n + 1 pairs, counting its ends). Texts
// without words are like none, not even each other: 0. It takes time and memory linear in both.
func Similarity(a, b string) float64 {
	inA, inB := map[uint64]bool{}, map[uint64]bool{}
	pairs(a, func(h uint64) { inA[h] = true })
	pairs(b, func(h uint64) { inB[h] = true })
	both := 0
	for h := range inA {
		if inB[h] {
			both++
		}
	}
	if len(inA)+len(inB) == 0 {
		return 0
	}
	return float64(both) / float64(len(inA)+len(inB)-both)
}

// mix spreads the bits of a number (the finalizer of MurmurHash3, in the variant of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hash is FNV-1a of a text, mixed, of its own for each use.
func hash(use uint64, s string) uint64 {
	h := uint64(14695981039346656037) ^ use
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}
