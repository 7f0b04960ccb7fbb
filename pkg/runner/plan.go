// Package runner plays agents through environments: a plan of episodes, workers, and the one reset-act-step loop. It
// gets environments and agents as functions, so that a remote environment is one different function. It writes nothing:
// finished episodes go to a sink.
package runner

import (
	"fmt"
	"sort"

	"github.com/triagebench/triage/pkg/triage"
)

// Group is a run of episodes of one agent and task at neighbouring seeds.
type Group struct {
	Agent, Task string
	First       int64 // the first seed
	Count       int
	Position    triage.Int // set: only the ticket at this position is played
	Trial       int        // from 0: groups of one agent and task with other trials play the same episodes again
}

// has tells whether a seed belongs to the group. The last seed of a group may be the largest that there is.
func (g *Group) has(seed int64) bool { return seed >= g.First && seed-g.First < int64(g.Count) }

// Plan is what a run plays, in the order of its results. It holds groups, not keys, so that a plan of a million episodes
// is small.
type Plan struct {
	groups []Group
	starts []int // place of each group's first episode
	total  int
}

// MaxEpisodes is the most that one run plays: what a run keeps in memory of each is small, but not nothing.
const MaxEpisodes = 50_000_000

// NewPlan makes a plan. Groups that share an episode are refused: keys of a run are unique.
func NewPlan(groups []Group) (*Plan, error) {
	p := &Plan{}
	for _, g := range groups {
		if g.Count <= 0 {
			continue
		}
		if g.First < 0 || g.First > triage.MaxSeed-int64(g.Count-1) {
			return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
				"seeds %d to %d+%d leave the range 0 to %d", g.First, g.First, g.Count-1, triage.MaxSeed)}
		}
		for i := range p.groups {
			if o := &p.groups[i]; o.Agent == g.Agent && o.Task == g.Task && o.Position == g.Position && o.Trial == g.Trial && (o.has(g.First) || g.has(o.First)) {
				return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
					"%s is asked for twice", triage.Key{Agent: g.Agent, Task: g.Task, Seed: max(g.First, o.First), Position: g.Position, Trial: g.Trial})}
			}
		}
		if g.Count > MaxEpisodes-p.total {
			return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("a run of more than %d episodes: play it in several runs", MaxEpisodes)}
		}
		p.groups = append(p.groups, g)
		p.starts = append(p.starts, p.total)
		p.total += g.Count
	}
	return p, nil
}

// Len is the number of episodes.
func (p *Plan) Len() int { return p.total }

// Groups gives the groups in their order.
func (p *Plan) Groups() []Group { return p.groups }

// Key is the key of the episode at a place, 0 to Len−1.
func (p *Plan) Key(place int) triage.Key {
	i := sort.SearchInts(p.starts, place+1) - 1
	g := &p.groups[i]
	return triage.Key{Agent: g.Agent, Task: g.Task, Seed: g.First + int64(place-p.starts[i]), Position: g.Position, Trial: g.Trial}
}

// Index is the place of a key, or -1 if the plan does not have it.
func (p *Plan) Index(k triage.Key) int {
	for i := range p.groups {
		g := &p.groups[i]
		if g.Agent == k.Agent && g.Task == k.Task && g.Position == k.Position && g.Trial == k.Trial && g.has(k.Seed) {
			return p.starts[i] + int(k.Seed-g.First)
		}
	}
	return -1
}

// Shard is the part i of n of a plan, i from 1. The zero value is the whole plan.
type Shard struct{ I, N int }

// Has tells whether the place belongs to the shard: every n-th one.
func (s Shard) Has(place int) bool { return s.N <= 1 || place%s.N == s.I-1 }

// String renders the shard as i/n.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }
