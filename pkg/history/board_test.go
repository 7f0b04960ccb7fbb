package history_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// summary is what a task's results are with these scores, NaN for an episode that broke.
func summary(t *testing.T, task string, trials int, scores ...float64) results.TaskSummary {
	t.Helper()
	k, err := triage.TaskByName(task)
	if err != nil {
		t.Fatal(err)
	}
	var records []results.Record
	for i, v := range scores {
		records = append(records, results.Record{Seed: 42 + int64(i/trials), Trial: int16(i % trials), Position: -1, Scored: !math.IsNaN(v), Score: v})
	}
	return results.Summarize(k, records)
}

func TestTheOverallIntervalAddsTheTasksVariances(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	close := cmpopts.EquateApprox(0, 1e-9)
	for name, c := range map[string]struct {
		tasks []results.TaskSummary
		want  stats.Estimate
	}{
		// one task: Student's interval of its mean, as stats.Mean has it
		"one task": {[]results.TaskSummary{summary(t, "desk-easy", 1, 0.2, 0.4, 0.9)}, stats.Estimate{N: 3, Mean: 0.5, CI95: &stats.Interval{Low: 0, High: 1}}},
		// variances of the means 0.01 and 0.0025, weights 1/2: 0.003125; degrees of freedom 0.003125²/(0.0025²/3+0.000625²/3) = 4.41
		// → 4, t = 2.776445105
		"two tracks": {[]results.TaskSummary{summary(t, "queue-easy", 1, 0.4, 0.8, 0.6-0.2*math.Sqrt(0.5), 0.6+0.2*math.Sqrt(0.5)), summary(t, "desk-easy", 1, 0.4, 0.6, 0.5-0.1*math.Sqrt(0.5), 0.5+0.1*math.Sqrt(0.5))},
			stats.Estimate{N: 8, Mean: 0.55, CI95: &stats.Interval{Low: 0.55 - 2.7764451051977987*math.Sqrt((0.12/12+0.03/12)/4), High: 0.55 + 2.7764451051977987*math.Sqrt((0.12/12+0.03/12)/4)}}},
		"all alike":         {[]results.TaskSummary{summary(t, "desk-easy", 1, 0.5, 0.5)}, stats.Estimate{N: 2, Mean: 0.5, CI95: &stats.Interval{Low: 0.5, High: 0.5}, Warnings: []string{"the scores of each task are all alike: the interval has no width"}}},
		"one episode":       {[]results.TaskSummary{summary(t, "desk-easy", 1, 0.5)}, stats.Estimate{N: 1, Mean: 0.5, Warnings: []string{"a task has too few episodes of which the score is known: there is no interval"}}},
		"what broke is 0":   {[]results.TaskSummary{summary(t, "desk-easy", 1, 1, nan)}, stats.Estimate{N: 2, Mean: 0.5, CI95: &stats.Interval{Low: 0, High: 1}}},
		"trials are no n":   {[]results.TaskSummary{summary(t, "desk-easy", 2, 0.4, 0.6, 0.5, 0.5)}, stats.Estimate{N: 4, Mean: 0.5, CI95: &stats.Interval{Low: 0.5, High: 0.5}, Warnings: []string{"the scores of each task are all alike: the interval has no width"}}},
		"trials that broke": {[]results.TaskSummary{summary(t, "desk-easy", 2, 0.4, 0.6, 0.5, nan)}, stats.Estimate{N: 4, Mean: 0.375, Warnings: []string{"a task has too few episodes of which the score is known: there is no interval"}}},
		"all broke":         {[]results.TaskSummary{summary(t, "desk-easy", 1, nan)}, stats.Estimate{N: 1, Mean: nan, Warnings: []string{"a task has no scored episode: there is no overall score"}}},
		"nothing":           {nil, stats.Estimate{Mean: nan, Warnings: []string{"a task has no scored episode: there is no overall score"}}},
	} {
		got := history.Overall(c.tasks)
		if d := cmp.Diff(c.want, got, close, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// show is what a board says.
func show(list []*history.Board) []string {
	var out []string
	for _, b := range list {
		out = append(out, fmt.Sprintf("board %v", b.Same))
		for _, o := range b.Overall {
			out = append(out, fmt.Sprintf(" overall %q", o.Tasks))
			for _, r := range o.Rows {
				out = append(out, fmt.Sprintf("  %s %s %.3f", r.Entry.Path, r.Agent, r.Score.Mean))
			}
		}
		for _, k := range b.Tasks {
			out = append(out, fmt.Sprintf(" %s, %s", k.Task.Name, k.Episodes))
			for _, r := range k.Rows {
				out = append(out, fmt.Sprintf("  %s %s %.3f", r.Entry.Path, r.Agent, r.Score.Mean))
			}
		}
	}
	return out
}

func TestOnlyWhatIsComparableStandsOnOneBoard(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	add := func(name, date string, scores []float64, change func(*results.Results)) {
		r := resultsOf(name, date, scores...)
		if change != nil {
			change(r)
		}
		f.results(name+".json", r)
	}
	both := func(r *results.Results) { r.Tasks = append(r.Tasks, summary(t, "queue-hard", 1, 0.5, 0.5)) }
	add("good", "2026-01-01T00:00:00Z", []float64{1, 1}, both)
	add("better-on-another-day", "2026-01-05T00:00:00Z", []float64{1, 0.5}, both)
	add("desk-only", "2026-01-02T00:00:00Z", []float64{0.5, 0.5}, nil)
	add("more-seeds", "2026-01-03T00:00:00Z", []float64{1, 1, 1}, nil)
	add("broke", "2026-01-04T00:00:00Z", []float64{math.NaN(), math.NaN()}, nil)
	add("half-broke", "2026-01-04T00:00:00Z", []float64{1, math.NaN()}, nil)
	add("trials", "2026-01-04T00:00:00Z", nil, func(r *results.Results) { r.Tasks = []results.TaskSummary{summary(t, "desk-easy", 2, 1, 1, 0, 1)} })
	add("generator", "2025-01-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Generator = "3" })
	add("grader", "2024-06-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Grader = "3" })
	add("secret", "2024-05-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Secret = "0123abcd" })
	add("bank", "2024-04-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Bank = "fff" })
	add("split", "2024-03-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Split = triage.Train })
	add("seed", "2024-02-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Seed = 43 })
	add("only", "2024-02-01T00:00:00Z", []float64{1}, func(r *results.Results) { r.Only = "desk-easy:42" })
	add("shard", "2024-02-01T00:00:00Z", []float64{1, 1}, func(r *results.Results) { r.Only = "shard 1/2" })
	want := []string{
		"board [{generator 2-abc} {grader 1-def} {split test} {secret none} {bank public}]",
		` overall ["queue-hard (seeds 42 to 43)" "desk-easy (seeds 42 to 43)"]`,
		"  good.json good 0.750",
		"  better-on-another-day.json better-on-another-day 0.625",
		" queue-hard, seeds 42 to 43",
		"  better-on-another-day.json better-on-another-day 0.500",
		"  good.json good 0.500",
		" desk-easy, seeds 42 to 43",
		"  good.json good 1.000",
		"  better-on-another-day.json better-on-another-day 0.750",
		"  trials.json trials 0.750",
		"  half-broke.json half-broke 0.500",
		"  desk-only.json desk-only 0.500",
		"  broke.json broke NaN",
		" desk-easy, only desk-easy:42",
		"  only.json only 1.000",
		" desk-easy, only shard 1/2",
		"  shard.json shard 1.000",
		" desk-easy, seeds 42 to 44",
		"  more-seeds.json more-seeds 1.000",
		" desk-easy, seeds 43 to 44",
		"  seed.json seed 1.000",
	}
	for _, x := range []struct{ name, facts string }{
		{"generator", "{generator 3} {grader 1-def} {split test} {secret none} {bank public}"}, {"grader", "{generator 2-abc} {grader 3} {split test} {secret none} {bank public}"},
		{"secret", "{generator 2-abc} {grader 1-def} {split test} {secret 0123abcd} {bank public}"}, {"bank", "{generator 2-abc} {grader 1-def} {split test} {secret none} {bank fff}"},
		{"split", "{generator 2-abc} {grader 1-def} {split train} {secret none} {bank public}"},
	} {
		want = append(want, "board ["+x.facts+"]", " desk-easy, seeds 42 to 43", fmt.Sprintf("  %s.json %s 1.000", x.name, x.name))
	}
	if d := cmp.Diff(want, show(history.Boards(f.scan()))); d != "" {
		t.Error(d)
	}
}

func BenchmarkScan(b *testing.B) {
	f := newFolder(b)
	for i := range 1000 {
		f.complete(fmt.Sprintf("day-%02d/run-%d", i/50, i), "keyword", fmt.Sprintf("2026-01-01T00:%02d:%02dZ", i/60, i%60), 1, 0.5, 0, 1)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if list, err := history.NewScanner(f.root).Scan(); err != nil || len(list) != 1000 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		s := history.NewScanner(f.root)
		for b.Loop() {
			if list, err := s.Scan(); err != nil || len(list) != 1000 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("boards", func(b *testing.B) {
		list := f.scan()
		for b.Loop() {
			if n := len(history.Boards(list)); n != 1 {
				b.Fatal(n)
			}
		}
	})
}

// with gives the agent of a results file settings.
func with(r *results.Results, settings ...string) *results.Results {
	r.Settings = map[string]string{}
	for i := 0; i < len(settings); i += 2 {
		r.Settings[settings[i]] = settings[i+1]
	}
	return r
}

func TestRowsOfOneAgentSayWhatTheyDifferBy(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.results("warm.json", with(resultsOf("llm", "2026-01-01T00:00:00Z", 1, 0.5), "model", "m", "temperature", "0.7"))
	f.results("cold.json", with(resultsOf("llm", "2026-01-02T00:00:00Z", 1, 0), "model", "m", "temperature", "0"))
	f.results("blind.json", with(resultsOf("llm", "2026-01-03T00:00:00Z", 1, 0.5), "model", "m", "temperature", "0", "handbook", "no"))
	f.results("exec.json", with(resultsOf("exec:a", "2026-01-04T00:00:00Z", 0, 0.5), "exec_env", ""))
	f.results("keyword.json", resultsOf("keyword", "2026-01-05T00:00:00Z", math.NaN(), math.NaN()))
	var got []string
	for _, r := range history.Boards(f.scan())[0].Tasks[0].Rows {
		got = append(got, fmt.Sprintf("%d %s %v", r.Rank, r.Entry.Path, r.Differ))
	}
	want := []string{ // keyword has no score: what broke is 0 only where something was scored
		"1 blind.json [{handbook no} {temperature 0}]", "1 warm.json [{handbook } {temperature 0.7}]", "3 cold.json [{handbook } {temperature 0}]",
		"4 exec.json []", "0 keyword.json []",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
