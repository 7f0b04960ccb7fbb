package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// capitalAt tells whether a capitalised word begins at i; letters without case count as capitals.
func capitalAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return isUpper(s[i])
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r) || unicode.IsTitle(r) || unicode.Is(unicode.Lo, r)
}

// particles stand between the parts of a name.
var particles = set("van von de der den di da del della la le du bin al ben ten ter zu zum dos das el y e av af")

// part reads one part of a name at i: a capitalised word with its hyphens and apostrophes, or an initial with its dot. It is 0 if there
// is none, or if the word is one that begins sentences or names things.
func part(s string, i int) int {
	if !capitalAt(s, i) {
		return 0
	}
	k, digits, letters := wordEnd(s, i)
	for n := 0; n < 3 && k+1 < len(s); n++ {
		step := 0
		if s[k] == '\'' || s[k] == '-' {
			step = 1
		} else if strings.HasPrefix(s[k:], "’") {
			step = len("’")
		}
		if step == 0 {
			break
		}
		end, d, l := wordEnd(s, k+step)
		if end == k+step || l == 1 && (s[k+step] == 's' || s[k+step] == 'S') {
			break
		}
		k, digits, letters = end, digits+d, letters+l
	}
	if digits > 0 || letters == 0 || k-i > 40 || strings.IndexByte(s[i:k], '_') >= 0 {
		return 0
	}
	if letters == 1 && k < len(s) && s[k] == '.' {
		return k + 1
	}
	if letters == 1 || stopWords[strings.ToLower(s[i:k])] {
		return 0
	}
	return k
}

// name reads a name of up to most parts at i; it gives its end, 0 if there is none, and the number of its parts.
func name(s string, i, most int) (end, parts int) {
	k := i
	for parts < most {
		p := part(s, k)
		if p == 0 && parts > 0 { // de la Cruz
			q := k
			for range 2 {
				to, _, _ := wordEnd(s, q)
				if to == q || !particles[s[q:to]] || to >= len(s) || s[to] != ' ' {
					break
				}
				q = to + 1
			}
			if q > k {
				p = part(s, q)
			}
		}
		if p == 0 {
			break
		}
		end = p
		parts++
		if p >= len(s) || s[p] != ' ' {
			break
		}
		k = p + 1
	}
	return end, parts
}

// addName takes a name; one of several parts is looked for in the other texts of the ticket too.
func (c *scan) addName(start, end int) {
	c.spans = append(c.spans, span{start, end, Name})
	if len(c.found) == mostPeople {
		return
	}
	if p, ok := personOf(c.s[start:end]); ok && len(p) > 1 && !p.among(c.people) && !p.among(c.found) {
		c.found = append(c.found, p)
	}
}

// person looks for a name at a word that tells of one: a title, "my name is", "wrote:", a closing within the line.
func (c *scan) person(i, j int, w string) {
	s := c.s
	switch {
	case titles[w] && capitalAt(s, i) && (w != "ms" || s[i+1] == 's'):
		k := afterTitles(s, i)
		if end, n := name(s, k, 3); n > 0 {
			c.addName(k, end)
		}
	case w == "is" || w == "heiße" || w == "heisse" || w == "ist" || w == "appelle" || w == "llamo" || w == "am" || w == "es" || w == "m" || w == "bin":
		c.introduced(i, j, w)
	case (w == "wrote" || w == "schrieb" || w == "writes") && j < len(s) && s[j] == ':' && i > 0:
		c.nameEnding(i - 1)
	case closings[w] && (w == c.previous || c.previous == "" || !joining[c.previous]):
		c.closedInLine(j)
	}
}

// joining are words after which "thanks" or "best" closes nothing.
var joining = set("the a my your our is was not no say said of works work at for")

// introduced reads the name after "my name is", "mein Name ist", "ich heiße", "je m'appelle", and after "this is" and "I am" where what follows
// shows that a person speaks.
func (c *scan) introduced(i, j int, w string) {
	s := c.s
	k := skip(s, j, " ")
	end, n := name(s, k, 3)
	if n == 0 {
		return
	}
	head := strings.ToLower(s[max(0, i-12):i])
	tells := w == "heiße" || w == "heisse" || w == "appelle" || w == "llamo"
	for _, said := range []string{"name ", "name's ", "nombre ", "nom "} {
		tells = tells || strings.HasSuffix(head, said)
	}
	if !tells && (strings.HasSuffix(head, "this ") || strings.HasSuffix(head, "i ") || strings.HasSuffix(head, "i'") || strings.HasSuffix(head, "ich ") || strings.HasSuffix(head, "hier ")) {
		tells = speaks(s, end) && (n > 1 || strings.HasSuffix(head, "this "))
	}
	if tells {
		c.addName(k, end)
	}
}

// speaks tells whether what follows a name at k is what people say after their own.
func speaks(s string, k int) bool {
	rest := strings.ToLower(strings.TrimLeft(s[k:min(len(s), k+16)], ", "))
	for _, word := range []string{"from ", "at ", "of ", "here", "speaking", "with ", "and i", "von ", "aus "} {
		if strings.HasPrefix(rest, word) {
			return true
		}
	}
	return false
}

// nameBefore takes the name before a mail address at i in "Anna Weber <anna@example.com>".
func (c *scan) nameBefore(i int) {
	s := c.s
	if i < 3 || s[i-1] != '<' && s[i-1] != '(' {
		return
	}
	k := i - 1
	for k > 0 && (s[k-1] == ' ' || s[k-1] == '"') {
		k--
	}
	c.nameEnding(k)
}

// nameEnding takes the name that ends at k, also "Weber, Anna" where a quotation mark stands before it.
func (c *scan) nameEnding(k int) {
	s := c.s
	start, n := c.capitalsBefore(k, 4)
	if n == 0 {
		return
	}
	if start > 2 && s[start-1] == ' ' && s[start-2] == ',' {
		first, m := c.capitalsBefore(start-2, 2)
		if m == 1 && (first == 0 || s[first-1] == '"' || s[first-1] == '\n' || s[first-1] == ':') {
			start = first
		}
	}
	c.addName(start, k)
}

// capitalsBefore gives where the run of at most most capitalised words that ends at k begins, and how many they are.
func (c *scan) capitalsBefore(k, most int) (start, n int) {
	s := c.s
	start = k
	for n < most {
		i := start
		if n > 0 {
			if i == 0 || s[i-1] != ' ' {
				break
			}
			i--
		}
		from := i
		for from > 0 && i-from < 40 && (isWord[s[from-1]] || strings.IndexByte("-'.", s[from-1]) >= 0) {
			from--
		}
		if from == i || part(s, from) != i {
			break
		}
		start = from
		n++
	}
	return start, n
}
