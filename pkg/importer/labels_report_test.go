package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

func newLabels(t *testing.T, format Format, opts LabelOptions) *Labels {
	t.Helper()
	l, err := NewLabels(format, opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheReportCountsLabelsAndColumns(t *testing.T) {
	t.Parallel()
	l := newLabels(t, jiraLike, LabelOptions{Hold: []string{"plan"}})
	for i, r := range []*Record{
		rec(2, "Priority", "High", "Group", "b", "Resolution", "done", "plan", "pro", "Channel", "mail"),
		rec(3, "Priority", "P9", "Group", "a", "Resolution", "", "Channel", "web", "Reporter", "Ann"),
		rec(4, "Priority", "p8", "Group", "a", "Channel", "web"),
		rec(5, "Priority", "P9", "Channel", "web"), // no ticket
	} {
		if _, _, err := l.Apply(r); (err != nil) != (i == 3) {
			t.Errorf("record %d gives %v", i, err)
		}
	}
	want := LabelReport{
		Labels: []LabelCount{
			{Name: "priority", Column: "Priority", Usual: true, Ordered: true, Missing: 2,
				Values:  []ValueCount{{"low", 0, 0}, {"medium", 0, 0}, {"high", 1, 2}, {"critical", 0, 0}},
				Unknown: []ValueCount{{"P9", 2, 3}, {"p8", 1, 4}}},
			{Name: "route", Column: "Group", Usual: true, Values: []ValueCount{{"a", 2, 3}, {"b", 1, 2}}, Unknown: []ValueCount{}},
		},
		Held: []HeldColumn{{"Priority", Outcome, "it is label priority", 3}, {"Group", Outcome, "it is label route", 3},
			{"Resolution", Later, "known only when the ticket was resolved", 1}, {"plan", Later, "held back by --hold", 1},
			{"Reporter", Person, "says who the customer is", 1}},
		Shown: []string{"Channel"},
		Warnings: []string{`priority value "P9" is not on the scale of Jira: tickets without the label by that: 2, the first in line 3`,
			`priority value "p8" is not on the scale of Jira: tickets without the label by that: 1, the first in line 4`,
			"label priority has one value in all tickets: it tells nothing"},
	}
	if d := cmp.Diff(want, l.Report()); d != "" {
		t.Errorf("report differs (-want +got):\n%s", d)
	}
	scales := map[string]Scale{"priority": {true, []string{"low", "medium", "high", "critical"}}, "route": {false, []string{"a", "b"}}}
	if d := cmp.Diff(scales, l.Scales()); d != "" {
		t.Errorf("scales differ (-want +got):\n%s", d)
	}
	if err := l.Check(); err != nil {
		t.Errorf("check gives %v", err)
	}
}

func TestOpenLabelsTakeTheOrderOfAKnownScale(t *testing.T) {
	t.Parallel()
	no := false
	for _, tt := range []struct {
		name    string
		mapping *Mapping
		want    Scale
	}{
		{"by the values", nil, Scale{true, []string{"low", "high"}}},
		{"unless the mapping says that there is none", &Mapping{Labels: map[string]MappedLabel{"priority": {Column: "priority", Ordered: &no}}}, Scale{false, []string{"high", "low"}}},
	} {
		l := newLabels(t, Format{}, LabelOptions{Mapping: tt.mapping})
		apply(l, rec(2, "priority", "high"))
		apply(l, rec(3, "priority", "low"))
		if d := cmp.Diff(tt.want, l.Scales()["priority"]); d != "" {
			t.Errorf("%s: scale differs (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestAColumnThatGivesALabelAwayIsNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		n    int
		row  func(i int) (route, column string)
		want []Tell
	}{
		{"a copy in other words", 400, func(i int) (string, string) { return fmt.Sprint("r", i%4), fmt.Sprint("desk ", i%4) },
			[]Tell{{"desk", "route", 1, 396}}},
		{"a copy with slips", 400, func(i int) (string, string) { return fmt.Sprint("r", (i+i%50/49)%4), fmt.Sprint("desk ", i%4) },
			[]Tell{{"desk", "route", 388.0 / 396, 396}}},
		{"too few tickets", 50, func(i int) (string, string) { return fmt.Sprint("r", i%4), fmt.Sprint("desk ", i%4) }, nil},
		{"an id tells nothing", 400, func(i int) (string, string) { return fmt.Sprint("r", i%4), fmt.Sprint("id ", i) }, nil},
		{"one label in nearly all tickets", 400, func(i int) (string, string) { return fmt.Sprint("r", i/399), fmt.Sprint("desk ", i%4) }, nil},
		{"a hint is no copy", 400, func(i int) (string, string) { return fmt.Sprint("r", i%4), fmt.Sprint("desk ", i%2) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLabels(t, Format{}, LabelOptions{Labels: sm{"route": "route"}})
			for i := range tt.n {
				route, column := tt.row(i)
				apply(l, rec(i+2, "route", route, "desk", column))
			}
			report := l.Report()
			if d := cmp.Diff(tt.want, report.Tells); d != "" {
				t.Errorf("columns that tell differ (-want +got):\n%s", d)
			}
			for _, tell := range tt.want {
				want := fmt.Sprintf(`column "desk" tells label route in %.0f %% of 396 tickets: hold it back with --hold "desk"`, 100*tell.Share)
				if !strings.Contains(strings.Join(report.Warnings, "\n"), want) {
					t.Errorf("warnings %q lack %q", report.Warnings, want)
				}
			}
		})
	}
}

func TestCheckNamesColumnsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opts LabelOptions
		err  string
	}{
		{LabelOptions{Labels: sm{"a": "x"}}, `label a: no column "x": the columns are Type, plan`},
		{LabelOptions{Hold: []string{"x"}}, `--hold: no column "x": the columns are Type, plan`},
		{LabelOptions{Show: []string{"x"}}, `--show: no column "x": the columns are Type, plan`},
		{LabelOptions{Labels: sm{"a": "TYPE"}, Hold: []string{"Plan"}}, ""},
	} {
		l := newLabels(t, Format{}, tt.opts)
		apply(l, rec(2, "Type", "t", "plan", "p"))
		err := l.Check()
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != tt.err || triage.CodeOf(err) != triage.CodeUsage) {
			t.Errorf("error is %v, want %q", err, tt.err)
		}
	}
}

func TestManyValuesAreNoLabel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opts    LabelOptions
		check   string
		warning string
	}{
		{LabelOptions{}, "", `column "type" has more than 1000 different values: it is not taken for label type`},
		{LabelOptions{Labels: sm{"kind": "type", "route": "queue"}}, `label kind: column "type" has more than 1000 different values: it is not a label`, ""},
	} {
		l := newLabels(t, Format{}, tt.opts)
		for i := range 1001 {
			apply(l, rec(i+2, "type", fmt.Sprint("t", i), "queue", fmt.Sprint(i%2)))
		}
		if got := fmt.Sprint(l.Check()); got != tt.check && (tt.check != "" || got != "<nil>") {
			t.Errorf("check gives %s, want %q", got, tt.check)
		}
		if got := strings.Join(l.Report().Warnings, "; "); got != tt.warning && tt.warning != "" {
			t.Errorf("warnings are %s, want %s", got, tt.warning)
		}
		if _, ok := l.Scales()["type"]; ok {
			t.Error("the header has a label that is none")
		}
	}
}

