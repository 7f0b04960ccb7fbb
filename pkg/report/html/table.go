package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// section is a part of the page with a heading of its own.
type section struct {
	ID, Title string
	Short     string // in the contents; empty means the title
	Lead      []string
	Blocks    []block
}

// block is one thing in a section: exactly one of the pointers is set, or Notes.
type block struct {
	Heading string
	Table   *table
	Figures []figure // side by side where there is room
	Tables  []table  // the same
	Moved   []movedTicket
	Gates   []verdict
	More    *more
	Notes   []string
}

// more is what is folded away at first.
type more struct {
	Summary string
	Figures []figure
	Tables  []table
}

// table is a table of texts.
type table struct {
	Caption string
	Head    []cell
	Rows    [][]cell
	Notes   []string
	Class   string
}

// cell is a text in a table.
type cell struct {
	Text   string
	Number bool // right-aligned
	Head   bool // names its row
	Class  string
}

func textCell(s string) cell   { return cell{Text: clean(s), Class: breaking(s)} }
func headCell(s string) cell   { return cell{Text: clean(s), Head: true, Class: breaking(s)} }
func numberCell(s string) cell { return cell{Text: s, Number: true} }
func countCell(n int) cell     { return numberCell(strconv.Itoa(n)) }

// mostWord is how many characters of a word a column is made as wide as: longer ones are broken anywhere.
const mostWord = 24

// breaking is the class that says where a name may be broken: short ones not at their hyphens, long ones anywhere.
func breaking(s string) string {
	if len(s) <= mostWord && !strings.Contains(s, " ") && strings.Contains(s, "-") {
		return "tight"
	}
	for _, word := range strings.Fields(s) {
		if len(word) > mostWord {
			return "long"
		}
	}
	return ""
}

func shareCell(v float64) cell { return numberCell(decimal(v, 3)) }

func estimateCell(e stats.Estimate) cell { return numberCell(estimateText(e)) }

func estimateText(e stats.Estimate) string {
	c := dots{}
	return c.words3(e)
}

// head makes the head of a table: names beginning with # are those of numbers.
func head(titles ...string) []cell {
	out := make([]cell, len(titles))
	for i, t := range titles {
		if len(t) > 0 && t[0] == '#' {
			out[i] = cell{Text: t[1:], Number: true}
		} else {
			out[i] = cell{Text: t}
		}
	}
	return out
}

// ofTrack are the tallies of a track, in the order of tables.
func (p *Page) ofTrack(track triage.Track) []*tally {
	return slices.DeleteFunc(slices.Clone(p.tallies), func(t *tally) bool { return t.task.Track != track })
}

// tracks are those that the page has episodes of.
func (p *Page) tracks() []triage.Track {
	return slices.DeleteFunc(append(triage.Tracks(), triage.Dataset), func(t triage.Track) bool { return len(p.ofTrack(t)) == 0 })
}

func trackName(t triage.Track) string {
	switch t {
	case triage.Queue:
		return "Queue"
	case triage.Desk:
		return "Desk"
	}
	return "Imported tickets"
}

// scoreTable is the table that a run prints, of one track.
func (p *Page) scoreTable(track triage.Track) *table {
	list := p.ofTrack(track)
	broke := slices.ContainsFunc(list, func(t *tally) bool { return t.summary.Errors > 0 })
	out := &table{Caption: trackName(track) + " track", Head: head("Agent", "Difficulty", "#n")}
	if track == triage.Dataset {
		out.Caption, out.Head = trackName(track), head("Agent", "Task", "#n")
	}
	add := func(titles ...string) { out.Head = append(out.Head, head(titles...)...) }
	if broke {
		add("#Errors")
	}
	switch track {
	case triage.Queue:
		add("#Score [95 %]", "#Route acc.", "#Urgency acc.", "#Efficiency")
	case triage.Desk:
		add("#Avg reward", "#Correctness [95 %]", "#Efficiency", "#Success", "#Category acc.", "#Priority acc.", "#Days acc.", "#Dept. acc.", "#Recomm.")
	default:
		add("#Score [95 %]")
	}
	add("#Floor")
	if track != triage.Dataset {
		add("#Target", "Pass")
	}
	for _, t := range list {
		out.Rows = append(out.Rows, t.scoreRow(broke))
		out.Notes = append(out.Notes, t.doubts()...)
	}
	return out
}

