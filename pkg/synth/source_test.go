package synth_test

import (
	"bytes"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func task(tb testing.TB, name string) triage.Task {
	tb.Helper()
	t, err := triage.TaskByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestSecretChangesTicketsAndIsToldApart(t *testing.T) {
	t.Parallel()
	fingerprint := regexp.MustCompile(`^[0-9a-f]{8}$`)
	rapid.Check(t, func(rt *rapid.T) {
		p := places().Draw(rt, "place")
		a := rapid.SliceOfN(rapid.Byte(), synth.MinSecret, 80).Draw(rt, "a")
		b := bytes.Clone(a)
		b[rapid.IntRange(0, len(b)-1).Draw(rt, "at")] ^= 1
		source := func(secret []byte) *synth.Source {
			s, err := synth.New(embedded(t), p.task, p.split, secret)
			if err != nil {
				rt.Fatal(err)
			}
			return s
		}
		plain, one, two := p.source(t).Ticket(p.seed, p.position), source(a).Ticket(p.seed, p.position), source(b).Ticket(p.seed, p.position)
		if again := source(bytes.Clone(a)).Ticket(p.seed, p.position); cmp.Diff(one, again) != "" {
			rt.Fatalf("%s: the same secret gives another ticket", p)
		}
		if plain.Ticket.Body == one.Ticket.Body || one.Ticket.Body == two.Ticket.Body || one.Ticket.ID == two.Ticket.ID && one.Ticket.ID == plain.Ticket.ID {
			rt.Fatalf("%s: another secret gives the same ticket", p)
		}
		fa, fb := synth.Fingerprint(a), synth.Fingerprint(b)
		if !fingerprint.MatchString(fa) || fa == fb || fa != synth.Fingerprint(bytes.Clone(a)) {
			rt.Fatalf("fingerprints %q and %q", fa, fb)
		}
		if strings.Contains(strings.ToLower(string(a)), fa) {
			rt.Fatal("the fingerprint gives the secret away")
		}
	})
	if got := synth.Fingerprint(nil); got != "" {
		t.Errorf("no secret has fingerprint %q", got)
	}
}

func TestShortSecretsAreRefused(t *testing.T) {
	t.Parallel()
	for n := range 80 {
		err := synth.CheckSecret(make([]byte, n))
		if short := n > 0 && n < synth.MinSecret; short != (err != nil) {
			t.Errorf("a secret of %d bytes gives %v", n, err)
		}
		if err != nil && triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("code %q", triage.CodeOf(err))
		}
	}
	if _, err := synth.New(embedded(t), task(t, "queue-easy"), triage.Test, []byte("short")); err == nil {
		t.Error("New takes a short secret")
	}
}

func TestParallelEqualsSerial(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-hard", "desk-hard"} {
		src, k := newSource(t, name, triage.Test), task(t, name)
		const n = 300
		serial := make([]triage.Case, n)
		for i := range serial {
			serial[i] = *src.Ticket(int64(i/k.Tickets), i%k.Tickets)
		}
		parallel := make([]triage.Case, n)
		var wg sync.WaitGroup
		for w := range 2 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := n - 1 - w; i >= 0; i -= 2 * runtime.GOMAXPROCS(0) { // backwards, too
					parallel[i] = *src.Ticket(int64(i/k.Tickets), i%k.Tickets)
				}
			})
		}
		wg.Wait()
		if d := cmp.Diff(serial, parallel); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// clone copies a bank, so that a test may add to it.
func clone(b *scenario.Bank) *scenario.Bank {
	c := *b
	c.Scenarios, c.Voices = slices.Clone(b.Scenarios), slices.Clone(b.Voices)
	return &c
}

// involves tells whether a ticket has anything of a scenario.
func involves(c *triage.Case, told []synth.Sentence, slug string) bool {
	return c.Facts.Primary.Scenario == slug || c.Facts.Secondary != nil && c.Facts.Secondary.Scenario == slug ||
		slices.ContainsFunc(told, func(s synth.Sentence) bool { return s.Scenario == slug })
}

