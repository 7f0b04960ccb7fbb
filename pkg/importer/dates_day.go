package importer

import (
	"strings"
	"unicode"
)

// dateParser reads a date and a time from left to right.
type dateParser struct {
	s string
	i int
}

// number reads the digits that come next.
func (p *dateParser) number() (n, digits int) {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' && p.i-start < 9 {
		n = n*10 + int(p.s[p.i]-'0')
		p.i++
	}
	return n, p.i - start
}

// word reads the letters that come next, and a dot after them.
func (p *dateParser) word() string {
	rest := p.s[p.i:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if n < 0 {
		n = len(rest)
	}
	p.i += n
	if n > 0 {
		p.take('.')
	}
	return strings.ToLower(rest[:n])
}

// take takes one byte, if it comes next.
func (p *dateParser) take(b byte) bool {
	if p.i < len(p.s) && p.s[p.i] == b {
		p.i++
		return true
	}
	return false
}

// skip skips any of the bytes in set.
func (p *dateParser) skip(set string) {
	for p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
		p.i++
	}
}

// separator takes what stands between the parts of a date; 0 if nothing does.
func (p *dateParser) separator() byte {
	start := p.i
	p.skip("/-.,   ")
	for _, b := range []byte("/-.") {
		if strings.IndexByte(p.s[start:p.i], b) >= 0 {
			return b
		}
	}
	if p.i > start {
		return ' '
	}
	return 0
}

// day reads the date.
func (p *dateParser) day() (day, bool) {
	n, digits := p.number()
	switch {
	case digits == 4:
		return p.yearFirst(n)
	case digits == 1 || digits == 2:
		return p.yearLast(n)
	case digits > 0:
		return day{}, false
	}
	name := p.word()
	if weekdays[short(name)] && months[short(name)] == 0 {
		p.skip(", ")
		if n, digits = p.number(); digits == 1 || digits == 2 {
			return p.yearLast(n)
		}
		name = p.word()
	}
	month := months[short(name)]
	p.skip(" ")
	date, digits := p.number()
	if month == 0 || digits == 0 || digits > 2 {
		return day{}, false
	}
	p.skip(", ")
	year, ok := p.year()
	return day{year: year, first: date, month: month}, ok
}

func (p *dateParser) yearFirst(year int) (day, bool) {
	sep := p.separator()
	d := day{year: year}
	digits := 0
	if d.month, digits = p.number(); digits == 0 {
		d.month = months[short(p.word())]
	}
	if d.month == 0 || sep == 0 || p.separator() != sep {
		return day{}, false
	}
	d.first, digits = p.number()
	return d, digits == 1 || digits == 2
}

func (p *dateParser) yearLast(first int) (day, bool) {
	sep := p.separator()
	d := day{first: first}
	second, digits := p.number()
	if digits == 0 {
		if d.month = months[short(p.word())]; d.month == 0 {
			return day{}, false
		}
	}
	if sep == 0 || digits > 2 || d.month == 0 && p.i < len(p.s) && p.s[p.i] != sep {
		return day{}, false
	}
	p.separator()
	var ok bool
	if d.year, ok = p.year(); !ok || d.month != 0 {
		return d, ok
	}
	d.second = second
	switch {
	case sep == '.' || first > 12 && second <= 12:
		d.order = dayFirst
	case second > 12 && first <= 12:
		d.order = monthFirst
	case first > 12:
		return day{}, false
	}
	if sep == '.' { // 31.1.2024 is so everywhere and says nothing of dates with slashes
		d.month, d.order = second, anyOrder
	}
	return d, true
}

// year reads a year of two or four digits.
func (p *dateParser) year() (int, bool) {
	n, digits := p.number()
	switch {
	case digits == 4:
		return n, true
	case digits == 2 && n < 70:
		return 2000 + n, true
	case digits == 2:
		return 1900 + n, true
	}
	return 0, false
}
