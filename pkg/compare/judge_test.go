package compare

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// said is what a verdict says, on a line.
func said(v Verdict) string {
	out := string(v.Outcome) + " " + v.Scope + ": " + v.Why
	for _, w := range v.Warnings {
		out += " | " + w
	}
	return out
}

func saidAll(list []Verdict) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = said(list[i])
	}
	return out
}

// flipped gives two runs on n tickets, all but the last of which are right on both sides, with so many fixed and broken.
func flippedRuns(n, fixed, broken int) (base, now []float64) {
	base, now = ones(n, n-1), ones(n, n-1)
	for i := range fixed {
		base[i] = 0
	}
	for i := range broken {
		now[fixed+i] = 0
	}
	return base, now
}

// The smallest drop and the needed tickets are lessons B27, B29 and B30: inconclusive is a verdict, and says what it would take.
func TestADropIsJudgedByItsInterval(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		n, fixed, broken int
		gate, want       string
	}{
		"nothing flips": {200, 0, 0, "score drop <= 0.02", "pass overall: the drop of score is 0: none of 200 tickets has another score; what happens to up to 1.9 % of all may show in none of 200 tickets | scenarios are not known: tickets are taken for independent"},
		"a small drop of many tickets": {2000, 60, 70, "score drop <= 0.03",
			"pass overall: the drop of score is 0.005 (95 %: -0.006 to 0.016), below 0.03; 2,000 tickets show a drop of 0.052 or more 80 % of the time | scenarios are not known: tickets are taken for independent"},
		"a large drop": {200, 2, 30, "score drop <= 0.02", "regression overall: the drop of score is 0.14 (95 %: 0.085 to 0.192), above 0.02 | scenarios are not known: tickets are taken for independent"},
		"a small drop of few tickets": {100, 4, 6, "score drop <= 0.05",
			"inconclusive overall: the drop of score is 0.02 (95 %: -0.048 to 0.087), on either side of 0.05; 100 tickets show a drop of 0.196 or more 80 % of the time; about 886 tickets would settle it if the drop is what it is here; if nothing has changed, about 329 tickets would | scenarios are not known: tickets are taken for independent"},
		"a drop that is the margin": {100, 4, 9, "score drop <= 5%",
			"inconclusive overall: the drop of score is 0.05 (95 %: -0.026 to 0.124), on either side of 0.05; 100 tickets show a drop of 0.207 or more 80 % of the time; it is so near to the margin that no number of tickets would settle it; if nothing has changed, about 421 tickets would | scenarios are not known: tickets are taken for independent"},
		"too few to show any drop": {8, 1, 2, "score drop <= 0.05",
			"inconclusive overall: the drop of score is 0.125 (95 %: -0.423 to 0.623), on either side of 0.05; 8 tickets are too few to show any drop 80 % of the time; about 581 tickets would settle it if the drop is what it is here; if nothing has changed, about 1,400 tickets would | scenarios are not known: tickets are taken for independent"},
		"one ticket": {1, 0, 0, "score drop <= 0.05", "inconclusive overall: 1 ticket cannot tell: at least 2 are needed"},
		"an unexplained gain": {200, 30, 2, "score drop <= 0.02",
			"pass overall: the drop of score is -0.14 (95 %: -0.192 to -0.085), below 0.02; 200 tickets show a drop of 0.083 or more 80 % of the time | scenarios are not known: tickets are taken for independent | an unexplained gain of 0.14: make sure that the answers became better, as broken graders and leaked labels raise scores too"},
		"a gain that is asked for": {200, 30, 2, "score rise >= 0.05",
			"pass overall: the rise of score is 0.14 (95 %: 0.085 to 0.192), above 0.05; where the rise is 0.009 or less, 200 tickets show it 80 % of the time | scenarios are not known: tickets are taken for independent"},
		"a gain that did not come": {200, 2, 30, "score rise >= 0.05", "regression overall: the rise of score is -0.14 (95 %: -0.192 to -0.085), below 0.05 | scenarios are not known: tickets are taken for independent"},
	} {
		base, now := flippedRuns(tt.n, tt.fixed, tt.broken)
		if tt.n == 1 {
			base, now = ones(1, 1), ones(1, 0)
		}
		got := judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), tt.gate)
		if diff := cmp.Diff([]string{tt.want}, saidAll(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// withParts is a side of one queue task with two tickets an episode, whose parts have the given values.
func withParts(t testing.TB, values ...[2]float64) *Side {
	t.Helper()
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	task.Tickets = 2
	side := TaskSide{Task: task, Floor: math.NaN(), Counts: map[string]int64{"errors": 0, "refused": 1, "calls": 20, "cost_nano_usd": 250_000_000}}
	for i := 0; i+1 < len(values); i += 2 {
		e := Episode{Place: Place{Seed: int64(i), Position: -1}, Scored: true, Reward: math.NaN(), Efficiency: 0.5}
		for k := range 2 {
			v := values[i+k]
			e.Tickets = append(e.Tickets, Ticket{ID: "T", Text: uint64(i + k + 1), Score: (v[0] + v[1]) / 2,
				Parts: []triage.Part{{Name: "route", Value: v[0], Weight: 0.5}, {Name: "urgency", Value: v[1], Weight: 0.5}}})
			e.Score += (v[0] + v[1]) / 4
		}
		side.Episodes = append(side.Episodes, e)
	}
	side.Digest = digestOfEpisodes(side.Episodes)
	out := gated(t, "desk-easy", nil, nil)
	out.Tasks = []TaskSide{side}
	return out
}

func TestPartsAndCountsAreJudgedInTheirScope(t *testing.T) {
	t.Parallel()
	values := make([][2]float64, 40)
	worse := make([][2]float64, 40)
	for i := range values {
		values[i] = [2]float64{1, 0.5}
		if worse[i] = values[i]; i%4 == 0 {
			worse[i] = [2]float64{0, 1}
		}
	}
	base := withParts(t, values...).and(gated(t, "desk-easy", ones(30, 30), nil))
	now := withParts(t, worse...).and(gated(t, "desk-easy", ones(30, 29), nil))
	now.Tasks[0].Counts["refused"] = 3
	now.Tasks[1].Counts = map[string]int64{"errors": 0, "refused": 0}
	for gate, want := range map[string][]string{
		"queue-hard.route_accuracy >= 0.6": {"inconclusive queue-hard: the route_accuracy is 0.75 (95 %: 0.588 to 0.873), on either side of 0.6; where the route_accuracy is 0.373 or less, 40 tickets show it 80 % of the time; about 78 tickets would settle it if the route_accuracy is what it is here | scenarios are not known: tickets are taken for independent"},
		"queue.route drop <= 0.05":         {"regression queue: the drop of route is 0.25 (95 %: 0.089 to 0.387), above 0.05 | scenarios are not known: tickets are taken for independent"},
		"urgency drop <= 0.05":             {"pass overall: the drop of urgency is -0.125 (95 %: -0.214 to -0.024), below 0.05; 40 tickets show a drop of 0.199 or more 80 % of the time | scenarios are not known: tickets are taken for independent"},
		"queue.efficiency drop <= 0.05":    {"inconclusive queue: the drop of efficiency is 0: none of 20 episodes differs; what happens to up to 16.9 % of all may show in none of 20 episodes; about 72 episodes that are alike would settle it | scenarios are not known: tickets are taken for independent"},
		"errors == 0":                      {"pass overall: errors is 0, which holds"},
		"refused rise <= 1":                {"regression overall: rise of refused is 2, which does not hold"},
		"each.refused rise <= 1":           {"regression queue-hard: rise of refused is 2, which does not hold", "pass desk-easy: rise of refused is 0, which holds"},
		"queue.cost <= 0.3":                {"pass queue: cost is 0.25, which holds"},
		"cost <= 0.3":                      {"inconclusive overall: cost is not known of desk-easy; it is 0.25 without"},
		"cost <= 0.2":                      {"regression overall: cost is 0.25, which does not hold"},
		"n >= 50":                          {"pass overall: n is 70, which holds"},
		"flips_broken <= 0":                {"regression overall: flips_broken is 1, which does not hold"},
		"desk.floor_margin >= 0.5":         {"inconclusive desk: the floor_margin is 0.567 (95 %: 0.45 to 0.6), on either side of 0.5; where the floor_margin is 0.403 or less, 30 tickets show it 80 % of the time; about 94 tickets would settle it if the floor_margin is what it is here | scenarios are not known: tickets are taken for independent"},
		"success_rate >= 0.5":              {"pass overall: the success_rate is 0.983 (95 %: 0.884 to 1), above 0.5; where the success_rate is 0.417 or less, 50 episodes show it 80 % of the time | scenarios are not known: episodes are taken for independent"},
		"identical":                        {"regression overall: the canonical bytes differ: queue-hard: 10 of 40 tickets have another score; desk-easy: 1 of 30 tickets have another score"},
	} {
		if diff := cmp.Diff(want, saidAll(judged(t, base, now, gate))); diff != "" {
			t.Errorf("%s: %s", gate, diff)
		}
	}
}

func TestAGateOnWhatIsNotThereIsRefusedWithWhatIs(t *testing.T) {
	t.Parallel()
	base := withParts(t, [2]float64{1, 1}, [2]float64{0, 1}).and(gated(t, "desk-easy", ones(3, 2), nil))
	_, err := Judge(compared(t, base, base), parsed(t, "queue-easy.score >= 0.5", "desk.rout_accuracy >= 0.5", "queue.tokens_in <= 5", "n rise >= 1", "queue.reward drop <= 0.1", "score <= 1"), JudgeOptions{})
	want := `gate: there is no scope "queue-easy"; there are each, queue, desk, queue-hard, desk-easy; without one a gate is about all of them together; did you mean queue-hard?
  queue-easy.score >= 0.5
  ^
gate: desk has no "rout_accuracy"; it has score, reward, success_rate, floor_margin, category, category_accuracy, errors, refused, n, flips_fixed, flips_broken
  desk.rout_accuracy >= 0.5
       ^
gate: queue has no "tokens_in"; it has score, efficiency, success_rate, route, route_accuracy, urgency, urgency_accuracy, errors, refused, n, flips_fixed, flips_broken, calls, cost
  queue.tokens_in <= 5
        ^
gate: n is of the comparison of both sides: it has no rise; write n >= 1
  n rise >= 1
  ^
gate: queue has no "reward"; it has score, efficiency, success_rate, route, route_accuracy, urgency, urgency_accuracy, errors, refused, calls, cost
  queue.reward drop <= 0.1
        ^`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	var s *SyntaxError
	if !errors.As(err, &s) {
		t.Errorf("%T", err)
	}
}
