package compare_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// lessons B28 and D59: everything that differs is named at once, with what would let it pass.
func TestRunsThatAreNotOfTheSameAreRefusedWithEverythingThatDiffers(t *testing.T) {
	t.Parallel()
	list := []played{queueOf("a", 42, 1, 0.5, 0.5)}
	model := func(temperature string) []string {
		return []string{"agent a: temperature", temperature, "agent a: model", "m"}
	}
	for _, c := range []struct {
		name      string
		base, new []string // settings that are not the usual ones
		allow     []string
		want      string // empty for no refusal
		allowed   []compare.Mismatch
	}{
		{"all of the identity", nil, []string{"generator", "2-zzzz", "grader", "9", "split", "train", "secret", "0badcafe", "bank", "private"}, nil,
			`a (x) and a (y) are not runs of the same: generator is "2-aaaa" and "2-zzzz" (--allow generator); grader is "1-bbbb" and "9" (--allow grader); split is "test" and "train" (--allow split); secret is none and "0badcafe" (--allow secret); bank is "public" and "private" (--allow bank)`, nil},
		{"a setting", model("0"), model("1"), nil,
			`a (x) and a (y) are not runs of the same: settings.temperature is "0" and "1" (--allow settings.temperature, or settings for all)`, nil},
		{"a setting that only one has", model("0"), nil, nil,
			`a (x) and a (y) are not runs of the same: settings.model is "m" and none (--allow settings.model, or settings for all); settings.temperature is "0" and none (--allow settings.temperature, or settings for all)`, nil},
		{"one of two is allowed", model("0"), nil, []string{"settings.model"},
			`a (x) and a (y) are not runs of the same: settings.temperature is "0" and none (--allow settings.temperature, or settings for all)`, nil},
		{"the setting is allowed", model("0"), model("1"), []string{"settings.temperature"}, "", []compare.Mismatch{{Key: "settings.temperature", Base: "0", New: "1"}}},
		{"all settings are allowed", model("0"), model("1"), []string{"settings"}, "", []compare.Mismatch{{Key: "settings.temperature", Base: "0", New: "1"}}},
		{"another grader is allowed", nil, []string{"grader", "9"}, []string{"grader"}, "", []compare.Mismatch{{Key: "grader", Base: "1-bbbb", New: "9"}}},
		{"what is allowed and does not differ", nil, nil, []string{"generator", "secret"}, "", nil},
		{"an unknown key", nil, nil, []string{"tempo"}, "--allow tempo: it is not one of generator, grader, split, secret, bank, tickets, settings, settings.NAME", nil},
		{"an empty key", nil, nil, []string{""}, "--allow : it is not one of generator, grader, split, secret, bank, tickets, settings, settings.NAME", nil},
		{"an unknown setting", model("0"), model("0"), []string{"settings.tempo"}, "--allow settings.tempo: the agents have the settings model, temperature", nil},
		{"a setting where there are none", nil, nil, []string{"settings.tempo"}, "--allow settings.tempo: the agents have no settings", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base, new := sideOf(t, runSettings("a", c.base...), "x", list...), sideOf(t, runSettings("a", c.new...), "y", list...)
			got, err := compare.Compare(base, new, compare.Options{Allow: c.allow})
			if c.want != "" {
				if msg := usageOf(t, err); msg != c.want {
					t.Errorf("%s\nwant %s", msg, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.allowed, got.Allowed); diff != "" {
				t.Error(diff)
			}
			if len(got.Warnings) != len(c.allowed) || got.Tasks[0].Pairs != 3 || !got.Tasks[0].Score.Paired {
				t.Errorf("%q %+v", got.Warnings, got.Tasks[0])
			}
		})
	}
}

func TestSettingsOfTwoAgentsMayDiffer(t *testing.T) {
	t.Parallel()
	base := sideOf(t, runSettings("a", "agent a: model", "m", "agent a: top", "1"), "x", queueOf("a", 42, 1, 0.5))
	new := sideOf(t, runSettings("b", "agent b: model", "n", "limit", "3", "shard", "1/2"), "y", queueOf("b", 42, 1, 0.5))
	c := compared(t, base, new)
	want := []compare.Mismatch{{Key: "agent", Base: "a", New: "b"}, {Key: "settings.model", Base: "m", New: "n"}, {Key: "settings.top", Base: "1"},
		{Key: "limit", New: "3"}, {Key: "shard", Base: "1/1", New: "1/2"}}
	if diff := cmp.Diff(want, c.Noted); diff != "" || c.Allowed != nil {
		t.Error(diff, c.Allowed)
	}
}

func TestSidesThatShareNothingAreRefusedWithWhatEachHas(t *testing.T) {
	t.Parallel()
	gap := []played{queueOf("a", 100, 1), queueOf("a", 102, 1), queueOf("a", 103, 1)}
	desk := played{agent: "a", task: "desk-easy", seed: 42, position: -1, tickets: []ticketPlayed{{score: 1}}}
	other := queueOf("a", 42, 1)
	other.tickets[0].text = "another ticket"
	imported := &results.Results{Agent: "a", Source: &results.SourceFile{Name: "t.csv", Tickets: 4}, Tasks: []results.TaskSummary{{Task: triage.Task{Name: "tickets", Track: triage.Dataset}, N: 4}}}
	base := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1), queueOf("a", 43, 1))
	for _, c := range []struct {
		name string
		new  *compare.Side
		want string
	}{
		{"disjoint seeds", sideOf(t, runSettings("a"), "y", gap...), "a (x) and a (y) share nothing to compare: queue-easy: no episode is in both: base has seeds 42 to 43, new 3 of 100 to 103"},
		{"other tasks", sideOf(t, runSettings("a"), "y", desk), "a (x) and a (y) share nothing to compare: no task is in both: base has queue-easy, new desk-easy"},
		{"other tickets at the same seeds", sideOf(t, runSettings("a"), "y", other), "a (x) and a (y) share nothing to compare: queue-easy: the 1 tickets that stand at the same place are others"},
		{"a results file of imported tickets", compare.FromResults("y.json", imported, compare.Options{}), "a (y.json) holds no single episodes, as results files of imported tickets do: give its run folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compare.Compare(base, c.new, compare.Options{})
			if msg := usageOf(t, err); msg != c.want {
				t.Errorf("%s\nwant %s", msg, c.want)
			}
		})
	}
}

