package dataset

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Format is how a file of tickets is written.
type Format string

// The formats. CSV is separated by commas, semicolons or tabs.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// Encoding is how the characters of a file are written.
type Encoding string

// The encodings. A file is Windows1252 where it is not UTF-8.
const (
	UTF8        Encoding = "utf-8"
	Windows1252 Encoding = "windows-1252"
)

// headBytes is how much of a file is looked at to find its format.
const headBytes = 64 << 10

// file is what is read and how, as its first bytes tell.
type file struct {
	r      io.ReaderAt
	size   int64
	name   string
	format Format
	delim  byte           // CSV only
	bom    bool           // it begins with the byte order mark of UTF-8
	start  int64          // where the text begins
	header *ticketsHeader // of a file of tickets, or nil
}

// foreign lists the beginnings of files that are not text in a form that is read, and what to do with them.
var foreign = []struct{ magic, what string }{
	{"\xff\xfe", "it is UTF-16 (it begins with that byte order mark): save it as UTF-8"},
	{"\xfe\xff", "it is UTF-16 (it begins with that byte order mark): save it as UTF-8"},
	{"PK\x03\x04", "it is a ZIP archive or an Excel workbook: save the sheet as CSV in UTF-8"},
	{"\x1f\x8b", "it is compressed with gzip: unpack it first"},
}

// detect finds the format of a file.
func detect(r io.ReaderAt, size int64, name string) (file, error) {
	f := file{r: r, size: size, name: name}
	win := newWindow(r, size, headBytes)
	head, err := win.from(0)
	if err != nil && !errors.Is(err, io.EOF) {
		return file{}, f.broken(err)
	}
	for _, kind := range foreign {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return file{}, usage(name, "%s", kind.what)
		}
	}
	if rest, ok := bytes.CutPrefix(head, []byte("\xef\xbb\xbf")); ok {
		f.bom, f.start, head = true, 3, rest
	}
	head = bytes.TrimLeft(head, " \r\n")
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(text) == 0:
		return file{}, f.empty()
	case len(head) > 1 && (head[0] == 0) != (head[1] == 0):
		return file{}, usage(name, "it looks like UTF-16 without a byte order mark: save it as UTF-8")
	case text[0] == '[':
		return file{}, usage(name, "it begins with '[': a JSON array is not read; write one object a line "+
			"(jq -c '.[]' does it)")
	case text[0] == '{':
		f.format = JSONL
		if f.header, err = f.readTicketsHeader(); err != nil {
			return file{}, err
		}
		if f.header != nil {
			f.format = Tickets
		}
	default:
		f.format = CSV
		f.delim, _ = Delimiter(head)
	}
	return f, nil
}

func (f file) empty() error {
	return usage(f.name, "the file is empty: want a line that names the columns and a line for each ticket, "+
		"or a JSON object for each ticket")
}

// Delimiter is the one of comma, semicolon and tab that the first line of a CSV file holds most often outside quotes; ended tells whether
// that line ended within head.
func Delimiter(head []byte) (delim byte, ended bool) {
	var count [256]int
	quoted := false
	for _, b := range head {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if b == '\n' {
			ended = true
			break
		}
		count[b]++
	}
	delim = ','
	for _, d := range []byte{';', '\t'} {
		if count[d] > count[delim] {
			delim = d
		}
	}
	return delim, ended
}

// decoder gives the function that turns bytes in the given encoding into UTF-8. What it gives may share their memory.
func (e Encoding) decoder() func([]byte) []byte {
	if e == UTF8 {
		return func(p []byte) []byte { return p }
	}
	dec := charmap.Windows1252.NewDecoder()
	return func(p []byte) []byte {
		if ascii(p) {
			return p
		}
		out, err := dec.Bytes(p)
		if err != nil { // cannot happen: every byte stands for some character
			return p
		}
		return out
	}
}

func ascii(p []byte) bool {
	for _, b := range p {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
