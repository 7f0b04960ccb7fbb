package results

import (
	"fmt"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Floor is the best of the degenerate agents on the same seeds: what a score is worth without reading.
type Floor struct {
	Agent string
	Score float64
	// Reason says why there is no floor; Agent is empty then.
	Reason string
}

// Seed are the figures of one episode in a summary.
type Seed struct {
	Seed              int64
	Position          int32 // -1 for a whole episode
	Trial             int16
	Score, Efficiency float64
}

// TaskSummary are the figures of one agent on one task.
type TaskSummary struct {
	Task triage.Task
	// N is the number of scored episodes; Errors those that broke, which are in no mean; Refused the answers that were
	// refused or did not come and scored 0.
	N, Errors, Refused int
	// Score is over scored episodes. WithErrors counts those that broke as 0: what is passed or compared, so that an agent
	// gains nothing by what it does not answer. The two are one where nothing broke.
	Score, WithErrors  stats.Estimate
	Reward, Efficiency float64 // means over scored episodes
	SuccessRate        float64 // share of scored episodes that reach the target
	// Parts are the mean values of each part over graded answers, Exact the shares of values that are 1.
	Parts, Exact map[string]float64
	Floor        *Floor
	// Model has the figures of the model that answered; nil where there is none.
	Model *ModelFigures
	// Reliability has the figures of several trials; nil where each episode was played once.
	Reliability *TaskReliability
	// Confidence has what the agent's confidences are worth; nil where it gave none.
	Confidence *TaskConfidence
	// Cost is what the answers cost by a cost matrix; nil without one.
	Cost  *CostFigures
	Pass  bool
	Seeds []Seed
	// Broken are the episodes that broke, by seed, position and trial. It is nil with Errors above 0 where a file does not tell which.
	Broken []Playing
	// Answers is a digest of everything that was answered, 16 hex digits: two sides that have the same one answered every ticket of the
	// same episodes in the same words. It is empty where it is not known. It is the begin of the SHA-256 over the episodes by seed,
	// position and trial, of each of which there are these three (8, 4 and 2 bytes, most significant first) and 8 bytes of the SHA-256
	// of its actions, as [triage.AppendCanonical] gives them, with "refused" behind those that were, a line each; of an episode that
	// broke, of the word "broke".
	Answers string
}

// PartNames are the parts of a task's answers in their order.
func PartNames(t triage.Task) []string {
	switch {
	case t.Track == triage.Queue:
		return []string{"route", "urgency", "difficulty", "priority"}
	case t.Difficulty == triage.Medium:
		return []string{"category", "priority", "urgency_days"}
	case t.Difficulty == triage.Hard:
		return []string{"category", "priority", "department", "recommendation"}
	case t.Track == triage.Desk:
		return []string{"category"}
	}
	return nil
}

// Summarize sums up the records of one agent on one task, which stand in the plan's order.
func Summarize(task triage.Task, records []Record) TaskSummary {
	s := TaskSummary{Task: task, Parts: map[string]float64{}, Exact: map[string]float64{}, Answers: answersDigest(records)}
	scores := make([]float64, 0, len(records))
	names := PartNames(task)
	var sum [maxParts]float64
	var exact [maxParts]int
	reward, efficiency, graded, successes := 0.0, 0.0, 0, 0
	for i := range records {
		r := &records[i]
		s.Refused += int(r.Refused)
		if !r.Scored {
			s.Errors++
			s.Broken = append(s.Broken, Playing{r.Seed, r.Position, r.Trial})
			continue
		}
		scores = append(scores, r.Score)
		reward += r.Reward
		efficiency += r.Efficiency
		graded += int(r.Graded)
		for j := range names {
			sum[j] += r.Sum[j]
			exact[j] += int(r.Exact[j])
		}
		if task.Pass(r.Score) {
			successes++
		}
		s.Seeds = append(s.Seeds, Seed{Seed: r.Seed, Position: r.Position, Trial: r.Trial, Score: r.Score, Efficiency: r.Efficiency})
	}
	slices.SortFunc(s.Broken, Playing.Compare)
	s.N = len(scores)
	s.Score = scoreOf(records, scores)
	s.WithErrors = s.Score
	if s.Errors > 0 && s.N > 0 { // where all broke nothing is known
		s.WithErrors = withErrors(records)
	}
	n := float64(s.N)
	s.Reward, s.Efficiency, s.SuccessRate = reward/n, efficiency/n, float64(successes)/n
	for j, name := range names {
		s.Parts[name] = sum[j] / float64(graded)
		s.Exact[name] = float64(exact[j]) / float64(graded)
	}
	s.Pass = s.N > 0 && task.Pass(s.WithErrors.Mean)
	if s.Errors > 0 {
		s.Score.Warnings = append(s.Score.Warnings, fmt.Sprintf("%d of %d episodes broke and are in no mean", s.Errors, s.Errors+s.N))
	}
	return s
}

// scoreOf is the mean score of records and their scores. Where episodes were played several times, the interval is over
// episodes: trials of one are no further tickets.
func scoreOf(records []Record, scores []float64) stats.Estimate {
	if slices.ContainsFunc(records, func(r Record) bool { return r.Trial > 0 }) {
		return ScoreOverEpisodes(records)
	}
	return stats.Mean(scores, 0, 1)
}

// withErrors is the mean score if episodes that broke count as 0.
func withErrors(records []Record) stats.Estimate {
	list, scores := slices.Clone(records), make([]float64, len(records))
	for i := range list {
		if !list[i].Scored {
			list[i].Scored, list[i].Score = true, 0
		}
		scores[i] = list[i].Score
	}
	return scoreOf(list, scores)
}

// Overall are the means of task scores by track and of the tracks; NaN where a track was not played, or a task of it has no
// scored episode.
type Overall struct{ Queue, Desk, All float64 }

// OverallOf gives the overall scores of an agent's tasks. All is over the tracks that were played: where nothing of a
// played one was scored it is NaN, as the other track alone would pass for both.
func OverallOf(tasks []TaskSummary) Overall {
	mean := func(track triage.Track) (v float64, n int) {
		for i := range tasks {
			if tasks[i].Task.Track == track {
				v += tasks[i].WithErrors.Mean
				n++
			}
		}
		return v / float64(n), n
	}
	queue, queues := mean(triage.Queue)
	desk, desks := mean(triage.Desk)
	o := Overall{Queue: queue, Desk: desk}
	switch {
	case queues == 0:
		o.All = desk
	case desks == 0:
		o.All = queue
	default:
		o.All = (queue + desk) / 2
	}
	return o
}
