package compare_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/triage"
)

// drawSide makes a side of some episodes of a queue and a desk task, some of which broke, with trials and single tickets.
func drawSide(t *rapid.T, agent string) *compare.Side {
	s := &compare.Side{Name: agent, Agent: agent, From: agent, Whole: true}
	score := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 4).Draw(t, "quarters")) / 4 })
	for _, name := range []string{"queue-easy", "desk-easy"} {
		task, err := triage.TaskByName(name)
		if err != nil {
			t.Fatal(err)
		}
		side := compare.TaskSide{Task: task, Floor: math.NaN()}
		for seed := range int64(rapid.IntRange(1, 6).Draw(t, "seeds")) {
			for trial := range int16(rapid.IntRange(1, 3).Draw(t, "trials")) {
				e := compare.Episode{Place: compare.Place{Seed: seed, Position: -1}, Trial: trial, Score: math.NaN(), Efficiency: math.NaN(), Reward: math.NaN()}
				if rapid.IntRange(0, 9).Draw(t, "broke") > 0 {
					n := 1
					if task.Track == triage.Queue {
						n = 4
					}
					sum := 0.0
					for i := range n {
						v := score.Draw(t, "score")
						sum += v
						e.Tickets = append(e.Tickets, compare.Ticket{ID: "id", Text: uint64(seed)<<8 + uint64(i) + 1, Scenario: []string{"a/b", "c/d", "e/f"}[(int(seed)+i)%3], Score: v,
							Parts: []triage.Part{{Name: "route", Value: v, Weight: 1}}})
					}
					e.Scored, e.Score, e.Reward, e.Efficiency = true, sum/float64(n), sum/float64(n), score.Draw(t, "efficiency")
				}
				side.Episodes = append(side.Episodes, e)
			}
		}
		s.Tasks = append(s.Tasks, side)
	}
	return s
}

func TestSwappingBaseAndNewNegatesEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSide(t, "a"), drawSide(t, "b")
		there, err := compare.Compare(a, b, compare.Options{Moved: 100})
		if err != nil {
			t.Fatal(err)
		}
		back, err := compare.Compare(b, a, compare.Options{Moved: 100})
		if err != nil {
			t.Fatal(err)
		}
		turn(&back.Overall)
		back.Base, back.New = back.New, back.Base
		for i := range back.Noted {
			back.Noted[i].Base, back.Noted[i].New = back.Noted[i].New, back.Noted[i].Base
		}
		for i := range back.Tasks {
			x := &back.Tasks[i]
			turn(&x.Score)
			for j := range x.Others {
				turn(&x.Others[j])
			}
			x.BaseOnly, x.NewOnly = x.NewOnly, x.BaseOnly
			x.BaseBroke, x.NewBroke = x.NewBroke, x.BaseBroke
			f := &x.Flips
			f.Fixed, f.Broken = f.Broken, f.Fixed
			f.Test.Fixed, f.Test.Broken = f.Test.Broken, f.Test.Fixed
			f.Test.Worse, f.Test.Better = f.Test.Better, f.Test.Worse
			f.Test.MidWorse, f.Test.MidBetter = f.Test.MidBetter, f.Test.MidWorse
			for j := range x.Moved {
				x.Moved[j].Base, x.Moved[j].New = x.Moved[j].New, x.Moved[j].Base
			}
		}
		// Of trials that moved as far the first of base counts, which is the same; what is summed in another order is near.
		if diff := cmp.Diff(there, back, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreUnexported(compare.Side{}, triage.Why{}),
			cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// turn negates a difference.
func turn(d *compare.Difference) {
	d.Base, d.New = d.New, d.Base
	d.Delta.Mean = -d.Delta.Mean
	for i := range d.Strata { // Deltas are the values of the score's
		for j, v := range d.Strata[i].Values {
			d.Strata[i].Values[j] = -v + 0
		}
	}
	if ci := d.Delta.CI95; ci != nil {
		ci.Low, ci.High = -ci.High, -ci.Low
	}
}

// The means over tickets are those over episodes: broken ones bring as many tickets as others.
func TestMeansOverTicketsAreThoseOverEpisodes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawSide(t, "a")
		c, err := compare.Compare(a, a, compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Tasks {
			task := &c.Tasks[i]
			bySeed := map[int64][]float64{}
			for _, e := range a.Tasks[i].Episodes {
				v := 0.0
				if e.Scored {
					v = e.Score
				}
				bySeed[e.Seed] = append(bySeed[e.Seed], v)
			}
			sum := 0.0
			for seed := range int64(len(bySeed)) {
				mean := 0.0
				for _, v := range bySeed[seed] {
					mean += v / float64(len(bySeed[seed]))
				}
				sum += mean / float64(len(bySeed))
			}
			scored := false
			for _, e := range a.Tasks[i].Episodes {
				scored = scored || e.Scored
			}
			if scored && math.Abs(task.Score.Base-sum) > 1e-9 {
				t.Fatalf("%s: %v over tickets, %v over episodes", task.Task.Name, task.Score.Base, sum)
			}
			if task.Score.P != 1 && task.Pairs > 1 && task.Score.Delta.CI95 != nil || task.Differ != 0 {
				t.Fatalf("a side and itself: %+v", task)
			}
		}
	})
}
