package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/testkit"
)

// opinions is a file with the labels of two people in two columns.
func opinions(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "opinions.csv")
	text := "id,body,first,second,=cmd()\n" +
		"1,a,low,low,x\n2,b,low,medium,x\n3,c,medium,medium,y\n4,d,high,high,x\n5,e,high,medium,y\n6,f,low,high,x\n7,g,medium,medium,y\n8,h,low,,x\n9,i,,low,x\n10,j,high,high,y\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAgreementOfTwoColumnsIsItsGolden(t *testing.T) {
	t.Parallel()
	name := opinions(t)
	for _, format := range report.FormatNames() {
		a := newTestApp()
		got := a.mustRun(t, "agreement", name+":first", name+":second", "--format", format)
		testkit.Golden(t, "testdata/agreement-columns-"+format+".golden", got)
	}
}

// twoSittings are two sittings over the same queue.
func twoSittings(t *testing.T) (ann, ben string) {
	t.Helper()
	dir := t.TempDir()
	ann, ben = filepath.Join(dir, "ann"), filepath.Join(dir, "ben")
	lines := func(route string) []string {
		return strings.Split(strings.Repeat(route+",high,easy,50,billing,low,easy,0,", 4), ",")
	}
	answering(lines("billing")...).mustRun(t, "play", "--out", ann, "--name", "ann")
	answering(append([]string{":skip"}, lines("technical")[4:]...)...).mustRun(t, "play", "--out", ben)
	return ann, ben
}

func TestAgreementOfRunsHasEachAgentAndTheTruth(t *testing.T) {
	t.Parallel()
	ann, ben := twoSittings(t)
	a := newTestApp()
	got := a.mustRun(t, "agreement", ann, ben, "--truth", "--list", "3")
	testkit.Golden(t, "testdata/agreement-runs.golden", got)
	if a.errs.Len() > 0 {
		t.Errorf("it warns: %s", a.errs.String())
	}
}

func TestTheJSONOfAgreementHasEveryPairsConfusion(t *testing.T) {
	t.Parallel()
	ann, ben := twoSittings(t)
	a := newTestApp()
	var got map[string]any
	if err := json.Unmarshal([]byte(a.mustRun(t, "agreement", ann, ben, "--truth", "--format", "json")), &got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"agreement", "alpha", "disagreements", "confusion queue route: ann, human", "confusion queue route: ann, truth", "confusion queue route: human, truth"} {
		if _, ok := got[want]; !ok {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestAgreementIsTheSameWhicheverWayRound(t *testing.T) {
	t.Parallel()
	name := opinions(t)
	rows := func(x, y string) string {
		a := newTestApp()
		text := a.mustRun(t, "agreement", name+":"+x, name+":"+y, "--format", "csv", "--list", "0")
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, "opinions.csv") {
				_, numbers, _ := strings.Cut(line, "opinions.csv:"+y)
				return numbers
			}
		}
		return ""
	}
	if diff := cmp.Diff(rows("first", "second"), rows("second", "first")); diff != "" || rows("first", "second") == "" {
		t.Errorf("%q: %s", rows("first", "second"), diff)
	}
}

func TestAPersonAgreesWithTheLabelsOfTheirOwnFile(t *testing.T) {
	t.Parallel()
	own, out := twoOpinions(t), filepath.Join(t.TempDir(), "me")
	answering(strings.Split(strings.Repeat("low,billing,", 12), ",")...).mustRun(t, "play", "--tickets", own, "--out", out)
	a := newTestApp()
	got := a.mustRun(t, "agreement", out, own, "--format", "csv", "--list", "0")
	var rows []string
	for line := range strings.SplitSeq(got, "\n") {
		if strings.HasPrefix(line, "priority,human") || strings.HasPrefix(line, "route,human") || strings.HasPrefix(line, "agreement,") && strings.Contains(line, "human") {
			rows = append(rows, line)
		}
	}
	if len(rows) < 2 || !strings.Contains(strings.Join(rows, "\n"), "12,0,0.333333") {
		t.Errorf("the rows are %q of\n%s", rows, got)
	}
}

func TestAgreementSaysWhatIsWrongWithItsSources(t *testing.T) {
	t.Parallel()
	name := opinions(t)
	ann, _ := twoSittings(t)
	empty := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "name two sources or more"},
		{"one column", []string{name + ":first"}, "has one rater"},
		{"one run of one agent", []string{ann}, "has one rater, ann"},
		{"a missing source", []string{"nowhere", "nothing"}, "nowhere: there is no such run folder or file of tickets"},
		{"a missing column", []string{name + ":third", name + ":first"}, "third"},
		{"a folder without a run", []string{empty, ann}, "no run"},
		{"an agent that is not there", []string{ann + ":ben", ann}, `the run has no agent "ben"; it has ann`},
		{"no field in common", []string{ann, name + ":first"}, "share no field"},
		{"truth of files", []string{name + ":first", name + ":second", "--truth"}, "--truth: among the sources is no run folder"},
		{"a negative list", []string{ann, ann, "--list", "-1"}, "--list -1 is not allowed"},
		{"an unknown format", []string{ann, ann, "--format", "xml"}, "not one of"},
		{"an output in no folder", []string{ann, ann, "--output", filepath.Join(empty, "no", "x.md")}, "there is no folder"},
		{"an output that is a file of the run", []string{ann, ann, "--output", filepath.Join(ann, "episodes.jsonl")}, "is a file of a run"},
	} {
		a := newTestApp()
		if code := a.run(t.Context(), append([]string{"agreement"}, c.args...)...); code != ExitUsage || !strings.Contains(a.errs.String(), c.want) {
			t.Errorf("%s: exit code %d, %s; want %q", c.name, code, a.errs.String(), c.want)
		}
	}
}

