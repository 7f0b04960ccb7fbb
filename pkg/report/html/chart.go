package html

import (
	"cmp"
	"fmt"
	escape "html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/tmpl"
)

// Charts are drawn by this file rather than by a plot library: the ones looked at (gonum.org/v1/plot v0.17.0, 7.9 MB more in a
// program of 3.7 MB; github.com/go-analyze/charts v0.6.4, 2.8 MB more) write fixed sizes and colours into style attributes, which
// the page's policy forbids and dark mode cannot change, and no title, description or table for those who listen.
//
// Lengths across are shares of the width, so that one drawing fits 290 and 1,200 pixels with letters of one size; colours and
// fonts come from classes.

// figure is a chart with what says the same in words.
type figure struct {
	Title  string
	Legend []legend
	SVG    tmpl.HTML // escaped by the drawing
	Table  *table
	Notes  []string
}

// legend explains a mark.
type legend struct {
	Mark tmpl.HTML
	Text string
}

// mostSeries is how many agents a chart shows; tables have all of them.
const mostSeries = 8

// dot is a value with its interval.
type dot struct {
	series   int
	label    string
	estimate stats.Estimate
	floor    float64 // NaN for none
	target   float64 // NaN for none
	n        int     // how many the tables count; 0 means those of the estimate
}

// dotGroup are the values of one label, such as a difficulty.
type dotGroup struct {
	label string
	dots  []dot
}

// counts says how many values the means of a group are of.
func (g *dotGroup) counts() string {
	low, high := 0, 0
	for i, d := range g.dots {
		n := cmp.Or(d.n, d.estimate.N)
		if i == 0 {
			low = n
		}
		low, high = min(low, n), max(high, n)
	}
	switch {
	case high == 0:
		return ""
	case low == high:
		return fmt.Sprintf(", n %d", low)
	}
	return fmt.Sprintf(", n %d to %d", low, high)
}

// middle cuts a text to a number of characters by what is in its middle: names often differ at their ends.
func middle(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	end := most / 2
	return string(r[:most-1-end]) + "…" + string(r[len(r)-end:])
}

// dots is a chart of means with intervals along one axis.
type dots struct {
	title, words string // words describe the chart as a whole
	groups       []dotGroup
	low, high    float64
	series       int // how many there are: more than one have a line of text each
	zero         bool
	signed       bool
}

// drawer puts SVG together. Every text goes through esc.
type drawer struct {
	b strings.Builder
	y float64
}

