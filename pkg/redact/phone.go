package redact

import "strings"

// phonePlus tells where a phone number that begins with the plus sign at i ends, 0 if there is none: 8 to 15 digits (E.164).
func (c *scan) phonePlus(i int) int {
	if c.url > i || i > 0 && isWord[c.s[i-1]] {
		return 0
	}
	at := i + 1
	if at < len(c.s) && c.s[at] == '(' {
		at++
	}
	if at >= len(c.s) || !isDigit(c.s[at]) || c.s[at] == '0' {
		return 0
	}
	g := readGroups(c.s, at)
	for k := g.n - 1; k >= 0; k-- {
		if g.total[k] >= 8 && g.total[k] <= 16 && g.free(c.s, k) && (k > 0 || g.total[k] >= 10 || c.cue == cuePhone) {
			return c.extension(g.end(k))
		}
	}
	return 0
}

// phoneParen tells where a phone number with its area in parentheses at i ends, 0 if there is none.
func (c *scan) phoneParen(i int) int {
	if c.url > i || i+2 >= len(c.s) || !isDigit(c.s[i+1]) || !isDigit(c.s[i+2]) || c.cue == cueOther || i > 0 && isWord[c.s[i-1]] {
		return 0
	}
	g := readGroups(c.s, i+1)
	if g.n < 2 || g.sep[1][0] != ')' {
		return 0
	}
	for k := g.n - 1; k > 0; k-- {
		n := g.total[k]
		american := g.len[0] == 3 && g.digits[0] >= '2' && n == 10
		local := g.digits[0] == '0' && g.len[0] >= 2 && n >= 7 && n <= 13
		if g.free(c.s, k) && (american || local || c.cue == cuePhone && n >= 7 && n <= 15) {
			return c.extension(g.end(k))
		}
	}
	return 0
}

// phone gives the last group of a phone number, -1 if there is none.
func (c *scan) phone(g *groups) int {
	if c.cue == cueOther || c.cue == cueVersion {
		return -1
	}
	for k := g.n - 1; k >= 0; k-- {
		if !g.free(c.s, k) || k > 0 && strings.Trim(g.sep[k], " ") == "" && len(g.sep[k]) > 1 {
			continue
		}
		if c.american(g, k) || c.abroad(g, k) || c.local(g, k) {
			return k
		}
		if n := g.total[k]; c.cue == cuePhone && n >= 7 && n <= 15 && !spelled(g, k) {
			return k
		}
	}
	return -1
}

// spelled tells whether a number looks like an amount or a time rather than a phone's.
func spelled(g *groups, k int) bool { return k > 0 && g.len[k] == 1 }

// american tells whether the groups up to k are a number of the North American plan.
func (c *scan) american(g *groups, k int) bool {
	if k == 3 && g.len[0] == 1 && g.digits[0] == '1' {
		return g.len[1] == 3 && g.len[2] == 3 && g.len[3] == 4 && g.digits[1] >= '2'
	}
	if k != 2 || !g.shape(3, 3, 4) || g.digits[0] < '2' {
		return false
	}
	if g.between(2, "-", ".") || g.sep[1] == ") " {
		return true
	}
	area := g.digits[1] != '0' || g.digits[2] != '0' || g.digits[0] == '8'
	return g.between(2, " ", "\u00a0") && area && g.digits[3] >= '2'
}

// abroad tells whether the groups up to k are a number with 00 and a country's code.
func (c *scan) abroad(g *groups, k int) bool {
	n := g.total[k]
	if g.digits[0] != '0' || g.digits[1] != '0' || g.len[0] < 4 || n < 11 || n > 16 || g.digits[2] == '0' {
		return false
	}
	if k > 0 {
		return true
	}
	return nearby[string(g.digits[2:4])]
}

// nearby are codes of countries whose numbers are often written with 00 and in one piece.
var nearby = set("31 32 33 34 39 41 43 44 45 46 47 48 49")

// local tells whether the groups up to k are a number with a leading zero, as most of the world has them: 9 to 12 digits in groups.
func (c *scan) local(g *groups, k int) bool {
	n := g.total[k]
	if k == 0 || g.digits[0] != '0' || g.digits[1] == '0' || g.len[0] < 2 || g.len[0] > 5 || n < 9 || n > 12 {
		return false
	}
	pairs := true
	for m := range k + 1 {
		pairs = pairs && g.len[m] == 2
		if m > 0 && g.len[m] == 1 {
			return false
		}
	}
	if pairs {
		return n == 10 && g.between(k, " ", ".", "-", "\u00a0") || n == 10 && c.cue == cuePhone
	}
	for m := 1; m <= k; m++ {
		if g.sep[m] == "." && c.cue != cuePhone {
			return false
		}
	}
	return true
}

// extension takes "x12" and "ext. 12" to a phone number that ends at i.
func (c *scan) extension(i int) int {
	s := c.s
	k := skip(s, i, " ,")
	for _, word := range []string{"extension", "ext.", "ext", "x"} {
		if len(s)-k > len(word) && strings.EqualFold(s[k:k+len(word)], word) {
			k = skip(s, k+len(word), " :")
			from := k
			for k < len(s) && k-from < 6 && isDigit(s[k]) {
				k++
			}
			if k > from && edge(s, k) {
				return k
			}
			return i
		}
	}
	return i
}
