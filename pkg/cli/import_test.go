package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/report"
	sides "github.com/triagebench/triage/pkg/split"
	"github.com/triagebench/triage/pkg/testkit"
)

func TestImportFlagsBecomeOptions(t *testing.T) {
	t.Parallel()
	defaults := importOptions{From: "auto", Dates: "auto", Split: "auto", Test: 0.2, Format: "table", Progress: "auto"}
	for name, c := range map[string]struct {
		args   []string
		change func(*importOptions)
	}{
		"the least": {[]string{"a.csv", "-o", "t.jsonl"}, func(o *importOptions) { o.Files, o.Output = []string{"a.csv"}, "t.jsonl" }},
		"a draft":   {[]string{"--suggest", "--min", "5", "-"}, func(o *importOptions) { o.Files, o.Suggest, o.Min = []string{"-"}, true, 5 }},
		"everything": {[]string{"a", "b", "--output", "-", "--from", "csv", "--dates", "day-first", "--sheet", "S", "--map", "id=Key,body=Text", "--bodies", "c", "--bodies-map", "id=x", "--label", "route=Group", "--label", "p=P", "--scale", "s", "--mapping", "m", "--hold", "A", "--show", "B, C", "--redact", "--keep", "ip", "phone", "--split", "random", "--test", "0.5", "--seed", "9", "--strict", "--force", "--format", "json", "--progress", "off"}, func(o *importOptions) {
			*o = importOptions{Files: []string{"a", "b"}, Output: "-", From: "csv", Dates: "day-first", Sheet: "S", Map: []string{"id=Key", "body=Text"}, Bodies: "c", BodiesMap: []string{"id=x"}, Labels: []string{"route=Group", "p=P"}, Scale: "s", Mapping: "m", Hold: []string{"A"}, Show: []string{"B, C"}, Redact: true, Keep: []string{"ip", "phone"}, Split: "random", Test: 0.5, Seed: 9, Strict: true, Force: true, Format: "json", Progress: "off"}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := defaults
			c.change(&want)
			var got *importOptions
			app := newTestApp()
			cmd := newImportCmd(app.App, func(_ context.Context, o *importOptions) error { got = o; return nil })
			cmd.SetArgs(joinLists(cmd, c.args))
			if err := cmd.Execute(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&want, got, cmpopts.IgnoreUnexported(importOptions{})); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

// hostile is what a ticket, a column or a file may be called.
const hostile = "=cmd()|<script>\x1b[2J\n\u2028\xff"

// hostileResult is an import of everything that the report says, with hostile names.
func hostileResult() *importer.Result {
	return &importer.Result{Format: "csv", Title: "CSV", Files: 2, Rows: 10, Tickets: 7, Dated: 7, NoID: 1,
		Skipped:  []importer.Skip{{Reason: "no text", Count: 3, File: hostile, Line: 4, Detail: hostile}},
		Passed:   []importer.PassedFile{{Name: hostile, Why: "its format was not recognised"}},
		Redacted: []redact.Count{{Kind: redact.Mail, Places: 5, Values: 2}},
		Bodies:   &importer.BodiesReport{Rows: 3, Joined: 2, Unmatched: 1},
		Labels: importer.LabelReport{Labels: []importer.LabelCount{{Name: "route", Column: hostile, Usual: true, Missing: 1, Values: []importer.ValueCount{{Value: hostile, Count: 6}}}},
			Held: []importer.HeldColumn{{Name: hostile, Why: "says who asks", Role: importer.Person, Tickets: 7}}, Shown: []string{hostile}, Warnings: []string{hostile}},
		Split:   &sides.Result{By: sides.ByTime, Train: 5, Test: 2, Cut: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Groups: 1, Grouped: 12, Moved: 1},
		Largest: []importer.LargeGroup{{ID: hostile, Size: 12}}, SplitWhy: "7 of 7 tickets have a date"}
}

func TestImportReportsInEveryFormatStandHostileNames(t *testing.T) {
	t.Parallel()
	for _, format := range report.FormatNames() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			rep := importReport(hostileResult(), &importOptions{Format: format, Output: "t.jsonl"})
			if err := report.Formats()[format](&out, rep); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsAny(out.Bytes(), "\x1b") {
				t.Errorf("a control character comes through: %q", out.String())
			}
			switch format {
			case "json":
				var all map[string]any
				if err := json.Unmarshal(out.Bytes(), &all); err != nil || all["tickets"] != 7.0 || all["not_read"] == nil {
					t.Errorf("%v: %v", all, err)
				}
			case "csv":
				r := csv.NewReader(&out)
				r.FieldsPerRecord = -1
				rows, err := r.ReadAll()
				if err != nil || len(rows) < 8 {
					t.Errorf("%v: %v", rows, err)
				}
				for _, row := range rows {
					for _, cell := range row {
						if strings.HasPrefix(cell, "=") {
							t.Errorf("a formula: %q", cell)
						}
					}
				}
			default:
				testkit.Golden(t, filepath.Join("testdata", "import-"+format+".txt"), out.String())
			}
			whole := out.Len()
			for room := 0; room < whole; room += 97 {
				if err := report.Formats()[format](&testkit.Full{Room: room}, rep); !errors.Is(err, testkit.ErrFull) {
					t.Fatalf("with room for %d bytes: %v", room, err)
				}
			}
		})
	}
}

func TestLabelsWithManyValuesAreShortForPeopleOnly(t *testing.T) {
	t.Parallel()
	res := &importer.Result{Tickets: 100}
	l := importer.LabelCount{Name: "route", Column: "Group"}
	for i := range 40 {
		l.Values = append(l.Values, importer.ValueCount{Value: strings.Repeat("x", i+1), Count: 1})
	}
	res.Labels.Labels = append(res.Labels.Labels, l)
	if rows := importLabels(res, true).Rows; len(rows) != 40 {
		t.Errorf("machines get %d rows", len(rows))
	}
	rows := importLabels(res, false).Rows
	if want := []report.Cell{"route", "Group", "nominal", "(20 further values)", 20, 0.2}; len(rows) != 21 || !cmp.Equal(rows[20], want) {
		t.Errorf("people get %d rows, the last %v", len(rows), rows[len(rows)-1])
	}
}

func TestImportProgressSaysBytesAndTickets(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"off":   "",
		"plain": "import: 1.5 MB of 3.0 MB read, 200 tickets, 50 a second\nimport: 1.5 MB read, 200 tickets, 25 a second\nimport: writing 200 tickets\n",
		"json": `{"elapsed_seconds":4,"read":1500000,"size":3000000,"tickets":200,"what":"import","writing":false}` + "\n" +
			`{"elapsed_seconds":8,"read":1500000,"size":0,"tickets":200,"what":"import","writing":false}` + "\n" +
			`{"elapsed_seconds":12,"read":1500000,"size":0,"tickets":200,"what":"import","writing":true}` + "\n",
		"bar": "\r" + strings.Repeat("█", 15) + strings.Repeat("░", 15) + " import: 1.5 MB of 3.0 MB read, 200 tickets, 50 a second" +
			"\rimport: 1.5 MB read, 200 tickets, 25 a second" + strings.Repeat(" ", 41) + "\rimport: writing 200 tickets" + strings.Repeat(" ", 18) + "\r" + strings.Repeat(" ", 27) + "\r",
	} {
		app := newTestApp()
		at := time.Unix(0, 0)
		app.Now = func() time.Time { return at }
		app.ErrTerminal = mode == "bar"
		given := mode
		if mode == "bar" {
			given = "auto"
		}
		p := newImportProgress(app.App, given)
		p.tell(1, 3_000_000, 1) // too soon
		at = at.Add(4 * time.Second)
		p.tell(1_500_000, 3_000_000, 200)
		at = at.Add(4 * time.Second)
		p.tell(1_500_000, 0, 200)
		p.writing()
		at = at.Add(4 * time.Second)
		p.tell(1_500_000, 0, 200)
		p.finish()
		if diff := cmp.Diff(want, app.errs.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mode, diff)
		}
	}
}

