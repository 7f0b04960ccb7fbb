package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/stats"
)

// guarded is the guard of one sample of differences.
func guarded(values []float64, clusters []int) stats.Guarded {
	return stats.Guard([]stats.Stratum{{Weight: 1, Values: values, Clusters: clusters}}, -1, 1)
}

// Of 8 pairs one is fixed and three are broken. With one more of each N is 10, the mean −0.2, Σ(d − m)² = 6 − 10·0.04 = 5.6 and the
// standard error √5.6/10, of whose square the added two, and that the middle moved, bring (1.44 + 0.64 + 8·0.0025)/100.
func TestAGuardedMeanIsThatOfTheHandComputedExample(t *testing.T) {
	t.Parallel()
	g := guarded([]float64{1, -1, -1, -1, 0, 0, 0, 0}, nil)
	se := math.Sqrt(5.6) / 10
	half := stats.StudentT975(7) * se
	want := stats.Guarded{N: 8, Mean: -0.25, Center: -0.2, SE: se, DF: 7, CI95: &stats.Interval{Low: -0.2 - half, High: -0.2 + half}, Variance: 3.5 / 56, Design: 1, Weight: 1, Added: 0.021, Independent: 8}
	if diff := cmp.Diff(want, g, approx); diff != "" {
		t.Error(diff)
	}
}

