package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// taskNamed is the task of an episode's key; imported tickets have no task of the table.
func taskNamed(name string) triage.Task {
	if t, err := triage.TaskByName(name); err == nil {
		return t
	}
	return triage.Task{Name: name, Track: triage.Dataset, Tickets: 1}
}

// FromFolder makes the sides of a run folder, one an agent in the order of the run's agents; from is what the folder was called.
// It reads the episodes once and keeps what comparing needs. A run that goes on or was interrupted gives what is finished, and
// warnings that say so.
func FromFolder(from string, f *results.Folder, o Options) ([]*Side, error) {
	r := reader{keep: newKeep(), tasks: map[results.Pair]*readTask{}, models: results.NewModels()}
	torn, err := f.Episodes(r.add)
	if err != nil {
		return nil, err
	}
	var sides []*Side
	for _, agent := range f.Agents() {
		s := &Side{Name: agent, Agent: agent, From: from, Identity: identityOfRun(f.Settings), Settings: f.AgentSettings(agent), Whole: true, folder: f,
			played: played{limit: f.Settings["limit"], only: f.Settings["only"], shard: f.Settings[results.ShardSetting]}}
		s.Deterministic = o.deterministic(agent, s.Settings)
		if torn {
			s.Warnings = append(s.Warnings, from+": the last line is torn and left out")
		}
		if whole := r.notWhole(f); whole != "" {
			s.Warnings = append(s.Warnings, from+": the run is not complete: "+whole)
		}
		r.side(s, f.ResultsOf(agent))
		r.missing(s)
		if len(s.Tasks) > 0 {
			sides = append(sides, s)
		}
	}
	if len(sides) == 0 {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s: no episode of its agents (%s) is finished", from, strings.Join(f.Agents(), ", "))}
	}
	return sides, nil
}

// notWhole says how far a run is that is not complete; it is empty for one that is, and where nobody knows.
func (r *reader) notWhole(f *results.Folder) string {
	planned, ok := f.Settings.PlannedInAll()
	switch {
	case ok && r.read < planned:
		return fmt.Sprintf("%d episodes of %d are finished", r.read, planned)
	case !ok && !f.Complete:
		return fmt.Sprintf("%d episodes of an unknown number are finished", r.read)
	}
	return ""
}

// missing marks the tasks of a side of which episodes are missing.
func (r *reader) missing(s *Side) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		t.Incomplete = s.folder.Missing(s.Agent, t.Task.Name, len(t.Episodes))
		if t.Incomplete != "" && r.notWhole(s.folder) == "" {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %s: %s", s.From, t.Task.Name, t.Incomplete))
		} else if _, ok := s.folder.Settings.Planned(s.Agent, t.Task.Name); !ok && t.Incomplete == "" {
			t.Incomplete = r.notWhole(s.folder)
		}
	}
}

// identityOfRun is that of a run's settings.
func identityOfRun(s results.Settings) map[string]string {
	id := map[string]string{}
	for _, k := range []string{"generator", "grader", "split", "secret", "bank"} {
		id[k] = s[k]
	}
	if t := s["tickets"]; t != "" {
		if m := s["map"]; m != "" {
			t += ", columns " + m
		}
		id["tickets"] = t
	}
	return id
}

// reader gathers the episodes of a folder.
type reader struct {
	keep   *keep
	tasks  map[results.Pair]*readTask
	models *results.Models
	read   int
}

// readTask are the episodes of an agent on a task.
type readTask struct {
	side    TaskSide
	records []results.Record
	columns int         // of imported tickets
	right   map[int]int // of them, episodes by the number of columns that are right
	bare    bool        // a scored episode has no graded tickets
}

func (r *reader) add(l *results.Logged) error {
	name := results.Pair{Agent: l.Key.Agent, Task: l.Key.Task}
	t := r.tasks[name]
	if t == nil {
		t = &readTask{side: TaskSide{Task: taskNamed(l.Key.Task), Floor: math.NaN()}, right: map[int]int{}}
		r.tasks[name] = t
	}
	if err := check(l); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("episode %s", l.Key), Err: err}
	}
	ep := l.Episode()
	r.models.Add(r.read, ep)
	r.read++
	record := results.RecordOf(ep)
	t.records = append(t.records, record)
	e := Episode{Place: Place{record.Seed, record.Position}, Trial: record.Trial, Scored: record.Scored, Score: record.Score,
		Efficiency: record.Efficiency, Reward: record.Reward}
	if !e.Scored {
		t.side.Episodes = append(t.side.Episodes, broken(e.Place, e.Trial))
		return nil
	}
	e.Tickets = r.keep.tickets(t.side.Task, l)
	t.bare = t.bare || e.Tickets == nil
	if t.side.Task.Track == triage.Dataset && len(e.Tickets) == 1 {
		t.columns = max(t.columns, len(e.Tickets[0].Parts))
		t.right[rightParts(e.Tickets[0].Parts)]++
	}
	t.side.Episodes = append(t.side.Episodes, e)
	return nil
}

