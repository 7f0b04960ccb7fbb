package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// overall is the scope of gates that name none.
const overall = "overall"

// question is a gate in one scope.
type question struct {
	gate   Gate
	scope  string
	single bool // the scope is one task
	// tasks are the compared ones, news and bases the same tasks' sides; where the gate is about new's own figure there are only
	// news, of all of new's tasks.
	tasks       []*TaskComparison
	news, bases []*TaskSide
}

// questions gives the scopes of a gate, or says what it asks for that is not there.
func (j *judge) questions(g Gate) ([]question, error) {
	all := j.all(g)
	if len(all.news) == 0 {
		return nil, &SyntaxError{Text: g.String(), Msg: "no task has been compared"}
	}
	in := within(g.Scope, &all)
	if len(in.news) == 0 {
		known := j.scopes(&all)
		return nil, &SyntaxError{Text: g.String(), Msg: fmt.Sprintf("there is no scope %s; there are %s; without one a gate is about all of them together%s",
			shown(g.Scope), strings.Join(known, ", "), near.Hint(g.Scope, known))}
	}
	has := question{gate: g, scope: g.Scope, single: len(in.news) == 1 && in.news[0].Task.Name == g.Scope}
	if g.Scope == "" {
		has.scope = overall
	}
	for i := range in.news {
		if j.has(g, &in, i) {
			has.take(&in, i)
		}
	}
	if len(has.news) == 0 {
		return nil, j.noMetric(g, &in)
	}
	if g.Scope != Each {
		return []question{has}, nil
	}
	out := make([]question, len(has.news))
	for i := range out {
		out[i] = question{gate: g, scope: has.news[i].Task.Name, single: true}
		out[i].take(&has, i)
	}
	return out, nil
}

// take adds a task of another question.
func (q *question) take(from *question, i int) {
	q.news = append(q.news, from.news[i])
	if from.tasks != nil {
		q.tasks, q.bases = append(q.tasks, from.tasks[i]), append(q.bases, from.bases[i])
	}
}

// all are the tasks that a gate may be about.
func (j *judge) all(g Gate) question {
	var q question
	if g.Change == "" && !g.identical() && !g.compared() {
		for i := range j.c.New.Tasks {
			q.news = append(q.news, &j.c.New.Tasks[i])
		}
		return q
	}
	for i := range j.c.Tasks {
		t := &j.c.Tasks[i]
		q.tasks = append(q.tasks, t)
		q.news, q.bases = append(q.news, sideOf(j.c.New, t.Task)), append(q.bases, sideOf(j.c.Base, t.Task))
	}
	return q
}

// compared tells whether a count is of the comparison rather than of one side.
func (g Gate) compared() bool {
	return g.counted() && (g.Metric == "n" || g.Metric == "flips_fixed" || g.Metric == "flips_broken")
}

// sideOf finds a task of a side; one without episodes where it does not have it.
func sideOf(s *Side, task triage.Task) *TaskSide {
	if t := taskOf(s, task.Name); t != nil {
		return t
	}
	return &TaskSide{Task: task, Floor: math.NaN()}
}

// within gives the tasks that are within a scope.
func within(scope string, all *question) question {
	var in question
	for i := range all.news {
		if t := all.news[i].Task; scope == "" || scope == Each || scope == t.Name || scope == string(t.Track) {
			in.take(all, i)
		}
	}
	return in
}

// scopes lists the scopes that there are.
func (j *judge) scopes(q *question) []string {
	out := []string{Each}
	for _, t := range q.news {
		if !slices.Contains(out, string(t.Task.Track)) {
			out = append(out, string(t.Task.Track))
		}
	}
	for _, t := range q.news {
		if !slices.Contains(out, t.Task.Name) {
			out = append(out, t.Task.Name)
		}
	}
	return out
}

