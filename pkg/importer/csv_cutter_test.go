package importer

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cellsOf gives the rows of a text, and errors as rows of one cell.
func cellsOf(t *testing.T, text string) [][]string {
	t.Helper()
	var out [][]string
	c := newCSVCutter(strings.NewReader(text), 4)
	for {
		cells, line, err := c.next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.As(err, &bad):
			out = append(out, []string{err.Error()})
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, append([]string{fmt.Sprint(line)}, cells...))
		}
	}
}

func TestCellsAreCut(t *testing.T) {
	t.Parallel()
	quote := func(line, opens int) []string {
		return []string{fmt.Sprintf("line %d: %s: it opens in line %d (a quote inside a quoted cell is written twice)", line, unclosedQuote, opens)}
	}
	for _, test := range []struct {
		name, text string
		want       [][]string
	}{
		{"nothing", "", nil},
		{"blank lines", "\n \r\n\n", nil},
		{"plain", "a,b\nc,d\n", [][]string{{"1", "a", "b"}, {"2", "c", "d"}}},
		{"empty cells", ",,\n,", [][]string{{"1", "", "", ""}, {"2", "", ""}}},
		{"quotes", `"a","b,""c""",""` + "\r\n" + `"d"`, [][]string{{"1", "a", `b,"c"`, ""}, {"2", "d"}}},
		{"line ends in quotes", "\"a\r\nb\rc\nd\",e\r\nf,g", [][]string{{"1", "a\nb\nc\nd", "e"}, {"4", "f", "g"}}},
		{"a bare quote is a character", "5\" pipe,a\"b\"\nc,\" d", [][]string{{"1", `5" pipe`, `a"b"`}, quote(2, 2)}},
		{"a quote opens and does not close", "a,\"b\nc,d\n", [][]string{quote(1, 1), {"2", "c", "d"}}},
		{"a quote closes inside a cell", "a,\"b\" c\nd,e\n", [][]string{quote(1, 1), {"2", "d", "e"}}},
		{"a later cell of the row does not close", "\"a\nb\",\"c\nd,e\n", [][]string{quote(1, 2), {"3", "d", "e"}}},
		{"return after a quote", "\"a\"\rb\nc\n", [][]string{quote(1, 1), {"2", "c"}}},
		{"return at the end", "\"a\"\r", [][]string{{"1", "a"}}},
		{"NUL", "a\x00b,\x00\n", [][]string{{"1", "ab", ""}}},
		{"only quotes", `""` + "\n" + `""""`, [][]string{{"2", `"`}}},
	} {
		if diff := cmp.Diff(test.want, cellsOf(t, test.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestATornTextIsOneBadRow(t *testing.T) {
	t.Parallel()
	got := told(plainCSV(), strings.NewReader("id,subject,body\n1,a,b\n2,c,\"Hello,\nI am\n\nfine, yes\n3,d,e\n4,f,\"cut off\nhere"), "t")
	want := `line 2 id "1" customer "" created -
  subject "a"
  body "b"

line 3: a quote that opens a cell does not close before the cell ends: it opens in line 3 (a quote inside a quoted cell is written twice); lines up to 6 belong to it

line 7 id "3" customer "" created -
  subject "d"
  body "e"

line 8: a quote that opens a cell does not close before the cell ends: it opens in line 8 (a quote inside a quoted cell is written twice); lines up to 9 belong to it

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARowOver16MiBIsAnErrorAndReadingGoesOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and the race detector makes it longer")
	}
	huge := strings.Repeat("x", maxRow)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"bare":   {"a,b\n" + huge + ",y\nc,d\n", []string{"1 a", "line 2: " + rowTooLarge, "3 c"}},
		"quoted": {"a,b\n\"" + huge + "\",y\nc,d\n", []string{"1 a", "line 2: " + rowTooLarge, "3 c"}},
		"quoted, many lines": {"a,b\n\"q\n" + strings.Repeat(strings.Repeat("text ", 1000)+"\n", maxRow/5000) + "\",y\nc,d\n",
			[]string{"1 a", "line 2: " + rowTooLarge + ": perhaps a quote that opens in line 2 does not close"}},
		"as large as may be": {huge[:maxRow-1] + "\nc,d\n", []string{"1 " + huge[:10], "2 c"}},
	} {
		var got []string
		for _, row := range cellsOf(t, test.text) {
			if len(row) > 1 {
				row = []string{row[0] + " " + row[1][:min(10, len(row[1]))]}
			}
			got = append(got, row[0])
		}
		if name == "quoted, many lines" { // its lines follow, each a row
			got = got[:2]
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTooManyCellsAreAnError(t *testing.T) {
	t.Parallel()
	got := told(plainCSV(), strings.NewReader("id,body\n1,a\n2,b"+strings.Repeat(",", maxCells)+"\n3,c\n"), "t")
	if !strings.Contains(got, "line 3: the row has too many cells: 16386; at most 16384 are read") || !strings.Contains(got, `id "3"`) {
		t.Error(got)
	}
	if got = told(plainCSV(), strings.NewReader("body"+strings.Repeat(",", maxCells)+"\na\n"), "t"); got !=
		"error: the header has 16385 columns: at most 16384 are read\n" {
		t.Error(got)
	}
}
