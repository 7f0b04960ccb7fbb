package synth

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// Source makes the tickets of one task and split. It is safe for concurrent use and gives the same ticket for the same
// seed and position, whoever asks, and in whatever order.
type Source struct {
	bank  *scenario.Bank
	task  triage.Task
	split triage.Split
	keys  *keyer
	index *index
	pool  sync.Pool // of *maker
}

// New makes a source. secret is empty or at least [MinSecret] bytes. It fails if the bank's split lacks a route or a
// category that the task draws.
func New(bank *scenario.Bank, task triage.Task, split triage.Split, secret []byte) (*Source, error) {
	if err := CheckSecret(secret); err != nil {
		return nil, err
	}
	s := &Source{bank: bank, task: task, split: split, keys: newKeyer(secret), index: newIndex(bank, split)}
	s.pool.New = func() any { return &maker{src: s} }
	if err := s.complete(); err != nil {
		return nil, err
	}
	return s, nil
}

// Task is the task that the source makes tickets for.
func (s *Source) Task() triage.Task { return s.task }

// Split is the half of the bank that the source draws from.
func (s *Source) Split() triage.Split { return s.split }

// complete says what the bank lacks for the task.
func (s *Source) complete() error {
	var lacks []string
	lack := func(what string) { lacks = append(lacks, what) }
	if len(s.bank.Voices) == 0 || len(s.bank.Names.First.Of(s.split)) == 0 {
		lack("voices or names")
	}
	s.facts(lack)
	if len(lacks) == 0 {
		return nil
	}
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("the bank has no %s in split %s, which task %s needs",
		strings.Join(lacks, "; no "), s.split, s.task.Name)}
}

// facts says which combinations of facts that the task draws no scenario allows. A route or category that is absent altogether is
// named once.
func (s *Source) facts(lack func(string)) {
	if s.task.Track == triage.Desk {
		for _, c := range triage.Categories() {
			if len(s.index.byCategory[c]) == 0 {
				lack(fmt.Sprintf("%s scenario", c))
				continue
			}
			for level := range levelCounts[c] {
				if choose(s.index.byCategory[c], 0, func(x *candidate) bool { return len(x.points[level]) > 0 }) == nil {
					lack(fmt.Sprintf("%s scenario worth %d of the handbook's priority points", c, 2*level))
				}
			}
		}
		return
	}
	for _, r := range triage.Routes() {
		if len(s.index.byRoute[r]) == 0 {
			lack(fmt.Sprintf("%s scenario", r))
			continue
		}
		for u, share := range urgencyShares[r] {
			for e, effort := range effortShares[r] {
				if share > 0 && effort > 0 && choose(s.index.byRoute[r], 0, func(x *candidate) bool {
					return len(x.urgency[u]) > 0 && x.efforts[e]
				}) == nil {
					lack(fmt.Sprintf("%s scenario with urgency %s and effort %s", r, triage.Urgencies()[u], triage.Efforts()[e]))
				}
			}
		}
	}
}

// Ticket makes the ticket at a position (from 0) of the episode with the given seed.
func (s *Source) Ticket(seed int64, position int) *triage.Case {
	c := new(triage.Case) // not on the stack of whoever asks: thousands of waiting sessions would keep theirs grown
	s.make(c, seed, position, false)
	return c
}

// Explain makes the same ticket as [Source.Ticket] and says which sentence carries what.
func (s *Source) Explain(seed int64, position int) (*triage.Case, []Sentence) {
	c := new(triage.Case)
	return c, s.make(c, seed, position, true)
}

func (s *Source) make(c *triage.Case, seed int64, position int, explain bool) []Sentence {
	m := s.pool.Get().(*maker)
	defer s.pool.Put(m)
	m.reset(explain)
	key := func(stream string, position int) [32]byte {
		return s.keys.key(stream, s.split, s.task.Name, seed, int64(position))
	}
	m.facts.seed(key(streamFacts, position))
	m.text.seed(key(streamText, position))
	m.form.seed(key(streamForm, position))
	if !m.numbered || m.numbers.seed != seed {
		m.ids.seed(key(streamIDs, 0))
		m.numbers, m.numbered = newNumbers(&m.ids, seed), true
	}
	m.drawFacts(&c.Facts)
	m.compose(c)
	m.fillForm(c)
	c.Ticket.ID = m.numbers.id(position)
	q := handbook.Queue(&c.Facts)
	c.Truth.Queue = &q
	if c.Facts.Primary.Category != "" {
		text := ""
		if s.task.Track == triage.Desk {
			text = c.Ticket.IssueText()
		}
		d := handbook.Desk(&c.Facts, text)
		c.Truth.Desk = &d
	}
	return m.sentences
}

