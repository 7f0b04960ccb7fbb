package results_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
)

func scored(seed int64, trial int16, score float64) results.Record {
	return results.Record{Seed: seed, Position: -1, Trial: trial, Scored: true, Score: score}
}

func broke(seed int64, trial int16) results.Record {
	return results.Record{Seed: seed, Position: -1, Trial: trial}
}

func TestDifferencesAreTakenInPairs(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	alone := scored(1, 0, 0.3)
	alone.Position = 2
	for _, tt := range []struct {
		name        string
		base, other []results.Record
		want        results.Paired
	}{
		{"nothing", nil, nil, results.Paired{Base: nan, Other: nan, Difference: stats.Mean(nil, -1, 1)}},
		{"nothing in common", []results.Record{scored(1, 0, 1)}, []results.Record{scored(2, 0, 1), alone},
			results.Paired{Alone: 3, Base: nan, Other: nan, Difference: stats.Mean(nil, -1, 1)}},
		{"five pairs", []results.Record{scored(1, 0, .5), scored(2, 0, .6), scored(3, 0, .7), scored(4, 0, .8), scored(5, 0, .9)},
			[]results.Record{scored(5, 0, .8), scored(4, 0, .8), scored(3, 0, .6), scored(2, 0, .8), scored(1, 0, .1)},
			results.Paired{Pairs: 5, Base: .7, Other: .62, Difference: stats.Mean([]float64{-.4, .2, -.1, 0, -.1}, -1, 1)}},
		{"what broke on either side is dropped", []results.Record{scored(1, 0, .5), broke(2, 0), scored(3, 0, .7), broke(4, 0), alone},
			[]results.Record{scored(1, 0, .7), scored(2, 0, 1), broke(3, 0), broke(4, 0), alone},
			results.Paired{Pairs: 2, Dropped: 3, Base: .4, Other: .5, Difference: stats.Mean([]float64{.2, 0}, -1, 1)}},
		{"trials of an episode are one value", []results.Record{scored(1, 0, .2), scored(1, 1, .4), scored(2, 0, 1), scored(2, 1, 1)},
			[]results.Record{scored(1, 0, .4), scored(1, 1, .4), scored(2, 0, 0), broke(2, 1)},
			results.Paired{Pairs: 3, Dropped: 1, Base: .65, Other: .2, Difference: stats.Mean([]float64{.1, -1}, -1, 1)}},
		{"no difference at all", []results.Record{scored(1, 0, .2), scored(2, 0, .4)}, []results.Record{scored(1, 0, .2), scored(2, 0, .4)},
			results.Paired{Pairs: 2, Base: .3, Other: .3, Difference: stats.Estimate{N: 2, CI95: &stats.Interval{},
				Warnings: []string{"2 values: the interval is rough", "no pair differs: the interval has no width"}}}},
	} {
		draws := rand.New(rand.NewPCG(3, 4))
		for range 5 {
			if d := cmp.Diff(tt.want, results.PairedDifference(tt.base, tt.other), approx); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, d)
			}
			draws.Shuffle(len(tt.base), func(i, j int) { tt.base[i], tt.base[j] = tt.base[j], tt.base[i] })
			draws.Shuffle(len(tt.other), func(i, j int) { tt.other[i], tt.other[j] = tt.other[j], tt.other[i] })
		}
	}
}

// lesson B34: playing a ticket again tells nothing of other tickets.
func TestTrialsDoNotNarrowTheIntervalOfAScore(t *testing.T) {
	t.Parallel()
	alone := scored(1, 0, 1)
	alone.Position = 0
	once := []results.Record{scored(1, 0, .2), scored(2, 0, .4), scored(3, 0, .9), scored(4, 0, .5), scored(5, 0, .5)}
	thrice := []results.Record{broke(6, 0), broke(1, 3)}
	for trial := range int16(3) {
		for _, r := range once {
			r.Trial = trial
			thrice = append(thrice, r)
		}
	}
	want := stats.Mean([]float64{.2, .4, .9, .5, .5}, 0, 1)
	for name, list := range map[string][]results.Record{"once": once, "three times": thrice} {
		if d := cmp.Diff(want, results.ScoreOverEpisodes(list), approx); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if d := cmp.Diff(stats.Mean([]float64{.5, 1}, 0, 1), results.ScoreOverEpisodes([]results.Record{scored(1, 1, .8), alone, scored(1, 0, .2)}), approx); d != "" {
		t.Errorf("a whole episode and one of its tickets (-want +got):\n%s", d)
	}
	if got := results.ScoreOverEpisodes(nil); got.N != 0 || !math.IsNaN(got.Mean) {
		t.Errorf("nothing gives %+v", got)
	}
}

func TestADifferenceInAResultsFile(t *testing.T) {
	t.Parallel()
	p := results.PairedDifference([]results.Record{scored(1, 0, 1./3), broke(2, 0), scored(3, 0, 1)}, []results.Record{scored(1, 0, 0), scored(2, 0, 1), scored(4, 0, 1)})
	got, err := json.Marshal(p)
	want := `{"difference":{"ci95":null,"mean":-0.333333,"n":1,"warnings":["one value: there is no interval"]},"dropped_for_errors":1,"pairs":1,` +
		`"score_base":0.333333,"score_other":0,"without_partner":2}`
	if err != nil || string(got) != want {
		t.Errorf("error %v, it is\n%s\nwant\n%s", err, got, want)
	}
}
