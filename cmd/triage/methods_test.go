package main_test

import (
	"go/ast"
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

// Whoever looks methods up by name makes the linker keep every exported method of every type, 4 MB of them: the program does not.
// The packages of templates do, cobra calls one once a template is set, and reflection can.
func TestNothingLooksMethodsUpByName(t *testing.T) {
	t.Parallel()
	packages := []string{"text/template", "html/template"}
	calls := []string{"SetVersionTemplate", "SetUsageTemplate", "SetHelpTemplate", "MethodByName"}
	root, seen := filepath.Join("..", ".."), 0
	for _, top := range []string{"baselines", "cmd", "configs", "pkg"} {
		err := fs.WalkDir(os.DirFS(root), top, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata/") {
				return err
			}
			seen++
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, i := range f.Imports {
				if p, err := strconv.Unquote(i.Path.Value); err != nil || slices.Contains(packages, p) {
					t.Errorf("%s imports %s, which looks methods up by name: pkg/tmpl does not", path, p)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(calls, s.Sel.Name) {
					t.Errorf("%s calls %s, which looks methods up by name", path, s.Sel.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d files were looked at", seen)
	}
}
