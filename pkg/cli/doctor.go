package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/store"
	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

type doctorOptions struct {
	app           *App
	model         modelOptions
	Write, Format string
	Progress      string
}

func newDoctorCmd(app *App, run func(context.Context, *doctorOptions) error) *cobra.Command {
	o := &doctorOptions{app: app}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Ask a model's endpoint what it takes, obeys and tells, before a run", Args: noArgs,
		Long: `Makes a few small calls to each model, ` + fmt.Sprint(llm.MostDoctorCalls) + ` at most, and says whether address, key and model are right, which response
formats are obeyed, whether temperature, seed, the limit of tokens, the system role and stop are taken, whether tokens are told, whether the
same question gets the same reply, and how long replies take; with what to do about each problem. Where address, key or model is wrong it stops
after two calls. Give it the flags of the run that is to come. docs/doctor.md explains each check.

--write FILE keeps what the endpoints refuse, for run --learned FILE. Exits with 4 if a model cannot be used so.`,
		Example: `  triage doctor --model llamacpp:my-model
  triage doctor --model openai:gpt-5-mini --model groq:llama-3.3-70b-versatile --format json
  triage doctor --model my-model --base-url http://127.0.0.1:8000/v1 --write learned.json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.model.bindEndpoint(f)
	f.Lookup("model").Usage = "model to ask: a `NAME`, or PROVIDER:NAME (" + providerNames() + "); repeat it for several"
	f.StringVar(&o.Write, "write", "", "`file` that gets what the endpoints refuse; what it has of other endpoints is kept")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to tell how far it is")
	return cmd
}

func (o *doctorOptions) check(cmd *cobra.Command) error {
	if len(o.model.Models) == 0 {
		return usageError("doctor needs a model: --model NAME or --model PROVIDER:NAME")
	}
	return o.model.check(cmd.Flags())
}

func runDoctor(ctx context.Context, o *doctorOptions) error {
	learned, err := o.written()
	if err != nil {
		return err
	}
	transport, err := o.model.transport(o.app)
	if err != nil {
		return err
	}
	var all []llm.Options
	for _, spec := range o.model.Models { // what is wrong with a flag is said before anything is called
		e, err := o.model.endpoint(o.app, spec)
		if err != nil {
			return err
		}
		options, err := o.model.clientOptions(o.app, e, transport)
		if err != nil {
			return err
		}
		all = append(all, options)
	}
	found, err := o.diagnose(ctx, all)
	if err != nil {
		return err
	}
	for _, d := range found {
		if d.Usable() {
			learned[store.Endpoint(placeOf(d.Endpoint), d.Endpoint.Model)] = d.Learned
		}
	}
	if err := report.Formats()[o.Format](o.app.Out, o.report(found)); err != nil {
		return err
	}
	if err := o.write(learned); err != nil {
		return err
	}
	return o.verdict(found)
}

// diagnose asks one model after the other.
func (o *doctorOptions) diagnose(ctx context.Context, all []llm.Options) ([]*llm.Diagnosis, error) {
	var found []*llm.Diagnosis
	for i, options := range all {
		bar := newProgress(o.app, o.Progress, "calls to "+o.model.Models[i], llm.MostDoctorCalls)
		var calls atomic.Int64
		options.Log = func(llm.Record) { bar.step(int(calls.Add(1))) }
		stop := bar.beat(func() string { return "a reply of " + placeOf(options.Endpoint) + " is waited for" })
		d, err := llm.Diagnose(ctx, options)
		stop()
		bar.finish()
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}

// report has a table for each model for people, and one table of all findings for machines.
func (o *doctorOptions) report(found []*llm.Diagnosis) *report.Report {
	const width = 52
	machines := o.Format == "json" || o.Format == "csv"
	columns := []report.Column{{Title: "Check", Key: "check", Text: true}, {Title: "Verdict", Key: "verdict", Text: true},
		{Title: "Found", Key: "found", Text: true, Width: width}, {Title: "What to do", Key: "advice", Text: true, Width: width}}
	if machines {
		columns = append([]report.Column{{Title: "Model", Key: "model", Text: true}}, columns...)
	}
	r := &report.Report{Values: map[string]report.Cell{}}
	all := report.Table{Name: "findings", Columns: columns}
	models := []any{}
	for i, d := range found {
		t := report.Table{Name: "findings", Columns: columns, Title: fmt.Sprintf("%s: %s at %s, %s", o.model.Models[i], d.Endpoint.Model, placeOf(d.Endpoint), callsMade(d.Calls)), Notes: d.Learned.Notes}
		left := 0
		for _, f := range d.Findings {
			row := []report.Cell{f.Check, string(f.Verdict), f.Found, f.Advice}
			if f.Verdict == llm.VerdictUnknown && !d.Usable() && strings.HasPrefix(f.Found, "not asked") {
				left++
			} else {
				t.Rows = append(t.Rows, row)
			}
			all.Rows = append(all.Rows, append([]report.Cell{o.model.Models[i]}, row...))
		}
		if left > 0 {
			t.Notes = append(slices.Clone(t.Notes), fmt.Sprintf("%d other checks were not made.", left))
		}
		r.Tables = append(r.Tables, t)
		models = append(models, map[string]any{"model": o.model.Models[i], "endpoint": d.Endpoint, "usable": d.Usable(), "calls": d.Calls, "learned": d.Learned})
	}
	if machines {
		r.Tables = []report.Table{all}
	}
	r.Values["models"] = models
	return r
}

func callsMade(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// verdict is an error where a model cannot be used.
func (o *doctorOptions) verdict(found []*llm.Diagnosis) error {
	var bad []string
	for i, d := range found {
		for _, f := range d.Findings {
			if f.Verdict == llm.VerdictFail {
				bad = append(bad, fmt.Sprintf("%s: %s: %s; %s", o.model.Models[i], f.Check, f.Found, f.Advice))
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &triage.Error{Code: triage.CodeUnusable, Message: strings.Join(bad, "\n")}
}

// written reads the file of --write, where there is one already.
func (o *doctorOptions) written() (map[string]wire.Learned, error) {
	if o.Write == "" || !isThere(o.app, o.Write) {
		return map[string]wire.Learned{}, nil
	}
	data, err := o.app.ReadFile(o.Write)
	if err != nil {
		return nil, fileProblem("read", o.Write, err)
	}
	learned, err := parseLearned(data, o.Write)
	if err == nil && learned == nil {
		learned = map[string]wire.Learned{}
	}
	return learned, err
}

func (o *doctorOptions) write(learned map[string]wire.Learned) error {
	if o.Write == "" || len(learned) == 0 {
		return nil
	}
	dir, name := filepath.Split(o.Write)
	if dir == "" {
		dir = "."
	}
	root, err := o.app.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // the file is closed
	if err := writeLearned(root, name, learned); err != nil {
		return fileProblem("write", o.Write, err)
	}
	return nil
}
