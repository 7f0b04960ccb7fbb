package compare_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

func TestAFolderGivesASideForEachAgent(t *testing.T) {
	t.Parallel()
	text := queueOf("b", 42, 1, 0.5).line(t) + queueOf("a", 42, 0).line(t) + queueOf("stranger", 42, 0).line(t)
	f := writeRun(t, runSettings("a,b,c", "agent b: model", "m", "agent a: x", "y"), results.EpisodesFile, text)
	sides, err := compare.FromFolder("runs/1", f, compare.Options{Deterministic: func(agent string, settings map[string]string) bool {
		return agent == "b" && settings["model"] == "m"
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(sides) != 2 || sides[0].Name != "a" || sides[1].Name != "b" || sides[0].Deterministic || !sides[1].Deterministic || !sides[1].Whole || sides[1].From != "runs/1" {
		t.Fatalf("%+v", sides)
	}
	if diff := cmp.Diff(map[string]string{"generator": "2-aaaa", "grader": "1-bbbb", "split": "test", "secret": "", "bank": "public"}, sides[1].Identity); diff != "" {
		t.Error(diff)
	}
	e := sides[1].Tasks[0].Episodes[0]
	ticket := e.Tickets[0]
	if e.Place != (compare.Place{Seed: 42, Position: -1}) || e.Score != 0.75 || e.Efficiency != 0.375 || ticket.ID != "TKT-42-0" || ticket.Text == 0 || ticket.Answer == 0 ||
		ticket.Scenario != "scenario/42-0" || ticket.Score != 1 || e.Tickets[1].Score != 0.5 || ticket.Parts[0].Why.String() != "because" || ticket.Text == e.Tickets[1].Text {
		t.Errorf("%+v", e)
	}
}

// lessons D58 and D63: what counts are the records; of one episode that was played again the last.
func TestARunThatGoesOnIsReadAsFarAsItIs(t *testing.T) {
	t.Parallel()
	first, again := queueOf("a", 42, 0, 0), queueOf("a", 42, 1, 1)
	text := first.line(t) + queueOf("a", 43, 1).line(t) + again.line(t) + `{"key":{"agent":"a","ta`
	f := writeRun(t, runSettings("a", "episodes", "9"), results.JournalFile, text)
	sides, err := compare.FromFolder("r", f, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := sides[0].Tasks[0].Episodes; len(e) != 2 || e[0].Score != 1 || e[1].Seed != 43 {
		t.Errorf("%+v", e)
	}
	want := []string{"r: the last line is torn and left out", "r: the run is not complete: 2 episodes of 9 are finished"}
	if diff := cmp.Diff(want, sides[0].Warnings); diff != "" {
		t.Error(diff)
	}
	if c := compared(t, sides[0], sides[0]); len(c.Warnings) != 2 {
		t.Errorf("%q", c.Warnings)
	}
}

func TestFoldersThatCannotBeReadAreRefusedWithTheLine(t *testing.T) {
	t.Parallel()
	good := queueOf("a", 42, 1).line(t)
	over := queueOf("a", 43, 1)
	over.tickets[0].score = 1.5
	part := strings.Replace(queueOf("a", 43, 1).line(t), `"value":1`, `"value":-1`, 1)
	late := queueOf("a", 43, 1)
	late.trial = 40_000
	far := queueOf("a", 43, 1)
	far.position = 2_000_000_000
	for _, c := range []struct{ name, text, want string }{
		{"no episodes at all", "", "no episode of its agents (a) is finished"},
		{"no line of JSON", good + "what is this\n" + good, ":2: not an episode"},
		{"a score above 1", good + strings.Replace(over.line(t), `"reward":1.5,"score":1.5,"steps"`, `"reward":1,"score":1,"steps"`, 1), "episode a/queue-easy/43: step 0: score 1.5 is not from 0 to 1"},
		{"a part below 0", good + part, `episode a/queue-easy/43: step 0: "route" has -1, which is not from 0 to 1`},
		{"a trial beyond all", late.line(t), "trial 40000 or position 0 is too large: at most 32767 and 1073741824"},
		{"a position beyond all", far.line(t), "trial 0 or position 2000000000 is too large"},
		{"another agent only", queueOf("b", 42, 1).line(t), "no episode of its agents (a) is finished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compare.FromFolder("r", writeRun(t, runSettings("a"), results.EpisodesFile, c.text), compare.Options{})
			if err == nil || triage.CodeOf(err) != triage.CodeFiles || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want one with %q", err, c.want)
			}
		})
	}
	f := writeRun(t, runSettings("a"), "other", "")
	if _, err := compare.FromFolder("r", f, compare.Options{}); triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("a folder without episodes: %v", err)
	}
}

func TestAFolderThatVanishesWhileTicketsAreLookedUpIsAnError(t *testing.T) {
	t.Parallel()
	f := writeRun(t, runSettings("a,b"), results.EpisodesFile, queueOf("a", 42, 1, 1).line(t)+queueOf("b", 42, 1, 0).line(t))
	sides, err := compare.FromFolder("r", f, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Root.Remove(results.EpisodesFile); err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Compare(sides[0], sides[1], compare.Options{}); triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("%v", err)
	}
	if _, err := compare.Compare(sides[0], sides[1], compare.Options{Moved: -1}); err != nil {
		t.Errorf("nothing is to be looked up: %v", err)
	}
}

// Tickets and answers are strangers' texts: long ones are cut, and what is not UTF-8 or no text of one line does no harm.
func TestHostileTextsAreKeptShort(t *testing.T) {
	t.Parallel()
	hostile := queueOf("a", 42, 0.5, 1)
	hostile.tickets[0].got = strings.Repeat("ä<script>=cmd()|\x00\x1b[31m\u202e", 40_000)
	hostile.tickets[0].why = strings.Repeat("x", 1<<20)
	hostile.tickets[0].text = "=cmd()|<script>\x00" + strings.Repeat("y", 1<<20)
	s := sideOf(t, runSettings("a"), "x", hostile)
	p := s.Tasks[0].Episodes[0].Tickets[0].Parts[0]
	if len(p.Why.Got) > 205 || !strings.HasSuffix(p.Why.Got, "…") || strings.Contains(p.Why.Got, "�") || p.Why.String() != "" || p.Why.Want != "billing" {
		t.Errorf("%d bytes: %q", len(p.Why.Got), p.Why.Got)
	}
	c := compared(t, s, sideOf(t, runSettings("a"), "y", func() played { h := queueOf("a", 42, 1, 1); h.tickets[0].text = hostile.tickets[0].text; return h }()))
	if m := c.Tasks[0].Moved[0]; m.Base.Parts[0].Why.Got != hostile.tickets[0].got || !strings.Contains(m.Base.Answer, "script") || m.Subject != hostile.tickets[0].text {
		t.Error("what moved is looked up whole")
	}
}

func TestAnEnvironmentThatTellsOnlyTheScoreHasNoTickets(t *testing.T) {
	t.Parallel()
	sealed := strings.ReplaceAll(queueOf("a", 42, 1, 0.5).line(t), `"score":{"parts"`, `"score":null,"was":{"parts"`)
	desk := strings.ReplaceAll(played{agent: "a", task: "desk-easy", seed: 42, position: -1, tickets: []ticketPlayed{{score: 1, text: "t"}}}.line(t), `"score":{"parts"`, `"score":null,"was":{"parts"`)
	sides, err := compare.FromFolder("r", writeRun(t, runSettings("a"), results.EpisodesFile, sealed+desk), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	open := sideOf(t, runSettings("a"), "y", queueOf("a", 42, 1, 1))
	c := compared(t, sides[0], open)
	if task := c.Tasks[0]; sides[0].Whole || task.Units != "episodes" || task.Pairs != 1 || task.Score.Delta.Mean != 0.25 || sides[0].Tasks[1].Episodes[0].Tickets != nil {
		t.Errorf("%+v", task)
	}
}

// What broke counts as 0 where the file names it, one trial of several too; where an older file does not, nothing is made up.
func TestWhatBrokeIsTakenFromAResultsFileAndNeverGuessed(t *testing.T) {
	t.Parallel()
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	seeds := []results.Seed{{Seed: 42, Position: -1, Score: 1}, {Seed: 44, Position: -1, Trial: 1, Score: 1}}
	file := func(errors int, broken ...results.Playing) *compare.Side {
		return compare.FromResults("f.json", &results.Results{Agent: "a", Seed: 42, Tasks: []results.TaskSummary{{Task: task, N: len(seeds), Errors: errors, Seeds: seeds, Broken: broken}}},
			compare.Options{})
	}
	s := file(2, results.Playing{Seed: 43, Position: -1}, results.Playing{Seed: 44, Position: -1})
	var got []results.Playing
	for _, e := range s.Tasks[0].Episodes {
		if !e.Scored {
			got = append(got, results.Playing{Seed: e.Seed, Position: e.Position, Trial: e.Trial})
		}
	}
	if diff := cmp.Diff([]results.Playing{{Seed: 43, Position: -1}, {Seed: 44, Position: -1}}, got); diff != "" || s.Warnings != nil || s.Tasks[0].Incomplete != "" {
		t.Errorf("%s %q %q", diff, s.Warnings, s.Tasks[0].Incomplete)
	}
	old := file(60)
	if diff := cmp.Diff([]string{"f.json: queue-hard: 60 episodes broke, and the file does not tell which: they are in no pair"}, old.Warnings); diff != "" ||
		len(old.Tasks[0].Episodes) != 2 || old.Tasks[0].Incomplete != "60 episodes broke, and the file does not tell which: they are in no pair" {
		t.Errorf("%s %+v", diff, old.Tasks[0])
	}
	c := compared(t, s, old)
	if task := c.Tasks[0]; task.Incomplete != "new: 60 episodes broke, and the file does not tell which: they are in no pair" || task.BaseOnly != 1 || task.SameBytes {
		t.Errorf("%+v", task)
	}
}

// The committed scores load, and each compares with itself.
func TestCommittedScoresCompareWithThemselves(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../baselines/scores/*.json")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := results.ReadResults(bytes.NewReader(data), name)
		if err != nil {
			t.Fatal(err)
		}
		s := compare.FromResults(name, r, compare.Options{})
		c := compared(t, s, s)
		for _, task := range c.Tasks {
			sum := r.Tasks[0]
			for _, x := range r.Tasks {
				if x.Task.Name == task.Task.Name {
					sum = x
				}
			}
			if !task.SameBytes || task.Pairs != sum.N+sum.Errors || math.Abs(task.Score.Base-sum.WithErrors.Mean) > 1e-6 {
				t.Errorf("%s: %+v", name, task)
			}
		}
	}
}

func TestSidesOfOneAgentAreCalledByWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	sides := []*compare.Side{{Agent: "a", From: "x"}, {Agent: "b", From: "x"}, {Agent: "a", From: "y"}}
	compare.Label(sides)
	var got []string
	for _, s := range sides {
		got = append(got, s.Name)
	}
	if diff := cmp.Diff([]string{"a (x)", "b", "a (y)"}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
