package results

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
)

// The form of confidences in a results file.

func (c *TaskConfidence) object() map[string]any {
	out := map[string]any{"answer": c.Answer.object()}
	if len(c.Fields) > 0 {
		fields := map[string]any{}
		for name, f := range c.Fields {
			fields[name] = f.object()
		}
		out["fields"] = fields
	}
	return out
}

func (f *ConfidenceFigures) object() map[string]any {
	bins := []map[string]any{}
	for _, b := range f.Bins {
		o := map[string]any{"low": number(b.Low), "high": number(b.High), "n": b.N, "confidence": nil, "accuracy": nil}
		if b.N > 0 {
			o["confidence"], o["accuracy"] = number(b.Confidence), number(b.Right)
		}
		bins = append(bins, o)
	}
	levels := []map[string]any{}
	for _, l := range f.Levels {
		o := map[string]any{"max_error": number(l.MaxError), "taken": l.Taken, "coverage": estimate(l.Coverage), "threshold": nil, "error": nil}
		if l.Taken > 0 {
			o["threshold"], o["error"] = number(l.Threshold), estimate(l.Error)
		}
		levels = append(levels, o)
	}
	curve := []map[string]any{}
	for _, p := range f.Curve {
		curve = append(curve, map[string]any{"threshold": number(p.Threshold), "coverage": number(p.Coverage), "error": number(p.Error)})
	}
	out := map[string]any{"n": f.N, "without": f.Without, "accuracy": number(f.Accuracy), "mean_confidence": number(f.Mean), "brier": number(f.Brier),
		"ece": number(f.ECE), "bins": bins, "levels": levels, "curve": curve, "risk_coverage_area": number(f.RiskArea), "least_area": number(f.LeastArea),
		"chance_area": number(f.Chance)}
	if len(f.Warnings) > 0 {
		out["warnings"] = f.Warnings
	}
	return out
}

type storedConfidence struct {
	Answer *storedFigures            `json:"answer"`
	Fields map[string]*storedFigures `json:"fields"`
}

type storedFigures struct {
	N        int    `json:"n"`
	Without  int    `json:"without"`
	Accuracy stored `json:"accuracy"`
	Mean     stored `json:"mean_confidence"`
	Brier    stored `json:"brier"`
	ECE      stored `json:"ece"`
	Area     stored `json:"risk_coverage_area"`
	Least    stored `json:"least_area"`
	Chance   stored `json:"chance_area"`
	Bins     []struct {
		Low        stored `json:"low"`
		High       stored `json:"high"`
		N          int    `json:"n"`
		Confidence stored `json:"confidence"`
		Right      stored `json:"accuracy"`
	} `json:"bins"`
	Levels []struct {
		MaxError  stored          `json:"max_error"`
		Taken     int             `json:"taken"`
		Coverage  storedEstimate  `json:"coverage"`
		Threshold stored          `json:"threshold"`
		Error     *storedEstimate `json:"error"`
	} `json:"levels"`
	Curve []struct {
		Threshold stored `json:"threshold"`
		Coverage  stored `json:"coverage"`
		Error     stored `json:"error"`
	} `json:"curve"`
	Warnings []string `json:"warnings"`
}

// check says how confidences contradict themselves.
func (c *storedConfidence) check() error {
	if c.Answer == nil {
		return errors.New("confidence.answer is missing")
	}
	if err := c.Answer.check("confidence.answer"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		if c.Fields[name] == nil {
			return fmt.Errorf("confidence.fields.%.40q is null", name)
		}
		if err := c.Fields[name].check("confidence.fields." + name); err != nil {
			return err
		}
	}
	return nil
}

func (f *storedFigures) check(place string) error {
	if f.N < 1 || f.Without < 0 || f.N > mostPlayings || f.Without > mostPlayings {
		return fmt.Errorf("%q has n %d and without %d, and must have 1 or more and 0 or more", place, f.N, f.Without)
	}
	shares := []struct {
		name string
		v    stored
	}{{".accuracy", f.Accuracy}, {".mean_confidence", f.Mean}, {".brier", f.Brier}, {".ece", f.ECE}, {".risk_coverage_area", f.Area}, {".least_area", f.Least}, {".chance_area", f.Chance}}
	add := func(name string, v stored) {
		shares = append(shares, struct {
			name string
			v    stored
		}{name, v})
	}
	for i := range f.Bins {
		b := &f.Bins[i]
		add(".bins.low", b.Low)
		add(".bins.high", b.High)
		add(".bins.confidence", b.Confidence)
		add(".bins.accuracy", b.Right)
		if b.N < 0 {
			return fmt.Errorf("%q is %d, and must be 0 or more", place+".bins.n", b.N)
		}
	}
	for i := range f.Levels {
		l := &f.Levels[i]
		add(".levels.max_error", l.MaxError)
		add(".levels.coverage", l.Coverage.Mean)
		add(".levels.threshold", l.Threshold)
		if l.Error != nil {
			add(".levels.error", l.Error.Mean)
		}
		if l.Taken < 0 || l.Taken > f.N {
			return fmt.Errorf("%q is %d, and must be from 0 to n, which is %d", place+".levels.taken", l.Taken, f.N)
		}
	}
	for i := range f.Curve {
		add(".curve.threshold", f.Curve[i].Threshold)
		add(".curve.coverage", f.Curve[i].Coverage)
		add(".curve.error", f.Curve[i].Error)
	}
	for _, s := range shares {
		if err := s.v.share(place + s.name); err != nil {
			return err
		}
	}
	return nil
}

// confidence gives what was checked.
func (c *storedConfidence) confidence() *TaskConfidence {
	out := &TaskConfidence{Answer: c.Answer.figures()}
	for name, f := range c.Fields {
		if out.Fields == nil {
			out.Fields = map[string]ConfidenceFigures{}
		}
		out.Fields[name] = f.figures()
	}
	return out
}

func (f *storedFigures) figures() ConfidenceFigures {
	out := ConfidenceFigures{N: f.N, Without: f.Without, Accuracy: f.Accuracy.value(), Mean: f.Mean.value(), Brier: f.Brier.value(), ECE: f.ECE.value(),
		RiskArea: f.Area.value(), LeastArea: f.Least.value(), Chance: f.Chance.value(), Warnings: f.Warnings}
	zero := func(s stored) float64 {
		if s.v == nil {
			return 0
		}
		return *s.v
	}
	for i := range f.Bins {
		b := &f.Bins[i]
		out.Bins = append(out.Bins, stats.Bin{Low: b.Low.value(), High: b.High.value(), N: b.N, Confidence: zero(b.Confidence), Right: zero(b.Right)})
	}
	for i := range f.Levels {
		l := &f.Levels[i]
		level := CoverageLevel{MaxError: l.MaxError.value(), Taken: l.Taken, Coverage: l.Coverage.estimate(f.N + f.Without), Threshold: zero(l.Threshold)}
		if l.Error != nil {
			level.Error = l.Error.estimate(l.Taken)
		}
		out.Levels = append(out.Levels, level)
	}
	for _, p := range f.Curve {
		out.Curve = append(out.Curve, CurvePoint{p.Threshold.value(), p.Coverage.value(), p.Error.value()})
	}
	return out
}