func TestGuardedClustersOfOneAreNoClusters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values, _ := samples(t, 2, 40)
		alone := make([]int, len(values))
		for i := range alone {
			alone[i] = i
		}
		a, b := guarded(values, nil), guarded(values, alone)
		b.Warnings, a.Warnings = nil, nil
		if diff := cmp.Diff(a, b, approx); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestNeitherOrderNorNamesOfClustersMatterToAGuardedMean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values, clusters := samples(t, 2, 30)
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Perm(len(values))
		renamed := shuffled(clusters, order)
		for i := range renamed {
			renamed[i] = 100 - 7*renamed[i]
		}
		of := func(v []float64, c []int) stats.Guarded {
			return stats.Guard([]stats.Stratum{{Weight: 1, Values: v, Clusters: c}, {Weight: 2, Values: v, Clusters: c}}, -1, 1)
		}
		if diff := cmp.Diff(of(values, clusters), of(shuffled(values, order), renamed)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestWhatHasNoGuardedIntervalHasAReason(t *testing.T) {
	t.Parallel()
	one := func(s stats.Stratum) []stats.Stratum { return []stats.Stratum{s} }
	for name, tt := range map[string]struct {
		strata      []stats.Stratum
		want        string
		alike       bool
		independent int
	}{
		"nothing":                         {nil, "no values: there is no mean", false, 0},
		"a weight of 0":                   {one(stats.Stratum{Values: []float64{1, 0}}), "a weight is not above 0: there is no mean", false, 0},
		"no number":                       {one(stats.Stratum{Weight: 1, Values: []float64{1, math.NaN()}}), "a value is no number, or their sum is too large for one: there is no mean", false, 0},
		"one value":                       {one(stats.Stratum{Weight: 1, Values: []float64{1}}), "a part has one value or cluster: its variation is not known", false, 0},
		"one cluster":                     {one(stats.Stratum{Weight: 1, Values: []float64{1, 0}, Clusters: []int{4, 4}}), "a part has one value or cluster: its variation is not known", false, 0},
		"one value on a side":             {one(stats.Stratum{Weight: 1, Values: []float64{1, 0}, Against: []float64{1}}), "a part has one value or cluster: its variation is not known", false, 0},
		"alike":                           {one(stats.Stratum{Weight: 1, Values: make([]float64, 6)}), "6 values do not vary", true, 6},
		"alike in clusters":               {one(stats.Stratum{Weight: 1, Values: make([]float64, 6), Clusters: []int{1, 1, 1, 2, 2, 3}}), "6 values do not vary", true, 3},
		"alike in strata of two weights":  {[]stats.Stratum{{Weight: 3, Values: make([]float64, 30)}, {Weight: 1, Values: make([]float64, 30)}}, "60 values do not vary", true, 40},
		"alike in strata of one scenario": {[]stats.Stratum{{Weight: 1, Values: make([]float64, 3), Clusters: []int{1, 2, 3}}, {Weight: 1, Values: make([]float64, 3), Clusters: []int{1, 2, 3}}}, "6 values do not vary", true, 3},
	} {
		if g := stats.Guard(tt.strata, -1, 1); g.Reason != tt.want || g.CI95 != nil || g.Alike != tt.alike || g.Alike && g.Independent != tt.independent {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// A gate that passes a drop as large as its margin is wrong: Student's interval is in up to an eighth, the guarded one and the rule for
// what does not differ at all in about the promised 2.5 %: at most 4.2 % where nothing is fixed and one or two are broken.
func TestFewFlipsDoNotPassTooOften(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n             int
		fixed, margin float64
	}{{10, 0, 0.1}, {30, 0, 0.1}, {60, 0, 0.05}, {100, 0, 0.05}, {200, 0, 0.02}, {400, 0, 0.02}, {100, 0.01, 0.05}, {200, 0.01, 0.02}, {100, 0.05, 0.05}} {
		if chance, ok := stats.PassOfGateFlipsAt(tt.n, tt.fixed, tt.fixed+tt.margin, tt.margin, 0.05); !ok || chance > 0.042 {
			t.Errorf("%+v: %v pass", tt, chance)
		}
	}
	if _, ok := stats.PassOfGateFlipsAt(1, 0, 0.1, 0.1, 0.05); ok {
		t.Error("one pair passes or does not")
	}
}

// The same where the tickets of a scenario flip together, all of them or some.
func TestFewFlipsOfScenariosDoNotPassTooOften(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scenarios, each int
		together, drop  float64
	}{{40, 5, 1, 0.05}, {40, 5, 0.5, 0.05}, {40, 5, 0, 0.05}, {20, 10, 1, 0.1}, {113, 4, 0.7, 0.02}} {
		values, clusters := make([]float64, tt.scenarios*tt.each), make([]int, tt.scenarios*tt.each)
		passed := share(2000, source(), func(r *rand.Rand) bool {
			for s := range tt.scenarios {
				all, one := r.Float64() < tt.drop, r.Float64() < tt.together
				for k := range tt.each {
					i := s*tt.each + k
					clusters[i], values[i] = s, 0
					if one && all || !one && r.Float64() < tt.drop {
						values[i] = -1
					}
				}
			}
			g := guarded(values, clusters)
			if g.Alike {
				return stats.Hidden(g.Independent, 0.05) <= tt.drop
			}
			return g.CI95.Low > -tt.drop
		})
		if t.Logf("%+v: %.1f %% pass", tt, 100*passed); passed > 0.03 {
			t.Errorf("%+v: %v pass", tt, passed)
		}
	}
}

// Scenarios of unequal size, or one that holds half of the tickets, leave the interval at 95 %; so does a mean over tasks that share
// three scenarios.
func TestIntervalsOverUnequalClustersHoldTheMean(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string][]int{"doubling": {1, 2, 4, 8, 16, 32}, "one holds half": {50, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, "equal": {6, 6, 6, 6, 6, 6, 6, 6}} {
		held := share(4000, source(), func(r *rand.Rand) bool {
			var values []float64
			var clusters []int
			for c, size := range sizes {
				middle := 0.3 * r.NormFloat64()
				for range size {
					values, clusters = append(values, middle+0.3*r.NormFloat64()), append(clusters, c)
				}
			}
			return covers(stats.MeanByCluster(values, clusters, -9, 9), 0)
		})
		if t.Logf("%s: %v", name, held); held < 0.93 || held > 0.985 {
			t.Errorf("%s: %v of the intervals hold the mean", name, held)
		}
	}
	held := share(4000, source(), func(r *rand.Rand) bool {
		strata := make([]stats.Stratum, 3)
		middles := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		for i := range strata {
			strata[i].Weight = 1
			for k := range 12 {
				strata[i].Values = append(strata[i].Values, 0.3*middles[k%3]+0.1*r.NormFloat64())
				strata[i].Clusters = append(strata[i].Clusters, k%3)
			}
		}
		e, _ := stats.Stratified(strata, -9, 9)
		return covers(e, 0)
	})
	if t.Logf("three scenarios in three tasks: %v", held); held < 0.935 {
		t.Errorf("three scenarios in three tasks: %v of the intervals hold the mean", held)
	}
}

func TestWhatMayHideInSoManyThatAreAlike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		share float64
		n     int
	}{{0.05, 72}, {0.02, 183}, {0.5, 6}, {0.975, 1}} {
		n, ok := stats.NeededToShow(tt.share, 0.05)
		if !ok || n != tt.n || stats.Hidden(n, 0.05) > tt.share || n > 1 && stats.Hidden(n-1, 0.05) <= tt.share {
			t.Errorf("a share of %v shows in %d", tt.share, n)
		}
	}
	for _, share := range []float64{0, 1, -1, math.NaN(), 1e-9} {
		if n, ok := stats.NeededToShow(share, 0.05); ok {
			t.Errorf("a share of %v shows in %d", share, n)
		}
	}
	if stats.Hidden(0, 0.05) != 1 {
		t.Error("what nobody looked at may be anything")
	}
}

