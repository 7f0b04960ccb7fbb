package redact

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// mail tells where a mail address ends that begins at the word at i, 0 if none does. In URLs the sign may be written %40.
func (c *scan) mail(i int) int {
	const longest = 96
	at, size := c.nextAt(i)
	if at < 0 || at-i > longest {
		return 0
	}
	for k := i; k < at; k++ {
		if b := c.s[k]; !isWord[b] && strings.IndexByte(".+-'%", b) < 0 {
			return 0
		}
	}
	return domainEnd(c.s, at+size)
}

// nextAt finds the next @ (or %40) at i or after, and its length, looking at every byte once.
func (c *scan) nextAt(i int) (at, size int) {
	if c.at < i {
		c.at = len(c.s)
		for k := i; k < len(c.s); k++ {
			if c.s[k] == '@' || c.s[k] == '%' && strings.HasPrefix(c.s[k:], "%40") {
				c.at = k
				break
			}
		}
	}
	switch {
	case c.at == len(c.s):
		return -1, 0
	case c.s[c.at] == '@':
		return c.at, 1
	}
	return c.at, 3
}

// domainEnd tells where the domain at i ends, 0 unless it has a dot and a last part of at least two letters.
func domainEnd(s string, i int) int {
	const longest = 253
	end, label, letters := 0, i, 0
	for k := i; k <= len(s) && k-i <= longest; {
		if k == len(s) || !isWord[s[k]] && s[k] != '-' || s[k] == '_' {
			if k == label {
				break
			}
			if letters >= 2 && letters == k-label && label > i {
				end = k
			}
			if k == len(s) || s[k] != '.' {
				break
			}
			k++
			label, letters = k, 0
			continue
		}
		n := 1
		if s[k] >= utf8.RuneSelf {
			end, _, wide := wordEnd(s, k)
			if wide == 0 || end == k {
				if letters >= 2 && letters == k-label && label > i {
					return k
				}
				return 0
			}
			n = runeLen(s, k)
			letters += n
		} else if isLetter(s[k]) {
			letters++
		}
		k += n
	}
	if end > 0 && end < len(s) && (!edge(s, end) || s[end] == '-') {
		return 0
	}
	return end
}

// ip4 tells where an IPv4 address that begins at i ends, 0 if none does or if it is nobody's: a version number, a netmask,
// this machine.
func (c *scan) ip4(i int) int {
	end, parts, largest, first := i, 0, 0, 0
	for k := i; parts < 4; parts++ {
		n, from := 0, k
		for k < len(c.s) && isDigit(c.s[k]) && k-from < 4 {
			n = n*10 + int(c.s[k]-'0')
			k++
		}
		if k == from || n > 255 || k-from > 1 && c.s[from] == '0' {
			return 0
		}
		if parts == 0 {
			first = n
		}
		largest = max(largest, n)
		end = k
		if parts < 3 {
			if k == len(c.s) || c.s[k] != '.' {
				return 0
			}
			k++
		}
	}
	if !edge(c.s, end) || end+1 < len(c.s) && c.s[end] == '.' && isDigit(c.s[end+1]) || glued(c.s, i) {
		return 0
	}
	if first == 0 || first == 127 || first == 255 || c.cue == cueOther || c.cue == cueVersion {
		return 0
	}
	if largest < 20 && first != 10 && c.cue != cueIP && c.url <= i {
		return 0
	}
	return end
}

// ip6 tells where an IPv6 address that begins at i ends, 0 if none does.
func ip6(s string, i int) int {
	const longest = 45
	k, colons, groups := i, 0, 0
	for k < len(s) && k-i < longest && (s[k] == ':' || s[k] == '.' || isHex(s[k])) {
		if s[k] == ':' {
			colons++
		} else if k == i || s[k-1] == ':' {
			groups++
		}
		k++
	}
	for k > i && (s[k-1] == '.' || s[k-1] == ':' && !strings.HasSuffix(s[i:k], "::")) {
		if s[k-1] == ':' {
			colons--
		}
		k--
	}
	// C++ and Ruby names (a::b) and times (12:30:45) are no addresses.
	if colons < 2 || colons == 2 && k-i < 9 || groups < 2 || !edge(s, k) {
		return 0
	}
	a, err := netip.ParseAddr(s[i:k])
	if err != nil || !a.Is6() || a.IsLoopback() || a.IsUnspecified() {
		return 0
	}
	return k
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }

// glued tells whether what begins at i belongs to what stands before it: a dot, hyphen, slash or comma between letters or digits.
func glued(s string, i int) bool {
	return i >= 2 && strings.IndexByte("-./,:_", s[i-1]) >= 0 && (isWord[s[i-2]] || s[i-2] == ']' && placeholderEnds(s, i-1))
}

// placeholderEnds tells whether a placeholder ends at i: what stood there was a word.
func placeholderEnds(s string, i int) bool {
	const longest = 32
	from := strings.LastIndexByte(s[max(0, i-longest):i], '[')
	return from >= 0 && placeholderAt(s, max(0, i-longest)+from) == i
}
