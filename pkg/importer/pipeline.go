package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/triagebench/triage/pkg/split"
	"github.com/triagebench/triage/pkg/triage"
)

// tickEvery is after how many records progress is told and an end is looked for.
const tickEvery = 256

// datedShare is the share of tickets with a date from which on the split is by time.
const datedShare = 0.9

// Import reads the sources, decides what is a ticket, a label and shown, and writes a file of tickets: a [Header] and a [Line] a ticket.
// It works in bounded memory: per ticket it keeps some 80 bytes. Errors of input, output and options have a [triage.Code]; nothing is
// written then, nor when ctx ends.
func Import(ctx context.Context, o Options) (*Result, error) {
	p, err := newPipeline(ctx, o)
	if err != nil {
		return nil, err
	}
	p.begin = func(f Format) (err error) {
		p.labels, err = NewLabels(f, o.Labels)
		return err
	}
	p.take = p.ticket
	file, err := o.Temp()
	if err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "make a temporary file", Err: err}
	}
	p.spool = newSpool(file)
	p.keeper = newKeeper(o.Redact, p.splits, p.spool)
	err = p.read()
	if endErr := p.keeper.end(); err == nil {
		err = endErr
	}
	if err != nil {
		return nil, p.coded(err)
	}
	if err := p.finish(); err != nil {
		return nil, p.coded(err)
	}
	return &p.result, nil
}

// Draft reads the sources as [Import] does and gives a draft of a mapping file for them, in which values that fewer than least tickets
// have are merged. Of the options, those of reading and Labels count.
func Draft(ctx context.Context, o Options, least int) ([]byte, error) {
	o.Split = nil
	p, err := newPipeline(ctx, o)
	if err != nil {
		return nil, err
	}
	var s *Suggest
	p.begin = func(f Format) (err error) {
		s, err = NewSuggest(f, SuggestOptions{Labels: o.Labels, Min: least})
		return err
	}
	p.take = func(rec *Record) error {
		s.Add(rec)
		p.result.Tickets++
		return nil
	}
	if err := p.read(); err != nil {
		return nil, p.coded(err)
	}
	if p.result.Skipped = p.skips.sorted(); p.result.Tickets == 0 {
		return nil, p.coded(p.result.nothing())
	}
	return s.Draft(), nil
}

// pipeline is one import.
type pipeline struct {
	ctx     context.Context
	o       Options
	formats []Format
	from    Format // of --from
	format  Format // of the first file, or its dialect
	// begin is called once the format is known, and take with each record: it may give a [*RowError].
	begin  func(Format) error
	take   func(*Record) error
	reader Reader // of the file that is read
	labels *Labels
	spool  *spool
	keeper *keeper
	splits *split.Splitter
	bodies *bodyStore
	ids    hashSet
	skips  skips
	doubts doubts
	result Result

	meter *meter
	done  int64 // bytes of sources that are over
	size  int64 // of all, 0 where one is not known
	file  int   // how many files were begun
}

func newPipeline(ctx context.Context, o Options) (*pipeline, error) {
	p := &pipeline{ctx: ctx, o: o, formats: Formats()}
	p.o.Limits = o.Limits.orUsual()
	var err error
	if o.From != "" {
		if p.from, err = FormatNamed(o.From); err != nil {
			return nil, &triage.Error{Code: triage.CodeUsage, Message: "--from", Err: err}
		}
	}
	if s := o.Split; s != nil {
		by := split.ByTime
		if s.By != nil {
			by = *s.By
		}
		if p.splits, err = split.New(split.Options{By: by, Test: s.Test, Seed: s.Seed}); err != nil {
			return nil, &triage.Error{Code: triage.CodeUsage, Message: "split", Err: err}
		}
	}
	return p, nil
}

// coded gives an error of files its code; one that has a code, and the end of the context, stay as they are.
func (p *pipeline) coded(err error) error {
	if cause := p.ctx.Err(); cause != nil && errors.Is(err, cause) {
		return context.Cause(p.ctx)
	}
	if triage.CodeOf(err) != "" {
		return err
	}
	return &triage.Error{Code: triage.CodeFiles, Message: "import", Err: err}
}

// read goes through the bodies and the sources.
func (p *pipeline) read() error {
	all := p.o.Sources
	if p.o.Bodies != nil {
		all = slices.Concat([]Source{*p.o.Bodies}, all)
	}
	for _, s := range all {
		if s.Size <= 0 {
			p.size = 0
			break
		}
		p.size += s.Size
	}
	if p.o.Bodies != nil {
		if err := p.readBodies(); err != nil {
			return err
		}
	}
	for i := range p.o.Sources {
		if err := p.source(&p.o.Sources[i], p.part, p.o.Map); err != nil {
			return err
		}
	}
	return nil
}

