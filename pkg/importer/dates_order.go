package importer

import (
	"strings"
	"time"
)

// dates reads the dates of one file, all in one order of day and month. The order is that of the first date that shows it (a part over
// 12); until one does, dates that can be both are read in the usual order and are assumed.
type dates struct {
	usual dateOrder // anyOrder is month first
	order dateOrder
	both  bool // there were dates that can be both
}

// observe looks at a date for its order without reading it.
func (d *dates) observe(s string) {
	if d.order != anyOrder || len(s) < 6 || !strings.ContainsAny(s, "/-") {
		return
	}
	order, both := figures(s)
	d.order = order
	d.both = d.both || both
}

// settled tells that looking at more dates is of no use: the order is known, or no date so far depended on it.
func (d *dates) settled() bool { return d.order != anyOrder || !d.both }

// read reads a date.
func (d *dates) read(s string) (time.Time, dateForm) {
	if d.order == anyOrder {
		d.observe(s)
	}
	order := d.order
	if order == anyOrder {
		order = d.fallback()
	}
	at, form := readDate(s, order)
	if form == certain && d.order == anyOrder {
		if _, both := figures(s); both {
			form = assumed
		}
	}
	return at, form
}

// Orders of day and month in dates, as [Options.Dates] names them.
const (
	DayFirst   = "day-first"
	MonthFirst = "month-first"
)

// dated is a reader that can be told the order of day and month.
type dated interface{ orderDates(o dateOrder) }

var (
	_ dated = (*csvReader)(nil)
	_ dated = (*xlsxReader)(nil)
	_ dated = (*jsonReader)(nil)
)

func (r *csvReader) orderDates(o dateOrder)  { r.table.dates.order = o }
func (r *xlsxReader) orderDates(o dateOrder) { r.table.dates.order = o }
func (r *jsonReader) orderDates(o dateOrder) { r.dates.dates.order = o }

// orderDates tells a reader the order that a user wants.
func (o *Options) orderDates(r Reader) {
	d, ok := r.(dated)
	switch {
	case !ok:
	case o.Dates == DayFirst:
		d.orderDates(dayFirst)
	case o.Dates == MonthFirst:
		d.orderDates(monthFirst)
	}
}

func (d *dates) fallback() dateOrder {
	if d.usual == anyOrder {
		return monthFirst
	}
	return d.usual
}

// now says in words how dates that can be both are read.
func (d *dates) now() string {
	order := d.order
	if order == anyOrder {
		order = d.fallback()
	}
	if order == dayFirst {
		return "day/month/year"
	}
	return "month/day/year"
}

// dateNames are words in the names of columns that have dates.
var dateNames = []string{"date", "time", "created", "updated", "opened", "closed", "resolved", "solved", "due", "viewed"}

// isDate tells whether a column has dates, by its name.
func isDate(name string) bool {
	name = fold(name)
	for _, word := range dateNames {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
