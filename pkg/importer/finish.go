package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/triagebench/triage/pkg/split"
)

// finish decides the sides and writes the file.
func (p *pipeline) finish() error {
	r := &p.result
	if k := p.keeper; k.long > 0 {
		row := &RowError{Line: k.first, Reason: errLongLine.Error()}
		if err := p.strict("a ticket", row); err != nil {
			return err
		}
		p.skips.add("", row)
		p.skips.all[len(p.skips.all)-1].Count = k.long
		r.Tickets -= k.long
		r.Dated -= k.dated
	}
	p.ids = hashSet{} // the split needs the room
	r.Skipped = p.skips.sorted()
	r.Warnings = p.doubts.texts()
	if 2*r.NoBody > r.Tickets {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %s have no body, so that agents see the subject only: --bodies FILE takes the texts from a second file, --map body=COLUMN from a column",
			r.NoBody, plural(r.Tickets, "ticket")))
	}
	if p.bodies != nil {
		r.Bodies = &p.bodies.report
	}
	if p.labels == nil {
		return errors.New("there is no file to import")
	}
	if p.o.Redact != nil {
		r.Redacted = p.o.Redact.Table()
	}
	if err := p.labels.Check(); err != nil {
		return err
	}
	r.Labels = p.labels.Report()
	if r.Tickets == 0 {
		return r.nothing()
	}
	var side func(i int) string
	if p.splits != nil {
		if err := p.side(); err != nil {
			return err
		}
		side = func(i int) string { return r.Split.Side(i).String() }
	}
	if r.Split != nil {
		p.spool.watch(r.Split.Largest)
	}
	header, err := p.header()
	if err != nil {
		return err
	}
	err = p.o.Write(func(w io.Writer) error {
		if _, err := w.Write(header); err != nil {
			return err
		}
		return p.spool.copy(w, side, p.tick)
	})
	r.Largest = p.spool.watched
	return err
}

// side splits, by the rule that was asked for or the one that fits.
func (p *pipeline) side() error {
	r := &p.result
	if p.o.Split.By == nil {
		by := split.AtRandom
		if float64(r.Dated) >= float64(datedShare*float64(r.Tickets)) {
			by = split.ByTime
		}
		r.SplitWhy = fmt.Sprintf("%d of %d tickets have a date", r.Dated, r.Tickets)
		if err := p.splits.Use(by); err != nil {
			return err
		}
	}
	var err error
	r.Split, err = p.splits.Split()
	if errors.Is(err, split.ErrNoTime) && p.o.Split.By == nil {
		r.SplitWhy = "the tickets do not have two different dates"
		if err := p.splits.Use(split.AtRandom); err != nil {
			return err
		}
		r.Split, err = p.splits.Split()
	}
	return err
}

// header is the first line of the file.
func (p *pipeline) header() ([]byte, error) {
	h := Header{Schema: SchemaTickets, Source: p.format.Name, Labels: p.labels.Scales(), Redacted: p.o.Redact != nil}
	if p.result.Split != nil {
		h.Split = p.result.Split.By.String()
	}
	line, err := json.Marshal(h)
	return append(line, '\n'), err
}