func TestAgreementWritesItsFileWhole(t *testing.T) {
	t.Parallel()
	name := opinions(t)
	out := filepath.Join(t.TempDir(), "agreement.md")
	a := newTestApp()
	if text := a.mustRun(t, "agreement", name+":first", name+":second", "--format", "markdown", "--output", out); text != "" {
		t.Errorf("printed was %q", text)
	}
	b := newTestApp()
	if diff := cmp.Diff(b.mustRun(t, "agreement", name+":first", name+":second", "--format", "markdown"), readFile(t, out)); diff != "" {
		t.Error(diff)
	}
	c := newTestApp()
	c.Out = failing{}
	if code := c.run(t.Context(), "agreement", name+":first", name+":second"); code != ExitUsage {
		t.Errorf("a broken output gives exit code %d", code)
	}
}

func TestAFieldWithoutAKnownScaleIsOrderedOnlyWhereItsValuesAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seen    []string
		want    int
		ordered bool
	}{
		{[]string{"10", "7", "9"}, 4, true}, {[]string{"low", "high"}, 2, true}, {[]string{"red", "blue"}, 2, false}, {[]string{"1", "5000000"}, 2, false}, {nil, 0, false},
	} {
		got := newScales().of("field", c.seen)
		if len(got.values) != c.want || got.ordered != c.ordered {
			t.Errorf("%v: %+v", c.seen, got)
		}
	}
	if got := newScales().of("queue urgency", []string{"urgent"}); got.ordered || len(got.values) != 5 {
		t.Errorf("beyond the scale: %+v", got)
	}
}

// scaled is a file of tickets whose labels ascend in an order that no rule guesses.
func scaled(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tickets.jsonl")
	text := `{"schema":"triage.tickets/1","source":"csv","labels":{"effort":{"ordered":true,"values":["zero","some","lots"]}},"redacted":false}` + "\n" +
		`{"id":"a","subject":"s","body":"one","labels":{"effort":"zero"},"fields":{}}` + "\n" +
		`{"id":"b","subject":"s","body":"two","labels":{"effort":"some"},"fields":{}}` + "\n" +
		`{"id":"c","subject":"s","body":"three","labels":{"effort":"lots"},"fields":{}}` + "\n" +
		`{"id":"d","subject":"s","body":"four","labels":{"effort":"zero"},"fields":{}}` + "\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRunsKeepTheOrderOfTheirOwnLabels(t *testing.T) {
	t.Parallel()
	own, dir := scaled(t), t.TempDir()
	ann, ben := filepath.Join(dir, "ann"), filepath.Join(dir, "ben")
	answering("zero", "some", "some", "lots").mustRun(t, "play", "--tickets", own, "--out", ann, "--name", "ann")
	answering("zero", "lots", "lots", "zero").mustRun(t, "play", "--tickets", own, "--out", ben, "--name", "ben")
	testkit.Golden(t, "testdata/agreement-own-scale.golden", newTestApp().mustRun(t, "agreement", ann, ben, "--truth"))
	table := func(args ...string) string { // of the two people
		text := newTestApp().mustRun(t, append([]string{"agreement", "--format", "csv", "--list", "0"}, args...)...)
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, "ann,ben") {
				return line
			}
		}
		return text
	}
	for _, args := range [][]string{{ann, ben, own}, {own, ann, ben}} {
		if d := cmp.Diff(table(args...), table(ann, ben, "--truth")); d != "" {
			t.Errorf("the file knows another scale (-file +runs):\n%s", d)
		}
	}
}

func TestDifferencesOfTheFirstSourceStandFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var names []string
	for i, text := range []string{"id,body,first\n5,a,low\n", "id,body,first\n4,a,low\n5,a,high\n", "id,body,first\n4,a,high\n5,a,low\n"} {
		name := filepath.Join(dir, string(rune('a'+i))+".csv")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name+":first")
	}
	got := newTestApp().mustRun(t, append([]string{"agreement"}, names...)...)
	_, got, _ = strings.Cut(got, "Where they differ")
	if first, second := strings.Index(got, "│ 5 "), strings.Index(got, "│ 4 "); first < 0 || second < first ||
		!strings.Contains(got, `"-" is no answer. An empty cell, "–" in tables, is a ticket or field that the source does not have.`) {
		t.Errorf("the list is %s", got)
	}
}
