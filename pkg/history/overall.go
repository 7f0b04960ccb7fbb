package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Overall is the overall score of a results file's tasks: the mean of task scores within each track, and of the tracks, with
// episodes that broke as 0. For imported tickets it is the mean of their one task. N is the number of episodes.
//
// The 95 % interval covers how the drawn episodes vary: the variances of the tasks' means add up with the squares of their
// weights, and the degrees of freedom are those of Satterthwaite (1946, Biometrics Bulletin 2). There is none where a task
// has fewer than two episodes or the figures of single ones are missing, and where episodes with trials broke.
func Overall(tasks []results.TaskSummary) stats.Estimate {
	o := results.OverallOf(tasks)
	e := stats.Estimate{Mean: o.All}
	tracks := map[triage.Track]float64{}
	for i := range tasks {
		tracks[tasks[i].Task.Track]++
		e.N = plus(e.N, tasks[i].N, tasks[i].Errors)
	}
	if len(tasks) > 0 && tracks[triage.Queue]+tracks[triage.Desk] == 0 {
		e.Mean = tasks[0].WithErrors.Mean
	}
	if math.IsNaN(e.Mean) {
		e.Warnings = []string{"a task has no scored episode: there is no overall score"}
		return e
	}
	variance, fourth := 0.0, 0.0
	for i := range tasks {
		of, n, ok := meanVariance(&tasks[i])
		if !ok {
			e.Warnings = []string{"a task has too few episodes of which the score is known: there is no interval"}
			return e
		}
		weight := 1 / (tracks[tasks[i].Task.Track] * float64(len(tracks)))
		part := float64(weight * weight * of)
		variance += part
		fourth += float64(part*part) / float64(n-1)
	}
	if variance == 0 {
		e.CI95 = &stats.Interval{Low: e.Mean, High: e.Mean}
		e.Warnings = []string{"the scores of each task are all alike: the interval has no width"}
		return e
	}
	half := float64(stats.StudentT975(max(1, int(variance*variance/fourth))) * math.Sqrt(variance))
	e.CI95 = &stats.Interval{Low: max(0, e.Mean-half), High: min(1, e.Mean+half)}
	return e
}

// meanVariance is the variance of the mean score of a task and the number of episodes that it comes from.
func meanVariance(s *results.TaskSummary) (variance float64, n int, ok bool) {
	scores, trials := episodeScores(s.Seeds)
	if s.N != len(s.Seeds) || trials > 1 && s.Errors > 0 {
		return 0, 0, false
	}
	if n = plus(len(scores), s.Errors); n < 2 {
		return 0, 0, false
	}
	slices.Sort(scores)
	sum, squares := 0.0, 0.0
	for _, v := range scores {
		sum += v
	}
	mean := sum / float64(n)
	for _, v := range scores {
		squares += float64((v - mean) * (v - mean))
	}
	squares += float64(float64(s.Errors) * mean * mean) // what broke is 0
	return squares / float64(n-1) / float64(n), n, true
}

// episodeScores are the scores of the episodes, each the mean of its trials, and how many trials there are.
func episodeScores(seeds []results.Seed) (scores []float64, trials int) {
	list := slices.Clone(seeds)
	slices.SortStableFunc(list, func(a, b results.Seed) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Trial, b.Trial))
	})
	for i := 0; i < len(list); {
		j, sum := i, 0.0
		for ; j < len(list) && list[j].Seed == list[i].Seed && list[j].Position == list[i].Position; j++ {
			sum += list[j].Score
			trials = max(trials, int(list[j].Trial)+1)
		}
		scores = append(scores, sum/float64(j-i))
		i = j
	}
	return scores, trials
}

// plus adds counts that a file tells, which may be any numbers: what is too large is the largest.
func plus(counts ...int) int {
	sum := 0
	for _, n := range counts {
		if sum += max(n, 0); sum < 0 {
			return math.MaxInt
		}
	}
	return sum
}
