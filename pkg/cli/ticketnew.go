package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

type newScenarioOptions struct {
	app    *App
	Route  string
	Slug   string
	Output string
}

func newTicketsNewScenarioCmd(app *App, run func(context.Context, *newScenarioOptions) error) *cobra.Command {
	o := &newScenarioOptions{app: app}
	cmd := &cobra.Command{Use: "new-scenario", Short: "Write a scenario file to fill in", Args: noArgs,
		Long: `Writes the form of a scenario: every key that the route has, a word on each, and a place for every text that is needed. Write
over each "FILL IN"; triage tickets check FILE names the places that are left and what is wanted there. Without --output it
goes to standard output. A file <bank>/<route>/<slug>.yaml says route and slug by its name, and the folders are made; a file that is
there already is never written over.`,
		Example: `  triage tickets new-scenario -o mybank/billing/late-invoice.yaml
  triage tickets new-scenario --route technical --slug printer-offline`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		}}
	choiceFlag(cmd.Flags(), &o.Route, "route", "", names(triage.Routes()), "route of the scenario; that of --output's folder by default")
	cmd.Flags().StringVar(&o.Slug, "slug", "", "`name` of the scenario, such as late-invoice; that of --output by default")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "`file` to write, such as mybank/billing/late-invoice.yaml; standard output by default")
	return cmd
}

// settle takes route and slug from each other and from the file, and refuses what does not agree.
func (o *newScenarioOptions) settle() error {
	if route, slug, ok := strings.Cut(o.Slug, "/"); ok { // as results name scenarios
		if err := agree(&o.Route, route, "--slug "+o.Slug, "--route"); err != nil {
			return err
		}
		o.Slug = slug
	}
	if o.Output == "-" {
		o.Output = ""
	}
	if o.Output != "" {
		if err := o.fromOutput(); err != nil {
			return err
		}
	}
	switch {
	case o.Route == "":
		return usageError("--route is missing: it is one of %s", strings.Join(names(triage.Routes()), ", "))
	case !triage.Route(o.Route).Valid():
		return usageError("route %v", notOneOf(o.Route, names(triage.Routes())))
	case o.Slug == "":
		o.Slug = "my-scenario"
	case !scenario.ValidName(o.Slug):
		return usageError("slug %q is not allowed: small letters, digits and hyphens are, such as late-invoice", o.Slug)
	}
	return nil
}

// fromOutput takes route and slug from the name of the file.
func (o *newScenarioOptions) fromOutput() error {
	if ext := filepath.Ext(o.Output); ext != ".yaml" {
		return usageError("--output %s: files of a bank end in .yaml, such as mybank/billing/late-invoice.yaml", o.Output)
	}
	path, err := filepath.Abs(o.Output)
	if err != nil {
		path = o.Output
	}
	folder := filepath.Base(filepath.Dir(path))
	if !triage.Route(folder).Valid() {
		route := o.Route
		if route == "" {
			route = string(triage.Billing)
		}
		return usageError("--output %s: a scenario lies in the folder of its route (%s): write %s", o.Output, strings.Join(names(triage.Routes()), ", "),
			filepath.Join(filepath.Dir(o.Output), route, filepath.Base(o.Output)))
	}
	if err := agree(&o.Route, folder, "--output "+o.Output, "--route"); err != nil {
		return err
	}
	return agree(&o.Slug, strings.TrimSuffix(filepath.Base(path), ".yaml"), "--output "+o.Output, "--slug")
}

// agree sets a value, or refuses a flag that says another.
func agree(value *string, says, from, flag string) error {
	if *value != "" && *value != says {
		return usageError("%s and %s %s do not agree: leave %s out", from, flag, *value, flag)
	}
	*value = says
	return nil
}

func runTicketsNewScenario(_ context.Context, o *newScenarioOptions) error {
	data := scenario.Skeleton(triage.Route(o.Route), o.Slug)
	if o.Output == "" {
		if _, err := o.app.Out.Write(data); err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: "print the scenario", Err: err}
		}
		return nil
	}
	dir := filepath.Dir(o.Output)
	root, err := o.app.OpenRoot(dir)
	if err != nil {
		return fileProblem("open the folder of --output", dir, err)
	}
	if err := closing(writeNew(root, o.Output, data), root.Close); err != nil {
		return err
	}
	bank := filepath.Dir(dir)
	schema := filepath.Join(bank, scenario.SchemaFile)
	o.app.tell("%s has %d places to fill in; triage tickets check %s names them", o.Output, strings.Count(string(data), scenario.FillIn+":"), o.Output)
	if _, err := fs.Stat(o.app.DirFS(bank), scenario.SchemaFile); errors.Is(err, fs.ErrNotExist) {
		o.app.tell("editors complete it by its schema once that is there: triage tickets schema -o %s", schema)
	}
	return nil
}

// tell says what was done, which is no data.
func (a *App) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Err, "triage: %s\n", plainLine(fmt.Sprintf(format, args...))) // a lost note is no reason to stop
}

// writeNew writes a file that is not there yet.
func writeNew(root *os.Root, shown string, data []byte) error {
	name := filepath.Base(shown)
	if _, err := root.Lstat(name); err == nil {
		return usageError("--output %s is there already, and somebody may have filled it in: give another name, or remove it", shown)
	}
	return results.WriteFile(root, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
