package importer

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

const utf8Mark = "\xef\xbb\xbf"

// decoded gives the cells of the row as strings in UTF-8, with line feeds as line ends and without NUL bytes.
func (c *csvCutter) decoded(line int) []string {
	c.cells = c.cells[:0]
	row := string(c.text)
	from := 0
	for _, end := range c.ends {
		c.cells = append(c.cells, row[from:end])
		from = end + c.gap
	}
	if strings.IndexByte(row, '\r') >= 0 {
		for i, cell := range c.cells {
			c.cells[i] = strings.ReplaceAll(strings.ReplaceAll(cell, "\r\n", "\n"), "\r", "\n")
		}
	}
	if strings.IndexByte(row, 0) >= 0 {
		c.odd.add(line, "a row has NUL bytes: they were dropped")
		for i, cell := range c.cells {
			c.cells[i] = strings.ReplaceAll(cell, "\x00", "")
		}
	}
	if !utf8.ValidString(row) {
		c.legacy(line)
	}
	return c.cells
}

// legacy decodes the cells of a row that is not UTF-8, each for itself: files are joined from several sources, and cut texts end in half
// a character. A cell that has more characters of UTF-8 than bytes that are none is UTF-8 with a few broken ones; any other is
// Windows-1252.
func (c *csvCutter) legacy(line int) {
	windows, broken := false, false
	for i, cell := range c.cells {
		if utf8.ValidString(cell) {
			continue
		}
		good, bad := 0, 0
		for j, r := range cell {
			switch {
			case r >= utf8.RuneSelf && r != utf8.RuneError:
				good++
			case r == utf8.RuneError:
				if _, size := utf8.DecodeRuneInString(cell[j:]); size == 1 {
					bad++
				}
			}
		}
		if good > bad {
			broken = true
			c.cells[i] = strings.ToValidUTF8(cell, "\ufffd")
			continue
		}
		windows = true
		c.cells[i] = windows1252(cell)
	}
	if windows {
		c.odd.add(line, "a row is not UTF-8: it was read as Windows-1252")
	}
	if broken {
		c.odd.add(line, "a row has broken characters: they were replaced by \ufffd")
	}
}

// windows1252 decodes a text. The five bytes that stand for nothing become the replacement character.
func windows1252(s string) string {
	var out strings.Builder
	out.Grow(len(s) + len(s)/4)
	for i := range len(s) {
		out.WriteRune(charmap.Windows1252.DecodeByte(s[i]))
	}
	return out.String()
}

// textSource gives the bytes of a file without a byte order mark, in UTF-8 if it is UTF-16 (with a mark, or by its NUL bytes), and with
// line feeds where a file has carriage returns alone for line ends. What is in UTF-8 or an encoding of one byte passes as it is. Head
// is the beginning of the file, whole whether that is all of it.
func textSource(head []byte, whole bool, rest io.Reader) io.Reader {
	all := io.MultiReader(bytes.NewReader(head), rest)
	order := unicode.LittleEndian
	switch utf16Kind(head) {
	case 'b':
		order = unicode.BigEndian
		fallthrough
	case 'l':
		return returns(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(all), nil, false)
	}
	return returns(io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head, []byte(utf8Mark))), rest), head, whole)
}

// utf16Kind tells whether a file is UTF-16: 'l' for little endian, 'b' for big endian, 0 if it is not.
func utf16Kind(head []byte) byte {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return 'l'
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return 'b'
	}
	// Without a mark: nearly every other byte of a header in Latin letters is NUL.
	if len(head) < 8 {
		return 0
	}
	sample := head[:min(len(head)&^1, 256)]
	var nul [2]int
	for i, b := range sample {
		if b == 0 {
			nul[i%2]++
		}
	}
	switch half := len(sample) / 2; {
	case nul[1]*4 > half*3 && nul[0] == 0:
		return 'l'
	case nul[0]*4 > half*3 && nul[1] == 0:
		return 'b'
	}
	return 0
}

// returns gives a reader that turns carriage returns into line feeds if the head has the former and none of the latter. Where the
// head is nil it looks at the first bytes that it reads.
func returns(r io.Reader, head []byte, whole bool) io.Reader {
	if head == nil {
		first := make([]byte, 4096)
		n, err := io.ReadFull(r, first)
		head, whole = first[:n], err != nil
		r = io.MultiReader(bytes.NewReader(head), r)
		if whole {
			r = io.MultiReader(bytes.NewReader(head), failedReader{err})
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			r = bytes.NewReader(head)
		}
	}
	at := bytes.IndexByte(head, '\r')
	if at < 0 || bytes.IndexByte(head, '\n') >= 0 || at == len(head)-1 && !whole {
		return r
	}
	return returnReader{r}
}

// failedReader is a reader that fails.
type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) { return 0, f.err }

// returnReader turns carriage returns into line feeds.
type returnReader struct{ r io.Reader }

func (r returnReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
