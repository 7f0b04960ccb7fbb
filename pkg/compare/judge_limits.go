package compare

import (
	"fmt"
	"strings"
)

// missing are the tasks within a gate's scope that only base has.
func (j *judge) missing(g Gate) []*TaskSide {
	var out []*TaskSide
	for _, name := range j.c.BaseOnly {
		t := taskOf(j.c.Base, name)
		if t == nil { // a comparison that was made by hand
			continue
		}
		if g.Scope == "" || g.Scope == Each || g.Scope == string(t.Task.Track) {
			out = append(out, t)
		}
	}
	return out
}

// onlyInBase says which tasks new did not play.
func onlyInBase(tasks []*TaskSide) string {
	names := make([]string, len(tasks))
	for i, t := range tasks {
		names[i] = t.Task.Name
	}
	return fmt.Sprintf("%s %s only in base: new did not play %s", listed(names), map[bool]string{true: "is", false: "are"}[len(names) == 1],
		map[bool]string{true: "it", false: "them"}[len(names) == 1])
}

// limitsLoss tells whether a gate is about what may have become worse, so that what is not there may hide it.
func (g Gate) limitsLoss() bool {
	switch {
	case g.identical():
		return true
	case g.counted():
		return g.Op != ">=" && g.Op != ">"
	case g.Change == Drop:
		return g.upper()
	}
	return g.Change == Rise && !g.upper()
}

// unplayed are verdicts of an each gate on tasks that new does not have.
func (j *judge) unplayed(g Gate) []Verdict {
	if g.Scope != Each || !g.limitsLoss() {
		return nil
	}
	var out []Verdict
	for _, t := range j.missing(g) {
		v := unknown(g, t.Task.Name)
		v.Outcome, v.Units, v.Why = Inconclusive, "tasks", onlyInBase([]*TaskSide{t})
		if g.identical() {
			v.Outcome, v.Changed = Regression, true
		}
		out = append(out, v)
	}
	return out
}

// limit takes a pass back that rests on what is not there.
func (j *judge) limit(q *question, f *figure, v *Verdict) {
	if v.Outcome != Pass || !v.Gate.limitsLoss() || !v.Gate.counted() && !v.Gate.identical() && always(v.Gate) {
		return
	}
	var reasons []string
	if tasks := j.missing(v.Gate); len(tasks) > 0 && v.Gate.Scope != Each {
		if v.Gate.identical() {
			v.Outcome, v.Changed = Regression, true
		}
		reasons = append(reasons, onlyInBase(tasks))
	}
	for _, t := range q.tasks {
		if t.Incomplete != "" {
			reasons = append(reasons, t.Task.Name+" is not complete: "+t.Incomplete)
		}
	}
	if !v.Gate.counted() && !v.Gate.identical() {
		if r := j.hiddenByBase(q, f, v); r != "" {
			reasons = append(reasons, r)
		}
	}
	if len(reasons) == 0 {
		return
	}
	if v.Outcome == Pass {
		v.Outcome = Inconclusive
	}
	v.Why += "; but " + strings.Join(reasons, "; ")
}

// baseBroke is the share of what base broke, by the weights of the tasks, and how many that are.
func baseBroke(q *question) (share float64, count int, units string) {
	weights := taskWeights(q.news)
	for i, t := range q.tasks {
		all := max(t.Pairs, t.Score.Delta.N, 1)
		if !t.Score.Paired { // of two samples N counts both
			all = 1
			if len(t.Score.Strata) == 1 {
				all = max(1, len(t.Score.Strata[0].Against))
			}
		}
		share += float64(weights[i] * float64(t.BaseBroke) / float64(all))
		count += t.BaseBroke
		units = unitsOf(t)
	}
	return share, count, units
}

// hiddenByBase says that what base broke may hide a loss beyond the margin: had base got all of it right, the loss would be larger by
// its share.
func (j *judge) hiddenByBase(q *question, f *figure, v *Verdict) string {
	share, count, units := baseBroke(q)
	if count == 0 {
		return ""
	}
	worst, margin := f.value, v.Margin
	if f.interval != nil {
		if worst = f.interval.Low; v.Gate.upper() {
			worst = f.interval.High
		}
	}
	if v.Gate.upper() && worst+share <= margin || !v.Gate.upper() && worst-share >= margin {
		return ""
	}
	return fmt.Sprintf("had base got the %s right that it broke, the %s could be %s by %s", counted(count, units), v.Gate.figure(),
		map[bool]string{true: "larger", false: "smaller"}[v.Gate.upper()], number(share))
}

// warn adds what holds for all verdicts.
func (j *judge) warn(q *question, v *Verdict) {
	defer j.warnMissing(q, v)
	if v.Gate.counted() || v.Gate.identical() {
		return
	}
	broke := 0
	for _, t := range q.news {
		for i := range t.Episodes {
			if !t.Episodes[i].Scored {
				broke++
			}
		}
	}
	if broke > 0 && !j.errorsNamed {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s of new broke and %s as 0: a gate such as errors == 0 tells them from bad answers", counted(broke, "episodes"),
			map[bool]string{true: "counts", false: "count"}[broke == 1]))
	}
	if _, count, units := baseBroke(q); count > 0 && v.Gate.Change != "" {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s of base broke and %s as 0, which makes new look better", counted(count, units),
			map[bool]string{true: "counts", false: "count"}[count == 1]))
	}
}

// warnMissing tells of tasks that a gate over several of them does not see.
func (j *judge) warnMissing(q *question, v *Verdict) {
	if tasks := j.missing(v.Gate); len(tasks) > 0 && !q.single {
		names := make([]string, len(tasks))
		for i, t := range tasks {
			names[i] = t.Task.Name
		}
		v.Warnings = append(v.Warnings, "not judged, as new does not have them: "+listed(names))
	}
}
