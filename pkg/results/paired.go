package results

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
)

// Paired compares two ways of playing the same episodes, such as with tickets as they are and with perturbed ones.
type Paired struct {
	// Pairs is the number of episodes, trials counted apart, that both scored; Dropped of those that both played and one or
	// both did not score, as they broke; Alone of those that only one played.
	Pairs, Dropped, Alone int
	// Base and Other are the mean scores over the pairs; trials of one episode count as their mean.
	Base, Other float64
	// Difference is the mean of other − base, −1..1, with Student's t interval over episodes: it says how the tickets that
	// happened to be drawn vary. Its N is the number of episodes.
	Difference stats.Estimate
}

// PairedDifference aligns the records of one task by seed, position and trial. Of records with the same three the last
// counts. The order of the records does not matter.
func PairedDifference(base, other []Record) Paired {
	type key struct {
		place
		trial int16
	}
	index := func(list []Record) map[key]*Record {
		out := make(map[key]*Record, len(list))
		for i := range list {
			r := &list[i]
			out[key{place{r.Seed, int(r.Position)}, r.Trial}] = r
		}
		return out
	}
	bases, others := index(base), index(other)
	keys := slices.SortedFunc(maps.Keys(bases), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.seed, b.seed), cmp.Compare(a.position, b.position), cmp.Compare(a.trial, b.trial))
	})
	p := Paired{Alone: len(bases) + len(others)}
	var sums []sum
	var last place
	for _, k := range keys {
		b, o := bases[k], others[k]
		if o == nil {
			continue
		}
		p.Alone -= 2
		if !b.Scored || !o.Scored {
			p.Dropped++
			continue
		}
		if p.Pairs == 0 || k.place != last {
			sums = append(sums, sum{})
			last = k.place
		}
		p.Pairs++
		sums[len(sums)-1].add(b.Score, o.Score)
	}
	p.take(sums)
	return p
}

// ScoreOverEpisodes estimates the mean score of records in which episodes occur with several trials. Trials of one episode count as
// one value, their mean, so that the interval (Student's t over episodes) is not narrowed by playing the same tickets again.
// Records that did not score are left out. The order of the records does not matter.
func ScoreOverEpisodes(records []Record) stats.Estimate {
	list := slices.Clone(records)
	slices.SortStableFunc(list, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Trial, b.Trial))
	})
	var sums []sum
	var last place
	for i := range list {
		r := &list[i]
		if !r.Scored {
			continue
		}
		if at := (place{r.Seed, int(r.Position)}); len(sums) == 0 || at != last {
			sums, last = append(sums, sum{}), at
		}
		sums[len(sums)-1].add(r.Score, 0)
	}
	scores := make([]float64, len(sums))
	for i, s := range sums {
		scores[i] = s.base / s.trials
	}
	return stats.Mean(scores, 0, 1)
}

// sum is that of the trials of an episode.
type sum struct {
	trials                  float64
	base, other, difference float64
}

func (s *sum) add(base, other float64) {
	s.trials++
	s.base += base
	s.other += other
	s.difference += other - base
}

// take fills in the means over episodes.
func (p *Paired) take(sums []sum) {
	differences := make([]float64, len(sums))
	same := true
	for i, s := range sums {
		p.Base += s.base / s.trials
		p.Other += s.other / s.trials
		differences[i] = s.difference / s.trials
		same = same && differences[i] == 0
	}
	p.Base /= float64(len(sums)) // NaN for none: a mean of nothing is no 0
	p.Other /= float64(len(sums))
	p.Difference = stats.Mean(differences, -1, 1)
	if same && len(sums) > 1 {
		p.Difference.Warnings = append(p.Difference.Warnings, "no pair differs: the interval has no width")
	}
}

// MarshalJSON gives the figures in the form of a results file: keys sorted, 6 decimals, null for what there is not.
func (p Paired) MarshalJSON() ([]byte, error) {
	difference := estimate(p.Difference)
	difference["n"] = p.Difference.N
	return json.Marshal(map[string]any{"pairs": p.Pairs, "dropped_for_errors": p.Dropped, "without_partner": p.Alone,
		"score_base": number(p.Base), "score_other": number(p.Other), "difference": difference})
}