// manyQueues are episodes of two tickets; the text of the first stays from generator to generator where keep is true.
func manyQueues(n int, version string, keep bool, score float64) []played {
	var out []played
	for i := range n {
		p := queueOf("a", int64(42+i), score, score/2)
		if !keep {
			p.tickets[0].text += version
		}
		p.tickets[1].text += version
		if i%2 == 0 {
			p.tickets[0].score /= 4
		}
		out = append(out, p)
	}
	return out
}

func TestOtherTicketsArePairedByTheirTextOrComparedAsSamples(t *testing.T) {
	t.Parallel()
	old, newer := runSettings("a"), runSettings("a", "generator", "3-cccc")
	c := compared(t, sideOf(t, old, "x", manyQueues(20, " one", true, 1)...), sideOf(t, newer, "y", manyQueues(20, " two", true, 0.5)...), "generator")
	task := c.Tasks[0]
	if task.Pairs != 20 || !task.Score.Paired || task.BaseOnly != 20 || task.NewOnly != 20 || task.OtherTickets != 20 || len(task.Deltas) != 20 {
		t.Errorf("%+v", task)
	}
	if w := strings.Join(task.Warnings, "|"); w != "the runs have other tickets: compared are the 20 that are the same on both sides; 20 of base and 20 of new are left out" {
		t.Error(w)
	}
	for name, pair := range map[string][2]*compare.Side{
		"too few": {sideOf(t, old, "x", manyQueues(19, " one", true, 1)...), sideOf(t, newer, "y", manyQueues(19, " two", true, 0.5)...)},
		"none":    {sideOf(t, old, "x", manyQueues(19, " one", false, 1)...), sideOf(t, newer, "y", manyQueues(25, " two", false, 0.5)...)},
	} {
		c := compared(t, pair[0], pair[1], "generator")
		task := c.Tasks[0]
		if task.Score.Paired || c.Overall.Paired || task.Pairs != 0 || task.Deltas != nil || task.Flips != (compare.Flips{}) || task.MovedInAll != 0 ||
			task.Score.Delta.CI95 == nil || !(task.Score.Delta.CI95.High < 0) || !(task.Score.P < 0.01) || !(c.Overall.P < 0.01) || task.Score.DF < 18 {
			t.Errorf("%s: %+v", name, task)
		}
		if len(task.Warnings) != 1 || !strings.Contains(task.Warnings[0], "compared as two independent samples") {
			t.Errorf("%s: %q", name, task.Warnings)
		}
	}
	file := compare.FromResults("x.json", resultsOf(t, sideOf(t, old, "x", manyQueues(9, " one", false, 1)...)), compare.Options{})
	c = compared(t, file, sideOf(t, newer, "y", manyQueues(9, " two", false, 0.5)...), "generator")
	if task := c.Tasks[0]; task.Score.Paired || task.Units != "episodes" || task.BaseOnly != 9 {
		t.Errorf("%+v", task)
	}
}

func TestImportedTicketsAreComparedByColumnAndFoundAgainInAnotherFile(t *testing.T) {
	t.Parallel()
	row := func(seed int64, text string, score float64) played {
		return played{agent: "a", task: "tickets", seed: seed, position: -1, tickets: []ticketPlayed{{score: score, text: text, got: "a"}}}
	}
	settings := func(digest string) map[string]string {
		return map[string]string{"agents": "a", "tickets": digest, "map": "", "episodes": "1"}
	}
	base := sideOf(t, settings("d1"), "x", row(0, "one", 1), row(1, "two", 0.5), row(2, "three", 0))
	new := sideOf(t, settings("d1"), "y", row(0, "one", 0.5), row(1, "two", 0.5), row(2, "three", 0.5))
	task := compared(t, base, new).Tasks[0]
	var got []string
	for _, d := range task.Others {
		got = append(got, d.Metric)
	}
	if diff := cmp.Diff([]string{"kind", "kind_accuracy", "team", "team_accuracy", "efficiency", "reward"}, got); diff != "" || task.Units != "tickets" || task.Pairs != 3 || task.Moved[0].Subject != "one" {
		t.Errorf("%s %+v", diff, task)
	}
	if team := task.Others[2]; team.Base != 1.0/3 || team.New != 0 {
		t.Errorf("%+v", team)
	}
	// A row was added at the top: every place is another ticket.
	longer := sideOf(t, settings("d2"), "y", row(0, "zero", 0), row(1, "one", 1), row(2, "two", 0.5), row(3, "three", 0))
	_, err := compare.Compare(base, longer, compare.Options{})
	if msg := usageOf(t, err); !strings.Contains(msg, `tickets is "d1" and "d2" (--allow tickets)`) {
		t.Error(msg)
	}
	c := compared(t, base, longer, "tickets")
	if task := c.Tasks[0]; task.Pairs != 3 || task.NewOnly != 1 || task.Score.Delta.Mean != 0 || !task.Score.Paired {
		t.Errorf("%+v", task)
	}
}
