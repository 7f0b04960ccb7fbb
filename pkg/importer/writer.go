package importer

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/split"
	"github.com/triagebench/triage/pkg/triage"
)

// maxLine is the longest line of a file of tickets: what reads it takes no longer ones.
const maxLine = 8<<20 - 64

// spool keeps the lines of tickets in a temporary file until their sides are known. Each is there without its side, and with the place
// where that belongs.
type spool struct {
	file TempFile
	w    *bufio.Writer
	enc  triage.Encoder
	keys []string
	n    int
	// watched are groups whose first ticket's id is wanted, at the places of firsts.
	watched []LargeGroup
	firsts  []int
	// redact replaces names that became known after a line was kept; nil leaves them.
	redact *redact.Redactor
}

func newSpool(file TempFile) *spool { return &spool{file: file, w: bufio.NewWriterSize(file, 1<<18)} }

// errLongLine says that a ticket is too large for a file of tickets.
var errLongLine = fmt.Errorf("the ticket is larger than %d MiB", (maxLine+64)>>20)

// add keeps a ticket.
func (s *spool) add(l *Line) error {
	s.enc.Buf = s.enc.Buf[:0]
	place := s.encode(l)
	if len(s.enc.Buf) > maxLine {
		return errLongLine
	}
	var sizes [2 * binary.MaxVarintLen64]byte
	n := binary.PutUvarint(sizes[:], uint64(place))
	n += binary.PutUvarint(sizes[n:], uint64(len(s.enc.Buf)-place))
	if _, err := s.w.Write(sizes[:n]); err != nil {
		return err
	}
	_, err := s.w.Write(s.enc.Buf)
	s.n++
	return err
}

// encode appends a line, without its side, and tells where the side belongs.
func (s *spool) encode(l *Line) (place int) {
	e := &s.enc
	member := func(key, value string) {
		e.Buf = append(e.Buf, key...)
		e.String(value)
	}
	member(`{"id":`, l.ID)
	member(`,"subject":`, l.Subject)
	member(`,"body":`, l.Body)
	if l.Created != "" {
		member(`,"created":`, l.Created)
	}
	place = len(e.Buf)
	s.object(`,"labels":{`, l.Labels)
	s.object(`,"fields":{`, l.Fields)
	e.Buf = append(e.Buf, '}', '\n')
	return place
}

// object appends a member of texts, sorted by name.
func (s *spool) object(key string, of map[string]string) {
	e := &s.enc
	e.Buf = append(e.Buf, key...)
	s.keys = slices.AppendSeq(s.keys[:0], maps.Keys(of))
	slices.Sort(s.keys)
	for i, name := range s.keys {
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.String(name)
		e.Buf = append(e.Buf, ':')
		e.String(of[name])
	}
	e.Buf = append(e.Buf, '}')
}

// watch asks for the ids of the first tickets of groups, which copy finds.
func (s *spool) watch(groups []split.Group) {
	for _, g := range groups {
		s.watched, s.firsts = append(s.watched, LargeGroup{Size: g.Size}), append(s.firsts, g.First)
	}
}

// found takes the id of a watched line.
func (s *spool) found(i int, line []byte) {
	for k, first := range s.firsts {
		var l Line
		if first == i && json.Unmarshal(line, &l) == nil {
			s.watched[k].ID = l.ID
		}
	}
}

// copy writes the kept lines, each with its side, where there are sides. tick is called every few lines and stops the copying.
func (s *spool) copy(w io.Writer, side func(i int) string, tick func() error) error {
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("write the temporary file: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the temporary file: %w", err)
	}
	r := bufio.NewReaderSize(s.file, 1<<18)
	var line []byte
	for i := range s.n {
		var err error
		if i%tickEvery == 0 {
			if err := tick(); err != nil {
				return err
			}
		}
		if line, err = s.next(r, line[:0], side, i); err != nil {
			return fmt.Errorf("read the temporary file: %w", err)
		}
		if s.redact != nil && s.redact.Names(line) {
			if line, err = s.again(line); err != nil {
				return fmt.Errorf("read the temporary file: %w", err)
			}
		}
		s.found(i, line)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// again replaces the names in a whole line that the columns of other tickets told.
func (s *spool) again(line []byte) ([]byte, error) {
	var l Line
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, err
	}
	texts, names, values := fieldTexts(&l, nil, nil, nil)
	s.redact.Again(texts)
	for i, name := range names {
		l.Fields[name] = values[i]
	}
	s.enc.Buf = s.enc.Buf[:0]
	place := s.encode(&l)
	line = append(line[:0], s.enc.Buf[:place]...)
	if l.Split != "" {
		line = append(append(append(line, splitKey...), l.Split...), '"')
	}
	return append(line, s.enc.Buf[place:]...), nil
}

// splitKey begins the member with a line's side.
const splitKey = `,"split":"`

// next reads a line and puts its side in.
func (s *spool) next(r *bufio.Reader, line []byte, side func(i int) string, i int) ([]byte, error) {
	place, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	rest, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	read := func(n uint64) error {
		from := len(line)
		line = slices.Grow(line, int(n))[:from+int(n)]
		_, err := io.ReadFull(r, line[from:])
		return err
	}
	if err := read(place); err != nil {
		return nil, err
	}
	if side != nil {
		line = append(line, splitKey...)
		line = append(line, side(i)...)
		line = append(line, '"')
	}
	return line, read(rest)
}

// createdText is how a file of tickets writes a time.
func createdText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