func (t *tally) scoreRow(broke bool) []cell {
	s := &t.summary
	share := float64(s.N) / float64(s.N+s.Errors) // what broke counts as 0 in every mean of the row
	part := func(m map[string]float64, name string) cell {
		if v, ok := m[name]; ok {
			return shareCell(v * share)
		}
		return numberCell("–")
	}
	label := string(t.task.Difficulty)
	if t.task.Track == triage.Dataset {
		label = t.task.Name
	}
	row := []cell{headCell(t.name), textCell(label), countCell(s.N)}
	if broke {
		row = append(row, countCell(s.Errors))
	}
	score := estimateCell(s.WithErrors)
	score.Class = "strong"
	switch t.task.Track {
	case triage.Queue:
		row = append(row, score, part(s.Exact, "route"), part(s.Exact, "urgency"), shareCell(s.Efficiency*share))
	case triage.Desk:
		row = append(row, shareCell(s.Reward*share), score, shareCell(s.Efficiency*share), shareCell(s.SuccessRate*share), part(s.Exact, "category"),
			part(s.Exact, "priority"), part(s.Exact, "urgency_days"), part(s.Exact, "department"), part(s.Parts, "recommendation"))
	default:
		return append(row, score, shareCell(t.floor()))
	}
	sign := "> "
	if t.task.Track == triage.Desk {
		sign = "≥ "
	}
	pass := cell{Text: "no", Class: "fail"}
	if s.Pass {
		pass = cell{Text: "yes", Class: "pass"}
	}
	return append(row, shareCell(t.floor()), numberCell(sign+decimal(t.task.Target, 2)), pass)
}

// floor is the task's floor, NaN where none is known.
func (t *tally) floor() float64 {
	if f := t.summary.Floor; f != nil && f.Agent != "" {
		return f.Score
	}
	return math.NaN()
}

// target is the task's target, NaN for imported tickets.
func (t *tally) target() float64 {
	if t.task.Track == triage.Dataset {
		return math.NaN()
	}
	return t.task.Target
}

// doubts are what is to be doubted about a row.
func (t *tally) doubts() []string {
	s := &t.summary
	var out []string
	say := func(format string, args ...any) {
		out = append(out, clean(t.name+", "+t.task.Name+": "+fmt.Sprintf(format, args...)))
	}
	switch {
	case s.Errors > 0 && s.N == 0:
		say("n=0 of %d: every episode broke through no fault of the agent, so that there is no score.", s.Errors)
	case s.Errors > 0:
		say("n=%d of %d: %s broke through no fault of the agent; what broke counts as 0 here, what was scored has %.1f points of %d.",
			s.N, s.N+s.Errors, counted(s.Errors, "episode"), s.Score.Mean*float64(s.N), s.N)
	}
	if s.Refused > 0 {
		say("%s refused or missing, which scores 0.", counted(s.Refused, "answer"))
	}
	for _, w := range s.WithErrors.Warnings {
		say("%s.", w)
	}
	return out
}

// overall are the overall scores of each agent.
func (p *Page) overall() *table {
	out := &table{Caption: "Overall", Head: head("Agent", "#Queue", "#Desk", "#All"),
		Notes: []string{"Overall: the mean over the tasks of each track, then over the tracks."}}
	for _, s := range p.series() {
		var tasks []results.TaskSummary
		for _, t := range p.tallies {
			if t.run == s.run && t.agent == s.agent && t.task.Track != triage.Dataset {
				tasks = append(tasks, t.summary)
			}
		}
		if len(tasks) == 0 {
			continue
		}
		o := results.OverallOf(tasks)
		out.Rows = append(out.Rows, []cell{headCell(s.name), shareCell(o.Queue), shareCell(o.Desk), shareCell(o.All)})
	}
	if len(out.Rows) == 0 {
		return nil
	}
	return out
}
