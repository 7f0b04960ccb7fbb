package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoOutputWritesOverWhatIsNotAReport: base and output that are one file gave a red gate and then a green one; a slip in
// --output took a file with it.
func TestNoOutputWritesOverWhatIsNotAReport(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "--episodes", "2")
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	stored := filepath.Join(at("run"), "results-constant.json")
	for _, name := range []string{"base.json", "named.json", "linked.json"} {
		if err := os.WriteFile(at(name), []byte(readFile(t, stored)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"important.txt": "mine\n", "package.json": "{\n  \"name\": \"x\"\n}\n", "empty": "", "log.jsonl": readFile(t, at("run", "episodes.jsonl"))} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "base.json", "outside": "run"} {
		if err := os.Symlink(at(to), at(link)); err != nil {
			t.Skip("this system makes no symbolic links here")
		}
	}
	if err := os.Link(at("base.json"), at("hard.json")); err != nil {
		t.Skip("this system makes no hard links here")
	}
	baseline := []string{"baseline", "--agent", "constant", "--tasks", "queue-easy", "--episodes", "2", "--no-floor", "--no-meta"}
	rows := map[string]struct {
		args []string
		errs string
	}{
		"baseline: base and output are one":       {append(baseline, "--against", at("base.json"), "--output", at("base.json")), "is what is read as"},
		"baseline: by a name without .json":       {append(baseline, "--against", at("named"), "--output", at("named.json")), "is what is read as"},
		"baseline: by a hard link":                {append(baseline, "--against", at("hard.json"), "--output", at("base.json")), "is the same file as"},
		"baseline: by a symbolic link":            {append(baseline, "--against", at("link"), "--output", at("base.json")), "is the same file as"},
		"baseline: a file of a run":               {append(baseline, "--output", stored), "is a file of a run"},
		"baseline: a folder that is not there":    {append(baseline, "--output", at("nowhere", "x.json")), "there is no folder"},
		"compare: an input":                       {[]string{"compare", at("base.json"), "heuristic", "--output", at("base.json")}, "is what is"},
		"compare: an input without .json":         {[]string{"compare", at("named"), "heuristic", "--output", at("named.json")}, "is what is read as"},
		"compare: an input by another way":        {[]string{"compare", at("base.json"), "heuristic", "--output", at("run", "..", "base.json")}, "is what is"},
		"compare: an input by a link":             {[]string{"compare", at("link"), "heuristic", "--output", at("base.json")}, "is the same file as"},
		"compare: a symbolic link":                {[]string{"compare", "keyword", "heuristic", "--output", at("link")}, "is no regular file"},
		"compare: a results file":                 {[]string{"compare", "keyword", "heuristic", "--output", at("base.json")}, "a file that is no report"},
		"compare: a text of others":               {[]string{"compare", "keyword", "heuristic", "--output", at("important.txt")}, "a file that is no report"},
		"compare: a JSON of others":               {[]string{"compare", "keyword", "heuristic", "--output", at("package.json")}, "a file that is no report"},
		"compare: a run's episodes":               {[]string{"compare", at("run"), "heuristic", "--allow", "settings", "--output", at("run", "episodes.jsonl")}, "is a file of a run"},
		"compare: a run's settings, by a link":    {[]string{"compare", "keyword", "heuristic", "--output", at("outside", "run.json")}, "is a file of a run"},
		"compare: another results file of a run":  {[]string{"compare", "keyword", "heuristic", "--output", at("run", "results-new.json")}, "is a file of a run"},
		"compare: a folder that is not there":     {[]string{"compare", "keyword", "heuristic", "--output", at("nowhere", "x.md")}, "there is no folder"},
		"compare: what would hide a stored name":  {[]string{"compare", "keyword", "heuristic", "--output", "keyword.json"}, "is what is read as keyword"},
		"report: a log without its run":           {[]string{"report", at("run"), "--format", "jsonl", "--output", at("log.jsonl")}, "a file that is no report"},
		"report: a text of others":                {[]string{"report", at("run"), "--format", "csv", "--output", at("important.txt")}, "a file that is no report"},
		"report: logs into the folder of a run":   {[]string{"report", at("run"), "--format", "inspect", "--output", at("run")}, "is the folder of a run"},
		"report: a run's journal":                 {[]string{"report", at("run"), "--format", "jsonl", "--output", at("run", "journal.jsonl")}, "is a file of a run"},
		"history: a run's episodes":               {[]string{"history", "--results", dir, "--format", "csv", "--output", at("run", "episodes.jsonl")}, "is a file of a run"},
		"history: a text of others":               {[]string{"history", "--results", dir, "--format", "csv", "--output", at("important.txt")}, "a file that is no report"},
		"history: by another spelling of the run": {[]string{"history", "--results", dir, "--output", at("run", ".", "run.json")}, "is a file of a run"},
	}
	before := snapshot(t, dir)
	for name, row := range rows {
		app := newTestApp()
		if code := app.run(t.Context(), row.args...); code != ExitUsage || !strings.Contains(app.errs.String(), row.errs) || app.out.Len() > 0 {
			t.Errorf("%s: exit code %d: %s%s", name, code, app.errs.String(), app.out.String())
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("files changed:\n%s\nbefore:\n%s", after, before)
	}
	newTestApp().mustRun(t, "compare", "keyword", "heuristic", "--output", at("empty"))
}

// snapshot is the names and texts of all files below a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		b.WriteString(name + "\n" + readFile(t, name) + "\n")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEveryReportMayBeWrittenAgain: what a command wrote, every other format and command may replace.
func TestEveryReportMayBeWrittenAgain(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "desk-easy", "--episodes", "2", "--trials", "2")
	run, file := filepath.Join(dir, "run"), filepath.Join(dir, "report.out")
	var all [][]string
	for _, format := range reportFormats() {
		args := []string{"report", run, "--format", format, "--output", file}
		if format == formatInspect {
			args = []string{"report", run, "--format", format, "--tasks", "queue-easy", "--output", file + ".json"}
		}
		all = append(all, args)
	}
	all = append(all, []string{"report", run, "--format", "chat", "--pairs", "--output", file}, []string{"report", run, "--format", "csv", "--bom", "--output", file},
		[]string{"report", run, "keyword.json", "--format", "json", "--output", file})
	for _, format := range compareFormats() {
		all = append(all, []string{"compare", "keyword", "keyword", "--gate", "score drop <= 0.9", "--format", format, "--output", file},
			[]string{"compare", "keyword", "heuristic", "oracle", "--gate", "score drop <= 0.9", "--format", format, "--output", file})
		if comparisonFormats()[format] == nil {
			all = append(all, []string{"compare", run, "--aa", "--gate", "score drop <= 0.9", "--format", format, "--output", file})
		}
	}
	for _, format := range []string{"table", "markdown", "json", "csv"} {
		all = append(all, []string{"history", "--results", dir, "--format", format, "--output", file})
	}
	for _, args := range all {
		for range 2 {
			newTestApp().mustRun(t, args...)
		}
	}
}

