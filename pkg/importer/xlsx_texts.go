package importer

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxTextsHeld is how many bytes of a workbook's texts are held in memory; more go into a temporary file.
	maxTextsHeld = 32 << 20
	maxTexts     = 20_000_000
	textsBlock   = 64 << 10
)

// textStore keeps the texts that cells name by number.
type textStore struct {
	temp   func() (TempFile, error)
	held   []byte
	ends   []int64 // where each text ends
	file   TempFile
	write  *bufio.Writer
	block  []byte // of the file, from blockAt on
	begins int64
}

func (t *textStore) add(s string) error {
	if len(t.ends) == maxTexts {
		return fmt.Errorf("it has more than %d texts", maxTexts)
	}
	end := int64(len(s))
	if n := len(t.ends); n > 0 {
		end += t.ends[n-1]
	}
	t.ends = append(t.ends, end)
	if t.file == nil && end <= maxTextsHeld {
		t.held = append(t.held, s...)
		return nil
	}
	if t.file == nil {
		if t.temp == nil {
			return fmt.Errorf("its texts are over %d MiB", maxTextsHeld>>20)
		}
		var err error
		if t.file, err = t.temp(); err != nil {
			return fmt.Errorf("keeping its texts: %w", err)
		}
		t.write = bufio.NewWriterSize(t.file, textsBlock)
		if _, err := t.write.Write(t.held); err != nil {
			return fmt.Errorf("keeping its texts: %w", err)
		}
		t.held = nil
	}
	if _, err := t.write.WriteString(s); err != nil {
		return fmt.Errorf("keeping its texts: %w", err)
	}
	return nil
}

// seal ends the writing.
func (t *textStore) seal() error {
	if t.write == nil {
		return nil
	}
	if err := t.write.Flush(); err != nil {
		return fmt.Errorf("keeping its texts: %w", err)
	}
	return nil
}

// get gives a text by its number.
func (t *textStore) get(i int) (string, error) {
	if i < 0 || i >= len(t.ends) {
		return "", fmt.Errorf("a cell names text %d of %d", i, len(t.ends))
	}
	begin := int64(0)
	if i > 0 {
		begin = t.ends[i-1]
	}
	end := t.ends[i]
	if t.file == nil {
		return string(t.held[begin:end]), nil
	}
	if begin < t.begins || end > t.begins+int64(len(t.block)) {
		size := min(max(end-begin, textsBlock), t.ends[len(t.ends)-1]-begin)
		t.block, t.begins = make([]byte, size), begin
		if n, err := t.file.ReadAt(t.block, begin); err != nil && (n < len(t.block) || !errors.Is(err, io.EOF)) {
			return "", fmt.Errorf("reading its texts: %w", err)
		}
	}
	return string(t.block[begin-t.begins : end-t.begins]), nil
}

// readTexts reads the texts that cells share, once.
func (b *workbook) readTexts() error {
	if b.texts != nil {
		return nil
	}
	b.texts = &textStore{temp: b.temp}
	x, ok, err := b.part(b.shared)
	if err != nil || !ok {
		return err
	}
	defer func() { _ = x.file.Close() }()
	for {
		token, err := x.token()
		if errors.Is(err, io.EOF) {
			return b.texts.seal()
		}
		if err != nil {
			return fmt.Errorf("part %s: %w", b.shared, err)
		}
		if tag, ok := token.(xml.StartElement); ok && tag.Name.Local == "si" {
			text, err := x.richText("si")
			if err == nil {
				err = b.texts.add(text)
			}
			if err != nil {
				return fmt.Errorf("part %s: %w", b.shared, err)
			}
		}
	}
}

// richText gives the text up to the end of an element: that of its t, but not of those that say how it is pronounced.
func (x *xmlPart) richText(until string) (string, error) {
	var out strings.Builder
	text, spoken := false, false
	for {
		token, err := x.token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		switch tag := token.(type) {
		case xml.StartElement:
			text = tag.Name.Local == "t"
			spoken = spoken || tag.Name.Local == "rPh"
		case xml.EndElement:
			text = false
			if tag.Name.Local == "rPh" {
				spoken = false
			}
			if tag.Name.Local == until {
				return cellText(out.String()), nil
			}
		case xml.CharData:
			if text && !spoken {
				out.Write(tag)
			}
			if out.Len() > maxToken {
				return "", errToken
			}
		}
	}
}
