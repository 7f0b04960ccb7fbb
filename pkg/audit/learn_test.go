package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestWordHashesKnowWordsNotTheirDress(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"don't close THE ticket", "Dont, close ticket!", "don't\nclose a/an ticket…"} {
		want, got := wordHashes(nil, "dont close ticket"), wordHashes(nil, text)
		if text == "don't\nclose a/an ticket…" {
			got = got[:2] // "ticket…" is another word: bytes beyond ASCII are letters
			want = want[:2]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
	if a, b := grams(nil, wordHashes(nil, "one two three"), 3), grams(nil, wordHashes(nil, "three two one"), 3); a[0] == b[0] {
		t.Error("the order of words does not matter")
	}
	if g := grams(nil, wordHashes(nil, "one two"), 3); len(g) != 0 {
		t.Errorf("two words have %d runs of three", len(g))
	}
}

func TestPostingsFindEachDocumentOnce(t *testing.T) {
	t.Parallel()
	var p postings
	p.add(7, []uint64{5, 3, 5})
	p.add(2, []uint64{5})
	p.seal()
	if d := cmp.Diff([]posting{{5, 2}, {5, 7}}, p.of(5), cmp.AllowUnexported(posting{})); d != "" {
		t.Errorf("postings (-want +got):\n%s", d)
	}
	if len(p.of(4)) != 0 {
		t.Error("a gram that nobody has is found")
	}
}

// queueCase is a ticket with a text and labels.
func queueCase(body string, r triage.Route) triage.Case {
	return triage.Case{Ticket: triage.Ticket{Subject: "s", Body: body},
		Truth: triage.Truth{Queue: &triage.QueueTruth{Route: r, Urgency: triage.UrgencyHigh, Difficulty: triage.ResolutionHard, Priority: 50}}}
}

func TestTableFindsTheTextOrTheNearest(t *testing.T) {
	t.Parallel()
	train := []triage.Case{
		queueCase("please refund the invoice of last month for our workshop in town", triage.Billing),
		queueCase("the scanner does not read labels since the update of this morning", triage.Technical),
		queueCase("you have won a holiday and need only click on the link below", triage.Spam),
		queueCase("thank you for the kind help on the phone we were very pleased", triage.Feedback),
	}
	l := newTable(train).lookup()
	for text, want := range map[string]triage.Route{
		textOfCase(&train[2]): triage.Spam,
		"hello, since the update of this morning the scanner does not read any of our labels": triage.Technical,
		"our lift is out of order": "",
	} {
		e, ok := l.find(text)
		if ok != (want != "") || ok && e.route != want {
			t.Errorf("%q gives %+v, want %q", text, e, want)
		}
	}
	constant := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Feature}}
	see := func(body string) triage.Observation {
		return triage.Observation{Queue: &triage.QueueObservation{Ticket: &triage.QueueTicket{Subject: "s", Description: body,
			Metadata: triage.Metadata{CustomerTier: triage.Pro, WaitTimeHours: 30}}}}
	}
	want := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyHigh,
		Difficulty: triage.ResolutionHard, Priority: triage.IntOf(60)}}
	if d := cmp.Diff(want, l.answer(see(train[0].Ticket.Body), constant)); d != "" {
		t.Errorf("known text (-want +got):\n%s", d)
	}
	if d := cmp.Diff(constant, l.answer(see("our lift is out of order"), constant)); d != "" {
		t.Errorf("unknown text (-want +got):\n%s", d)
	}
}

func TestTableRemembersTrain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-hard", "desk-hard"} {
		a := enter(t, deps(t), small(t, name))
		l := newTable(a.train).lookup()
		for i := range a.train {
			c := &a.train[i]
			if e, ok := l.find(textOfCase(c)); !ok || e.category != entryOf(c).category || e.route != entryOf(c).route {
				t.Fatalf("%s: ticket %d is not remembered: %+v", name, i, e)
			}
		}
	}
}

