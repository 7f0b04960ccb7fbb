package compare_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// fileOf is the side of the results file that a run of these episodes writes; change may change the file before it is written.
func fileOf(t *testing.T, from string, change func(*results.Results), list ...played) *compare.Side {
	t.Helper()
	records := map[string][]results.Record{}
	for _, p := range list {
		l := new(results.Logged)
		if err := json.Unmarshal([]byte(p.line(t)), l); err != nil {
			t.Fatal(err)
		}
		records[p.task] = append(records[p.task], results.RecordOf(l.Episode()))
	}
	r := &results.Results{Generator: "2-aaaa", Grader: "1-bbbb", Split: "test", Bank: "public", Seed: 42, Agent: "a"}
	for _, task := range triage.Tasks() {
		if records[task.Name] != nil {
			r.Tasks = append(r.Tasks, results.Summarize(task, records[task.Name]))
		}
	}
	if change != nil {
		change(r)
	}
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := results.ReadResults(strings.NewReader(b.String()), from)
	if err != nil {
		t.Fatal(err)
	}
	return compare.FromResults(from, back, compare.Options{})
}

// older makes a file as earlier versions wrote it.
func older(r *results.Results) {
	for i := range r.Tasks {
		r.Tasks[i].Answers, r.Tasks[i].Broken = "", nil
	}
}

// queues are episodes of queue-easy from seed 42 on; those from the first of broke on broke.
func queues(n, broke int) []played {
	var out []played
	for i := range n {
		p := queueOf("a", int64(42+i), 1, 1)
		if i >= broke {
			p.broke = "gone"
		}
		out = append(out, p)
	}
	return out
}

