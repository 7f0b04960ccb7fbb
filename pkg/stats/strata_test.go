package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/stats"
)

func TestTwoSamplesAreComparedAsByWelchInScipy(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Base, New                   []float64
		BaseClusters                []int `json:"base_clusters"`
		NewClusters                 []int `json:"new_clusters"`
		DF                          float64
		T, P, Difference, Low, High float64
	}](t, "unpaired") {
		e, test := stats.Unpaired(x.Base, x.New, x.BaseClusters, x.NewClusters)
		near(t, e.Mean, x.Difference, "difference %d", i)
		near(t, e.CI95.Low, x.Low, "low end %d", i)
		near(t, e.CI95.High, x.High, "high end %d", i)
		near(t, test.Statistic, x.T, "t %d", i)
		near(t, test.P, x.P, "p %d", i)
		near(t, test.DF, x.DF, "degrees of freedom %d", i)
		if e.N != len(x.Base)+len(x.New) {
			t.Errorf("sample %d: %d values, want %d", i, e.N, len(x.Base)+len(x.New))
		}
	}
}

func TestMeansOverStrataAreThoseOfTheMatrices(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Values          [][]float64
		Clusters        [][]int
		Weights         []float64
		Mean, Low, High float64
		DF              float64
		T, P            float64
	}](t, "strata") {
		var strata []stats.Stratum
		for j := range x.Values {
			strata = append(strata, stats.Stratum{Weight: x.Weights[j], Values: x.Values[j], Clusters: x.Clusters[j]})
		}
		e, test := stats.Stratified(strata, everywhere[0], everywhere[1])
		near(t, e.Mean, x.Mean, "mean %d", i)
		near(t, e.CI95.Low, x.Low, "low end %d", i)
		near(t, e.CI95.High, x.High, "high end %d", i)
		near(t, test.Statistic, x.T, "t %d", i)
		near(t, test.P, x.P, "p %d", i)
		near(t, test.DF, x.DF, "degrees of freedom %d", i)
	}
}

