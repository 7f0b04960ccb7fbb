package importer

import (
	"strconv"
	"strings"
	"time"
)

// dateOrder is how dates of figures such as 3/4/2024 are written.
type dateOrder int

// The orders. Dates with dots (31.1.2024) are always day first, dates that begin with the year always year, month, day.
const (
	anyOrder dateOrder = iota
	dayFirst
	monthFirst
)

// dateForm says how far what was read can be relied on.
type dateForm int

const (
	certain     dateForm = iota
	assumed              // nothing told day from month: the usual order was taken
	assumedZone          // the zone was not known, UTC was taken
	otherOrder           // against the order of the file
	notADate
)

// day is a date as it is written, before the order is known.
type day struct {
	year, first, second int
	month               int       // 0 where first and second are day and month, in some order
	order               dateOrder // what the figures themselves say
}

// readDate reads a time as exports write it:
//
//	2024-01-31T09:12:00Z  2024-01-31 09:12:00 +0100  2024-01-31 09:12:00 UTC  2024/01/31  20240131  31.01.2024 09:12
//	11/May/24 3:26 PM  31-Jan-2024 09:12:00  Jan 31, 2024 9:12 AM  Wed, 31 Jan 2024 09:12:00 +0100 (CET)
//	6/21/2025 16:14  21/06/2025 16:14  45322.38 (Excel's day number)  1706692320 (Unix time, in seconds or milliseconds)
//
// A time without a zone is taken as UTC. Where day and month can be either, order tells; anyOrder makes them notADate.
func readDate(s string, order dateOrder) (time.Time, dateForm) {
	s = strings.TrimSpace(s)
	if len(s) < 5 || len(s) > 64 {
		return time.Time{}, notADate
	}
	if at, ok := numericDate(s); ok && plausible(at.Year()) {
		return at, certain
	}
	p := dateParser{s: s}
	d, ok := p.day()
	if !ok {
		return time.Time{}, notADate
	}
	clock, zone, form := p.clock()
	if form == notADate {
		return time.Time{}, notADate
	}
	month, date := d.month, d.first
	if month == 0 {
		switch {
		case d.order == anyOrder && d.first != d.second && order == anyOrder:
			return time.Time{}, notADate
		case d.order != anyOrder && order != anyOrder && d.order != order:
			return time.Time{}, otherOrder
		}
		if d.order != anyOrder {
			order = d.order
		}
		date, month = d.first, d.second
		if order == monthFirst {
			date, month = month, date
		}
	}
	at := time.Date(d.year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
	if month < 1 || month > 12 || at.Day() != date || !plausible(d.year) {
		return time.Time{}, notADate
	}
	return at.Add(clock - zone), form
}

// plausible tells whether a ticket can be of that year: what is beyond it is a number of another kind.
func plausible(year int) bool { return year >= 1970 && year <= 2199 }

// figures tells what the order of a date of figures is: an order, or anyOrder and true where it can be both.
func figures(s string) (order dateOrder, both bool) {
	p := dateParser{s: strings.TrimSpace(s)}
	d, ok := p.day()
	if !ok || d.month != 0 {
		return anyOrder, false
	}
	return d.order, d.order == anyOrder && d.first != d.second
}

// Days between Excel's day 0 (that of workbooks that count from 1900) and 1970, and the span of day numbers that are taken for dates:
// 1970 to 2119.
const (
	excelToUnix = 25569
	excelLast   = 80000
)

// numericDate reads times that are one number.
func numericDate(s string) (time.Time, bool) {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && s[i] != '.' {
			return time.Time{}, false
		}
	}
	whole, _, fraction := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	switch {
	case len(whole) == 5 && n >= excelToUnix && n < excelLast:
		days, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return time.Time{}, false
		}
		// A second has more figures than a sheet shows: to the nearest one.
		return time.Unix(int64(float64((days-excelToUnix)*86400)+0.5), 0).UTC(), true
	case len(whole) == 8 && !fraction:
		at, err := time.Parse("20060102", whole)
		return at, err == nil
	case len(whole) == 10:
		return time.Unix(n, 0).UTC(), n >= 1e9
	case len(whole) == 13 && !fraction:
		return time.UnixMilli(n).UTC(), n >= 1e12
	}
	return time.Time{}, false
}
