package importer

import (
	"strings"
	"time"
)

// clock reads the time of day and the zone; both are 0 where there is none. Form is notADate where something else follows.
func (p *dateParser) clock() (clock, zone time.Duration, form dateForm) {
	if p.i < len(p.s) && strings.IndexByte("Tt ,", p.s[p.i]) < 0 {
		return 0, 0, notADate
	}
	if p.skip(", "); !p.take('T') && p.i < len(p.s) {
		p.take('t')
	}
	hour, digits := p.number()
	if digits == 0 {
		return 0, 0, p.atEnd()
	}
	minute, second := 0, 0
	var fraction time.Duration
	switch {
	case p.take(':'):
		minute, _ = p.number()
		if p.take(':') {
			second, _ = p.number()
			fraction = p.fraction()
		}
	case digits == 4: // 0912
		hour, minute = hour/100, hour%100
	case !p.meridiemNext():
		return 0, 0, notADate
	}
	hour, ok := p.meridiem(hour)
	if !ok || hour > 23 || minute > 59 || second > 60 {
		return 0, 0, notADate
	}
	clock = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second + fraction
	zone, form = p.zone()
	return clock, zone, form
}

func (p *dateParser) atEnd() dateForm {
	if p.skip(" "); p.i == len(p.s) {
		return certain
	}
	return notADate
}

// fraction reads parts of a second, to the nanosecond.
func (p *dateParser) fraction() time.Duration {
	if !p.take('.') && !p.take(',') {
		return 0
	}
	n, digits := p.number()
	for ; digits < 9; digits++ {
		n *= 10
	}
	p.skip("0123456789")
	return time.Duration(n)
}

func (p *dateParser) meridiemNext() bool {
	rest := strings.ToLower(strings.TrimLeft(p.s[p.i:], " "))
	return strings.HasPrefix(rest, "am") || strings.HasPrefix(rest, "pm")
}

// meridiem applies AM or PM to an hour, if one comes next.
func (p *dateParser) meridiem(hour int) (int, bool) {
	p.i += len(p.s[p.i:]) - len(strings.TrimLeft(p.s[p.i:], " \u00a0\u202f"))
	start := p.i
	half := p.word()
	if half == "a" || half == "p" { // a.m.
		p.skip(" ")
		half += p.word()
	}
	switch half {
	case "am":
		return hour % 12, hour >= 1 && hour <= 12
	case "pm":
		return hour%12 + 12, hour >= 1 && hour <= 12
	}
	p.i = start
	return hour, true
}

// zone reads a zone to the end of the text.
func (p *dateParser) zone() (time.Duration, dateForm) {
	p.skip(" ")
	if i := strings.IndexByte(p.s[p.i:], '('); i > 0 { // +0100 (CET)
		p.s = p.s[:p.i+i]
	}
	if rest := p.s[p.i:]; rest == "" || rest == "Z" {
		return 0, certain
	}
	sign := p.s[p.i]
	if sign != '+' && sign != '-' {
		name := p.word()
		hours, known := zones[name]
		if p.skip(" "); p.i == len(p.s) {
			if !known && name != "" {
				return 0, assumedZone
			}
			return time.Duration(hours) * time.Hour, certain
		}
		if sign = p.s[p.i]; hours != 0 || !known || sign != '+' && sign != '-' { // GMT+01:00
			return 0, notADate
		}
	}
	p.i++
	hours, digits := p.number()
	minutes := 0
	switch {
	case p.take(':'):
		minutes, _ = p.number()
	case digits > 2:
		hours, minutes = hours/100, hours%100
	}
	if hours > 15 || minutes > 59 || digits == 0 || p.atEnd() == notADate {
		return 0, notADate
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if sign == '-' {
		offset = -offset
	}
	return offset, certain
}
