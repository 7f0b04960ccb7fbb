package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"

	"github.com/triagebench/triage/pkg/triage"
)

// committed is what a results file holds of a task.
type committed struct {
	N      int     `json:"n"`
	Target float64 `json:"target"`
	Pass   bool    `json:"pass"`
	Score  struct {
		Mean float64 `json:"mean"`
	} `json:"score"`
	Seeds []struct {
		Seed       int64   `json:"seed"`
		Score      float64 `json:"score"`
		Efficiency float64 `json:"efficiency"`
	} `json:"seeds"`
}

// The agents with committed results; those that have to reach the targets come last.
var (
	measured = []string{"constant", "keyword", "heuristic", "oracle"}
	reaching = measured[2:]
)

// replayed is how many committed episodes of an agent are played again: queues are longer than desk episodes.
func replayed(track triage.Track) int {
	if track == triage.Desk {
		return 25
	}
	return 4
}

// checkScores plays some of the committed episodes again, and holds the committed means against the targets.
func checkScores(ctx context.Context, b *bench) []triage.Check {
	again := b.claim("committed-scores", "the first committed episodes of each agent, played again", "the same score and efficiency to 6 decimals")
	target := b.claim("target", "the target against the committed scores", "reached by "+reaching[0]+" and "+reaching[1]+": "+targetOf(b.task))
	played, means := 0, ""
	for _, agent := range measured {
		file, err := b.committed(agent)
		if err != nil {
			again.against("%v", err)
			continue
		}
		for _, s := range file.Seeds[:min(len(file.Seeds), replayed(b.task.Track))] {
			played++
			ep, err := b.episode(ctx, agent, s.Seed, triage.ResetOptions{})
			if err != nil {
				again.against("%s, seed %d: %v", agent, s.Seed, err)
				continue
			}
			again.unless(triage.Rounded(*ep.Score) == s.Score && triage.Rounded(*ep.Efficiency) == s.Efficiency,
				"%s, seed %d: score %.6f and efficiency %.6f, where %.6f and %.6f are committed", agent, s.Seed, *ep.Score, *ep.Efficiency, s.Score, s.Efficiency)
		}
		b.figures(again, agent, file)
		means += fmt.Sprintf(", %s %.3f", agent, file.Score.Mean)
		if agent == reaching[0] || agent == reaching[1] {
			target.unless(b.task.Pass(file.Score.Mean) && file.Pass, "%s: %.3f", agent, file.Score.Mean)
		}
	}
	target.unless(means != "", "there are no committed scores")
	return []triage.Check{again.done("%d episodes", played), target.done("%s", means[min(2, len(means)):])}
}

func targetOf(t triage.Task) string {
	if t.Track == triage.Desk {
		return fmt.Sprintf("≥ %.2f", t.Target)
	}
	return fmt.Sprintf("> %.2f", t.Target)
}

// committed reads the results of an agent on the task.
func (b *bench) committed(agent string) (*committed, error) {
	data, err := fs.ReadFile(b.Scores, agent+".json")
	if err != nil {
		return nil, err
	}
	var file struct {
		Generator string               `json:"generator"`
		Split     triage.Split         `json:"split"`
		Tasks     map[string]committed `json:"tasks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s.json: %w", agent, err)
	}
	if file.Generator != b.Generator || file.Split != split {
		return nil, fmt.Errorf("%s.json is of generator %q, split %q; this program makes %q, and %q is due", agent, file.Generator, file.Split, b.Generator, split)
	}
	task, ok := file.Tasks[b.task.Name]
	if !ok || len(task.Seeds) == 0 {
		return nil, fmt.Errorf("%s.json has no %s", agent, b.task.Name)
	}
	return &task, nil
}

// figures holds the figures of a task against its episodes.
func (b *bench) figures(c *claim, agent string, file *committed) {
	sum := 0.0
	for _, s := range file.Seeds {
		sum += s.Score
	}
	mean := sum / float64(len(file.Seeds))
	c.unless(file.N == len(file.Seeds) && math.Abs(mean-file.Score.Mean) < 2e-6, "%s: %d episodes of mean %.6f, committed are %d of %.6f", agent, len(file.Seeds), mean, file.N, file.Score.Mean)
	c.unless(file.Target == b.task.Target && file.Pass == b.task.Pass(file.Score.Mean), "%s: target %v and pass %v are committed, the target is %v", agent, file.Target, file.Pass, b.task.Target)
}
