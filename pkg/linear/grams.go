package linear

import (
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a feature.
type kind uint8

const (
	word kind = iota
	char
	field
)

// gram is an n-gram of a text: its hash, and where it stands in the runes of the scanner.
type gram struct {
	kind   kind
	hash   uint64
	lo, hi int
}

// scanner cuts texts into n-grams. It keeps its buffers from text to text.
type scanner struct {
	words, minChars, chars, maxBytes int
	// runes is the text in lower case, each token between two spaces; tokens and inner are where the tokens and the words
	// within them stand.
	runes         []rune
	tokens, inner []span
}

type span struct{ lo, hi int }

const (
	prime  = 0x100000001b3
	golden = 0x9e3779b97f4a7c15
)

// mix spreads the bits of a running hash (the finaliser of splitmix64, Steele, Lea and Flood 2014).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// hashOf is the hash of a string that is taken as a whole.
func hashOf(s string, seed uint64) uint64 {
	h := seed ^ 0xcbf29ce484222325
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return mix(h)
}

// cut gives at most so many bytes of a text, and no torn rune at the end.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// scan finds the tokens of a text, which stand between spaces, control characters and broken bytes, and the words within
// them, which are letters, marks and digits.
func (s *scanner) scan(text string) {
	s.runes, s.tokens, s.inner = append(s.runes[:0], ' '), s.tokens[:0], s.inner[:0]
	token, inner := -1, -1
	end := func() {
		if inner >= 0 {
			s.inner, inner = append(s.inner, span{inner, len(s.runes)}), -1
		}
	}
	for _, r := range cut(text, s.maxBytes) {
		r, class := classify(r)
		if class == gap {
			if end(); token >= 0 {
				s.tokens, token = append(s.tokens, span{token, len(s.runes)}), -1
				s.runes = append(s.runes, ' ')
			}
			continue
		}
		if token < 0 {
			token = len(s.runes)
		}
		if class == mark {
			end()
		} else if inner < 0 {
			inner = len(s.runes)
		}
		s.runes = append(s.runes, r)
	}
	if end(); token >= 0 {
		s.tokens = append(s.tokens, span{token, len(s.runes)})
		s.runes = append(s.runes, ' ')
	}
}

type class uint8

const (
	letter class = iota
	mark
	gap
)

// classify gives a rune in lower case and what it is.
func classify(r rune) (rune, class) {
	if r < utf8.RuneSelf {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r, letter
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A', letter
		case r <= ' ', r == 0x7f:
			return ' ', gap
		}
		return r, mark
	}
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return unicode.ToLower(r), letter
	case r == utf8.RuneError, unicode.IsSpace(r), unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return ' ', gap
	}
	return r, mark
}

// eachOf calls f for each n-gram of a kind in the text that was scanned last.
func (s *scanner) eachOf(k kind, seed uint64, f func(gram)) {
	if k == word {
		s.eachWord(seed, f)
	} else {
		s.eachChar(seed, f)
	}
}

func (s *scanner) eachWord(seed uint64, f func(gram)) {
	if s.words < 1 {
		return
	}
	for i, first := range s.inner {
		h := seed
		for n, at := range s.inner[i:min(i+s.words, len(s.inner))] {
			for _, r := range s.runes[at.lo:at.hi] {
				h = (h ^ uint64(r)) * prime
			}
			// What ends a word keeps "ab c" and "a bc" apart.
			h = (h ^ 1<<32) * prime
			f(gram{word, mix(h + uint64(n)), first.lo, at.hi})
		}
	}
}

// eachChar gives the character n-grams of each token with a space on either side.
func (s *scanner) eachChar(seed uint64, f func(gram)) {
	if s.chars < 1 {
		return
	}
	for _, t := range s.tokens {
		for lo := t.lo - 1; lo <= t.hi; lo++ {
			h := seed
			for hi := lo; hi <= t.hi && hi < lo+s.chars; hi++ {
				h = (h ^ uint64(s.runes[hi])) * prime
				if n := hi + 1 - lo; n >= s.minChars {
					f(gram{char, mix(h + uint64(n)), lo, hi + 1})
				}
			}
		}
	}
}
