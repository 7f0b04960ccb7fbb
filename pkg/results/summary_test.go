package results_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

var approx = cmp.Options{cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()}

func task(t testing.TB, name string) triage.Task {
	t.Helper()
	out, err := triage.TaskByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRecordsHoldWhatASummaryNeeds(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	ep := episodeAt(5)
	ep.Key.Position = triage.IntOf(3)
	for _, tt := range []struct {
		name string
		ep   *triage.Episode
		want results.Record
	}{
		{"an episode", episodeAt(5), results.Record{Seed: 43, Position: -1, Scored: true, Refused: 1, Score: 0.714286, Efficiency: 0.761905, Reward: 0.642857,
			Graded: 2, Sum: [4]float64{1.714286, 2}, Exact: [4]int32{1, 2}}},
		{"a single ticket", ep, results.Record{Seed: 43, Position: 3, Scored: true, Refused: 1, Score: 0.714286, Efficiency: 0.761905, Reward: 0.642857,
			Graded: 2, Sum: [4]float64{1.714286, 2}, Exact: [4]int32{1, 2}}},
		{"a broken episode", brokenAt(5), results.Record{Seed: 43, Position: -1, Graded: 1, Sum: [4]float64{0.714286, 1}, Exact: [4]int32{0, 1}}},
		{"a broken episode with a score is broken", &triage.Episode{Key: keyAt(1), Score: pointer(1), Ended: triage.EndedError}, results.Record{Seed: 43, Position: -1}},
		{"an environment that tells no efficiency", &triage.Episode{Key: keyAt(1), Score: pointer(1), Reward: pointer(0.5), Ended: triage.EndedComplete},
			results.Record{Seed: 43, Position: -1, Scored: true, Score: 1, Reward: 0.5, Efficiency: nan}},
		{"more parts than a task has", &triage.Episode{Key: keyAt(1), Score: pointer(1), Efficiency: pointer(1), Reward: pointer(1), Ended: triage.EndedComplete,
			Steps: []triage.Step{{Score: &triage.Score{Parts: make([]triage.Part, 9)}}}},
			results.Record{Seed: 43, Position: -1, Scored: true, Score: 1, Efficiency: 1, Reward: 1, Graded: 1}},
		{"a value that a file rounds to 1", &triage.Episode{Key: keyAt(1), Score: pointer(0.9999999), Efficiency: pointer(1), Reward: pointer(1), Ended: triage.EndedComplete,
			Steps: []triage.Step{{Score: &triage.Score{Parts: []triage.Part{{Value: 0.9999999}}}}}},
			results.Record{Seed: 43, Position: -1, Scored: true, Score: 1, Efficiency: 1, Reward: 1, Graded: 1, Sum: [4]float64{1}, Exact: [4]int32{1}}},
	} {
		if d := cmp.Diff(tt.want, results.RecordOf(tt.ep), approx, cmpopts.IgnoreFields(results.Record{}, "Answers")); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestSummaryOfWorkedEpisodes(t *testing.T) {
	t.Parallel()
	records := []results.Record{
		{Seed: 1, Position: -1, Scored: true, Score: 0.4, Efficiency: 0.5, Reward: 0.4, Graded: 2, Sum: [4]float64{2, 1, 0, 1.5}, Exact: [4]int32{2, 1, 0, 1}},
		{Seed: 2, Position: -1, Refused: 3, Graded: 1, Sum: [4]float64{1, 1, 1, 1}, Exact: [4]int32{1, 1, 1, 1}}, // broke
		{Seed: 3, Position: 4, Scored: true, Refused: 1, Score: 0.6, Efficiency: 0.75, Reward: 0.6, Graded: 2, Sum: [4]float64{1, 0.5, 1, 1}, Exact: [4]int32{1, 0, 1, 1}},
	}
	want := results.TaskSummary{Task: task(t, "queue-hard"), N: 2, Errors: 1, Refused: 4,
		// s = 0.141421, t(0.975, 1) = 12.706: 0.5 ± 1.2706, kept within 0..1.
		Score: stats.Estimate{N: 2, Mean: 0.5, CI95: &stats.Interval{Low: 0, High: 1}, Warnings: []string{"2 values: the interval is rough", "1 of 3 episodes broke and are in no mean"}},
		// 0.4, 0 and 0.6: s = 0.305505, t(0.975, 2) = 4.303: 0.333 ± 0.759.
		WithErrors: stats.Estimate{N: 3, Mean: 1.0 / 3, CI95: &stats.Interval{Low: 0, High: 1}, Warnings: []string{"3 values: the interval is rough"}},
		Reward:     0.5, Efficiency: 0.625, SuccessRate: 0.5,
		Parts:  map[string]float64{"route": 0.75, "urgency": 0.375, "difficulty": 0.25, "priority": 0.625},
		Exact:  map[string]float64{"route": 0.75, "urgency": 0.25, "difficulty": 0.25, "priority": 0.5},
		Seeds:  []results.Seed{{Seed: 1, Position: -1, Score: 0.4, Efficiency: 0.5}, {Seed: 3, Position: 4, Score: 0.6, Efficiency: 0.75}},
		Broken: []results.Playing{{Seed: 2, Position: -1}},
		// SHA-256 of the three episodes in 22 bytes each, reckoned apart.
		Answers: "291cebe2e8fd06d8"}
	if d := cmp.Diff(want, results.Summarize(task(t, "queue-hard"), records), approx); d != "" {
		t.Errorf("summary (-want +got):\n%s", d)
	}
	passed := results.Summarize(task(t, "desk-hard"), records[2:])
	if !passed.Pass || passed.SuccessRate != 1 || passed.Score.CI95 != nil {
		t.Errorf("one episode that reaches the target: %+v", passed)
	}
}

func TestSummaryFromMemoryEqualsThatFromDisk(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-easy", "desk-easy", "desk-medium", "desk-hard"} {
		rapid.Check(t, func(rt *rapid.T) {
			unit := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 1. / 3, 0.9999999, 0.0000004}))
			var log strings.Builder
			var memory, disk []results.Record
			for i := range rapid.IntRange(0, 6).Draw(rt, "episodes") {
				ep := &triage.Episode{Key: triage.Key{Agent: "a", Task: name, Seed: int64(i)}, Ended: triage.EndedComplete}
				for range rapid.IntRange(1, 3).Draw(rt, "steps") {
					s := triage.Step{Error: rapid.SampledFrom([]string{"", "refused"}).Draw(rt, "error")}
					if rapid.Bool().Draw(rt, "graded") {
						s.Score = &triage.Score{Total: unit.Draw(rt, "total")}
						for _, p := range results.PartNames(task(t, name)) {
							s.Score.Parts = append(s.Score.Parts, triage.Part{Name: p, Value: unit.Draw(rt, p), Weight: unit.Draw(rt, "weight")})
						}
					}
					ep.Steps = append(ep.Steps, s)
				}
				if rapid.Bool().Draw(rt, "broken") {
					ep.Ended, ep.Error = triage.EndedError, "cut"
				} else {
					ep.Score, ep.Reward = pointer(unit.Draw(rt, "score")), pointer(unit.Draw(rt, "reward"))
					if rapid.Bool().Draw(rt, "tells efficiency") {
						ep.Efficiency = pointer(unit.Draw(rt, "efficiency"))
					}
				}
				log.WriteString(line(ep))
				memory = append(memory, results.RecordOf(ep))
			}
			if err := results.ReadLog(strings.NewReader(log.String()), "log", func(_ int, ep *results.Logged) error {
				disk = append(disk, results.RecordOf(ep.Episode()))
				return nil
			}); err != nil {
				rt.Fatal(err)
			}
			if d := cmp.Diff(memory, disk, cmpopts.EquateNaNs()); d != "" {
				rt.Errorf("%s: records from memory (-) and disk (+) differ:\n%s", name, d)
			}
			if d := cmp.Diff(results.Summarize(task(t, name), memory), results.Summarize(task(t, name), disk), cmpopts.EquateNaNs()); d != "" {
				rt.Errorf("%s: summaries from memory (-) and disk (+) differ:\n%s", name, d)
			}
		})
	}
}

