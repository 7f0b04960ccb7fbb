package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

// jiraLike is a desk with a scale.
var jiraLike = Format{Name: "jira-csv", Title: "Jira", Priority: []Step{{"Lowest", triage.UrgencyLow}, {"Low", triage.UrgencyLow},
	{"Medium", triage.UrgencyMedium}, {"High", triage.UrgencyHigh}, {"Highest", triage.UrgencyCritical}}}

// rec makes a record of fields, name and value in turn.
func rec(line int, fields ...string) *Record {
	r := &Record{Line: line, Subject: "s"}
	for i := 0; i < len(fields); i += 2 {
		r.Fields = append(r.Fields, Field{fields[i], fields[i+1]})
	}
	return r
}

type sm = map[string]string

// applied is what came of one record.
type applied struct {
	Labels, Fields sm
	Err            string
}

func apply(l *Labels, r *Record) applied {
	labels, fields, err := l.Apply(r)
	if err != nil {
		return applied{Err: err.Error()}
	}
	return applied{Labels: labels, Fields: fields}
}

func mapping(t *testing.T, text string) *Mapping {
	t.Helper()
	m, err := ReadMapping(strings.NewReader(text), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestApplyGivesLabelsAndFields(t *testing.T) {
	t.Parallel()
	zendesk := jiraLike
	zendesk.Name, zendesk.Title = "zendesk-json", "Zendesk"
	for _, tt := range []struct {
		name    string
		format  Format
		opts    LabelOptions
		mapping string
		rec     *Record
		want    applied
	}{
		{name: "usual columns of a desk with a scale", format: jiraLike,
			rec:  rec(2, "Priority", "Highest", "Group", "Billing", "Issue Type", "Bug", "Category", "Refund", "Channel", "email"),
			want: applied{Labels: sm{"priority": "critical", "route": "Billing", "type": "Bug", "category": "Refund"}, Fields: sm{"Channel": "email"}}},
		{name: "without a scale the desk's words stay", rec: rec(2, "priority", "P1", "queue", "IT", "severity", "bad"),
			want: applied{Labels: sm{"priority": "P1", "route": "IT", "severity": "bad"}, Fields: sm{}}},
		{name: "null is medium at Zendesk", format: zendesk, rec: rec(2, "priority", "", "type", ""),
			want: applied{Labels: sm{"priority": "medium"}, Fields: sm{}}},
		{name: "null is no priority elsewhere", format: jiraLike, rec: rec(2, "priority", "", "type", "Bug"),
			want: applied{Labels: sm{"type": "Bug"}, Fields: sm{}}},
		{name: "a value off the scale is no label", format: jiraLike, rec: rec(2, "priority", "P9", "type", "Bug"),
			want: applied{Labels: sm{"type": "Bug"}, Fields: sm{}}},
		{name: "a ticket without any label is none", format: jiraLike, rec: rec(7, "priority", "P9"),
			want: applied{Err: `line 7: no label: label priority: "P9" is not on the scale of Jira`}},
		{name: "no column that is usually a label", rec: rec(7, "channel", "x"),
			want: applied{Err: "line 7: no label: no column is usually a label, of channel; name one with --label NAME=COLUMN, --suggest prints those that look like one"}},
		{name: "chosen labels leave the usual ones hidden", format: jiraLike, opts: LabelOptions{Labels: sm{"team": "assignment_group"}},
			rec:  rec(2, "Assignment Group", "a", "Group", "b", "Priority", "High", "plan", "pro"),
			want: applied{Labels: sm{"team": "a"}, Fields: sm{"plan": "pro"}}},
		{name: "a chosen priority is on the desk's scale whatever its name", format: jiraLike, opts: LabelOptions{Labels: sm{"urgency": "Priority"}},
			rec: rec(2, "Priority", " HIGH "), want: applied{Labels: sm{"urgency": "high"}, Fields: sm{}}},
		{name: "a scale of the user's wins over the desk's", format: jiraLike,
			opts: LabelOptions{Scales: map[string]dataset.Scale{"priority": {Ordered: true, Values: []string{"High", "Low"}}}},
			rec:  rec(2, "Priority", "low"), want: applied{Labels: sm{"priority": "Low"}, Fields: sm{}}},
		{name: "person, later and custom columns are held back",
			rec:  rec(2, "type", "x", "Requester", "Ann", "Resolution notes", "done", "Cause [list]", "cable", "Tags", "a", "from.name", "Ann", "from.plan", "pro"),
			want: applied{Labels: sm{"type": "x"}, Fields: sm{"from.plan": "pro"}}},
		{name: "--hold and --show have the last word", opts: LabelOptions{Hold: []string{"Plan"}, Show: []string{"cause [list]"}},
			rec:  rec(2, "type", "x", "plan", "pro", "Cause [list]", "cable"),
			want: applied{Labels: sm{"type": "x"}, Fields: sm{"Cause [list]": "cable"}}},
		{name: "a usual label that is held back is none", opts: LabelOptions{Hold: []string{"queue"}}, rec: rec(2, "type", "x", "queue", "q"),
			want: applied{Labels: sm{"type": "x"}, Fields: sm{}}},
		{name: "copies of a label are held back", opts: LabelOptions{Labels: sm{"area": "Product"}},
			rec:  rec(2, "Product", "a", "Product ID", "7", "product_2", "a", "Product version", "1.2"),
			want: applied{Labels: sm{"area": "a"}, Fields: sm{"Product version": "1.2"}}},
		{name: "the most serious priority of a list of labels", opts: LabelOptions{Labels: sm{"priority": "labels", "area": "labels"}},
			rec:  rec(2, "labels", "bug\npriority: low\nP1\narea/ui\nhigh contrast"),
			want: applied{Labels: sm{"priority": "high", "area": "ui"}, Fields: sm{}}},
		{name: "two values of an unordered label are none", opts: LabelOptions{Labels: sm{"priority": "labels", "area": "labels"}},
			rec:  rec(2, "labels", "P1\narea/ui\narea: db"),
			want: applied{Labels: sm{"priority": "high"}, Fields: sm{}}},
		{name: "GitHub's labels have the priority", format: Format{Name: "github"}, rec: rec(2, "labels", "bug\nseverity/critical"),
			want: applied{Labels: sm{"priority": "critical", "type": "bug"}, Fields: sm{}}},
		{name: "GitHub's labels without a priority", format: Format{Name: "github"}, rec: rec(2, "labels", "kind/Feature Request\nhelp wanted"),
			want: applied{Labels: sm{"type": "feature"}, Fields: sm{}}},
		{name: "a mapping merges, whatever the case", mapping: "labels: {route: {column: Group, values: {Billing EMEA: billing, billing us: billing}}}",
			rec: rec(2, "Group", "BILLING US"), want: applied{Labels: sm{"route": "billing"}, Fields: sm{}}},
		{name: "a mapping keeps the rest", mapping: "labels: {route: {column: Group, values: {a: b}}}",
			rec: rec(2, "Group", "other"), want: applied{Labels: sm{"route": "other"}, Fields: sm{}}},
		{name: "null drops the label", mapping: "labels: {route: {column: Group, values: {a: null}}, type: }",
			rec: rec(2, "Group", "a", "type", "x"), want: applied{Labels: sm{"type": "x"}, Fields: sm{}}},
		{name: "drop drops the ticket", mapping: "labels: {route: {column: Group, values: {Junk: {drop: true}}}, type: }",
			rec: rec(9, "Group", "junk", "type", "x"), want: applied{Err: `line 9: dropped by the mapping: label route: "junk"`}},
		{name: "the rest becomes one value", mapping: "labels: {route: {column: Group, values: {a: b}, other: {value: rest}}}",
			rec: rec(2, "Group", "z"), want: applied{Labels: sm{"route": "rest"}, Fields: sm{}}},
		{name: "the rest is no label", mapping: "labels: {route: {column: Group, values: {a: b}, other: none}, type: }",
			rec: rec(2, "Group", "z", "type", "x"), want: applied{Labels: sm{"type": "x"}, Fields: sm{}}},
		{name: "the rest is dropped", mapping: "labels: {route: {column: Group, values: {a: b}, other: drop}}",
			rec: rec(2, "Group", "z"), want: applied{Err: `line 2: dropped by the mapping: label route: "z"`}},
		{name: "an empty cell can be mapped", mapping: `labels: {route: {column: Group, values: {"": unsorted}}}`,
			rec: rec(2, "Group", " "), want: applied{Labels: sm{"route": "unsorted"}, Fields: sm{}}},
		{name: "an ordered mapping closes the scale", format: jiraLike, mapping: "labels: {priority: {ordered: true, values: {P2: minor, P1: major}}, type: }",
			rec: rec(2, "priority", "P3", "type", "x"), want: applied{Labels: sm{"type": "x"}, Fields: sm{}}},
		{name: "a mapping without values leaves the desk's scale", format: jiraLike, mapping: "labels: {priority: {column: Priority}}",
			rec: rec(2, "priority", "High"), want: applied{Labels: sm{"priority": "high"}, Fields: sm{}}},
		{name: "hostile texts", opts: LabelOptions{Labels: sm{"x": "c"}}, rec: rec(2, "c", "=cmd()|<script>\x00\xff", "=f\x01", "<b>\x02"),
			want: applied{Labels: sm{"x": "=cmd()|<script>\x00\xff"}, Fields: sm{"=f\x01": "<b>\x02"}}},
		{name: "a text is no label", opts: LabelOptions{Labels: sm{"x": "c"}}, rec: rec(2, "c", strings.Repeat("a", 1<<20)),
			want: applied{Err: `line 2: no label: label x: "` + strings.Repeat("a", 60) + `…" is not on the list of labels: it is a text`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.mapping != "" {
				tt.opts.Mapping = mapping(t, tt.mapping)
			}
			l, err := NewLabels(tt.format, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			got := apply(l, tt.rec)
			if got.Fields == nil && got.Err == "" {
				t.Error("fields are nil")
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("record comes to something else (-want +got):\n%s", d)
			}
		})
	}
}
