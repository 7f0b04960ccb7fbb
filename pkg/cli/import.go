package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/report"
)

// importOptions are what `import` is asked for.
type importOptions struct {
	app                    *App
	Files                  []string
	From, Sheet, Dates     string
	Map                    []string
	Bodies                 string
	BodiesMap              []string
	Labels                 []string
	Scale, Mapping         string
	Hold, Show             []string
	Suggest                bool
	Min                    int
	Redact                 bool
	Keep                   []string
	Split                  string
	Test                   float64
	Seed                   int64
	Strict, Force          bool
	Output                 string
	Format, Progress       string
	testGiven, formatGiven bool
}

// splitAuto leaves the rule of the sides to the data, splitNone makes none.
const splitAuto, splitNone = "auto", "none"

func newImportCmd(app *App, run func(context.Context, *importOptions) error) *cobra.Command {
	o := &importOptions{app: app}
	cmd := &cobra.Command{Use: "import FILE...", Short: "Make a file of tickets from the export of a help desk",
		Long: `Reads exports of Zendesk, Freshdesk, Freshservice, Jira, ServiceNow and GitHub, mail (mbox, Maildir, .eml), workbooks, CSV and JSON Lines,
also packed as gz or zip, and writes one file of tickets that triage run --tickets plays. What a file is, its content tells. FILE is a
file, a Maildir folder, or - for standard input; several are read one after the other. Nothing is sent anywhere.

Labels are what the desk decided: its priority and group by themselves, others by --label. --suggest prints a draft of a mapping file, in
which their values can be renamed, merged and dropped. What was known only after triage, and who somebody is, never reaches an agent: the
report lists the columns that were held back, and why.

The tickets get sides, train and test: by time where 9 of 10 have a date, else at random. Near-duplicates stay on one side, and the report
says what the test side still gives away. The file appears as a whole or not at all. The report goes to standard output (with
--output -, to standard error).`,
		Example: `  triage import export.csv --output tickets.jsonl
  triage import tickets.json.gz --label route=group_id --redact --output tickets.jsonl
  triage import export.csv --bodies comments.csv --bodies-map id=ticket_id,body=comment --output tickets.jsonl
  triage import billing.mbox technical.mbox --label route=@file --output tickets.jsonl
  triage import export.csv --suggest > mapping.yaml
  triage import export.csv --mapping mapping.yaml --split customer --output tickets.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			o.testGiven = cmd.Flags().Changed("test") || cmd.Flags().Changed("seed")
			o.formatGiven = cmd.Flags().Changed("format")
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		}}
	o.bind(cmd.Flags())
	return cmd
}

func (o *importOptions) bind(f *pflag.FlagSet) {
	f.StringVarP(&o.Output, "output", "o", "", "`file` of tickets to write; - for standard output")
	choiceFlag(f, &o.From, "from", "auto", append([]string{"auto"}, importer.FormatNames()...), "the format of the files")
	f.StringVar(&o.Sheet, "sheet", "", "`name` of the sheet of a workbook (default: the first that has tickets)")
	choiceFlag(f, &o.Dates, "dates", "auto", []string{"auto", importer.DayFirst, importer.MonthFirst}, "how dates such as 3/4/2024 are written")
	f.StringSliceVar(&o.Map, "map", nil, "which column is what, such as `body=text,id=Key`; parts are "+strings.Join(mapParts(), ", "))
	f.StringVar(&o.Bodies, "bodies", "", "second `file` that has the texts of the tickets, joined by their ids")
	f.StringSliceVar(&o.BodiesMap, "bodies-map", nil, "which column of --bodies is what, such as `id=ticket_id,body=comment`")
	f.StringArrayVar(&o.Labels, "label", nil, "a label and the column that has it, such as `route=Group`; repeat it for several. @file and @folder stand for the name of the file and its folder: mail in a box a queue. Of mail, labels are Gmail's, and any header goes by its name, such as X-Folder")
	f.StringVar(&o.Scale, "scale", "", "YAML or JSON `file` with the values of labels, in their order, such as {priority: {ordered: true, values: [low, high]}}")
	f.StringVar(&o.Mapping, "mapping", "", "YAML `file` that renames, merges and drops values of labels; --suggest drafts it")
	f.StringArrayVar(&o.Hold, "hold", nil, "a `column` that agents must not see; repeat it for several")
	f.StringArrayVar(&o.Show, "show", nil, "a `column` that agents may see, whatever the rules say; repeat it for several")
	f.BoolVar(&o.Suggest, "suggest", false, "print a draft of a mapping file for the data, and import nothing")
	intFlag(f, &o.Min, "min", 0, "with --suggest: merge values that fewer tickets have")
	f.BoolVar(&o.Redact, "redact", false, "replace names, addresses, phone, card and account numbers, keys and secrets by placeholders")
	listFlag(f, &o.Keep, "keep", redactKinds(), "with --redact: leave these kinds as they are")
	choiceFlag(f, &o.Split, "split", splitAuto, []string{splitAuto, "time", "customer", "random", splitNone}, "what decides the sides, train and test")
	f.Float64Var(&o.Test, "test", 0.2, "share of the test side")
	intFlag(f, &o.Seed, "seed", 0, "seed of the sides by customer and at random")
	f.BoolVar(&o.Strict, "strict", false, "make the first bad row an error")
	f.BoolVar(&o.Force, "force", false, "write over a file that is no file of tickets")
	choiceFlag(f, &o.Format, "format", formatTable, report.FormatNames(), "how to print the report")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to show progress")
}

// check refuses flags that contradict each other, before anything is opened.
func (o *importOptions) check() error {
	switch {
	case len(o.Files) == 0:
		return usageError("import: name the files to import, or - for standard input")
	case o.Output == "" && !o.Suggest:
		return usageError("import: --output FILE is missing: where the tickets go; - for standard output")
	case o.Output != "" && o.Suggest:
		return usageError("import: --suggest imports nothing and prints to standard output: leave --output out")
	case o.Min != 0 && !o.Suggest:
		return usageError("import: --min goes with --suggest; a mapping file merges rare values by name")
	case o.Min < 0:
		return usageError("import: --min %d is not allowed; allowed is 0 and more", o.Min)
	case len(o.Keep) > 0 && !o.Redact:
		return usageError("import: --keep goes with --redact")
	case o.testGiven && o.Split == splitNone:
		return usageError("import: --test and --seed make sides, --split none makes none")
	case !(o.Test > 0 && o.Test < 1): // NaN too
		return usageError("import: --test %v is not allowed; allowed is above 0 and under 1", o.Test)
	case len(o.BodiesMap) > 0 && o.Bodies == "":
		return usageError("import: --bodies-map goes with --bodies FILE")
	}
	stdin := 0
	for _, name := range append(slices.Clone(o.Files), o.Bodies) {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usageError("import: - is named twice: standard input is read once")
	}
	return nil
}

// mapParts are the parts of a ticket that --map names.
func mapParts() []string { return []string{"id", "subject", "body", "customer", "created"} }

// parseMap reads the values of --map or --bodies-map.
func parseMap(flag string, specs []string) (map[string]string, error) {
	out := map[string]string{}
	for _, spec := range specs {
		part, column, ok := strings.Cut(spec, "=")
		part, column = strings.TrimSpace(part), strings.TrimSpace(column)
		switch {
		case !ok || column == "":
			return nil, usageError("--%s %q is not part=column, as in body=text", flag, spec)
		case !slices.Contains(mapParts(), part):
			return nil, usageError("--%s %q: there is no part %q; the parts are %s (a label is named by --label)", flag, spec, part, strings.Join(mapParts(), ", "))
		case out[part] != "" && out[part] != column:
			return nil, usageError("--%s names %s twice, as %q and as %q", flag, part, out[part], column)
		}
		out[part] = column
	}
	return out, nil
}