// lessons B20, B35
func TestBrokenEpisodesAreInNoMean(t *testing.T) {
	t.Parallel()
	var with, without []results.Record
	for place := range planned {
		with = append(with, results.RecordOf(episodeAt(place)), results.RecordOf(brokenAt(place)))
		without = append(without, results.RecordOf(episodeAt(place)))
	}
	a, b := results.Summarize(task(t, "queue-easy"), with), results.Summarize(task(t, "queue-easy"), without)
	if a.Errors != planned || b.Errors != 0 || a.N != planned {
		t.Errorf("%d scored and %d broken episodes", a.N, a.Errors)
	}
	if d := cmp.Diff([]string{"16 of 32 episodes broke and are in no mean"}, a.Score.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	if mean := b.Score.Mean / 2; math.Abs(a.WithErrors.Mean-mean) > 1e-12 || a.WithErrors.N != 2*planned {
		t.Errorf("with errors as 0 the score is %+v, want %v", a.WithErrors, mean)
	}
	if len(a.Broken) != planned || b.Broken != nil || a.Answers == b.Answers {
		t.Errorf("%v are named as broken, %v without any", a.Broken, b.Broken)
	}
	a.Errors, a.Score.Warnings, a.WithErrors, a.Broken, a.Answers = 0, nil, b.WithErrors, nil, b.Answers
	if d := cmp.Diff(b, a, approx); d != "" {
		t.Errorf("without broken episodes (-) and with them (+):\n%s", d)
	}
}

// lesson B20
func TestAnAgentThatAnswersHalfDoesNotPassByWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	var records []results.Record
	for i := range 10 {
		records = append(records, results.Record{Seed: int64(i), Position: -1, Scored: i%2 == 0, Score: 1})
	}
	s := results.Summarize(task(t, "queue-hard"), records)
	if s.Score.Mean != 1 || s.WithErrors.Mean != 0.5 || s.Pass {
		t.Errorf("summary %+v", s)
	}
}

