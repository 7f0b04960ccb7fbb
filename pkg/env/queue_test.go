package env_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

func TestAQueueEpisodeShowsEachTicketOnceAndItsRunningFigures(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "queue-easy")
	r := reset(t, e, triage.ResetOptions{Seed: 9, Tickets: 2})
	case0, case1 := fake{triage.Train}.Ticket(9, 0), fake{triage.Train}.Ticket(9, 1)
	show := func(c *triage.Case) *triage.QueueTicket {
		return &triage.QueueTicket{ID: c.Ticket.ID, Subject: c.Ticket.Subject, Description: c.Ticket.Body, Metadata: c.Ticket.Metadata}
	}
	want := triage.StepResult{Observation: triage.Observation{Queue: &triage.QueueObservation{Task: "queue-easy", Ticket: show(case0),
		TotalTickets: 2, Remaining: 2, Stats: &triage.QueueStats{}, Message: "Triage this ticket."}}}
	if d := cmp.Diff(want, r); d != "" {
		t.Errorf("reset (-want +got):\n%s", d)
	}

	right := rightAnswer(t, e)
	r = step(t, e, right)
	weights := []triage.Part{{Name: "route", Value: 1, Weight: 0.4}, {Name: "urgency", Value: 1, Weight: 0.25},
		{Name: "difficulty", Value: 1, Weight: 0.15}, {Name: "priority", Value: 1, Weight: 0.2}}
	want = triage.StepResult{Reward: 0.5, Observation: triage.Observation{Queue: &triage.QueueObservation{Task: "queue-easy", Ticket: show(case1),
		Position: 1, TotalTickets: 2, Remaining: 1, Stats: &triage.QueueStats{Processed: 1, MeanReward: 1, RouteAccuracy: 1, Efficiency: 1},
		LastResult: &triage.QueueResult{TicketID: case0.Ticket.ID, Reward: 1, Correct: true, Parts: weights}, Message: "Triage this ticket."}}}
	if d := cmp.Diff(want, r); d != "" {
		t.Errorf("first step (-want +got):\n%s", d)
	}

	truth, _ := e.Truth()
	a := triage.QueueAction{Route: truth.Queue.Route}
	r = step(t, e, triage.Action{Track: triage.Queue, Queue: a})
	parts := append([]triage.Part(nil), weights...)
	for i := range parts[1:] {
		parts[i+1].Value = 0
	}
	touches := 1 + grade.Touches(truth.Queue, &a)
	want = triage.StepResult{Reward: 0.2, Done: true, Observation: triage.Observation{Queue: &triage.QueueObservation{Task: "queue-easy",
		Position: 2, TotalTickets: 2, Stats: &triage.QueueStats{Processed: 2, MeanReward: 0.7, RouteAccuracy: 1, Efficiency: 2 / touches},
		LastResult: &triage.QueueResult{TicketID: case1.Ticket.ID, Reward: 0.4, Parts: parts}, Message: "The queue is done."}}}
	if d := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("last step (-want +got):\n%s", d)
	}
	s, ok := e.Summary()
	if d := cmp.Diff(triage.Summary{Score: 0.7, Efficiency: 2 / touches, Reward: 0.7}, s, cmpopts.EquateApprox(0, 1e-12)); d != "" || !ok {
		t.Errorf("summary, done %v (-want +got):\n%s", ok, d)
	}
}

func TestQueueEpisodesHaveTheTicketsOfTheirTaskOrFewer(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"queue-easy": 8, "queue-medium": 10, "queue-hard": 12} {
		for _, asked := range []int{0, 1, 3, n} {
			e := newEnv(t, name)
			r := reset(t, e, triage.ResetOptions{Seed: 1, Tickets: asked})
			want := asked
			if asked == 0 {
				want = n
			}
			full := newEnv(t, name)
			all := reset(t, full, triage.ResetOptions{Seed: 1})
			steps := 0
			for ids := map[string]bool{}; !r.Done; steps++ {
				id := r.Observation.Queue.Ticket.ID
				if ids[id] {
					t.Errorf("%s: ticket %s comes twice", name, id)
				}
				ids[id] = true
				if d := cmp.Diff(all.Observation.Queue.Ticket, r.Observation.Queue.Ticket); d != "" {
					t.Errorf("%s with %d tickets shows others than with all (-all +fewer):\n%s", name, asked, d)
				}
				r = step(t, e, triage.Action{Track: triage.Queue})
				if steps+1 < n {
					all = step(t, full, triage.Action{Track: triage.Queue})
				}
			}
			if steps != want {
				t.Errorf("%s with %d tickets has %d steps, want %d", name, asked, steps, want)
			}
		}
	}
}