func TestNewScenarioChangesItsOwnShareOfTickets(t *testing.T) {
	t.Parallel()
	bank := embedded(t)
	for _, name := range []string{"queue-easy", "queue-hard", "desk-hard"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := newSource(t, name, triage.Test)
			added := *bank.Scenarios[slices.IndexFunc(bank.Scenarios, func(s *scenario.Scenario) bool {
				return s.Split == triage.Test && s.Route == triage.Technical
			})]
			added.Slug = "technical/an-added-scenario"
			more := clone(bank)
			more.Scenarios = append(more.Scenarios, &added)
			after, err := synth.New(more, before.Task(), triage.Test, nil)
			if err != nil {
				t.Fatal(err)
			}
			const n = 1200
			changed, primary := 0, 0
			for i := range n {
				seed, position := int64(i/before.Task().Tickets), i%before.Task().Tickets
				was := before.Ticket(seed, position)
				is, told := after.Explain(seed, position)
				if cmp.Diff(was, is) != "" {
					changed++
					if !involves(is, told, added.Slug) {
						t.Fatalf("ticket %d of seed %d changed, and has nothing of the new scenario", position, seed)
					}
				}
				if is.Facts.Primary.Scenario == added.Slug {
					primary++
				}
			}
			if changed == 0 || primary == 0 || changed > n/5 {
				t.Errorf("%d of %d tickets changed, %d are of the new scenario", changed, n, primary)
			}
		})
	}
}

func TestMendedScenarioChangesItsOwnTicketsOnly(t *testing.T) {
	t.Parallel()
	bank := embedded(t)
	i := slices.IndexFunc(bank.Scenarios, func(s *scenario.Scenario) bool { return s.Split == triage.Test && s.Route == triage.Billing })
	mended := *bank.Scenarios[i]
	mended.Details = append([]string{"An added sentence of colour."}, mended.Details...)
	mended.Ask.Plain = append(slices.Clone(mended.Ask.Plain), "Another way to ask for it.")
	other := clone(bank)
	other.Scenarios[i] = &mended
	before := newSource(t, "queue-medium", triage.Test)
	after, err := synth.New(other, before.Task(), triage.Test, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range 1000 {
		was, is := before.Ticket(int64(i/10), i%10), after.Ticket(int64(i/10), i%10)
		if cmp.Diff(was, is) == "" {
			continue
		}
		changed++
		if is.Facts.Primary.Scenario != mended.Slug || was.Facts.Primary.Scenario != mended.Slug || !cmp.Equal(was.Truth, is.Truth) {
			t.Errorf("a ticket of %s changed", was.Facts.Primary.Scenario)
		}
	}
	if changed == 0 {
		t.Error("no ticket changed")
	}
}

func TestTextStreamDecidesTextOnly(t *testing.T) {
	t.Parallel()
	bank := clone(embedded(t))
	voice := *bank.Voices[0]
	voice.Slug = "zz-added"
	bank.Voices = append(bank.Voices, &voice, &voice, &voice)
	before := newSource(t, "queue-hard", triage.Test)
	after, err := synth.New(bank, before.Task(), triage.Test, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for i := range 240 {
		was, is := before.Ticket(int64(i/12), i%12), after.Ticket(int64(i/12), i%12)
		if was.Ticket.ID != is.Ticket.ID || was.Ticket.Metadata != is.Ticket.Metadata || was.Facts.Primary != is.Facts.Primary || was.Facts.Sentiment != is.Facts.Sentiment {
			t.Fatalf("more voices change %+v into %+v", was.Facts, is.Facts)
		}
		if was.Ticket.Body != is.Ticket.Body {
			texts++
		}
	}
	if texts == 0 {
		t.Error("more voices leave all texts as they were")
	}
}

func TestDistractorsAreNoWordsOfTheOwnMatter(t *testing.T) {
	t.Parallel()
	src := newSource(t, "desk-hard", triage.Test)
	with := 0
	for seed := range int64(400) {
		c, told := src.Explain(seed, 0)
		if len(c.Facts.Distractors) > 0 {
			with++
		}
		for _, d := range c.Facts.Distractors {
			for _, group := range c.Facts.Entities {
				if slices.ContainsFunc(group, func(e string) bool { return strings.EqualFold(e, d) }) {
					t.Errorf("seed %d: %q is entity and distractor", seed, d)
				}
			}
			for _, s := range told {
				if s.Scenario == c.Facts.Primary.Scenario && strings.Contains(strings.ToLower(s.Text), strings.ToLower(d)) && s.Role != synth.RoleSubject {
					t.Errorf("seed %d: distractor %q stands in %q", seed, d, s.Text)
				}
			}
		}
	}
	if with == 0 {
		t.Error("no hard ticket has distractors")
	}
}

func TestBankThatLacksWhatATaskNeedsIsRefused(t *testing.T) {
	t.Parallel()
	without := func(drop func(*scenario.Scenario) bool) *scenario.Bank {
		b := clone(embedded(t))
		b.Scenarios = slices.DeleteFunc(b.Scenarios, drop)
		return b
	}
	for _, c := range []struct {
		name, task string
		bank       *scenario.Bank
		want       string
	}{
		{"no scenario", "queue-easy", without(func(*scenario.Scenario) bool { return true }), "the bank has no billing scenario; no technical scenario; no feature scenario; no feedback scenario; no spam scenario in split test, which task queue-easy needs"},
		{"no feedback", "queue-hard", without(func(s *scenario.Scenario) bool { return s.Route == triage.Feedback }), "the bank has no feedback scenario"},
		{"no spam", "queue-hard", without(func(s *scenario.Scenario) bool { return s.Route == triage.Spam }), "the bank has no spam scenario"},
		{"no bug", "desk-easy", without(func(s *scenario.Scenario) bool { return s.Desk == triage.Bug }), "the bank has no Bug scenario in split test"},
		{"no risky bug", "desk-easy", withoutRisk(t), "the bank has no Bug scenario worth 6 of the handbook's priority points in split test"},
		{"no critical billing", "queue-easy", withoutRisk(t), "no billing scenario with urgency critical and effort self_service; no billing scenario with urgency critical and effort investigation"},
		{"no test split", "desk-easy", without(func(s *scenario.Scenario) bool { return s.Split == triage.Test }), "in split test"},
		{"no voice", "desk-easy", func() *scenario.Bank { b := clone(embedded(t)); b.Voices = nil; return b }(), "the bank has no voices or names"},
		{"desk without feedback", "desk-hard", without(func(s *scenario.Scenario) bool { return s.Route == triage.Feedback }), ""},
	} {
		src, err := synth.New(c.bank, task(t, c.task), triage.Test, nil)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || triage.CodeOf(err) != triage.CodeUsage):
			t.Errorf("%s: the error is %v, want %s", c.name, err, c.want)
		case c.want == "" && (src.Split() != triage.Test || src.Task().Name != c.task):
			t.Errorf("%s: the source is of %s, %s", c.name, src.Task().Name, src.Split())
		}
	}
}

