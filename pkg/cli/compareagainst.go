package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
)

// againstOptions hold what was played against stored results in the same command.
type againstOptions struct {
	Against string
	Allow   []string
	gating
	sources sources
	base    *compare.Side
	verdict error // the worst of the gates, once they are judged
}

// bind adds the flags.
func (a *againstOptions) bind(f *pflag.FlagSet) {
	f.StringVar(&a.Against, "against", "", "results `file`, run folder or name of stored results to compare with (triage compare --help lists these)")
	f.StringArrayVar(&a.Allow, "allow", nil, "`key` that may differ from --against, such as generator; repeat it for several")
	a.gating.bind(f)
}

// check refuses what means nothing, and reads the gates.
func (a *againstOptions) check(o *playOptions) error {
	if a.Against == "" {
		for _, name := range []string{"gate", "inconclusive", "as-sample", "allow"} {
			if o.given[name] {
				return usageError("--%s goes with --against", name)
			}
		}
		a.Gates = nil
	}
	if a.Against != "" && o.model.DryRun {
		return usageError("--against does not go with --dry-run, which plays nothing")
	}
	return a.parse()
}

// open reads what is compared with, before the work, and chooses the gates where none is asked for. What a run cannot be
// compared with is refused before it is played.
func (a *againstOptions) open(p *play) error {
	if a.Against == "" {
		return nil
	}
	a.sources.app = p.options.app
	sides, err := a.sources.open(a.Against)
	if err != nil {
		return err
	}
	name := p.options.Agents[0]
	for _, s := range sides {
		if s.Agent == name {
			a.base = s
		}
	}
	switch {
	case a.base != nil:
	case len(sides) == 1:
		a.base = sides[0]
	default:
		return usageError("--against %s has no agent %s: its agents are %s", a.Against, name, agentsOf(sides))
	}
	if err := a.restrict(p); err != nil {
		return err
	}
	if err := a.defaults(name); err != nil {
		return err
	}
	return a.rehearse(p)
}

// restrict leaves out the tasks that are not played.
func (a *againstOptions) restrict(p *play) error {
	played := map[string]bool{}
	for _, g := range p.engine.plan.Groups() {
		played[g.Task] = true
	}
	a.base.Tasks = slices.DeleteFunc(a.base.Tasks, func(t compare.TaskSide) bool { return !played[t.Task.Name] })
	if len(a.base.Tasks) == 0 {
		return usageError("--against %s has none of the tasks that are played: %s", a.Against, strings.Join(slices.Sorted(maps.Keys(played)), ", "))
	}
	return nil
}

// defaults chooses the gates where none is asked for.
func (a *againstOptions) defaults(agent string) error {
	switch {
	case len(a.gates) > 0:
		return nil
	case deterministic(agent, nil) && a.base.Agent == agent && !a.AsSample && len(a.Allow) == 0:
		a.Gates = []string{"score drop <= 0"} // the same bytes, as far as both played the same
	default:
		a.Gates = []string{"score drop <= 0.05", "errors == 0"}
	}
	return a.parse()
}

// rehearse compares the base with itself as if this run had played it: what is refused is refused before anything is played.
func (a *againstOptions) rehearse(p *play) error {
	o := p.options
	r := &playResult{options: o, play: p, agents: []agentResult{{Agent: o.Agents[0]}}, started: o.app.Now()}
	fresh := compare.FromResults(o.app.shownPath(o.Output), r.file(0), a.sources.options())
	fresh.Tasks = a.base.Tasks
	compare.Label([]*compare.Side{a.base, fresh})
	options := a.options()
	options.Moved = -1
	c, err := compare.Compare(a.base, fresh, options)
	if err != nil {
		return err
	}
	_, err = a.judge(c)
	return err
}

// options are those of comparing.
func (a *againstOptions) options() compare.Options {
	o := a.sources.options()
	o.Allow = a.Allow
	return o
}

func (a *againstOptions) close() { a.sources.close() }

// compare compares what was played, and keeps the worst verdict for the end.
func (a *againstOptions) compare(r *playResult) error {
	if a.base == nil {
		return nil
	}
	fresh := compare.FromResults(r.options.app.shownPath(r.options.Output), r.file(0), a.sources.options())
	if r.options.Out != "" && a.base.Whole {
		sides, err := a.sources.open(r.options.Out)
		if err != nil {
			return err
		}
		fresh = sides[0]
	}
	compare.Label([]*compare.Side{a.base, fresh})
	c, err := compare.Compare(a.base, fresh, a.options())
	if err != nil {
		return err
	}
	x, err := a.judge(c)
	if err != nil {
		return err
	}
	list := []report.Compared{x}
	r.compared = shownAs(r.options.Format, report.FromComparisons(list))
	a.verdict = a.outcome(r.options.app, list)
	return nil
}
