package dataset_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

func TestLabelsOnAKnownScaleAreOrdered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, values string // in the file
		want         string // in ascending order
		ordered      bool
	}{
		{"all of a scale", "high low critical medium", "low medium high critical", true},
		{"some of a scale, in other case", "Urgent LOW normal", "LOW normal Urgent", true},
		{"queue difficulty", "medium hard easy", "easy medium hard", true},
		{"Jira", "Highest Low Lowest", "Lowest Low Highest", true},
		{"old Jira", "Blocker Minor Trivial Major", "Trivial Minor Major Blocker", true},
		{"P0 is the most serious", "P0 P3 P1", "P3 P1 P0", true},
		{"severities", "sev1 SEV2", "SEV2 sev1", true},
		{"ServiceNow", "1_-_Critical 3_-_Moderate 5_-_Planning", "5_-_Planning 3_-_Moderate 1_-_Critical", true},
		{"ServiceNow urgency", "2-Medium 1-High 3-Low", "3-Low 2-Medium 1-High", true},
		{"words of two scales that do not go together", "low normal critical urgent", "critical low normal urgent", false},
		{"a word that is on no scale", "low high soon", "high low soon", false},
		{"a level in two spellings", "low Low high", "Low high low", false},
		{"names", "spam billing", "billing spam", false},
		{"numbers", "2 10 1", "1 10 2", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			values, want := strings.Fields(tt.values), dataset.Column{Name: "priority", Source: "Ticket Priority", Ordered: tt.ordered}
			file := "body,Ticket Priority\n"
			for _, v := range values {
				file += "a," + v + "\nb," + v + "\n"
			}
			for _, v := range strings.Fields(tt.want) {
				want.Values, want.Counts = append(want.Values, v), append(want.Counts, 2)
			}
			s, err := open(file, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]dataset.Column{want}, s.Columns()); d != "" {
				t.Errorf("columns differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestReadScales(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		want       map[string]dataset.Scale
		err        string
	}{
		{name: "YAML", file: "# ours\nroute: [billing, spam]\nHow bad:\n  ordered: true\n  values:\n  - fine\n  - awful\n",
			want: map[string]dataset.Scale{"route": {Values: []string{"billing", "spam"}},
				"How bad": {Ordered: true, Values: []string{"fine", "awful"}}}},
		{name: "JSON, with tabs", file: "{\n\t\"route\": [\"b\\/c\", \"\\u00fc\", \"\\ud83d\\ude00\", null],\n\t\"u\": {\"ordered\": false, \"values\": [1, true]}\n}\n",
			want: map[string]dataset.Scale{"route": {Values: []string{"b/c", "ü", "😀", "null"}}, "u": {Values: []string{"1", "true"}}}},
		{name: "values are texts as they are written", file: "a: [no, 1.0, 007, null, 2024-01-31, ' x ']",
			want: map[string]dataset.Scale{"a": {Values: []string{"no", "1.0", "007", "null", "2024-01-31", "x"}}}},

		{name: "empty", file: " \n", err: "l.yaml: the labels file is empty: want {column: [value, value]}"},
		{name: "only a comment", file: "# nothing", err: "l.yaml: the labels file is empty: want {column: [value, value]}"},
		{name: "no columns", file: "{}", err: "l.yaml: line 1: want label columns with their values, {column: [value, value]}"},
		{name: "a list", file: "- a\n", err: "l.yaml: line 1: want label columns with their values, {column: [value, value]}"},
		{name: "not YAML", file: "a: [b", err: "l.yaml: yaml: line 1: did not find expected ',' or ']'"},
		{name: "two documents", file: "a: [b, c]\n---\nd: [e, f]\n",
			err: "l.yaml: the labels file has more than one document: want one"},
		{name: "not YAML after the first value", file: "\"a\"\n\"b\"\n",
			err: "l.yaml: yaml: line 1: did not find expected <document start>"},
		{name: "a text for a list", file: "a: b",
			err: `l.yaml: line 1: column "a": want a list of values, or {ordered: true, values: [value, value]}`},
		{name: "an unknown key", file: "a:\n  value: [b, c]\n",
			err: `l.yaml: line 2: column "a": unknown key "value": the keys are ordered and values`},
		{name: "a key twice", file: "a:\n  values: [b, c]\n  values: [b, c]\n",
			err: `l.yaml: line 3: column "a": key "values" is there twice`},
		{name: "a column twice in JSON", file: "{\"a\": [1, 2],\n\"a\": [1, 2]}",
			err: `l.yaml: line 2: column "a" is there twice`},
		{name: "a column twice", file: "a: [b, c]\na: [b, c]\n", err: `l.yaml: line 2: column "a" is there twice`},
		{name: "ordered is no boolean", file: "a: {ordered: 1, values: [b, c]}",
			err: `l.yaml: line 1: column "a": ordered is "1": want true or false`},
		{name: "no values", file: "a: {ordered: true}",
			err: `l.yaml: line 1: column "a" has no values: want values: [value, value]`},
		{name: "values are no list", file: "a: {values: b}", err: `l.yaml: line 1: column "a": want a list of values`},
		{name: "one value", file: "a: [b]", err: `l.yaml: line 1: column "a" has 1 values: want 2 to 1000`},
		{name: "a value twice", file: "a: [b, b]", err: `l.yaml: line 1: column "a": value "b" is there twice`},
		{name: "an empty value", file: "a:\n- b\n- ''\n",
			err: `l.yaml: line 3: a value of column "a" has to be a text of 1 to 200 bytes`},
		{name: "a list for a value", file: "a: [b, [c]]",
			err: `l.yaml: line 1: a value of column "a" has to be a text of 1 to 200 bytes`},
		{name: "an alias", file: "a: &x [b, c]\nd: *x\n",
			err: `l.yaml: line 2: column "d": want a list of values, or {ordered: true, values: [value, value]}`},
		{name: "a list for a name", file: "? [a]\n: [b, c]\n",
			err: `l.yaml: line 1: a column's name has to be a text of 1 to 200 bytes`},
		{name: "a part of the ticket", file: "Body: [b, c]",
			err: `l.yaml: line 1: "Body" cannot be the name of a label: it is a part of the ticket`},
		{name: "too large", file: strings.Repeat("#", 1<<20+1), err: "l.yaml: the labels file is larger than 1024 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := dataset.ReadScales(strings.NewReader(tt.file), "l.yaml")
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || triage.CodeOf(err) != triage.CodeUsage {
					t.Errorf("error is\n%v, want\n%s", err, tt.err)
				}
				return
			}
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("scales differ, error %v (-want +got):\n%s", err, d)
			}
		})
	}
	broken := errors.New("disk on fire")
	if _, err := dataset.ReadScales(iotest.ErrReader(broken), "l.yaml"); !errors.Is(err, broken) {
		t.Errorf("a broken reader gives %v, want %v", err, broken)
	}
}
