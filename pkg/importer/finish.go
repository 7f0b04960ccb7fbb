package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/split"
	"github.com/triagebench/triage/pkg/triage"
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
	if p.bodies != nil {
		if err := p.bodies.strangers(p.o.Bodies.Name); err != nil {
			return err
		}
		if r.Bodies = &p.bodies.report; r.Bodies.Joined+r.Bodies.Missing == 0 && r.Tickets > 0 {
			r.Warnings = append(r.Warnings, "every ticket has a text of its own: nothing was taken from --bodies")
		}
	}
	r.Warnings = append(r.Warnings, p.noBodies()...)
	if p.labels == nil {
		return errors.New("there is no file to import")
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
	p.spool.redact = p.o.Redact
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
	r.nameGroups()
	if p.o.Redact != nil {
		r.Redacted = p.o.Redact.Table()
	}
	return err
}

// nameGroups puts the ids of tickets into the warnings of the split, which counts them by their places.
func (r *Result) nameGroups() {
	for i, g := range r.Largest {
		place := fmt.Sprintf(", the first of them ticket %d:", r.Split.Largest[i].First+1)
		for j, w := range r.Split.Warnings {
			if g.ID != "" && strings.HasPrefix(w, strconv.Itoa(g.Size)+" tickets ") {
				r.Split.Warnings[j] = strings.Replace(w, place, fmt.Sprintf(", the first of them %s:", shorten(g.ID)), 1)
			}
		}
	}
}

// noBodies warns where most tickets are a subject only.
func (p *pipeline) noBodies() []string {
	r := &p.result
	if 2*r.NoBody <= r.Tickets {
		return nil
	}
	text := fmt.Sprintf("%d of %s have no body, so that agents see the subject only: ", r.NoBody, plural(r.Tickets, "ticket"))
	if p.bodies != nil {
		return []string{text + fmt.Sprintf("%s has none for them (it has %s; the tickets have %s)", p.o.Bodies.Name, p.bodies.mine.String(), p.bodies.theirs.String())}
	}
	return []string{text + "--bodies FILE takes the texts from a second file, --map body=COLUMN from a column"}
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
	if err != nil {
		return err
	}
	return p.judge()
}

// fewTests is the share of what was asked for under which a test side is too small to be passed over.
const fewTests = 0.75

// judge refuses sides that no run could use, and says what is doubtful of the others.
func (p *pipeline) judge() error {
	r := p.result.Split
	moved := ""
	if r.Moved > 0 {
		moved = fmt.Sprintf(": %s changed side to stay with near-duplicates", plural(r.Moved, "ticket"))
	}
	other := "--split random keeps more of them for testing, "
	switch {
	case r.By == split.AtRandom && p.result.Dated == 0:
		other = ""
	case r.By == split.AtRandom:
		other = "--split time goes by their dates, "
	}
	switch {
	case r.Test > 0:
	case r.Moved == 0 && r.By != split.ByTime: // by chance, of a few tickets
		r.Warnings = append(r.Warnings, "runs need a test side: another --seed draws another one, --split none makes no sides")
	default:
		return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("split by %s: of %s none is left for testing%s; %s--split none makes no sides",
			r.By, plural(p.result.Tickets, "ticket"), moved, other)}
	}
	asked := cmp.Or(p.o.Split.Test, 0.2)
	if r.Moved > 0 && float64(r.Test) < float64(float64(asked*fewTests)*float64(p.result.Tickets)) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the test side is smaller than asked%s; %s--split none makes no sides", moved, other))
	}
	r.Warnings = append(r.Warnings, p.keeper.labels.doubts(func(i int) bool { return r.Side(i) == split.Test })...)
	return nil
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