// Two strata of 0, 1 and of 0, 0, 3 with weights 1 and 3: the mean is 0.5/4 + 3·1/4 = 0.875, the variances of the means are
// 0.25 and 1, so that the whole has 0.25/16 + 9/16 = 0.578125, and (0.578125)²/(0.015625²/1 + 0.5625²/2) = 2.11 degrees of freedom.
func TestAMeanOverTwoStrataIsThatOfTheHandComputedExample(t *testing.T) {
	t.Parallel()
	e, test := stats.Stratified([]stats.Stratum{{Weight: 1, Values: []float64{1, 0}}, {Weight: 3, Values: []float64{0, 3, 0}}}, everywhere[0], everywhere[1])
	df := 0.578125 * 0.578125 / (0.015625*0.015625 + 0.5625*0.5625/2)
	quantile, _ := stats.CriticalT(df, 0.05)
	half := quantile * math.Sqrt(0.578125)
	want := stats.Estimate{N: 5, Mean: 0.875, CI95: &stats.Interval{Low: 0.875 - half, High: 0.875 + half},
		Warnings: []string{"2.11 degrees of freedom: the interval is rough"}}
	if diff := cmp.Diff(want, e, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	near(t, test.Statistic, 0.875/math.Sqrt(0.578125), "t")
	near(t, test.DF, df, "degrees of freedom")
}

// A scenario that falls in both strata moves both means: with all clusters in common the variance is that of the sum.
func TestStrataThatShareTheirClustersVaryTogether(t *testing.T) {
	t.Parallel()
	values, clusters := []float64{0.1, -0.2, 0.4, 0, 0.3}, []int{1, 2, 3, 4, 5}
	alone, _ := stats.Stratified([]stats.Stratum{{Weight: 1, Values: values, Clusters: clusters}}, -1, 1)
	twice, _ := stats.Stratified([]stats.Stratum{{Weight: 1, Values: values, Clusters: clusters}, {Weight: 1, Values: values, Clusters: clusters}}, -1, 1)
	apart, _ := stats.Stratified([]stats.Stratum{{Weight: 1, Values: values}, {Weight: 1, Values: values}}, -1, 1)
	width := func(e stats.Estimate) float64 { return e.CI95.High - e.CI95.Low }
	// Satterthwaite takes the parts for independent, which would be 8 degrees of freedom: no more than 5 clusters have.
	near(t, width(twice), width(alone), "width of the same twice")
	near(t, width(apart)/stats.StudentT975(8)*math.Sqrt2, width(alone)/stats.StudentT975(4), "width of two apart")
}

func TestWhereThereIsNoFigureOfStrataOrSamplesThereIsAReason(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	strata := func(list ...stats.Stratum) func() (stats.Estimate, stats.Test) {
		return func() (stats.Estimate, stats.Test) { return stats.Stratified(list, -1, 1) }
	}
	samples := func(base, new []float64, clusters ...[]int) func() (stats.Estimate, stats.Test) {
		return func() (stats.Estimate, stats.Test) {
			clusters = append(clusters, nil, nil)
			return stats.Unpaired(base, new, clusters[0], clusters[1])
		}
	}
	none := func(n int, reason string) stats.Estimate {
		return stats.Estimate{N: n, Mean: nan, Warnings: []string{reason}}
	}
	const empty, number = "no values: there is no mean", "a value is no number, or their sum is too large for one: there is no mean"
	const one = "one value or cluster on one side: there is no interval"
	zero := &stats.Interval{}
	for _, c := range []struct {
		name   string
		of     func() (stats.Estimate, stats.Test)
		want   stats.Estimate
		reason string
	}{
		{"no strata", strata(), none(0, empty), empty},
		{"an empty stratum", strata(stats.Stratum{Weight: 1}), none(0, empty), empty},
		{"an empty sample against another", strata(stats.Stratum{Weight: 1, Values: []float64{1}, Against: []float64{}}), none(1, empty), empty},
		{"a weight of 0", strata(stats.Stratum{Values: []float64{1, 2}}), none(2, "a weight is not above 0: there is no mean"), "a weight is not above 0: there is no mean"},
		{"a weight that is no number", strata(stats.Stratum{Weight: nan, Values: []float64{1}}), none(1, "a weight is not above 0: there is no mean"), "a weight is not above 0: there is no mean"},
		{"a value that is no number", strata(stats.Stratum{Weight: 1, Values: []float64{nan, 1}}), none(2, number), number},
		{"a stratum of one value", strata(stats.Stratum{Weight: 1, Values: []float64{0.5}}, stats.Stratum{Weight: 1, Values: []float64{0, 1}}),
			stats.Estimate{N: 3, Mean: 0.5, Warnings: []string{"a part has one value or cluster: there is no interval"}}, "a part has one value or cluster: its variation is not known"},
		{"nothing varies", strata(stats.Stratum{Weight: 1, Values: []float64{0, 0}}, stats.Stratum{Weight: 1, Values: []float64{0, 0, 0}}),
			stats.Estimate{N: 5, CI95: zero, Warnings: []string{"5 values do not vary: the interval has no width"}}, "no pair differs"},
		{"all the same", strata(stats.Stratum{Weight: 2, Values: []float64{0.5, 0.5}}),
			stats.Estimate{N: 2, Mean: 0.5, CI95: &stats.Interval{Low: 0.5, High: 0.5}, Warnings: []string{"2 values do not vary: the interval has no width"}},
			"the differences are all the same: nothing says how they vary"},
		{"no base", samples(nil, []float64{1}), none(1, empty), empty},
		{"no new", samples([]float64{1}, nil), none(1, empty), empty},
		{"a cluster too few", samples([]float64{1, 2}, []float64{1, 2}, []int{1}), none(4, "2 values and 1 clusters: each value needs one: there is no mean"), "2 values and 1 clusters: each value needs one: there is no mean"},
		{"one value on a side", samples([]float64{1, 0}, []float64{0.75}), stats.Estimate{N: 3, Mean: 0.25, Warnings: []string{one}},
			"one value or cluster on one side: its variation is not known"},
		{"one cluster on a side", samples([]float64{1, 0}, []float64{1, 0}, []int{7, 7}), stats.Estimate{N: 4, Warnings: []string{one}},
			"one value or cluster on one side: its variation is not known"},
		{"two samples that do not vary", samples([]float64{1, 1}, []float64{1, 1, 1}), stats.Estimate{N: 5, CI95: zero, Warnings: []string{"5 values do not vary: the interval has no width"}}, "no pair differs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, test := c.of()
			if diff := cmp.Diff(c.want, e, cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
			if test.Reason != c.reason || test.P != 1 {
				t.Errorf("p %v with the reason %q, want 1 with %q", test.P, test.Reason, c.reason)
			}
		})
	}
}

// Neither the order of the values nor the numbers of the clusters decide a bit.
func TestStrataDoNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		values, clusters := make([]float64, n), make([]int, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(-1000, 1000).Draw(t, "value")) / 1000
			clusters[i] = rapid.IntRange(0, n).Draw(t, "cluster")
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		order, names := r.Perm(n), r.Perm(n+1)
		mixed, renamed := make([]float64, n), make([]int, n)
		for to, from := range order {
			mixed[to], renamed[to] = values[from], names[clusters[from]]
		}
		of := func(v []float64, c []int) (stats.Estimate, stats.Test) {
			return stats.Stratified([]stats.Stratum{{Weight: 1, Values: v, Clusters: c}, {Weight: 2, Values: v, Clusters: c}}, -1, 1)
		}
		a, ta := of(values, clusters)
		b, tb := of(mixed, renamed)
		if diff := cmp.Diff([]any{a, ta}, []any{b, tb}); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Of 95 % intervals for a difference of two samples of unlike size and spread, at least 93 % hold the true one.
func TestIntervalsOfTwoSamplesHoldTheDifference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	held := 0
	const runs = 2000
	for range runs {
		base, new := make([]float64, 12), make([]float64, 40)
		for i := range base {
			base[i] = float64(r.NormFloat64() * 0.3)
		}
		for i := range new {
			new[i] = 0.1 + float64(r.NormFloat64()*0.1)
		}
		if e, _ := stats.Unpaired(base, new, nil, nil); e.CI95.Low <= 0.1 && 0.1 <= e.CI95.High {
			held++
		}
	}
	if t.Logf("%d of %d intervals hold the difference", held, runs); held < runs*93/100 || held > runs*97/100 {
		t.Errorf("%d of %d intervals hold the difference", held, runs)
	}
}