func TestLabelOptionsThatContradict(t *testing.T) {
	t.Parallel()
	two := dataset.Scale{Values: []string{"a", "b"}}
	for _, tt := range []struct {
		opts LabelOptions
		err  string
	}{
		{LabelOptions{Labels: sm{"body": "x"}}, `labels: "body" cannot be the name of a label: it is a part of the ticket`},
		{LabelOptions{Labels: sm{"a": "X y"}, Show: []string{"x_Y"}}, `column "x_Y" cannot be shown: label a is read from it`},
		{LabelOptions{Hold: []string{"a"}, Show: []string{"A"}}, `column "A" is to be held back and to be shown`},
		{LabelOptions{Labels: sm{"a": "x"}, Scales: map[string]dataset.Scale{"a": two, "X": two}}, `two scales are for label a, one is called "a"`},
	} {
		if _, err := NewLabels(Format{}, tt.opts); err == nil || err.Error() != tt.err || triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("error is %v, want %s", err, tt.err)
		}
	}
}

func TestParseLabels(t *testing.T) {
	t.Parallel()
	got, err := ParseLabels([]string{"route=Group, priority = Priority", "area=a=b", "route=Group"})
	if d := cmp.Diff(map[string]string{"route": "Group", "priority": "Priority", "area": "a=b"}, got); d != "" || err != nil {
		t.Errorf("labels differ, %v (-want +got):\n%s", err, d)
	}
	for spec, want := range map[string]string{
		"route":        `--label "route" is not name=column, as in route=Group`,
		"=x":           `--label "=x" is not name=column, as in route=Group`,
		"":             `--label "" is not name=column, as in route=Group`,
		"metadata=x":   `--label metadata=x: "metadata" cannot be the name of a label: every action may carry a field of that name`,
		"a=x,a=y":      `--label a is given twice, as "x" and as "y"`,
		"route=Group,": `--label "" is not name=column, as in route=Group`,
	} {
		if _, err := ParseLabels([]string{spec}); err == nil || err.Error() != want {
			t.Errorf("%q gives %v, want %s", spec, err, want)
		}
	}
}

func TestTheSchemaIsTheSameOnBothSides(t *testing.T) {
	t.Parallel()
	if SchemaTickets != dataset.TicketsSchema {
		t.Errorf("files are written as %s and read as %s", SchemaTickets, dataset.TicketsSchema)
	}
}
