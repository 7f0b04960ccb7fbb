package redact

import (
	"strings"
	"unicode/utf8"
)

// lines looks for names where a line's place tells of one: after a greeting, after a closing, after "From:" and its like.
func (c *scan) lines() {
	s := c.s
	closing := 0 // how many more lines may be the name under a closing
	listed := false
	for i := 0; i < len(s); {
		end := len(s)
		if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
			end = i + k
		}
		from := i
		for n := 0; n < 8 && from < end && strings.IndexByte(" \t>\r*_", s[from]) >= 0; n++ {
			from++
		}
		i = end + 1
		if from == end {
			continue
		}
		inList := listed
		listed = s[from] == '-' && from+1 < end && s[from+1] == ' '
		if closing > 0 {
			closing--
			if placeholderAt(s, from) > 0 { // it was signed before it was redacted
				closing = 0
				continue
			}
			if c.signed(from, end, true) {
				closing = 0
				continue
			}
		}
		switch after := phrase(s, from, end, closingPhrases); {
		case after > 0 && c.closed(after, end):
			closing = 2
		case strings.HasPrefix(s[from:end], "--") && strings.Trim(s[from:end], "-_ \r") == "":
			closing = 1
		case strings.IndexByte("-~", s[from]) >= 0 || strings.HasPrefix(s[from:end], "—") || strings.HasPrefix(s[from:end], "–"):
			// "- Anna" is a signature where nothing follows.
			if rest := strings.TrimSpace(s[end:min(len(s), end+8)]); rest == "" && end+8 >= len(s) && (!listed || !inList) {
				k := from + runeLen(s, from)
				c.signed(skip(s, k, "- "), end, false)
			}
		case c.greeting(from, end):
		case c.labelled(from, end):
		case c.alone(from, end):
		}
	}
	c.signature()
}

// phrase tells where the longest phrase of the set that begins the line s[i:end] ends, 0 if none does; phrases are of at most four words,
// without regard to case.
func phrase(s string, i, end int, set map[string]bool) int {
	var text [64]byte
	out := text[:0]
	best := 0
	for range 4 {
		k, _, letters := wordEnd(s[:end], i)
		if letters == 0 || k-i > 24 {
			break
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, s[i:k]...)
		if len(out) > 56 {
			break
		}
		if set[strings.ToLower(string(out))] {
			best = k
		}
		if k >= end || s[k] != ' ' {
			break
		}
		i = k + 1
	}
	return best
}

// greeting takes the names after a greeting: "Hi Anna,", "Dear Mr. Weber", "Hello Anna and Tom".
func (c *scan) greeting(i, end int) bool {
	s := c.s[:end]
	after := phrase(s, i, end, greetings)
	if after == 0 {
		return false
	}
	k := skip(s, after, " ,\t")
	for range 3 {
		k = afterTitles(s, k)
		to := c.greetedName(k, end)
		if to == 0 {
			break
		}
		c.addName(k, to)
		next := skip(s, to, " ,")
		joined := false
		for _, and := range []string{"and ", "und ", "& ", "et ", "y ", "/"} {
			if strings.HasPrefix(s[next:], and) {
				next, joined = next+len(and), true
				break
			}
		}
		if !joined {
			break
		}
		k = next
	}
	return true
}

// greetedName reads one name of a greeting at k; 0 if there is none.
func (c *scan) greetedName(k, end int) int {
	s := c.s[:end]
	if p := c.knownFirst(k); p > 0 && p <= end {
		return p
	}
	to, n := name(s, k, 3)
	if n > 0 {
		if closedBy(s, to) || n > 1 && strings.HasPrefix(s[to:], " - ") {
			return to
		}
		// "Hi Anna I cannot": the name is one word, and a new sentence begins.
		first := part(s, k)
		rest := skip(s, first, " ")
		word, _, _ := wordEnd(s, rest)
		if rest > first && begins[strings.ToLower(s[rest:word])] {
			return first
		}
		if rest = skip(s, to, " "); rest > to {
			if word, _, _ = wordEnd(s, rest); begins[strings.ToLower(s[rest:word])] {
				return to
			}
		}
		return 0
	}
	// "hi anna," in small letters: only before a comma or the end of the line.
	to, digits, letters := wordEnd(s, k)
	if digits == 0 && letters > 1 && letters < 16 && closedBy(s, to) && !stopWords[strings.ToLower(s[k:to])] && strings.IndexByte(s[k:to], '_') < 0 {
		return to
	}
	return 0
}