func (d *drawer) add(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func esc(s string) string { return escape.EscapeString(clean(s)) }

// clean replaces what no document may hold: control characters and broken UTF-8.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// across is a share of the drawing's width; 2 % on both sides are left for marks.
func across(share float64) string {
	return strconv.FormatFloat(2+float64(96*min(max(share, 0), 1)), 'f', 2, 64) + "%"
}

// ground covers the lines of the axis where a text is to stand.
func (d *drawer) ground(height float64) {
	d.add(`<rect class="ground" x="0" y="%s" width="100%%" height="%s"/>`, px(d.y), px(height))
}

func px(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// text writes a line of text. anchor is start, middle or end.
func (d *drawer) text(class, x string, y float64, anchor, s string) {
	d.add(`<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, x, px(y), anchor, esc(s))
}

// frame puts a finished drawing into its element.
func (d *drawer) frame(title, words string) tmpl.HTML {
	head := fmt.Sprintf(`<svg class="chart" width="100%%" height="%s" role="img" aria-label="%s"><title>%s</title><desc>%s</desc>`,
		px(d.y), esc(title+". "+words), esc(title), esc(words))
	return tmpl.HTML(head + d.b.String() + "</svg>")
}

// shapes are the marks of the agents, round (0, 0): they differ without colour too.
var shapes = [mostSeries]string{
	"M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z", // disc
	"M-5 -5H5V5H-5Z",                                  // square
	"M0 -6.5L6 5H-6Z",                                 // triangle
	"M0 -7L6 0L0 7L-6 0Z",                             // diamond
	"M0 6.5L6 -5H-6Z",                                 // triangle, upside down
	"M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",              // cross
	"M-6 -3L0 -6.5L6 -3V3L0 6.5L-6 3Z",                // hexagon
	"M-6 -6L0 -2.5L6 -6L2.5 0L6 6L0 2.5L-6 6L-2.5 0Z", // star
}

// mark draws an agent's mark round a place.
func mark(series int, x string, y float64) string {
	i := series % mostSeries
	return fmt.Sprintf(`<svg x="%s" y="%s" class="over s%d" overflow="visible"><path d="%s"/></svg>`, x, px(y), i, shapes[i])
}

// key is a mark by itself, for legends.
func key(inner string) tmpl.HTML {
	return tmpl.HTML(`<svg class="key" width="16" height="16" aria-hidden="true" focusable="false">` + inner + `</svg>`)
}

func seriesKey(i int) tmpl.HTML { return key(mark(i, "8", 8)) }

const (
	floorPath  = `<path class="floor" d="M8 1V15"/>`
	targetPath = `<path class="target" d="M8 1V15"/>`
)

const (
	lineHeight  = 18
	labelHeight = 15
	trackHeight = 18
	capHeight   = 7 // an interval that is narrower than its mark shows by its ends
	groupGap    = 10
	axisHeight  = 22
	labelLong   = 44 // of a label that has a line to itself
	labelBeside = 26 // characters of a label with its n that stands beside its value
)

// draw draws the chart.
func (c *dots) draw() tmpl.HTML {
	d := &drawer{}
	at := func(v float64) float64 { return (v - c.low) / (c.high - c.low) }
	var body drawer
	for _, g := range c.groups {
		if c.series > 1 {
			body.ground(groupGap + lineHeight)
			body.y += groupGap
			body.text("group", "0", body.y+13, "start", middle(g.label, labelLong)+g.counts())
			body.y += lineHeight
		}
		for i := range g.dots {
			c.drawDot(&body, &g.dots[i], &g, at)
		}
	}
	body.y += 4
	for i := range 5 {
		v := c.low + float64((c.high-c.low)*float64(i)/4)
		class := "grid"
		if i == 0 || c.zero && i == 2 {
			class = "axis"
		}
		d.add(`<line class="%s" x1="%s" x2="%s" y1="0" y2="%s"/>`, class, across(at(v)), across(at(v)), px(body.y))
		anchor, x := "middle", across(at(v))
		switch i {
		case 0:
			anchor, x = "start", "0"
		case 4:
			anchor, x = "end", "100%"
		}
		d.text("tick", x, body.y+15, anchor, c.number(v, 2))
	}
	d.b.WriteString(body.b.String())
	d.y = body.y + axisHeight
	return d.frame(c.title, c.words)
}

func (c *dots) drawDot(d *drawer, p *dot, g *dotGroup, at func(float64) float64) {
	label, counts := p.label, ""
	if c.series <= 1 {
		label, counts = g.label, g.counts()
	}
	if utf8.RuneCountInString(label+counts) > labelBeside { // it has a line to itself
		d.ground(labelHeight)
		d.text("name", "0", d.y+13, "start", middle(label, labelLong-len(counts))+counts)
		d.y += labelHeight
		label, counts = "", ""
	}
	d.ground(lineHeight)
	if label != "" {
		d.text("name", "0", d.y+13, "start", label+counts)
	}
	d.text("value", "100%", d.y+13, "end", c.words3(p.estimate))
	d.y += lineHeight
	y := d.y + trackHeight/2
	d.add(`<line class="track" x1="%s" x2="%s" y1="%s" y2="%s"/>`, across(0), across(1), px(y), px(y))
	bound := func(class string, v float64) {
		if !math.IsNaN(v) && v >= c.low && v <= c.high {
			d.add(`<line class="%s" x1="%s" x2="%s" y1="%s" y2="%s"/>`, class, across(at(v)), across(at(v)), px(y-8), px(y+8))
		}
	}
	bound("floor", p.floor)
	bound("target", p.target)
	e := p.estimate
	if !math.IsNaN(e.Mean) {
		if e.CI95 != nil {
			low, high := across(at(e.CI95.Low)), across(at(e.CI95.High))
			d.add(`<line class="range s%d" x1="%s" x2="%s" y1="%s" y2="%s"/>`, p.series%mostSeries, low, high, px(y), px(y))
			for _, v := range []float64{e.CI95.Low, e.CI95.High} {
				if v >= c.low && v <= c.high { // an interval that goes on beyond the axis has no end here
					d.add(`<line class="end s%d" x1="%s" x2="%s" y1="%s" y2="%s"/>`, p.series%mostSeries, across(at(v)), across(at(v)), px(y-capHeight), px(y+capHeight))
				}
			}
		}
		d.b.WriteString(mark(p.series, across(at(e.Mean)), y))
	}
	d.y += trackHeight
}

// words3 renders an estimate with three decimals and its interval.
func (c *dots) words3(e stats.Estimate) string {
	if e.CI95 == nil || math.IsNaN(e.Mean) {
		return c.number(e.Mean, 3)
	}
	return fmt.Sprintf("%s [%s, %s]", c.number(e.Mean, 3), c.number(e.CI95.Low, 3), c.number(e.CI95.High, 3))
}

func (c *dots) number(v float64, places int) string {
	s := decimal(v, places)
	if c.signed && v > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// decimal renders a number for people, with a true minus sign; what is none is a dash.
func decimal(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	s := strconv.FormatFloat(v, 'f', places, 64)
	if rest, minus := strings.CutPrefix(s, "-"); minus {
		if strings.Trim(rest, "0.") == "" {
			return rest
		}
		return "−" + rest
	}
	return s
}