// verdict judges one gate.
func verdict(t *testing.T, c *compare.Comparison, gate string) compare.Verdict {
	t.Helper()
	g, err := compare.ParseGate(gate)
	if err != nil {
		t.Fatal(err)
	}
	list, err := compare.Judge(c, []compare.Gate{g}, compare.JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

func TestATaskThatBrokeAltogetherCountsAsZeroInAResultsFileToo(t *testing.T) {
	t.Parallel()
	base := fileOf(t, "base.json", nil, queues(10, 10)...)
	for _, c := range []struct {
		name  string
		broke int
		fell  float64
	}{{"all", 0, -1}, {"half", 5, -0.5}} {
		task := compared(t, base, fileOf(t, "new.json", nil, queues(10, c.broke)...)).Tasks[0]
		if task.Score.Delta.Mean != c.fell || task.Pairs != 10 || task.NewBroke != 10-c.broke || task.BaseBroke != 0 || task.Broke != task.NewBroke || task.SameBytes || task.Incomplete != "" {
			t.Errorf("%s: %+v", c.name, task)
		}
	}
	// An older file does not say which broke: of a task in which all did there is nothing to compare, and that is said.
	easy := played{agent: "a", task: "desk-easy", seed: 42, position: -1, tickets: []ticketPlayed{{score: 1}}}
	c := compared(t, fileOf(t, "base.json", nil, append(queues(10, 10), easy)...), fileOf(t, "new.json", older, append(queues(10, 0), easy)...))
	if diff := cmp.Diff([]string{"queue-easy"}, c.BaseOnly); diff != "" || len(c.Tasks) != 1 || len(c.Warnings) != 1 {
		t.Errorf("%s %q", diff, c.Warnings)
	}
	_, err := compare.Compare(base, fileOf(t, "new.json", older, queues(10, 0)...), compare.Options{})
	if msg := usageOf(t, err); !strings.Contains(msg, "a (new.json) names no episode: all broke, and the file does not tell which") {
		t.Error(msg)
	}
}

// A run that was killed, or whose log was cut, may have been worse where it was not played.
func TestARunOfWhichEpisodesAreMissingIsNotComplete(t *testing.T) {
	t.Parallel()
	settings := runSettings("a", "episodes", "10", "episodes of queue-easy", "seeds 42 to 51")
	whole := sideOf(t, settings, "base", queues(10, 10)...)
	killed := sideOf(t, settings, "new", queues(2, 2)...)
	if whole.Tasks[0].Incomplete != "" || whole.Warnings != nil {
		t.Errorf("%q %q", whole.Tasks[0].Incomplete, whole.Warnings)
	}
	task := compared(t, whole, killed).Tasks[0]
	if task.Incomplete != "new: 2 of 10 planned episodes are there" || task.SameBytes {
		t.Errorf("%+v", task)
	}
	if diff := cmp.Diff([]string{"new: the run is not complete: 2 episodes of 10 are finished"}, killed.Warnings); diff != "" {
		t.Error(diff)
	}
	both := compared(t, killed, killed).Tasks[0]
	if both.Incomplete != "base: 2 of 10 planned episodes are there; new: 2 of 10 planned episodes are there" {
		t.Errorf("%q", both.Incomplete)
	}
	shard := sideOf(t, runSettings("a", "shard", "1/5", "episodes", "10", "episodes of queue-easy", "seeds 42 to 51"), "new", queueOf("a", 42, 1), queueOf("a", 47, 1))
	if shard.Tasks[0].Incomplete != "" || shard.Warnings != nil {
		t.Errorf("a whole shard: %q %q", shard.Tasks[0].Incomplete, shard.Warnings)
	}
	unplanned := sideOf(t, runSettings("a", "episodes", "9"), "new", queues(2, 2)...)
	if unplanned.Tasks[0].Incomplete != "2 episodes of 9 are finished" {
		t.Errorf("%q", unplanned.Tasks[0].Incomplete)
	}
}

func TestALogThatHoldsLessThanItsResultsFileTellsIsNotComplete(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, p := range queues(3, 3) {
		text.WriteString(p.line(t))
	}
	settings := runSettings("a")
	delete(settings, "episodes")
	f := writeRun(t, settings, results.EpisodesFile, text.String())
	f.Complete = true
	f.Results = []*results.Results{{Agent: "a", Tasks: []results.TaskSummary{{Task: triage.Tasks()[0], N: 9, Errors: 1}}}}
	sides, err := compare.FromFolder("r", f, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "episodes.jsonl holds 3 episodes, the results file tells of 10"
	if diff := cmp.Diff([]string{"r: queue-easy: " + want}, sides[0].Warnings); diff != "" || sides[0].Tasks[0].Incomplete != want {
		t.Errorf("%s %q", diff, sides[0].Tasks[0].Incomplete)
	}
}

// The same scores are not the same bytes: a results file knows of every answer whether any changed.
func TestAnswersThatChangedAreOtherBytesInResultsFilesToo(t *testing.T) {
	t.Parallel()
	other := queues(3, 3)
	other[1].tickets[0].got = "sales"
	base, new := fileOf(t, "base.json", nil, queues(3, 3)...), fileOf(t, "new.json", nil, other...)
	old := fileOf(t, "old.json", older, queues(3, 3)...)
	for _, c := range []struct {
		name      string
		base, new *compare.Side
		same      bool
		unknown   string
	}{
		{"the same", base, fileOf(t, "again.json", nil, queues(3, 3)...), true, ""},
		{"another answer", base, new, false, ""},
		{"a file and the folder of its run", base, sideOf(t, runSettings("a", "episodes", "3"), "x", queues(3, 3)...), true, ""},
		{"a file and a folder with another answer", base, sideOf(t, runSettings("a", "episodes", "3"), "x", other...), false, ""},
		{"an older base", old, base, false, "the answers of base are not known: a results file of an earlier version does not tell them"},
		{"an older new", base, old, false, "the answers of new are not known: a results file of an earlier version does not tell them"},
		{"two older ones", old, old, false, "the answers of both are not known: a results file of an earlier version does not tell them"},
		{"fewer episodes", base, fileOf(t, "new.json", nil, queues(2, 2)...), false, ""},
	} {
		task := compared(t, c.base, c.new).Tasks[0]
		if task.SameBytes != c.same || task.BytesUnknown != c.unknown || task.Differ != 0 {
			t.Errorf("%s: same %v, unknown %q, %d differ", c.name, task.SameBytes, task.BytesUnknown, task.Differ)
		}
		outcome := map[bool]compare.Outcome{true: compare.Pass, false: compare.Regression}[c.same]
		if c.unknown != "" {
			outcome = compare.Inconclusive
		}
		if v := verdict(t, compared(t, c.base, c.new), "identical"); v.Outcome != outcome {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestWhereNothingIsPairedNeitherBytesNorFlipsAreKnown(t *testing.T) {
	t.Parallel()
	base := sideOf(t, runSettings("a", "episodes", "3"), "x", queues(3, 3)...)
	other := queues(3, 3)
	for i := range other {
		for j := range other[i].tickets {
			other[i].tickets[j].text += " of another split"
		}
	}
	new := sideOf(t, runSettings("a", "episodes", "3", "split", "train"), "y", other...)
	c := compared(t, base, new, "split")
	task := c.Tasks[0]
	if task.Pairs != 0 || task.SameBytes || task.BytesUnknown != "nothing is paired" {
		t.Errorf("%+v", task)
	}
	for _, gate := range []string{"identical", "flips_broken == 0"} {
		if v := verdict(t, c, gate); v.Outcome != compare.Inconclusive {
			t.Errorf("%s: %+v", gate, v)
		}
	}
}

// A log that another program wrote again, with other escapes, spaces and order, has the same tickets and answers.
func TestALogThatWasWrittenAgainHasTheSameTicketsAndAnswers(t *testing.T) {
	t.Parallel()
	p := queueOf("a", 42, 1, 0.5)
	p.tickets[0].text, p.tickets[0].got = "Grüße <b>\u2028 😀", "technisch-ü"
	line := p.line(t)
	again := strings.NewReplacer("ü", `\u00fc`, "ß", `\u00df`, "😀", `\ud83d\ude00`, "\u2028", `\u2028`, "<", `\u003C`, ":", " : ").Replace(line)
	sides, err := compare.FromFolder("y", writeRun(t, runSettings("a"), results.EpisodesFile, again), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	task := compared(t, sideOf(t, runSettings("a"), "x", p), sides[0]).Tasks[0]
	if again == line || task.OtherTickets != 0 || task.Pairs != 2 || !task.SameBytes {
		t.Errorf("%+v", task)
	}
}

// One trial against two of a deterministic agent: what both played is the same, and nothing changed.
func TestOtherTrialsAreNoOtherBytes(t *testing.T) {
	t.Parallel()
	trial := func(p played, n int, got string) played {
		p.trial = n
		p.tickets = slices.Clone(p.tickets)
		p.tickets[0].got = got
		return p
	}
	x := queueOf("a", 42, 1, 0.5)
	once := []played{trial(x, 0, "first")}
	folder := func(list ...played) *compare.Side { return sideOf(t, runSettings("a", "episodes", "1"), "x", list...) }
	for _, c := range []struct {
		name      string
		base, new *compare.Side
		same      bool
		differ    int
		unknown   string
	}{
		{"the shared one is the same", folder(once...), folder(trial(x, 0, "first"), trial(x, 1, "second")), true, 0, ""},
		{"the shared one was answered otherwise", folder(once...), folder(trial(x, 0, "other"), trial(x, 1, "second")), false, 1, ""},
		{"all trials the same", folder(once...), folder(once...), true, 0, ""},
		{"results files tell answers only in all", fileOf(t, "x", nil, once...), fileOf(t, "y", nil, trial(x, 0, "first"), trial(x, 1, "second")), false, 0,
			"the sides do not have the same episodes, and results files do not tell the answers to single ones"},
	} {
		task := compared(t, c.base, c.new).Tasks[0]
		if task.SameBytes != c.same || task.Differ != c.differ || task.BytesUnknown != c.unknown {
			t.Errorf("%s: same %v, %d differ, unknown %q", c.name, task.SameBytes, task.Differ, task.BytesUnknown)
		}
	}
}

// One meaning of right for folders and files: a desk ticket is right where it reaches the task's target.
func TestADeskTicketIsRightWhereItReachesTheTarget(t *testing.T) {
	t.Parallel()
	desk := func(score float64) []played {
		return []played{{agent: "a", task: "desk-medium", seed: 42, position: -1, tickets: []ticketPlayed{{score: score, text: "t"}}}}
	}
	folders := compared(t, sideOf(t, runSettings("a"), "x", desk(0.6)...), sideOf(t, runSettings("a"), "y", desk(0.8)...)).Tasks[0]
	files := compared(t, fileOf(t, "x", nil, desk(0.6)...), fileOf(t, "y", nil, desk(0.8)...)).Tasks[0]
	if folders.Units != "tickets" || folders.Flips.Fixed != 1 || files.Flips.Fixed != 1 {
		t.Errorf("%+v\n%+v", folders.Flips, files.Flips)
	}
	queue := compared(t, sideOf(t, runSettings("a"), "x", queueOf("a", 42, 0.8)), sideOf(t, runSettings("a"), "y", queueOf("a", 42, 0.9))).Tasks[0]
	if queue.Flips.BothWrong != 1 {
		t.Errorf("%+v", queue.Flips)
	}
}

// Pairs that broke on both sides tell of no further scenario: they are one cluster together, and none is counted for them.
func TestPairsThatBrokeOnBothSidesAreNoFurtherScenarios(t *testing.T) {
	t.Parallel()
	base, new := queues(6, 3), queues(6, 3)
	new[0].tickets[0].score = 0
	task := compared(t, sideOf(t, runSettings("a", "episodes", "6"), "x", base...), sideOf(t, runSettings("a", "episodes", "6"), "y", new...)).Tasks[0]
	seen := map[int]bool{}
	for _, c := range task.ClusterOf {
		seen[c] = true
	}
	if task.Pairs != 12 || task.Broke != 6 || task.BaseBroke != 6 || task.NewBroke != 6 || task.Clusters != 6 || len(seen) != 7 {
		t.Errorf("%d clusters, %d in all: %+v", task.Clusters, len(seen), task)
	}
	if diff := cmp.Diff(task.ClusterOf[6:], []int{6, 6, 6, 6, 6, 6}, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// What is shown of a ticket with several trials is one of them: the order is that of what is shown.
func TestWhatMovedIsSortedByTheTrialThatIsShown(t *testing.T) {
	t.Parallel()
	trials := func(seed int64, scores ...float64) (out []played) {
		for i, s := range scores {
			p := queueOf("a", seed, s)
			p.trial = i
			out = append(out, p)
		}
		return out
	}
	base := slices.Concat(trials(42, 0.5, 0.5, 0.5), trials(43, 1, 1, 1), trials(44, 1, 1, 1))
	new := slices.Concat(trials(42, 0.9, 0.9, 0.9), trials(43, 1, 0, 1), trials(44, 1, 0, 0))
	c := compared(t, sideOf(t, runSettings("a"), "x", base...), sideOf(t, runSettings("a"), "y", new...))
	type shown struct {
		seed         int64
		trial        int16
		trials       int
		before, then float64
	}
	var got []shown
	for _, m := range c.Tasks[0].Moved {
		got = append(got, shown{m.Seed, m.Trial, m.Trials, m.Base.Score, m.New.Score})
	}
	if diff := cmp.Diff([]shown{{44, 1, 3, 1, 0}, {43, 1, 3, 1, 0}, {42, 0, 3, 0.5, 0.9}}, got, cmp.AllowUnexported(shown{})); diff != "" {
		t.Error(diff)
	}
}

func TestASourceIsTheSameByWhateverNameItIsGiven(t *testing.T) {
	t.Parallel()
	f := writeRun(t, runSettings("a,b"), results.EpisodesFile, queueOf("a", 42, 1).line(t)+queueOf("b", 42, 1).line(t))
	again, err := os.OpenRoot(f.Root.Name() + "/.")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	sides := func(from string, f *results.Folder) []*compare.Side {
		list, err := compare.FromFolder(from, f, compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	one, other := sides("x", f), sides("./x/", &results.Folder{Root: again, Settings: f.Settings})
	copied := sideOf(t, runSettings("a,b"), "y", queueOf("a", 42, 1))
	file, sameFile, otherFile := fileOf(t, "a/x.json", nil, queues(1, 1)...), fileOf(t, "a/../a/x.json", nil, queues(1, 1)...), fileOf(t, "y.json", nil, queues(1, 1)...)
	for _, c := range []struct {
		name string
		a, b *compare.Side
		want bool
	}{
		{"a folder by another name", one[0], other[0], true}, {"two agents of a folder", one[0], one[1], false}, {"another folder", one[0], copied, false},
		{"a folder and a file", one[0], file, false}, {"a file by another name", file, sameFile, true}, {"two files", file, otherFile, false},
	} {
		if got := c.a.Same(c.b); got != c.want || c.b.Same(c.a) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
