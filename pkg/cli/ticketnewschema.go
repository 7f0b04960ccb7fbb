package cli

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

type ticketsSchemaOptions struct {
	app    *App
	Output string
}

func newTicketsSchemaCmd(app *App, run func(context.Context, *ticketsSchemaOptions) error) *cobra.Command {
	o := &ticketsSchemaOptions{app: app}
	cmd := &cobra.Command{Use: "schema", Short: "Print the JSON Schema of scenario files", Args: noArgs,
		Long: `Prints the JSON Schema by which editors complete scenario files and mark mistakes in them while one writes. Editors with a YAML
language server find it by the first line of the files that triage tickets new-scenario writes, beside the folders of the routes.
It says what can be said of one file; triage tickets check finds more.`,
		Example: "  triage tickets schema -o mybank/scenario.schema.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), o)
		}}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "`file` to write; standard output by default")
	return cmd
}

func runTicketsSchema(_ context.Context, o *ticketsSchemaOptions) error {
	data := scenario.JSONSchema()
	if o.Output == "" || o.Output == "-" {
		if _, err := o.app.Out.Write(data); err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: "print the schema", Err: err}
		}
		return nil
	}
	root, err := outputFolder(o.app, o.Output)
	if err != nil {
		return err
	}
	return closing(writeSchema(root, o.Output, data), root.Close)
}

// writeSchema writes the schema where nothing stands, or an earlier one, or a device.
func writeSchema(root *os.Root, shown string, data []byte) error {
	name := filepath.Base(shown)
	there, err := standing(root, name, shown, math.MaxInt64)
	switch {
	case err != nil:
		return err
	case there != nil && !bytes.Contains(there, []byte(scenario.SchemaID)):
		return usageError("--output %s: a file that is no schema of scenarios stands there: remove it, or give another name", shown)
	}
	return results.WriteFile(root, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
