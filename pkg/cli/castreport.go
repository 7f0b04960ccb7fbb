package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
)

// waiting says what is waited for, or nothing. Models that are idle are named only where nobody is busy.
func (c *cast) waiting() string {
	var busy, idle []string
	clients, programs := map[*llm.Client]bool{}, map[*waits]bool{}
	for _, m := range c.members {
		switch {
		case m.waits != nil && !programs[m.waits]:
			programs[m.waits] = true
			if text := m.waits.String(); text != "" {
				busy = append(busy, text)
			}
		case m.model != nil && m.model.client != nil && !clients[m.model.client]:
			clients[m.model.client] = true
			s := m.model.client.Status()
			if s.InFlight+s.Queued+s.Retrying > 0 {
				busy = append(busy, s.String())
			} else {
				idle = append(idle, s.String())
			}
		}
	}
	if len(busy) == 0 {
		busy = idle
	}
	return strings.Join(busy, "; ")
}

// settingsOf are the settings of an agent for its results file, with what its endpoint was found to refuse.
func (c *cast) settingsOf(name string) map[string]string {
	m := c.find(name)
	if m == nil || m.settings == nil {
		return nil
	}
	s := maps.Clone(m.settings)
	if m.learned != nil {
		l := m.learned.get()
		if l.Format != "" {
			s["learned_format"] = l.Format
		}
		if len(l.Notes) > 0 {
			s["learned"] = strings.Join(l.Notes, "; ")
		}
	}
	return s
}

// report adds what was counted beside scores.
func (c *cast) report(rep *report.Report, r *playResult) {
	if list := r.reliabilities(); len(list) > 0 {
		rep.Tables = append(rep.Tables, reliabilityTable(list))
	}
	if list := perturbedScores(r.options.Agents, r.taskNames(), r.records); len(list) > 0 {
		rep.Tables = append(rep.Tables, perturbationTable(list))
	}
	rep.Tables = append(rep.Tables, confidenceTables(r.agents)...)
	if t, ok := costTable(r.agents); ok {
		rep.Tables = append(rep.Tables, t)
	}
	calls := c.calls
	if c.stored {
		calls = nil // its calls were made by another process
	}
	models := modelTables(r.agents, calls, c.modelOf)
	rep.Tables = append(rep.Tables, models...)
	if models != nil {
		rep.Lines = append(rep.Lines, costNote)
	}
	rep.Lines = append(rep.Lines, c.learnedLines()...)
	rep.Lines = append(rep.Lines, c.refusalLines(r.agents)...)
	lines, crashes := c.crashes()
	rep.Lines = append(rep.Lines, lines...)
	if len(crashes) > 0 {
		r.values["crashes"] = crashes
	}
}

// modelOf is the model that an agent asks for, as its endpoint names it; empty where there is none.
func (c *cast) modelOf(name string) string {
	if m := c.find(name); m != nil {
		return m.settings["model"]
	}
	return ""
}

// learnedLines tell how models were asked otherwise than the flags say.
func (c *cast) learnedLines() []string {
	var out []string
	said := map[*learnedOf]bool{}
	for _, m := range c.members {
		if m.learned == nil || said[m.learned] {
			continue
		}
		said[m.learned] = true
		for _, n := range m.learned.get().Notes {
			out = append(out, m.settings["model"]+": "+n+".")
		}
	}
	return out
}

// crashes tell what went wrong with programs, for people and for machines.
func (c *cast) crashes() ([]string, map[string]agent.CrashCounts) {
	var lines []string
	counts := map[string]agent.CrashCounts{}
	seen := map[*agent.Crashes]bool{}
	for _, m := range c.members {
		if m.crashes == nil || seen[m.crashes] {
			continue
		}
		seen[m.crashes] = true
		if n := m.crashes.Counts(); n.Total() > 0 {
			counts[m.name] = n
			lines = append(lines, fmt.Sprintf("%s: %s; each counts as no answer, and the program was started again.", m.name, n))
		}
	}
	return lines, counts
}

// reliabilities are the figures of several trials, in the order of the tables.
func (r *playResult) reliabilities() []results.TaskReliability {
	var out []results.TaskReliability
	for _, a := range r.agents {
		for i := range a.Tasks {
			if f := a.Tasks[i].Reliability; f != nil {
				out = append(out, *f)
			}
		}
	}
	return out
}

// taskNames are the tasks that were played, in the order of the tables.
func (r *playResult) taskNames() []string {
	var out []string
	for _, a := range r.agents {
		for i := range a.Tasks {
			if name := a.Tasks[i].Task.Name; !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
