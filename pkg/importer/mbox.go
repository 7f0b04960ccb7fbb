package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// mbox reads a box of mails in one file: mboxo, mboxrd (Gmail's Takeout, Thunderbird). The first mail of each thread is a ticket, also
// where the box begins with the newest: the ids of all mails are read first.
func mbox() Format {
	return Format{
		Name: "mbox", Title: "mbox", Column: mailColumn, Open: openMbox,
		Detect: func(head []byte, _ string) int {
			head = bytes.TrimPrefix(head, []byte("\ufeff"))
			line, rest, _ := bytes.Cut(head, []byte("\n"))
			if !bytes.HasPrefix(line, []byte("From ")) {
				return 0
			}
			if mboxFrom.Match(line) || mailHead(rest) {
				return 95
			}
			return 0
		},
	}
}

// mboxFrom is the line that begins a mail: an address, a date with a time, and a year. A sentence that begins with "From " is none.
var mboxFrom = lazyregexp.New(`^From \S.*\d{1,2}:\d{2}.*\b\d{4}\b`)

func openMbox(in *Input) (Reader, error) {
	r := &mboxReader{folder: mboxFolder(in.Name), name: in.Name, known: mailIDs{}}
	at, size := in.At, in.Size
	if at == nil && in.Temp != nil {
		file, err := in.Temp()
		if err != nil {
			return nil, fmt.Errorf("keeping %s: %w", in.Name, err)
		}
		if size, err = io.Copy(file, in.Read); err != nil {
			return nil, fmt.Errorf("keeping %s: %w", in.Name, err)
		}
		at = file
		in = &Input{Name: in.Name, Read: io.NewSectionReader(file, 0, size)}
	}
	// Where the file can be read but once, replies are known only if what they answer stands before them.
	if r.early = at != nil; r.early {
		heads := newMboxSplitter(io.NewSectionReader(at, 0, size), maxHeader)
		for {
			data, _, err := heads.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", in.Name, err)
			}
			h, _ := cutHeader(data)
			r.known.add(mailID(h))
		}
	}
	r.mails = newMboxSplitter(in.Read, maxMail)
	return r, nil
}

// mboxFolder is what a mbox is called: programs name it after the folder that it was.
func mboxFolder(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "-" || name == "." {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".mbox")
}

// mboxReader gives the records of a mbox.
type mboxReader struct {
	ownHeaders
	mails        *mboxSplitter
	known        mailIDs
	early        bool // known is complete
	name, folder string
}

// Next gives the next ticket.
func (r *mboxReader) Next() (*Record, error) {
	data, line, err := r.mails.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("reading %s after line %d: %w", r.name, r.mails.line, err)
	}
	rec, problem := mailRecord(line, data, r.known, r.names...)
	if !r.early {
		h, _ := cutHeader(data)
		r.known.add(mailID(h))
	}
	if problem != nil {
		return nil, problem
	}
	if rec.Created.IsZero() {
		rec.Created = fromDate(r.mails.first)
	}
	rec.Fields = append(rec.Fields, Field{"folder", r.folder})
	return rec, nil
}

// mboxSplitter cuts a mbox into mails.
type mboxSplitter struct {
	in    *bufio.Reader
	keep  int    // bytes of each mail that are kept
	line  int    // lines read so far
	from  []byte // the line that begins the next mail
	at    int    // its number
	first []byte // the line that began the last one
	err   error
	begun bool
	data  []byte
}

func newMboxSplitter(r io.Reader, keep int) *mboxSplitter {
	return &mboxSplitter{in: bufio.NewReaderSize(r, 64<<10), keep: keep}
}

// next gives the next mail (valid until the next call) and the line on which it begins.
func (s *mboxSplitter) next() (data []byte, line int, err error) {
	if !s.begun {
		s.begin()
	}
	if s.from == nil {
		return nil, 0, s.err
	}
	line, s.first = s.at, s.from
	s.from, s.data = nil, s.data[:0]
	blank := false
	for s.from == nil && s.err == nil {
		piece, whole := s.read()
		switch {
		case blank && mboxFrom.Match(piece):
			s.from, s.at = bytes.Clone(piece), s.line
		case len(s.data)+len(piece) <= s.keep:
			// Lines that would begin a mail were written with one ">" more.
			if marks := bytes.TrimLeft(piece, ">"); len(marks) < len(piece) && bytes.HasPrefix(marks, []byte("From ")) {
				piece = piece[1:]
			}
			s.data = append(s.data, piece...)
		default:
			s.data = append(s.data, piece[:s.keep-len(s.data)]...)
		}
		blank = len(bytes.TrimRight(piece, "\r\n")) == 0
		for !whole && s.err == nil {
			piece, whole = s.more()
			s.data = append(s.data, piece[:min(len(piece), s.keep-len(s.data))]...)
		}
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		return nil, line, s.err
	}
	return s.data, line, nil
}

// begin looks for the first mail. A file whose first line is no "From " line is one mail.
func (s *mboxSplitter) begin() {
	s.begun = true
	for s.err == nil && s.from == nil {
		start, err := s.in.Peek(8)
		if err != nil && len(start) == 0 {
			s.err = err
			return
		}
		bom := len(start) - len(bytes.TrimPrefix(start, []byte("\ufeff")))
		if text := start[bom:]; len(bytes.TrimLeft(text, "\r\n")) > 0 && !bytes.HasPrefix(text, []byte("From ")) {
			s.from, s.at = []byte{}, 1
			return
		}
		piece, whole := s.read()
		if piece = piece[min(bom, len(piece)):]; bytes.HasPrefix(piece, []byte("From ")) {
			s.from, s.at = bytes.Clone(piece), s.line
		}
		for !whole && s.err == nil {
			_, whole = s.more()
		}
	}
}

// read gives the next line, or its beginning, and whether it was all of it.
func (s *mboxSplitter) read() ([]byte, bool) {
	s.line++
	return s.more()
}

func (s *mboxSplitter) more() ([]byte, bool) {
	piece, err := s.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return piece, false
	}
	s.err = err
	return piece, true
}

var weekday = lazyregexp.New(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?$`)

// fromDate reads the date of a "From " line; the zero time where there is none.
func fromDate(line []byte) time.Time {
	fields := strings.Fields(string(line[:min(len(line), math.MaxUint8)]))
	for i := 1; i < len(fields); i++ {
		if !weekday.MatchString(fields[i]) {
			continue
		}
		if at, ok := mailDate(strings.Join(fields[i:], " ")); ok {
			return at
		}
	}
	return time.Time{}
}
