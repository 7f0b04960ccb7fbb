package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

type ticketsCheckOptions struct {
	app    *App
	Paths  []string
	Strict bool
	Format string
}

func newTicketsCheckCmd(app *App, run func(context.Context, *ticketsCheckOptions) error) *cobra.Command {
	o := &ticketsCheckOptions{app: app}
	cmd := &cobra.Command{Use: "check DIR|FILE...", Short: "Check scenario files: mistakes, and what reads badly",
		Long: `Reads the scenario files of a bank (a folder with <route>/<slug>.yaml), of a folder of one route, or single files, and prints
each remark with file, line and what to do. A mistake is what the bank would not load for: a key that is not known, too few
phrasings of a fact, an entity that no text names, a fact or urgency without a situation. Advice is what loads and should
not stay: phrasings too alike, runs of six words that stand twice in a file or in the other split, and of eight in the
same one (the public bank counts too), copies of another scenario, plain phrasings from which the rules of the heuristic read no fact,
texts that contradict the facts beside them, deadlines by weekday, by date or too far off, and halves of unlike size. Of a whole bank
it also says which tasks can be played on it, and what the others lack. Advice on files that are equal to those of the public bank is
only counted, unless the file itself is named: of a copy with files of yours you see what is about yours. Exit 1 if there are mistakes; with --strict also if there is
advice.`,
		Example: "  triage tickets check mybank\n  triage tickets check mybank/billing/late-invoice.yaml\n  triage tickets check --strict mybank/billing",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("a folder or a file is missing: triage tickets check DIR|FILE...")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths = args
			return run(cmd.Context(), o)
		}}
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "exit with 1 for advice too")
	choiceFlag(cmd.Flags(), &o.Format, "format", "table", report.FormatNames(), "how to print")
	return cmd
}

func runTicketsCheck(ctx context.Context, o *ticketsCheckOptions) error {
	cues, err := agent.NewCueReader()
	if err != nil {
		return err
	}
	bank, err := scenario.Embedded()
	if err != nil {
		return err
	}
	files := fstest.MapFS{}
	shown := map[string]string{} // the path that the user gave, by the path in the bank
	for _, p := range o.Paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := gather(o.app, p, files, shown); err != nil {
			return err
		}
	}
	linter := scenario.NewLinter(bank, cues.Finds)
	mistakes, all, n, err := linter.Check(files)
	if err != nil {
		return err
	}
	if n == 0 && len(mistakes) == 0 {
		return usageError("no scenario found in %s: a scenario is a file such as billing/some-situation.yaml", strings.Join(o.Paths, ", "))
	}
	advice := slices.DeleteFunc(slices.Clone(all), func(p scenario.Problem) bool {
		return linter.OnPublic(p) && !slices.Contains(o.Paths, shown[p.File]) // who names a file wants to know
	})
	r := remarks{mistakes: mistakes, advice: advice, public: len(all) - len(advice), scenarios: n, shown: shown}
	if len(mistakes) == 0 && len(o.Paths) == 1 && isBank(o.Paths[0]) {
		if r.plays, r.lacks, err = playable(files); err != nil {
			return err
		}
	}
	return printRemarks(o, &r)
}

// remarks are what a check found.
type remarks struct {
	mistakes, advice scenario.Problems
	public           int // pieces of advice on files that are equal to public ones
	scenarios        int
	shown            map[string]string
	plays            string            // which tasks a bank can be played on; empty where no bank was checked
	lacks            scenario.Problems // what the other tasks need
}

