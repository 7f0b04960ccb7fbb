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

	"github.com/triagebench/triage/pkg/testkit"
)

func jsonFormats() []Format {
	return []Format{zendeskJSON(), freshdeskJSON(), freshserviceJSON(), jiraJSON(), servicenowJSON(), githubJSON(), plainJSONL()}
}

// jsonListing reads data and lists what comes out.
func jsonListing(t testing.TB, f Format, in io.Reader, name string) string {
	t.Helper()
	r, err := f.Open(&Input{Name: name, Read: in})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for range 1_000_000 {
		rec, err := r.Next()
		var row *RowError
		switch {
		case errors.Is(err, io.EOF):
			for _, w := range r.(Warner).Warnings() {
				fmt.Fprintf(&out, "warning: %s, %d from line %d: %s\n", w.Reason, w.Count, w.Line, w.Detail)
			}
			return out.String()
		case errors.As(err, &row):
			fmt.Fprintf(&out, "skipped: %v\n\n", row)
			continue
		case err != nil:
			fmt.Fprintf(&out, "error: %v\n", err)
			return out.String()
		}
		fmt.Fprintf(&out, "line %d id %q customer %q created %v\n  subject %q\n  body    %q\n", rec.Line, rec.ID, rec.Customer,
			rec.Created.UTC().Format("2006-01-02 15:04:05"), rec.Subject, rec.Body)
		for _, field := range rec.Fields {
			what := "?"
			if c, ok := f.Column(field.Name); ok {
				what = c.Role.String()
			}
			fmt.Fprintf(&out, "  %-8s%s %q\n", what, field.Name, field.Value)
		}
		out.WriteByte('\n')
	}
	t.Fatal("the reader does not end")
	return ""
}

func TestFixturesOfEveryFormatGiveTheirGoldens(t *testing.T) {
	t.Parallel()
	for _, f := range jsonFormats() {
		files, err := filepath.Glob(filepath.Join("testdata", f.Name, "*.*json*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no fixtures (%v)", f.Name, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			t.Run(f.Name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				got := jsonListing(t, f, bytes.NewReader(data), filepath.Base(file))
				testkit.Golden(t, file+".golden", got)
				if again := jsonListing(t, f, iotest.OneByteReader(bytes.NewReader(data)), filepath.Base(file)); again != got {
					t.Errorf("read byte by byte it gives\n%s", again)
				}
			})
		}
	}
}

func TestEveryFixtureIsFoundFromItsContent(t *testing.T) {
	t.Parallel()
	for _, want := range jsonFormats() {
		files, err := filepath.Glob(filepath.Join("testdata", want.Name, "*.*json*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, head := range [][]byte{data, data[:min(len(data), 1500)]} {
				best, sure := "", 0
				for _, f := range Formats() {
					if n := f.Detect(head, file); n > sure {
						best, sure = f.Name, n
					}
				}
				if best != want.Name {
					t.Errorf("%s, its first %d bytes: found %s (%d sure), want %s", file, len(head), best, sure, want.Name)
				}
			}
		}
	}
}
