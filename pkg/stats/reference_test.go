package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/triagebench/triage/pkg/stats"
)

// reference reads a section of what other libraries gave for the same inputs; testdata/make.py says which and how.
func reference[T any](t *testing.T, section string) []T {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(data, &sections); err != nil {
		t.Fatal(err)
	}
	var out []T
	if err := json.Unmarshal(sections[section], &out); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("testdata/reference.json has no %s", section)
	}
	return out
}

// near holds a figure against another library's, to 1e-9 absolute and, where it is small, relative to its size too.
func near(t *testing.T, got, want float64, format string, args ...any) {
	t.Helper()
	if d := math.Abs(got - want); !(d <= 1e-9*max(1e-3, min(1, math.Abs(want)))) {
		t.Errorf("%s: %v, want %v (off by %.2g)", fmt.Sprintf(format, args...), got, want, d)
	}
}

var everywhere = [2]float64{math.Inf(-1), math.Inf(1)}

func TestQuantilesAndTailsOfStudentsTAreThoseOfScipy(t *testing.T) {
	t.Parallel()
	for _, x := range reference[struct {
		DF int
		T  float64
	}](t, "t_quantiles") {
		near(t, stats.StudentT975(x.DF), x.T, "quantile of %d", x.DF)
	}
	for df := 1; df <= 1200; df++ {
		near(t, stats.StudentT975(df), distuv.StudentsT{Sigma: 1, Nu: float64(df)}.Quantile(0.975), "gonum's quantile of %d", df)
	}
	for _, x := range reference[struct {
		DF   int
		T, P float64
	}](t, "t_tails") {
		near(t, stats.StudentTails(x.T, float64(x.DF)), x.P, "tails beyond %v of %d", x.T, x.DF)
	}
}

func TestMeansAndSharesAreThoseOfScipy(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Values          []float64
		Mean, Low, High float64
	}](t, "means") {
		e := stats.Mean(x.Values, everywhere[0], everywhere[1])
		near(t, e.Mean, x.Mean, "mean %d", i)
		near(t, e.CI95.Low, x.Low, "low end %d", i)
		near(t, e.CI95.High, x.High, "high end %d", i)
	}
	for _, x := range reference[struct {
		Yes, N    int
		Low, High float64
	}](t, "shares") {
		e := stats.Share(x.Yes, x.N)
		near(t, e.CI95.Low, x.Low, "low end of %d of %d", x.Yes, x.N)
		near(t, e.CI95.High, x.High, "high end of %d of %d", x.Yes, x.N)
	}
}

func TestClusteredMeansAndTestsAreThoseOfTheMatricesAndOfStatsmodels(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Values                    []float64
		Clusters                  []int
		Mean, Low, High, DF, T, P float64
	}](t, "clustered") {
		e, test := stats.PairedByCluster(x.Values, x.Clusters)
		near(t, e.Mean, x.Mean, "mean %d", i)
		near(t, e.CI95.Low, x.Low, "low end %d", i)
		near(t, e.CI95.High, x.High, "high end %d", i)
		near(t, test.Statistic, x.T, "t %d", i)
		near(t, test.P, x.P, "p %d", i)
		near(t, test.DF, x.DF, "degrees of freedom %d", i)
	}
}

func TestBootstrapIntervalsOfTheSameDrawsAreThoseOfScipy(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Values, Draws   []float64
		Percentile, BCa [2]float64
	}](t, "bootstraps") {
		low, high := stats.BCaOfDraws(x.Values, x.Draws)
		near(t, low, x.BCa[0], "BCa %d", i)
		near(t, high, x.BCa[1], "BCa %d", i)
		draws := slices.Sorted(slices.Values(x.Draws))
		near(t, stats.Quantile(draws, 0.025), x.Percentile[0], "percentile %d", i)
		near(t, stats.Quantile(draws, 0.975), x.Percentile[1], "percentile %d", i)
	}
}

func TestPairedTestsAreThoseOfScipy(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Diffs           []float64
		T, P, Low, High float64
	}](t, "paired") {
		e, test := stats.PairedT(x.Diffs)
		near(t, test.Statistic, x.T, "t %d", i)
		near(t, test.P, x.P, "p %d", i)
		near(t, e.CI95.Low, x.Low, "low end %d", i)
		near(t, e.CI95.High, x.High, "high end %d", i)
	}
	for i, x := range reference[struct {
		Diffs  []float64
		P, Sum float64
	}](t, "sign_flips") {
		test := stats.SignFlip(x.Diffs, 0, nil)
		near(t, test.P, x.P, "p of sign flips %d", i)
		near(t, test.Statistic, x.Sum, "sum %d", i)
	}
}

