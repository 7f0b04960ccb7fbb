package synth_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// place is a ticket by where it stands.
type place struct {
	task     triage.Task
	split    triage.Split
	seed     int64
	position int
}

func (p place) String() string {
	return fmt.Sprintf("%s %s %d %d", p.task.Name, p.split, p.seed, p.position)
}

// places draws any ticket there is.
func places() *rapid.Generator[place] {
	return rapid.Custom(func(t *rapid.T) place {
		p := place{task: rapid.SampledFrom(triage.Tasks()).Draw(t, "task"), split: rapid.SampledFrom(triage.Splits()).Draw(t, "split"),
			seed: rapid.Int64Range(0, triage.MaxSeed).Draw(t, "seed")}
		p.position = rapid.IntRange(0, p.task.Tickets-1).Draw(t, "position")
		return p
	})
}

var (
	sourcesMu sync.Mutex
	sources   = map[string]*synth.Source{}
)

// source gives the source of a place; one source serves all tests, also at the same time.
func (p place) source(tb testing.TB) *synth.Source {
	tb.Helper()
	sourcesMu.Lock()
	defer sourcesMu.Unlock()
	key := p.task.Name + " " + string(p.split)
	if sources[key] == nil {
		sources[key] = newSource(tb, p.task.Name, p.split)
	}
	return sources[key]
}

func embedded(tb testing.TB) *scenario.Bank {
	tb.Helper()
	b, err := scenario.Embedded()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// manyTickets calls f with the first tickets of a few episodes of every task and split.
func manyTickets(t *testing.T, episodes int, f func(t *testing.T, p place, c triage.Case, told []synth.Sentence)) {
	t.Helper()
	for _, task := range triage.Tasks() {
		for _, split := range triage.Splits() {
			t.Run(task.Name+"/"+string(split), func(t *testing.T) {
				t.Parallel()
				n := episodes * 12 / task.Tickets
				for seed := range n {
					for position := range task.Tickets {
						p := place{task, split, int64(seed), position}
						c, told := p.source(t).Explain(p.seed, p.position)
						f(t, p, *c, told)
						if t.Failed() {
							t.Fatalf("at %s:\n%s\n\n%s", p, c.Ticket.Subject, c.Ticket.Body)
						}
					}
				}
			})
		}
	}
}

func TestSameSeedAndPositionGiveTheSameTicket(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := places().Draw(rt, "place")
		want := p.source(t).Ticket(p.seed, p.position)
		explained, _ := p.source(t).Explain(p.seed, p.position)
		fresh := newSource(t, p.task.Name, p.split).Ticket(p.seed, p.position)
		for name, got := range map[string]*triage.Case{"explained": explained, "from another source": fresh, "again": p.source(t).Ticket(p.seed, p.position)} {
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("%s %s: %s", p, name, d)
			}
		}
	})
}

func TestOtherSeedsPositionsTasksAndSplitsGiveOtherTickets(t *testing.T) {
	t.Parallel()
	text := func(p place) string {
		c := p.source(t).Ticket(p.seed, p.position)
		return c.Ticket.Subject + "\n" + c.Ticket.Body
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := places().Draw(rt, "a"), places().Draw(rt, "b")
		neighbour := a
		neighbour.seed = a.seed ^ 1
		if text(a) == text(neighbour) || a.String() != b.String() && text(a) == text(b) {
			rt.Fatalf("%s, %s and %s have the same text", a, b, neighbour)
		}
		if a.task.Tickets > 1 {
			next := a
			next.position = (a.position + 1) % a.task.Tickets
			if text(a) == text(next) {
				rt.Fatalf("%s and %s have the same text", a, next)
			}
		}
	})
}

var ticketID = regexp.MustCompile(`^TKT-[0-9]{5}$`)

func TestIDsAreUniqueWithinAnEpisode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := places().Draw(rt, "place")
		seen := map[string]bool{}
		for i := range 200 { // longer than any episode
			id := p.source(t).Ticket(p.seed, i).Ticket.ID
			if !ticketID.MatchString(id) || seen[id] {
				rt.Fatalf("%s: id %q at position %d", p, id, i)
			}
			seen[id] = true
		}
	})
}

