package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// defaultMoved is how many tickets a task are named that moved most.
const defaultMoved = 10

// lookup names one playing of an episode in a folder.
type lookup struct {
	agent, task string
	Place
	trial int16
}

// seeker gathers the moved tickets that are to be looked up, by folder, so that one with both sides is read once.
type seeker map[*results.Folder]map[lookup][]target

type target struct {
	moved *Moved
	side  *MovedSide
	index int // of the ticket in this side's episode, -1 for the episode
}

// moved names the tickets that moved most, and reads the folders again for what was said about these.
func (w *working) moved(most int) error {
	if most == 0 {
		most = defaultMoved
	}
	c := w.comparison
	seek := seeker{}
	for i, p := range w.parts {
		t := &c.Tasks[i]
		list := p.movedMost()
		t.MovedInAll = len(list)
		if len(list) > most {
			list = list[:max(most, 0)]
		}
		t.Moved = make([]Moved, len(list))
		for j := range list {
			x := &list[j]
			p.show(&t.Moved[j], x)
			seek.ask(c.Base, &t.Moved[j], &t.Moved[j].Base, x.base)
			seek.ask(c.New, &t.Moved[j], &t.Moved[j].New, x.new)
		}
	}
	for _, folder := range []*results.Folder{c.Base.folder, c.New.folder} {
		if err := seek.read(folder); err != nil {
			return err
		}
	}
	return nil
}

// mover is a pair whose mean score moved, by the trial that is shown of it.
type mover struct {
	at        int // among the pairs
	base, new playing
	trials    int // that both sides have
}

// shown is how far the shown trial moved.
func (m *mover) shown() float64 { return math.Abs(m.new.score - m.base.score) }

