package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/testkit"
)

// aBook is a workbook as its parts say it.
type aBook struct {
	sheets  string // of xl/workbook.xml
	rows    map[string]string
	texts   string
	styles  string
	missing string // a part that is left out
}

// bytes packs the workbook.
func (b aBook) bytes(t testing.TB) []byte {
	t.Helper()
	if b.sheets == "" {
		b.sheets = `<sheets><sheet name="One" sheetId="1" r:id="r1"/><sheet name="Two" sheetId="2" r:id="r2" state="hidden"/></sheets>`
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	put := func(name, text string) {
		if name == b.missing {
			return
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rel := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationship Id="%s" Type="http://x/%s" Target="%s"/>`, id, kind, target)
	}
	put("[Content_Types].xml", `<Types/>`)
	put("_rels/.rels", `<Relationships>`+rel("a", "officeDocument", "/xl/Workbook.xml")+`</Relationships>`)
	put("xl/workbook.xml", `<?xml version="1.0" encoding="UTF-8"?><workbook>`+b.sheets+`</workbook>`)
	put("xl/_rels/workbook.xml.rels", `<Relationships>`+rel("r1", "worksheet", "worksheets/sheet1.xml")+rel("r2", "worksheet", "/xl/worksheets/sheet2.xml")+
		rel("r3", "styles", "styles.xml")+rel("r4", "sharedStrings", "sharedStrings.xml")+`</Relationships>`)
	put("xl/styles.xml", `<x:styleSheet xmlns:x="y">`+b.styles+`</x:styleSheet>`)
	put("xl/sharedStrings.xml", `<sst>`+b.texts+`</sst>`)
	for _, name := range []string{"sheet1", "sheet2"} {
		put("xl/worksheets/"+name+".xml", `<x:worksheet xmlns:x="y">`+b.rows[name]+`</x:worksheet>`)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// texts makes a row of texts inside of the cells.
func inlineRow(cells ...string) string {
	out := "<x:row>"
	for _, c := range cells {
		out += `<x:c t="inlineStr"><x:is><x:t>` + c + `</x:t></x:is></x:c>`
	}
	return out + "</x:row>"
}

const styles = `<x:numFmts><x:numFmt numFmtId="170" formatCode="[$-409]d\ mmm\ yyyy;@"/><x:numFmt numFmtId="171" formatCode="&quot;day &quot;0.0"/>` +
	`<x:numFmt numFmtId="172" formatCode="[h]:mm"/></x:numFmts><x:cellStyleXfs><x:xf numFmtId="14"/></x:cellStyleXfs>` +
	`<x:cellXfs><x:xf numFmtId="0"/><x:xf numFmtId="170"/><x:xf numFmtId="171"/><x:xf numFmtId="172"/><x:xf numFmtId="21"/></x:cellXfs>`

func TestWorkbooksGiveWhatTheirCellsMean(t *testing.T) {
	t.Parallel()
	head := inlineRow("id", "subject", "extra", "when")
	for name, c := range map[string]struct {
		book  aBook
		sheet string
		want  string
	}{
		"numbers, dates and kinds": {aBook{styles: styles, rows: map[string]string{"sheet1": "<x:sheetData>" + head +
			`<x:row r="7"><x:c r="A7"><x:v>1.234567890123E+12</x:v></x:c><x:c r="B7" t="str"><x:f>A1&amp;B1</x:f><x:v>kept_x000D_
 value</x:v></x:c><x:c r="C7" t="e"><x:v>#N/A</x:v></x:c><x:c r="D7" s="1"><x:v>45322</x:v></x:c><x:c r="F7" s="3"><x:v>1.5</x:v></x:c></x:row>` +
			`<x:row><x:c t="b"><x:v>0</x:v></x:c><x:c s="2"><x:v>45322.5</x:v></x:c><x:c s="4"><x:v>0.25</x:v></x:c><x:c s="1"><x:v>59.5</x:v></x:c></x:row>` +
			"</x:sheetData>"}}, "", "line 7 id=\"1234567890123\" customer=\"\" created=0001-01-01T00:00:00Z\nsubject: \"kept value\"\n    \n" +
			"  when = \"2024-01-31\"\n  column 6 = \"36:00:00\"\n" +
			"line 8 id=\"FALSE\" customer=\"\" created=0001-01-01T00:00:00Z\nsubject: \"45322.5\"\n    \n  extra = \"06:00:00\"\n  when = \"1900-02-28 12:00:00\"\n"},
		"dates of 1904": {aBook{styles: styles, sheets: `<workbookPr date1904="1"/><sheets><sheet name="One" r:id="r1"/></sheets>`, rows: map[string]string{
			"sheet1": "<x:sheetData>" + head + `<x:row><x:c/><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c/><x:c s="1"><x:v>43860.5</x:v></x:c></x:row></x:sheetData>`}},
			"", "line 2 id=\"\" customer=\"\" created=0001-01-01T00:00:00Z\nsubject: \"a\"\n    \n  when = \"2024-01-31 12:00:00\"\n"},
		"shared and spoken texts": {aBook{texts: `<si><t>id</t></si><si><t>sub</t><rPh><t>spoken</t></rPh><r><rPr/><t xml:space="preserve">ject</t></r></si><si><t/></si>`,
			rows: map[string]string{"sheet1": `<x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="s"><x:v>1</x:v></x:c></x:row>` +
				`<x:row><x:c t="s"><x:v>2</x:v></x:c><x:c t="s"><x:v>0</x:v></x:c></x:row></x:sheetData>`}}, "",
			"line 2 id=\"\" customer=\"\" created=0001-01-01T00:00:00Z\nsubject: \"id\"\n    \n"},
		"a sheet by its name": {aBook{rows: map[string]string{"sheet1": "<x:sheetData>" + head + inlineRow("1", "one") + "</x:sheetData>", "sheet2": "<x:sheetData>" +
			inlineRow("a title") + head + inlineRow("2", "two") + "</x:sheetData>"}}, "two",
			"line 3 id=\"2\" customer=\"\" created=0001-01-01T00:00:00Z\nsubject: \"two\"\n    \n"},
		"a sheet that is not there": {aBook{}, "Three", "error: reading b.xlsx: no sheet \"Three\": the sheets are \"One\", \"Two\"\n"},
		"no header": {aBook{rows: map[string]string{"sheet1": "<x:sheetData>" + inlineRow("x", "y") + "</x:sheetData>"}}, "",
			"error: reading b.xlsx: no sheet has a header, which names the columns, in its first 30 rows: sheet \"One\": its first row is \"x\", \"y\"\n"},
		"empty":       {aBook{}, "", "error: reading b.xlsx: no sheet has a header, which names the columns, in its first 30 rows: sheet \"One\": it is empty\n"},
		"no workbook": {aBook{missing: "xl/workbook.xml"}, "", "error: reading b.xlsx: not an Excel workbook: it has no xl/workbook.xml\n"},
		"no sheets":   {aBook{sheets: "<sheets/>"}, "", "error: reading b.xlsx: the workbook has no sheets\n"},
		"no part":     {aBook{missing: "xl/worksheets/sheet1.xml"}, "", "error: reading b.xlsx: sheet \"One\": the workbook has no part \"xl/worksheets/sheet1.xml\"\n"},
		"a text that is not there": {aBook{rows: map[string]string{"sheet1": "<x:sheetData>" + head + `<x:row><x:c t="s"><x:v>9</x:v></x:c></x:row></x:sheetData>`}}, "",
			"error: reading b.xlsx: sheet \"One\": a cell names text 9 of 0\n"},
		"cut off": {aBook{rows: map[string]string{"sheet1": "<x:sheetData>" + head + inlineRow("1", "one") + `<x:row><x:c>`}}, "",
			"error: reading b.xlsx: sheet \"One\": unexpected EOF\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := seekable("b.xlsx", c.book.bytes(t))
			in.Sheet = c.sheet
			got, _, _ := strings.Cut(listedRecords(xlsx().Open(in)), "warning:")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNumberFormatsSayWhatANumberIs(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]numberStyle{
		"General": {}, "0.00": {}, "#,##0": {}, "00000": {pad: 5}, `"Year "0`: {}, "yyyy-mm-dd": {kind: dateNumber}, "[Red]dd.mm.yy": {kind: dateNumber},
		"hh:mm": {kind: clockNumber}, "[hh]:mm:ss": {kind: elapsedNumber}, "mmm": {kind: dateNumber}, `\d0`: {}, "0.0E+00": {}, "": {},
	} {
		if diff := cmp.Diff(want, styleOf(164, code), cmp.AllowUnexported(numberStyle{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", code, diff)
		}
	}
}

func TestAWorkbookMadeToFillMemoryIsRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and the race detector makes it longer")
	}
	head := "<x:sheetData>" + inlineRow("id", "subject")
	for name, c := range map[string]struct{ sheet, want string }{
		"blanks":   {head + strings.Repeat(" ", 100<<20), "it unpacks to far more than it should"},
		"one text": {head + "<x:row><x:c><x:v>" + strings.Repeat("1", 20<<20), "a value is over 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := listedRecords(xlsx().Open(seekable("b.xlsx", aBook{rows: map[string]string{"sheet1": c.sheet}}.bytes(t))))
			if !strings.Contains(out, c.want) {
				t.Errorf("it gives %.300q, want an error with %q", out, c.want)
			}
		})
	}
	long := `<x:row>` + strings.Repeat(`<x:c t="inlineStr"><x:is><x:t>`+strings.Repeat("a", 1<<20)+`</x:t></x:is></x:c>`, 20) + "</x:row>"
	out := listedRecords(xlsx().Open(seekable("b.xlsx", aBook{rows: map[string]string{"sheet1": head + long + inlineRow("2", "two") + "</x:sheetData>"}}.bytes(t))))
	if !strings.HasPrefix(out, "skipped: line 2: the row is too large: ") || !strings.Contains(out, `"two"`) {
		t.Errorf("a row over the bound gives %.300q", out)
	}
}

