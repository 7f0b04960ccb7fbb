package redact

import "strings"

// states are the two letters of the states of the US.
const states = " AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT " +
	"VT VA WA WV WI WY DC PR "

// signs are the letters that stand before a postcode for its country.
var signs = set("D A CH F B L")

// postcode reads what alone tells an address at the word s[i:j]: British and Canadian postcodes, "D-10115 Berlin", and a US state with its
// ZIP code after a town and a comma (the town goes with it).
func (c *scan) postcode(i, j, digits int) int {
	s := c.s
	if c.cue == cueOther || c.cue == cueVersion {
		return 0
	}
	if digits > 0 {
		if end := british(s, i, j); end > 0 {
			return end
		}
		return canadian(s, i, j)
	}
	if j-i == 2 && i > 2 && s[i-1] == ' ' && s[i-2] == ',' && strings.Contains(states, s[i:j]) {
		if end := zip(s, j); end > 0 {
			c.townBefore(i - 2)
			return end
		}
	}
	if j-i <= 2 && isUpper(s[i]) && j+6 < len(s) && s[j] == '-' && signs[s[i:j]] {
		return townAfter(s, j+1)
	}
	return 0
}

// zip reads a ZIP code after a state that ends at k.
func zip(s string, k int) int {
	if k+6 > len(s) || s[k] != ' ' {
		return 0
	}
	g := readGroups(s, k+1)
	switch {
	case g.n > 1 && g.shape(5, 4) && g.sep[1] == "-":
		return g.end(1)
	case g.n > 0 && g.len[0] == 5:
		return g.end(0)
	}
	return 0
}

// townBefore adds the capitalised words that end at k as part of an address.
func (c *scan) townBefore(k int) {
	start, _ := c.capitalsBefore(k, 3)
	if start < k {
		c.spans = append(c.spans, span{start, k, Address})
	}
}

// british reads a postcode such as SW1A 1AA.
func british(s string, i, j int) int {
	n := j - i
	if n < 2 || n > 4 || j+4 > len(s) || s[j] != ' ' || !isUpper(s[i]) {
		return 0
	}
	area := 1
	if isUpper(s[i+1]) {
		area = 2
	}
	if area == n || !isDigit(s[i+area]) || n-area > 2 {
		return 0
	}
	if b := s[j-1]; !isDigit(b) && !isUpper(b) {
		return 0
	}
	if isDigit(s[j+1]) && isUpper(s[j+2]) && isUpper(s[j+3]) && edge(s, j+4) && strings.IndexByte("CIKMOV", s[j+2]) < 0 && strings.IndexByte("CIKMOV", s[j+3]) < 0 {
		return j + 4
	}
	return 0
}

// canadian reads a postcode such as K1A 0B1.
func canadian(s string, i, j int) int {
	if j-i != 3 || j+4 > len(s) || s[j] != ' ' || !isUpper(s[i]) || !isDigit(s[i+1]) || !isUpper(s[i+2]) {
		return 0
	}
	if isDigit(s[j+1]) && isUpper(s[j+2]) && isDigit(s[j+3]) && edge(s, j+4) {
		return j + 4
	}
	return 0
}

// townAfter reads a postcode of four or five digits and a capitalised town at i ("10115 Berlin", "1012 AB Amsterdam").
func townAfter(s string, i int) int {
	k := i
	for k < len(s) && isDigit(s[k]) && k-i < 6 {
		k++
	}
	if k-i < 4 || k-i > 5 || k+1 >= len(s) || s[k] != ' ' {
		return 0
	}
	return capitals(s, k+1, 3)
}

// capitals reads up to most capitalised words at i, joined by a space or a hyphen; 0 if there is none.
func capitals(s string, i, most int) int {
	end := 0
	for range most {
		if i >= len(s) || !capitalAt(s, i) {
			break
		}
		k, digits, _ := wordEnd(s, i)
		if digits > 0 || k == i || k-i != 3 && stopWords[strings.ToLower(s[i:k])] || s[i:k] == "The" {
			break
		}
		end = k
		if k >= len(s) || s[k] != ' ' && s[k] != '-' {
			break
		}
		i = k + 1
	}
	return end
}

// more takes one more part of an address that ends at k: a flat, a town with its postcode, a state with its ZIP code. It is 0 if
// none follows.
func (c *scan) more(k int) int {
	s := c.s
	i := skip(s, k, " ,\r\n")
	if i == k || i >= len(s) {
		return 0
	}
	j, digits, letters := wordEnd(s, i)
	if s[i] == '#' {
		if j, digits, _ = wordEnd(s, i+1); digits > 0 && j-i < 7 {
			return j
		}
		return 0
	}
	if j == i {
		return 0
	}
	if letters > 1 && digits == 0 && flats[c.lower(i, j)] {
		at := skip(s, j, ". ")
		if end, digits, letters := wordEnd(s, at); end > at && end-at <= 5 && (digits > 0 || letters == 1) {
			return end
		}
	}
	comma := strings.ContainsAny(s[k:i], ",\n")
	if digits >= 4 && letters == 0 {
		if end := townAfter(s, i); end > 0 && comma {
			return end
		}
	}
	if digits > 0 {
		if end := british(s, i, j); end > 0 {
			return end
		}
		return canadian(s, i, j)
	}
	if j-i == 2 && strings.Contains(states, " "+s[i:j]+" ") {
		if end := zip(s, j); end > 0 {
			return end
		}
		if comma && edge(s, j) && (j == len(s) || s[j] != ' ') {
			return j
		}
	}
	return c.townThen(i, comma)
}

// townThen reads a town at i that a state or a postcode follows.
func (c *scan) townThen(i int, comma bool) int {
	s := c.s
	town := capitals(s, i, 3)
	if town == 0 || !comma {
		return 0
	}
	k := skip(s, town, ", ")
	if k == town || k >= len(s) {
		return 0
	}
	j, digits, _ := wordEnd(s, k)
	if j-k == 2 && strings.Contains(states, " "+s[k:j]+" ") {
		if end := zip(s, j); end > 0 {
			return end
		}
		return j
	}
	if digits > 0 {
		if end := british(s, k, j); end > 0 {
			return end
		}
		if digits == j-k && (j-k == 5 || j-k == 4) {
			return j
		}
	}
	return 0
}
