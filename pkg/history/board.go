package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Board holds results that may be held against each other: what decides tickets and grades is the same.
type Board struct {
	Same    []Fact // what all of them share, in a fixed order
	Tasks   []TaskBoard
	Overall []OverallBoard
}

// Fact is something that results share.
type Fact struct{ Name, Value string }

// TaskBoard are results on the same episodes of one task, best first.
type TaskBoard struct {
	Task     triage.Task
	Episodes string // which, such as "seeds 42 to 51"
	Rows     []Row
}

// OverallBoard are overall scores over the same episodes of the same tasks, best first.
type OverallBoard struct {
	Tasks []string // names with episodes, such as "queue-easy (seeds 42 to 51)"
	Rows  []Row
}

// Row is the result of an agent.
type Row struct {
	Entry *Entry
	Agent string
	// Score counts what broke as 0. Its Mean is NaN where nothing was scored; such rows come last.
	Score stats.Estimate
	// Rank is from 1; rows of equal scores share one, and the next is behind all of them. It is 0 where there is no score.
	Rank int
	// Differ are the agent's settings that make it another agent than one of its table that has its name, or that another agent
	// has otherwise; by name. A setting that it does not have has no value.
	Differ []Fact
	// Task has the task's other figures; nil in overall boards.
	Task *results.TaskSummary

	settings map[string]string // of the agent
}

// Boards sorts the results of entries into boards: those on which something can be compared first, and of these the one with the
// newest result. An entry without results, such as a run that goes on, is on none, and neither is one that is not [Entry.Sound].
func Boards(entries []*Entry) []*Board {
	list := slices.Clone(entries)
	Sort(list)
	b := boards{byKey: map[string]*Board{}}
	for _, e := range list {
		if !e.Sound() {
			continue
		}
		for i, r := range e.Results {
			b.add(e, i, r)
		}
	}
	for _, board := range b.list {
		for i := range board.Tasks {
			rank(board.Tasks[i].Rows)
			differ(board.Tasks[i].Rows)
		}
		for i := range board.Overall {
			rank(board.Overall[i].Rows)
			differ(board.Overall[i].Rows)
		}
		slices.SortStableFunc(board.Tasks, func(a, b TaskBoard) int {
			return cmp.Or(cmp.Compare(taskPlace(a.Task), taskPlace(b.Task)), cmp.Compare(len(b.Rows), len(a.Rows)), cmp.Compare(a.Episodes, b.Episodes))
		})
		slices.SortStableFunc(board.Overall, func(a, b OverallBoard) int {
			return cmp.Or(cmp.Compare(len(b.Rows), len(a.Rows)), cmp.Compare(len(b.Tasks), len(a.Tasks)), slices.Compare(a.Tasks, b.Tasks))
		})
	}
	slices.SortStableFunc(b.list, func(a, b *Board) int { return cmp.Compare(truth(!a.comparable()), truth(!b.comparable())) })
	return b.list
}

// comparable tells whether two results stand side by side.
func (b *Board) comparable() bool {
	return slices.ContainsFunc(b.Tasks, func(t TaskBoard) bool { return len(t.Rows) > 1 })
}

type boards struct {
	list  []*Board
	byKey map[string]*Board
}

func (b *boards) add(e *Entry, i int, r *results.Results) {
	same := facts(e, r)
	key := fmt.Sprintf("%q", same)
	board := b.byKey[key]
	if board == nil {
		board = &Board{Same: same}
		b.byKey[key], b.list = board, append(b.list, board)
	}
	var names []string
	for j := range r.Tasks {
		s := &r.Tasks[j]
		names = append(names, fmt.Sprintf("%s (%s)", s.Task.Name, e.played[i][j]))
		at := slices.IndexFunc(board.Tasks, func(t TaskBoard) bool { return t.Task.Name == s.Task.Name && t.Episodes == e.played[i][j] })
		if at < 0 {
			at = len(board.Tasks)
			board.Tasks = append(board.Tasks, TaskBoard{Task: s.Task, Episodes: e.played[i][j]})
		}
		board.Tasks[at].Rows = append(board.Tasks[at].Rows, Row{Entry: e, Agent: r.Agent, Score: s.WithErrors, Task: s, settings: r.Settings})
	}
	if len(names) < 2 { // the task's own board says it
		return
	}
	at := slices.IndexFunc(board.Overall, func(o OverallBoard) bool { return slices.Equal(o.Tasks, names) })
	if at < 0 {
		at = len(board.Overall)
		board.Overall = append(board.Overall, OverallBoard{Tasks: names})
	}
	board.Overall[at].Rows = append(board.Overall[at].Rows, Row{Entry: e, Agent: r.Agent, Score: e.Overall[i], settings: r.Settings})
}

// facts are what two results must share to stand on one board.
func facts(e *Entry, r *results.Results) []Fact {
	out := []Fact{{"generator", r.Generator}, {"grader", r.Grader}, {"split", string(r.Split)}, {"secret", cmp.Or(r.Secret, "none")}, {"bank", r.Bank}}
	if r.Source != nil {
		out = []Fact{{"tickets", r.Source.Name}, {"tickets digest", e.Settings["tickets"]}}
		for _, c := range r.Columns {
			out = append(out, Fact{"column", c.Name})
		}
	}
	return slices.DeleteFunc(out, func(f Fact) bool { return f.Value == "" })
}

// rank sorts rows, the best first, and numbers them. Rows without a score come last; equal scores stand in the order in which lists have them.
func rank(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := a.Score.Mean, b.Score.Mean
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(truth(math.IsNaN(x)), truth(math.IsNaN(y)))
		}
		return cmp.Compare(y, x)
	})
	for i := range rows {
		switch {
		case math.IsNaN(rows[i].Score.Mean):
		case i > 0 && triage.Rounded(rows[i].Score.Mean) == triage.Rounded(rows[i-1].Score.Mean):
			rows[i].Rank = rows[i-1].Rank
		default:
			rows[i].Rank = i + 1
		}
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func taskPlace(t triage.Task) int {
	if i := slices.IndexFunc(triage.Tasks(), func(k triage.Task) bool { return k.Name == t.Name }); i >= 0 {
		return i
	}
	return len(triage.Tasks())
}

// playedOf says which episodes of a task a results file is about. How often each was played does not matter: the tickets are
// the same.
func playedOf(r *results.Results, s *results.TaskSummary) string {
	_, trials := episodeScores(s.Seeds)
	n := (s.N + s.Errors + max(trials, 1) - 1) / max(trials, 1)
	switch {
	case r.Only != "":
		return "only " + strings.ReplaceAll(r.Only, ",", ", ")
	case r.Source != nil:
		return strconv.Itoa(n) + " tickets"
	case n == 1:
		return fmt.Sprintf("seed %d", r.Seed)
	}
	return fmt.Sprintf("seeds %d to %d", r.Seed, r.Seed+int64(n)-1)
}