// closedBy tells whether a name in a greeting ends at k.
func closedBy(s string, k int) bool {
	k = skip(s, k, " \r")
	return k >= len(s) || strings.IndexByte(",!.:;)/&-", s[k]) >= 0 || strings.HasPrefix(s[k:], "and ") || strings.HasPrefix(s[k:], "und ") ||
		strings.HasPrefix(s[k:], "–") || strings.HasPrefix(s[k:], "—") || strings.HasPrefix(s[k:], "et ") || strings.HasPrefix(s[k:], "，")
}

// closed looks at what follows a closing on its line: nothing (then the name may be under it), or a name.
func (c *scan) closed(after, end int) bool {
	s := c.s[:end]
	k := skip(s, after, " ,.!-\t\r")
	if k >= end {
		return true
	}
	if s[k] >= utf8.RuneSelf && !capitalAt(s, k) { // a dash, an emoji
		k = skip(s, k+runeLen(s, k), " ")
	}
	c.signed(k, end, false)
	return false
}

// closedInLine takes the name after a closing at the end of a line: "Please help. Thanks, Anna".
func (c *scan) closedInLine(j int) {
	s := c.s
	k := skip(s, j, " ,.!-")
	if k == j || k >= len(s) || !capitalAt(s, k) {
		return
	}
	end := len(s)
	if stop := strings.IndexByte(s[k:min(len(s), k+80)], '\n'); stop >= 0 {
		end = k + stop
	} else if end-k > 80 {
		return
	}
	c.signed(k, end, false)
}

// signed takes the line s[i:end] for a signature's: a name, and then nothing, or what people put after theirs. Small letters
// will do for one word under a closing.
func (c *scan) signed(i, end int, under bool) bool {
	s := c.s[:end]
	i = afterTitles(s, i)
	if p := c.knownFirst(i); p > 0 && endsName(s, p) {
		c.addName(i, p)
		return true
	}
	to, n := name(s, i, 4)
	if n == 0 {
		var digits, letters int
		to, digits, letters = wordEnd(s, i)
		if !under || digits > 0 || letters < 2 || letters > 15 || strings.Trim(s[to:], " .,!\r") != "" || stopWords[strings.ToLower(s[i:to])] || strings.IndexByte(s[i:to], '_') >= 0 {
			return false
		}
	} else if !endsName(s, to) {
		return false
	}
	c.addName(i, to)
	return true
}

// endsName tells whether a signature's name ends at k.
func endsName(s string, k int) bool {
	rest := strings.TrimRight(s[min(k, len(s)):min(len(s), k+24)], " \r.!")
	if rest == "" {
		return true
	}
	for _, sign := range []string{",", "|", "/", "(", "\t", "  ", " |", " (", " -", " –", " —", " <", ";", " /"} {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return false
}

// labelled takes the name after "From:", "Name:" and their like at the beginning of a line.
func (c *scan) labelled(i, end int) bool {
	s := c.s[:end]
	after := phrase(s, i, end, labels)
	if after == 0 || after >= end || s[after] != ':' {
		return false
	}
	k := afterTitles(s, skip(s, after+1, " \t\"*"))
	to, n := name(s, k, 4)
	if n == 0 {
		return true
	}
	if strings.HasPrefix(s[to:], ", ") { // Weber, Anna
		if more, m := name(s, to+2, 2); m > 0 && n == 1 && endsLabel(s, more) {
			to = more
		}
	}
	if endsLabel(s, to) {
		c.addName(k, to)
	}
	return true
}

func endsLabel(s string, k int) bool {
	k = skip(s, k, " \"\r\t")
	return k >= len(s) || strings.IndexByte("<,;(/|[.", s[k]) >= 0 && placeholderAt(s, k) == 0
}

// alone takes a line that is nothing but a known first name.
func (c *scan) alone(i, end int) bool {
	p := c.knownFirst(i)
	if p == 0 || strings.Trim(c.s[p:max(p, end)], " .,!\r") != "" {
		return false
	}
	c.addName(i, p)
	return true
}

// afterTitles skips "Mr.", "Frau Dr." and their like.
func afterTitles(s string, i int) int {
	for range 3 {
		k, _, letters := wordEnd(s, i)
		if letters == 0 || k-i > maxWord || !titles[strings.ToLower(s[i:k])] {
			break
		}
		next := skip(s, k, ". ")
		if next == k || next >= len(s) {
			break
		}
		i = next
	}
	return i
}
