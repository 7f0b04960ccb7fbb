package synth

import (
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// combo is a situation with a deadline, and how likely it is among those that give the same label.
type combo struct {
	situation int
	deadline  triage.Deadline
	weight    int
	risk      bool // data or security is at risk
}

// candidate is a scenario with what it allows.
type candidate struct {
	*scenario.Scenario
	hash    uint64
	tiers   [4]bool
	efforts [3]bool
	// effort and deadline are the phrasings in the order of [triage.Efforts] and [triage.Deadlines].
	effort, deadline [3]scenario.Levels
	urgency          [4][]combo // by urgency level
	points           [4][]combo // by desk points ÷ 2
	// matters are the names of what the scenario is about, but for those that any mail may hold.
	matters []string
	// followUp says that a follow-up ("works again") can be made.
	followUp bool
}

// index holds the candidates of one split.
type index struct {
	byRoute    map[triage.Route][]*candidate
	byCategory map[triage.Category][]*candidate
	// others can lend a secondary request or a mention to mails about something else.
	others []*candidate
}

func newIndex(b *scenario.Bank, split triage.Split) *index {
	ix := &index{byRoute: map[triage.Route][]*candidate{}, byCategory: map[triage.Category][]*candidate{}}
	for _, s := range b.Scenarios {
		if s.Split != split {
			continue
		}
		c := newCandidate(s)
		ix.byRoute[s.Route] = append(ix.byRoute[s.Route], c)
		if s.Desk != "" {
			ix.byCategory[s.Desk] = append(ix.byCategory[s.Desk], c)
		}
		if s.Route != triage.Spam {
			ix.others = append(ix.others, c)
		}
	}
	return ix
}

func newCandidate(s *scenario.Scenario) *candidate {
	c := &candidate{Scenario: s, hash: slugHash(s.Slug), followUp: len(s.Resolved) > 0}
	for i, t := range triage.Tiers() {
		c.tiers[i] = len(s.Tiers) == 0 || slices.Contains(s.Tiers, t)
	}
	for _, group := range s.Entities {
		if name := strings.ToLower(group[0]); !common[name] {
			c.matters = append(c.matters, name)
		}
	}
	if s.Route == triage.Spam {
		c.efforts = [3]bool{true, false, false}
		c.urgency[0] = []combo{{situation: -1, deadline: triage.NoDeadline, weight: 1}}
		return c
	}
	for i, e := range triage.Efforts() {
		c.effort[i], c.efforts[i] = s.Effort[e]
	}
	for i, d := range triage.Deadlines() {
		c.deadline[i] = s.Deadline[d]
	}
	for i := range s.Situations {
		for _, d := range triage.Deadlines() {
			r := s.Situations[i].Request(s)
			r.Deadline = d
			x := combo{situation: i, deadline: d, weight: deadlineWeight[d], risk: r.Severity == triage.DataAtRisk}
			if r.Severity == triage.Cosmetic {
				x.weight = trifleWeight[d]
			}
			level := handbook.Urgency(&r).Level()
			c.urgency[level] = append(c.urgency[level], x)
			if s.Desk == triage.Question && r.Severity == triage.DataAtRisk {
				continue // the handbook gives a Question no points for it
			}
			p := handbook.Points(&r) / 2
			c.points[p] = append(c.points[p], x)
		}
	}
	return c
}

// shares tells whether two scenarios are about something of one name: a mail about both would confuse anyone.
func (c *candidate) shares(other *candidate) bool {
	for _, m := range c.matters {
		if slices.Contains(other.matters, m) {
			return true
		}
	}
	return false
}

// choose gives the candidate with the highest hash of (key, slug) among those that fit, so that another file changes its
// own share of tickets and no other. It gives nil where none fits.
func choose(list []*candidate, key uint64, fits func(*candidate) bool) *candidate {
	var best *candidate
	var high uint64
	for _, c := range list {
		if h := mix(key ^ c.hash); (best == nil || h > high) && fits(c) {
			best, high = c, h
		}
	}
	return best
}

// riskyDivisor divides the weight of data at risk where the sender expects to put it right alone: who has lost data or finds
// strangers in it seldom does.
const riskyDivisor = 8

// drawCombo draws one of the combinations by weight; alone says that the sender needs nobody's help.
func drawCombo(d *draws, list []combo, alone bool) combo {
	weight := func(x *combo) int {
		if x.risk && alone {
			return max(1, x.weight/riskyDivisor)
		}
		return x.weight
	}
	sum := 0
	for i := range list {
		sum += weight(&list[i])
	}
	at := d.IntN(sum)
	for i := range list {
		w := weight(&list[i])
		if at < w {
			return list[i]
		}
		at -= w
	}
	return list[len(list)-1]
}
