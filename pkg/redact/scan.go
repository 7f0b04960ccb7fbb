package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scan reads one text after the other. Every look ahead or back is bounded, and no byte is looked at more than a fixed number
// of times, so that the time is linear whatever the text.
type scan struct {
	s     string
	spans []span
	// cue is what the latest words say the next number or value is; it ends with the line, and with the first word that does not
	// connect.
	cue   cue
	named bool // whether number, no., # or a colon came after the cue
	// previous is the word before, in lower case.
	previous string
	at       int      // the next @ or %40, at or after the place that was looked at last
	url      int      // the end of the URL that the scan is in
	refused  int      // the end of the latest value that was no secret; none begins within it
	people   []person // whom the ticket names
	found    []person // whom its texts named
	texts    [][]span
}

// maxWord is how long a word may be that says something to the scan.
const maxWord = 32

// spansOf gives what is to be replaced in a text, in no order, but for names of people that are found elsewhere.
func (c *scan) spansOf(text string, spans []span) []span {
	*c = scan{s: text, spans: spans, people: c.people, found: c.found, texts: c.texts, at: -1}
	c.lines()
	for i := 0; i < len(c.s); {
		i = max(c.step(i), i+1)
	}
	out := c.spans
	c.s, c.spans, c.previous = "", nil, ""
	return out
}

// step looks at what begins at i and gives where to go on.
func (c *scan) step(i int) int {
	s := c.s
	b := s[i]
	switch {
	case isWord[b]:
		return c.wordAt(i)
	case b == '\n':
		c.forget()
	case b == '[':
		if end := placeholderAt(s, i); end > 0 {
			c.forget()
			return end
		}
	case b == '+':
		if end := c.phonePlus(i); end > 0 {
			return c.add(i, end, Phone)
		}
	case b == '(':
		if end := c.phoneParen(i); end > 0 {
			return c.add(i, end, Phone)
		}
	case b == '-':
		if end := privateKey(s, i); end > 0 {
			return c.add(i, end, Key)
		}
	case b == ':' || b == '#' || b == '=':
		c.named = true
		if end := ip6(s, i); b == ':' && end > 0 {
			return c.add(i, end, IP)
		}
	case b == '.' || b == '!' || b == '?':
		if i+1 < len(s) && s[i+1] == ' ' && c.previous != "no" && c.previous != "nr" && c.previous != "tel" && c.previous != "acct" {
			c.forget()
		}
	}
	return i + 1
}

func (c *scan) forget() { c.cue, c.named, c.previous = cueNone, false, "" }

func (c *scan) add(start, end int, k Kind) int {
	c.spans = append(c.spans, span{start, end, k})
	c.forget()
	return end
}

// wordAt looks at the word that begins at i: letters, digits and underscores.
func (c *scan) wordAt(i int) int {
	s := c.s
	j, digits, letters := wordEnd(s, i)
	if j == i { // a mark beyond ASCII that is no part of a word
		return i + runeLen(s, i)
	}
	if end := c.mail(i); end > 0 {
		c.nameBefore(i)
		return c.add(i, end, Mail)
	}
	if end := keyAt(s, i); end > 0 {
		return c.add(i, end, Key)
	}
	if j < len(s) && s[j] == ':' {
		if end := ip6(s, i); end > 0 {
			return c.add(i, end, IP)
		}
	}
	if digits > 0 || letters < 5 {
		if end, k := c.coded(i, j, digits, letters); end > 0 {
			return c.add(i, end, k)
		}
	}
	if digits > 0 && s[i] <= '9' {
		if end, k := c.number(i); end > 0 {
			if k == kinds {
				c.forget()
				return end
			}
			return c.add(i, end, k)
		}
	}
	w := ""
	if letters > 0 {
		w = c.lower(i, j)
	}
	if end := c.address(i, j, digits, letters, w); end > 0 {
		return c.add(i, end, Address)
	}
	if letters > 0 {
		return c.said(i, j, w)
	}
	// A number that is nobody's: what comes after it is another matter.
	c.forget()
	return j
}

// said takes a word for what it says.
func (c *scan) said(i, j int, w string) int {
	if strings.HasPrefix(c.s[j:], "://") {
		return c.location(j + 3)
	}
	q := cueOf(w, c.previous)
	switch {
	case q == cueLink:
		c.named = c.named || namesNumber[w]
	case q != cueNone:
		c.cue, c.named = q, cuePairs[w][c.previous] != cueNone
		if start, end, k := c.secret(j, q); end > 0 {
			c.previous = ""
			return c.add(start, end, k)
		}
	default:
		c.cue, c.named = cueNone, false
	}
	if i >= c.url && w != "" {
		c.person(i, j, w)
	}
	c.previous = w
	return j
}

// lower gives a word in lower case; the empty string where it is none of the lexicon, and so says nothing.
func (c *scan) lower(i, j int) string {
	if j-i > maxWord {
		return ""
	}
	var small [maxWord]byte
	w := c.s[i:j]
	joined := false
	for k := range len(w) {
		b := w[k]
		if b >= utf8.RuneSelf {
			return lexicon[strings.ToLower(w)]
		}
		if isUpper(b) {
			b |= 0x20
		}
		joined = joined || b == '_'
		small[k] = b
	}
	if joined {
		return strings.ToLower(w) // DB_PASSWORD
	}
	return lexicon[string(small[:len(w)])]
}

// lexicon has all single words that say something, each as it is written in lower case.
var lexicon = func() map[string]string {
	m := map[string]string{}
	for _, words := range []map[string]bool{streets, often, french, latin, flats, notStreet, stopWords, titles, closings, joining, particles, begins, notLatin} {
		for w := range words {
			m[w] = w
		}
	}
	for w := range cueWords {
		m[w] = w
	}
	for w, before := range cuePairs {
		m[w] = w
		for b := range before {
			m[b] = b
		}
	}
	for _, w := range strings.Fields("p po postfach pob is heiße heisse ist appelle llamo am es m bin wrote schrieb writes") {
		m[w] = w
	}
	return m
}()

// isWord tells the bytes that a word may begin with, those of runes beyond ASCII among them.
var isWord = func() (t [256]bool) {
	for b := range t {
		t[b] = b >= utf8.RuneSelf || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
	}
	return t
}()

// wordEnd gives the end of the word at i, and how many digits and letters it has.
func wordEnd(s string, i int) (end, digits, letters int) {
	for i < len(s) && isWord[s[i]] {
		switch b := s[i]; {
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) {
				return i, digits, letters
			}
			letters++
			i += n
			continue
		case b >= '0' && b <= '9':
			digits++
		case b != '_':
			letters++
		}
		i++
	}
	return i, digits, letters
}

func runeLen(s string, i int) int {
	_, n := utf8.DecodeRuneInString(s[i:])
	return n
}

// edge tells whether a word may end at i: no letter, digit or underscore goes on there.
func edge(s string, i int) bool {
	if i >= len(s) || !isWord[s[i]] {
		return true
	}
	if s[i] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return !unicode.IsLetter(r) && !unicode.IsMark(r)
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isUpper(b byte) bool  { return b >= 'A' && b <= 'Z' }
