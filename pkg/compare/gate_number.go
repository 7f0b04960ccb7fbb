package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// number reads the number to the end of the text.
func (p *gateParser) number(g *Gate) error {
	start := p.at
	if p.at == len(p.text) {
		return p.fail(start, "a number is missing after %s", g.Op)
	}
	sign := ""
	if strings.HasPrefix(p.text[p.at:], "-") {
		sign, p.at = "-", p.at+1
	}
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	mantissa := p.take(digit)
	some := mantissa != ""
	if strings.HasPrefix(p.text[p.at:], ".") {
		p.at++
		fraction := p.take(digit)
		some = some || fraction != ""
		mantissa += "." + fraction
	}
	if !some {
		p.at = start
		return p.fail(start, "%s is no number; allowed are such as 0.05, 5%%, .5 and 1e-3", p.rest())
	}
	exponent, err := p.exponent(start)
	if err != nil {
		return err
	}
	percent := strings.HasPrefix(p.text[p.at:], "%")
	if percent {
		p.at++
		exponent -= 2
	}
	p.space()
	if p.at < len(p.text) {
		return p.junk(start)
	}
	v, err := strconv.ParseFloat(fmt.Sprintf("%s%se%d", sign, mantissa, exponent), 64)
	if err != nil || math.IsInf(v, 0) {
		return p.fail(start, "%s is too large a number", shown(strings.TrimSpace(p.text[start:])))
	}
	g.Number = v + 0 // no negative zero
	return p.within(g, start, percent)
}

// exponent reads e and a whole number, or nothing.
func (p *gateParser) exponent(start int) (int, error) {
	if p.at == len(p.text) || p.peek() != 'e' && p.peek() != 'E' {
		return 0, nil
	}
	p.at++
	from := p.at
	if r := p.peek(); r == '-' || r == '+' {
		p.at++
	}
	p.take(func(r rune) bool { return r >= '0' && r <= '9' })
	e, err := strconv.Atoi(p.text[from:p.at])
	if err != nil || e < -400 || e > 400 {
		return 0, p.fail(start, "%s is no number; its exponent has to be within -400 and 400", shown(p.text[start:p.at]))
	}
	return e, nil
}

// within checks that the metric can have the number.
func (p *gateParser) within(g *Gate, at int, percent bool) error {
	v, text := g.Number, strings.TrimSpace(p.text[at:])
	switch {
	case g.counted() && percent:
		return p.fail(at, "%s is a share; %s is a count", text, g.Metric)
	case g.counted() && g.Metric != "cost" && v != math.Trunc(v):
		return p.fail(at, "%s is no whole number; %s is a count", text, g.Metric)
	case g.counted() && g.Change == "" && v < 0:
		return p.fail(at, "%s is below 0; %s is a count", text, g.Metric)
	case g.counted():
		return nil
	}
	low := g.least()
	if v < low || v > largest {
		hint := ""
		if known := g.likeCount(); known != "" {
			return p.fail(at, "%s is out of range for a part of that name; did you mean the count %s?", text, known)
		}
		if v > 1 && v <= 100 && !percent {
			hint = fmt.Sprintf("; did you mean %s%%?", text)
		}
		return p.fail(at, "%s is out of range; the %s is within %v and 1%s", text, g.figure(), low, hint)
	}
	if never(*g) {
		return p.fail(at, "no %s is %s %s: the gate could never pass; the %s is within %v and 1", g.figure(), g.Op, text, g.figure(), low)
	}
	return nil
}

// likeCount is the count that a metric may stand for that is no figure: flips_broken for broken.
func (g *Gate) likeCount() string {
	if g.Quoted || slices.Contains(estimated(), g.Metric) {
		return ""
	}
	for _, name := range Counts() {
		if strings.HasSuffix(name, "_"+g.Metric) || strings.HasPrefix(name, g.Metric+"_") {
			return name
		}
	}
	return ""
}

// never tells whether no figure that there can be meets a gate, but for all tickets moving from one end to the other.
func never(g Gate) bool {
	low, high := g.least(), float64(largest)
	if g.Change != "" && g.Op == "<=" && g.Number == low || g.Change != "" && g.Op == ">=" && g.Number == high {
		return true
	}
	if g.upper() {
		return !g.holds(low)
	}
	return !g.holds(high)
}

// junk says what stands after the number.
func (p *gateParser) junk(start int) error {
	hint := ""
	switch r := p.peek(); {
	case r == '%' && strings.Contains(p.text[start:p.at], "%"):
		hint = "; one % is enough"
	case r == '%':
		hint = "; write " + strings.TrimSpace(p.text[start:p.at]) + "% without a space"
	case inOperator(r) || unicode.IsLetter(r) || r == '&' || r == ',':
		hint = "; each --gate has one condition"
	}
	return p.fail(p.at, "%s after the number, where the gate should end%s", p.rest(), hint)
}
