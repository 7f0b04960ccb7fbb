package view

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/tmpl"
	"github.com/triagebench/triage/pkg/triage"
)

// The most that the leaderboard shows of each; triage history shows all.
const (
	maxRows    = 100
	maxBoards  = 20
	maxChoices = 500
)

// boardPage is what the template of the leaderboard gets.
type boardPage struct {
	Name    string
	Version string // of what is complete
	Runs    int
	Open    []openRun
	Broken  []brokenEntry
	Boards  []boardView
	More    int // boards that are not shown
	Choices []option
	// Base and New are the choices that stand there at first.
	Base, New string
}

// openRun is a run that is not complete.
type openRun struct {
	Path, Show, Address, Agents string
	Progress                    Progress
	Watched                     bool // it may still change
}

// brokenEntry is what cannot be read, or is not whole. Address is that of what is left of it, or empty.
type brokenEntry struct{ Path, Address, Problem string }

// option is a line of the form.
type option struct{ Value, Text string }

type boardView struct {
	Facts  []history.Fact
	Tables []tableView
	Alone  []tableView // of a single result each, where there are others
	Title  string
	Newest string
	Open   bool
}

type tableView struct {
	ID, Title, Note string
	Target, Floor   bool // there is such a column
	Differ          bool // the same of what agents of one name differ by
	Rows            []rowView
	Notes           []note // what is to be doubted
	More            int
}

// note is a doubt about rows.
type note struct{ Ranks, Text string }

// note adds a doubt about a row.
func (t *tableView) note(rank, text string) {
	for i := range t.Notes {
		if t.Notes[i].Text == text {
			t.Notes[i].add(rank)
			return
		}
	}
	t.Notes = append(t.Notes, note{Ranks: rank, Text: text})
}

// add adds a rank, unless it was the last one too.
func (n *note) add(rank string) {
	if n.Ranks != rank && !strings.HasSuffix(n.Ranks, ", "+rank) {
		n.Ranks += ", " + rank
	}
}

// mostSetting is how many characters of a setting's value a row shows.
const mostSetting = 32

type rowView struct {
	Rank                            string
	Differ                          []history.Fact
	Agent, Path, Address, Date      string
	Score, Interval                 string
	N, Errors                       int
	Floor, FloorAgent, Target, Pass string
	Digest, Compare, CompareName    string
	Low, Mean, High, FloorAt, AimAt float64 // of the bar; NaN for none
}

// board puts the leaderboard together.
func (s *Server) board(list []*history.Entry) boardPage {
	p := boardPage{Name: oneLine(s.deps.Name), Version: overviewOf(list).Version, Runs: len(list)}
	for _, e := range list {
		switch e.State {
		case history.Broken:
			p.Broken = append(p.Broken, brokenEntry{oneLine(e.Path), "", oneLine(e.Problem)})
		case history.Damaged:
			p.Broken = append(p.Broken, brokenEntry{oneLine(e.Path), runAddress(e.Path), oneLine(e.Progress())})
		case history.Complete:
		default:
			p.Open = append(p.Open, openRun{Path: e.Path, Show: oneLine(e.Path), Address: runAddress(e.Path), Agents: oneLine(strings.Join(e.Agents, ", ")), Progress: ProgressOf(e),
				Watched: e.State != history.Interrupted})
		}
		for _, r := range e.Results {
			if e.Sound() && len(p.Choices) < maxChoices {
				c := Choice{Path: e.Path, Agent: r.Agent}
				p.Choices = append(p.Choices, option{Value: c.text(), Text: oneLine(e.Path + ": " + r.Agent)})
			}
		}
	}
	all := history.Boards(list)
	for i, b := range all {
		if i >= maxBoards {
			p.More++
			continue
		}
		v := viewOf(i, b)
		v.Title, v.Open = title(b, all[0]), i == 0
		p.Boards = append(p.Boards, v)
		if p.Base == "" {
			p.Base, p.New = proposal(b)
		}
	}
	return p
}

// title names a board by what it does not share with the first.
func title(b, first *history.Board) string {
	if b == first {
		return "Comparable results"
	}
	var out []string
	for _, f := range b.Same {
		if !slices.Contains(first.Same, f) {
			out = append(out, f.Name+" "+oneLine(f.Value))
		}
	}
	return "Others: " + strings.Join(out, ", ")
}

// proposal is what the form has at first: two that may be compared.
func proposal(b *history.Board) (base, other string) {
	lists := make([][]history.Row, 0, len(b.Overall)+len(b.Tasks))
	for _, o := range b.Overall {
		lists = append(lists, o.Rows)
	}
	for _, t := range b.Tasks {
		lists = append(lists, t.Rows)
	}
	for _, rows := range lists {
		if len(rows) > 1 {
			return Choice{rows[0].Entry.Path, rows[0].Agent}.text(), Choice{rows[1].Entry.Path, rows[1].Agent}.text()
		}
	}
	return "", ""
}