const exported = "Id,Requester,Requester email,Group,Subject,Priority,Created at\n" +
	"1,Anna,anna@example.com,Billing,I was charged twice,High,2024-01-01 10:00:00\n" +
	"2,Bob,bob@example.com,Tech,It crashes,Low,2024-01-03 10:00:00\n"

func TestAnImportThatFailsLeavesNoFiles(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T) (dir, in string) {
		dir = t.TempDir()
		in = filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(in, []byte(exported), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir, in
	}
	left := func(t *testing.T, dir string, want ...string) {
		t.Helper()
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.Name())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		dir, in := write(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(Interrupted{Code: ExitInterrupted})
		if code := newTestApp().run(ctx, "import", in, "-o", filepath.Join(dir, "t.jsonl")); code != ExitInterrupted {
			t.Errorf("it exits with %d", code)
		}
		left(t, dir)
	})
	t.Run("a bad second file", func(t *testing.T) {
		t.Parallel()
		dir, in := write(t)
		app := newTestApp()
		if code := app.run(t.Context(), "import", in, in+".gone", "-o", filepath.Join(dir, "t.jsonl")); code != ExitUsage || !strings.Contains(app.errs.String(), ".gone") {
			t.Errorf("it exits with %d: %s", code, app.errs.String())
		}
		left(t, dir)
	})
	t.Run("all well", func(t *testing.T) {
		t.Parallel()
		dir, in := write(t)
		newTestApp().mustRun(t, "import", in, "-o", filepath.Join(dir, "t.jsonl"))
		left(t, dir, "t.jsonl")
	})
	t.Run("standard output is broken", func(t *testing.T) {
		t.Parallel()
		_, in := write(t)
		for _, args := range [][]string{{"import", in, "-o", "-"}, {"import", in, "--suggest"}, {"import", in, "-o", filepath.Join(t.TempDir(), "t")}} {
			app := newTestApp()
			app.TempDir = t.TempDir
			app.Out = failing{}
			if code := app.run(t.Context(), args...); code != ExitUsage || !strings.Contains(app.errs.String(), errBroken.Error()) {
				t.Errorf("%v exits with %d: %s", args, code, app.errs.String())
			}
		}
	})
	t.Run("standard input is broken", func(t *testing.T) {
		t.Parallel()
		app := newTestApp()
		app.TempDir = t.TempDir
		app.In = io.MultiReader(strings.NewReader(exported), failing{})
		if code := app.run(t.Context(), "import", "-", "-o", "-"); code != ExitUsage || !strings.Contains(app.errs.String(), "standard input: it is broken") || app.out.Len() > 0 {
			t.Errorf("it exits with %d: %s", code, app.errs.String())
		}
	})
}

func TestScratchFilesAreTheUsersOwnAndGoAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &scratch{app: newTestApp().App, dir: dir, name: "t.jsonl"}
	for range 3 {
		f, err := s.make()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("text")); err != nil {
			t.Error(err)
		}
		if info, err := f.(*os.File).Stat(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v: %v", info.Mode(), err)
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("left %v: %v", list, err)
	}
	gone := &scratch{app: newTestApp().App, dir: filepath.Join(dir, "none"), name: "t"}
	if _, err := gone.make(); err == nil || !strings.Contains(err.Error(), "open the folder of temporary files") {
		t.Errorf("a folder that is not there gives %v", err)
	}
}
