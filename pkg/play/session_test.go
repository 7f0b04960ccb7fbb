package play_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/play"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

func mixed(t testing.TB) *runner.Plan {
	return planOf(t, runner.Group{Agent: "human", Task: "queue-easy", First: 3, Count: 2}, runner.Group{Agent: "human", Task: "desk-medium", First: 1, Count: 3},
		runner.Group{Agent: "human", Task: env.TicketsTask, First: 0, Count: 3})
}

func sameEpisodes(t *testing.T, want, got map[int]*triage.Episode) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d episodes, want %d", len(got), len(want))
	}
	for place, ep := range want {
		if diff := cmp.Diff(asJSON(t, ep), asJSON(t, got[place])); diff != "" {
			t.Errorf("place %d: %s", place, diff)
		}
	}
}

func TestAPersonsEpisodesAreThoseOfAnAgentWithTheSameAnswers(t *testing.T) {
	t.Parallel()
	plan := mixed(t)
	want := byAgent(t, plan, "heuristic")
	var j journal
	s := started(t, j.config(plan))
	for i, a := range actions(want) {
		if n, of := s.Answered(); n != i || of != 22 {
			t.Fatalf("%d of %d answered, want %d of 22", n, of, i)
		}
		if err := s.Answer(a); err != nil {
			t.Fatal(err)
		}
	}
	if s.Ticket() != nil {
		t.Errorf("ticket %s is left", s.Ticket().ID)
	}
	sameEpisodes(t, want, j.episodes)
	sameEpisodes(t, want, s.Finished())
}

func TestAnswersTakenBackLeaveNoTraceInTheLastEpisodes(t *testing.T) {
	t.Parallel()
	plan := mixed(t)
	want := byAgent(t, plan, "heuristic")
	var j journal
	s := started(t, j.config(plan))
	for i, a := range actions(want) {
		// Each ticket is first skipped; every third time two tickets are taken back.
		must(t, s.Answer(triage.Action{}))
		must(t, s.Undo())
		if got := s.Ticket(); got == nil || got.At != i+1 {
			t.Fatalf("after going back there is ticket %+v, want number %d", got, i+1)
		}
		if i%3 == 2 {
			must(t, s.Undo())
			must(t, s.Answer(actions(want)[i-1]))
		}
		must(t, s.Answer(a))
	}
	sameEpisodes(t, want, j.episodes)
	sameEpisodes(t, want, s.Finished())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsTakenBackBeyondThisSitting(t *testing.T) {
	t.Parallel()
	var j journal
	s := started(t, j.config(mixed(t)))
	if err := s.Undo(); err == nil || s.CanUndo() {
		t.Error("there was something to take back")
	}
	must(t, s.Answer(triage.Action{}))
	if s.Ticket().At != 2 {
		t.Errorf("a refused undo moved to ticket %d", s.Ticket().At)
	}
}

func TestEachAnswerIsKeptAtOnce(t *testing.T) {
	t.Parallel()
	var j journal
	s := started(t, j.config(planOf(t, runner.Group{Agent: "human", Task: "queue-easy", First: 3, Count: 1}, runner.Group{Agent: "human", Task: "desk-easy", First: 1, Count: 1})))
	var got []string
	for s.Ticket() != nil {
		must(t, s.Answer(triage.Action{}))
		got = append(got, fmt.Sprintf("%d", len(j.lines)))
	}
	// A skipped desk ticket is three steps: two of them are lines, the third comes with the episode.
	if diff := cmp.Diff("1 2 3 4 5 6 7 8 11", strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
}

func TestASkippedTicketEarnsNothing(t *testing.T) {
	t.Parallel()
	var j journal
	s := started(t, j.config(mixed(t)))
	for s.Ticket() != nil {
		must(t, s.Answer(triage.Action{}))
		if g := s.Last(); g == nil || g.Score == nil || g.Score.Total != 0 {
			t.Fatalf("a skipped ticket earns %+v", g)
		}
	}
	for place, ep := range j.episodes {
		if *ep.Score != 0 {
			t.Errorf("place %d scores %v", place, *ep.Score)
		}
	}
}

func TestALaterSittingGoesOnWhereTheFirstWasLeft(t *testing.T) {
	t.Parallel()
	plan := mixed(t)
	want := byAgent(t, plan, "heuristic")
	answers := actions(want)
	for _, stop := range []int{0, 1, 7, 8, 9, 16, 17, 19, 21} {
		kept, done := map[triage.Key][]triage.Step{}, map[int]*triage.Episode{}
		c := play.Config{Plan: plan, NewEnv: newEnv, Want: func(place int) bool { return done[place] == nil },
			Before: func(key triage.Key) []triage.Step { return kept[key] },
			Step: func(key triage.Key, index int, s *triage.Step) error {
				kept[key] = append(kept[key][:index], *s)
				return nil
			},
			Episode: func(place int, ep *triage.Episode) error { done[place] = ep; return nil },
			Tickets: new(journal).config(plan).Tickets}
		first := started(t, c)
		for _, a := range answers[:stop] {
			must(t, first.Answer(a))
		}
		first.Close()
		second := started(t, c)
		if n, _ := second.Answered(); n != stop {
			t.Errorf("the second sitting begins after %d answers, want %d", n, stop)
		}
		for _, a := range answers[stop:] {
			must(t, second.Answer(a))
		}
		sameEpisodes(t, want, done)
	}
}

func TestAFailingDiskEndsTheSession(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for _, broken := range []string{"step", "episode"} {
		var j journal
		c := j.config(planOf(t, runner.Group{Agent: "human", Task: "queue-easy", First: 3, Count: 1}))
		if broken == "step" {
			c.Step = func(triage.Key, int, *triage.Step) error { return full }
		} else {
			c.Episode = func(int, *triage.Episode) error { return full }
		}
		s := started(t, c)
		var err error
		for s.Ticket() != nil && err == nil {
			err = s.Answer(triage.Action{})
		}
		if !errors.Is(err, full) || s.Ticket() != nil {
			t.Errorf("%s: %v, ticket %v", broken, err, s.Ticket())
		}
		if err := s.Answer(triage.Action{}); err == nil {
			t.Errorf("%s: an ended session takes answers", broken)
		}
	}
}

func TestACancelledContextEndsTheSession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var j journal
	s := play.NewSession(j.config(mixed(t)))
	must(t, s.Start(ctx))
	cancel()
	if err := s.Answer(triage.Action{}); !errors.Is(err, context.Canceled) && err == nil {
		t.Errorf("the session goes on: %v", err)
	}
	s.Close()
}

func TestATicketTellsNothingOfHowAnswersWereGraded(t *testing.T) {
	t.Parallel()
	plan := planOf(t, runner.Group{Agent: "human", Task: "queue-hard", First: 3, Count: 1})
	show := func(a []triage.Action) string {
		var j journal
		s := started(t, j.config(plan))
		var b strings.Builder
		for i := range 12 {
			b.WriteString(play.NewModel(s, play.Options{}).View().Content)
			must(t, s.Answer(a[i]))
		}
		return b.String()
	}
	right := actions(byAgent(t, plan, "oracle"))
	if diff := cmp.Diff(show(right), show(make([]triage.Action, 12))); diff != "" {
		t.Errorf("a person sees whether the answers before were right: %s", diff)
	}
}
