package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// reportOutput is where a report goes.
type reportOutput struct {
	root *os.Root // nil for standard output
	name string   // of the file; empty for a folder of several
}

func (h reportOutput) close() {
	if h.root != nil {
		_ = h.root.Close() // a handle of a folder: nothing is lost
	}
}

// openOutput opens the folder of the report's file, if there is one. Files of a run are not written over.
func (o *reportOptions) openOutput() (reportOutput, error) {
	if o.Output == "" {
		return reportOutput{}, nil
	}
	if o.Format == formatInspect && !strings.HasSuffix(o.Output, ".json") {
		root, err := o.app.OpenRoot(o.Output)
		if err == nil && holdsRun(root) {
			return reportOutput{}, closing(usageError("--output %s is the folder of a run: give another one for the logs", o.Output), root.Close)
		}
		return reportOutput{root: root}, err
	}
	root, err := o.app.openReport(o.Output, o.Runs)
	return reportOutput{root: root, name: filepath.Base(o.Output)}, err
}

// write writes a file of the output, or to standard output.
func (h reportOutput) write(app *App, name string, write func(io.Writer) error) error {
	if h.root == nil {
		w := bufio.NewWriterSize(app.Out, 1<<16)
		err := write(w)
		if err == nil {
			err = w.Flush()
		}
		if err != nil && triage.CodeOf(err) == "" && !isInterrupted(err) {
			err = &triage.Error{Code: triage.CodeFiles, Message: "print report", Err: err}
		}
		return err
	}
	if h.name != "" {
		name = h.name
	} else if err := overwritable(h.root, name, filepath.Join(h.root.Name(), name)); err != nil {
		return err
	}
	return results.WriteFile(h.root, name, write)
}

// several is the error of more logs than one file holds.
func several(n int) error {
	return usageError("there would be %d logs, one for each run, agent and task: give a folder (--output DIR), or choose with --agent and --tasks", n)
}

// said says what was written where.
func (h reportOutput) said(app *App, output, what string) {
	if h.root != nil {
		_, _ = fmt.Fprintf(app.Err, "triage: %s: %s\n", output, what) // progress
	}
}
