package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/triage"
)

func TestBodiesThatJoinNothingAreRefusedWithIDsOfBothSides(t *testing.T) {
	t.Parallel()
	table, lines := "ticket_no,comment\nT-1,You took it twice.\nT-2,Help\n", `{"key":"T-1","text":"You took it twice."}`+"\n"
	for name, tt := range map[string]struct {
		bodies string
		what   map[string]string
		want   string
	}{
		"a table": {table, map[string]string{"id": "ticket_no", "body": "comment"},
			`--bodies: b has no id of a ticket, so that no text was joined: it has ids such as "T-1", "T-2", of column "ticket_no"; the tickets have ids such as "1", "2", "3", of column "Id": say with --bodies-map id=COLUMN, or --map id=COLUMN, which columns hold the same ids`},
		"lines of JSON": {lines, map[string]string{"id": "key", "body": "text"}, `it has ids such as "T-1", of member "key"; the tickets have`},
	} {
		bodies := memory("b", tt.bodies)
		out, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Bodies: &bodies, BodiesMap: tt.what})
		if err == nil || !strings.Contains(err.Error(), tt.want) || triage.CodeOf(err) != triage.CodeUsage || out != "" {
			t.Errorf("%s: error %v (%s), written %q; want %s", name, err, triage.CodeOf(err), out, tt.want)
		}
	}
}

func TestWarningsOfTextsThatLackKnowOfTheSecondFile(t *testing.T) {
	t.Parallel()
	bodies := memory("b.csv", "id,body\n1,You took it twice.\n")
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Bodies: &bodies})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`3 of 4 tickets have no body, so that agents see the subject only: b.csv has none for them (it has ids such as "1", of column "id"; the tickets have ids such as "2", "3", "4", of column "Id")`}
	if d := cmp.Diff(want, res.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	_, res, err = imported(t, importer.Options{Sources: []importer.Source{memory("b.csv", "id,body,route\n1,text,a\n2,other,b\n")}, Bodies: &bodies})
	if err != nil {
		t.Fatal(err)
	}
	want = []string{"every ticket has a text of its own: nothing was taken from --bodies"}
	if d := cmp.Diff(want, res.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

func TestASlipInAMappingIsToldAndOneThatLeavesNoLabelRefused(t *testing.T) {
	t.Parallel()
	run := func(text string) (*importer.Result, error) {
		m, err := importer.ReadMapping(strings.NewReader(text), "m.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Labels: importer.LabelOptions{Mapping: m}})
		return res, err
	}
	res, err := run("labels: {route: {column: Group, values: {Biling: money, Tech: it, Nowhere: x}}, priority: }")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`label route: the mapping names the value "Biling", which column "Group" never has; it has "Billing" in 1 row, which the mapping does not name`,
		`label route: the mapping names the value "Nowhere", which column "Group" never has`}
	if d := cmp.Diff(want, res.Labels.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	for name, tt := range map[string][2]string{
		"other none": {"labels: {route: {column: Group, values: {Biling: money}, other: none}, priority: }",
			`label route: no ticket has a value of it: the mapping names none of the values of column "Group" and says other: none; the column has "Tech" (2), "Billing" (1), "Sales" (1) (the mapping names the value "Biling", which column "Group" never has; it has "Billing" in 1 row, which the mapping does not name): name them under values, or say other: keep`},
		"off the scale": {"labels: {route: {column: Group, scale: [a, b]}, priority: }",
			`label route: no ticket has a value of it: what column "Group" has is not on the scale of the mapping: "Tech" (2), "Billing" (1), "Sales" (1); correct the scale, or map the values to it (--mapping, --suggest drafts one)`},
		"all null": {"labels: {route: {column: Group, values: {Billing: null, Tech: null, Sales: null}}, priority: }",
			`label route: no ticket has a value of it: the mapping makes null of all values of column "Group": name one that is kept, or leave the label out`},
		"a list": {"labels: {route: {column: Tags}, priority: }",
			`label route: no ticket has a value of it: column "Tags" has lists, of which the values behind its own name are taken, as in route/billing or route: billing; a mapping says which others are one (--suggest drafts it)`},
	} {
		if _, err := run(tt[0]); err == nil || err.Error() != tt[1] || triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%s: error\n%v (%s), want\n%s", name, err, triage.CodeOf(err), tt[1])
		}
	}
	_, _, err = imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", strings.ReplaceAll(desk, ",crash,", ",,"))}, Labels: importer.LabelOptions{Labels: map[string]string{"x": "Via", "priority": "Priority"}}})
	if err == nil || !strings.Contains(err.Error(), `no column "Via"`) {
		t.Errorf("a column that is not there gives %v", err)
	}
}

func TestWarningsOfNearDuplicatesNameTheirFirstByItsID(t *testing.T) {
	t.Parallel()
	text := "id,subject,body,route\nA-1,one,quite another matter,a\n"
	for i := range 30 {
		text += fmt.Sprintf("B-%d,backup,The nightly backup of the server has failed and nobody knows why it did so,b\n", i)
	}
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", text)}, Split: &importer.SplitOptions{Test: 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(res.Split.Warnings, "\n"); !strings.Contains(all, "are near-duplicates, the first of them B-0: ") || strings.Contains(all, "the first of them ticket") {
		t.Errorf("warnings are\n%s", all)
	}
}
