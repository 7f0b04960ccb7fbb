package importer

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// export makes records: count, then fields by name and value, for each kind.
func export(s *Suggest, kinds ...[]string) {
	line := 1
	for _, kind := range kinds {
		n := 0
		_, _ = fmt.Sscan(kind[0], &n)
		for range n {
			line++
			s.Add(rec(line, kind[1:]...))
		}
	}
}

func draft(t *testing.T, format Format, opts SuggestOptions, kinds ...[]string) string {
	t.Helper()
	s, err := NewSuggest(format, opts)
	if err != nil {
		t.Fatal(err)
	}
	export(s, kinds...)
	return string(s.Draft())
}

func TestADraftNamesValuesCountsScalesAndSpellings(t *testing.T) {
	t.Parallel()
	got := draft(t, jiraLike, SuggestOptions{Min: 2},
		[]string{"60", "Priority", "High", "Group", "Billing", "Product", "app", "Resolution", "fixed"},
		[]string{"30", "Priority", "Low", "Group", "Technical", "Product", "web", "Requester", "Ann"},
		[]string{"2", "Priority", "P9", "Group", "billing", "Product", "app"},
		[]string{"2", "Priority", "Highest", "Group", "Biling", "Product", "web"},
		[]string{"1", "Priority", "", "Group", "Level 1", "Product", "=cmd()\x01<b>"},
		[]string{"1", "Priority", "Low", "Group", "Level 2", "Product", "web"},
	)
	want := `# A draft of a mapping, made from 96 records, read as Jira. Behind each value stands how many have it.
# Edit it and give it to triage import --mapping. A value becomes another text, null (the ticket lacks this label)
# or {drop: true} (the ticket is left out); other says what the rest becomes: keep, none, drop or {value: NAME}.
labels:
  "priority":
    column: "Priority"
    # on the scale of Jira, mapped to ours
    ordered: true
    scale: ["low", "medium", "high", "critical"]
    values:
      "High": "high" # 60
      "Low": "low" # 31
      "Highest": "critical" # 2
      "P9": null # 2: not on the scale

  "route":
    column: "Group"
    values:
      "Billing": "Billing" # 60
      "Technical": "Technical" # 30
      "Biling": "Billing" # 2: nearly the same spelling
      "billing": "Billing" # 2: differs in case only
      "Level 1": "other" # 1: rare
      "Level 2": "other" # 1: rare

  # column "Product" looks like a label: 3 values in 96 records
  # "product":
  #   column: "Product"
  #   values:
  #     "app": "app" # 62
  #     "web": "web" # 33
  #     "=cmd()\x01<b>": "other" # 1: rare

# Columns that agents must not see, besides labels and those below.
hold:
  - "Product" # it tells "priority" in 98 % of 91 tickets
# held back: "Resolution": known only when the ticket was resolved
# held back: "Requester": says who the customer is
# Columns that agents may see whatever the rules say.
show: []
# shown: "Product"
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("draft differs (-want +got):\n%s", d)
	}
}

func TestADraftRecognisesScalesOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		format Format
		kinds  [][]string
		want   string
	}{
		{name: "words for priorities", kinds: [][]string{{"2", "priority", "1 - Critical"}, {"3", "priority", "Urgent"}, {"1", "priority", "normal"}},
			want: `ordered: true; scale: ["low", "medium", "high", "critical"]; "Urgent": "critical" # 3; "1 - Critical": "critical" # 2; "normal": "medium" # 1`},
		{name: "a known scale of another label", kinds: [][]string{{"2", "severity", "S9"}, {"1", "severity", "s9"}, {"1", "type", "P1"}, {"1", "type", "P2"}},
			want: `"S9": "S9" # 2; "s9": "S9" # 1: differs in case only`},
		{name: "labels of GitHub", format: Format{Name: "github", Title: "GitHub issues"},
			kinds: [][]string{{"2", "labels", "bug\npriority: high"}, {"1", "labels", "sev1"}},
			want:  `ordered: true; scale: ["low", "medium", "high", "critical"]; "priority: high": "high" # 2; "sev1": "critical" # 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := draft(t, tt.format, SuggestOptions{}, tt.kinds...)
			var lines []string
			for line := range strings.Lines(text[strings.Index(text, "labels:"):strings.Index(text, "\n# Columns")]) {
				line = strings.TrimSpace(line)
				if line == "" && len(lines) > 0 || strings.Contains(line, "type") {
					break
				}
				if line != "" && !strings.HasPrefix(line, "#") && !strings.HasSuffix(line, ":") && !strings.HasPrefix(line, "column") {
					lines = append(lines, line)
				}
			}
			if d := cmp.Diff(tt.want, strings.Join(lines, "; ")); d != "" {
				t.Errorf("draft differs (-want +got), of\n%s\n%s", text, d)
			}
		})
	}
}

// TestADraftIsAMapping imports with the draft of hostile values and looks that each value stays what it was.
func TestADraftIsAMapping(t *testing.T) {
	t.Parallel()
	values := []string{"=cmd()|calc", "<script>alert(1)</script>", "a: b # c", "null", "yes", "1.0", "- x", `"quoted" \ back`, "tab\there", "é😀",
		"nul\x00", "\u2028line", "{drop: true}", "*alias", "!tag", "%x", "|", "a|b", strings.Repeat("long ", 39), "\ufeffbom", "\x7f\u0085"}
	s, err := NewSuggest(Format{}, SuggestOptions{Labels: LabelOptions{Labels: map[string]string{"x: y": "c # d"}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		s.Add(rec(i+2, "c # d", v, "note\x00: x", "n"))
	}
	text := s.Draft()
	m, err := ReadMapping(bytes.NewReader(text), "draft.yaml")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	l, err := NewLabels(Format{}, LabelOptions{Mapping: m})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		want := applied{Labels: sm{"x: y": strings.TrimSpace(v)}, Fields: sm{"note\x00: x": "n"}}
		if v == "null" { // stands for no value
			want = applied{Err: "line 5: no label: it has none of x: y"}
		}
		if d := cmp.Diff(want, apply(l, rec(i+2, "c # d", v, "note\x00: x", "n"))); d != "" {
			t.Errorf("value %q comes to something else (-want +got):\n%s", v, d)
		}
	}
}

func TestADraftOfNothingIsAMapping(t *testing.T) {
	t.Parallel()
	for _, kinds := range [][][]string{nil, {{"3", "channel", "email"}}, {{"1", "priority", strings.Repeat("x", 500)}}} {
		text := draft(t, Format{}, SuggestOptions{}, kinds...)
		if _, err := ReadMapping(strings.NewReader(text), "d.yaml"); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}

func TestADraftKeepsBoundedCounts(t *testing.T) {
	t.Parallel()
	s, err := NewSuggest(Format{}, SuggestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		s.Add(rec(i+2, "a", fmt.Sprint(i), "b", strings.Repeat("x", 190)+fmt.Sprint(i), "type", fmt.Sprint(i%900), fmt.Sprint("c", i), "x"))
	}
	total := 0
	for _, c := range s.order {
		total += len(c.values)
	}
	if len(s.order) > suggestColumns || total > 2*suggestColumns+900 || s.bytes > 20_000 || len(s.labels.columns) > maxLabelColumns {
		t.Errorf("%d columns, %d values, %d bytes, %d columns of labels are held", len(s.order), total, s.bytes, len(s.labels.columns))
	}
	if text := string(s.Draft()); !strings.Contains(text, "# and 700 more") {
		t.Errorf("the draft lists all of 900 values")
	}
}

func TestNearlyEqualSpellings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		n    int
		want string
	}{
		{"billing", "Billing", 10, "differs in case only"},
		{"IT-Support", "it support", 10, "differs in case and punctuation only"},
		{"Techncal", "Technical", 10, "nearly the same spelling"},
		{"Technicla", "Technical", 10, "nearly the same spelling"},
		{"Techncal", "Technical", 4, ""},
		{"Adminstratoin", "Administration", 10, "nearly the same spelling"},
		{"Level 1", "Level 2", 100, ""},
		{"Sale", "Sales", 10, ""},
		{"Inbound", "Outbound", 100, ""},
		{"", "-", 10, ""},
		{"№", "#", 10, ""},
	} {
		if got := nearlyEqual(ValueCount{Value: tt.a, Count: 2}, ValueCount{Value: tt.b, Count: tt.n}); got != tt.want {
			t.Errorf("%q beside %d of %q gives %q, want %q", tt.a, tt.n, tt.b, got, tt.want)
		}
	}
}

func FuzzDraftIsAMapping(f *testing.F) {
	f.Add("Priority", "high", "Low\nHigh")
	f.Add("labels", "bug\nP1", "area/x")
	f.Add("a: b", "\x00\xff", "# {")
	f.Fuzz(func(t *testing.T, name, a, b string) {
		s, err := NewSuggest(jiraLike, SuggestOptions{Min: 2})
		if err != nil {
			t.Fatal(err)
		}
		name, a, b = strings.ToValidUTF8(name, "?"), strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?")
		for i := range 12 {
			s.Add(rec(i, name, []string{a, b}[i%2], "type", a))
		}
		text := s.Draft()
		m, err := ReadMapping(bytes.NewReader(text), "d.yaml")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if again, err := NewLabels(jiraLike, LabelOptions{Mapping: m}); err != nil {
			t.Errorf("%v in\n%s", err, text)
		} else if d := cmp.Diff(slices.Sorted(maps.Keys(m.Labels)), namesOf(again)); d != "" {
			t.Errorf("labels differ (-want +got):\n%s", d)
		}
	})
}

func namesOf(l *Labels) []string {
	var out []string
	for _, r := range l.rules {
		out = append(out, r.name)
	}
	return out
}
