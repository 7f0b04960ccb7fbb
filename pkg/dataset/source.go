package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// The largest record that is read, in bytes, and the most columns.
const (
	maxRecord  = 8 << 20
	maxColumns = 2000
)

// window is a view of a file that slides forward, and back where a record has to be read again.
type window struct {
	r    io.ReaderAt
	size int64
	buf  []byte // the bytes from base on; its capacity is the window's width
	base int64
}

func newWindow(r io.ReaderAt, size int64, width int) window {
	return window{r: r, size: size, buf: make([]byte, 0, width)}
}

// from gives the bytes from off on, at least one, or io.EOF at the end of the file. They hold until the next call.
func (w *window) from(off int64) ([]byte, error) {
	if off >= w.size {
		return nil, io.EOF
	}
	if i := off - w.base; i >= 0 && i < int64(len(w.buf)) {
		return w.buf[i:], nil
	}
	want := int(min(int64(cap(w.buf)), w.size-off))
	w.base, w.buf = off, w.buf[:want]
	n, err := w.r.ReadAt(w.buf, off)
	if n < want {
		w.buf = w.buf[:0]
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read at byte %d: %w", off, err)
	}
	return w.buf, nil
}

// cursor walks over the records of a file.
type cursor struct {
	win  window
	pos  int64
	line int    // the line that begins at pos
	buf  []byte // the record that is being read, at most maxRecord bytes of it
}

// raw is one record as it stands in the file.
type raw struct {
	data    []byte // holds until the next record is cut
	off     int64
	line    int
	cut     bool  // data is only the beginning
	problem error // why it is no record, or nil
}

// keep adds to the record that is being read.
func (c *cursor) keep(p []byte) {
	c.buf = append(c.buf, p[:min(len(p), maxRecord-len(c.buf))]...)
}

// record closes the record that began at off: it ends at c.pos.
func (c *cursor) record(off int64, line int) raw {
	rec := raw{data: c.buf, off: off, line: line}
	if c.pos-off > maxRecord {
		rec.cut = true
		rec.problem = bad("the record is larger than %d MiB", maxRecord>>20)
	}
	return rec
}

// nextLine cuts a line of the file as a record, skipping blank ones. It gives io.EOF after the last.
func nextLine(c *cursor) (raw, error) {
	for {
		off, line := c.pos, c.line
		c.buf = c.buf[:0]
		for ended := false; !ended; {
			piece, err := c.win.from(c.pos)
			if errors.Is(err, io.EOF) && c.pos > off {
				break
			}
			if err != nil {
				return raw{}, err
			}
			if i := bytes.IndexByte(piece, '\n'); i >= 0 {
				piece, ended = piece[:i+1], true
				c.line++
			}
			c.keep(piece)
			c.pos += int64(len(piece))
		}
		if !blank(c.buf) {
			return c.record(off, line), nil
		}
	}
}

func blank(p []byte) bool { return len(bytes.TrimLeft(p, " \t\r\n")) == 0 }

// blockRows is how many entries a block of a list holds.
const blockRows = 1024

// list is a growing list in blocks: it never copies what it holds, so that it needs no more memory than its entries.
type list[T any] struct {
	blocks [][]T
	n      int
}

func (l *list[T]) add(v T) {
	if l.n%blockRows == 0 {
		l.blocks = append(l.blocks, make([]T, 0, blockRows))
	}
	last := len(l.blocks) - 1
	l.blocks[last] = append(l.blocks[last], v)
	l.n++
}

func (l *list[T]) at(i int) *T { return &l.blocks[i/blockRows][i%blockRows] }
