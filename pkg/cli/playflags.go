package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// playOptions are what `run` and `baseline` share.
type playOptions struct {
	app *App
	// given are the flags that stand on the command line.
	given map[string]bool

	Agents, Tasks, Difficulties, Tracks []string
	Episodes                            int
	Seed                                int64
	Split                               string
	Workers                             int
	SecretFile, Bank                    string
	Out                                 string
	Resume, NoMeta, NoFloor             bool
	MaxErrors                           int
	Format, Progress                    string
	Trials                              int
	Perturb                             []string
	model                               modelOptions
	costs                               costOptions
	// cast are the agents of Agents, once they are known.
	cast *cast

	// run only
	Limit      int
	Only       []string
	Shard      string
	Tickets    string
	Map        string
	LabelsFile string
	Train      string
	Strict     bool
	Yes        bool
	// baseline only
	Output  string
	Check   bool
	against againstOptions
}

// bind adds the shared flags.
func (o *playOptions) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	listFlag(f, &o.Tasks, "tasks", taskNames(), "tasks to play; all by default")
	listFlag(f, &o.Difficulties, "difficulties", names(triage.Difficulties()), "difficulties to play; all by default")
	listFlag(f, &o.Tracks, "track", names(triage.Tracks()), "tracks to play; both by default")
	intFlag(f, &o.Episodes, "episodes", 0, "episodes a task: episode i plays seed SEED+i, so runs at neighbouring seeds share episodes (default 10 for queue tasks, 100 for desk tasks)")
	intFlag(f, &o.Seed, "seed", 42, "seed of the first episode, 0 to 9223372036854775807")
	choiceFlag(f, &o.Split, "split", string(triage.Test), names(triage.Splits()), "half of the bank that tickets come from, or side of the --tickets file")
	intFlag(f, &o.Workers, "workers", 0, "episodes played at once; results do not depend on it (default: the number of processors)")
	f.StringVar(&o.SecretFile, "secret-file", "", "`file` with a secret that hides which tickets come (see triage secret)")
	f.StringVar(&o.Bank, "bank", "", "`folder` of YAML scenarios to use in place of the public bank")
	f.StringVar(&o.Out, "out", "", "run `folder`: run.json, journal.jsonl, episodes.jsonl and a results file an agent")
	f.BoolVar(&o.Resume, "resume", false, "go on with the run in the folder given by --out")
	f.BoolVar(&o.NoMeta, "no-meta", false, "leave time, duration and version out of results files, so that equal runs give equal bytes")
	f.BoolVar(&o.NoFloor, "no-floor", false, "do not play the degenerate agents that give a score its floor")
	intFlag(f, &o.MaxErrors, "max-errors", 0, "episodes that may break through no fault of the agent before the exit code is 3")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to tell how far the run is")
	intFlag(f, &o.Trials, "trials", 1, "how often each episode is played; with several there are pass^k, pass@k and the share of answers that flip")
	listFlag(f, &o.Perturb, "perturb", agent.PerturbKinds(), "play the same tickets also changed, and print the differences in pairs")
	o.costs.bind(f)
	o.model.bind(cmd)
}

// mostWorkers is how many episodes may be played at once: more would cost memory and gain nothing.
const mostWorkers = 4096

// mostTrials is how often an episode may be played.
const mostTrials = 1000

// check refuses numbers that mean nothing.
func (o *playOptions) check(cmd *cobra.Command) error {
	switch {
	case o.Seed < 0:
		return usageError("--seed %d is not allowed; allowed is 0 to %d", o.Seed, triage.MaxSeed)
	case o.Episodes < 0 || cmd.Flags().Changed("episodes") && o.Episodes == 0:
		return usageError("--episodes %d is not allowed; allowed is 1 and more", o.Episodes)
	case o.Workers < 0 || cmd.Flags().Changed("workers") && o.Workers == 0:
		return usageError("--workers %d is not allowed; allowed is 1 and more", o.Workers)
	case o.Limit < 0 || cmd.Flags().Changed("limit") && o.Limit == 0:
		return usageError("--limit %d is not allowed; allowed is 1 and more", o.Limit)
	case o.MaxErrors < 0:
		return usageError("--max-errors %d is not allowed; allowed is 0 and more", o.MaxErrors)
	case o.Trials < 1 || o.Trials > mostTrials:
		return usageError("--trials %d is not allowed; allowed is 1 to %d", o.Trials, mostTrials)
	case o.Workers > mostWorkers:
		return usageError("--workers %d is not allowed; allowed is 1 to %d", o.Workers, mostWorkers)
	case strings.HasPrefix(o.Out, "-"):
		return usageError("--out %s looks like a flag: name a folder, with ./ before it if it is really called so", o.Out)
	case o.Resume && o.Out == "":
		return usageError("--resume needs the run's folder: --out DIR")
	}
	return o.model.check(cmd.Flags())
}

