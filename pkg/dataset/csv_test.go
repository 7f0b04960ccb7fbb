package dataset_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/dataset"
)

// lesson D67
func TestOpenCSV(t *testing.T) {
	t.Parallel()
	runOpen(t, []openCase{
		{name: "plain CSV", file: "body,route\na,x\nb,y\n", want: view{Rows: plain, Columns: xy, Warnings: []string{once}}},
		{name: "no newline at the end", file: "body,route\na,x\nb,y",
			want: view{Rows: plain, Columns: xy, Warnings: []string{once}}},
		{name: "byte order mark", file: "\xef\xbb\xbfbody,route\na,x\nb,y\n",
			want: view{Rows: plain, Columns: xy, Warnings: []string{once}}},
		{name: "semicolons", file: "body;route\na;x\nb;y\n", want: view{Rows: plain, Columns: xy, Warnings: []string{once}}},
		{name: "semicolons, with a comma in a quoted name", file: "\"body\";route;\"k,,,\"\na;x;\nb;y;\n",
			want: view{Rows: plain, Columns: xy,
				Warnings: []string{once, "agents see these columns as fields: k,,,"}}},
		{name: "tabs", file: "body\troute\r\na\tx\r\nb\ty\r\n", want: view{Rows: plain, Columns: xy, Warnings: []string{once}}},
		{name: "blank lines and surplus empty cells", file: "body,route\na,x,,\n\n   \nb,y,\n", want: view{
			Rows:     []row{plain[0], {"row-5", "", "b", m{"route": "y"}, m{}}},
			Columns:  xy,
			Warnings: []string{once}}},
		{name: "Windows-1252", file: "body,route\ncaf\xe9 \x80 5,x\nb,y\n", want: view{Encoding: dataset.Windows1252,
			Rows:    []row{{"row-2", "", "café € 5", m{"route": "x"}, m{}}, plain[1]},
			Columns: xy, Warnings: []string{"line 2 is not valid UTF-8: the whole file is read as Windows-1252", once}}},
		{name: "Windows-1252 is decided over the whole file, by its last row", file: "body,route\nÄ,x\nb,\xfc\n",
			want: view{Encoding: dataset.Windows1252,
				Rows:    []row{{"row-2", "", "Ã„", m{"route": "x"}, m{}}, {"row-3", "", "b", m{"route": "ü"}, m{}}},
				Columns: []dataset.Column{{Name: "route", Source: "route", Values: []string{"x", "ü"}, Counts: []int{1, 1}}},
				Warnings: []string{"line 3 is not valid UTF-8: the whole file is read as Windows-1252",
					"records that look like UTF-8 in a file that is not: 1, the first in line 2; their texts may be garbled",
					"label route: one ticket only has x, ü"}}},
		{name: "Windows-1252 in the header", file: "body,b\xfcro,route\na,,x\nb,,y\n",
			want: view{Encoding: dataset.Windows1252,
				Rows: plain, Columns: xy, Warnings: []string{"line 1 is not valid UTF-8: the whole file is read as Windows-1252", once,
					"agents see these columns as fields: büro"}}},
		{name: "a byte order mark binds", file: "\xef\xbb\xbfbody,route\na,x\n\xfc,y\nb,y\n", want: view{
			Rows:     []row{plain[0], {"row-4", "", "b", m{"route": "y"}, m{}}},
			Columns:  xy,
			Skipped:  []dataset.RowError{{Line: 3, Reason: "it is not valid UTF-8, though the file begins with the byte order mark of UTF-8"}},
			Warnings: []string{once}}},
		{name: "CRLF, newlines, delimiters and quotes in quotes", file: "subject,body,route\r\n\"s, \"\"q\"\"\",\"one\r\ntwo\r\n\",x\r\nt,\"\",\"y\"\r\n",
			want: view{
				Rows:     []row{{"row-2", "s, \"q\"", "one\ntwo\n", m{"route": "x"}, m{}}, {"row-5", "t", "", m{"route": "y"}, m{}}},
				Columns:  xy,
				Warnings: []string{once}}},
		{name: "quotes inside unquoted cells are text", file: "body,route\na 5\" pipe \"here\",x\n \"b\",y\n", want: view{
			Rows:     []row{{"row-2", "", "a 5\" pipe \"here\"", m{"route": "x"}, m{}}, {"row-3", "", " \"b\"", m{"route": "y"}, m{}}},
			Columns:  xy,
			Warnings: []string{once}}},
		{name: "ragged rows", file: "body,route\na,x\nshort\nb, with a comma,y\nb,y\n", want: view{
			Rows:    []row{plain[0], {"row-5", "", "b", m{"route": "y"}, m{}}},
			Columns: xy,
			Skipped: []dataset.RowError{{Line: 3, Reason: "it has 1 of the header's 2 cells"},
				{Line: 4, Reason: `it has 3 cells, the header 2 (a "," inside a cell needs quotes around the cell)`}},
			Warnings: []string{once}}},
		{name: "no text, no label, NUL", file: "body,route\na,x\n \t ,x\nb, \nn\x00l,x\nb,y\n", want: view{
			Rows:    []row{plain[0], {"row-6", "", "b", m{"route": "y"}, m{}}},
			Columns: xy,
			Skipped: []dataset.RowError{{Line: 3, Reason: "subject and body are empty"},
				{Line: 4, Reason: `no value in label column "route"`},
				{Line: 5, Reason: "it holds a NUL byte: it is not text, or not in UTF-8"}},
			Warnings: []string{once}}},
		{name: "a quote that never closes", file: "body,route\na,x\n\"oops,x\nb,y\n", want: view{
			Rows:     []row{plain[0], {"row-4", "", "b", m{"route": "y"}, m{}}},
			Columns:  xy,
			Skipped:  []dataset.RowError{{Line: 3, Reason: quoteIn(3)}},
			Warnings: []string{once}}},
		{name: "a quote that the next quote would close", file: "body,route\n\"oops,x\n\"a\",x\nb,\"y\"\n", want: view{
			Rows:     []row{{"row-3", "", "a", m{"route": "x"}, m{}}, {"row-4", "", "b", m{"route": "y"}, m{}}},
			Columns:  xy,
			Skipped:  []dataset.RowError{{Line: 2, Reason: quoteIn(2)}},
			Warnings: []string{once}}},
		{name: "text after a quoted cell", file: "body,route\n\"a\" or so,x\n\"a\"\r,x\n\"a\" \"b,y\na,x\nb,y\n", want: view{
			Rows:     []row{{"row-5", "", "a", m{"route": "x"}, m{}}, {"row-6", "", "b", m{"route": "y"}, m{}}},
			Columns:  xy,
			Skipped:  []dataset.RowError{{Line: 2, Reason: quoteIn(2)}, {Line: 3, Reason: quoteIn(3)}, {Line: 4, Reason: quoteIn(4)}},
			Warnings: []string{once}}},
		{name: "the second quoted cell of a record never closes", file: "subject,body,route\n\"s\n1\",\"oops,x\n,a,x\n,b,y\n",
			want: view{
				Rows:     []row{{"row-4", "", "a", m{"route": "x"}, m{}}, {"row-5", "", "b", m{"route": "y"}, m{}}},
				Columns:  xy,
				Skipped:  []dataset.RowError{{Line: 2, Reason: quoteIn(3)}},
				Warnings: []string{once}}},
		{name: "a quote opens in the last line", file: "body,route\na,x\nb,y\n\"", want: view{Rows: plain, Columns: xy,
			Skipped: []dataset.RowError{{Line: 4, Reason: quoteIn(4)}}, Warnings: []string{once}}},
		{name: "a record over 8 MiB", file: "body,route\na,x\n\"" + strings.Repeat("long line\n", 1<<20) + "\",x\n" + strings.Repeat("w", 9<<20) + "\nb,y",
			want: view{
				Rows:     []row{plain[0], {"row-1048581", "", "b", m{"route": "y"}, m{}}},
				Columns:  xy,
				Skipped:  []dataset.RowError{{Line: 3, Reason: "the record is larger than 8 MiB"}, {Line: 1048580, Reason: "the record is larger than 8 MiB"}},
				Warnings: []string{once}}},
		{name: "empty file", file: "",
			err: "t.csv: the file is empty: want a line that names the columns and a line for each ticket, or a JSON object for each ticket"},
		{name: "only spaces after a byte order mark", file: "\xef\xbb\xbf \r\n\t\n",
			err: "t.csv: the file is empty: want a line that names the columns and a line for each ticket, or a JSON object for each ticket"},
		{name: "only a header", file: "body,route\n", err: "t.csv: it names columns (body, route) but has no rows"},
		{name: "UTF-16", file: utf16LE("\ufeffbody,route\na,x\n"),
			err: "t.csv: it is UTF-16 (it begins with that byte order mark): save it as UTF-8"},
		{name: "UTF-16 without a mark", file: utf16LE("body,route\na,x\n"),
			err: "t.csv: it looks like UTF-16 without a byte order mark: save it as UTF-8"},
		{name: "a workbook", file: "PK\x03\x04...",
			err: "t.csv: it is a ZIP archive or an Excel workbook: save the sheet as CSV in UTF-8"},
		{name: "too many columns", file: "body,route" + strings.Repeat(",x", 1999) + "\na,x\n",
			err: "t.csv: line 1, which should name the columns: it has 2001 columns: at most 2000 are read"},
		{name: "a header over 8 MiB", file: "body," + strings.Repeat("x", 9<<20),
			err: "t.csv: line 1, which should name the columns: the record is larger than 8 MiB"},
		{name: "blank lines only, for long", file: strings.Repeat(" \n", 40000) + "\t",
			err: "t.csv: the file is empty: want a line that names the columns and a line for each ticket, or a JSON object for each ticket"},
		{name: "NUL in the header", file: "bo\x00dy,route\na,x\n",
			err: "t.csv: line 1, which should name the columns: it holds a NUL byte: it is not text, or not in UTF-8"},
		{name: "an open quote in the header", file: "\n\"body,route\na,x\n",
			err: "t.csv: line 2, which should name the columns: " + quoteIn(2)},
		{name: "no good row", file: "body,route\n,x\na,\nb\nc\n",
			err: `t.csv: none of its rows can be used (4 bad): line 2: subject and body are empty; line 3: no value in label column "route"; line 4: it has 1 of the header's 2 cells`},
		{name: "strict", file: "body,route\na,x\nb\n", opts: dataset.Options{Strict: true},
			err: "t.csv: line 3: it has 1 of the header's 2 cells"},
	})
}
