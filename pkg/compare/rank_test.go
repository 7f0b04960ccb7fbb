package compare_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/compare"
)

// graded is a side of one queue task: episodes of two tickets.
func graded(t *testing.T, agent, from string, scores ...float64) *compare.Side {
	t.Helper()
	var list []played
	for i := 0; i+1 < len(scores); i += 2 {
		list = append(list, queueOf(agent, int64(42+i/2), scores[i], scores[i+1]))
	}
	return sideOf(t, runSettings(agent), from, list...)
}

func TestARankingPutsTheBestFirstAndTiesWhatCannotBeToldApart(t *testing.T) {
	t.Parallel()
	good := []float64{1, 1, 1, 1, 1, 1, 1, 1, 0.9, 1, 1, 1}
	near := []float64{1, 1, 0.9, 1, 1, 1, 1, 1, 0.9, 1, 1, 0.9}
	bad := []float64{0.1, 0, 0.2, 0, 0, 0.1, 0, 0, 0, 0.3, 0, 0}
	sides := []*compare.Side{graded(t, "bad", "x", bad...), graded(t, "good", "y", good...), graded(t, "near", "z", near...)}
	r, err := compare.Rank(sides, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		name string
		rank int
		tied bool
	}
	var got []place
	for _, s := range r.Standings {
		got = append(got, place{s.Side.Name, s.Rank, s.Tied})
	}
	if diff := cmp.Diff([]place{{"good", 1, false}, {"near", 2, true}, {"bad", 3, false}}, got, cmp.AllowUnexported(place{})); diff != "" {
		t.Error(diff)
	}
	if top := r.Standings[0]; math.Abs(top.Score.Mean-11.9/12) > 1e-12 || top.Score.CI95.High > 1 || top.Below.Metric != "" {
		t.Errorf("%+v", top)
	}
	if d := r.Standings[2].Below; !(d.Delta.Mean < -0.8) || !(d.Holm < 0.05) || !(d.Holm >= d.P) || !d.Paired {
		t.Errorf("%+v", d)
	}
	if task := r.Tasks[0]; len(r.Tasks) != 1 || task.N != 12 || task.Units != "tickets" || task.Clusters != 12 || len(task.Standings) != 3 || task.Standings[2].Side != sides[0] {
		t.Errorf("%+v", r.Tasks)
	}
	same, err := compare.Rank([]*compare.Side{sides[1], sides[1], sides[1]}, compare.Options{})
	if err != nil || !same.Standings[1].Tied || !same.Standings[2].Tied || same.Standings[1].Below.P != 1 {
		t.Errorf("a side and itself: %v %+v", err, same)
	}
}

func TestARankingIsOverWhatAllSidesShare(t *testing.T) {
	t.Parallel()
	a := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 1), queueOf("a", 43, 1, 1), queueOf("a", 44, 1, 1))
	b := sideOf(t, runSettings("b"), "y", queueOf("b", 43, 1, 0.5), queueOf("b", 44, 0, 0.5), queueOf("b", 45, 0, 0))
	broke := queueOf("c", 44)
	broke.broke = "gone"
	hard := queueOf("c", 44, 1)
	hard.task = "queue-hard"
	c := sideOf(t, runSettings("c"), "z", queueOf("c", 43, 0, 0.5), broke, hard)
	r, err := compare.Rank([]*compare.Side{a, b, c}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Tasks[0].N; n != 4 || r.Standings[2].Score.Mean != 0.125 {
		t.Errorf("%d units, %+v", n, r.Standings)
	}
	if diff := cmp.Diff([]string{"queue-easy: 4 tickets are not on all sides, or are others, and left out"}, r.Warnings); diff != "" {
		t.Error(diff)
	}
	turned, err := compare.Rank([]*compare.Side{c, a, b}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Standings {
		if r.Standings[i].Side != turned.Standings[i].Side || r.Standings[i].Score.Mean != turned.Standings[i].Score.Mean || r.Standings[i].Below.P != turned.Standings[i].Below.P {
			t.Errorf("the order of files matters: %+v, %+v", r.Standings[i], turned.Standings[i])
		}
	}
}

func TestRankingsOfUnlikeSidesAreRefused(t *testing.T) {
	t.Parallel()
	a, b := graded(t, "a", "x", 1, 1), graded(t, "b", "y", 1, 0)
	other := sideOf(t, runSettings("c", "generator", "9"), "z", queueOf("c", 42, 1, 1))
	far := sideOf(t, runSettings("c"), "z", queueOf("c", 7, 1, 1))
	hot := func(agent, from, temperature string) *compare.Side {
		return sideOf(t, runSettings(agent, "agent "+agent+": temperature", temperature), from, queueOf(agent, 42, 1, 1))
	}
	for _, c := range []struct {
		name  string
		sides []*compare.Side
		allow []string
		want  string
	}{
		{"one side", []*compare.Side{a}, nil, "a ranking takes two sides or more, not 1"},
		{"no side", nil, nil, "a ranking takes two sides or more, not 0"},
		{"another generator", []*compare.Side{a, b, other}, nil, `a (x) and c (z) are not runs of the same: generator is "2-aaaa" and "9" (--allow generator)`},
		{"other settings of the second and the third", []*compare.Side{a, hot("m", "y", "0"), hot("m", "z", "1")}, nil,
			`m (y) and m (z) are not runs of the same: settings.temperature is "0" and "1" (--allow settings.temperature, or settings for all)`},
		{"no shared seed", []*compare.Side{a, b, far}, nil, "the sides share nothing to rank by: queue-easy: all sides share no episode"},
		{"an unknown key", []*compare.Side{a, b}, []string{"x"}, "--allow x: it is not one of "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compare.Rank(c.sides, compare.Options{Allow: c.allow})
			if msg := usageOf(t, err); !strings.HasPrefix(msg, c.want) {
				t.Errorf("%s\nwant %s", msg, c.want)
			}
		})
	}
	r, err := compare.Rank([]*compare.Side{a, b, other}, compare.Options{Allow: []string{"generator"}})
	if err != nil || len(r.Allowed) != 1 || r.Tasks[0].N != 2 {
		t.Errorf("allowed: %v %+v", err, r)
	}
}

// Sides that fall by little from one to the next: neighbours are tied, and the last is far from the best.
func TestTiedNeighboursDoNotMakeFirstAndLastEqual(t *testing.T) {
	t.Parallel()
	var sides []*compare.Side
	for i := range 5 {
		name := string(rune('a' + i))
		var queues []played
		for seed := range 40 {
			scores := []float64{1, 1, 1}
			if seed < i {
				scores = []float64{0, 0, 0}
			}
			queues = append(queues, queueOf(name, int64(seed), scores...))
		}
		sides = append(sides, sideOf(t, runSettings(name), name, queues...))
	}
	r, err := compare.Rank(sides, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var tied, best []bool
	for _, s := range r.Standings[1:] {
		tied, best = append(tied, s.Tied), append(best, s.TiedWithBest)
		if !(s.FromBest.Delta.Mean <= s.Below.Delta.Mean) || !(s.FromBest.Holm >= s.FromBest.P) {
			t.Errorf("%+v", s.FromBest)
		}
	}
	if slices.Contains(tied, false) || !best[0] || best[3] {
		t.Errorf("neighbours are tied: %v; with the best: %v", tied, best)
	}
}
