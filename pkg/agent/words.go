package agent

import (
	"unicode"
	"unicode/utf8"
)

// token is one word of a text: lower-case letters and digits, with what the lexicon knows of it.
type token struct {
	from, to    int32 // in reader.text
	first, last int32 // its symbols, in reader.symbols
	capital     bool
	known       bool
}

// sentence is a run of tokens with what the cues found in it.
type sentence struct {
	first, last int32 // tokens
	paragraph   int32
	aside       bool // in brackets
	question    bool
	scores      []float64 // by list
}

// hit is a cue that was found in a sentence.
type hit struct{ cue, sentence int }

// reader splits a text into words and sentences and finds the cues in them. Its buffers are used again from text to text.
type reader struct {
	lex       *lexicon
	text      []byte // the words, in lower case, one after the other
	tokens    []token
	symbols   []uint16
	sentences []sentence
	scores    []float64
	seen      []int32 // by cue: the last sentence that it counted for
	stamp     int32
	row       []float64 // scores of the sentence that is being read
	keep      int       // the list whose matches are kept in found
	found     []hit
	typos     bool // misspelt words are read as what they were meant to be
}

func newReader(l *lexicon) *reader {
	return &reader{lex: l, seen: make([]int32, len(l.cues)), row: make([]float64, len(l.lists)), keep: -1}
}

// reset forgets the last text.
func (r *reader) reset() {
	r.text, r.tokens, r.symbols, r.sentences, r.scores = r.text[:0], r.tokens[:0], r.symbols[:0], r.sentences[:0], r.scores[:0]
	r.found = r.found[:0]
}

// read adds the words and sentences of a piece of text.
func (r *reader) read(s string, paragraph int32) {
	start := len(r.tokens)
	aside, openAside := false, false
	for i := 0; i < len(s); {
		c := s[i]
		if n := wordAt(s, i); n > 0 {
			i = r.word(s, i, n)
			continue
		}
		switch c {
		case '(':
			openAside = true
			start = r.end(start, paragraph, aside, false)
			aside = true
		case ')':
			openAside = false
		}
		if breaks(s, i) {
			start = r.end(start, paragraph, aside, c == '?')
			aside = openAside
		}
		i++
	}
	r.end(start, paragraph, aside, false)
}

// wordAt gives the length of the letters and digits at i.
func wordAt(s string, i int) int {
	n := i
	for n < len(s) {
		c := s[n]
		if c < utf8.RuneSelf {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
				n++
				continue
			}
			if (c == ',' || c == '.') && n > i && isDigit(s[n-1]) && n+1 < len(s) && isDigit(s[n+1]) { // "1,240"
				n++
				continue
			}
			break
		}
		ch, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsLetter(ch) {
			break
		}
		n += size
	}
	return n - i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// breaks tells whether a sentence ends with the character at i.
func breaks(s string, i int) bool {
	switch s[i] {
	case '\n', ')', ';':
		return true
	case '!', '?':
		return true
	case '.':
		return (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == ')' || s[i+1] == '"' || s[i+1] == '\'') && !abbreviated(s, i)
	case ':':
		return i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\n')
	}
	return false
}

// abbreviated tells whether the full stop at i ends a one-letter word, as in "p.m." and "e.g.".
func abbreviated(s string, i int) bool {
	return i >= 2 && (s[i-2] == '.' || s[i-2] == ' ') && wordAt(s, i-1) == 1
}

// end closes the sentence that began at token start.
func (r *reader) end(start int, paragraph int32, aside, question bool) int {
	if len(r.tokens) > start {
		r.sentences = append(r.sentences, sentence{first: int32(start), last: int32(len(r.tokens)), paragraph: paragraph,
			aside: aside, question: question})
	}
	return len(r.tokens)
}

// word adds the word of n bytes at i, with its short form written out, and gives where it ends: "can't" and "cannot" are
// "can not", "we've" is "we have", a possessive "'s" is left out.
func (r *reader) word(s string, i, n int) int {
	w, end := s[i:i+n], i+n
	tail := ""
	if size := apostrophe(s, end); size > 0 {
		if m := wordAt(s, end+size); m > 0 && m <= 2 {
			tail = s[end+size : end+size+m]
			end += size + m
		}
	}
	switch {
	case foldEqual(w, "cannot"):
		r.add(w[:3])
		r.add("not")
		return end
	case tail == "":
		r.add(w)
	case (tail == "t" || tail == "T") && n > 1 && (w[n-1] == 'n' || w[n-1] == 'N'):
		r.add(base(w))
		r.add("not")
	default:
		r.add(w)
		if long := longForm(w, tail); long != "" {
			r.add(long)
		}
	}
	return end
}

func apostrophe(s string, i int) int {
	switch {
	case i < len(s) && s[i] == '\'':
		return 1
	case i+2 < len(s) && s[i:i+3] == "’":
		return 3
	}
	return 0
}

// foldEqual compares ASCII words without case.
func foldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i]|0x20 != b[i] {
			return false
		}
	}
	return true
}

// base gives the verb of a short negation without its "n't".
func base(w string) string {
	switch {
	case foldEqual(w, "can"):
		return w
	case foldEqual(w, "won"):
		return "will"
	case foldEqual(w, "shan"):
		return "shall"
	}
	return w[:len(w)-1]
}

// longForm writes out what follows an apostrophe; "" is a possessive.
func longForm(w, tail string) string {
	switch {
	case foldEqual(tail, "ve"):
		return "have"
	case foldEqual(tail, "re"):
		return "are"
	case foldEqual(tail, "ll"):
		return "will"
	case foldEqual(tail, "m"):
		return "am"
	case foldEqual(tail, "d"):
		return "would"
	case !foldEqual(tail, "s"):
		return tail
	}
	for _, is := range [...]string{"it", "that", "there", "what", "who", "here", "he", "she", "where", "how", "nothing", "everything", "nobody"} {
		if foldEqual(w, is) {
			return "is"
		}
	}
	return ""
}

// add appends one word.
func (r *reader) add(w string) {
	from := len(r.text)
	capital, digits, ascii := false, true, true
	for i := range len(w) {
		c := w[i]
		switch {
		case c >= 'A' && c <= 'Z':
			capital = capital || i == 0
			c += 'a' - 'A'
			digits = false
		case !isDigit(c) && c != ',' && c != '.':
			digits = false
			ascii = ascii && c < utf8.RuneSelf
		}
		r.text = append(r.text, c)
	}
	first := len(r.symbols)
	n, known := r.lex.vocab[string(r.text[from:])]
	switch {
	case known:
		at := r.lex.spans[n]
		r.symbols = append(r.symbols, r.lex.symbols[at.from:at.to]...)
	case ascii:
		r.symbols = r.lex.begin(r.text[from:], r.symbols)
		if r.typos && !digits && len(r.symbols) == first {
			r.mistyped(r.text[from:])
		}
	}
	if digits {
		r.symbols = append(r.symbols, r.lex.digits)
		if r.lex.num != 0 {
			r.symbols = append(r.symbols, r.lex.num)
		}
	}
	r.tokens = append(r.tokens, token{from: int32(from), to: int32(len(r.text)), first: int32(first), last: int32(len(r.symbols)),
		capital: capital, known: known || len(r.symbols) > first})
}
