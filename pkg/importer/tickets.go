package importer

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Reasons for which the pipeline itself skips a record.
const (
	reasonNoText = "no text"
	reasonTwice  = "an id that was there before"
)

// readBodies reads the second file.
func (p *pipeline) readBodies() error {
	file, err := p.o.Temp()
	if err != nil {
		return fmt.Errorf("make a temporary file: %w", err)
	}
	p.bodies = newBodyStore(file)
	report := &p.bodies.report
	err = p.source(p.o.Bodies, func(pt *part) error {
		_, r, err := p.open(pt, Format{})
		if err != nil {
			return err
		}
		defer closeReader(r)
		err = p.records(r, func(rec *Record) error {
			report.Rows++
			id := bodyID(rec.ID)
			if id == "" || strings.TrimSpace(rec.Body) == "" {
				report.Unused++
				return nil
			}
			p.bodies.mine.add(id, r)
			return p.bodies.add(id, rec.Body)
		}, func(row *RowError) error {
			report.Rows++
			report.Unused++
			return p.strict(pt.in.Name, row)
		})
		if err != nil {
			return named(pt.in.Name, err)
		}
		return nil
	}, p.o.BodiesMap)
	if err != nil {
		return fmt.Errorf("--bodies: %w", err)
	}
	if report.Rows == report.Unused {
		return fmt.Errorf("--bodies: %s has no row with an id and a text (%s): say with --bodies-map which columns they are, as in id=ticket_id,body=comment",
			p.o.Bodies.Name, plural(report.Rows, "row"))
	}
	return p.bodies.ready()
}

// named puts a file's name before an error, unless it stands there already.
func named(name string, err error) error {
	if strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// strict makes a bad row an error where that is wanted.
func (p *pipeline) strict(name string, row *RowError) error {
	if p.o.Strict && !row.NoTicket {
		return fmt.Errorf("%s: %w (--strict)", name, row)
	}
	return nil
}

// part imports one file.
func (p *pipeline) part(pt *part) error {
	f, r, err := p.open(pt, p.from)
	if err != nil {
		return err
	}
	defer closeReader(r)
	p.reader = r
	switch {
	case p.file == 0:
		p.format, p.result.Format, p.result.Title = f, f.Name, f.Title
		if err := p.begin(f); err != nil {
			return err
		}
	case f.Name != p.format.Name:
		return fmt.Errorf("%s is %s, what was read before it is %s: import them one after the other, or say --from", pt.in.Name, f.Name, p.format.Name)
	}
	p.file++
	p.result.Files++
	bad := func(row *RowError) error {
		p.result.Rows++
		p.skips.add(pt.in.Name, row)
		return p.strict(pt.in.Name, row)
	}
	places := p.places(pt)
	do := func(rec *Record) error {
		rec.Fields = append(rec.Fields, places...)
		err := p.take(rec)
		var row *RowError
		if errors.As(err, &row) {
			return bad(row)
		}
		p.result.Rows++
		return err
	}
	if err := p.records(r, do, bad); err != nil {
		return named(pt.in.Name, err)
	}
	if w, ok := r.(Warner); ok {
		for _, one := range w.Warnings() {
			p.doubts.add(one)
		}
	}
	return nil
}

// Columns that stand for where a ticket lies, for mail that is kept in a file or folder a queue.
const (
	fileColumn   = "@file"   // the file's name without its ending, or the Maildir's
	folderColumn = "@folder" // the name of the folder in which the file lies
)

// places gives the columns @file and @folder of a file, as far as labels are read from them.
func (p *pipeline) places(pt *part) []Field {
	name := path.Clean(filepath.ToSlash(pt.in.Name))
	base := strings.TrimLeft(path.Base(name), ".") // folders of a Maildir begin with a dot
	if pt.folder == nil {
		base = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), path.Ext(strings.TrimSuffix(base, ".gz")))
	}
	asked := p.o.Labels.asked()
	var out []Field
	for _, f := range []Field{{fileColumn, base}, {folderColumn, path.Base(path.Dir(name))}} {
		if slices.Contains(asked, f.Name) {
			out = append(out, f)
		}
	}
	return out
}

// asked gives the columns that labels are to be read from, in no order.
func (o *LabelOptions) asked() []string {
	out := slices.Collect(maps.Values(o.Labels))
	if o.Mapping != nil {
		for _, l := range o.Mapping.Labels {
			out = append(out, l.Column)
		}
	}
	return out
}

// ticket makes a ticket of a record and hands it on, or gives a [*RowError].
func (p *pipeline) ticket(rec *Record) error {
	id := strings.TrimSpace(rec.ID)
	if id != "" && !p.ids.add(id) {
		return &RowError{Line: rec.Line, Reason: reasonTwice, Detail: strconv.Quote(shorten(id))}
	}
	if p.bodies != nil {
		if err := p.bodies.join(rec, p.reader); err != nil {
			return err
		}
	}
	if strings.TrimSpace(rec.Subject) == "" && strings.TrimSpace(rec.Body) == "" {
		return &RowError{Line: rec.Line, Reason: reasonNoText}
	}
	labels, fields, bad := p.labels.Apply(rec)
	if bad != nil {
		return bad
	}
	t := p.keeper.next()
	t.line = Line{ID: id, Subject: rec.Subject, Body: rec.Body, Created: createdText(rec.Created), Labels: labels, Fields: fields}
	t.customer, t.created, t.row = rec.Customer, rec.Created, rec.Line
	if id == "" {
		t.line.ID = p.rowID(rec.Line)
		p.result.NoID++
	}
	if !rec.Created.IsZero() {
		p.result.Dated++
	}
	if p.o.Redact != nil {
		t.known = p.labels.people(rec, append(t.known, rec.Customer))
	}
	if strings.TrimSpace(rec.Body) == "" {
		p.result.NoBody++
	}
	p.result.Tickets++
	return p.keeper.keep()
}

// rowID names a ticket without an id by its row, and by its file where there are several.
func (p *pipeline) rowID(line int) string {
	id := "row-" + strconv.Itoa(line)
	if p.file > 1 {
		id = "file-" + strconv.Itoa(p.file) + "-" + id
	}
	return id
}

// people appends what the columns of people say of a record.
func (l *Labels) people(rec *Record, to []string) []string {
	for i := range rec.Fields {
		f := &rec.Fields[i]
		if c, ok := l.columns[f.Name]; ok && c.Role == Person && f.Value != "" {
			to = append(to, f.Value)
		}
	}
	return to
}
