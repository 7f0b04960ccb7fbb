package cli

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/llm/store"
	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// storedRun is a run that is over: what its folder tells of it. Nobody plays in it.
type storedRun struct {
	app      *App
	session  *session
	folder   string // as messages call it
	settings results.Settings
	learned  map[string]wire.Learned // what its models were found to refuse, by endpoint
}

// result gives the run's plan on its way to files and tables, without figures.
func (s *storedRun) result(groups []runner.Group) (*playResult, error) {
	file := filepath.Join(s.folder, results.RunFile)
	seed, err := strconv.ParseInt(s.settings[settingSeed], 10, 64)
	if err != nil {
		return nil, usageError("%s: seed %q is not a number", file, s.settings[settingSeed])
	}
	shard, err := parseShard(s.settings[results.ShardSetting])
	if err != nil {
		return nil, usageError("%s: %v", file, err)
	}
	if shard.N == 1 { // the whole run
		shard = runner.Shard{}
	}
	plan, err := runner.NewPlan(groups)
	if err != nil {
		return nil, err
	}
	o := &playOptions{app: s.app, Agents: results.SplitAgents(s.settings[results.AgentsSetting]), Seed: seed, Split: s.settings[settingSplit], Trials: trialsOf(plan)}
	o.cast = s.cast(o)
	g := &generated{session: s.session, split: triage.Split(o.Split), options: o}
	return &playResult{options: o, values: map[string]report.Cell{}, started: s.app.Now(),
		play: &play{options: o, generated: g, engine: engine{app: s.app, game: g, plan: plan, shard: shard, settings: s.settings, records: true}}}, nil
}

// cast are the agents of the run: they answer nothing, and have the settings that the run notes of them.
func (s *storedRun) cast(o *playOptions) *cast {
	c := &cast{app: s.app, models: results.NewModels(), calls: results.NewCalls(), stored: true}
	if o.Trials > 1 {
		c.reliability = &results.Reliability{}
	}
	learned := map[string]*learnedOf{}
	for _, name := range o.Agents {
		m := &member{name: name}
		for _, key := range slices.Sorted(maps.Keys(s.settings)) {
			if rest, ok := strings.CutPrefix(key, results.AgentSettingPrefix(name)); ok {
				if m.settings == nil {
					m.settings = map[string]string{}
				}
				m.settings[rest] = s.settings[key]
			}
		}
		endpoint := store.Endpoint(m.settings["base_url"], m.settings["model"])
		if l, ok := s.learned[endpoint]; ok {
			if learned[endpoint] == nil {
				learned[endpoint] = &learnedOf{l: l}
			}
			m.learned = learned[endpoint]
		}
		c.members = append(c.members, m)
	}
	return c
}

// trialsOf is how often a plan plays an episode.
func trialsOf(plan *runner.Plan) int {
	n := 1
	for _, g := range plan.Groups() {
		n = max(n, g.Trial+1)
	}
	return n
}

// appendEpisode adds an episode to the groups of a plan, to the last one where it continues that.
func appendEpisode(groups []runner.Group, k triage.Key) []runner.Group {
	if n := len(groups); n > 0 {
		g := &groups[n-1]
		if g.Agent == k.Agent && g.Task == k.Task && g.Position == k.Position && g.Trial == k.Trial && k.Seed == g.First+int64(g.Count) {
			g.Count++
			return groups
		}
	}
	return append(groups, runner.Group{Agent: k.Agent, Task: k.Task, First: k.Seed, Count: 1, Position: k.Position, Trial: k.Trial})
}
