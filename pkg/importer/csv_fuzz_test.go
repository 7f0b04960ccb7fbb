package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzCSV reads any bytes as every format of tables: what comes out is text, in the order of the lines, and no more than there are.
func FuzzCSV(f *testing.F) {
	for _, file := range csvFixtures(f) {
		f.Add(read(f, file))
	}
	for _, file := range []string{
		"", "\xff\xfei\x00d\x00,\x00b\x00o\x00d\x00y\x00\n\x001\x00,\x00\x00\xd8", "\xfe\xff\x00b\x00o\x00d\x00y", "sep=\t\nid\tbody\n1\t\"a\n",
		"sep=", "sep=;", "sep=\"\nid\"body\n", "body\ra\r\"b\rc\"\r", "id,body,body,,\"\n\"\n1,,a,b,c,d,e\n\"", "id,body,date\n,a\xe9\xc3\xa9,3/4/20\n",
		"body\n\"\"\"\"\n\"a\"b\n\"\"\"", "Subject,body\n<br>,&lt;p>\x00\n", "text\n\n\n \n\x00\n",
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for name, format := range tableFormats() {
			sure := format.Detect(file[:min(len(file), headBytes)], "t")
			if sure < 0 || sure > 100 || name == "csv" && sure > 10 {
				t.Errorf("%s is %d sure", name, sure)
			}
			if sure > 0 || name == "csv" {
				checkFormat(t, format, file)
			}
		}
	})
}

func checkFormat(t *testing.T, format Format, file []byte) {
	lines := bytes.Count(file, []byte("\n")) + bytes.Count(file, []byte("\r")) + 1
	r, err := format.Open(&Input{Name: "t", Read: bytes.NewReader(file)})
	if err != nil {
		return
	}
	last := 0
	for n := 0; ; n++ {
		rec, err := r.Next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			if n >= lines {
				t.Errorf("%d rows of %d lines", n, lines)
			}
			if got, again := told(format, bytes.NewReader(file), "t"), told(format, iotest.HalfReader(bytes.NewReader(file)), "t"); got != again {
				t.Errorf("in halves it reads otherwise:\n%s", cmp.Diff(got, again))
			}
			return
		case errors.As(err, &bad):
			rec = &Record{Line: bad.Line}
		case err != nil:
			t.Fatal(err)
		}
		if rec.Line <= last || rec.Line > lines {
			t.Errorf("line %d follows line %d of %d", rec.Line, last, lines)
		}
		last = rec.Line
		checkTexts(t, rec)
	}
}

func checkTexts(t *testing.T, rec *Record) {
	texts := []string{rec.ID, rec.Subject, rec.Body, rec.Customer}
	names := map[string]bool{}
	for _, field := range rec.Fields {
		if names[field.Name] || field.Name == "" {
			t.Errorf("field %q occurs twice or is empty", field.Name)
		}
		names[field.Name] = true
		texts = append(texts, field.Name, field.Value)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r") {
			t.Errorf("%q is no clean text", text)
		}
	}
	if at := rec.Created; !at.IsZero() && (at.Year() < 1969 || at.Year() > 2200) {
		t.Errorf("a ticket is of %v", at)
	}
}

// FuzzCutter compares with encoding/csv where that finds nothing wrong with a text.
func FuzzCutter(f *testing.F) {
	for _, s := range []string{"a,b\nc,d", "\"a\n\"\"b\",c\n", ",,\n\n,\"\"", "ä,\"ö\"\n\"", "a\"b,c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		strict := csv.NewReader(strings.NewReader(text))
		strict.FieldsPerRecord = -1
		all, err := strict.ReadAll()
		if err != nil || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r") {
			return
		}
		var want [][]string
		for _, row := range all {
			if len(row) > 1 || strings.TrimSpace(row[0]) != "" {
				want = append(want, row)
			}
		}
		var got [][]string
		for _, row := range cellsOf(t, text) {
			got = append(got, row[1:])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-encoding/csv +ours):\n%s", text, diff)
		}
	})
}

// FuzzReadDate reads any text as a date, and any time as it is written in many forms.
func FuzzReadDate(f *testing.F) {
	for _, s := range []string{"2024-01-31T09:12:00Z", "11/May/24 3:26 PM", "6/21/2025 16:14", "45322.38", "Wed, 31 Jan 2024 09:12:00 +0100 (CET)",
		"31.01.2024", "1706692320000", "24/1/2", "1 à 2", "70000110", "9999999999"} {
		f.Add(s, int64(1706692320))
	}
	layouts := []string{time.RFC3339, time.DateTime, "2006-01-02 15:04:05 -0700", "02/Jan/06 3:04 PM", "1/2/2006 15:04", "02-Jan-2006 15:04:05",
		"Jan 2, 2006 3:04 PM", time.RFC1123Z, "20060102", "2006/01/02", "2 January 2006 15:04 MST"}
	f.Fuzz(func(t *testing.T, s string, unix int64) {
		for _, order := range []dateOrder{anyOrder, dayFirst, monthFirst} {
			at, form := readDate(s, order)
			if ok := form == certain || form == assumedZone; ok == at.IsZero() || ok && (at.Year() < 1969 || at.Year() > 2200) {
				t.Errorf("%q is %v, form %d", s, at, form)
			}
		}
		const from, to = 0, 2524608000 // 1970 to 2049: a year of two digits is of these
		at := time.Unix(from+(unix%to+to)%to, 0).UTC()
		for _, layout := range layouts {
			text := at.Format(layout)
			want, err := time.Parse(layout, text)
			if err != nil {
				t.Fatal(err)
			}
			if got, form := readDate(text, monthFirst); form != certain || !got.Equal(want) {
				t.Errorf("%q is %v, form %d; want %v", text, got, form, want)
			}
		}
	})
}