func TestTrialsOfAnEpisodeDoNotNarrowTheInterval(t *testing.T) {
	t.Parallel()
	var once, thrice []results.Record
	for i := range 10 {
		r := results.Record{Seed: int64(i), Position: -1, Scored: true, Score: float64(i) / 10}
		once = append(once, r)
		for trial := range int16(3) {
			r.Trial = trial
			thrice = append(thrice, r)
		}
	}
	a, b := results.Summarize(task(t, "queue-hard"), once), results.Summarize(task(t, "queue-hard"), thrice)
	if d := cmp.Diff(a.Score, b.Score, approx); d != "" || b.N != 30 {
		t.Errorf("%d scored; score of one trial (-) and of three (+):\n%s", b.N, d)
	}
}

// lessons B23, B25
func TestNoEpisodeGivesNullAndNeverNaN(t *testing.T) {
	t.Parallel()
	for name, records := range map[string][]results.Record{"none": nil, "all broke": {results.RecordOf(brokenAt(0)), results.RecordOf(brokenAt(1))}} {
		r := results.Results{Agent: "a"}
		for _, x := range triage.Tasks() {
			r.Tasks = append(r.Tasks, results.Summarize(x, records))
		}
		out := encode(t, &r)
		for _, s := range r.Tasks {
			x := out["tasks"].(map[string]any)[s.Task.Name].(map[string]any)
			for _, k := range []string{"reward", "efficiency", "success_rate"} {
				if x[k] != nil {
					t.Errorf("%s, %s: %s is %v, want null", name, s.Task.Name, k, x[k])
				}
			}
			if d := cmp.Diff(map[string]any{"mean": nil, "ci95": nil}, x["score"], cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "warnings" })); d != "" {
				t.Errorf("%s, %s: score (-want +got):\n%s", name, s.Task.Name, d)
			}
			for k, v := range x["parts"].(map[string]any) {
				if v != nil {
					t.Errorf("%s, %s: part %s is %v, want null", name, s.Task.Name, k, v)
				}
			}
			if x["pass"] != false || x["n"] != 0.0 || x["errors"] != float64(len(records)) {
				t.Errorf("%s, %s: %v", name, s.Task.Name, x)
			}
		}
		if d := cmp.Diff(map[string]any{"queue": nil, "desk": nil, "all": nil}, out["overall"]); d != "" {
			t.Errorf("%s: overall (-want +got):\n%s", name, d)
		}
	}
}

// encode writes results and decodes them.
func encode(t testing.TB, r *results.Results) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	return out
}

