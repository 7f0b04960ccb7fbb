package main_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/triagebench/triage/"

// policy says which of our packages each of our packages may import. A package without a line fails, and so does a line
// without a package. Tests may import what they need.
var policy = map[string]string{
	"pkg/packed":            "",
	"baselines":             "pkg/packed",
	"baselines/pack":        "baselines pkg/packed",
	"configs":               "",
	"pkg/near":              "",
	"pkg/lazyregexp":        "",
	"pkg/llm":               "pkg/llm/wire pkg/near pkg/lazyregexp",
	"pkg/llm/wire":          "pkg/lazyregexp",
	"pkg/llm/store":         "pkg/llm/wire",
	"pkg/llm/reply":         "",
	"pkg/llm/fakellm":       "",
	"pkg/triage":            "",
	"pkg/linear":            "",
	"pkg/stats":             "",
	"pkg/redact":            "",
	"pkg/costs":             "pkg/triage pkg/results pkg/stats",
	"pkg/split":             "",
	"pkg/config":            "",
	"pkg/tmpl":              "pkg/near",
	"pkg/handbook":          "pkg/triage pkg/tmpl",
	"pkg/grade":             "pkg/triage pkg/handbook",
	"pkg/dataset":           "pkg/triage pkg/lazyregexp",
	"pkg/importer":          "pkg/triage pkg/dataset pkg/redact pkg/split pkg/lazyregexp",
	"pkg/runner":            "pkg/triage",
	"pkg/scenario":          "pkg/triage pkg/handbook pkg/near pkg/packed pkg/lazyregexp",
	"pkg/scenario/bankgen":  "pkg/scenario",
	"pkg/synth":             "pkg/triage pkg/handbook pkg/scenario",
	"pkg/agent":             "pkg/triage pkg/handbook pkg/linear pkg/near pkg/redact pkg/llm pkg/llm/reply pkg/tmpl baselines pkg/lazyregexp",
	"pkg/results":           "pkg/triage pkg/stats",
	"pkg/env":               "pkg/triage pkg/handbook pkg/grade",
	"pkg/triage/triagetest": "pkg/triage",
	"pkg/testkit":           "",
	"pkg/compare":           "pkg/triage pkg/near pkg/results pkg/stats",
	"pkg/report":            "pkg/triage pkg/results pkg/compare pkg/stats",
	"pkg/report/export":     "pkg/triage pkg/results",
	"pkg/report/html":       "pkg/triage pkg/results pkg/compare pkg/stats pkg/report pkg/onepage pkg/tmpl pkg/lazyregexp",
	"pkg/onepage":           "",
	"pkg/openenv":           "pkg/triage pkg/lazyregexp",
	"pkg/server":            "pkg/triage pkg/openenv",
	"pkg/server/web":        "pkg/triage pkg/onepage",
	// The phrasebook of the audit reads the bank's sentences, and its attacks on recommendations know the handbook.
	"pkg/audit":               "pkg/triage pkg/agent pkg/handbook pkg/scenario pkg/openenv pkg/lazyregexp",
	"pkg/client":              "pkg/triage pkg/openenv",
	"pkg/validate":            "pkg/triage pkg/openenv pkg/grade pkg/handbook pkg/client pkg/lazyregexp",
	"pkg/history":             "pkg/triage pkg/results pkg/stats",
	"pkg/view":                "pkg/triage pkg/results pkg/history pkg/stats pkg/tmpl",
	"pkg/play":                "pkg/triage pkg/runner",
	"pkg/cli":                 "pkg/* baselines configs",
	"cmd/triage":              "pkg/cli",
	"docs/gen":                "pkg/cli",
	"docs/pictures":           "pkg/cli",
	"clients/faults":          "clients/tail",
	"clients/tail":            "",
	"baselines/linear/make":   "pkg/agent pkg/env pkg/scenario pkg/synth pkg/triage",
	"baselines/fit":           "pkg/agent pkg/env pkg/grade pkg/scenario pkg/synth pkg/triage",
	"clients/browser":         "",
	"clients/bench":           "clients/bench/figures clients/bench/load clients/tail",
	"clients/bench/figures":   "",
	"clients/bench/load":      "",
	"clients/llmbench":        "clients/tail",
	"docs/validity/agreement": "pkg/grade pkg/handbook pkg/scenario pkg/synth pkg/triage",
}

func TestPackagesImportOnlyWhatThePolicyNames(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "tools" || name == "examples" || strings.HasPrefix(name, ".") && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		seen[rel] = true
		allowed, ok := policy[rel]
		if !ok {
			t.Errorf("package %s has no line in the import policy: add one", rel)
			return nil
		}
		for _, imported := range importsOf(t, path) {
			if !permits(allowed, imported) {
				t.Errorf("%s imports %s, which the policy does not name for %s", filepath.ToSlash(path), imported, rel)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range policy {
		if !seen[name] {
			t.Errorf("the import policy names %s, which does not exist", name)
		}
	}
}

// importsOf lists the packages of ours that a file imports, without the module's path.
func importsOf(t *testing.T, path string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if ours, ok := strings.CutPrefix(p, module); ok {
			out = append(out, ours)
		}
	}
	return out
}

func permits(allowed, imported string) bool {
	for _, a := range strings.Fields(allowed) {
		if prefix, wild := strings.CutSuffix(a, "*"); a == imported || wild && strings.HasPrefix(imported, prefix) {
			return true
		}
	}
	return false
}

// outside are the direct dependencies, and what of the standard library costs much, each with its only importers where there are such; a package with (tests) may in its tests alone.
var outside = map[string][]string{
	"charm.land/bubbletea/v2":                    {"pkg/play", "pkg/cli"},
	"github.com/charmbracelet/x/ansi":            {"pkg/play"},
	"golang.org/x/net/html":                      {"pkg/importer", "pkg/tmpl (tests)"},
	"github.com/spf13/viper":                     {"pkg/config"},
	"github.com/spf13/cobra":                     {"pkg/cli"},
	"github.com/olekukonko/tablewriter":          {"pkg/report"},
	"github.com/olekukonko/tablewriter/tw":       {"pkg/report"},
	"github.com/google/jsonschema-go/jsonschema": {"pkg/openenv"},
	"github.com/santhosh-tekuri/jsonschema/v6":   {"pkg/validate", "pkg/scenario (tests)", "docs/schemas (tests)"},
	"github.com/sashabaranov/go-openai":          {"pkg/llm", "pkg/llm/wire"},
	// They look methods up by name, so that the linker would have to keep every exported one: 4 MB. pkg/tmpl does not.
	"text/template": {"pkg/tmpl (tests)"},
	"html/template": {"pkg/tmpl (tests)"},
}

func TestBigLibrariesStayBehindOnePackage(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata/") || strings.HasPrefix(path, "tools/") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(filepath.Dir(path))
			inTests := strings.HasSuffix(path, "_test.go") && slices.Contains(outside[p], dir+" (tests)")
			if only, ok := outside[p]; ok && !slices.Contains(only, dir) && !inTests {
				t.Errorf("%s imports %s, which only %s may", path, p, strings.Join(only, ", "))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
