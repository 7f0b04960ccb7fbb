package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func table(labels []string, counts [][]int) *Confusion {
	c := NewConfusion(labels)
	for i, row := range counts {
		for j, n := range row {
			for range n {
				c.Add(labels[i], labels[j])
			}
		}
	}
	return c
}

func round4(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func TestKappaIsThatOfThePublishedTables(t *testing.T) {
	t.Parallel()
	// Fleiss, Cohen and Everitt (1969), table 1, scaled to 200 cases: kappa 0.429 and standard error 0.054.
	fleiss := table([]string{"a", "b", "c"}, [][]int{{106, 10, 4}, {22, 28, 10}, {2, 12, 6}})
	// The two-by-two table of Cohen's kappa in most textbooks: 50 cases, kappa 0.4.
	two := table([]string{"yes", "no"}, [][]int{{20, 5}, {10, 15}})
	half := 1.959963985 * 0.0545
	got := []float64{round4(Kappa(fleiss, Unweighted).Mean), round4(Kappa(two, Unweighted).Mean), round4(Kappa(two, Linear).Mean), round4(Kappa(two, Quadratic).Mean)}
	if diff := cmp.Diff([]float64{0.4286, 0.4, 0.4, 0.4}, got); diff != "" {
		t.Error(diff)
	}
	e := Kappa(fleiss, Unweighted)
	if width := (e.CI95.High - e.CI95.Low) / 2; math.Abs(width-half) > 0.003 {
		t.Errorf("half the interval is %.4f, by the paper %.4f", width, half)
	}
}

func TestQuadraticKappaIsThatOfTheConfusion(t *testing.T) {
	t.Parallel()
	c := table([]string{"low", "mid", "high", "top"}, [][]int{{11, 3, 0, 1}, {2, 9, 4, 0}, {0, 3, 7, 2}, {1, 0, 2, 5}})
	if a, b := Kappa(c, Quadratic).Mean, c.WeightedKappa(4); math.Abs(a-b) > 1e-12 {
		t.Errorf("Kappa gives %v, WeightedKappa %v", a, b)
	}
	if a, b := Kappa(c, Linear), Kappa(c, Unweighted); a.Mean <= b.Mean {
		t.Errorf("near misses earn nothing: %v, %v", a.Mean, b.Mean)
	}
}

func TestThereIsNoKappaWhereNothingCouldDisagree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*Confusion{"no pairs": NewConfusion([]string{"a"}), "one label": table([]string{"a"}, [][]int{{7}})} {
		if e := Kappa(c, Unweighted); !math.IsNaN(e.Mean) || e.CI95 != nil || len(e.Warnings) != 1 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := Kappa(table([]string{"a", "b"}, [][]int{{5, 0}, {0, 5}}), Unweighted); e.Mean != 1 || e.CI95 != nil {
		t.Errorf("full agreement: %+v", e)
	}
}

func TestARaterOfOneLabelHasKappa0WithoutAnInterval(t *testing.T) {
	t.Parallel()
	c := table([]string{"a", "b", "c"}, [][]int{{5, 4, 1}, {0, 0, 0}, {0, 0, 0}})
	for _, w := range []Weights{Unweighted, Linear, Quadratic} {
		if e := Kappa(c, w); e.Mean != 0 || e.CI95 != nil || len(e.Warnings) != 1 {
			t.Errorf("%d: %+v", w, e)
		}
	}
}

func TestAlphaIsThatOfThePublishedExample(t *testing.T) {
	t.Parallel()
	// Krippendorff (2011, Computing Krippendorff's Alpha-Reliability), example C: four observers, twelve units, missing data:
	// nominal 0.743, ordinal 0.815.
	const no = -1
	observers := [][]int{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, no, no, no},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, no, 3},
		{no, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, no},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, no},
	}
	units := make([][]int, 12)
	for _, o := range observers {
		for u, v := range o {
			units[u] = append(units[u], max(no, v-1))
			if v == no {
				units[u][len(units[u])-1] = no
			}
		}
	}
	var got []float64
	for _, ordered := range []bool{false, true} {
		alpha, n, err := Alpha(units, 5, ordered)
		if err != nil || n != 11 {
			t.Fatal(n, err)
		}
		got = append(got, math.Round(alpha*1e3)/1e3)
	}
	if diff := cmp.Diff([]float64{0.743, 0.815}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAlphaSaysWhyThereIsNone(t *testing.T) {
	t.Parallel()
	for name, units := range map[string][][]int{"no pairs": {{0}, {-1, 1}}, "one label": {{0, 0}, {0, 0}}, "unknown label": {{0, 9}}, "below": {{-2}}} {
		if _, _, err := Alpha(units, 2, false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