// movedMost gives the pairs whose mean score moved, by how far the trial that is shown of each did, then by the mean, then by place.
func (p *part) movedMost() []mover {
	a := p.units
	if !a.paired {
		return nil
	}
	mean := func(i int) float64 { return math.Abs(a.new[i].score - a.base[i].score) }
	var out []mover
	for i := range a.base {
		if mean(i) > 0 {
			m := mover{at: i}
			m.base, m.new, m.trials = mostApart(trialsAt(p.base, a.base[i]), trialsAt(p.new, a.new[i]), a.new[i].score-a.base[i].score)
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(x, y mover) int {
		return cmp.Or(cmp.Compare(y.shown(), x.shown()), cmp.Compare(mean(y.at), mean(x.at)), a.base[x.at].compare(a.base[y.at].Place))
	})
	return out
}

// show fills in what the sides know of a pair.
func (p *part) show(m *Moved, x *mover) {
	b, n := p.units.base[x.at], p.units.new[x.at]
	*m = Moved{Task: p.task.Name, Place: b.Place, Index: int(b.index), Scenario: cmp.Or(b.scenario, n.scenario), Trial: x.base.episode.Trial, Trials: x.trials}
	if x.base.index >= 0 {
		m.Index = x.base.index
	}
}

// playing is one trial of a unit.
type playing struct {
	episode *Episode
	index   int // of the ticket, -1 for the episode
	score   float64
}

// trialsAt finds the playings of a unit.
func trialsAt(s *TaskSide, u *unit) []playing {
	var out []playing
	from, _ := slices.BinarySearchFunc(s.Episodes, u.Seed, func(e Episode, seed int64) int { return cmp.Compare(e.Seed, seed) })
	for i := from; i < len(s.Episodes) && s.Episodes[i].Seed == u.Seed; i++ {
		e := &s.Episodes[i]
		x := playing{episode: e, index: -1, score: e.Score}
		if u.index >= 0 {
			x.index = int(u.Position - max(e.Position, 0))
			if x.index < 0 || e.Scored && x.index >= len(e.Tickets) {
				continue
			}
			if e.Scored {
				x.score = e.Tickets[x.index].Score
			}
		} else if e.Position != u.Position {
			continue
		}
		if !e.Scored {
			x.score = 0
		}
		out = append(out, x)
	}
	return out
}

// mostApart gives the trial that both have and that moved farthest in the direction of the mean, the first of several, and how many both
// have; where they share none, the first of each.
func mostApart(base, new []playing, direction float64) (x, y playing, shared int) {
	best := math.Inf(-1)
	x, y = base[0], new[0]
	for _, b := range base {
		for _, n := range new {
			if b.episode.Trial != n.episode.Trial || b.episode.Position != n.episode.Position {
				continue
			}
			shared++
			if d := (n.score - b.score) * direction; d > best {
				best, x, y = d, b, n
			}
		}
	}
	return x, y, shared
}

// ask notes what is known of one side, and what is to be read again.
func (s seeker) ask(side *Side, m *Moved, to *MovedSide, x playing) {
	to.Score = x.score
	if !x.episode.Scored {
		to.Error = "the episode broke"
	} else if x.index >= 0 {
		t := &x.episode.Tickets[x.index]
		m.ID, to.Parts = cmp.Or(m.ID, t.ID), t.Parts
	}
	if side.folder == nil {
		return
	}
	if s[side.folder] == nil {
		s[side.folder] = map[lookup][]target{}
	}
	key := lookup{side.Agent, m.Task, x.episode.Place, x.episode.Trial}
	s[side.folder][key] = append(s[side.folder][key], target{m, to, x.index})
}

// errFound ends reading early.
var errFound = errors.New("everything is found")

// read looks up what was asked for of a folder, which is read up to the last of it.
func (s seeker) read(folder *results.Folder) error {
	wanted := s[folder]
	if len(wanted) == 0 {
		return nil
	}
	_, err := folder.Episodes(func(l *results.Logged) error {
		key := lookup{l.Key.Agent, l.Key.Task, Place{l.Key.Seed, -1}, int16(l.Key.Trial)}
		if l.Key.Position.Set {
			key.Position = int32(l.Key.Position.Value)
		}
		for _, t := range wanted[key] {
			t.read(l)
		}
		if delete(wanted, key); len(wanted) == 0 {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return nil
	}
	return err
}

// read takes what an episode says of a ticket, or of itself.
func (t target) read(l *results.Logged) {
	if l.Error != nil && *l.Error != "" {
		t.side.Error = "the episode broke: " + *l.Error
	}
	track := taskNamed(l.Key.Task).Track
	steps := l.Steps
	switch {
	case len(steps) == 0 || track == triage.Queue && (t.index < 0 || t.index >= len(steps)): // an episode of the queue is many tickets
		return
	case track == triage.Queue:
		steps = steps[t.index : t.index+1]
	}
	if o, err := triage.DecodeObservation(track, steps[0].Observation); err == nil {
		t.name(o)
	}
	var answers [][]byte
	for i := range steps {
		s := &steps[i]
		answers = append(answers, answerIn(s.Action))
		if s.Score != nil && l.Ended != triage.EndedError {
			t.side.Parts = s.Score.Parts
		}
		if s.About != nil {
			t.moved.Scenario, t.moved.Traps = s.About.Scenario, s.About.Traps
		}
		if s.Error != nil && *s.Error != "" && t.side.Error == "" {
			t.side.Error = *s.Error
		}
	}
	t.side.Answer = answerOf(answers)
}

// name takes the ticket's ID, subject and text from what the agent saw.
func (t target) name(o triage.Observation) {
	id, subject, text := "", "", ""
	switch {
	case o.Queue != nil && o.Queue.Ticket != nil:
		id, subject, text = o.Queue.Ticket.ID, o.Queue.Ticket.Subject, o.Queue.Ticket.Description
	case o.Desk != nil:
		id = o.Desk.TicketID
		subject, text, _ = strings.Cut(o.Desk.IssueText, "\n")
	case o.Dataset != nil:
		id, subject, text = o.Dataset.TicketID, o.Dataset.Subject, o.Dataset.Body
	}
	t.moved.ID, t.moved.Subject = cmp.Or(t.moved.ID, id), cmp.Or(t.moved.Subject, subject)
	t.moved.Text = cmp.Or(t.moved.Text, strings.TrimSpace(text))
}

// answerOf is an answer as JSON without spaces; one that took several steps is a list.
func answerOf(answers [][]byte) string {
	var out bytes.Buffer
	for i, a := range answers {
		if i > 0 {
			out.WriteByte(',')
		}
		if len(bytes.TrimSpace(a)) == 0 {
			a = []byte("null")
		}
		if err := json.Compact(&out, a); err != nil { // a log holds JSON only
			fmt.Fprintf(&out, "%q", a)
		}
	}
	if len(answers) > 1 {
		return "[" + out.String() + "]"
	}
	return out.String()
}
