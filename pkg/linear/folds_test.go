package linear

import (
	"fmt"
	"slices"
	"testing"
)

func TestFoldsHaveEachLabelEvenlyAndGroupsWhole(t *testing.T) {
	t.Parallel()
	const n, classes, folded = 300, 4, 5
	examples, of := make([]Example, n), make([]int, n)
	for i := range examples {
		of[i] = min(i%7, classes) - 1
		if i%3 == 0 {
			examples[i].Group = fmt.Sprint(i / 9)
		}
	}
	got := folds(examples, of, classes, folded, 1)
	count := make([][]int, classes)
	for c := range count {
		count[c] = make([]int, folded)
	}
	at := map[string]int{}
	for i, f := range got {
		if (f < 0) != (of[i] == NoLabel) {
			t.Fatalf("example %d with label %d is in fold %d", i, of[i], f)
		}
		if f < 0 {
			continue
		}
		count[of[i]][f]++
		if g := examples[i].Group; g != "" {
			if old, ok := at[g]; ok && old != f {
				t.Errorf("group %s is in folds %d and %d", g, old, f)
			}
			at[g] = f
		}
	}
	for c, per := range count {
		if slices.Max(per)-slices.Min(per) > 1 {
			t.Errorf("label %d: %v a fold", c, per)
		}
	}
	if !slices.Equal(got, folds(examples, of, classes, folded, 1)) || slices.Equal(got, folds(examples, of, classes, folded, 2)) {
		t.Error("folds do not follow the seed")
	}
}

func TestTheTemperatureIsThatOfTheLabels(t *testing.T) {
	t.Parallel()
	// Three of four are right at a score 1 above the other: T is 1 / ln 3.
	var scores [][]float64
	var of []int
	for i := range 400 {
		label := 0
		if i%4 == 0 {
			label = 1
		}
		scores, of = append(scores, []float64{1, 0}), append(of, label)
	}
	want := 1 / ln(3)
	if got := temperature(scores, of, []int{1, 1}); got < want*0.99 || got > want*1.01 {
		t.Errorf("temperature %v, want %v", got, want)
	}
	if got := temperature(nil, nil, []int{1, 1}); got != rough {
		t.Errorf("without examples: %v", got)
	}
}
