package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/triagebench/triage/pkg/testkit"
)

// tableFormats are the formats of this file's tests, by name.
func tableFormats() map[string]Format {
	out := map[string]Format{}
	for _, f := range []Format{zendeskCSV(), freshdeskCSV(), freshserviceCSV(), jiraCSV(), jiraPipelineCSV(), servicenowCSV(),
		tobiBueckCSV(), kaggleCSV(), plainCSV()} {
		out[f.Name] = f
	}
	return out
}

// csvFixtures lists the fixtures, each in the folder of its format.
func csvFixtures(t testing.TB) []string {
	t.Helper()
	var out []string
	for name := range tableFormats() {
		for _, end := range []string{"*.csv", "*.tsv"} {
			found, err := filepath.Glob(filepath.Join("testdata", name, end))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, found...)
		}
	}
	if len(out) < 13 {
		t.Fatalf("%d fixtures: some are missing", len(out))
	}
	return out
}

// told writes what comes out of a file: every record, error and warning.
func told(f Format, r io.Reader, name string) string {
	var out strings.Builder
	reader, err := f.Open(&Input{Name: name, Read: r})
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	for {
		rec, err := reader.Next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			for _, w := range reader.(Warner).Warnings() {
				fmt.Fprintf(&out, "warning: line %d, %d rows: %s (%s)\n", w.Line, w.Count, w.Reason, w.Detail)
			}
			return out.String()
		case errors.As(err, &bad):
			fmt.Fprintf(&out, "%v\n\n", err)
			continue
		case err != nil:
			fmt.Fprintf(&out, "error: %v\n", err)
			return out.String()
		}
		created := "-"
		if !rec.Created.IsZero() {
			created = rec.Created.UTC().Format(time.RFC3339Nano)
		}
		fmt.Fprintf(&out, "line %d id %q customer %q created %s\n  subject %q\n  body %q\n", rec.Line, rec.ID, rec.Customer, created,
			rec.Subject, rec.Body)
		for _, field := range rec.Fields {
			c, ok := f.Column(field.Name)
			what := "unknown"
			if ok {
				what = fmt.Sprintf("%v: %s", c.Role, c.Why)
			}
			fmt.Fprintf(&out, "  %s = %q (%s)\n", field.Name, field.Value, strings.TrimSuffix(what, ": "))
		}
		out.WriteString("\n")
	}
}

func TestEveryFixtureGivesTheRecordsOfItsGolden(t *testing.T) {
	t.Parallel()
	for _, file := range csvFixtures(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data := read(t, file)
			f := tableFormats()[filepath.Base(filepath.Dir(file))]
			got := told(f, bytes.NewReader(data), filepath.Base(file))
			testkit.Golden(t, file+".golden", got)
			if again := told(f, iotest.OneByteReader(bytes.NewReader(data)), filepath.Base(file)); again != got {
				t.Errorf("byte by byte it gives something else (-at once +byte by byte):\n%s", cmp.Diff(got, again))
			}
		})
	}
}

func TestEveryFixtureIsFoundByItsContent(t *testing.T) {
	t.Parallel()
	for _, file := range csvFixtures(t) {
		want := filepath.Base(filepath.Dir(file))
		best, sure := "", 0
		all := map[string]int{}
		for name, f := range tableFormats() {
			all[name] = f.Detect(read(t, file), "export")
			if all[name] > sure {
				best, sure = name, all[name]
			}
		}
		if best != want || want == "csv" && sure > 10 || want != "csv" && sure < 60 {
			t.Errorf("%s is found to be %s, %d sure (%v)", file, best, sure, all)
		}
	}
}

func TestDetectIsNotSureOfWhatIsNoTable(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"empty": "", "blank": "\n \n", "JSON": `{"id": 1, "subject": "a"}`, "array": `[{"id": 1}, {"id": 2}]`, "zip": "PK\x03\x04\x14\x00,\x06\x00",
		"gzip": "\x1f\x8b\x08\x00,", "page": "<html><body>a, b</body></html>", "one column": "hello\nyou\n", "noise": "\xff\x00\x01,\x02",
	} {
		for format, f := range tableFormats() {
			if n := f.Detect([]byte(head), "export"); n != 0 {
				t.Errorf("%s: %s is %d sure", name, format, n)
			}
		}
	}
}

