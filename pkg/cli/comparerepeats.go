package cli

import (
	"os"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

// repeats checks the gates on repeats of one agent: none may call one of them a regression.
func (o *compareOptions) repeats(root *os.Root, sides []*compare.Side) error {
	// Trials are a sample, also of an agent that draws the same in every run.
	r, err := compare.AA(sides, o.gates, o.options(false), compare.JudgeOptions{AsSample: o.AsSample || len(sides) == 1})
	if err != nil {
		return err
	}
	if err := o.write(root, &comparing{whole: report.FromRepeats(r)}); err != nil {
		return err
	}
	var bad []string
	for _, g := range r.Gates {
		if g.Regressions > 0 || g.Self > 0 {
			bad = append(bad, g.Gate.String())
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &triage.Error{Code: triage.CodeCheck, Message: "gates that call a repeat a regression: " + joinSome(bad)}
}
