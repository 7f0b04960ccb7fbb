package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Edges says how [Calibrate] lays its bins.
type Edges int

const (
	// EqualWidth makes all bins equally wide (Guo, Pleiss, Sun and Weinberger 2017).
	EqualWidth Edges = iota
	// EqualMass lays the edges at quantiles of the confidences, so that each bin has about as many answers. Answers of one
	// confidence stay together, so where many have the same some bins are empty.
	EqualMass
)

// Bin is one of the bins of confidences, from Low, which is in the first bin only, to High.
type Bin struct {
	Low, High float64
	// N answers have such a confidence; Confidence and Right are their mean confidence and the share of right ones, 0 where N is 0.
	N                 int
	Confidence, Right float64
}

// Calibration says how far confidences are right.
type Calibration struct {
	N int
	// Brier is the mean squared distance of the confidence from what came true, 1 for a right answer and 0 for a wrong one
	// (Brier 1950): 0..1, 0 is best, and 0.25 is had by always saying 0.5.
	Brier float64
	// ECE is the expected calibration error: the mean over the answers of |Right − Confidence| of their bin, 0..1. It depends
	// on the bins, and in small samples it is above 0 even for an agent whose confidences are right.
	ECE      float64
	Bins     []Bin
	Warnings []string
}

// answer is one answer's confidence and whether it was right.
type answer struct {
	confidence float64
	right      bool
}

// answers sorts by confidence, the highest last, and within it wrong before right.
func answers(confidences []float64, right []bool) ([]answer, error) {
	if len(confidences) != len(right) {
		return nil, fmt.Errorf("%d confidences and %d answers: each answer needs one", len(confidences), len(right))
	}
	if len(confidences) == 0 {
		return nil, fmt.Errorf("no answers: there is nothing to calibrate")
	}
	out := make([]answer, len(right))
	for i, c := range confidences {
		if !(c >= 0 && c <= 1) {
			return nil, fmt.Errorf("confidence %d is %v: it must be within 0..1", i, c)
		}
		out[i] = answer{c, right[i]}
	}
	slices.SortFunc(out, func(a, b answer) int {
		return cmp.Or(cmp.Compare(a.confidence, b.confidence), one(a.right)-one(b.right))
	})
	return out, nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Calibrate compares confidences, 0..1, with whether the answers were right, in the given number of bins. The order of the
// answers does not matter. It is an error if there are none, if the lists differ in length, if a confidence is not within
// 0..1, or if there is not one bin at least.
func Calibrate(confidences []float64, right []bool, bins int, edges Edges) (Calibration, error) {
	list, err := answers(confidences, right)
	if err != nil {
		return Calibration{}, err
	}
	if bins < 1 {
		return Calibration{}, fmt.Errorf("%d bins: there must be 1 at least", bins)
	}
	c := Calibration{N: len(list), Bins: layBins(list, bins, edges)}
	at := 0
	for i := range c.Bins {
		b := &c.Bins[i]
		hits := 0
		for ; at < len(list) && (list[at].confidence <= b.High || i == bins-1); at++ {
			b.N++
			b.Confidence += list[at].confidence
			hits += one(list[at].right)
			d := list[at].confidence - float64(one(list[at].right))
			c.Brier += float64(d * d)
		}
		if b.N == 0 {
			continue
		}
		d := b.Confidence - float64(hits)
		c.ECE += max(d, -d)
		b.Confidence /= float64(b.N)
		b.Right = float64(hits) / float64(b.N)
	}
	c.Brier /= float64(c.N)
	c.ECE /= float64(c.N)
	if c.N < 10*bins {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d answers in %d bins: with so few the calibration error is a rough estimate, biased upwards", c.N, bins))
	}
	if list[0].confidence == list[len(list)-1].confidence {
		c.Warnings = append(c.Warnings, fmt.Sprintf("every confidence is %v: they tell no answer from another", list[0].confidence))
	}
	return c, nil
}

// layBins lays the edges. list is sorted.
func layBins(list []answer, bins int, edges Edges) []Bin {
	edge := func(i int) float64 { return float64(i) / float64(bins) }
	if edges == EqualMass {
		edge = func(i int) float64 {
			// The quantile as numpy.percentile has it, its place reckoned in whole numbers.
			k, rest := i*(len(list)-1)/bins, i*(len(list)-1)%bins
			return between(list[k].confidence, list[min(k+1, len(list)-1)].confidence, float64(rest)/float64(bins))
		}
	}
	out := make([]Bin, bins)
	for i := range out {
		out[i].Low, out[i].High = edge(i), edge(i+1)
	}
	return out
}

// Point is a place on the curve that [Cover] gives.
type Point struct {
	// Confidence is the least at which an answer is taken; Coverage the share of answers that are, Right the share of right
	// ones among these.
	Confidence, Coverage, Right float64
	N                           int // answers taken
}

// Coverage says what an agent gains by leaving the answers that it is less sure of to someone else.
type Coverage struct {
	// Points has one point a confidence that occurs, the highest first.
	Points []Point
	// Area is the area under the curve: the mean, over k from 1 to the number of answers, of the share of right ones among the k
	// surest (1 − the area under the risk-coverage curve of Geifman and El-Yaniv 2017). Answers of one confidence are
	// taken for evenly mixed. Best is what a perfect order of the same answers has, Chance what one without meaning does, which
	// is the share of right answers.
	Area, Best, Chance float64
}

// Cover gives the curve of accuracy at coverage. The order of the answers does not matter. Its errors are those of
// [Calibrate].
func Cover(confidences []float64, right []bool) (Coverage, error) {
	list, err := answers(confidences, right)
	if err != nil {
		return Coverage{}, err
	}
	var c Coverage
	n := len(list)
	taken, hits := 0, 0
	for end := n; end > 0; {
		start, more := end, 0
		for ; start > 0 && list[start-1].confidence == list[end-1].confidence; start-- {
			more += one(list[start-1].right)
		}
		size := end - start
		for i := 1; i <= size; i++ {
			c.Area += (float64(hits) + float64(more*i)/float64(size)) / float64(taken+i)
		}
		taken, hits = taken+size, hits+more
		c.Points = append(c.Points, Point{Confidence: list[start].confidence, Coverage: float64(taken) / float64(n),
			Right: float64(hits) / float64(taken), N: taken})
		end = start
	}
	for k := 1; k <= n; k++ {
		c.Best += float64(min(k, hits)) / float64(k)
	}
	c.Area /= float64(n)
	c.Best /= float64(n)
	c.Chance = float64(hits) / float64(n)
	return c, nil
}
