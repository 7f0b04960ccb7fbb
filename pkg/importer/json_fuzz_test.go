package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// FuzzJSONFormats reads any bytes in one of the formats: nothing may panic or go on for ever, texts are UTF-8, and how the file comes in pieces
// changes nothing.
func FuzzJSONFormats(f *testing.F) {
	files, err := filepath.Glob("testdata/*json*/*json*")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if !strings.HasSuffix(file, ".golden") {
			for i := range jsonFormats() {
				f.Add(data, byte(i))
			}
		}
	}
	for _, text := range []string{"", "[", "{", "{\"id\":1}\n{\"id\":2,", `{"tickets":[{"ticket":{"a":"\u`, "[[[[[[[[", `{"result":{"a":{"display_value":`,
		`{"fields":{"description":{"type":"doc","content":[{"type":"listItem","content":[{"type":"text","text":"a"}]}]}}}`} {
		f.Add([]byte(text), byte(len(text)))
	}
	formats := jsonFormats()
	f.Fuzz(func(t *testing.T, data []byte, which byte) {
		format := formats[int(which)%len(formats)]
		if sure := format.Detect(data, "x.json"); sure < 0 || sure > 100 {
			t.Fatalf("%s is %d sure", format.Name, sure)
		}
		whole := jsonAll(t, format, bytes.NewReader(data))
		if len(data) > 4<<10 {
			return
		}
		if pieces := jsonAll(t, format, iotest.OneByteReader(bytes.NewReader(data))); !slices.Equal(whole, pieces) {
			t.Fatalf("%s: read at once it gives %q, byte by byte %q", format.Name, whole, pieces)
		}
	})
}

// jsonAll gives all texts of all records and the errors.
func jsonAll(t *testing.T, format Format, in io.Reader) (out []string) {
	r, err := format.Open(&Input{Name: "f", Read: in})
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		rec, err := r.Next()
		if err == nil {
			out = append(out, rec.ID, rec.Subject, rec.Body, rec.Customer)
			for _, field := range rec.Fields {
				out = append(out, field.Name, field.Value)
			}
			for _, s := range out[len(out)-4-2*len(rec.Fields):] {
				if !utf8.ValidString(s) {
					t.Fatalf("%s: %q is not UTF-8", format.Name, s)
				}
			}
			continue
		}
		out = append(out, err.Error())
		var row *RowError
		if !errors.As(err, &row) {
			return out
		}
		if row.Line < 1 || row.Reason == "" {
			t.Fatalf("%s: an error without a place or reason: %+v", format.Name, row)
		}
	}
}

// FuzzJSONFlat compares what is taken apart with encoding/json: what that reads as an object is read here, with the same texts.
func FuzzJSONFlat(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":"\ud800","b":[1,null,"x",{"c":true}],"a":1e5}`, `{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":{}}}}}}}}}}`,
		"{\"\xff\":\"\\u0000\"}", `{"a":NaN}`, `{"a":[[]]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var flat jsonFlat
		err := flat.parse(data)
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		if err != nil && !errors.As(err, &memberError{}) {
			t.Fatalf("%q: %v", data, err)
		}
		for name, raw := range want {
			var text string
			if len(name) > 64 || strings.ContainsAny(name, ".\ufffd") || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
				continue
			}
			if got := string(flat.get(name)); got != text && err == nil {
				t.Fatalf("%q: %q is %q, want %q", data, name, got, text)
			}
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	for _, bench := range []struct {
		name, file string
		format     Format
	}{
		{"zendesk", "zendesk-json/list.json", zendeskJSON()},
		{"freshdesk", "freshdesk-json/list.json", freshdeskJSON()},
		{"jira-v2", "jira-json/search-v2.json", jiraJSON()},
		{"jira-v3", "jira-json/search-v3.json", jiraJSON()},
		{"servicenow-all", "servicenow-json/all.json", servicenowJSON()},
		{"github", "github-json/rest.json", githubJSON()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join("testdata", bench.file))
			if err != nil {
				b.Fatal(err)
			}
			readAll(b, bench.format, bytes.Repeat(data, 1+4<<20/len(data)))
		})
	}
	b.Run("lines", func(b *testing.B) {
		line := `{"id":123456,"subject":"Cannot log in","body":"` + strings.Repeat("Since this morning I cannot log in. ", 8) +
			`\n","created_at":"2024-01-31T09:12:00Z","queue":"login","priority":"high"}` + "\n"
		readAll(b, plainJSONL(), []byte(strings.Repeat(line, 10_000)))
	})
}

func readAll(b *testing.B, format Format, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := format.Open(&Input{Name: "f", Read: bytes.NewReader(data)})
		if err != nil {
			b.Fatal(err)
		}
		for {
			_, err := r.Next()
			var row *RowError
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && !errors.As(err, &row) {
				b.Fatal(err)
			}
		}
	}
}
