package html

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/tmpl"
)

// bar is a row of shares that sum to one or less.
type bar struct {
	label  string
	shares []float64
	value  string // stands at the row's end
}

// bars is a chart of stacked shares. classes are those of the segments.
type bars struct {
	title, words string
	rows         []bar
	classes      []string
}

func (c *bars) draw() tmpl.HTML {
	d := &drawer{}
	for _, r := range c.rows {
		if label := middle(r.label, labelLong); utf8.RuneCountInString(label) > labelBeside { // it has a line to itself
			d.text("name", "0", d.y+13, "start", label)
			d.y += labelHeight
		} else {
			d.text("name", "0", d.y+13, "start", label)
		}
		d.text("value", "100%", d.y+13, "end", r.value)
		d.y += lineHeight
		from := 0.0
		for i, share := range r.shares {
			if share <= 0 {
				continue
			}
			d.add(`<rect class="%s" x="%s" y="%s" width="%s" height="14"/>`, c.classes[i], percent(from), px(d.y+2), percent(share))
			if share >= 0.12 {
				d.add(`<svg x="%s" y="%s" overflow="visible"><rect class="pill" x="-17" y="3.5" width="34" height="11" rx="3"/>`, percent(from+share/2), px(d.y))
				d.text("inside", "0", 12.5, "middle", strconv.FormatFloat(100*share, 'f', 0, 64)+" %")
				d.add("</svg>")
			}
			from += share
		}
		d.add(`<rect class="outline" x="0" y="%s" width="100%%" height="14"/>`, px(d.y+2))
		d.y += trackHeight + groupGap
	}
	return d.frame(c.title, c.words)
}

func percent(share float64) string { return strconv.FormatFloat(float64(100*share), 'f', 3, 64) + "%" }

// swatch is a segment's colour and pattern, for legends.
func swatch(class string) tmpl.HTML {
	return key(fmt.Sprintf(`<rect class="%s" x="1" y="1" width="14" height="14"/><rect class="outline" x="1" y="1" width="14" height="14"/>`, class))
}
