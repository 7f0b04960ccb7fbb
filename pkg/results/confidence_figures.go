package results

import (
	"fmt"
	"maps"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
)

// TaskConfidence says what the confidences of an agent on a task are worth.
type TaskConfidence struct {
	// Answer is about whole answers: right is what [Success] says, and how sure is what [triage.Confidence.Least] says.
	Answer ConfidenceFigures
	// Fields are about the fields for which confidences of their own were given, by name on the wire; right is the full credit.
	Fields map[string]ConfidenceFigures
}

// ConfidenceFigures are the figures of answers with confidences.
type ConfidenceFigures struct {
	// N is the number of graded answers that have a confidence, Without of those that have none: they cannot be left to the agent.
	N, Without int
	// Accuracy and Mean are the share of right ones among N, and their mean confidence.
	Accuracy, Mean float64
	// Brier is the mean squared error of the confidences and ECE their expected calibration error in [ConfidenceBins] bins of equal
	// width, both 0..1, 0 the best: see [stats.Calibration].
	Brier, ECE float64
	Bins       []stats.Bin
	// RiskArea is the area under the risk-coverage curve, 0..1, 0 the best: the mean share of wrong answers among the k surest, over all k
	// (Geifman and El-Yaniv 2017). LeastArea is what a perfect order of the same answers has, Chance what one without meaning does.
	RiskArea, LeastArea, Chance float64
	Levels                      []CoverageLevel
	Curve                       []CurvePoint
	Warnings                    []string
}

// ConfidenceBins is the number of bins of calibration.
const ConfidenceBins = 10

// ErrorLevels are the shares of wrong answers for which the coverage is looked for.
func ErrorLevels() []float64 { return []float64{0.01, 0.02, 0.05, 0.10} }

// What a share of wrong answers must rest on before a threshold is named: LeastTaken answers, and an upper bound of the interval of Clopper
// and Pearson of at most MostDoubt times the share that is allowed. One right answer of one would otherwise be a coverage at no error.
const (
	LeastTaken = 30
	MostDoubt  = 2
)

// CoverageLevel says how much can be left to an agent if at most a share of it may be wrong.
type CoverageLevel struct {
	MaxError float64
	// Taken is how many answers have at least Threshold; where it is 0 no threshold will do (see [CoverageLevel.Settled]), and the rest says
	// nothing.
	Taken     int
	Threshold float64
	// Coverage is the share of all graded answers that are taken, with Wilson's interval; Error the share of wrong ones among them, with
	// the interval of Clopper and Pearson.
	Coverage, Error stats.Estimate
}

// Settled tells whether enough answers were taken for the level to be told: at least [LeastTaken], of which so few are wrong that the
// upper bound of their share is at most [MostDoubt] times MaxError. Levels of older files may hold fewer.
func (l *CoverageLevel) Settled() bool {
	return l.Taken >= LeastTaken && l.Error.CI95 != nil && l.Error.CI95.High <= float64(MostDoubt*l.MaxError)+1e-9
}

// CurvePoint is a place on the curve of errors at coverage.
type CurvePoint struct{ Threshold, Coverage, Error float64 }

// mostCurve is how many points of a curve are kept.
const mostCurve = 100

func confidenceFigures(s *sureAnswers) ConfidenceFigures {
	confidences, right := s.values()
	f := ConfidenceFigures{N: len(right), Without: s.graded - len(right)}
	calibration, err := stats.Calibrate(confidences, right, ConfidenceBins, stats.EqualWidth)
	cover, err2 := stats.Cover(confidences, right)
	if err != nil || err2 != nil { // not reached: what is not within 0..1 was refused
		f.Warnings = append(f.Warnings, fmt.Sprint(err, err2))
		return f
	}
	f.Brier, f.ECE, f.Bins, f.Warnings = calibration.Brier, calibration.ECE, calibration.Bins, calibration.Warnings
	for _, v := range confidences {
		f.Mean += v
	}
	f.Mean /= float64(f.N)
	f.Accuracy, f.RiskArea, f.LeastArea, f.Chance = cover.Chance, 1-cover.Area, 1-cover.Best, 1-cover.Chance
	for _, level := range ErrorLevels() {
		f.Levels = append(f.Levels, levelOf(cover.Points, level, s.graded))
	}
	f.Curve = thin(cover.Points, s.graded)
	return f
}

// wrongOf is how many of the answers that are taken at a point are wrong.
func wrongOf(p *stats.Point) int { return p.N - int(float64(p.Right*float64(p.N))+0.5) }

// levelOf finds the widest coverage at which at most a share is wrong, and that is settled.
func levelOf(points []stats.Point, most float64, graded int) CoverageLevel {
	none := CoverageLevel{MaxError: most, Coverage: stats.Share(0, graded)}
	doubtful := map[int]bool{} // numbers of wrong answers that were too many of more answers: they are of fewer
	for i := range slices.Backward(points) {
		p := &points[i]
		wrong := wrongOf(p)
		if p.N < LeastTaken {
			break
		}
		if doubtful[wrong] || float64(wrong) > float64(most*float64(p.N))+1e-9 { // 5 of 100 are 5 %, however that is rounded
			continue
		}
		out := CoverageLevel{MaxError: most, Taken: p.N, Threshold: p.Confidence, Coverage: stats.Share(p.N, graded), Error: stats.ExactShare(wrong, p.N)}
		if out.Settled() {
			return out
		}
		doubtful[wrong] = true
	}
	return none
}

// thin keeps at most mostCurve points of a curve, evenly over coverage, the last one always.
func thin(points []stats.Point, graded int) []CurvePoint {
	out := make([]CurvePoint, 0, min(len(points), mostCurve+1))
	next := 0
	for i := range points {
		p := &points[i]
		if i < len(points)-1 && p.N*mostCurve < next*graded {
			continue
		}
		next = p.N*mostCurve/graded + 1
		out = append(out, CurvePoint{Threshold: p.Confidence, Coverage: float64(p.N) / float64(graded), Error: float64(wrongOf(p)) / float64(p.N)})
	}
	return out
}

// names are the fields, sorted.
func (c *TaskConfidence) names() []string { return slices.Sorted(maps.Keys(c.Fields)) }

// NamedFigures are the figures of a field, or of whole answers under the name [WholeAnswer].
type NamedFigures struct {
	Name string
	ConfidenceFigures
}

// WholeAnswer stands where a field's name would, for the answer as a whole.
const WholeAnswer = "whole answer"

// List gives the figures in the order of tables: whole answers, then fields by name. Where there is one field only, it is the answer.
func (c *TaskConfidence) List() []NamedFigures {
	var out []NamedFigures
	if len(c.Fields) != 1 || c.Fields[c.names()[0]].N != c.Answer.N || c.Fields[c.names()[0]].Accuracy != c.Answer.Accuracy {
		out = append(out, NamedFigures{WholeAnswer, c.Answer})
	}
	for _, name := range c.names() {
		out = append(out, NamedFigures{name, c.Fields[name]})
	}
	return out
}
