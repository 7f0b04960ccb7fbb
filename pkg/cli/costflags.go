package cli

import (
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/costs"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// costOptions are what wrong answers cost.
type costOptions struct {
	Matrix, Handover string
	handover         *float64
	draft            *costs.Draft
}

// bind adds the flags.
func (c *costOptions) bind(f *pflag.FlagSet) {
	f.StringVar(&c.Matrix, "cost-matrix", "", "YAML `file` with what wrong answers cost: prints the expected cost a ticket (docs/confidence.md)")
	f.StringVar(&c.Handover, "handover-cost", "", "what a ticket costs that a person answers: prints the `cost` and the confidence at which handing over is cheapest")
}

// mostHandover is the highest cost of a ticket that is handed over.
const mostHandover = 1e12

// open checks the flags and reads the file, before anything is played.
func (c *costOptions) open(app *App) error {
	if c.Handover != "" {
		v, err := strconv.ParseFloat(c.Handover, 64)
		if err != nil || !(v >= 0 && v <= mostHandover) {
			return usageError("--handover-cost %s is not allowed; allowed is a number from 0 to 1000000000000", c.Handover)
		}
		if c.Matrix == "" {
			return usageError("--handover-cost goes with --cost-matrix FILE, which says what the other answers cost")
		}
		c.handover = &v
	}
	if c.Matrix == "" || c.draft != nil {
		return nil
	}
	f, err := app.OpenFile(c.Matrix)
	if err != nil {
		return fileProblem("open", c.Matrix, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	c.draft, err = costs.Read(f, c.Matrix)
	return err
}

// tally is an empty tally for the fields that are played; nil without a matrix.
func (c *costOptions) tally(fields []costs.Field) (*costs.Tally, error) {
	if c.draft == nil {
		return nil, nil
	}
	m, err := c.draft.Fit(fields)
	if err != nil {
		return nil, err
	}
	return costs.NewTally(m), nil
}

// columnFields are label columns as fields that may have costs.
func columnFields(columns []results.Column) []costs.Field {
	out := make([]costs.Field, len(columns))
	for i, c := range columns {
		out[i] = costs.Field{Name: c.Name, Values: append([]string{}, c.Values...), Ordered: c.Ordered}
	}
	return out
}

// price makes the tally of a run.
func (o *playOptions) price(m *imported) (err error) {
	fields := costs.BankFields()
	if m != nil {
		fields = columnFields(m.columns)
	}
	o.cast.costs, err = o.costs.tally(fields)
	o.cast.handover = o.costs.handover
	return err
}

// price makes the tally of a run that is reported, at its first episode.
func (s *runSummary) price(ep *results.Logged) error {
	c := s.result.options.cast
	if c.costs != nil || s.run.options.costs.draft == nil {
		return nil
	}
	c.handover = s.run.options.costs.handover
	fields := costs.BankFields()
	if _, err := triage.TaskByName(ep.Key.Task); err != nil {
		columns := &importedColumns{}
		if err := columns.begin(s.run, ep); err != nil || len(columns.columns) == 0 {
			return err // an episode that broke at once has none: the next one has
		}
		fields = columnFields(columns.columns)
		for i := range fields { // who asks for steps of a log's column knows that its values ascend
			fields[i].Ordered = fields[i].Ordered || s.run.folder == nil
		}
	}
	var err error
	c.costs, err = s.run.options.costs.tally(fields)
	return err
}