// mostPosition is the largest position of a ticket, far beyond those of any episode.
const mostPosition = 1 << 30

// check refuses what would spoil sums.
func check(l *results.Logged) error {
	if l.Key.Trial > math.MaxInt16 || l.Key.Position.Value > mostPosition {
		return fmt.Errorf("trial %d or position %d is too large: at most %d and %d", l.Key.Trial, l.Key.Position.Value, math.MaxInt16, mostPosition)
	}
	for i := range l.Steps {
		s := l.Steps[i].Score
		if s == nil {
			continue
		}
		if s.Total < 0 || s.Total > 1 {
			return fmt.Errorf("step %d: score %v is not from 0 to 1", i, s.Total)
		}
		for _, p := range s.Parts {
			if p.Value < 0 || p.Value > 1 {
				return fmt.Errorf("step %d: %q has %v, which is not from 0 to 1", i, cut(p.Name), p.Value)
			}
		}
	}
	return nil
}

// side fills in the tasks of a side; r may be nil.
func (r *reader) side(s *Side, stored *results.Results) {
	for name, t := range r.tasks {
		if name.Agent != s.Agent {
			continue
		}
		s.Whole = s.Whole && !t.bare
		t.side.Episodes = tidy(t.side.Episodes)
		if s.Settings[perturbSetting] != "" {
			forgetTexts(t.side.Episodes)
		}
		sum := t.summary()
		if m, ok := r.models.Of(name.Agent, name.Task); ok {
			sum.Model = &m
		}
		t.side.Counts, t.side.Digest, t.side.Answers = countsOf(&sum), digestOf(&sum), sum.Answers
		if stored != nil {
			if i := slices.IndexFunc(stored.Tasks, func(x results.TaskSummary) bool { return x.Task.Name == name.Task }); i >= 0 {
				t.side.Floor = floorOf(&stored.Tasks[i])
			}
		}
		s.Tasks = append(s.Tasks, t.side)
	}
	slices.SortFunc(s.Tasks, func(a, b TaskSide) int { return cmp.Compare(a.Task.Name, b.Task.Name) })
	sortTasks(s.Tasks)
}

// perturbSetting is the setting of an agent that was shown the tickets changed.
const perturbSetting = "perturb"

// forgetTexts leaves out what an agent saw of its tickets, where that was changed on its way to it: they are the tickets of their
// places all the same.
func forgetTexts(list []Episode) {
	for i := range list {
		for k := range list[i].Tickets {
			list[i].Tickets[k].Text = 0
		}
	}
}

// summary sums up as a run does when it is over, in the plan's order: trial after trial.
func (t *readTask) summary() results.TaskSummary {
	slices.SortStableFunc(t.records, func(a, b results.Record) int {
		return cmp.Or(cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Position, b.Position))
	})
	sum := results.Summarize(t.side.Task, t.records)
	if t.side.Task.Track != triage.Dataset || t.columns == 0 {
		return sum
	}
	// The scores of imported tickets are counted, not added up: see the command that runs them.
	values, counts := make([]float64, t.columns+1), make([]int, t.columns+1)
	for i := range values {
		values[i] = float64(i) / float64(t.columns)
		counts[i] = t.right[i]
	}
	sum.Score = stats.MeanOfCounts(values, counts, 0, 1)
	sum.N, sum.Reward, sum.WithErrors = sum.Score.N, sum.Score.Mean, sum.Score
	if sum.Errors > 0 {
		counts[0] += sum.Errors
		sum.WithErrors = stats.MeanOfCounts(values, counts, 0, 1)
	}
	return sum
}

func rightParts(parts []triage.Part) int {
	n := 0
	for i := range parts {
		if parts[i].Value == 1 {
			n++
		}
	}
	return n
}