// TestSmallBankStillGivesEveryLabel keeps the test scenarios among the first twelve of each route: labels are drawn before
// scenarios, so they stay as they were.
func TestSmallBankStillGivesEveryLabel(t *testing.T) {
	t.Parallel()
	b := clone(embedded(t))
	full := newSource(t, "queue-hard", triage.Test)
	kept := map[triage.Route]int{}
	b.Scenarios = slices.DeleteFunc(b.Scenarios, func(s *scenario.Scenario) bool {
		kept[s.Route]++
		return s.Split != triage.Test || kept[s.Route] > 12
	})
	src, err := synth.New(b, full.Task(), triage.Test, nil)
	if err != nil {
		t.Fatalf("the first scenarios of the bank do not suffice: %v", err)
	}
	labels := map[triage.Route]int{}
	for i := range 600 {
		was, is := full.Ticket(int64(i/12), i%12), src.Ticket(int64(i/12), i%12)
		if was.Truth.Queue.Route != is.Truth.Queue.Route || was.Truth.Queue.Urgency != is.Truth.Queue.Urgency || was.Truth.Queue.Difficulty != is.Truth.Queue.Difficulty {
			t.Fatalf("a smaller bank changes the label %+v into %+v", was.Truth.Queue, is.Truth.Queue)
		}
		labels[is.Truth.Queue.Route]++
	}
	if len(slices.Collect(maps.Keys(labels))) != len(triage.Routes()) {
		t.Errorf("labels %v", labels)
	}
}

// withoutRisk gives the bank without situations in which data is at risk or work is blocked without a workaround.
func withoutRisk(t *testing.T) *scenario.Bank {
	t.Helper()
	b := clone(embedded(t))
	for i, s := range b.Scenarios {
		c := *s
		c.Situations = slices.DeleteFunc(slices.Clone(s.Situations), func(x scenario.Situation) bool {
			return x.Severity == triage.DataAtRisk || x.Workaround != nil && !*x.Workaround
		})
		b.Scenarios[i] = &c
	}
	return b
}
