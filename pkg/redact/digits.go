package redact

import "strings"

// A number in a text is read as groups of digits with what separates them.
type groups struct {
	n        int
	at, len  [maxGroups]int
	sep      [maxGroups]string // what stands before group i; empty for the first
	total    [maxGroups]int    // digits up to and with group i
	digits   [maxDigits]byte
	startsAt int
}

const (
	maxGroups = 8
	maxDigits = 40
)

// readGroups reads the groups that begin at i; separators are at most three of space, no-break space, hyphen, dot, slash and
// parentheses. A group that goes on in a letter is not part of it.
func readGroups(s string, i int) groups {
	g := groups{startsAt: i}
	total := 0
	for g.n < maxGroups {
		k := i
		for k < len(s) && isDigit(s[k]) && total+k-i < maxDigits {
			g.digits[total+k-i] = s[k]
			k++
		}
		if k == i || !edge(s, k) {
			break
		}
		total += k - i
		g.at[g.n], g.len[g.n], g.total[g.n] = i, k-i, total
		g.n++
		j := k
		for n := 0; n < 3 && j < len(s); n++ {
			step := 0
			if isSeparator[s[j]] {
				step = 1
			} else if strings.HasPrefix(s[j:], "\u00a0") {
				step = 2
			}
			if step == 0 {
				break
			}
			j += step
		}
		if j == k || j == len(s) || !isDigit(s[j]) || g.n == maxGroups {
			break
		}
		g.sep[g.n] = s[k:j]
		i = j
	}
	return g
}

// isSeparator tells the bytes that may stand between the groups of a number.
var isSeparator = [256]bool{' ': true, '-': true, '.': true, '/': true, '(': true, ')': true}

// end is where group k ends.
func (g *groups) end(k int) int { return g.at[k] + g.len[k] }

// text is the digits of the groups up to and with k.
func (g *groups) text(k int) string { return string(g.digits[:g.total[k]]) }

// shape tells whether the first groups have these lengths.
func (g *groups) shape(lens ...int) bool {
	if g.n < len(lens) {
		return false
	}
	for k, l := range lens {
		if g.len[k] != l {
			return false
		}
	}
	return true
}

// between tells whether what separates the groups from one to the next, up to k, is one of the separators, each time the same.
func (g *groups) between(k int, separators ...string) bool {
	for _, sep := range separators {
		same := true
		for m := 1; m <= k; m++ {
			same = same && g.sep[m] == sep
		}
		if same {
			return true
		}
	}
	return false
}

// free tells whether a number may end with group k: nothing is joined to it but what ends a sentence.
func (g *groups) free(s string, k int) bool {
	end := g.end(k)
	if !edge(s, end) {
		return false
	}
	return end+1 >= len(s) || strings.IndexByte("-./,:_@", s[end]) < 0 || !isWord[s[end+1]]
}

// number looks at a number that begins at i. It gives the end of what is to be replaced and its kind, kinds for something
// that is to be stepped over (a date), and 0 for nothing.
func (c *scan) number(i int) (int, Kind) {
	if end := c.ip4(i); end > 0 {
		return end, IP
	}
	g := readGroups(c.s, i)
	if g.n == 0 || glued(c.s, i) && i >= c.url {
		return 0, 0
	}
	if k := c.card(&g); k >= 0 {
		return g.end(k), Card
	}
	if c.url > i {
		return 0, 0
	}
	if g.date() {
		return g.end(2), kinds
	}
	if k := c.national(&g); k >= 0 {
		return g.end(k), NationalID
	}
	if k := c.account(&g); k >= 0 {
		return g.end(k), Account
	}
	if k := c.phone(&g); k >= 0 {
		return c.extension(g.end(k)), Phone
	}
	return 0, 0
}

// date tells whether the first three groups are a date in figures.
func (g *groups) date() bool {
	if g.n < 3 || !g.between(2, "-", ".", "/", ". ") || g.shape(2, 2, 2, 2, 2) && g.between(4, ".", "-") {
		return false
	}
	a, b, c := g.value(0), g.value(1), g.value(2)
	switch {
	case g.shape(4):
		return a >= 1900 && a < 2100 && b >= 1 && b <= 12 && c >= 1 && c <= 31 && g.len[1] <= 2 && g.len[2] <= 2
	case g.len[0] <= 2 && g.len[1] <= 2 && (g.len[2] == 4 && c >= 1900 && c < 2100 || g.len[2] == 2):
		return a >= 1 && b >= 1 && a <= 31 && b <= 31 && (a <= 12 || b <= 12)
	}
	return false
}

// value is the number of a group, for groups of up to nine digits.
func (g *groups) value(k int) int {
	from, n := g.total[k]-g.len[k], 0
	for _, d := range g.digits[from:min(g.total[k], from+9)] {
		n = n*10 + int(d-'0')
	}
	return n
}

// card gives the last group of a card's number, -1 if there is none: 13 to 19 digits that begin as one of the schemes' do, with a right
// check digit (ISO/IEC 7812, Luhn), in one piece or in groups. After the word card, a wrong check digit is forgiven.
func (c *scan) card(g *groups) int {
	if c.cue == cueOther && (g.n == 1 || c.named) {
		return -1
	}
	for k := min(g.n, 5) - 1; k >= 0; k-- {
		n := g.total[k]
		if n < 13 || n > 19 || !g.between(k, " ", "-", "\u00a0", ".") || !g.free(c.s, k) {
			continue
		}
		if k > 0 && (g.len[0] != 4 || k > 1 && g.len[1] != 4 && g.len[1] != 6) {
			continue
		}
		digits := g.text(k)
		if scheme(digits) && luhn(digits) || c.cue == cueCard {
			return k
		}
	}
	return -1
}

// scheme tells whether digits begin and are as long as the numbers of a payment scheme.
func scheme(d string) bool {
	two, four := int(d[0]-'0')*10+int(d[1]-'0'), 0
	for k := range 4 {
		four = four*10 + int(d[k]-'0')
	}
	switch n := len(d); {
	case d[0] == '4':
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return n == 16
	case two == 34 || two == 37:
		return n == 15
	case two == 36 || two == 38 || two == 39 || two == 30:
		return n == 14
	case four >= 3528 && four <= 3589:
		return n == 16
	case two == 60 || two == 64 || two == 65 || two == 62 || two == 50 || two >= 56 && two <= 69:
		return n >= 16
	}
	return false
}

// luhn tells whether the last digit checks the others.
func luhn(digits string) bool {
	sum := 0
	for k := range len(digits) {
		d := int(digits[len(digits)-1-k] - '0')
		if k%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && strings.Trim(digits, digits[:1]) != ""
}

// account gives the last group of a number that is called an account's, -1 if it is not.
func (c *scan) account(g *groups) int {
	if c.cue != cueAccount {
		return -1
	}
	last := -1
	for k := range g.n {
		if k > 0 && g.sep[k] != " " && g.sep[k] != "-" && g.sep[k] != "/" {
			break
		}
		if g.free(c.s, k) {
			last = k
		}
	}
	if last < 0 || g.total[last] > 24 || g.total[last] < 8 && (!c.named || g.total[last] < 4) {
		return -1
	}
	return last
}