// tasks are the tasks that the flags choose, in the order of tables.
func (o *playOptions) tasks() ([]triage.Task, error) {
	has := func(list []string, v string) bool {
		for _, x := range list {
			if x == v {
				return true
			}
		}
		return len(list) == 0
	}
	var out []triage.Task
	for _, t := range triage.Tasks() {
		if has(o.Tasks, t.Name) && has(o.Difficulties, string(t.Difficulty)) && has(o.Tracks, string(t.Track)) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, usageError("no task is in all of --tasks %s, --difficulties %s and --track %s",
			strings.Join(o.Tasks, ","), strings.Join(o.Difficulties, ","), strings.Join(o.Tracks, ","))
	}
	return out, nil
}

// groups are the episodes of each agent and task.
func (o *playOptions) groups(tasks []triage.Task) ([]runner.Group, error) {
	var out []runner.Group
	if len(o.Only) > 0 {
		var only []runner.Group
		for _, text := range o.Only {
			g, err := parseOnly(text)
			if err != nil {
				return nil, err
			}
			only = append(only, g)
		}
		slices.SortStableFunc(only, compareGroups)
		o.Seed = slices.MinFunc(only, func(a, b runner.Group) int { return cmp.Compare(a.First, b.First) }).First
		for _, a := range o.Agents {
			start := len(out)
			for _, g := range only {
				g.Agent = a
				out = append(out, o.trials(g)...)
			}
			slices.SortStableFunc(out[start:], compareGroups)
		}
		return out, nil
	}
	for _, a := range o.Agents {
		for _, t := range tasks {
			n := o.Episodes
			if n == 0 {
				n = t.Episodes
			}
			if o.Limit > 0 {
				n = min(n, o.Limit)
			}
			out = append(out, o.trials(runner.Group{Agent: a, Task: t.Name, First: o.Seed, Count: n})...)
		}
	}
	return out, nil
}

// trials gives a group once for each trial.
func (o *playOptions) trials(g runner.Group) []runner.Group {
	out := []runner.Group{g}
	for g.Trial = 1; g.Trial < o.Trials; g.Trial++ {
		out = append(out, g)
	}
	return out
}

// compareGroups puts single episodes into the order in which shards are merged.
func compareGroups(a, b runner.Group) int {
	rank := func(name string) int {
		return slices.IndexFunc(triage.Tasks(), func(t triage.Task) bool { return t.Name == name })
	}
	return cmp.Or(cmp.Compare(rank(a.Task), rank(b.Task)), cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.First, b.First), cmp.Compare(a.Position.Value, b.Position.Value))
}

// Names of settings that merging reads.
const (
	settingSeed, settingSplit                               = "seed", "split"
	settingGenerator, settingSecret, settingBank            = "generator", "secret", "bank"
	settingGrader                                           = "grader"
	settingEpisodes, settingLimit, settingOnly, settingFile = "episodes", "limit", "only", "tickets"
)

// settings are what decides the run, for run.json; the number of workers and where it is written do not.
func (o *playOptions) settings(plan *runner.Plan, shard runner.Shard, g game) results.Settings {
	s := g.settings()
	s[results.AgentsSetting] = results.JoinAgents(o.Agents)
	if o.Trials > 1 {
		s[results.TrialsSetting] = strconv.Itoa(o.Trials)
	}
	if o.cast != nil {
		maps.Copy(s, o.cast.settings())
	}
	s[results.ShardSetting] = "1/1"
	if shard.N > 0 {
		s[results.ShardSetting] = shard.String()
	}
	s[settingEpisodes] = strconv.Itoa(plan.Len())
	if o.Limit > 0 {
		s[settingLimit] = strconv.Itoa(o.Limit)
	}
	if len(o.Only) > 0 {
		s[settingOnly] = strings.Join(slices.Sorted(slices.Values(o.Only)), ",")
	}
	for i, gr := range plan.Groups() {
		if gr.Agent != o.Agents[0] {
			break
		}
		if gr.Trial > 0 {
			continue
		}
		value := fmt.Sprintf("seeds %d to %d", gr.First, gr.First+int64(gr.Count)-1)
		if gr.Position.Set {
			value += " position " + strconv.Itoa(gr.Position.Value)
		}
		name := "episodes of " + gr.Task
		if _, there := s[name]; there {
			name += " (" + strconv.Itoa(i) + ")"
		}
		s[name] = value
	}
	return s
}
