// Package results keeps what runs give: the episode log (the seam between playing and everything after it), the run
// folder with its journal, and the summary that becomes baseline_results.json. It plays nothing and prints nothing.
package results

import (
	"github.com/triagebench/triage/pkg/triage"
)

// maxParts is the most parts that an answer has: those of queue tasks and of desk-hard. Imported tickets may have more columns,
// which are counted in confusion tables instead.
const maxParts = 4

// Record is what a summary needs of an episode, small enough to keep for every episode of a long run. Its numbers are
// rounded as in files, so that a summary is the same from memory and from disk.
type Record struct {
	Seed     int64
	Position int32 // -1 for a whole episode
	Scored   bool  // the episode did not break
	Trial    int16
	Refused  int32 // answers that were refused or did not come
	// Efficiency and Reward are NaN where the environment does not tell them.
	Score, Efficiency, Reward float64
	// Graded is the number of graded answers; Sum and Exact are the sums of each part's values and the numbers of values
	// that are 1, in the order of the parts.
	Graded int32
	Sum    [maxParts]float64
	Exact  [maxParts]int32
	// Answers is a hash of what was answered: see [TaskSummary.Answers].
	Answers uint64
}

// RecordOf takes the record of an episode.
func RecordOf(ep *triage.Episode) Record {
	r := Record{Seed: ep.Key.Seed, Position: -1, Trial: int16(ep.Key.Trial)}
	if ep.Key.Position.Set {
		r.Position = int32(ep.Key.Position.Value)
	}
	if ep.Score != nil && ep.Ended != triage.EndedError {
		r.Scored = true
		r.Score = triage.Rounded(*ep.Score)
		r.Efficiency, r.Reward = known(ep.Efficiency), known(ep.Reward)
	}
	for i := range ep.Steps {
		s := &ep.Steps[i]
		if s.Error != "" {
			r.Refused++
		}
		if s.Score == nil {
			continue
		}
		r.Graded++
		for j, p := range s.Score.Parts {
			if j == maxParts {
				break
			}
			v := triage.Rounded(p.Value)
			r.Sum[j] += v
			if v == 1 {
				r.Exact[j]++
			}
		}
	}
	r.Answers = answersOf(ep)
	return r
}

// known is the rounded value, or NaN where there is none.
func known(v *float64) float64 {
	if v == nil {
		return notANumber()
	}
	return triage.Rounded(*v)
}
