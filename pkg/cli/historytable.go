package cli

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// historyDate is when a run was finished, for people.
func historyDate(e *history.Entry) string {
	if e.Finished.IsZero() {
		return "–"
	}
	return e.Finished.Format("2006-01-02 15:04")
}

// shortDigest is as much of a digest as people need to tell settings apart.
const shortDigest = 8

// historyRuns is the list for people: a row for each run and agent.
func historyRuns(entries []*history.Entry, agents []string) report.Table {
	t := report.Table{Name: "runs", Columns: []report.Column{{Title: "Run", Key: "run", Text: true}, {Title: "Agent", Key: "agent", Text: true},
		{Title: "Tasks", Key: "tasks", Text: true, Width: 24}, {Title: "n", Key: "n"}, {Title: "Overall [95 %]", Key: "overall", Places: 3},
		{Title: "Finished (UTC)", Key: "finished", Text: true}, {Title: "Settings", Key: "settings", Text: true},
		{Title: "State", Key: "state", Text: true, Width: 40}, {Title: "Generator", Key: "generator", Text: true}}}
	for _, e := range entries {
		list := e.Agents
		if len(list) == 0 {
			list = []string{""}
		}
		for _, agent := range list {
			if len(agents) > 0 && !slices.Contains(agents, agent) {
				continue
			}
			row := []report.Cell{e.Path, orNothing(agent), nil, nil, nil, historyDate(e), orNothing(e.Digest[:min(shortDigest, len(e.Digest))]), e.Progress(), orNothing(e.Settings["generator"])}
			if r, overall := e.Result(agent); r != nil {
				row[2], row[3], row[4], row[8] = historyTasksText(r), overall.N, intervalCell(overall), orNothing(r.Generator)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// orNothing is a text, or nothing.
func orNothing(s string) report.Cell {
	if s == "" {
		return nil
	}
	return s
}

// historyTasksText names the tasks of a results file, whole tracks by the track.
func historyTasksText(r *results.Results) string {
	var out []string
	for _, track := range append(triage.Tracks(), triage.Dataset) {
		var names []string
		for i := range r.Tasks {
			if r.Tasks[i].Task.Track == track {
				names = append(names, r.Tasks[i].Task.Name)
			}
		}
		if len(names) == len(triage.Difficulties()) {
			names = []string{string(track)}
		}
		out = append(out, names...)
	}
	return strings.Join(out, ", ")
}

// historyParts are the parts of all tasks, each once.
func historyParts() []string {
	var out []string
	for _, t := range triage.Tasks() {
		for _, p := range results.PartNames(t) {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// historyTasks is the list for machines: a row for each run, agent and task, and one for a run that has no results.
func historyTasks(entries []*history.Entry, agents []string) report.Table {
	t := report.Table{Name: "history"}
	for _, key := range []string{"run", "agent", "task", "state", "done", "planned", "finished", "settings", "generator", "grader", "split", "secret", "bank",
		"seed", "limit", "only", "n", "errors", "refused", "score", "score_answered", "reward", "efficiency", "success_rate", "floor", "floor_agent", "target", "pass"} {
		t.Columns = append(t.Columns, report.Column{Title: key, Key: key})
	}
	for _, p := range historyParts() {
		t.Columns = append(t.Columns, report.Column{Title: "part_" + p, Key: "part_" + p}, report.Column{Title: p + "_accuracy", Key: p + "_accuracy"})
	}
	for _, key := range []string{"label_accuracy", "model", "calls", "reasked", "tokens_in", "tokens_out", "cost_nano_usd", "strict_score", "wall_seconds", "workers", "version"} {
		t.Columns = append(t.Columns, report.Column{Title: key, Key: key})
	}
	for _, e := range entries {
		rows := len(t.Rows)
		for _, r := range e.Results {
			if len(agents) > 0 && !slices.Contains(agents, r.Agent) {
				continue
			}
			for i := range r.Tasks {
				t.Rows = append(t.Rows, taskRow(len(t.Columns), e, r, &r.Tasks[i]))
			}
		}
		if len(t.Rows) == rows {
			row := make([]report.Cell, len(t.Columns))
			copy(row, []report.Cell{e.Path, orNothing(strings.Join(e.Agents, ", ")), nil, e.Progress(), e.Done, e.Planned, nil, orNothing(e.Digest), orNothing(e.Settings[settingGenerator]),
				orNothing(e.Settings[settingGrader]), orNothing(e.Settings[settingSplit]), orNothing(e.Settings[settingSecret]), orNothing(e.Settings[settingBank]), orNothing(e.Settings[settingSeed])})
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func taskRow(columns int, e *history.Entry, r *results.Results, s *results.TaskSummary) []report.Cell {
	row := make([]report.Cell, 0, columns)
	add := func(cells ...report.Cell) { row = append(row, cells...) }
	add(e.Path, r.Agent, s.Task.Name, e.Progress(), e.Done, e.Planned)
	if r.Meta != nil {
		add(orNothing(r.Meta.Finished))
	} else {
		add(nil)
	}
	add(e.Digest, r.Generator, r.Grader, string(r.Split), orNothing(r.Secret), orNothing(r.Bank), r.Seed, orNothing(r.Limit), orNothing(r.Only),
		s.N, s.Errors, s.Refused, intervalCell(s.WithErrors), s.Score.Mean, s.Reward, s.Efficiency, s.SuccessRate)
	if s.Floor != nil && s.Floor.Agent != "" {
		add(s.Floor.Score, s.Floor.Agent)
	} else {
		add(nil, nil)
	}
	if s.Task.Track == triage.Dataset {
		add(nil, nil)
	} else {
		add(s.Task.Target, s.Pass)
	}
	for _, p := range historyParts() {
		add(historyPart(s.Parts, p), historyPart(s.Exact, p))
	}
	add(labelAccuracy(r))
	return append(row, modelCells(r, s)...)
}

func historyPart(m map[string]float64, name string) report.Cell {
	if v, ok := m[name]; ok {
		return v
	}
	return nil
}

// labelAccuracy are the accuracies of the label columns of imported tickets, as JSON: their names are the user's.
func labelAccuracy(r *results.Results) report.Cell {
	if len(r.Columns) == 0 {
		return nil
	}
	out := map[string]any{}
	for _, c := range r.Columns {
		out[c.Name] = nil
		if !math.IsNaN(c.Accuracy) {
			out[c.Name] = json.RawMessage(triage.AppendRounded(nil, c.Accuracy))
		}
	}
	data, err := json.Marshal(out)
	if err != nil { // texts and numbers always are JSON
		return nil
	}
	return string(data)
}

// modelCells are the figures of a model, and of the run's time.
func modelCells(r *results.Results, s *results.TaskSummary) []report.Cell {
	out := make([]report.Cell, 10)
	if m := s.Model; m != nil {
		copy(out, []report.Cell{orNothing(r.Settings["model"]), m.Calls, m.Reasked, totalCell(m.In), totalCell(m.Out), totalCell(m.Cost), m.Strict.Mean})
	}
	if r.Meta != nil {
		out[7], out[8], out[9] = r.Meta.WallSeconds, r.Meta.Workers, orNothing(r.Meta.Version)
	}
	return out
}

// totalCell is a total, or nothing where a part of it is unknown.
func totalCell(t results.Total) report.Cell {
	if v, ok := t.Known(); ok {
		return v
	}
	return nil
}
