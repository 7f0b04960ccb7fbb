package importer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/split"
	"github.com/triagebench/triage/pkg/triage"
)

// column gives a member of each line of a file of tickets.
func column(t *testing.T, out string, of func(*importer.Line) string) []string {
	t.Helper()
	var all []string
	for _, text := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		var l importer.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, of(&l))
	}
	return all
}

// letters is an export of letters of one template, in which names are much of the text.
func letters(n int) string {
	firsts, lasts := strings.Fields("Anna Bob Carla Dmitri Elodie Farah Greta Hamish"), strings.Fields("Weber Ross Novak Okoro Laurent Zhao Mackie Holm")
	var b strings.Builder
	b.WriteString("id,requester,subject,body,route,created\n")
	for i := range n {
		who := func(k int) string { return firsts[(i+k)%8] + " " + lasts[(i/8+3*k)%8] }
		fmt.Fprintf(&b, "%d,%s,Seat,\"Dear %s,\nplease give the seat of Mr. %s to Mrs. %s and tell Mr. %s about it today.\nBest regards,\n%s\",r%d,2024-01-%02d %02d:00\n",
			i, who(0), who(1), who(2), who(3), who(4), who(0), i%2, 1+i/24, i%24)
	}
	return b.String()
}

func TestRedactingMovesNoTicketToAnotherSide(t *testing.T) {
	t.Parallel()
	sides := func(r *redact.Redactor) ([]string, *split.Result) {
		out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", letters(60))}, Split: &importer.SplitOptions{}, Redact: r})
		if err != nil {
			t.Fatal(err)
		}
		return column(t, out, func(l *importer.Line) string { return l.ID + " " + l.Split }), res.Split
	}
	plain, of := sides(nil)
	hidden, with := sides(redact.New(redact.Options{}))
	if d := cmp.Diff(plain, hidden); d != "" || of.Groups != with.Groups || of.Test != with.Test {
		t.Errorf("%d groups and %d for testing, redacted %d and %d; sides (-plain +redacted):\n%s", of.Groups, of.Test, with.Groups, with.Test, d)
	}
}

func TestNamesThatLaterTicketsTellAreHiddenInEarlierOnes(t *testing.T) {
	t.Parallel()
	data := "id,requester,subject,body,route,plan\n1,Bob Ross,Seat,\"It was\nAnna Weber at the desk\",Anna Weber,for Anna Weber\n2,Anna Weber,Other,Hello,Bob Ross,x\n"
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", data)}, Redact: redact.New(redact.Options{}),
		Labels: importer.LabelOptions{Labels: map[string]string{"route": "route"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := column(t, out, func(l *importer.Line) string { return fmt.Sprint(l.ID, " ", l.Body, " ", l.Fields, " ", l.Labels) })
	want := []string{"1 It was\n[NAME_1] at the desk map[plan:for [NAME_1]] map[route:Anna Weber]", "2 Hello map[plan:x] map[route:Bob Ross]"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tickets (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]redact.Count{{Kind: redact.Name, Places: 2, Values: 1}}, res.Redacted); d != "" {
		t.Errorf("redacted (-want +got):\n%s", d)
	}
}

func TestAnEmptyTestSideIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("id,subject,route,created\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,Printer %d is offline again,r,2024-01-%02d\n", i, i, 1+i%28)
	}
	out, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", b.String())}, Split: &importer.SplitOptions{}})
	want := "split by time: of 40 tickets none is left for testing: 8 tickets changed side to stay with near-duplicates; --split random keeps more of them for testing, --split none makes no sides"
	if err == nil || out != "" || triage.CodeOf(err) != triage.CodeUsage || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v (%s), written %q; want %s", err, triage.CodeOf(err), out, want)
	}
}

func TestSidesThatDifferInALabelAreSaid(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("id,subject,body,route,created\n")
	for i := range 200 {
		route := "old"
		if i >= 160 {
			route = [...]string{"new", "old", "newer", "new"}[i%4]
		}
		fmt.Fprintf(&b, "%d,s,w%s x%s y%s,%s,2024-%02d-%02d\n", i, strings.Repeat("a", i), strings.Repeat("b", i), strings.Repeat("c", i), route, 1+i/28, 1+i%28)
	}
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", b.String())}, Split: &importer.SplitOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(res.Split.Warnings, "\n")
	for _, want := range []string{`label route: "old" has 100 % of the tickets for training and 25 % of those for testing`, `label route: 2 values are there for testing only, so that nobody can learn them: "new", "newer"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
