package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

type agreeOptions struct {
	app             *App
	Sources         []string
	Map, LabelsFile string
	Truth           bool
	List            int
	Format, Output  string
}

func newAgreementCmd(app *App, run func(ctx context.Context, o *agreeOptions) error) *cobra.Command {
	o := &agreeOptions{app: app}
	cmd := &cobra.Command{
		Use: "agreement SOURCE SOURCE…", Short: "How far persons, agents and labels agree: kappa, with what they differ on",
		Long: `Compares who answered the same tickets what. A source is a run folder (each of its agents counts, FOLDER:AGENT takes one), a file
of tickets with labels (each label), or FILE:COLUMN (one column of it; two columns of one file were often filled by two people).
Tickets of files go by their ids. Sources with one field each are compared whatever that field is called. With --truth the right
answers of the run folders count as one more.`,
		Example: `  triage agreement runs/ann runs/ben
  triage agreement runs/ann tickets.jsonl
  triage agreement labels.csv:first_opinion labels.csv:second_opinion`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%sname two sources or more: run folders, or files of tickets; see `%s --help`", place(cmd), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Sources = args
			if o.List < 0 {
				return usageError("--list %d is not allowed; allowed is 0 and more", o.List)
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Map, "map", "", "which column of a file is what, such as id=ticket,priority=lead_priority; names other than id, subject and body are labels")
	f.StringVar(&o.LabelsFile, "labels-file", "", "YAML or JSON `file` with the allowed values of label columns and their order")
	f.BoolVar(&o.Truth, "truth", false, "take the right answers of the run folders as one more source")
	intFlag(f, &o.List, "list", 20, "how many answers on which they differ are listed")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	f.StringVar(&o.Output, "output", "", "`file` to write to in place of standard output")
	return cmd
}

func runAgreement(_ context.Context, o *agreeOptions) error {
	a := &agreed{o: o, scales: newScales(), truth: newRater("truth", "truth")}
	for _, name := range o.Sources {
		if err := a.open(name); err != nil {
			return err
		}
	}
	if o.Truth {
		if len(a.truth.units) == 0 {
			return usageError("--truth: %s no run folder with graded tickets", isOrAre(len(o.Sources)))
		}
		a.raters = append(a.raters, a.truth)
	}
	if len(a.raters) < 2 {
		return usageError("%s has one rater, %s: agreement is between two or more; name another source, or add --truth", o.Sources[0], a.raters[0].name)
	}
	a.distinguish()
	if err := a.oneField(); err != nil {
		return err
	}
	a.warnAlone()
	return o.print(agreement(a.raters, a.scales, agreementOptions{List: o.List, Confusion: true}))
}

func isOrAre(n int) string {
	if n == 1 {
		return "the source is"
	}
	return "among the sources is"
}

// agreed gathers the raters of sources.
type agreed struct {
	o      *agreeOptions
	scales *scales
	raters []*rater
	truth  *rater
}

// open takes the raters of a source.
func (a *agreed) open(name string) error {
	base, part := name, ""
	isDir, err := a.kind(base)
	for i := len(name); errors.Is(err, fs.ErrNotExist); { // names of agents and folders may hold colons too
		if i = strings.LastIndex(name[:i], ":"); i <= 0 {
			break
		}
		base, part = name[:i], name[i+1:]
		isDir, err = a.kind(base)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usageError("%s: there is no such run folder or file of tickets", name)
	case err != nil:
		return fileProblem("open", base, err)
	case isDir:
		return a.folder(name, base, part)
	}
	return a.file(name, base, part)
}

func (a *agreed) kind(name string) (isDir bool, err error) {
	f, err := a.o.app.OpenFile(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	return info.IsDir(), nil
}

// folder takes the agents of a run folder, or one of them.
func (a *agreed) folder(name, base, agent string) error {
	root, err := a.o.app.OpenExisting(base)
	if err != nil {
		return fileProblem("open run", base, err)
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	if !exists(root, results.RunFile) {
		return noRun(root, base)
	}
	f, err := results.OpenFolder(root)
	if err != nil {
		return err
	}
	list := f.Agents()
	if agent != "" {
		if !slices.Contains(list, agent) {
			return usageError("%s: the run has no agent %q; it has %s%s", name, agent, join(list), near.Hint(agent, list))
		}
		list = []string{agent}
	}
	by := map[string]*rater{}
	for _, n := range list {
		by[n] = newRater(n, base)
	}
	known := false // the labels of a run are the same in all its episodes
	torn, err := f.Episodes(func(l *results.Logged) error {
		r := by[l.Key.Agent]
		if r == nil || l.Ended == triage.EndedError {
			return nil
		}
		if !known && len(l.Steps) > 0 {
			known = true
			if err := a.scales.shown(l, f.Settings); err != nil {
				return err
			}
		}
		return errors.Join(r.logged(l, false), a.truth.logged(l, true))
	})
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "read run " + base, Err: err}
	}
	if torn || !f.Complete {
		a.o.app.warn("%s: the run is not complete: what is finished is compared", base)
	}
	for _, n := range list {
		if len(by[n].units) == 0 {
			return usageError("%s: no episode of %s is finished", base, n)
		}
		a.raters = append(a.raters, by[n])
	}
	return nil
}

// file takes the labels of a file of tickets, or one column of it.
func (a *agreed) file(name, base, column string) error {
	opts, err := setOptions(a.o.app, a.o.Map, a.o.LabelsFile)
	if err != nil {
		return err
	}
	if column != "" {
		if opts.Map == nil {
			opts.Map = map[string]string{}
		}
		opts.Map[column] = column
	}
	f, set, err := openSet(a.o.app, base, opts)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	tellSide(a.o.app, set)
	for _, w := range set.Warnings() {
		a.o.app.warn("%s", w)
	}
	r := newRater(filepath.Base(name), base)
	for _, c := range set.Columns() {
		a.scales.add([]results.Column{{Name: c.Name, Values: c.Values, Ordered: c.Ordered}})
	}
	if n, first := set.Skipped(); n > 0 {
		a.o.app.warn("%s: %s skipped; the first: %s", base, counted(n, "row"), first[0].Error())
	}
	if err := fill(r, set, column); err != nil {
		return fmt.Errorf("%s: %w", base, err)
	}
	if len(r.fields) == 0 {
		return usageError("%s: no ticket has a label; --map names the columns that are labels", name)
	}
	a.raters = append(a.raters, r)
	return nil
}

// fill notes the labels of a file's tickets.
func fill(r *rater, set *dataset.Set, column string) error {
	for i := range set.Len() {
		c, err := set.Case(i)
		if err != nil {
			return err
		}
		for _, field := range set.Columns() {
			if v := c.Truth.Labels[field.Name]; v != "" && (column == "" || field.Name == column) {
				r.put(c.Ticket.ID, field.Name, v)
			}
		}
	}
	return nil
}

// print prints the report, or writes it to a file.
func (o *agreeOptions) print(rep *report.Report) error {
	out := reportOutput{}
	if o.Output != "" {
		root, err := o.app.openReport(o.Output, o.Sources)
		if err != nil {
			return err
		}
		out = reportOutput{root: root, name: filepath.Base(o.Output)}
	}
	defer out.close()
	return out.write(o.app, "", formatted(o.Format, rep))
}

// formatted gives what writes a report in a format.
func formatted(format string, rep *report.Report) func(w io.Writer) error {
	return func(w io.Writer) error { return report.Formats()[format](w, rep) }
}