func TestAFileReadsAlikeInEveryEncodingDelimiterAndLineEnd(t *testing.T) {
	t.Parallel()
	const text = "id,subject,body,created\n1,\"Über\n\"\"5\"\" €\",b,2024-01-31\n2,c,d,2024-02-01\n"
	want := told(plainCSV(), strings.NewReader(text), "t")
	encoded := func(e interface{ String(string) (string, error) }) string {
		s, err := e.String(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	noMark := encoded(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder())
	for name, file := range map[string]string{
		"byte order mark": utf8Mark + text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "CR": strings.ReplaceAll(text, "\n", "\r"),
		"semicolons": strings.ReplaceAll(text, ",", ";"), "tabs": strings.ReplaceAll(text, ",", "\t"),
		"UTF-16 LE":        encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()),
		"UTF-16 BE":        encoded(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder()),
		"UTF-16 unmarked":  noMark,
		"no last line end": strings.TrimSuffix(text, "\n"),
	} {
		if diff := cmp.Diff(want, told(plainCSV(), strings.NewReader(file), "t")); diff != "" {
			t.Errorf("%s (-plain +so):\n%s", name, diff)
		}
	}
	windows := told(plainCSV(), strings.NewReader(encoded(charmap.Windows1252.NewEncoder())), "t")
	want += "warning: line 2, 1 rows: a row is not UTF-8: it was read as Windows-1252 ()\n"
	if diff := cmp.Diff(want, windows); diff != "" {
		t.Errorf("Windows-1252 (-plain +so):\n%s", diff)
	}
	excel := told(plainCSV(), strings.NewReader("sep=;\r\n"+strings.ReplaceAll(text, ",", ";")), "t")
	for _, first := range []string{"sep=\n", "SEP=\r\n", "sep=\"\n", "sep=,\r\n"} {
		if got := told(plainCSV(), strings.NewReader(first+text), "t"); !strings.HasPrefix(got, "line 3 id \"1\"") {
			t.Errorf("after %q it gives\n%s", first, got)
		}
	}
	if n := strings.Count(excel, "subject"); n != 2 || !strings.HasPrefix(excel, "line 3 id \"1\"") {
		t.Errorf("with sep=; it gives\n%s", excel)
	}
}

func TestOpenSaysWhyAFileIsNoTable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"empty":   {"", "error: the file is empty: want a line that names the columns and a line for each ticket\n"},
		"mark":    {utf8Mark, "error: the file is empty: want a line that names the columns and a line for each ticket\n"},
		"no text": {"a,b\n1,2\n", `error: no column has the ticket's text: the columns are "a", "b"; none is called `},
		"a header that does not close": {"id,\"body\n", "error: the line that names the columns: line 1: " + unclosedQuote +
			": it opens in line 1 (a quote inside a quoted cell is written twice)\n"},
	} {
		if got := told(plainCSV(), strings.NewReader(test.file), "t.csv"); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestAUserSaysWhichColumnsAreTheParts(t *testing.T) {
	t.Parallel()
	const file = "nr,Text 1,Text 2,who\n1,a,b,c\n"
	open := func(chosen map[string]string) (Reader, error) {
		return plainCSV().Open(&Input{Name: "t", Read: strings.NewReader(file), Map: chosen})
	}
	r, err := open(map[string]string{"body": "text_2", "subject": "Text 1", "customer": "who"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	want := &Record{Line: 2, ID: "1", Subject: "a", Body: "b", Customer: "c", Fields: []Field{{"who", "c"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err = open(map[string]string{"body": "Text 3"}); err == nil || err.Error() !=
		`no column "Text 3" for body: the columns are "nr", "Text 1", "Text 2", "who"` {
		t.Error(err)
	}
}

func TestAFileThatCannotBeReadOnIsAnErrorAtEveryPoint(t *testing.T) {
	t.Parallel()
	file := "id,body,created\n1,\"a\nb\",1/2/2024\n2,\"c\",1/2/2024\n"
	for n := range len(file) + 1 {
		got := told(plainCSV(), io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(errors.New("cable cut"))), "t")
		if !strings.HasSuffix(got, "cable cut\n") {
			t.Errorf("after %d bytes: %s", n, got)
		}
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
