package importer

import (
	"strings"
	"testing"
	"time"
)

func TestDatesAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		order dateOrder
		want  string // RFC 3339; empty for none
		form  dateForm
	}{
		{"2024-01-31T09:12:00Z", 0, "2024-01-31T09:12:00Z", certain},
		{"2024-01-31t09:12:00.25+01:00", 0, "2024-01-31T08:12:00.25Z", certain},
		{"2024-01-31 09:12:00", 0, "2024-01-31T09:12:00Z", certain},
		{"2024-01-31 09:12:00 -0530", 0, "2024-01-31T14:42:00Z", certain},
		{"2024-01-31 09:12:00 UTC", 0, "2024-01-31T09:12:00Z", certain},
		{"2024-01-31 09:12:00 +01", 0, "2024-01-31T08:12:00Z", certain},
		{"2024-01-31 09:12 GMT+02:00", 0, "2024-01-31T07:12:00Z", certain},
		{"2024-01-31 09:12 PST", 0, "2024-01-31T17:12:00Z", certain},
		{"2024-01-31 09:12 AEST", 0, "2024-01-31T09:12:00Z", assumedZone},
		{"2024/1/31", 0, "2024-01-31T00:00:00Z", certain},
		{"2024-Jan-31", 0, "2024-01-31T00:00:00Z", certain},
		{"20240131", 0, "2024-01-31T00:00:00Z", certain},
		{"31.01.2024 09:12", 0, "2024-01-31T09:12:00Z", certain},
		{"3.4.24", monthFirst, "2024-04-03T00:00:00Z", certain},
		{"11/May/24 3:26 PM", 0, "2024-05-11T15:26:00Z", certain},
		{"11/May/24 12:26 AM", 0, "2024-05-11T00:26:00Z", certain},
		{"11/May/24 12:26 p.m.", 0, "2024-05-11T12:26:00Z", certain},
		{"11/mai/24", 0, "2024-05-11T00:00:00Z", certain},
		{"3. März 2024", 0, "2024-03-03T00:00:00Z", certain},
		{"3 juil. 2024", 0, "2024-07-03T00:00:00Z", certain},
		{"31-Jan-2024 09:12:00", 0, "2024-01-31T09:12:00Z", certain},
		{"Jan 31, 2024 9:12\u202fAM", 0, "2024-01-31T09:12:00Z", certain},
		{"January 31 2024", 0, "2024-01-31T00:00:00Z", certain},
		{"Wed, 31 Jan 2024 09:12:00 +0100 (CET)", 0, "2024-01-31T08:12:00Z", certain},
		{"6/21/2025 16:14", 0, "2025-06-21T16:14:00Z", certain},
		{"21/06/2025 16:14", 0, "2025-06-21T16:14:00Z", certain},
		{"21/06/2025 16:14", monthFirst, "", otherOrder},
		{"6/21/2025", dayFirst, "", otherOrder},
		{"3/4/2024", 0, "", notADate},
		{"3/4/2024", dayFirst, "2024-04-03T00:00:00Z", certain},
		{"3/4/2024", monthFirst, "2024-03-04T00:00:00Z", certain},
		{"4/4/2024", 0, "2024-04-04T00:00:00Z", certain},
		{"31-01-2024 10:00:00", 0, "2024-01-31T10:00:00Z", certain},
		{"45322.38", 0, "2024-01-31T09:07:12Z", certain},
		{"45322", 0, "2024-01-31T00:00:00Z", certain},
		{"1706692320", 0, "2024-01-31T09:12:00Z", certain},
		{"1706692320000", 0, "2024-01-31T09:12:00Z", certain},
		{"29/2/2024", 0, "2024-02-29T00:00:00Z", certain},
		{"29/2/2023", 0, "", notADate},
		{"2024-02-30", 0, "", notADate},
		{"2024-13-01", 0, "", notADate},
		{"13/13/2024", 0, "", notADate},
		{"2024-01-31 25:00", 0, "", notADate},
		{"2024-01-31 13:00 PM", 0, "", notADate},
		{"2024-01-31 soon", 0, "", notADate},
		{"2024-01-31x", 0, "", notADate},
		{"70000110", 0, "", notADate}, // years beyond 2199 are numbers of another kind
		{"9999999999", 0, "", notADate},
		{"00:28:00", 0, "", notADate},
		{"12345", 0, "", notADate},
		{"99999", 0, "", notADate},
		{"1.2.3.4", 0, "", notADate},
		{"yesterday", 0, "", notADate},
		{"", 0, "", notADate},
		{strings.Repeat("1", 65), 0, "", notADate},
	} {
		at, form := readDate(test.text, test.order)
		got := ""
		if !at.IsZero() {
			got = at.UTC().Format(time.RFC3339Nano)
		}
		if got != test.want || form != test.form {
			t.Errorf("%q in order %d: %q, form %d; want %q, form %d", test.text, test.order, got, form, test.want, test.form)
		}
	}
}

func TestOneDateOfAFileDecidesTheOrderOfAll(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("1,text of a ticket,3/4/2024\n", 40_000) // over the first buffer
	for name, test := range map[string]struct{ file, first, warning string }{
		"day first, shown by the last": {"id,body,created\n" + many + "2,b,13/4/2024\n", "2024-04-03", ""},
		"month first":                  {"id,body,created\n1,a,3/4/2024\n2,b,4/13/2024\n", "2024-03-04", ""},
		"shown by another column":      {"id,body,created,updated\n1,a,3/4/2024,\n2,b,4/4/2024,14/4/2024\n", "2024-04-03", ""},
		"shown by none": {"id,body,created\n1,a,3/4/2024\n2,b,4/5/2024\n", "2024-03-04",
			"nothing tells day from month in dates"},
		"one is the other way round": {"id,body,created\n1,a,3/4/2024\n2,b,4/13/2024\n3,c,14/4/2024\n", "2024-03-04",
			"a date is in the other order of day and month than most: the ticket has none then"},
	} {
		got := told(plainCSV(), strings.NewReader(test.file), "t")
		if !strings.Contains(got[:min(200, len(got))], "created "+test.first) {
			t.Errorf("%s: %.200s", name, got)
		}
		_, warned, _ := strings.Cut(got, "warning: ")
		if (test.warning == "") != (warned == "") || !strings.Contains(warned, test.warning) {
			t.Errorf("%s: warns %q", name, warned)
		}
	}
}
