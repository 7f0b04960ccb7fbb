package importer

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestReadMapping(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	got := mapping(t, `
labels:
  route:
    column: Group
    values: {Billing EMEA: billing, 1.0: one, no: "no", Junk: {drop: true}, Unsorted: null, ~: nil}
    other: {value: other}
  priority: {ordered: true, scale: [low, high], values: {P1: high}, other: none}
  area: {ordered: false, other: drop, values: }
  type:
hold: [Internal score]
show: [Plan, " Tier "]
`)
	want := &Mapping{
		Labels: map[string]MappedLabel{
			"route": {Column: "Group", Other: Other{OtherValue, "other"}, Values: []MappedValue{{"Billing EMEA", Target{Value: "billing"}},
				{"1.0", Target{Value: "one"}}, {"no", Target{Value: "no"}}, {"Junk", Target{Drop: true}}, {"Unsorted", Target{}}, {"~", Target{Value: "nil"}}}},
			"priority": {Column: "priority", Ordered: &yes, Scale: []string{"low", "high"}, Other: Other{Do: OtherNone}, Values: []MappedValue{{"P1", Target{Value: "high"}}}},
			"area":     {Column: "area", Ordered: &no, Other: Other{Do: OtherDrop}},
			"type":     {Column: "type"},
		},
		Hold: []string{"Internal score"}, Show: []string{"Plan", "Tier"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("mapping differs (-want +got):\n%s", d)
	}
}

func TestMappingFilesThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, err string }{
		{"empty", "# nothing\n", "m.yaml: the mapping file is empty: want labels, as in labels: {route: {column: Group, values: {Billing EMEA: billing}}}"},
		{"a list", "- a\n", "m.yaml: line 1: the mapping file: want keys with values, as in labels: {route: {column: Group, values: {Billing EMEA: billing}}}"},
		{"no YAML", "labels: [\n", "m.yaml: line 1: did not find expected node content; a mapping is YAML, as in labels: {route: {column: Group, values: {Billing EMEA: billing}}}"},
		{"an unknown key", "labels: {}\nroute: {}\n", `m.yaml: line 2: unknown key "route": the keys are labels, hold and show, as in labels: {route: {column: Group, values: {Billing EMEA: billing}}}`},
		{"a label called as a part", "labels: {body: }\n", `m.yaml: line 1: "body" cannot be the name of a label: it is a part of the ticket`},
		{"a label twice", "labels:\n  a:\n  a:\n", `m.yaml: line 3: labels: "a" is there twice`},
		{"an unknown key of a label", "labels:\n  a: {min: 5}\n", `m.yaml: line 2: label a: unknown key "min": the keys are column, ordered, scale, values and other, as in a: {column: Group, values: {Billing EMEA: billing}}`},
		{"a label is a text", "labels:\n  a: Group\n", "m.yaml: line 2: label a: want keys with values, as in a: {column: Group, values: {Billing EMEA: billing}}"},
		{"values are a list", "labels:\n  a: {values: [x]}\n", "m.yaml: line 2: label a: values: want keys with values, as in values: {Billing EMEA: billing, Unsorted: null}"},
		{"a scale is a text", "labels:\n  a: {scale: x}\n", "m.yaml: line 2: label a: scale: want a list, as in scale: [low, medium, high]"},
		{"ordered is no truth value", "labels:\n  a: {ordered: 1}\n", `m.yaml: line 2: label a: ordered is "1": want true or false`},
		{"a scale of one", "labels:\n  a: {scale: [x]}\n", "m.yaml: line 2: label a: scale has 1 values: want 2 to 1000"},
		{"a scale with a value twice", "labels:\n  a: {scale: [x, x]}\n", `m.yaml: line 2: label a: scale: "x" is there twice`},
		{"off the scale", "labels:\n  a: {scale: [x, y], values: {b: z}}\n", `m.yaml: line 2: label a: "b" becomes "z", which is not on its scale: x, y`},
		{"other off the scale", "labels:\n  a: {scale: [x, y], other: {value: z}}\n", `m.yaml: line 2: label a: other becomes "z", which is not on its scale: x, y`},
		{"a value becomes a list", "labels:\n  a: {values: {b: [c]}}\n", `m.yaml: line 2: label a: what value "b" becomes has to be a text of 1 to 4096 bytes`},
		{"a value becomes too long", "labels:\n  a: {values: {b: " + strings.Repeat("x", 201) + "}}\n", `m.yaml: line 2: label a: what value "b" becomes is longer than 200 bytes`},
		{"drop: false", "labels:\n  a: {values: {b: {drop: false}}}\n", `m.yaml: line 2: label a: value "b" becomes a text, null or {drop: true}`},
		{"an unknown other", "labels:\n  a: {other: merge}\n", `m.yaml: line 2: label a: other is "merge": want keep, none, drop or {value: NAME}`},
		{"other without a value", "labels:\n  a: {other: {}}\n", "m.yaml: line 2: label a: other has no value: want {value: NAME}"},
		{"other with another key", "labels:\n  a: {other: {values: x}}\n", `m.yaml: line 2: label a: other: unknown key "values": the key is value`},
		{"hold is no list", "hold: x\n", "m.yaml: line 1: hold: want a list, as in hold: [Plan, Region]"},
		{"show has a list in it", "show: [[x]]\n", "m.yaml: line 1: an entry of show has to be a text of 1 to 4096 bytes"},
		{"too large", strings.Repeat("#", maxMapping+1), "m.yaml: the mapping file is larger than 4 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadMapping(strings.NewReader(tt.file), "m.yaml")
			if err == nil || err.Error() != tt.err || triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("error is\n%v (%s), want\n%s", err, triage.CodeOf(err), tt.err)
			}
		})
	}
	broken := errors.New("disk on fire")
	if _, err := ReadMapping(iotest.ErrReader(broken), "m.yaml"); !errors.Is(err, broken) {
		t.Errorf("a broken reader gives %v", err)
	}
}

func FuzzReadMapping(f *testing.F) {
	for _, s := range []string{"labels: {a: {column: b, values: {c: d}}}", "hold: [x]\nshow: [y]\n", "labels:\n  a: &x {ordered: true}\n  b: *x\n",
		"labels: {a: {values: {? [x] : y}}}", "a: &a [*a]", "{\"labels\": {\"a\": null}}", "--- \n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadMapping(strings.NewReader(string(data)), "m.yaml")
		if err != nil {
			return
		}
		l, err := NewLabels(jiraLike, LabelOptions{Mapping: m})
		if err != nil {
			return
		}
		for name, entry := range m.Labels {
			for _, v := range entry.Values {
				labels, _, rowErr := l.Apply(rec(1, entry.Column, v.Theirs, "b", "x"))
				if got := labels[name]; rowErr == nil && len(got) > 200 {
					t.Errorf("label %q gets %q", name, got)
				}
			}
		}
		l.Report()
		l.Scales()
	})
}