// source opens a source and calls visit with each file in it.
func (p *pipeline) source(s *Source, visit func(*part) error, columns map[string]string) error {
	o, err := s.Open()
	if err != nil {
		return err
	}
	defer o.close()
	p.meter = &meter{limits: p.o.Limits, size: o.Size}
	defer func() {
		p.done += p.meter.packed()
		p.meter = &meter{}
	}()
	if o.Folder != nil {
		return visit(&part{in: &Input{Name: s.Name, Temp: p.o.Temp}, folder: o.Folder})
	}
	st := stream{name: s.Name, r: &meteredReader{o.Read, p.meter}, size: o.Size}
	if o.At != nil {
		at := &meteredAt{o.At, p.meter}
		st.at, st.r = at, io.NewSectionReader(at, 0, o.Size)
	}
	read := 0
	u := &unpacker{meter: p.meter, temp: p.o.Temp, formats: p.formats}
	u.skip = func(name, why string) { p.result.Passed = append(p.result.Passed, PassedFile{name, why}) }
	u.visit = func(pt *part) error {
		if pt.member && p.o.From == "" {
			if f, sure := detect(p.formats, pt.head, pt.in.Name); sure == 0 || f.Name != pt.want {
				u.skip(pt.in.Name, otherFormat(f, pt.want))
				return nil
			}
		}
		read++
		pt.in.Map, pt.in.Sheet = columns, p.o.Sheet
		return visit(pt)
	}
	if err := u.file(st); err != nil {
		return err
	}
	if read == 0 {
		return fmt.Errorf("%s: none of its files is of a format that is read; the first, %s: %s", s.Name,
			p.result.Passed[0].Name, p.result.Passed[0].Why)
	}
	return nil
}

// otherFormat says why a file of an archive is not read.
func otherFormat(f Format, want string) string {
	if f.Name == "" {
		return "its format was not recognised"
	}
	return fmt.Sprintf("it is %s, the other files %s", f.Name, want)
}

// open begins to read a file, in the format that was asked for or that it has.
func (p *pipeline) open(pt *part, from Format) (Format, Reader, error) {
	f := from
	var err error
	switch {
	case f.Name != "":
	case pt.folder != nil:
		if f, err = folderFormat(p.formats, pt.folder, pt.in.Name); err != nil {
			return f, nil, err
		}
	default:
		sure := 0
		if f, sure = detect(p.formats, pt.head, pt.in.Name); sure == 0 {
			return f, nil, unrecognised(pt.head, pt.in.Name)
		}
	}
	var r Reader
	switch {
	case pt.folder == nil && f.Open != nil:
		r, err = f.Open(pt.in)
	case pt.folder != nil && f.OpenFolder != nil:
		r, err = f.OpenFolder(pt.folder, pt.in.Name)
	case pt.folder != nil:
		err = fmt.Errorf("it is a folder, and %s is not read from folders: name the files", f.Name)
	default:
		err = fmt.Errorf("it is a file, and %s is a folder: name the folder", f.Name)
	}
	if err != nil {
		return f, nil, fmt.Errorf("%s: read as %s: %w", pt.in.Name, f.Name, err)
	}
	p.o.orderDates(r)
	p.o.askHeaders(r)
	if d, ok := r.(Dialected); ok {
		f = d.Dialect()
	}
	return f, r, nil
}

// tick tells progress and gives an error when the import is to end.
func (p *pipeline) tick() error {
	if p.o.Progress != nil {
		p.o.Progress(p.done+p.meter.packed(), p.size, p.result.Tickets)
	}
	return p.ctx.Err()
}

// records calls do with each record of a reader, and bad with each row that is none.
func (p *pipeline) records(r Reader, do func(*Record) error, bad func(*RowError) error) error {
	for n := 0; ; n++ {
		if n%tickEvery == 0 {
			if err := p.tick(); err != nil {
				return err
			}
		}
		rec, err := r.Next()
		var row *RowError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &row):
			err = bad(row)
		case err == nil:
			err = do(rec)
		}
		if err != nil {
			return err
		}
	}
}

// closeReader lets a reader go that holds something.
func closeReader(r Reader) {
	if c, ok := r.(io.Closer); ok {
		_ = c.Close() // opened for reading
	}
}
