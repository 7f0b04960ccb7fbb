package importer

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// workbook is what is known of a workbook before its sheets are read.
type workbook struct {
	files    map[string]*zip.File // by path, in lower case
	sheets   []sheetRef
	date1904 bool
	styles   []numberStyle // of cells, by the number that cells have in s
	texts    *textStore
	temp     func() (TempFile, error)
	shared   string // the path of the shared texts
}

type sheetRef struct {
	name, path string
	hidden     bool
}

// Bounds of a part of a workbook. A sheet is packed 10 to 20 times, one of equal rows 100 times.
const (
	leastUnpacked = 64 << 20
	mostPacked    = 250
	// maxToken is the longest text, attribute or tag.
	maxToken  = 16 << 20
	maxSheets = 1000
	maxStyles = 65_536
)

// xmlPart reads the XML of a part.
type xmlPart struct {
	*xml.Decoder
	guard *xmlGuard
	file  io.Closer
}

// xmlGuard bounds what is read of a part, in all and for one token: the decoder would hold it.
type xmlGuard struct {
	in          io.Reader
	left, token int64
}

var (
	errBomb  = errors.New("it unpacks to far more than it should: a broken file, or one made to fill memory")
	errToken = fmt.Errorf("a value is over %d MiB", maxToken>>20)
)

func (g *xmlGuard) Read(p []byte) (int, error) {
	switch {
	case g.left <= 0:
		return 0, errBomb
	case g.token <= 0:
		return 0, errToken
	}
	n, err := g.in.Read(p[:min(int64(len(p)), g.left, g.token)])
	g.left -= int64(n)
	g.token -= int64(n)
	return n, err
}

// token gives the next token, or io.EOF. It is valid until the next call.
func (x *xmlPart) token() (xml.Token, error) {
	x.guard.token = maxToken
	return x.RawToken()
}

// part opens a part; fs.ErrNotExist is not told apart: ok is false then.
func (b *workbook) part(name string) (x *xmlPart, ok bool, err error) {
	f := b.files[strings.ToLower(strings.TrimPrefix(name, "/"))]
	if f == nil {
		return nil, false, nil
	}
	in, err := f.Open()
	if err != nil {
		return nil, false, fmt.Errorf("part %s: %w", name, err)
	}
	g := &xmlGuard{in: in, left: max(leastUnpacked, int64(min(f.CompressedSize64, 1<<40))*mostPacked)}
	d := xml.NewDecoder(g)
	d.Strict = false
	return &xmlPart{Decoder: d, guard: g, file: in}, true, nil
}

// each calls f with the tags that begin in a part, if there is such a part, and with the path of names of those they are in.
func (b *workbook) each(name string, f func(tag xml.StartElement, in string) error) error {
	x, ok, err := b.part(name)
	if err != nil || !ok {
		return err
	}
	defer func() { _ = x.file.Close() }()
	var open []string
	for {
		token, err := x.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		switch tag := token.(type) {
		case xml.StartElement:
			in := ""
			if len(open) > 0 {
				in = open[len(open)-1]
			}
			if err := f(tag, in); err != nil {
				return fmt.Errorf("part %s: %w", name, err)
			}
			if len(open) < 100 {
				open = append(open, tag.Name.Local)
			}
		case xml.EndElement:
			if len(open) > 0 && open[len(open)-1] == tag.Name.Local {
				open = open[:len(open)-1]
			}
		}
	}
}

// attr gives an attribute by its name without prefix; nothing where there is none.
func attr(tag xml.StartElement, name string) string {
	for _, a := range tag.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func openWorkbook(archive *zip.Reader, temp func() (TempFile, error)) (*workbook, error) {
	b := &workbook{files: map[string]*zip.File{}, temp: temp}
	for _, f := range archive.File {
		b.files[strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/"))] = f
	}
	main := "xl/workbook.xml"
	err := b.each("_rels/.rels", func(tag xml.StartElement, _ string) error {
		if strings.HasSuffix(attr(tag, "Type"), "/officeDocument") {
			main = strings.TrimPrefix(attr(tag, "Target"), "/")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.files[strings.ToLower(main)] == nil {
		return nil, errors.New("not an Excel workbook: it has no xl/workbook.xml")
	}
	styles, err := b.readWorkbook(main)
	if err != nil {
		return nil, err
	}
	if len(b.sheets) == 0 {
		return nil, errors.New("the workbook has no sheets")
	}
	return b, b.readStyles(styles)
}

// readWorkbook reads the list of sheets and where parts are. It gives the path of the styles.
func (b *workbook) readWorkbook(main string) (styles string, err error) {
	dir := path.Dir(main)
	targets := map[string]string{}
	err = b.each(path.Join(dir, "_rels", path.Base(main)+".rels"), func(tag xml.StartElement, _ string) error {
		target := attr(tag, "Target")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(dir, target)
		}
		if len(targets) > 10*maxSheets {
			return errors.New("it has too many parts")
		}
		targets[attr(tag, "Id")] = target
		switch kind := attr(tag, "Type"); {
		case strings.HasSuffix(kind, "/styles"):
			styles = target
		case strings.HasSuffix(kind, "/sharedStrings"):
			b.shared = target
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return styles, b.each(main, func(tag xml.StartElement, _ string) error {
		switch tag.Name.Local {
		case "workbookPr":
			v := attr(tag, "date1904")
			b.date1904 = v == "1" || v == "true"
		case "sheet":
			if len(b.sheets) == maxSheets {
				return fmt.Errorf("it has more than %d sheets", maxSheets)
			}
			state := attr(tag, "state")
			b.sheets = append(b.sheets, sheetRef{attr(tag, "name"), targets[attr(tag, "id")], state == "hidden" || state == "veryHidden"})
		}
		return nil
	})
}

// readStyles finds how the numbers of cells are formatted.
func (b *workbook) readStyles(name string) error {
	codes := map[int]string{}
	return b.each(name, func(tag xml.StartElement, in string) error {
		id, _ := strconv.Atoi(attr(tag, "numFmtId"))
		switch {
		case len(b.styles) == maxStyles || len(codes) > maxStyles:
			return fmt.Errorf("it has more than %d styles", maxStyles)
		case tag.Name.Local == "numFmt":
			codes[id] = attr(tag, "formatCode")
		case tag.Name.Local == "xf" && in == "cellXfs":
			b.styles = append(b.styles, styleOf(id, codes[id]))
		}
		return nil
	})
}