func TestFlipsAndHolmAreThoseOfStatsmodels(t *testing.T) {
	t.Parallel()
	for _, x := range reference[struct {
		Fixed, Broken      int
		Two, Worse, Better float64
		MidTwo             float64 `json:"mid_two"`
		MidWorse           float64 `json:"mid_worse"`
		MidBetter          float64 `json:"mid_better"`
	}](t, "mcnemars") {
		f := stats.McNemar(x.Fixed, x.Broken)
		got := []float64{f.TwoSided, f.Worse, f.Better, f.MidTwoSided, f.MidWorse, f.MidBetter}
		for i, want := range []float64{x.Two, x.Worse, x.Better, x.MidTwo, x.MidWorse, x.MidBetter} {
			near(t, got[i], want, "p %d of %d fixed and %d broken", i, x.Fixed, x.Broken)
		}
	}
	for _, x := range reference[struct{ P, Adjusted []float64 }](t, "holms") {
		for i, p := range stats.Holm(x.P) {
			near(t, p, x.Adjusted[i], "adjusted %d of %v", i, x.P)
		}
	}
}

func TestPowersAreThoseOfStatsmodelsAndScipy(t *testing.T) {
	t.Parallel()
	for _, x := range reference[struct {
		N           int
		Size, Above float64
		Two         *float64
	}](t, "powers") {
		two, ok := stats.PowerPairedT(x.N, 2, 2*x.Size, 0)
		gate, okGate := stats.PowerOfGate(x.N, 2, 2*x.Size+0.1, 0.1)
		if !ok || !okGate {
			t.Errorf("n %d, size %v: no figure", x.N, x.Size)
		}
		if x.Two != nil {
			near(t, two, *x.Two, "two-sided power of %d for %v", x.N, x.Size)
		}
		near(t, gate, x.Above, "power of the gate of %d for %v", x.N, x.Size)
	}
	type flips struct {
		N                            int
		Fixed, Broken, Margin, Power float64
	}
	for _, x := range reference[flips](t, "mcnemar_powers") {
		power, _ := stats.PowerOfMcNemar(x.N, x.Fixed, x.Broken)
		near(t, power, x.Power, "McNemar's power %+v", x)
	}
	for _, x := range reference[flips](t, "gates_of_flips") {
		power, _ := stats.PowerOfGateFlips(x.N, x.Fixed, x.Broken, x.Margin)
		near(t, power, x.Power, "power of the gate on flips %+v", x)
	}
}

func TestAgreementAndCalibrationAreThoseOfScikitLearn(t *testing.T) {
	t.Parallel()
	for i, x := range reference[struct {
		Labels              int
		Truth, Given        []int
		Accuracy, F1, Kappa float64
		Table               [][]int
	}](t, "agreement") {
		var names []string
		for l := range x.Labels {
			names = append(names, strconv.Itoa(l))
		}
		c := stats.NewConfusion(names)
		for j := range x.Truth {
			c.Add(names[x.Truth[j]], names[x.Given[j]])
		}
		near(t, c.Accuracy(), x.Accuracy, "accuracy %d", i)
		near(t, c.MacroF1(), x.F1, "F1 %d", i)
		near(t, c.WeightedKappa(x.Labels), x.Kappa, "kappa %d", i)
		for a := range names {
			row, column := 0, 0
			for b := range names {
				row += x.Table[a][b]
				column += x.Table[b][a]
				if got := c.Count(names[a], names[b]); got != x.Table[a][b] {
					t.Errorf("cell %d, %d of table %d: %d, want %d", a, b, i, got, x.Table[a][b])
				}
			}
			if truths, givens := c.Marginals(names[a]); truths != row || givens != column {
				t.Errorf("label %d of table %d: right %d times and given %d times, want %d and %d", a, i, truths, givens, row, column)
			}
		}
	}
	for i, x := range reference[struct {
		Confidences []float64
		Right       []bool
		Bins        int
		Mass        bool
		Brier, ECE  float64
		Counts      []int
		Area        *float64
	}](t, "calibrations") {
		edges := stats.EqualWidth
		if x.Mass {
			edges = stats.EqualMass
		}
		c, err := stats.Calibrate(x.Confidences, x.Right, x.Bins, edges)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.Brier, x.Brier, "Brier %d", i)
		near(t, c.ECE, x.ECE, "ECE %d", i)
		var counts []int
		for _, b := range c.Bins {
			counts = append(counts, b.N)
		}
		if !slices.Equal(counts, x.Counts) {
			t.Errorf("bins %d: %v, want %v", i, counts, x.Counts)
		}
		if curve, err := stats.Cover(x.Confidences, x.Right); err != nil {
			t.Error(err)
		} else if x.Area != nil {
			near(t, curve.Area, *x.Area, "area %d", i)
		}
	}
}

func TestDropsOfTwoSamplesAreThoseOfFishersTestInScipy(t *testing.T) {
	t.Parallel()
	for _, x := range reference[struct {
		N    int
		Drop *float64
	}](t, "unpaired_drops") {
		drop, ok := stats.DetectableUnpaired(x.N, 0.85)
		if ok != (x.Drop != nil) || ok && drop != *x.Drop {
			t.Errorf("%d values show a drop of %v, %v", x.N, drop, ok)
		}
	}
}
