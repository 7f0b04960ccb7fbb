package importer

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	utf8BOM    = "\xef\xbb\xbf"
	utf16LEBOM = "\xff\xfe"
	utf16BEBOM = "\xfe\xff"
)

// jsonWindow is a part of a file: what was read of it and not yet passed.
type jsonWindow struct {
	in  io.Reader
	buf []byte // buf[pos:] is the window
	pos int
	err error // what ended the reading: io.EOF at the end of the file
	// line is the number of the line where the window begins, margin whether it begins at the beginning of a line.
	line   int
	margin bool
}

// readSize is how much is read at once.
const readSize = 64 << 10

// fill reads on, and tells whether there was something. What is before the window goes away.
func (w *jsonWindow) fill() bool {
	if w.err != nil {
		return false
	}
	if w.buf == nil {
		w.buf, w.margin = make([]byte, 0, 2*readSize), true
	}
	if w.pos > 0 {
		w.buf = w.buf[:copy(w.buf, w.buf[w.pos:])]
		w.pos = 0
	}
	if cap(w.buf)-len(w.buf) < readSize {
		grown := make([]byte, len(w.buf), max(2*cap(w.buf), len(w.buf)+readSize))
		copy(grown, w.buf)
		w.buf = grown
	}
	for range 100 {
		n, err := w.in.Read(w.buf[len(w.buf) : len(w.buf)+readSize])
		w.buf = w.buf[:len(w.buf)+n]
		if err != nil {
			w.err = err
			return n > 0
		}
		if n > 0 {
			return true
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// at gives a byte of the window that was read; peek reads on where it has to.
func (w *jsonWindow) at(n int) (byte, bool) {
	if w.pos+n < len(w.buf) {
		return w.buf[w.pos+n], true
	}
	return 0, false
}

func (w *jsonWindow) peek(n int) (byte, bool) {
	for w.pos+n >= len(w.buf) {
		if !w.fill() {
			return 0, false
		}
	}
	return w.buf[w.pos+n], true
}

// advance passes n bytes, which must have been read.
func (w *jsonWindow) advance(n int) {
	if n == 0 {
		return
	}
	passed := w.buf[w.pos : w.pos+n]
	w.line += bytes.Count(passed, []byte("\n"))
	w.margin = passed[n-1] == '\n'
	w.pos += n
}

// utf8Reader gives the text without its byte order mark. UTF-16, which is known by its mark or by the zero beside the first
// character, becomes UTF-8.
func utf8Reader(in io.Reader) io.Reader {
	head := make([]byte, 3)
	n, err := io.ReadFull(in, head)
	head = head[:n]
	rest := io.MultiReader(bytes.NewReader(head), in)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.MultiReader(bytes.NewReader(head), &failing{err})
	}
	switch {
	case bytes.HasPrefix(head, []byte(utf8BOM)):
		return in
	case bytes.HasPrefix(head, []byte(utf16LEBOM)), n > 1 && head[0] != 0 && head[1] == 0:
		return transform.NewReader(rest, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
	case bytes.HasPrefix(head, []byte(utf16BEBOM)), n > 1 && head[0] == 0 && head[1] != 0:
		return transform.NewReader(rest, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder())
	}
	return rest
}

// failing is a reader that gives an error.
type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }
