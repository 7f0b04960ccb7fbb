package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// trainOptions are the flags of train.
type trainOptions struct {
	app *App
	// File is the tickets' file; empty for the bank.
	File             string
	Output           string
	Map, LabelsFile  string
	Strict, Eval     bool
	Folds, Limit     int
	Number           int
	Seed             int64
	Balanced         bool
	Workers          int
	Bank             string
	Format, Progress string
}

// The bounds of the flags of train.
const (
	mostFolds      = 100
	mostBankNumber = 100_000
	defaultLimit   = 100_000
)

func newTrainCmd(app *App, run func(context.Context, *trainOptions) error) *cobra.Command {
	o := &trainOptions{app: app}
	cmd := &cobra.Command{
		Use: "train [FILE]", Short: "Train the linear agent on your own tickets, or on the bank",
		Long: `Trains a text classifier on the solved tickets of a file (what triage import writes, CSV or JSONL), one model for each label
column, and writes them to one file. triage run --tickets FILE --agent linear:MODEL plays it. Where the file has sides, only the
train side is learned. --eval says by cross-validation how well it would do. Training needs no network; nothing is sent anywhere.
A model holds hashes of words and their weights, not the texts; who has it can still ask it whether a word was in them.

Without FILE it trains on the bank, split train, as the model was trained that agent linear has built in.`,
		Example: `  triage train tickets.jsonl -o model.bin
  triage train tickets.csv --map body=text,route=category --eval
  triage train -o bank.bin`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%sone FILE of tickets, got %d arguments: %s", place(cmd), len(args), join(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.File = args[0]
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Output, "output", "o", "", "`file` for the model")
	f.StringVar(&o.Map, "map", "", "which column is what, such as body=text,route=category; names other than id, subject and body are labels")
	f.StringVar(&o.LabelsFile, "labels-file", "", "YAML or JSON `file` with the allowed values of label columns and their order")
	f.BoolVar(&o.Strict, "strict", false, "stop at the first bad row of the tickets' file")
	f.BoolVar(&o.Eval, "eval", false, "cross-validate: train on some tickets and answer the others, in turn")
	intFlag(f, &o.Folds, "folds", 5, "parts into which --eval deals the tickets")
	intFlag(f, &o.Limit, "limit", defaultLimit, "learn from at most that many tickets, evenly taken from the file")
	intFlag(f, &o.Seed, "seed", 42, "seed of the order of tickets in training, and of the parts of --eval")
	f.BoolVar(&o.Balanced, "balanced", false, "let rare values weigh more: more of them are found, at the price of accuracy")
	intFlag(f, &o.Workers, "workers", 0, "values trained at once; the model does not depend on it (default: the number of processors)")
	f.StringVar(&o.Bank, "bank", "", "`folder` of YAML scenarios to train on in place of the public bank")
	o.Number = agent.LinearBankTickets
	f.VarP(&number[int]{&o.Number}, "number", "n", "tickets of each task of the bank")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to tell how far the training is")
	return cmd
}

// check refuses numbers that mean nothing, and flags that do not go together.
func (o *trainOptions) check(cmd *cobra.Command) error {
	switch {
	case o.Seed < 0:
		return usageError("--seed %d is not allowed; allowed is 0 to %d", o.Seed, triage.MaxSeed)
	case o.Folds < 2 || o.Folds > mostFolds:
		return usageError("--folds %d is not allowed; allowed is 2 to %d", o.Folds, mostFolds)
	case o.Limit < 1:
		return usageError("--limit %d is not allowed; allowed is 1 and more", o.Limit)
	case o.Number < 1 || o.Number > mostBankNumber:
		return usageError("-n %d is not allowed; allowed is 1 to %d", o.Number, mostBankNumber)
	case o.Workers < 0 || o.Workers > mostWorkers:
		return usageError("--workers %d is not allowed; allowed is 1 to %d", o.Workers, mostWorkers)
	case o.Output == "" && !o.Eval:
		return usageError("%sname the model's file with -o FILE, or ask for --eval", place(cmd))
	}
	other, with := []string{"bank", "number"}, "the bank: leave FILE out"
	if o.File == "" {
		other, with = []string{"map", "labels-file", "strict", "eval", "folds", "limit", "balanced", "seed"}, "FILE, your own tickets"
	}
	for _, name := range other {
		if cmd.Flags().Changed(name) {
			return usageError("--%s goes with %s", name, with)
		}
	}
	return nil
}

func runTrain(ctx context.Context, o *trainOptions) (err error) {
	var root *os.Root
	if o.Output != "" {
		if root, err = o.openOutput(); err != nil {
			return err
		}
		defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	}
	t := training{options: o, values: map[string]report.Cell{}}
	if o.File == "" {
		err = t.onBank(ctx)
	} else {
		err = t.onTickets(ctx)
	}
	if err != nil {
		return err
	}
	if root != nil {
		if err := t.write(root); err != nil {
			return err
		}
	}
	rep := report.Report{Tables: t.tables, Lines: t.lines, Values: t.values}
	if err := report.Formats()[o.Format](o.app.Out, &rep); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print training", Err: err}
	}
	return nil
}

