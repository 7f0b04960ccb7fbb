package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// jsonIDs reads data and gives ids and problems, each on a line.
func jsonIDs(t testing.TB, f Format, in io.Reader) (out []string) {
	t.Helper()
	r, err := f.Open(&Input{Name: "f.json", Read: in})
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		var row *RowError
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.As(err, &row):
			out = append(out, fmt.Sprintf("%d: %s", row.Line, row.Reason))
		case err != nil:
			return append(out, err.Error())
		default:
			out = append(out, fmt.Sprintf("%d=%s", rec.Line, rec.ID))
		}
	}
}

func TestRecordsAreFoundInEveryLayoutOfJSON(t *testing.T) {
	t.Parallel()
	long := `{"id":1,"subject":"` + strings.Repeat("x", maxRecord) + `"}`
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty file", "", nil},
		{"white space only", " \r\n\t\n", nil},
		{"only a byte order mark", utf8BOM, nil},
		{"one object", `{"id":1}`, []string{"1=1"}},
		{"an object a line", "{\"id\":1}\n{\"id\":2}\n", []string{"1=1", "2=2"}},
		{"lines with commas behind them", "{\"id\":1},\r\n{\"id\":2},\r\n{\"id\":3}", []string{"1=1", "2=2", "3=3"}},
		{"objects without anything between them", `{"id":1}{"id":2}[{"id":3}]`, []string{"1=1", "1=2", "1=3"}},
		{"a list", "[\n{\"id\":1},\n{\"id\":2}\n]\n", []string{"1=1", "2=2"}},
		{"an empty list", "[]", nil},
		{"a list of lists", `[[{"id":1}],[],[{"id":2}]]`, []string{"1=1", "2=2"}},
		{"lists put together", `[{"id":1}][{"id":2}]`, []string{"1=1", "2=2"}},
		{"a page", `{"a":{"tickets":[{"id":9}]},"b":"\"[","tickets":[{"id":1},{"id":2}],"c":[{"id":8}],"d":"}"}`, []string{"1=1", "2=2"}},
		{"an empty page", `{"tickets":[],"count":0}`, nil},
		{"pages one after the other", "{\"tickets\":[{\"id\":1}]}\n{\"tickets\":[{\"id\":2}],\"n\":[1,2]}\n{\"tickets\":[]}", []string{"1=1", "2=2"}},
		{"a list of pages", `[{"tickets":[{"id":1}]},{"tickets":[{"id":2}]}]`, []string{"1=1", "2=2"}},
		{"single tickets", "{\"ticket\":{\"id\":1},\"x\":1}\n{\"ticket\":{\"id\":2}}\n", []string{"1=1", "2=2"}},
		{"a list that is no list of records", `{"id":1,"tickets":[1,2]}`, []string{"1=1"}},
		{"text sequences with record separators", "\x1e{\"id\":1}\n\x1e{\"id\":2}\n", []string{"1=1", "2=2"}},
		{"files put together with their byte order marks", utf8BOM + "{\"id\":1}\n" + utf8BOM + "{\"id\":2}\n", []string{"1=1", "2=2"}},
		{"a line cut off in a string", "{\"id\":1}\n{\"id\":\"2\n{\"id\":3}\n", []string{"1=1", "2: broken JSON", "3=3"}},
		{"the first line cut off", "{\"id\":1,\"a\":[1\n{\"id\":2}\n", []string{"1: broken JSON", "2=2"}},
		{"the first line cut off in a string", "{\"id\":\"1\n{\"id\":2}\n", []string{"1: broken JSON", "2=2"}},
		{"the last line cut off", "{\"id\":1}\n{\"id\":", []string{"1=1", "2: broken JSON"}},
		{"the only object cut off", `{"id":1,"a":"\`, []string{"1: broken JSON"}},
		{"lines of other text", "# tickets\n{\"id\":1}\n42\n]\n}\n\"x\"\n{\"id\":2}\n", []string{"1: not a JSON object", "2=1", "3: not a JSON object",
			"4: not a JSON object", "5: not a JSON object", "6: not a JSON object", "7=2"}},
		{"a list on a line among objects", "{\"id\":1}\n[{\"id\":2}]\n{\"id\":3}\n", []string{"1=1", "2: not a JSON object", "3=3"}},
		{"values in a list that are no objects", `[1,"]",{"id":1},null,[[[[[[[7]]]]]]],}{"id":2}]`, []string{"1: not a JSON object",
			"2: not a JSON object", "3=1", "4: not a JSON object", "5: not a JSON object", "6: not a JSON object", "7=2"}},
		{"a broken record in a list", `[{"id":1},{"id":2,},{"id":3}]`, []string{"1=1", "2: broken JSON", "3=3"}},
		{"a line end in a string of a list", "[{\"id\":\"1\n\"},{\"id\":3}]", []string{"1: broken JSON", "2=3"}},
		{"a list cut off between records", "[{\"id\":1},\n{\"id\":2}", []string{"1=1", "2=2",
			"f.json: it ends on line 2 within a list, after 2 records: it is not complete"}},
		{"a list cut off in a record", "{\"tickets\":[{\"id\":1},\n{\"id\":", []string{"1=1",
			"f.json: it ends in the middle of record 2, which begins on line 2: it is not complete"}},
		{"a page cut off behind its list", `{"tickets":[{"id":1}],"x":"y`, []string{"1=1",
			"f.json: it ends on line 1 within a list, after 1 records: it is not complete"}},
		{"a page cut off and another one", "{\"tickets\":[{\"id\":1},{\"id\":2\n{\"tickets\":[{\"id\":3}]}\n", []string{"1=1", "2: broken JSON", "3=3"}},
		{"a page whose rest is cut off, and another one", "{\"tickets\":[{\"id\":1}],\"x\":\"y\n{\"tickets\":[{\"id\":2}]}\n",
			[]string{"1=1", "1: broken JSON", "2=2"}},
		{"a page whose rest is no JSON, and another one", "{\"tickets\":[{\"id\":1}]\nk\n{\"tickets\":[{\"id\":2}]}\n",
			[]string{"1=1", "1: broken JSON", "2=2"}},
		{"a line that is too long", "{\"id\":0}\n" + long + "\n{\"id\":2}\n", []string{"1=0", "2: " + longRecord, "3=2"}},
		{"a first line that is too long", long + "\n{\"id\":2}\n", []string{"1: " + longRecord, "2=2"}},
		{"a record of a list that is too long", "[" + long + ",{\"id\":2}]", []string{"1: " + longRecord, "2=2"}},
		{"deep nesting", `[{"id":1,"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `},{"id":2}]`, []string{"1=1", "2=2"}},
		{"nesting deeper than JSON readers go", `[{"id":1,"a":` + strings.Repeat("[", 99000) + strings.Repeat("]", 99000) + `},{"id":2}]`,
			[]string{"1: broken JSON", "2=2"}},
		{"brackets that nothing closes", strings.Repeat("[", 1000), []string{
			"f.json: it ends in the middle of record 1, which begins on line 1: it is not complete"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, jsonIDs(t, zendeskJSON(), strings.NewReader(tt.in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(tt.in) > 1<<20 {
				return
			}
			if diff := cmp.Diff(tt.want, jsonIDs(t, zendeskJSON(), iotest.OneByteReader(strings.NewReader(tt.in)))); diff != "" {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAListInATicketMakesItNoPage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"a text before the list":       {`{"id":1,"subject":"a","items":[{"id":7}]}`, []string{"1=1"}},
		"a page":                       {`{"total":1,"items":[{"id":7,"subject":"a"}]}`, []string{"1=7"}},
		"an empty list":                {"{\"id\":1,\"items\":[],\"subject\":\"a\"}", []string{"1=1"}},
		"a list behind records":        {"{\"id\":1,\"subject\":\"a\"}{\"id\":2,\"items\":[{\"id\":7}]}", []string{"1=1", "1=2"}},
		"an empty page behind another": {`{"items":[{"id":7}]}{"items":[]}`, []string{"1=7"}},
	} {
		if diff := cmp.Diff(tt.want, jsonIDs(t, plainJSONL(), strings.NewReader(tt.in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAUserChoosesTheMembersOfATicket(t *testing.T) {
	t.Parallel()
	r, err := plainJSONL().Open(&Input{Name: "f", Map: map[string]string{"subject": "What", "body": "more.text", "created": "when", "id": "nr"},
		Read: strings.NewReader(`{"nr":"A-1","id":5,"what":"x","subject":"y","more":{"text":"<p>z</p>"},"when":"2024-01-31T10:00:00+01:00"}`)})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	want := Record{Line: 1, ID: "A-1", Subject: "x", Body: "z", Created: time.Date(2024, 1, 31, 9, 0, 0, 0, time.UTC),
		Fields: []Field{{"id", "5"}, {"subject", "y"}}}
	got := *rec
	got.Created = got.Created.UTC()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheErrorOfAReaderEndsTheReading(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, in := range []string{"", "{\"id\":1}\n", `{"id":1}` + "\n" + `{"id":`, `[{"id":1},`, `[{"id":1},{"id`, `{"tickets":[{"id":1}],"x`} {
		r, err := zendeskJSON().Open(&Input{Name: "f.json", Read: io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))})
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			_, err = r.Next()
			if err != nil || n > 2 {
				break
			}
		}
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f.json: ") {
			t.Errorf("%q: error %v, want one of f.json that wraps %v", in, err, broken)
		}
		if _, again := r.Next(); !errors.Is(again, broken) {
			t.Errorf("%q: the next call gives %v", in, again)
		}
	}
}

func TestMemoryIsBoundedByOneRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 400 MB")
	}
	// One record without an end, in a list and on a line: nothing of it may be kept.
	for _, start := range []string{`[{"id":1,"body":"`, "{\"id\":0}\n{\"id\":1,\"body\":\"", `{"tickets":[{"id":1}],"rest":"`} {
		endless := io.LimitReader(&repeated{"lorem ipsum "}, 200<<20)
		r, err := zendeskJSON().Open(&Input{Name: "f", Read: io.MultiReader(strings.NewReader(start), endless)})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for err = nil; err == nil; {
			_, err = r.Next()
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 8*maxRecord {
			t.Errorf("%q: %d MB were allocated", start, got>>20)
		}
	}
}

type repeated struct{ text string }

func (r *repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], r.text)
	}
	return n, nil
}

func TestManyMembersAreRefusedAndManyNamesAreNotKept(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(`{"id":1`)
	for i := range maxMembers + 1 {
		fmt.Fprintf(&b, `,"m%d":1`, i)
	}
	b.WriteString("}\n")
	for i := range 40 { // each with names of its own
		fmt.Fprintf(&b, `{"id":%d`, i)
		for j := range 2000 {
			fmt.Fprintf(&b, `,"n%d.%d":1`, i, j)
		}
		b.WriteString("}\n")
	}
	r := openJSON(&Input{Name: "f", Read: &b}, &jsonFormat{dialect: dialect{id: []string{"id"}}})
	_, err := r.Next()
	var row *RowError
	if !errors.As(err, &row) || row.Reason != manyMembers {
		t.Errorf("error %v, want %q", err, manyMembers)
	}
	n := 0
	for ; ; n++ {
		if _, err := r.Next(); err != nil {
			break
		}
		if len(r.flat.names) > maxNames+maxMembers || len(r.fields) > maxNames+maxMembers {
			t.Fatalf("%d names are kept", len(r.flat.names))
		}
	}
	if n != 40 {
		t.Errorf("%d records, want 40", n)
	}
}

func TestValuesAreReadAsOtherParsersReadThem(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"a\u00e9\"\\\/\b\f\n\r\t\u0000"`, `"\ud83d\ude00 \ud83d \ude00 \ud83d\u0041"`, `"é😀"`, `""`, "\"\xff\xe4\"",
		`"\u20AC"`, "\"\u2028\""} {
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		var f jsonFlat
		if err := f.parse([]byte(`{"a":` + text + `}`)); err != nil || string(f.fields[0].text) != want {
			t.Errorf("%s gives %q (%v), want %q", text, f.fields[0].text, err, want)
		}
	}
}

func TestTextsAreUTF8EvenWhereTheyAreJSON(t *testing.T) {
	t.Parallel()
	in := `{"a":` + strings.Repeat(`{"a":`, maxFlatDepth) + "\"\xaf\"" + strings.Repeat("}", maxFlatDepth+1)
	var f jsonFlat
	if err := f.parse([]byte(in)); err != nil || !f.notUTF8 || string(f.fields[0].text) != `{"a":"`+"\uFFFD"+`"}` {
		t.Errorf("%q (%v)", f.fields[0].text, err)
	}
}

func TestBrokenRecordsSayWhere(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                 "it ends after 0 bytes, in the middle",
		`{`:                "it ends after 1 bytes, in the middle",
		`[1]`:              "no object at byte 1 of the record",
		`{a:1}`:            "no name of a member at byte 2 of the record",
		`{"a" 1}`:          "no colon behind the name of a member at byte 6 of the record",
		`{"a":1 "b":2}`:    "no comma behind a member at byte 8 of the record",
		`{"a":[1 2]}`:      "no comma behind a value of a list at byte 9 of the record",
		`{"a":[1,]}`:       "no value at byte 9 of the record",
		`{"a":}`:           "no value at byte 6 of the record",
		`{"a":tru}`:        "a word that is no value at byte 6 of the record",
		`{"a":-}`:          "a word that is no value at byte 6 of the record",
		`{"a":Infinity}`:   "a word that is no value at byte 6 of the record",
		`{"a":'x'}`:        "no value at byte 6 of the record",
		"{\"a\":\"x\ty\"}": "a control character in a string at byte 8 of the record",
		`{"a":"\x"}`:       "an escape that there is not at byte 7 of the record",
		`{"a":"\u12g4"}`:   "an escape that there is not at byte 7 of the record",
		`{"a":"\`:          "it ends after 7 bytes, in the middle",
		`{"a":"\u12`:       "an escape that there is not at byte 7 of the record",
		`{"a":1} x`:        "something behind the object at byte 9 of the record",
		`{"a":{"b":1}`:     "it ends after 12 bytes, in the middle",
		`{"a":[1`:          "it ends after 7 bytes, in the middle",
	} {
		var f jsonFlat
		if err := f.parse([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}