func TestMetadataIsInRange(t *testing.T) {
	t.Parallel()
	decimals := func(v float64, places int) bool {
		x := v * math.Pow10(places)
		return math.Abs(x-math.Round(x)) < 1e-9
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := places().Draw(rt, "place")
		c := p.source(t).Ticket(p.seed, p.position)
		m, f := c.Ticket.Metadata, c.Facts
		for what, ok := range map[string]bool{
			"channel":     slices.Contains([]string{"email", "web_form", "chat", "phone_note"}, m.Channel),
			"tier":        slices.Contains(triage.Tiers(), m.CustomerTier) && m.CustomerTier == f.Tier,
			"wait":        m.WaitTimeHours > 0 && m.WaitTimeHours < 96 && decimals(m.WaitTimeHours, 1) && m.WaitTimeHours == f.WaitHours,
			"escalated":   m.IsEscalated == f.Escalated,
			"contacts":    m.PreviousContacts >= 0 && m.PreviousContacts <= 5 && m.PreviousContacts == f.PreviousContacts,
			"selected":    m.SelectedCategory == "" || m.SelectedCategory.Valid(),
			"language":    regexp.MustCompile(`^[a-z]{2}(-[A-Z]{2})?$`).MatchString(m.Language),
			"attachments": m.Attachments >= 0 && m.Attachments <= 3,
			"sentiment":   c.Ticket.Sentiment >= -1 && c.Ticket.Sentiment <= 1 && decimals(c.Ticket.Sentiment, 2) && c.Ticket.Sentiment == f.Sentiment,
			"name":        len(strings.Fields(c.Ticket.CustomerName)) >= 2,
			"form":        p.task.Difficulty != triage.Easy || m.SelectedCategory == f.Primary.Route,
		} {
			if !ok {
				rt.Errorf("%s: %s is out of range: %+v", p, what, c.Ticket)
			}
		}
	})
}

func TestTextIsClean(t *testing.T) {
	t.Parallel()
	manyTickets(t, 40, func(t *testing.T, _ place, c triage.Case, _ []synth.Sentence) {
		for part, text := range map[string]string{"subject": c.Ticket.Subject, "body": c.Ticket.Body, "name": c.Ticket.CustomerName} {
			switch {
			case strings.TrimSpace(text) == "":
				t.Errorf("%s is empty", part)
			case text != strings.TrimSpace(text):
				t.Errorf("%s begins or ends with white space: %q", part, text)
			case !utf8.ValidString(text):
				t.Errorf("%s is no UTF-8", part)
			case strings.ContainsAny(text, "{}\t\r"):
				t.Errorf("%s has a brace or a control character", part)
			case strings.Contains(text, "  "):
				t.Errorf("%s has two spaces in a row", part)
			case strings.Contains(text, "\n\n\n"):
				t.Errorf("%s has two empty lines in a row", part)
			}
		}
		if strings.Contains(c.Ticket.Subject, "\n") {
			t.Error("the subject has two lines")
		}
		if words := len(strings.Fields(c.Ticket.Body)); words < 15 || words > 600 {
			t.Errorf("the body has %d words", words)
		}
	})
}

func TestLabelsAreTheHandbooksJudgementOfTheFacts(t *testing.T) {
	t.Parallel()
	manyTickets(t, 30, func(t *testing.T, p place, c triage.Case, _ []synth.Sentence) {
		queue := handbook.Queue(&c.Facts)
		want := triage.Truth{Queue: &queue}
		if c.Facts.Primary.Category != "" {
			text := ""
			if p.task.Track == triage.Desk {
				text = c.Ticket.Subject + "\n\n" + c.Ticket.Body
			}
			desk := handbook.Desk(&c.Facts, text)
			want.Desk = &desk
		}
		if d := cmp.Diff(want, c.Truth); d != "" {
			t.Error(d)
		}
		if p.task.Track == triage.Desk && (c.Truth.Desk == nil || len(c.Facts.Entities) < 4) {
			t.Errorf("a desk ticket without category or entities: %+v", c.Facts)
		}
	})
}

func TestSecondaryRequestIsLessUrgentOrComesSecond(t *testing.T) {
	t.Parallel()
	blended, tickets := 0, 0
	var mu sync.Mutex
	manyTickets(t, 60, func(t *testing.T, p place, c triage.Case, told []synth.Sentence) {
		mu.Lock()
		tickets++
		if c.Facts.Secondary != nil {
			blended++
		}
		mu.Unlock()
		at := map[synth.Role]int{}
		for i, s := range told {
			if _, ok := at[s.Role]; !ok {
				at[s.Role] = i
			}
		}
		second, there := at[synth.RoleSecondary]
		if there != (c.Facts.Secondary != nil) || there != slices.Contains(c.Facts.Traps, "blended") {
			t.Errorf("secondary request in the text: %t, in the facts: %v", there, c.Facts.Secondary)
		}
		if !there {
			return
		}
		if p.task.Difficulty != triage.Hard {
			t.Error("a blended ticket that is not hard")
		}
		first, lesser := handbook.Urgency(&c.Facts.Primary).Level(), handbook.Urgency(c.Facts.Secondary).Level()
		if lesser > first || lesser == first && second < at[synth.RoleStatement] {
			t.Errorf("secondary request of urgency %d at %d, primary of urgency %d at %d", lesser, second, first, at[synth.RoleStatement])
		}
		if c.Facts.Secondary.Route == c.Facts.Primary.Route || c.Truth.Queue.Secondary != c.Facts.Secondary.Route {
			t.Errorf("the secondary request belongs to %s", c.Facts.Secondary.Route)
		}
	})
	t.Cleanup(func() {
		if blended == 0 {
			t.Errorf("no blended ticket among %d", tickets)
		}
	})
}