// openOutput opens the folder of the model's file. What stands there and is no model of ours is not written over.
func (o *trainOptions) openOutput() (*os.Root, error) {
	root, err := outputFolder(o.app, o.Output)
	if err != nil {
		return nil, err
	}
	var inputs []string
	for _, name := range []string{o.File, o.LabelsFile} {
		if name != "" {
			inputs = append(inputs, name)
		}
	}
	if err := o.app.spared(root, o.Output, inputs); err != nil {
		return nil, closing(err, root.Close)
	}
	if err := modelOverwritable(root, filepath.Base(o.Output), o.Output); err != nil {
		return nil, closing(err, root.Close)
	}
	return root, nil
}

// training is a training on its way.
type training struct {
	options *trainOptions
	model   *agent.LinearModel // nil where only --eval was asked for
	tables  []report.Table
	lines   []string
	values  map[string]report.Cell
}

// progress tells how far a part of the training is.
func (t *training) progress() (told func(what string, done, total int), finish func()) {
	var bar *progress
	what := ""
	return func(now string, done, total int) {
			if bar == nil || now != what {
				if bar != nil {
					bar.finish()
				}
				bar, what = newProgress(t.options.app, t.options.Progress, now, total), now
			}
			bar.step(done)
		}, func() {
			if bar != nil {
				bar.finish()
			}
		}
}

// onBank trains on generated tickets.
func (t *training) onBank(ctx context.Context) error {
	o := t.options
	s, err := openSession(o.app, o.Bank, nil)
	if err != nil {
		return err
	}
	told, finish := t.progress()
	defer finish()
	newEnv := func(task string) (triage.Env, error) { return s.newEnv(task, triage.Train, triage.Int{}) }
	model, rep, err := agent.TrainLinearBank(ctx, newEnv, s.generator(), o.Number, o.Workers, told)
	if err != nil {
		return err
	}
	t.model = model
	t.trained(&rep, fmt.Sprintf("Trained on the bank: %d tickets of split %s", rep.Examples, triage.Train))
	return nil
}

// write writes the model's file.
func (t *training) write(root *os.Root) error {
	o := t.options
	counter := &countingWriter{}
	err := results.WriteFile(root, filepath.Base(o.Output), func(w io.Writer) error {
		counter.w = w
		return t.model.Write(counter)
	})
	if err != nil {
		return err
	}
	t.values["model"], t.values["digest"], t.values["bytes"] = o.Output, t.model.Digest, counter.n
	t.lines = append(t.lines, fmt.Sprintf("Model: %s (%s, digest %s)", o.Output, kilobytes(counter.n), t.model.Digest))
	play := "triage run --tickets FILE"
	if t.model.About.Bank {
		play = "triage run"
	}
	t.lines = append(t.lines, fmt.Sprintf("Play it: %s --agent %s%s", play, prefixLinear, o.Output))
	return nil
}

// countingWriter counts what it writes.
type countingWriter struct {
	w io.Writer
	n int
}

// Write writes.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	return n, err
}

// kilobytes gives a size for people.
func kilobytes(n int) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// trained adds the table of what was learned.
func (t *training) trained(rep *linear.Report, title string) {
	table := report.Table{Name: "trained", Title: title, Columns: []report.Column{{Title: "Label", Key: "label", Text: true}, {Title: "Kind", Key: "kind", Text: true},
		{Title: "Values", Key: "values"}, {Title: "Tickets", Key: "tickets"}, {Title: "Held-out accuracy", Key: "held_out_accuracy", Places: 3},
		{Title: "Majority", Key: "majority", Places: 3}, {Title: "Log loss", Key: "log_loss", Places: 3}, {Title: "Temperature", Key: "temperature", Places: 3}}}
	for _, c := range rep.Columns {
		most := 0
		for _, n := range c.Seen {
			most = max(most, n)
		}
		var accuracy, loss, temperature report.Cell
		if c.Held > 0 {
			accuracy, loss, temperature = c.Accuracy, c.LogLoss, c.Temperature
		}
		kind := "nominal"
		if m, err := t.model.Bundle.Model(c.Name); err == nil && m.Ordered() {
			kind = "ordered"
		}
		table.Rows = append(table.Rows, []report.Cell{c.Name, kind, len(c.Seen), c.Labelled, accuracy, float64(most) / float64(max(c.Labelled, 1)), loss, temperature})
		for _, w := range c.Warnings {
			table.Notes = append(table.Notes, fmt.Sprintf("%s: %s.", c.Name, w))
		}
	}
	if !t.model.About.Bank {
		table.Notes = append(table.Notes, quoteNote)
	}
	table.Notes = append(table.Notes, fmt.Sprintf("%d n-grams and fields. Held-out accuracy: of the tickets on which the probabilities were calibrated, by models that had not seen them.", rep.Features))
	t.tables = append(t.tables, table)
	t.values["features"] = rep.Features
}