// The range of ticket numbers, and how far those of neighbours are apart: a stride without a common divisor with the
// range, so that numbers are unique within an episode and their order tells nothing.
const lowestID, ids = 10000, 90000

// ticketNumbers are those of one episode; a maker remembers the last, whose tickets often come one after another.
type ticketNumbers struct{ seed, first, stride int64 }

func newNumbers(d *draws, seed int64) ticketNumbers {
	first := d.IntN(ids)
	return ticketNumbers{seed: seed, first: int64(first), stride: int64(1 + 30*d.IntN(ids/30))}
}

func (n *ticketNumbers) id(position int) string {
	return "TKT-" + strconv.Itoa(lowestID+int((n.first+int64(position)*n.stride)%ids))
}

// drawFacts draws what decides text and labels: the balance first, then a scenario that allows it.
func (m *maker) drawFacts(f *triage.Facts) {
	d := &m.facts
	tier := d.weighted(tierShares)
	m.tier = tier
	f.Tier = triage.Tiers()[tier]
	band := d.weighted(waitShares)
	f.WaitHours = tenths(waitBands[band], waitBands[band+1], d)
	f.Escalated = d.chance(escalatedShare)
	f.PreviousContacts = d.weighted(contactsShares)
	m.setTone(f, tone(d.weighted(toneShares)))
	if m.src.task.Track == triage.Desk {
		m.drawDesk(f, tier)
	} else {
		m.drawQueue(f, tier)
	}
}

// setTone sets the tone and draws a sentiment score of its band.
func (m *maker) setTone(f *triage.Facts, t tone) {
	m.tone = t
	low, high := toneBands[t][0], toneBands[t][1]
	f.Sentiment = float64(low+m.facts.IntN(high-low+1)) / 100
}

// tenths draws a number of hours with one decimal from low to under high.
func tenths(low, high float64, d *draws) float64 {
	from, to := int(math.Round(low*10)), int(math.Round(high*10))
	return float64(from+d.IntN(to-from)) / 10
}

func (m *maker) drawQueue(f *triage.Facts, tier int) {
	d := &m.facts
	route := triage.Routes()[d.weighted(routeShares)]
	urgency := d.weighted(urgencyShares[route])
	effort := d.weighted(effortShares[route])
	key := d.Uint64()
	list := m.src.index.byRoute[route]
	c := choose(list, key, func(c *candidate) bool {
		return c.tiers[tier] && c.efforts[effort] && len(c.urgency[urgency]) > 0
	})
	if c == nil { // a small bank may lack the tier: the label counts more
		c = choose(list, key, func(c *candidate) bool { return c.efforts[effort] && len(c.urgency[urgency]) > 0 })
	}
	m.take(f, c, drawCombo(d, c.urgency[urgency], triage.Efforts()[effort] == triage.SelfService), triage.Efforts()[effort])
	if list := c.Tones; len(list) > 0 && !slices.Contains(list, scenario.Tones()[m.tone]) {
		m.setTone(f, tone(slices.Index(scenario.Tones(), list[d.IntN(len(list))]))) // praise is not furious
	}
}

func (m *maker) drawDesk(f *triage.Facts, tier int) {
	d := &m.facts
	category := triage.Categories()[d.weighted(categoryShares)]
	level := d.IntN(levelCounts[category])
	key := d.Uint64()
	list := m.src.index.byCategory[category]
	c := choose(list, key, func(c *candidate) bool { return c.tiers[tier] && len(c.points[level]) > 0 })
	if c == nil {
		c = choose(list, key, func(c *candidate) bool { return len(c.points[level]) > 0 })
	}
	x := drawCombo(d, c.points[level], false)
	efforts := triage.Efforts()
	weights := make([]int, len(efforts))
	for i := range efforts {
		if c.efforts[i] {
			weights[i] = riskyDivisor
		}
	}
	if x.risk && weights[0] > 0 {
		weights[0] = 1 // self-service
	}
	m.take(f, c, x, efforts[d.weighted(weights)])
}

// take makes the chosen combination the primary request.
func (m *maker) take(f *triage.Facts, c *candidate, x combo, e triage.Effort) {
	m.primary, m.combo = c, x
	if x.situation < 0 {
		f.Primary = triage.Request{Scenario: c.Slug, Route: c.Route, Severity: triage.Cosmetic, Impact: triage.One,
			Deadline: triage.NoDeadline, Effort: e}
		return
	}
	f.Primary = c.Situations[x.situation].Request(c.Scenario)
	f.Primary.Deadline, f.Primary.Effort = x.deadline, e
}
