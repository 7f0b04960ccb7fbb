package dataset_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/dataset"
)

// TestWhatWasWrittenComesBack writes tickets with encoding/csv and reads them.
func TestWhatWasWrittenComesBack(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("\"\"\n,;\t ab'")), rapid.Rune())).
		Filter(func(s string) bool { return !strings.ContainsAny(s, "\r\x00") })
	full := text.Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	word := rapid.StringMatching(`[a-zA-Zäöü"][a-z ,;"]{0,10}[a-z"]`)
	rapid.Check(t, func(t *rapid.T) {
		comma := rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "comma")
		crlf, bom := rapid.Bool().Draw(t, "crlf"), rapid.Bool().Draw(t, "bom")
		var b bytes.Buffer
		if bom {
			b.WriteString("\xef\xbb\xbf")
		}
		w := csv.NewWriter(&b)
		w.Comma, w.UseCRLF = comma, crlf
		rows := [][]string{{"subject", "body", "route", "memo"}}
		var want []row
		for range rapid.IntRange(1, 10).Draw(t, "rows") {
			r := row{Subject: text.Draw(t, "subject"), Body: full.Draw(t, "body"),
				Labels: m{"route": word.Draw(t, "route")}, Fields: m{}}
			note := text.Draw(t, "memo")
			if strings.TrimSpace(note) != "" {
				r.Fields["memo"] = note
			}
			want = append(want, r)
			rows = append(rows, []string{r.Subject, r.Body, r.Labels["route"], note})
		}
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		s, err := dataset.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), "t.csv", dataset.Options{Strict: true})
		if err != nil {
			t.Fatalf("%v in %q", err, b.Bytes())
		}
		var got []row
		for i := range s.Len() {
			c, err := s.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row{Subject: c.Ticket.Subject, Body: c.Ticket.Body, Labels: c.Truth.Labels, Fields: c.Ticket.Fields})
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("rows differ (-want +got):\n%s", d)
		}
	})
}