// TestAWorkbookOfManyTextsIsReadInLittleMemory does not run in parallel: it measures the memory of the process.
func TestAWorkbookOfManyTextsIsReadInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and the race detector makes it longer")
	}
	const rows = 60_000
	var texts, sheet strings.Builder
	texts.WriteString("<si><t>id</t></si><si><t>subject</t></si>")
	sheet.WriteString(`<x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="s"><x:v>1</x:v></x:c></x:row>`)
	for i := range rows {
		fmt.Fprintf(&texts, "<si><t>%08d %s</t></si>", i, strings.Repeat("the parcel is late ", 50))
		fmt.Fprintf(&sheet, `<x:row><x:c><x:v>%d</x:v></x:c><x:c t="s"><x:v>%d</x:v></x:c></x:row>`, i, i+2)
	}
	sheet.WriteString("</x:sheetData>")
	data := aBook{texts: texts.String(), rows: map[string]string{"sheet1": sheet.String()}}.bytes(t)
	texts.Reset()
	sheet.Reset()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := xlsx().Open(streamed(t, "b.xlsx", data))
	n := 0
	for err == nil {
		var rec *Record
		if rec, err = r.Next(); err == nil {
			if want := fmt.Sprintf("%08d the", n); rec.ID != fmt.Sprint(n) || !strings.HasPrefix(rec.Subject, want) {
				t.Fatalf("record %d is %s %.20q", n, rec.ID, rec.Subject)
			}
			n++
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.EOF) || n != rows {
		t.Errorf("%d records (%v), want %d", n, err, rows)
	}
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 8<<20 {
		t.Errorf("%d bytes of texts are held in %d bytes of memory", rows*960, held)
	}
	runtime.KeepAlive(r)
	in := seekable("b.xlsx", data)
	if _, err := xlsx().Open(in); err == nil || !strings.Contains(err.Error(), "its texts are over 32 MiB") {
		t.Errorf("without temporary files: %v", err)
	}
	in.Temp = func() (TempFile, error) { return &fullFile{}, nil }
	if _, err := xlsx().Open(in); !errors.Is(err, testkit.ErrFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

// fullFile is a file on a full disk.
type fullFile struct{ TempFile }

func (*fullFile) Write([]byte) (int, error) { return 0, testkit.ErrFull }

func FuzzXLSX(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "xlsx", "servicenow.xlsx"))
	if err != nil {
		f.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		f.Fatal(err)
	}
	// The parts are fuzzed, not their packing, which would hide nearly all of them.
	part := func(name string) string {
		text, err := readPart(z, name)
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	f.Add(part("xl/worksheets/sheet2.xml"), part("xl/sharedStrings.xml"), part("xl/styles.xml"))
	f.Add("<x:sheetData>"+inlineRow("id", "subject")+inlineRow("1", "a")+`</x:sheetData><mergeCell ref="A1:A3"/>`, "<si><t>a</t></si>", styles)
	f.Fuzz(func(t *testing.T, sheet, texts, styles string) {
		book := aBook{rows: map[string]string{"sheet1": sheet}, texts: texts, styles: styles}
		r, err := xlsx().Open(seekable("b.xlsx", book.bytes(t)))
		for n := 0; err == nil; n++ {
			rec, next := r.Next()
			var bad *RowError
			if err = next; errors.As(next, &bad) {
				err = nil
			} else if next == nil && !utf8.ValidString(rec.Subject+rec.Body) {
				t.Errorf("%q is no UTF-8", rec.Subject+rec.Body)
			}
			if n > len(sheet) {
				t.Fatal("more records than bytes")
			}
		}
	})
}

func readPart(z *zip.Reader, name string) (string, error) {
	file, err := z.Open(name)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(file)
	return string(data), errors.Join(err, file.Close())
}