func TestTreeFindsWhatThereIsAndNothingElse(t *testing.T) {
	t.Parallel()
	example := func(label func(i int) int) []row {
		rows := make([]row, 4000)
		for i := range rows {
			x := uint64(i)*golden ^ uint64(i)*golden>>31
			for f := range rows[i].traces {
				rows[i].traces[f] = int32((x >> (6 * f)) % 10)
			}
			rows[i].label = label(i)
			if label(i) < 0 {
				rows[i].label = int(rows[i].traces[2]) / 4
			}
		}
		return rows
	}
	told := example(func(int) int { return -1 })
	if gain, _ := grow(told[:2000], traceCount, treeDepth).gain(told[2000:], leaf(told)); gain < 0.5 {
		t.Errorf("a digit that is the label gains %.3f", gain)
	}
	noise := example(func(i int) int { return (i * i / 7) % 3 })
	if gain, se := grow(noise[:2000], traceCount, treeDepth).gain(noise[2000:], leaf(noise[:2000])); gain > 3*se+0.01 {
		t.Errorf("noise gains %.3f ± %.3f", gain, se)
	}
	if few := grow(told[:2*leastLeaf-1], traceCount, treeDepth); few.left != nil {
		t.Error("a tree grew on too few rows")
	}
}

func TestTracesAreReadFromTheTicket(t *testing.T) {
	t.Parallel()
	c := triage.Case{Ticket: triage.Ticket{ID: "TKT-40712", Subject: "four", Body: "seven c"}}
	want := [traceCount]int32{4, 0, 7, 1, 2, 40712, 3, 4, 7}
	if d := cmp.Diff(want, tracesOf(&c, 3)); d != "" {
		t.Errorf("traces (-want +got):\n%s", d)
	}
}

func TestReplayNarrowsDownWhatIsTrue(t *testing.T) {
	t.Parallel()
	for _, want := range triage.Routes() {
		for _, u := range triage.Urgencies() {
			k := unknown()
			for range rounds {
				parts := []triage.Part{{Name: "route"}, {Name: "urgency", Value: levelValue(u.Level() - k.urgencies[0].Level())},
					{Name: "difficulty", Value: 0.5}, {Name: "priority", Value: 0.3}}
				if k.routes[0] == want {
					parts[0].Value = 1
				}
				k.learn(parts)
			}
			if k.routes[0] != want || k.urgencies[0] != u {
				t.Errorf("%s, %s: knows %+v", want, u, k)
			}
		}
	}
}

func TestMajorityCounts(t *testing.T) {
	t.Parallel()
	train := []triage.Case{queueCase("a", triage.Spam), queueCase("b", triage.Feature), queueCase("c", triage.Feature)}
	want := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Feature, Urgency: triage.UrgencyHigh,
		Difficulty: triage.ResolutionHard, Priority: triage.IntOf(50)}}
	if d := cmp.Diff(want, majority(task(t, "queue-easy"), train)); d != "" {
		t.Errorf("majority (-want +got):\n%s", d)
	}
}

func TestSeedsToLearnFromAndToMeasureNeverMeet(t *testing.T) {
	t.Parallel()
	for _, seed := range []int64{0, 42, seedRange, triage.MaxSeed} {
		l, m := learnSeed(seed), measureSeed(seed)
		if l < 0 || m < 0 || m-l < 1_000_000 || m > triage.MaxSeed-1_000_000 {
			t.Errorf("seed %d: learns from %d, is measured on %d", seed, l, m)
		}
	}
}

func TestEstimateOfLittle(t *testing.T) {
	t.Parallel()
	if m, se := estimate(1, func(int) float64 { return 0.5 }); m != 0.5 || se != 0 {
		t.Errorf("one value: %v ± %v", m, se)
	}
	if m, _ := estimate(0, nil); m == m {
		t.Errorf("nothing has the mean %v", m)
	}
}
