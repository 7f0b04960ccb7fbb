package results

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/triagebench/triage/pkg/triage"
)

// Reliability collects how often an agent is right, and answers alike, when it plays the same tickets several times. The
// zero value is empty. Episodes may come in any order; what is kept of each is a number a ticket. It is not for concurrent use.
type Reliability struct{ groups map[played]*trials }

// played names what is looked at together.
type played struct{ agent, task string }

// trials are all episodes of an agent and a task.
type trials struct {
	task     triage.Task
	episodes map[place][]trial
}

// place names an episode without its trial. position is -1 for a whole episode.
type place struct {
	seed     int64
	position int
}

// trial is one playing of an episode.
type trial struct {
	number  int
	broken  bool
	score   float64 // NaN where it broke
	tickets []outcome
}

// outcome is what came of a ticket: bits and, above them, a hash of the answer.
type outcome uint64

const (
	outcomeGraded outcome = 1 << iota // the environment told how
	outcomeRight                      // and it counts as a success
	outcomeBits   = iota
)

// Add takes a finished episode, also a broken one. An episode that is added again replaces the earlier one.
func (r *Reliability) Add(ep *triage.Episode) {
	name := played{ep.Key.Agent, ep.Key.Task}
	g := r.groups[name]
	if g == nil {
		if r.groups == nil {
			r.groups = map[played]*trials{}
		}
		g = &trials{task: taskNamed(ep.Key.Task), episodes: map[place][]trial{}}
		r.groups[name] = g
	}
	at := place{ep.Key.Seed, -1}
	if ep.Key.Position.Set {
		at.position = ep.Key.Position.Value
	}
	t := g.trialOf(ep)
	list := g.episodes[at]
	if i := slices.IndexFunc(list, func(x trial) bool { return x.number == t.number }); i >= 0 {
		list[i] = t
		return
	}
	g.episodes[at] = append(list, t)
}

// taskNamed is the task of an episode's key; imported tickets have no task of the table.
func taskNamed(name string) triage.Task {
	if t, err := triage.TaskByName(name); err == nil {
		return t
	}
	return triage.Task{Name: name, Track: triage.Dataset, Tickets: 1}
}

// trialOf reduces an episode to what is kept.
func (g *trials) trialOf(ep *triage.Episode) trial {
	t := trial{number: ep.Key.Trial, broken: ep.Ended == triage.EndedError || ep.Score == nil, score: notANumber()}
	if !t.broken {
		t.score = triage.Rounded(*ep.Score)
	}
	if g.task.Track == triage.Desk {
		if !t.broken {
			o := outcomeGraded | answerOf(ep.Steps)
			if Right(g.task, t.score) {
				o |= outcomeRight
			}
			t.tickets = []outcome{o}
		}
		return t
	}
	t.tickets = make([]outcome, len(ep.Steps))
	for i := range ep.Steps {
		o := answerOf(ep.Steps[i : i+1])
		if s := ep.Steps[i].Score; s != nil {
			o |= outcomeGraded
			if Right(g.task, s.Total) {
				o |= outcomeRight
			}
		}
		t.tickets[i] = o
	}
	return t
}

// answerOf is a hash of what the steps answer together, where later values replace earlier ones. A refused answer is the
// empty one, as it was graded. Free text is left out: two wordings of one advice are no two answers.
func answerOf(steps []triage.Step) outcome {
	values := map[string]string{}
	var enc triage.Encoder
	var room [8]triage.Member
	for i := range steps {
		if steps[i].Error != "" {
			continue
		}
		enc.Buf = enc.Buf[:0]
		enc.Answer(&steps[i].Action) // those of a log are raw; both give the same members
		members, err := triage.AppendMembers(room[:0], enc.Buf)
		if err != nil {
			continue // no object, no answer
		}
		for _, m := range members {
			if k := string(m.Key); k != triage.FieldRecommendation && k != triage.FieldMetadata {
				values[k] = string(m.Value)
			}
		}
	}
	h := fnv.New64a()
	for _, k := range slices.Sorted(maps.Keys(values)) {
		for _, f := range [...]string{k, values[k]} {
			var size [binary.MaxVarintLen64]byte
			_, _ = h.Write(size[:binary.PutUvarint(size[:], uint64(len(f)))]) // a hash takes everything
			_, _ = h.Write([]byte(f))
		}
	}
	return outcome(h.Sum64()) << outcomeBits
}

// order gives the episodes by seed and position.
func (g *trials) order() []place {
	return slices.SortedFunc(maps.Keys(g.episodes), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.seed, b.seed), cmp.Compare(a.position, b.position))
	})
}

// ticketsOf is how many tickets an episode has: as many as its trials that did not break, else as those of other episodes,
// else as the task says.
func (g *trials) ticketsOf(at place, usual int) int {
	n, whole := 0, false
	for _, t := range g.episodes[at] {
		n = max(n, len(t.tickets))
		whole = whole || !t.broken
	}
	switch {
	case whole:
		return n
	case at.position >= 0 || g.task.Track == triage.Desk:
		return 1
	case usual > 0:
		return max(n, usual)
	}
	return max(n, g.task.Tickets)
}

// usual is how many tickets whole episodes have that did not break, or 0 where there is none.
func (g *trials) usual() int {
	n := 0
	for at, list := range g.episodes {
		for _, t := range list {
			if !t.broken && at.position < 0 {
				n = max(n, len(t.tickets))
			}
		}
	}
	return n
}

// count is how the trials of a ticket came out.
type count struct{ graded, right, errors int }

// counts sums up: how many tickets have each count, in a fixed order, and how many of those with two answers or more have
// answers that differ.
func (g *trials) counts() (list []count, tickets []int, flipped, compared int) {
	tally := map[count]int{}
	usual := g.usual()
	for at := range g.episodes { // any order will do: these are sums of integers
		for i := range g.ticketsOf(at, usual) {
			var c count
			var first outcome
			answers, differ := 0, false
			for _, t := range g.episodes[at] {
				if i >= len(t.tickets) {
					c.errors++ // or it was shorter than the others, which is none of ours
					continue
				}
				o := t.tickets[i]
				if o&outcomeGraded != 0 {
					c.graded++
				}
				if o&outcomeRight != 0 {
					c.right++
				}
				if answers++; answers == 1 {
					first = o >> outcomeBits
				}
				differ = differ || o>>outcomeBits != first
			}
			tally[c]++
			if answers > 1 {
				compared++
				if differ {
					flipped++
				}
			}
		}
	}
	list = slices.SortedFunc(maps.Keys(tally), func(a, b count) int {
		return cmp.Or(cmp.Compare(a.graded, b.graded), cmp.Compare(a.right, b.right), cmp.Compare(a.errors, b.errors))
	})
	for _, c := range list {
		tickets = append(tickets, tally[c])
	}
	return list, tickets, flipped, compared
}
