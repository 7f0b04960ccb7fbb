package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Options say how sides are read and compared. The zero value serves.
type Options struct {
	// Deterministic tells whether an agent's answers depend on nothing but the ticket; nil says so of none.
	Deterministic func(agent string, settings map[string]string) bool
	// Allow lists the keys that may differ: those of [Keys], and settings.NAME for one setting.
	Allow []string
	// Moved is how many tickets a task are named that moved most: 0 takes 10, a negative number names none.
	Moved int
}

func (o *Options) deterministic(agent string, settings map[string]string) bool {
	return o.Deterministic != nil && o.Deterministic(agent, settings)
}

// FromResults makes the side of a results file; from is what it was called. Such a file has single episodes (of imported tickets
// not even these), no tickets and no rewards of single episodes. One of an earlier version may not name the episodes that broke: nobody
// knows then which they were, and the task is not complete.
func FromResults(from string, r *results.Results, o Options) *Side {
	s := &Side{Name: r.Agent, Agent: r.Agent, From: from, Identity: identityOf(r), Settings: r.Settings, Deterministic: o.deterministic(r.Agent, r.Settings),
		played: played{limit: r.Limit, only: r.Only}}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		side := TaskSide{Task: t.Task, Counts: countsOf(t), Floor: floorOf(t), Digest: digestOf(t), Answers: t.Answers, Figures: figuresOf(t)}
		for _, x := range t.Seeds {
			side.Episodes = append(side.Episodes, Episode{Place: Place{x.Seed, x.Position}, Trial: x.Trial, Scored: true, Score: x.Score,
				Efficiency: x.Efficiency, Reward: math.NaN()})
		}
		for _, x := range t.Broken {
			side.Episodes = append(side.Episodes, broken(Place{x.Seed, x.Position}, x.Trial))
		}
		side.Episodes = tidy(side.Episodes)
		if t.Errors > len(t.Broken) && r.Source == nil {
			side.Incomplete = fmt.Sprintf("%d episodes broke, and the file does not tell which: they are in no pair", t.Errors-len(t.Broken))
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %s: %s", from, t.Task.Name, side.Incomplete))
		}
		s.Tasks = append(s.Tasks, side)
	}
	sortTasks(s.Tasks)
	return s
}

func broken(at Place, trial int16) Episode {
	return Episode{Place: at, Trial: trial, Score: math.NaN(), Efficiency: math.NaN(), Reward: math.NaN()}
}

// tidy puts episodes in order; of several with one place and trial the last counts.
func tidy(list []Episode) []Episode {
	slices.SortStableFunc(list, func(a, b Episode) int { return cmp.Or(a.compare(b.Place), cmp.Compare(a.Trial, b.Trial)) })
	n := 0
	for i := range list {
		if n > 0 && list[n-1].Place == list[i].Place && list[n-1].Trial == list[i].Trial {
			n--
		}
		list[n] = list[i]
		n++
	}
	return list[:n]
}

// compare orders places by seed, then position.
func (p Place) compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Seed, o.Seed), cmp.Compare(p.Position, o.Position))
}

func identityOf(r *results.Results) map[string]string {
	id := map[string]string{"generator": r.Generator, "grader": r.Grader, "split": string(r.Split), "secret": r.Secret, "bank": r.Bank}
	if r.Source != nil {
		id["tickets"] = fmt.Sprintf("%s, %d tickets", r.Source.Name, r.Source.Tickets)
	}
	return id
}

func countsOf(t *results.TaskSummary) map[string]int64 {
	out := map[string]int64{"errors": int64(t.Errors), "refused": int64(t.Refused)}
	if m := t.Model; m != nil {
		out["calls"], out["reasked"] = int64(m.Calls), int64(m.Reasked)
		for name, total := range map[string]results.Total{"tokens_in": m.In, "tokens_out": m.Out, "cost_nano_usd": m.Cost} {
			if v, ok := total.Known(); ok {
				out[name] = v
			}
		}
	}
	return out
}

func floorOf(t *results.TaskSummary) float64 {
	if t.Floor == nil || t.Floor.Agent == "" {
		return math.NaN()
	}
	return t.Floor.Score
}

// digestOf is that of everything but the answers and the names of what broke, which older files do not have: they are compared apart.
// It is empty for figures that have no canonical bytes, which none are that were read or reckoned.
func digestOf(t *results.TaskSummary) string {
	figures := *t
	figures.Answers, figures.Broken = "", nil
	data, err := figures.Canonical()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sortTasks puts tasks into the order of tables.
func sortTasks(list []TaskSide) {
	slices.SortStableFunc(list, func(a, b TaskSide) int { return cmp.Compare(rankOf(a.Task.Name), rankOf(b.Task.Name)) })
}

func rankOf(task string) int {
	list := triage.Tasks()
	if i := slices.IndexFunc(list, func(t triage.Task) bool { return t.Name == task }); i >= 0 {
		return i
	}
	return len(list)
}