func printRemarks(o *ticketsCheckOptions, all *remarks) error {
	t := report.Table{Name: "remarks", Columns: []report.Column{{Title: "File", Key: "file", Text: true}, {Title: "Line", Key: "line"},
		{Title: "Kind", Key: "kind", Text: true}, {Title: "What to do", Key: "message", Text: true}}}
	add := func(kind string, list scenario.Problems) {
		for _, p := range list {
			name := p.File
			if s, ok := all.shown[name]; ok {
				name = s
			}
			line := report.Cell(p.Line)
			if p.Line == 0 {
				line = nil
			}
			t.Rows = append(t.Rows, []report.Cell{name, line, kind, p.Message})
		}
	}
	add("mistake", all.mistakes)
	add("advice", all.advice)
	add("lack", all.lacks)
	if o.Format == "table" { // a line each, as compilers print them, so that editors find the place
		for _, r := range t.Rows {
			place := fmt.Sprint(r[0])
			if r[1] != nil {
				place += fmt.Sprintf(":%v", r[1])
			}
			if _, err := fmt.Fprintf(o.app.Out, "%s: %v: %v\n", place, r[2], r[3]); err != nil {
				return &triage.Error{Code: triage.CodeFiles, Message: "print remarks", Err: err}
			}
		}
		t.Rows = nil
	}
	summary := fmt.Sprintf("%s, %s, %s of advice", counted(all.scenarios, "scenario"), counted(len(all.mistakes), "mistake"), counted(len(all.advice), "piece"))
	rep := report.Report{Lines: []string{summary}, Values: map[string]report.Cell{"scenarios": all.scenarios, "mistakes": len(all.mistakes), "advice": len(all.advice),
		"advice_on_public": all.public}}
	if all.public > 0 {
		rep.Lines = append(rep.Lines, fmt.Sprintf("Not shown: %s of advice on files that are equal to those of the public bank.", counted(all.public, "piece")))
	}
	if all.plays != "" {
		rep.Lines = append(rep.Lines, all.plays)
		rep.Values["lacks"] = len(all.lacks)
	}
	if o.Format != "table" {
		rep.Tables = []report.Table{t}
	}
	if err := report.Formats()[o.Format](o.app.Out, &rep); err != nil {
		return err
	}
	if len(all.mistakes) > 0 || o.Strict && len(all.advice) > 0 {
		return &triage.Error{Code: triage.CodeCheck, Message: summary}
	}
	return nil
}

// counted gives a number with its noun, such as "1 mistake" and "2 mistakes".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// gather reads the files that a path of the user names, under the paths that they have in a bank: a file or a folder of a
// route is known by the route's name.
func gather(app *App, p string, files fstest.MapFS, shown map[string]string) error {
	clean := filepath.Clean(p)
	if isScenarioFile(clean) {
		data, err := app.ReadFile(p)
		if err != nil {
			return fileProblem("check scenario", p, err)
		}
		abs, err := filepath.Abs(clean)
		if err != nil {
			abs = clean
		}
		return put(path.Join(filepath.Base(filepath.Dir(abs)), filepath.Base(clean)), p, &fstest.MapFile{Data: data}, files, shown)
	}
	dir, prefix := app.DirFS(clean), ""
	if abs, err := filepath.Abs(clean); err == nil && triage.Route(filepath.Base(abs)).Valid() {
		prefix = filepath.Base(abs)
	}
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		in := path.Join(prefix, name)
		if err != nil || d.IsDir() {
			if _, ok := shown[in]; !ok && err == nil {
				shown[in] = filepath.Join(p, filepath.FromSlash(name))
			}
			return err
		}
		f := &fstest.MapFile{Mode: d.Type()}
		if d.Type().IsRegular() {
			if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" {
				return nil
			}
			if f.Data, err = fs.ReadFile(dir, name); err != nil {
				return err
			}
		}
		return put(in, filepath.Join(p, filepath.FromSlash(name)), f, files, shown)
	})
	if triage.CodeOf(err) == triage.CodeUsage {
		return err
	}
	if err != nil {
		return fileProblem("check scenarios", p, err)
	}
	return nil
}

// put adds a file; two files that a bank would know by one path are refused.
func put(name, from string, f *fstest.MapFile, files fstest.MapFS, shown map[string]string) error {
	if other, ok := shown[name]; ok && filepath.Clean(other) != filepath.Clean(from) {
		return usageError("%s and %s would both be %s in a bank: check them one after the other", other, from, name)
	}
	files[name], shown[name] = f, from
	return nil
}
