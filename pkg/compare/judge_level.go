package compare

import (
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// accuracy is what a part's name is followed by where the share of fully right answers is meant.
const accuracy = "_accuracy"

// own are the values of one side's figure on one task: one a ticket or episode, trials as their mean, 0 for what broke.
type own struct {
	units []unit
	of    func(*unit) float64
	kind  string  // tickets or episodes
	mean  float64 // where only this is known, and units is nil
}

// hasOwn tells whether a task has a gate's metric.
func hasOwn(g Gate, t *TaskSide) bool {
	_, ok := ownOf(g, t)
	return ok
}

// ownOf finds the values of a gate's metric.
func ownOf(g Gate, t *TaskSide) (own, bool) {
	if !g.Quoted && slices.Contains(estimated(), g.Metric) {
		return figureOf(g.Metric, t)
	}
	names := partNamesOf(t)
	name, exact := g.Metric, 0
	if !slices.Contains(names, name) {
		name, exact = strings.TrimSuffix(g.Metric, accuracy), len(names)
	}
	if i := slices.Index(names, name); i >= 0 && (exact == 0 || name != g.Metric) {
		of := func(u *unit) float64 {
			if u.parts == nil {
				return 0
			}
			return u.parts[i+exact]
		}
		asked := slices.DeleteFunc(ticketUnits(t, sizesOf(t.Task, t), names), func(u unit) bool { return math.IsNaN(of(&u)) })
		return own{units: asked, kind: "tickets", of: of}, len(asked) > 0
	}
	mean, ok := t.Figures[g.Metric]
	return own{mean: mean, kind: "episodes"}, ok && !math.IsNaN(mean)
}

// figureOf finds the values of what is no part.
func figureOf(metric string, t *TaskSide) (own, bool) {
	if len(t.Episodes) == 0 {
		return own{}, false
	}
	score := func(u *unit) float64 { return u.score }
	episode := func(of func(*unit) float64) (own, bool) {
		o := own{units: episodeUnits(t), of: of, kind: "episodes"}
		o.units = slices.DeleteFunc(o.units, func(u unit) bool { return math.IsNaN(of(&u)) })
		return o, len(o.units) > 0
	}
	switch metric {
	case "reward":
		return episode(func(u *unit) float64 { return u.reward })
	case "efficiency":
		return episode(func(u *unit) float64 { return u.efficiency })
	case "success_rate":
		if t.Task.Track == triage.Dataset { // without a target there is no success
			return own{}, false
		}
		return episode(func(u *unit) float64 { return u.success })
	case floorMargin:
		if math.IsNaN(t.Floor) {
			return own{}, false
		}
		score = func(u *unit) float64 { return u.score - t.Floor }
	}
	if hasTickets(t) {
		return own{units: ticketUnits(t, sizesOf(t.Task, t), nil), of: score, kind: "tickets"}, true
	}
	return episode(score)
}

// partNamesOf names the parts of a side's tickets; those of its task where nothing was graded, as all broke.
func partNamesOf(t *TaskSide) []string {
	if !hasTickets(t) {
		return nil
	}
	if names := sharedParts(t.Task, t); len(names) > 0 || slices.ContainsFunc(t.Episodes, func(e Episode) bool { return e.Scored }) {
		return names
	}
	if t.Task.Track == triage.Dataset {
		return nil
	}
	return results.PartNames(t.Task)
}

// metricsOf lists the parts that a side has, each and with _accuracy, and those of which only a mean is known.
func metricsOf(t *TaskSide) []string {
	var out, told []string
	for _, n := range partNamesOf(t) {
		out = append(out, n, n+accuracy)
	}
	for n := range t.Figures {
		if !slices.Contains(out, n) {
			told = append(told, n)
		}
	}
	slices.Sort(told)
	return append(out, told...)
}

// figuresOf are the means of parts that a results file tells, by name and with _accuracy. They are over what was graded there;
// here what broke counts as 0.
func figuresOf(t *results.TaskSummary) map[string]float64 {
	if t.N+t.Errors == 0 {
		return nil
	}
	scored := float64(t.N) / float64(t.N+t.Errors)
	out := make(map[string]float64, 2*len(t.Parts))
	for name, v := range t.Parts {
		out[name] = v * scored
	}
	for name, v := range t.Exact {
		out[name+accuracy] = v * scored
	}
	return out
}

// level is new's own figure that a question is about.
func (j *judge) level(q *question) figure {
	list := make([]own, len(q.news))
	var lists [][]unit
	told, mean := false, 0.0
	weights := taskWeights(q.news)
	for i, t := range q.news {
		list[i], _ = ownOf(q.gate, t)
		lists = append(lists, list[i].units)
		told = told || list[i].units == nil
		mean += float64(weights[i] * list[i].average())
	}
	low, high := 0.0, 1.0
	if q.gate.Metric == floorMargin && !q.gate.Quoted {
		for i, t := range q.news {
			low -= float64(weights[i] * t.Floor)
		}
		high += low
	}
	f := figure{value: mean, units: list[0].kind, reason: noTickets}
	if told {
		for _, t := range q.news {
			f.n += len(t.Episodes)
		}
	} else {
		numbers := newScenarioNumbers(lists...)
		strata := make([]stats.Stratum, len(list))
		var warnings []string
		for i := range list {
			var warning string
			if strata[i], warning = list[i].stratum(weights[i], numbers); warning != "" && q.news[i].Task.Track != triage.Dataset {
				warnings = eachOnce(warnings, []string{warning})
			}
		}
		f = asShare(ofStrata(strata, list[0].kind, low, high), strata)
		f.warnings = append(f.warnings, warnings...)
	}
	if j.c.New.Deterministic && !j.options.AsSample {
		return figure{value: mean, n: f.n, units: f.units, exact: "a deterministic agent, which gives the same on the same tickets"}
	}
	return f
}

func (o *own) average() float64 {
	if o.units == nil {
		return o.mean
	}
	return meanOf(o.values())
}

func (o *own) values() []float64 {
	out := make([]float64, len(o.units))
	for i := range o.units {
		out[i] = o.of(&o.units[i])
	}
	return out
}

// stratum gives the values with their scenarios, where those are known and there are two at least; else a warning.
func (o *own) stratum(weight float64, numbers *scenarioNumbers) (s stats.Stratum, warning string) {
	s = stats.Stratum{Weight: weight, Values: o.values()}
	clusters, scenarios := numbers.clusters(len(o.units), func(i int) (string, bool) { return o.units[i].scenario, o.units[i].broke })
	switch {
	case scenarios > 1:
		s.Clusters = clusters
	case len(o.units) < 2:
	case scenarios == 1:
		warning = "all " + o.kind + " of a task come from one scenario: they are taken for independent, and say nothing of others"
	default:
		warning = "scenarios are not known: " + o.kind + " are taken for independent"
	}
	return s, warning
}

// asShare gives a figure of 0s and 1s on one task the interval of a share, which knows that its ends are near.
func asShare(f figure, strata []stats.Stratum) figure {
	if len(strata) > 1 || f.low != 0 {
		return f
	}
	s, yes := strata[0], 0
	for _, v := range s.Values {
		if v == 1 {
			yes++
		} else if v != 0 {
			return f
		}
	}
	f.alike, f.reason, f.warnings = "", "", nil
	if s.Clusters == nil {
		e := stats.ExactShare(yes, len(s.Values))
		f.interval, f.alone, f.independent = e.CI95, e.CI95, len(s.Values)
		f.share = &share{yes: yes, n: len(s.Values)}
		return f
	}
	e, worth, df := stats.ShareByCluster(s.Values, s.Clusters)
	if f.interval, f.warnings = e.CI95, e.Warnings; e.CI95 == nil {
		return f
	}
	f.alone = stats.ExactShare(yes, len(s.Values)).CI95
	if f.share = (&share{worth: worth, df: df}); yes == 0 || yes == len(s.Values) { // no more is known than how many scenarios there are
		n := f.guard.Independent
		f.share = &share{yes: min(yes, n), n: n}
	}
	return f
}