// The test and the interval of a share are one rule.
func TestExactSharesAreTestedAsTheirIntervalSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		yes := rapid.IntRange(0, n).Draw(t, "yes")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		e := stats.ExactShare(yes, n)
		if got := stats.TwoSidedBinomial(yes, n, p); (got < 0.05) != (p < e.CI95.Low || p > e.CI95.High) && math.Abs(got-0.05) > 1e-6 {
			t.Fatalf("%d of %d: p %v of %v, interval %v", yes, n, got, p, *e.CI95)
		}
	})
	if p := stats.TwoSidedBinomial(3, 2, 0.5); !math.IsNaN(p) {
		t.Errorf("3 of 2 have p %v", p)
	}
	if e := stats.ExactShare(0, 0); e.CI95 != nil {
		t.Error("nothing has an interval")
	}
}

// Shares of scenarios are worth fewer cases: gates on them pass in about 2.5 % at their own threshold, and single cases as Wilson says.
func TestSharesByClusterAreWorthFewerCases(t *testing.T) {
	t.Parallel()
	values, alone := make([]float64, 40), make([]int, 40)
	for i := range values {
		if alone[i] = i; i >= 10 {
			values[i] = 1
		}
	}
	e, worth, df := stats.ShareByCluster(values, alone)
	if plain := stats.Share(30, 40); math.Abs(worth-40) > 1e-9 || df != 39 || e.Mean != 0.75 || math.Abs(e.CI95.Low-plain.CI95.Low) > 0.01 || e.CI95.Low > plain.CI95.Low {
		t.Errorf("%v %v %+v", worth, df, e.CI95)
	}
	const scenarios, each, truth = 40, 3, 0.95
	clusters := make([]int, scenarios*each)
	values = make([]float64, scenarios*each)
	passed := share(3000, source(), func(r *rand.Rand) bool {
		for s := range scenarios {
			all := r.Float64() < truth
			for k := range each {
				clusters[s*each+k], values[s*each+k] = s, 0
				if one := r.Float64() < 0.45; one && all || !one && r.Float64() < truth {
					values[s*each+k] = 1
				}
			}
		}
		e, _, _ := stats.ShareByCluster(values, clusters)
		return e.CI95.Low > truth
	})
	if t.Logf("%v pass at the threshold", passed); passed > 0.04 {
		t.Errorf("%v pass at the threshold", passed)
	}
	clear(values)
	if e, worth, _ = stats.ShareByCluster(values, clusters); worth != scenarios || e.N != len(values) || e.CI95.High != stats.ExactShare(0, scenarios).CI95.High {
		t.Errorf("all alike: %v %+v", worth, e)
	}
	if e, _, _ = stats.ShareByCluster([]float64{1, 0}, []int{3, 3}); e.CI95 != nil || len(e.Warnings) != 1 {
		t.Errorf("one scenario: %+v", e)
	}
}
