package cli

import (
	"math/rand/v2"
	"slices"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// Episodes that a person plays of a task by default: a queue has 8 to 12 tickets.
const (
	humanQueues = 1
	humanDesks  = 10
)

// plan prepares the run of a person.
func (o *humanOptions) plan() (*play, error) {
	run := o.playOptions
	run.Agents = []string{o.Name}
	run.cast = &cast{app: o.app, models: results.NewModels(), calls: results.NewCalls(),
		members: []*member{{name: o.Name, costly: true, settings: map[string]string{"feedback": yesNo(o.Feedback)}}}}
	return o.planOf(&run)
}

// planRivals prepares the same tickets for agents; nil where none is asked for.
func (o *humanOptions) planRivals() (*play, error) {
	if len(o.Rivals) == 0 {
		return nil, nil
	}
	run := o.playOptions
	run.Agents, run.Out, run.Resume, run.given = slices.Clone(o.Rivals), "", false, map[string]bool{"split": o.given["split"]}
	if err := run.assemble(func() (map[string][]agent.Example, error) { return nil, nil }); err != nil {
		return nil, err
	}
	if slices.Contains(run.Agents, o.Name) {
		return nil, closing(usageError("--agents %s: that is your name in this run", o.Name), run.cast.close)
	}
	return o.planOf(&run)
}

// planOf makes game and plan of a run whose cast is there.
func (o *humanOptions) planOf(run *playOptions) (*play, error) {
	p := &play{options: run}
	groups, err := o.choose(p)
	if err != nil {
		return nil, closing(err, p.close)
	}
	plan, err := runner.NewPlan(groups)
	if err != nil {
		return nil, closing(err, p.close)
	}
	var g game = p.generated
	if p.imported != nil {
		g = p.imported
	}
	p.engine = engine{app: o.app, game: g, plan: plan, workers: 0, out: run.Out, resume: run.Resume,
		settings: run.settings(plan, runner.Shard{}, g), progress: "off", records: p.generated != nil, costly: run.cast.costly}
	if o.Sample > 0 {
		p.engine.settings["sample"] = "drawn by seed"
		p.engine.settings[settingSeed] = formatSeed(o.Seed)
	}
	return p, nil
}

// choose makes the game and gives the groups of each agent.
func (o *humanOptions) choose(p *play) ([]runner.Group, error) {
	run := p.options
	if run.Tickets != "" {
		m, err := openImported(run)
		if err != nil {
			return nil, err
		}
		p.imported = m
		return o.ticketGroups(m)
	}
	if len(run.Tasks) == 0 {
		run.Tasks = []string{"queue-easy"}
	}
	tasks, err := run.tasks()
	if err != nil {
		return nil, err
	}
	s, err := newSession(o.app, run.Bank, run.SecretFile)
	if err != nil {
		return nil, err
	}
	if err := s.tellBank(o.app, run.Bank, triage.Split(run.Split)); err != nil {
		return nil, err
	}
	p.generated = &generated{session: s, split: triage.Split(run.Split), options: run}
	var groups []runner.Group
	for _, a := range run.Agents {
		for _, t := range tasks {
			n := run.Episodes
			switch {
			case n > 0:
			case t.Track == triage.Queue:
				n = humanQueues
			default:
				n = humanDesks
			}
			if run.Seed > triage.MaxSeed-int64(n)+1 {
				return nil, usageError("--seed %d and %d episodes go beyond %d", run.Seed, n, triage.MaxSeed)
			}
			groups = append(groups, runner.Group{Agent: a, Task: t.Name, First: run.Seed, Count: n})
		}
	}
	return groups, nil
}

// ticketGroups are the tickets of a file, or a sample of them, for each agent.
func (o *humanOptions) ticketGroups(m *imported) ([]runner.Group, error) {
	if o.Sample == 0 {
		return m.groups(), nil
	}
	if o.Sample > m.rows {
		return nil, usageError("--sample %d: %s has %s to play", o.Sample, m.options.Tickets, counted(m.rows, "ticket"))
	}
	list := sampled(m.rows, o.Sample, o.Seed)
	m.rows = len(list)
	var groups []runner.Group
	for _, a := range m.options.Agents {
		var own []runner.Group
		for _, i := range list {
			own = appendEpisode(own, triage.Key{Agent: a, Task: env.TicketsTask, Seed: int64(i)})
		}
		groups = append(groups, own...)
	}
	return groups, nil
}

// sampled draws k of n numbers by a seed, sorted.
func sampled(n, k int, seed int64) []int {
	r := rand.New(rand.NewPCG(uint64(seed), 0x747269616765)) //nolint:gosec // a sample that can be drawn again, not a secret
	chosen := map[int]int{}                                  // of Fisher and Yates' shuffle, what has moved
	out := make([]int, k)
	at := func(i int) int {
		if v, ok := chosen[i]; ok {
			return v
		}
		return i
	}
	for i := range k {
		j := i + r.IntN(n-i)
		out[i], chosen[j] = at(j), at(i)
	}
	slices.Sort(out)
	return out
}
