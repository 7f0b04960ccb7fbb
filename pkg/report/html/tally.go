package html

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// tally counts the episodes of one agent of a run on one task.
type tally struct {
	place
	collector *collector
	number    int    // among the tallies, as they came
	name      string // of the agent, as tables print it
	task      triage.Task
	slices    []slice
	records   []results.Record
	facts     []fact
	units     map[unit]int
	matrices  []*matrix
	summary   results.TaskSummary
	columns   []results.ColumnSummary
	calls     *results.CallFigures // nil where no calls are known
}

// unit names a ticket, whatever its trial.
type unit struct {
	seed            int64
	position, index int
}

// fact is a graded ticket that scores are shown by.
type fact struct {
	score    float64
	unit     int32
	scenario int32 // -1 where it is not known
	length   int32 // of its text; -1 where there is none
	bins     [8]int8
	traps    []int32 // numbers among the page's; nil for none
	told     bool    // what is behind the ticket is known
}

// matrix counts one label of answers.
type matrix struct {
	part    string
	order   []string // labels in their order
	ordered bool
	counts  *stats.Confusion
}

// none stands for an answer without the label.
const none = "(none)"

func newTally(c *collector, at place) *tally {
	t := &tally{place: at, collector: c, number: len(c.tallies), task: taskNamed(at.task), slices: sliceList(), units: map[unit]int{}}
	return t
}

// taskNamed is the task of an episode's key; imported tickets have no task of the table.
func taskNamed(name string) triage.Task {
	if t, err := triage.TaskByName(name); err == nil {
		return t
	}
	return triage.Task{Name: name, Track: triage.Dataset, Tickets: 1, MaxSteps: 1}
}

// add counts an episode.
func (t *tally) add(l *results.Logged, ep *triage.Episode, list []graded) {
	t.records = append(t.records, results.RecordOf(ep))
	if l.Ended == triage.EndedError || l.Score == nil {
		return // what broke has no score; tables say how many there are
	}
	for i := range list {
		if g := &list[i]; g.total != nil && g.score != nil {
			t.count(&g.seen, g)
			t.addFact(&g.seen, g, l.Key)
		}
	}
}

// addFact notes what the score of a ticket is shown by.
func (t *tally) addFact(s *seen, g *graded, k triage.Key) {
	u := unit{k.Seed, -1, g.index}
	if k.Position.Set {
		u.position = k.Position.Value
	}
	number, ok := t.units[u]
	if !ok {
		number = len(t.units)
		t.units[u] = number
	}
	f := fact{score: triage.Rounded(*g.total), unit: int32(number), scenario: -1, length: int32(min(s.Length, 1<<31-1))}
	if g.about != nil {
		f.told = true
		f.scenario = int32(t.collector.scenarios.of(g.about.Scenario))
		for _, trap := range g.about.Traps {
			f.traps = append(f.traps, int32(t.collector.page.traps.of(trap)))
		}
	}
	for i := range t.slices {
		f.bins[i] = int8(t.slices[i].of(s, g.about))
	}
	t.facts = append(t.facts, f)
}

// count adds a graded answer to the matrices.
func (t *tally) count(s *seen, g *graded) {
	if t.matrices == nil {
		t.matrices = newMatrices(t.task, s, g.score.Parts)
	}
	for _, m := range t.matrices {
		p, ok := g.score.Part(m.part)
		if !ok || p.Why.Want == "" {
			continue
		}
		got := p.Why.Got
		if got == "" {
			got = none
		}
		m.counts.Add(p.Why.Want, got)
	}
}

// newMatrices makes empty matrices: one a part that is a label.
func newMatrices(task triage.Task, s *seen, parts []triage.Part) []*matrix {
	out := []*matrix{}
	for _, p := range parts {
		var m *matrix
		if task.Track == triage.Dataset {
			m = &matrix{part: p.Name, order: slices.Clone(s.Labels[p.Name])}
		} else if order, ordered := vocabulary(task.Track, p.Name); order != nil {
			m = &matrix{part: p.Name, order: order, ordered: ordered}
		}
		if m != nil {
			m.counts = stats.NewConfusion(m.order)
			out = append(out, m)
		}
	}
	return out
}

// vocabulary are the labels of a part in their order, and whether they are a scale; nil for a part that is no label.
func vocabulary(track triage.Track, part string) (labels []string, ordered bool) {
	queue := track == triage.Queue
	switch {
	case queue && part == "route":
		return texts(triage.Routes()), false
	case queue && part == "urgency":
		return texts(triage.Urgencies()), true
	case queue && part == "difficulty":
		return texts(triage.Resolutions()), true
	case !queue && part == "category":
		return texts(triage.Categories()), false
	case !queue && part == "priority":
		return texts(triage.Priorities()), true
	case !queue && part == "department":
		return texts(triage.Departments()), false
	case !queue && part == "urgency_days":
		for day := 1; day <= 7; day++ {
			labels = append(labels, strconv.Itoa(day))
		}
		return labels, true
	}
	return nil, false
}

// sumUp makes the summary, with what only a results file tells: the floor, and which columns of imported tickets are scales.
func (t *tally) sumUp(f *results.Folder, models *results.Models, reliability *results.Reliability, calls *results.Calls) {
	slices.SortStableFunc(t.records, compareRecords)
	t.summary = results.Summarize(t.task, t.records)
	if m, ok := models.Of(t.agent, t.place.task); ok {
		t.summary.Model = &m
	}
	if r, ok := reliability.Of(t.agent, t.place.task); ok {
		t.summary.Reliability = &r
	}
	if calls != nil {
		t.calls = calls.Of(t.agent, t.place.task)
	}
	r := f.ResultsOf(t.agent)
	if r == nil {
		return
	}
	for i := range r.Tasks {
		if r.Tasks[i].Task.Name == t.place.task {
			t.summary.Floor = r.Tasks[i].Floor
		}
	}
	t.columns = r.Columns
	for _, c := range r.Columns {
		for _, m := range t.matrices {
			if m.part == c.Name {
				m.ordered = c.Ordered
			}
		}
	}
}

// compareRecords orders records as the plan does, so that sums come out the same from a journal.
func compareRecords(a, b results.Record) int {
	return cmp.Or(cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Position, b.Position))
}