// noMetric says that a scope does not have a gate's metric, and what it has.
func (j *judge) noMetric(g Gate, q *question) error {
	var known []string
	add := func(names []string, quoted bool) {
		for _, name := range names {
			try := Gate{Scope: g.Scope, Metric: name, Quoted: quoted, Change: g.Change}
			all := j.all(try)
			in := within(g.Scope, &all)
			for i := range in.news {
				if j.has(try, &in, i) {
					try.Quoted = quoted && needsQuotes(name)
					known = append(known, printable(try.metric()))
					break
				}
			}
		}
	}
	add(estimated(), false)
	add(j.parts(g, q), true)
	add(Counts(), false)
	if g.Change != "" && g.compared() {
		return &SyntaxError{Text: g.String(), Offset: len(g.prefix()), Msg: fmt.Sprintf("%s is of the comparison of both sides: it has no %s; write %s %s %s", g.Metric, g.Change,
			g.metric(), g.Op, number(g.Number))}
	}
	scope := q.news[0].Task.Name
	if g.Scope == "" || g.Scope == Each {
		scope = "what was compared"
	} else if g.Scope != scope {
		scope = g.Scope
	}
	return &SyntaxError{Text: g.String(), Offset: len(g.prefix()), Msg: fmt.Sprintf("%s has no %s; it has %s%s", scope, shown(g.Metric), strings.Join(known, ", "),
		near.Hint(g.Metric, known))}
}

// needsQuotes tells whether the name of a part means something else without them, or nothing.
func needsQuotes(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return !inWord(r) }) || slices.Contains(slices.Concat(estimated(), Counts(), []string{Drop, Rise, Identical}), name)
}

// parts lists the parts of the tasks, each and with _accuracy.
func (j *judge) parts(g Gate, q *question) []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for i, t := range q.news {
		for _, name := range metricsOf(t) {
			add(name)
		}
		if g.Change != "" && q.tasks != nil {
			for _, d := range q.tasks[i].Others {
				if !slices.Contains(estimated(), d.Metric) {
					add(d.Metric)
				}
			}
		}
	}
	return out
}

// has tells whether the i-th task has a gate's metric.
func (j *judge) has(g Gate, q *question, i int) bool {
	switch {
	case g.identical():
		return true
	case g.counted():
		if g.Change != "" && g.compared() {
			return false
		}
		_, ok := j.counts(&question{gate: g, tasks: q.tasks, news: q.news, bases: q.bases}, i, true)
		return ok || j.countedElsewhere(g, q)
	case g.Change != "":
		_, ok := differenceOf(g, q.tasks[i])
		if !ok && g.Metric != floorMargin {
			_, base := q.bases[i].Figures[g.Metric]
			_, now := q.news[i].Figures[g.Metric]
			ok = base && now
		}
		return ok || lost(g, q.bases[i], q.news[i])
	}
	return hasOwn(g, q.news[i])
}

// lost tells whether base has a part that new has no more, as all of its episodes broke.
func lost(g Gate, base, now *TaskSide) bool {
	return len(now.Episodes) > 0 && !slices.ContainsFunc(now.Episodes, func(e Episode) bool { return e.Scored }) && slices.Contains(metricsOf(base), g.Metric)
}

// countedElsewhere tells whether another task of the scope has the count, so that this one's is not known rather than not had.
func (j *judge) countedElsewhere(g Gate, q *question) bool {
	for i := range q.news {
		if _, ok := j.counts(&question{gate: g, tasks: q.tasks, news: q.news, bases: q.bases}, i, true); ok {
			return true
		}
	}
	return false
}

// counts gives the count of the i-th task of a question, of new or of base.
func (j *judge) counts(q *question, i int, now bool) (float64, bool) {
	switch name := q.gate.Metric; name {
	case "n":
		return float64(q.tasks[i].Pairs), true
	case "flips_fixed":
		return float64(q.tasks[i].Flips.Fixed), true
	case "flips_broken":
		return float64(q.tasks[i].Flips.Broken), true
	default:
		side := q.news[i]
		if !now {
			side = q.bases[i]
		}
		if name == "cost" {
			name = "cost_nano_usd"
		}
		v, ok := side.Counts[name]
		if !ok && name == "errors" && len(side.Episodes) > 0 {
			for i := range side.Episodes {
				if !side.Episodes[i].Scored {
					v++
				}
			}
			ok = true
		}
		return float64(v), ok
	}
}

// differenceOf finds the difference that a gate is about. Where a part has the name of a figure the part comes first.
func differenceOf(g Gate, t *TaskComparison) (*Difference, bool) {
	if g.Metric == "score" && !g.Quoted {
		return &t.Score, true
	}
	for i := range t.Others {
		if !g.Quoted && slices.Contains(estimated(), g.Metric) {
			i = len(t.Others) - 1 - i
		}
		if t.Others[i].Metric == g.Metric {
			return &t.Others[i], true
		}
	}
	return nil, false
}