func TestOverallIsTheMeanOfTracks(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	score := func(name string, v float64) results.TaskSummary {
		return results.TaskSummary{Task: task(t, name), Score: stats.Estimate{Mean: 0.123}, WithErrors: stats.Estimate{Mean: v}}
	}
	for _, tt := range []struct {
		name  string
		tasks []results.TaskSummary
		want  results.Overall
	}{
		{"nothing", nil, results.Overall{Queue: nan, Desk: nan, All: nan}},
		{"queue only", []results.TaskSummary{score("queue-easy", 0.8), score("queue-hard", 0.4)}, results.Overall{Queue: 0.6, Desk: nan, All: 0.6}},
		{"desk only", []results.TaskSummary{score("desk-easy", 0.5)}, results.Overall{Queue: nan, Desk: 0.5, All: 0.5}},
		{"both, of unequal numbers of tasks", []results.TaskSummary{score("queue-easy", 0.8), score("queue-hard", 0.4), score("desk-easy", 1)},
			results.Overall{Queue: 0.6, Desk: 1, All: 0.8}},
		{"a task of which nothing was scored", []results.TaskSummary{score("queue-easy", 0.8), score("queue-hard", nan), score("desk-easy", 1)},
			results.Overall{Queue: nan, Desk: 1, All: nan}},
	} {
		if d := cmp.Diff(tt.want, results.OverallOf(tt.tasks), approx); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestPartNamesAreThoseOfTheGraders(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for _, x := range append(triage.Tasks(), triage.Task{Name: "tickets", Track: triage.Dataset}) {
		got[x.Name] = results.PartNames(x)
	}
	queue := []string{"route", "urgency", "difficulty", "priority"}
	want := map[string][]string{"queue-easy": queue, "queue-medium": queue, "queue-hard": queue, "desk-easy": {"category"},
		"desk-medium": {"category", "priority", "urgency_days"}, "desk-hard": {"category", "priority", "department", "recommendation"}, "tickets": nil}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
}

func TestTasksAreSortedAsTablesPrintThem(t *testing.T) {
	t.Parallel()
	list := []results.TaskSummary{{Task: task(t, "desk-hard")}, {Task: task(t, "queue-hard")}, {Task: task(t, "desk-easy")}, {Task: task(t, "queue-easy")}}
	results.SortTasks(list)
	var got []string
	for _, x := range list {
		got = append(got, x.Task.Name)
	}
	if d := cmp.Diff([]string{"queue-easy", "queue-hard", "desk-easy", "desk-hard"}, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

// full is a results file with everything in it.
func full(t testing.TB) *results.Results {
	var queue, desk []results.Record
	for place := range 6 {
		queue = append(queue, results.RecordOf(episodeAt(place)))
	}
	ep := episodeAt(3)
	ep.Key.Position = triage.IntOf(2)
	desk = append(desk, results.RecordOf(ep), results.RecordOf(brokenAt(4)))
	r := &results.Results{Generator: "1-9f3c2a", Seed: triage.MaxSeed, Split: triage.Test, Secret: "0a1b2c3d", Bank: "public", Agent: "llm <gpt & co>",
		Settings: map[string]string{"temperature": "0", "model": "m"}, Tasks: []results.TaskSummary{results.Summarize(task(t, "queue-hard"), queue),
			results.Summarize(task(t, "desk-hard"), desk)}, Limit: "3", Only: "queue-hard:1",
		Meta: &results.Meta{Finished: "2026-01-02T03:04:05Z", WallSeconds: 1.23456789, Version: "v1", Workers: 2}}
	r.Tasks[0].Floor = &results.Floor{Agent: "constant", Score: 1. / 3}
	r.Tasks[1].Floor = &results.Floor{Reason: "remote", Score: math.NaN()}
	return r
}

func TestResultsFileIsTheGolden(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*results.Results{"full.json": full(t), "least.json": {Split: triage.Train},
		"tickets.json": imported(t)} {
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, filepath.Join("testdata", name), b.Bytes())
	}
}

func TestResultsFileHasSortedKeysAndShortFloats(t *testing.T) {
	t.Parallel()
	for _, r := range []*results.Results{full(t), imported(t), {}} {
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		checkKeys(t, json.NewDecoder(bytes.NewReader(b.Bytes())))
		for _, bad := range []string{"NaN", "Inf", "\\u003c", "null,null"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("the file holds %s:\n%s", bad, b.String())
			}
		}
	}
}

// checkKeys reads a value and checks that the keys of its objects are sorted and its floats have at most 6 decimals.
func checkKeys(t *testing.T, dec *json.Decoder) {
	t.Helper()
	dec.UseNumber()
	token, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch v := token.(type) {
	case json.Number:
		if _, decimals, ok := strings.Cut(v.String(), "."); ok && len(decimals) > 6 || strings.ContainsAny(v.String(), "eE") {
			t.Errorf("number %s", v)
		}
	case json.Delim:
		var keys []string
		for dec.More() {
			if v == '{' {
				key, err := dec.Token()
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, key.(string))
			}
			checkKeys(t, dec)
		}
		if !sort.StringsAreSorted(keys) {
			t.Errorf("keys %v are not sorted", keys)
		}
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAResultsFileThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	if err := full(t).Write(failing{}); err == nil || err.Error() != "encode results: disk full" {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestColumnFiguresOfImportedTickets(t *testing.T) {
	t.Parallel()
	columns := []results.Column{{Name: "queue", Values: []string{"a", "b", "c"}, Majority: "a", MajorityOf: "train"},
		{Name: "urgency", Values: []string{"low", "mid", "high"}, Ordered: true, Majority: "low", MajorityOf: "this file"},
		{Name: "empty", Values: []string{"x"}, Majority: "x", MajorityOf: "train"}}
	tables := results.NewColumnTables(columns)
	answer := func(queue, gotQueue, urgency, gotUrgency string) *triage.Score {
		s := &triage.Score{Parts: []triage.Part{{Name: "queue", Why: triage.Why{Want: queue, Got: gotQueue}}}}
		if urgency != "" {
			s.Parts = append(s.Parts, triage.Part{Name: "urgency", Why: triage.Why{Want: urgency, Got: gotUrgency}})
		}
		return s
	}
	for _, s := range []*triage.Score{answer("a", "a", "low", "low"), answer("a", "b", "low", "mid"), answer("b", "b", "mid", "mid"), answer("b", "", "high", "low"),
		answer("a", "a", "", "")} {
		tables.Add(&triage.Episode{Score: pointer(1), Steps: []triage.Step{{Score: s}, {}}})
	}
	tables.Add(&triage.Episode{Steps: []triage.Step{{Score: answer("c", "c", "high", "high")}}}) // broke
	nan := math.NaN()
	want := []results.ColumnSummary{
		// a: F1 = 2·2/(3+2) = 0.8; b: 2·1/(2+2) = 0.5; c occurs nowhere.
		{Column: columns[0], N: 5, Accuracy: 0.6, MacroF1: 0.65, Kappa: nan, MajorityShare: 0.6},
		// low: 2·1/(2+2) = 0.5; mid: 2·1/(1+2) = 2/3; high: 0. Kappa: observed (1+4)/4 = 1.25 over expected
		// Σ rows·columns·w/n = (2·2·1/4 + 1·2·1/4 + 1·2·1 + 1·2·1/4)/4 = 4/4: 1 − 1.25/1.
		{Column: columns[1], N: 4, Accuracy: 0.5, MacroF1: (0.5 + 2./3) / 3, Kappa: -0.25, MajorityShare: 0.5},
		{Column: columns[2], N: 0, Accuracy: nan, MacroF1: nan, Kappa: nan, MajorityShare: nan},
	}
	if d := cmp.Diff(want, tables.Summaries(), approx); d != "" {
		t.Errorf("figures (-want +got):\n%s", d)
	}
}

// imported are the results of a file of tickets.
func imported(t testing.TB) *results.Results {
	t.Helper()
	columns := []results.Column{{Name: "urgency", Values: []string{"low", "high"}, Ordered: true, Majority: "low", MajorityOf: "train"}, {Name: "a<b", Values: []string{"x"}}}
	tables := results.NewColumnTables(columns)
	ep := &triage.Episode{Key: triage.Key{Agent: "a", Task: "tickets"}, Score: pointer(1), Efficiency: pointer(1), Reward: pointer(1), Ended: triage.EndedComplete,
		Steps: []triage.Step{{Score: &triage.Score{Total: 1, Parts: []triage.Part{{Name: "urgency", Value: 1, Weight: 1, Why: triage.Why{Got: "low", Want: "low"}}}}}}}
	tables.Add(ep)
	s := results.Summarize(triage.Task{Name: "tickets", Track: triage.Dataset}, []results.Record{results.RecordOf(ep)})
	s.Floor = &results.Floor{Agent: "majority", Score: 0.5}
	return &results.Results{Agent: "a", Tasks: []results.TaskSummary{s}, Columns: tables.Summaries(),
		Source: &results.SourceFile{Name: "t.csv", Format: "csv", Encoding: "utf-8", Tickets: 1, Skipped: 1, Errors: []string{"line 3: torn"}}}
}
