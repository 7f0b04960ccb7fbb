package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// partOf gives the credit of one part of a score.
func partOf(t *testing.T, s triage.Score, name string) float64 {
	t.Helper()
	p, ok := s.Part(name)
	if !ok {
		t.Fatalf("the score has no part %s", name)
	}
	return p.Value
}

func TestTheCreditOfANearMissIsWhatTheGraderGives(t *testing.T) {
	t.Parallel()
	for i, truth := range triage.Urgencies() {
		for j, answer := range triage.Urgencies() {
			s := grade.Queue(nil, &triage.QueueTruth{Route: triage.Billing, Urgency: truth}, &triage.QueueAction{Route: triage.Billing, Urgency: answer})
			if want := partOf(t, s, grade.PartUrgency); levelCredit(j, i) != want {
				t.Errorf("urgency %s for %s earns %v, here %v", answer, truth, want, levelCredit(j, i))
			}
		}
	}
	for truth := range 101 {
		for answer := range 101 {
			s := grade.Queue(nil, &triage.QueueTruth{Route: triage.Billing, Priority: truth}, &triage.QueueAction{Route: triage.Billing, Priority: triage.IntOf(answer)})
			if want := partOf(t, s, grade.PartPriority); scoreCredit(answer, truth) != want {
				t.Errorf("score %d for %d earns %v, here %v", answer, truth, want, scoreCredit(answer, truth))
			}
		}
	}
	for truth := 1; truth <= 7; truth++ {
		for answer := 1; answer <= 7; answer++ {
			s := grade.Desk(triage.Medium, &triage.DeskTruth{UrgencyDays: truth}, &triage.DeskAction{UrgencyDays: triage.IntOf(answer)})
			if want := partOf(t, s, grade.PartUrgencyDays); daysCredit(answer, truth) != want {
				t.Errorf("%d days for %d earn %v, here %v", answer, truth, want, daysCredit(answer, truth))
			}
		}
	}
}

func TestAnOrderedLabelIsAnsweredByTheHighestExpectedCreditAndANominalOneByTheLikeliest(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name             string
		p                []float64
		nominal, ordered int
	}{
		{"one is sure", []float64{0, 0, 1, 0}, 2, 2},
		{"the ends outweigh the middle", []float64{0.4, 0.25, 0.35}, 0, 1},
		{"the likeliest stands alone at the end", []float64{0.4, 0, 0.3, 0.3}, 0, 2},
		{"all are equal: the first of those with most neighbours", []float64{0.25, 0.25, 0.25, 0.25}, 0, 1},
	} {
		if got := decide(x.p, false); got != x.nominal {
			t.Errorf("%s: nominal %d, want %d", x.name, got, x.nominal)
		}
		if got := decide(x.p, true); got != x.ordered {
			t.Errorf("%s: ordered %d, want %d", x.name, got, x.ordered)
		}
	}
}

func TestAQueueTicketThatIsSpamHasTheHandbooksAnswerAndAnyOtherTheArithmetic(t *testing.T) {
	t.Parallel()
	m := &triage.Metadata{CustomerTier: triage.Tiers()[1], WaitTimeHours: 30, IsEscalated: true, PreviousContacts: 3}
	spam := queueBelief{route: []float64{0.1, 0.1, 0.1, 0.1, 0.6}, urgency: []float64{0, 0, 0, 1}, difficulty: []float64{0, 0, 1}}
	want := triage.QueueAction{Route: triage.Spam, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(0)}
	if d := cmp.Diff(want, spam.act(m)); d != "" {
		t.Errorf("spam (-want +got):\n%s", d)
	}
	other := queueBelief{route: []float64{0.6, 0.1, 0.1, 0.1, 0.1}, urgency: []float64{0, 0, 0.9, 0.1}, difficulty: []float64{0, 0, 1}}
	want = triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyHigh, Difficulty: triage.ResolutionHard,
		Priority: triage.IntOf(handbook.PriorityScore(triage.UrgencyHigh, m.CustomerTier, 30, true, 3))}
	if d := cmp.Diff(want, other.act(m)); d != "" {
		t.Errorf("another (-want +got):\n%s", d)
	}
}

func TestADeskAnswerFollowsFromItsKindByTheHandbook(t *testing.T) {
	t.Parallel()
	kinds := deskKinds()
	if len(kinds) != 10 {
		t.Fatalf("there are %d kinds, want 4 of bugs and 3 of the others", len(kinds))
	}
	for i, k := range kinds {
		for _, o := range []triage.DeskObservation{{}, {SentimentScore: -0.5, WaitTimeHours: 25}, {SentimentScore: -0.7, WaitTimeHours: 50, IsEscalated: true}, {SentimentScore: -1}} {
			b := deskBelief{kinds: make([]float64, len(kinds))}
			b.kinds[i] = 1
			p := handbook.DeskPriority(k.category, k.points, o.SentimentScore, o.WaitTimeHours, o.IsEscalated)
			d, credit := handbook.Department(k.category, o.SentimentScore, o.WaitTimeHours, o.IsEscalated)
			want := triage.DeskAction{Category: k.category, Priority: p, UrgencyDays: triage.IntOf(handbook.UrgencyDays(p, o.WaitTimeHours)), Department: d}
			got := b.act(&o)
			if credit[got.Department.Index()] == 1 { // two departments may earn the same
				got.Department = d
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v with %+v (-want +got):\n%s", k, o, diff)
			}
			truth := triage.DeskTruth{Category: k.category, Priority: p}
			if place, ok := kindOfTruth(&o, &truth); ok && place != i {
				t.Errorf("%v with %+v is taken for kind %d", k, o, place)
			} else if !ok && o == (triage.DeskObservation{}) {
				t.Errorf("%v: a calm and fresh ticket hides no points", k)
			}
		}
	}
	if _, ok := kindOfTruth(&triage.DeskObservation{SentimentScore: -1}, &triage.DeskTruth{Category: triage.Bug, Priority: triage.PriorityCritical}); ok {
		t.Error("an outraged customer's ticket is critical whatever its points: it teaches nothing of them")
	}
}
