package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	sides "github.com/triagebench/triage/pkg/split"
)

// importGC is how many bytes of garbage may stand beside 100 that are used: most of what an import keeps are hashes, which cost the
// collector nothing, so that it may come often.
const importGC = 40

func redactKinds() []string {
	var out []string
	for _, k := range redact.Kinds() {
		out = append(out, k.String())
	}
	return out
}

func runImport(ctx context.Context, o *importOptions) (err error) {
	opts, err := o.importing()
	if err != nil {
		return err
	}
	dir, name := o.app.scratchDir(), "triage-import"
	var out *os.Root
	if o.Output != "" && o.Output != "-" {
		if out, err = o.target(); err != nil {
			return err
		}
		defer func() { _ = out.Close() }() // a handle of a folder: nothing is lost
		dir, name = filepath.Dir(o.Output), filepath.Base(o.Output)
	}
	s := &scratch{app: o.app, dir: dir, name: name}
	defer func() { err = errors.Join(err, s.close()) }()
	opts.Temp = s.make
	bar := newImportProgress(o.app, o.Progress)
	opts.Progress = bar.tell
	if o.Suggest {
		draft, err := importer.Draft(ctx, opts, o.Min)
		bar.finish()
		if err != nil {
			return err
		}
		_, err = o.app.Out.Write(draft)
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(importGC))
	opts.Write = func(write func(io.Writer) error) error {
		bar.writing()
		if out == nil {
			return write(o.app.Out)
		}
		return results.WriteFile(out, filepath.Base(o.Output), write)
	}
	res, err := importer.Import(ctx, opts)
	bar.finish()
	if err != nil {
		return err
	}
	return o.report(res)
}

// report prints what was imported.
func (o *importOptions) report(res *importer.Result) error {
	for _, w := range importWarnings(res) {
		o.app.warn("%s", w)
	}
	w := o.app.Out
	if o.Output == "-" {
		w = o.app.Err
	}
	return report.Formats()[o.Format](w, importReport(res, o))
}

// importing makes the options of the pipeline out of the flags. Files are opened when their turn comes, but for settings.
func (o *importOptions) importing() (importer.Options, error) {
	opts := importer.Options{Sheet: o.Sheet, Strict: o.Strict}
	if o.From != "auto" {
		opts.From = o.From
	}
	if o.Dates != "auto" {
		opts.Dates = o.Dates
	}
	var err error
	if opts.Map, err = parseMap("map", o.Map); err != nil {
		return opts, err
	}
	if opts.BodiesMap, err = parseMap("bodies-map", o.BodiesMap); err != nil {
		return opts, err
	}
	if opts.Labels, err = o.labels(); err != nil {
		return opts, err
	}
	if o.Redact {
		var keep []redact.Kind
		for _, word := range o.Keep {
			var k redact.Kind
			if err := k.UnmarshalText([]byte(word)); err != nil {
				return opts, err
			}
			keep = append(keep, k)
		}
		opts.Redact = redact.New(redact.Options{Keep: keep})
	}
	if o.Split != splitNone {
		opts.Split = &importer.SplitOptions{Test: o.Test, Seed: o.Seed}
		if o.Split != splitAuto {
			var by sides.By
			if err := by.UnmarshalText([]byte(o.Split)); err != nil {
				return opts, err
			}
			opts.Split.By = &by
		}
	}
	for _, name := range o.Files {
		opts.Sources = append(opts.Sources, o.app.importSource(name))
	}
	if o.Bodies != "" {
		s := o.app.importSource(o.Bodies)
		opts.Bodies = &s
	}
	return opts, nil
}

// labels reads what the flags say of labels.
func (o *importOptions) labels() (importer.LabelOptions, error) {
	out := importer.LabelOptions{Hold: o.Hold, Show: o.Show}
	var err error
	if out.Labels, err = importer.ParseLabels(o.Labels); err != nil {
		return out, err
	}
	if o.Scale != "" {
		data, err := o.app.ReadFile(o.Scale)
		if err != nil {
			return out, fileProblem("read", o.Scale, err)
		}
		if out.Scales, err = dataset.ReadScales(bytes.NewReader(data), o.Scale); err != nil {
			return out, err
		}
	}
	if o.Mapping != "" {
		data, err := o.app.ReadFile(o.Mapping)
		if err != nil {
			return out, fileProblem("read", o.Mapping, err)
		}
		if out.Mapping, err = importer.ReadMapping(bytes.NewReader(data), o.Mapping); err != nil {
			return out, err
		}
	}
	return out, nil
}

// importSource is a file, a folder or standard input that is to be imported.
func (a *App) importSource(name string) importer.Source {
	if name == "-" {
		return importer.Source{Name: "standard input", Open: func() (*importer.Opened, error) {
			return &importer.Opened{Read: a.In}, nil
		}}
	}
	s := importer.Source{Name: name, Open: func() (*importer.Opened, error) {
		f, err := a.OpenFile(name)
		if err != nil {
			return nil, fileProblem("open", name, err)
		}
		o, err := importer.OpenedFile(f, a.DirFS)
		if err != nil {
			return nil, fileProblem("read", name, err)
		}
		return o, nil
	}}
	if f, err := a.OpenFile(name); err == nil { // what is wrong is said when its turn comes
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			s.Size = info.Size()
		}
		_ = f.Close() // opened to see its size
	}
	return s
}

// target opens the folder of the output, and refuses to write over what is no file of tickets, or over what is read.
func (o *importOptions) target() (*os.Root, error) {
	root, err := outputFolder(o.app, o.Output)
	if err != nil {
		return nil, err
	}
	inputs := append([]string{}, o.Files...)
	for _, name := range []string{o.Bodies, o.Scale, o.Mapping} {
		if name != "" {
			inputs = append(inputs, name)
		}
	}
	if err := o.app.spared(root, o.Output, inputs); err != nil {
		return nil, closing(err, root.Close)
	}
	if err := o.overwritable(root, filepath.Base(o.Output)); err != nil {
		return nil, closing(err, root.Close)
	}
	return root, nil
}

// overwritable refuses to write over a file that is no file of tickets, unless --force is given.
func (o *importOptions) overwritable(root *os.Root, name string) error {
	head, err := standing(root, name, o.Output, int64(len(importer.SchemaTickets)+64))
	if err == nil && head != nil && !o.Force && !bytes.HasPrefix(head, fmt.Appendf(nil, `{"schema":%q`, importer.SchemaTickets)) {
		err = usageError("--output %s: a file that is no file of tickets stands there: give another name, or --force to write over it", o.Output)
	}
	return err
}
