package compare

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
)

// JudgeOptions say how gates are judged. The zero value is how they are meant.
type JudgeOptions struct {
	// AsSample takes the tickets of a deterministic agent for a sample of tickets, so that what it loses on them is held against
	// the margin instead of its bytes against those of the base.
	AsSample bool
}

// Judge holds gates against a comparison: a verdict a gate, or with [Each] one a task, in the order of gates and tasks.
//
// A figure that is estimated is held against the margin with its 95 % interval: wholly on the wrong side is a regression, wholly on
// the right side a pass, anything else inconclusive. Of a change (drop, rise) that is the interval of new − base over what was
// paired; of new's own figure that of all of new's tickets, broken ones as 0. It is not Student's, which passes too often where few
// tickets differ, but that of [stats.Guard], and of 0s and 1s on one task that of [stats.ExactShare] or [stats.ShareByCluster]. Among
// the tasks of one [Each] gate the P of "the figure is the margin" are adjusted (Holm), and verdicts other than inconclusive need one
// below 0.05; with one task that is the interval again. Several gates are not adjusted for each other. Where nothing varies a gate
// passes if what would bring the figure to the margin would have shown ([stats.Hidden]); for a regression at least 6 have to fall on
// that side. Counts are compared as they are.
//
// A gate on what may have become worse passes only with all of base: tasks that new lacks, a comparison that is not complete and base's
// own broken episodes, unless the margin has room for them, make it inconclusive, and an identical one a regression.
//
// A deterministic agent is compared with itself by its bytes: a gate that limits a drop passes where they are equal and is a
// regression where they are not, whatever the drop, unless the options say otherwise. Its own figures have no interval, as nothing
// varies on these tickets.
//
// Gates that ask for what is not there give an error of one or more [*SyntaxError], and then there are no verdicts.
func Judge(c *Comparison, gates []Gate, o JudgeOptions) ([]Verdict, error) {
	j := judge{c: c, options: o, errorsNamed: slices.ContainsFunc(gates, func(g Gate) bool { return g.counted() && g.Metric == "errors" })}
	asked := make([][]question, len(gates))
	var problems []error
	for i, g := range gates {
		var err error
		if asked[i], err = j.questions(g); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	var out []Verdict
	for i, g := range gates {
		out = append(out, j.answer(g, asked[i])...)
	}
	return out, nil
}

type judge struct {
	c           *Comparison
	options     JudgeOptions
	errorsNamed bool // a gate is about errors
}

// sameAgent tells whether both sides are one deterministic agent: the same program gives the same bytes.
func (j *judge) sameAgent() bool {
	b, n := j.c.Base, j.c.New
	return !j.options.AsSample && b.Deterministic && n.Deterministic && b.Agent == n.Agent && maps.Equal(b.Settings, n.Settings) && len(j.c.Allowed) == 0
}

// answer judges one gate.
func (j *judge) answer(g Gate, asked []question) []Verdict {
	out := make([]Verdict, len(asked))
	figures := make([]figure, len(asked))
	ps := make([]float64, len(asked))
	for i := range asked {
		q := &asked[i]
		out[i] = unknown(g, q.scope)
		switch {
		case g.identical():
			j.bytes(q, &out[i])
		case g.counted():
			j.count(q, &out[i])
		case g.Change == Drop && g.upper() && j.sameAgent():
			j.sameProgram(q, &out[i])
		case g.Change == "":
			figures[i] = j.level(q)
		default:
			figures[i] = j.change(q)
		}
		ps[i] = figures[i].against(g)
	}
	level := 0.05 / float64(len(asked))
	adjusted := stats.Holm(ps)
	for i := range asked {
		if out[i].Outcome == "" {
			estimate(&figures[i], adjusted[i], level, &out[i])
			j.gained(&figures[i], &out[i])
		}
		j.limit(&asked[i], &figures[i], &out[i])
		j.warn(&asked[i], &out[i])
	}
	return append(out, j.unplayed(g)...)
}

// unknown is a verdict without figures.
func unknown(g Gate, scope string) Verdict {
	return Verdict{Gate: g, Scope: scope, Margin: g.Number, Value: math.NaN(), P: math.NaN(), Smallest: math.NaN()}
}

// bytes judges an identical gate.
func (j *judge) bytes(q *question, v *Verdict) {
	v.Units = "tasks"
	var differ, unknown []string
	for _, t := range q.tasks {
		v.N++
		switch {
		case t.SameBytes:
		case t.BytesUnknown != "":
			unknown = append(unknown, t.Task.Name+": "+t.BytesUnknown)
		default:
			differ = append(differ, difference(t))
		}
	}
	v.Value, v.Outcome = float64(len(differ)), Pass
	v.Why = "the canonical bytes of what both have are the same"
	if len(unknown) > 0 {
		v.Outcome, v.Why = Inconclusive, "it is not known whether the bytes are the same: "+strings.Join(unknown, "; ")
	}
	if len(differ) > 0 {
		v.Outcome, v.Changed, v.Why = Regression, true, "the canonical bytes differ: "+strings.Join(differ, "; ")
	}
}

// difference says how far the bytes of a task differ.
func difference(t *TaskComparison) string {
	moved := 0
	for _, d := range t.Deltas {
		if d != 0 {
			moved++
		}
	}
	what := "no score differs, but other figures do"
	switch {
	case moved > 0:
		what = fmt.Sprintf("%s of %s %s have another score", whole(moved), whole(t.Pairs), unitsOf(t))
	case t.Differ > 0:
		what = fmt.Sprintf("no score differs, but %s of %s %s do in parts or answers", whole(t.Differ), whole(t.Pairs), unitsOf(t))
	}
	if t.BaseOnly+t.NewOnly+t.OtherTickets > 0 {
		other := fmt.Sprintf("not the same %s were played (%s only by base, %s only by new, %s other ones at the same place)", unitsOf(t), whole(t.BaseOnly), whole(t.NewOnly),
			whole(t.OtherTickets))
		if moved+t.Differ == 0 {
			return t.Task.Name + ": " + other
		}
		what = other + ", and of the others " + what
	}
	return t.Task.Name + ": " + what
}

// sameProgram judges the drop of a deterministic agent against its own earlier bytes.
func (j *judge) sameProgram(q *question, v *Verdict) {
	same, comparable, equal := true, true, true
	var differ []string
	for _, t := range q.tasks {
		v.N, v.Units = v.N+t.Pairs, unitsOf(t)
		comparable = comparable && t.BaseOnly+t.NewOnly+t.OtherTickets == 0 && t.BytesUnknown == ""
		if !t.SameBytes {
			same = false
			differ = append(differ, difference(t))
		}
		equal = equal && t.Score.Paired && t.Differ == 0 && !slices.ContainsFunc(t.Deltas, func(d float64) bool { return d != 0 })
	}
	f := j.change(q)
	v.Value = f.value
	switch {
	case same:
		v.Outcome, v.Why = Pass, "a deterministic agent, and the canonical bytes of both are the same"
		return
	case !comparable && equal:
		v.Outcome, v.Why = Pass, fmt.Sprintf("a deterministic agent that gives the same on the %s %s that both played", whole(v.N), v.Units)
		return
	}
	v.Outcome, v.Changed = Regression, true
	changed := "changed"
	if v.Value < 0 {
		changed = "changed, higher by " + number(-v.Value)
	}
	v.Why = fmt.Sprintf("a deterministic agent %s: %s; the %s is %s; if that is wanted, store the new results as the base", changed, strings.Join(differ, "; "),
		v.Gate.figure(), number(v.Value))
	if v.Value < 0 {
		v.Warnings = append(v.Warnings, gain(-v.Value))
	}
}

// gain is the warning about what became better than a gate asks for, though the agent is the same: lesson B29.
func gain(by float64) string {
	return fmt.Sprintf("an unexplained gain of %s: make sure that the answers became better, as broken graders and leaked labels raise scores too", number(by))
}

// count judges a gate on a count.
func (j *judge) count(q *question, v *Verdict) {
	v.Units = "tasks"
	value, unknown := 0.0, []string(nil)
	for i := range q.news {
		now, ok := j.counts(q, i, true)
		if ok && v.Gate.Change != "" {
			before, had := j.counts(q, i, false)
			if ok = had; v.Gate.Change == Drop {
				now = before - now
			} else {
				now -= before
			}
		}
		if !ok || strings.HasPrefix(v.Gate.Metric, "flips") && q.tasks[i].Pairs == 0 { // flips are of pairs
			unknown = append(unknown, q.news[i].Task.Name)
			continue
		}
		v.N++
		value += now
	}
	v.Value = value
	if v.Gate.Metric == "cost" {
		v.Value = value / 1e9
	}
	holds := v.Gate.holds(v.Value)
	relation := map[bool]string{true: "which holds", false: "which does not hold"}[holds]
	v.Why = fmt.Sprintf("%s is %s, %s", v.Gate.figure(), number(v.Value), relation)
	v.Outcome = map[bool]Outcome{true: Pass, false: Regression}[holds]
	if len(unknown) > 0 && (holds || !v.Gate.upper() || v.Gate.Change != "") {
		v.Outcome = Inconclusive
		v.Why = fmt.Sprintf("%s is not known of %s; it is %s without", v.Gate.figure(), listed(unknown), number(v.Value))
	}
}
