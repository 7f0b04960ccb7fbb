package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// EpisodesSetting says how many episodes a run has in all its shards.
const EpisodesSetting = "episodes"

// planOf gives how many episodes each of an agent's tasks has by the settings, played once, in the plan's order; nil where these do not say.
func (s Settings) planOf() (tasks []string, counts map[string]int) {
	counts = map[string]int{}
	for name, value := range s {
		task, ok := strings.CutPrefix(name, "episodes of ")
		if !ok {
			continue
		}
		task, _, _ = strings.Cut(task, " (")
		var first, last int64
		if n, err := fmt.Sscanf(value, planned, &first, &last); n != 2 || err != nil || first < 0 || last < first || last-first >= mostPlayings {
			return nil, nil
		}
		if counts[task] == 0 {
			tasks = append(tasks, task)
		}
		counts[task] += int(last-first) + 1
	}
	list := triage.Tasks()
	rank := func(name string) int {
		return slices.IndexFunc(list, func(t triage.Task) bool { return t.Name == name })
	}
	slices.Sort(tasks)
	slices.SortStableFunc(tasks, func(a, b string) int { return rank(a) - rank(b) })
	return tasks, counts
}

// Planned is how many episodes of an agent and a task the run that the settings describe has, in its shard; ok is false where they do
// not say.
func (s Settings) Planned(agent, task string) (episodes int, ok bool) {
	tasks, counts := s.planOf()
	place := slices.Index(SplitAgents(s[AgentsSetting]), agent)
	trials, err := strconv.Atoi(s[TrialsSetting])
	if s[TrialsSetting] == "" {
		trials, err = 1, nil
	}
	if len(tasks) == 0 || place < 0 || err != nil || trials < 1 || trials > math.MaxInt16 {
		return 0, false
	}
	each, before := 0, 0
	for _, t := range tasks {
		if t == task {
			before = each
		}
		each += counts[t] * trials
	}
	first := place*each + before
	return s.inShard(first+counts[task]*trials) - s.inShard(first), true
}

// PlannedInAll is how many episodes the run that the settings describe has, in its shard; ok is false where they do not say.
func (s Settings) PlannedInAll() (episodes int, ok bool) {
	n, err := strconv.Atoi(s[EpisodesSetting])
	if err != nil || n < 0 {
		return 0, false
	}
	return s.inShard(n), true
}

// inShard is how many of the first n places of a plan belong to the run's shard: every one but for shard i/n of several.
func (s Settings) inShard(n int) int {
	i, of, ok := parseShard(s[ShardSetting])
	if !ok {
		return n
	}
	return (n - i + of) / of
}

// Missing says what a folder lacks of an agent's episodes on a task, of which its log holds as many as given: against its settings and
// against its results file. It is empty where nothing is missing, as far as these tell.
func (f *Folder) Missing(agent, task string, logged int) string {
	if planned, ok := f.Settings.Planned(agent, task); ok && logged < planned {
		return fmt.Sprintf("%d of %d planned episodes are there", logged, planned)
	}
	r := f.ResultsOf(agent)
	if r == nil {
		return ""
	}
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Task.Name == task && t.N+t.Errors != logged {
			return fmt.Sprintf("%s holds %d episodes, the results file tells of %d", EpisodesFile, logged, t.N+t.Errors)
		}
	}
	return ""
}