func viewOf(number int, b *history.Board) boardView {
	v := boardView{Facts: b.Same}
	newest := time.Time{}
	add := func(title, note string, rows []history.Row) {
		t := tableView{ID: fmt.Sprintf("board-%d-%d", number, len(v.Tables)+len(v.Alone)), Title: title, Note: note}
		for i, row := range rows {
			if row.Entry.Finished.After(newest) {
				newest = row.Entry.Finished
			}
			if i >= maxRows {
				t.More++
				continue
			}
			t.add(row, rows[0])
		}
		if len(rows) == 1 {
			v.Alone = append(v.Alone, t)
			return
		}
		v.Tables = append(v.Tables, t)
	}
	for _, o := range b.Overall {
		add("Overall", strings.Join(o.Tasks, ", "), o.Rows)
	}
	for _, k := range b.Tasks {
		add(k.Task.Name, k.Episodes, k.Rows)
	}
	if len(v.Tables) == 0 {
		v.Tables, v.Alone = v.Alone, nil
	}
	if !newest.IsZero() {
		v.Newest = newest.Format("2006-01-02")
	}
	return v
}

// add adds a row; best is the first one, with which it can be compared.
func (t *tableView) add(row, best history.Row) {
	e := row.Entry
	r := rowView{Rank: "–", Agent: oneLine(row.Agent), Path: oneLine(e.Path), N: row.Score.N, Score: decimal(row.Score.Mean), Interval: interval(row.Score),
		Digest: e.Digest[:min(8, len(e.Digest))], Low: math.NaN(), Mean: row.Score.Mean, High: math.NaN(), FloorAt: math.NaN(), AimAt: math.NaN()}
	if row.Rank > 0 {
		r.Rank = strconv.Itoa(row.Rank)
	}
	for _, d := range row.Differ {
		value := []rune(oneLine(d.Value))
		if len(value) > mostSetting {
			value = append(value[:mostSetting-1], '…')
		}
		r.Differ = append(r.Differ, history.Fact{Name: oneLine(d.Name), Value: string(value)})
		t.Differ = true
	}
	for _, w := range row.Score.Warnings {
		t.note(r.Rank, w)
	}
	if !e.Finished.IsZero() {
		r.Date = e.Finished.Format("2006-01-02 15:04")
	}
	if !e.Lone {
		r.Address = runAddress(e.Path)
	}
	if row.Score.CI95 != nil {
		r.Low, r.High = row.Score.CI95.Low, row.Score.CI95.High
	}
	if len(t.Rows) > 0 {
		r.Compare = "compare?" + url.Values{"base": {Choice{best.Entry.Path, best.Agent}.text()}, "new": {Choice{e.Path, row.Agent}.text()}}.Encode()
		r.CompareName = r.Agent + " of " + r.Path
	}
	if row.Task != nil {
		t.task(&r, row.Task)
	}
	t.Rows = append(t.Rows, r)
}

// task fills in what only a task has.
func (t *tableView) task(r *rowView, s *results.TaskSummary) {
	r.N, r.Errors = s.N+s.Errors, s.Errors
	if s.Floor != nil && s.Floor.Agent != "" {
		t.Floor = true
		r.Floor, r.FloorAgent, r.FloorAt = decimal(s.Floor.Score), s.Floor.Agent, s.Floor.Score
	}
	if s.Task.Track == triage.Dataset || s.Task.Target == 0 {
		return
	}
	t.Target = true
	sign := "> "
	if s.Task.Track == triage.Desk {
		sign = "≥ "
	}
	r.Target, r.AimAt, r.Pass = sign+strconv.FormatFloat(s.Task.Target, 'f', 2, 64), s.Task.Target, "missed"
	if s.Pass {
		r.Pass = "reached"
	}
}

func decimal(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func interval(e stats.Estimate) string {
	if e.CI95 == nil {
		return "no interval"
	}
	return decimal(e.CI95.Low) + " to " + decimal(e.CI95.High)
}

// oneLine makes what would break a line, or turn its direction, a space.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029 || r == 0x200e || r == 0x200f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// The drawing of a score: 0 to 1 over so many units.
const (
	barWidth  = 160
	barHeight = 14
)

// bar draws a score with its interval, floor and target. The figures stand beside it: whoever does not see it misses nothing.
func bar(r rowView) tmpl.HTML {
	if math.IsNaN(r.Mean) {
		return ""
	}
	at := func(v float64) string {
		return strconv.FormatFloat(2+float64(min(max(v, 0), 1)*(barWidth-4)), 'f', 1, 64)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bar" viewBox="0 0 %d %d" width="%d" height="%d" aria-hidden="true" focusable="false">`, barWidth, barHeight, barWidth, barHeight)
	fmt.Fprintf(&b, `<line class="axis" x1="2" x2="%d" y1="7" y2="7"/>`, barWidth-2)
	if !math.IsNaN(r.FloorAt) {
		fmt.Fprintf(&b, `<line class="floor" x1="%[1]s" x2="%[1]s" y1="1" y2="13"/>`, at(r.FloorAt))
	}
	if !math.IsNaN(r.AimAt) {
		fmt.Fprintf(&b, `<path class="target" d="M%s 0l-3 -0l3 4l3 -4z"/>`, at(r.AimAt))
	}
	if !math.IsNaN(r.Low) {
		fmt.Fprintf(&b, `<line class="interval" x1="%s" x2="%s" y1="7" y2="7"/>`, at(r.Low), at(r.High))
	}
	fmt.Fprintf(&b, `<circle class="score" cx="%s" cy="7" r="3.5"/></svg>`, at(r.Mean))
	return tmpl.HTML(b.String()) //nolint:gosec // numbers only
}
