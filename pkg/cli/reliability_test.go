package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// deskTrials makes the figures of a desk task from the scores of each ticket's trials; NaN is a trial that broke.
func deskTrials(t *testing.T, task string, tickets ...[]float64) results.TaskReliability {
	t.Helper()
	var r results.Reliability
	for seed, trials := range tickets {
		for i, score := range trials {
			ep := &triage.Episode{Key: triage.Key{Agent: "llm", Task: task, Seed: int64(seed), Trial: i}, Score: &score, Ended: triage.EndedComplete}
			category := triage.Bug
			if score < 0.5 {
				category = triage.Question
			}
			ep.Steps = []triage.Step{{Action: triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: category}}}}
			if math.IsNaN(score) {
				ep.Score, ep.Ended = nil, triage.EndedError
			}
			r.Add(ep)
		}
	}
	f, ok := r.Of("llm", task)
	if !ok {
		t.Fatal("no figures")
	}
	return f
}

func printed(t *testing.T, table report.Table, format string) string {
	t.Helper()
	var b strings.Builder
	if err := report.Formats()[format](&b, &report.Report{Tables: []report.Table{table}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReliabilityIsPrintedUnderBothErrorRulesWhereTrialsBroke(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	var queue results.Reliability
	for trial := range 2 {
		for _, task := range []string{"queue-easy", "queue-hard"} {
			score := 1.0
			queue.Add(&triage.Episode{Key: triage.Key{Agent: "llm", Task: task, Seed: 1, Trial: trial}, Score: &score, Ended: triage.EndedComplete,
				Steps: []triage.Step{{Score: &triage.Score{Total: 1}}}})
		}
	}
	easy, _ := queue.Of("llm", "queue-easy")
	hard, _ := queue.Of("llm", "queue-hard")
	table := reliabilityTable([]results.TaskReliability{easy, hard,
		deskTrials(t, "desk-easy", []float64{1, 1}, []float64{1, 0}, []float64{1, 1}, []float64{0, 0}, []float64{1, 1}),
		deskTrials(t, "desk-hard", []float64{1, nan}, []float64{nan, 0.7})})
	want := "table,agent,task,tickets,trials,errors,error_rule,pass_hat_1,pass_hat_1_low,pass_hat_1_high,pass_hat_k,pass_hat_k_low,pass_hat_k_high,pass_at_k,pass_at_k_low,pass_at_k_high,flip_rate,flip_rate_low,flip_rate_high,lowest_trial,highest_trial\n" +
		"reliability,llm,queue-easy,1,2,0,as failed,1,0.206549,1,1,0.206549,1,1,0.206549,1,0,0,0.793451,1,1\n" +
		"reliability,llm,queue-hard,1,2,0,as failed,1,0.206549,1,1,0.206549,1,1,0.206549,1,0,0,0.793451,1,1\n" +
		"reliability,llm,desk-easy,5,2,0,as failed,0.7,0.144711,1,0.6,0.230724,0.882379,0.8,0.375535,0.963776,0.2,0.036224,0.624465,0.6,0.8\n" +
		"reliability,llm,desk-hard,2,2,2,as failed,0.5,0.5,0.5,0,0,0.65762,1,0.34238,1,,,,,\n" +
		"reliability,llm,desk-hard,2,2,2,not at all,1,0.34238,1,,,,,,,,,,,\n"
	if d := cmp.Diff(want, printed(t, table, "csv")); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
	notes := []string{"llm, queue-easy, errors count as failed: pass^2: 1 values: the interval is rough.",
		"llm, queue-hard, errors count as failed: pass^2: 1 values: the interval is rough.",
		"llm, desk-hard, errors count as failed: pass^2: 2 values: the interval is rough.",
		"llm, desk-hard, errors count not at all: no pass^2: no ticket has 2 graded trials.",
		"queue-easy, queue-hard: right is every field of the ticket right (reward 1).",
		"desk-easy: right is correctness of at least 0.80.", "desk-hard: right is correctness of at least 0.60.", reliabilityNote}
	if d := cmp.Diff(notes, table.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	if empty := reliabilityTable(nil); len(empty.Rows)+len(empty.Notes) != 0 {
		t.Errorf("nothing gives %+v", empty)
	}
}

func TestPerturbedAgentsAreComparedWithTheirOwn(t *testing.T) {
	t.Parallel()
	record := func(seed int64, trial int16, score float64) results.Record {
		return results.Record{Seed: seed, Position: -1, Trial: trial, Scored: !math.IsNaN(score), Score: score}
	}
	nan := math.NaN()
	records := map[string]map[string][]results.Record{
		"llm":             {"desk-easy": {record(1, 0, 0.5), record(2, 0, 1), record(3, 0, nan)}, "queue-easy": {record(1, 0, 0.9)}},
		"llm+upper":       {"desk-easy": {record(1, 0, 0.25), record(2, 0, 1), record(3, 0, 1), record(4, 0, 1)}},
		"llm+typos":       {"queue-easy": {record(1, 0, nan)}, "desk-easy": nil},
		"llm+upper+typos": {"desk-easy": {record(1, 0, 0.25), record(1, 1, 0.25)}},
		"c++":             {"desk-easy": {record(1, 0, 1)}},
		"gone+typos":      {"desk-easy": {record(1, 0, 1)}},
	}
	records["llm+upper"]["desk-easy"] = append(records["llm+upper"]["desk-easy"], record(1, 1, 0.75))
	table := perturbationTable(perturbedScores([]string{"llm", "llm+upper", "llm+typos", "llm+upper+typos", "c++", "gone+typos"}, []string{"queue-easy", "desk-easy"}, records))
	want := "table,agent,task,perturbation,n,score_base,score_perturbed,difference,difference_low,difference_high\n" +
		"perturbations,llm,desk-easy,upper,2,0.75,0.625,-0.125,-1,1\n" +
		"perturbations,llm,queue-easy,typos,0,,,,,\n" +
		"perturbations,llm+upper,desk-easy,typos,2,0.5,0.25,-0.25,,\n"
	if d := cmp.Diff(want, printed(t, table, "csv")); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
	notes := []string{"llm, desk-easy, upper: 1 of 3 pairs are dropped, as an episode of them broke.",
		"llm, desk-easy, upper: 2 episodes were played by only one of the two.",
		"llm, desk-easy, upper: 2 values: the interval is rough.",
		"llm, queue-easy, typos: 1 of 1 pairs are dropped, as an episode of them broke.",
		"llm, queue-easy, typos: no values: there is no mean.",
		"llm+upper, desk-easy, typos: 3 episodes were played by only one of the two.",
		"llm+upper, desk-easy, typos: 2 pairs of 1 episodes; trials of one episode count as one value.",
		"llm+upper, desk-easy, typos: one value: there is no interval.", perturbationNote}
	if d := cmp.Diff(notes, table.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	if empty := perturbationTable(nil); len(empty.Rows)+len(empty.Notes) != 0 {
		t.Errorf("nothing gives %+v", empty)
	}
}