func TestRewardsOfEveryModeSumToTheScore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-easy", "queue-medium", "queue-hard"} {
		for seed := range int64(20) {
			for _, mode := range []triage.Rewards{"", triage.RewardsDense, triage.RewardsTicket, triage.RewardsEpisode} {
				e := newEnv(t, name)
				r := reset(t, e, triage.ResetOptions{Seed: seed, Rewards: mode})
				if r.Reward != 0 {
					t.Errorf("a reset pays %v", r.Reward)
				}
				n := float64(r.Observation.Queue.TotalTickets)
				sum := 0.0
				for i := int64(0); !r.Done; i++ {
					a := triage.Action{Track: triage.Queue}
					if i%3 > 0 {
						a = rightAnswer(t, e)
						a.Queue.Urgency = pick(triage.Urgencies(), seed+i)
					}
					r = step(t, e, a)
					own := r.Observation.Queue.LastResult.Reward
					want := map[triage.Rewards]float64{"": own / n, triage.RewardsDense: own / n, triage.RewardsTicket: own}[mode]
					if mode == triage.RewardsEpisode && r.Done {
						want = r.Observation.Queue.Stats.MeanReward
					}
					if math.Abs(r.Reward-want) > 1e-12 {
						t.Errorf("%s, mode %q: step %d pays %v, want %v", name, mode, i, r.Reward, want)
					}
					sum += r.Reward
				}
				s, _ := e.Summary()
				if mode == triage.RewardsTicket {
					sum /= n
				}
				if math.Abs(sum-s.Score) > 1e-9 || s.Reward != s.Score {
					t.Errorf("%s, seed %d, mode %q: rewards come to %v, the score is %v, the reward %v", name, seed, mode, sum, s.Score, s.Reward)
				}
			}
		}
	}
}

func TestScoresOfEarlierStepsStayAsTheyWere(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "queue-hard")
	r := reset(t, e, triage.ResetOptions{Seed: 4})
	var kept []*triage.Score
	var copies []triage.Score
	var seen []triage.Observation
	var texts [][]byte
	for i := int64(0); !r.Done; i++ {
		a := rightAnswer(t, e)
		a.Queue.Route = pick(triage.Routes(), i)
		r = step(t, e, a)
		s := *e.LastScore()
		s.Parts = append([]triage.Part(nil), s.Parts...)
		data, err := r.Observation.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		kept, copies, seen, texts = append(kept, e.LastScore()), append(copies, s), append(seen, r.Observation), append(texts, data)
	}
	reset(t, e, triage.ResetOptions{Seed: 5})
	step(t, e, triage.Action{Track: triage.Queue})
	for i := range kept {
		if d := cmp.Diff(copies[i], *kept[i]); d != "" {
			t.Errorf("score %d changed afterwards (-then +now):\n%s", i, d)
		}
		data, err := seen[i].MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(texts[i]), string(data)); d != "" {
			t.Errorf("observation %d changed afterwards (-then +now):\n%s", i, d)
		}
	}
}

func TestAnAgentThatWritesIntoItsObservationDoesNotReachTheGrader(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "queue-easy")
	reset(t, e, triage.ResetOptions{Seed: 6, Tickets: 2})
	r := step(t, e, rightAnswer(t, e))
	for i := range r.Observation.Queue.LastResult.Parts {
		r.Observation.Queue.LastResult.Parts[i].Value = 77
	}
	r.Observation.Queue.LastResult.Reward = 77
	r.Observation.Queue.Stats.MeanReward = 77
	if s := e.LastScore(); s.Parts[0].Value != 1 || s.Total != 1 {
		t.Errorf("the score became %+v", s)
	}
	step(t, e, rightAnswer(t, e))
	if s, _ := e.Summary(); s.Score != 1 {
		t.Errorf("the summary became %+v", s)
	}
}

// maxStepAllocs is what a step of the queue may allocate.
const maxStepAllocs = 2

func TestAQueueStepAllocatesLittle(t *testing.T) {
	e := storedEnv(t, "queue-hard")
	ctx := context.Background()
	a := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyHigh, Priority: triage.IntOf(50)}}
	reset(t, e, triage.ResetOptions{Seed: 1})
	if n := testing.AllocsPerRun(10, func() {
		if _, err := e.Step(ctx, a); err != nil {
			t.Fatal(err)
		}
	}); n > maxStepAllocs {
		t.Errorf("%v allocations a step, want at most %d", n, maxStepAllocs)
	}
}

func BenchmarkQueueStep(b *testing.B) {
	e := storedEnv(b, "queue-hard")
	ctx := context.Background()
	a := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyHigh,
		Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(50)}}
	b.ReportAllocs()
	left := 0
	for b.Loop() {
		if left == 0 {
			b.StopTimer()
			reset(b, e, triage.ResetOptions{Seed: 1})
			left = 12
			b.StartTimer()
		}
		left--
		if _, err := e.Step(ctx, a); err != nil {
			b.Fatal(err)
		}
	}
}