func TestTheEndingOfAnOutputChoosesItsFormat(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "--episodes", "2")
	run := filepath.Join(dir, "run")
	for _, row := range []struct {
		file, begins, says string
		args               []string
	}{
		{"a.html", "<!doctype html>", "a.html: written as html, by its ending", []string{"report", run}},
		{"a.csv", "run,agent,", "written as csv", []string{"report", run}},
		{"a.jsonl", `{"run":`, "written as jsonl", []string{"report", run}},
		{"a.xml", "<?xml", "written as junit", []string{"report", run}},
		{"a.MD", "**", "written as markdown", []string{"report", run}},
		{"a.txt", "Queue track", "", []string{"report", run}},
		{"b.csv", "Queue track", "", []string{"report", run, "--format", "table"}},
		{"b.html", "<!doctype html>", "written as html", []string{"compare", "keyword", "heuristic"}},
		{"b.xml", "<?xml", "written as junit", []string{"compare", "keyword", "heuristic", "--gate", "score drop <= 0.5"}},
		{"b.jsonl", "Compared", "", []string{"compare", "keyword", "heuristic"}}, // not one of its formats
		{"c.json", "{", "written as json", []string{"history", "--results", dir}},
	} {
		app := newTestApp()
		app.mustRun(t, append(row.args, "--output", filepath.Join(dir, row.file))...)
		if text := readFile(t, dir, row.file); !strings.HasPrefix(text, row.begins) {
			t.Errorf("%s begins %.40q", row.file, text)
		}
		if errs := app.errs.String(); !strings.Contains(errs, row.says) || row.says == "" && strings.Contains(errs, "written as") {
			t.Errorf("%s: it says %q", row.file, errs)
		}
	}
}

func FuzzIsReport(f *testing.F) {
	for _, s := range []string{"", "{\n  \"queue\": [{\"agent\": \"a\"}]}", "## triage", "Compared\n┌─", "{\"run\":\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if isReport(data) && len(data) < 6 {
			t.Errorf("%q is taken for a report", data)
		}
	})
}
