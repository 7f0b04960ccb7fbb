package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// What is compiled at package level is compiled by every command before it starts.
func TestNoRegularExpressionIsCompiledBeforeMain(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "pkg")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "testkit/") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, place := range compiledAtStart(f) {
			t.Errorf("%s: a regular expression of package level is made by lazyregexp.New, which compiles it where it is used", files.Position(place))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compiledAtStart finds the calls of package regexp in a file that run before main.
func compiledAtStart(f *ast.File) (places []token.Pos) {
	for _, decl := range f.Decls {
		if _, isFunc := decl.(*ast.FuncDecl); isFunc {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
					if p, ok := sel.X.(*ast.Ident); ok && p.Name == "regexp" {
						places = append(places, n.Pos())
					}
				}
			}
			return true
		})
	}
	return places
}

func TestCallsOfPackageRegexpAreFoundWhereTheyRunBeforeMain(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a
var one = regexp.MustCompile("1")
var some = []*regexp.Regexp{regexp.MustCompile("2")}
var late = func() { regexp.MustCompile("3") }
func f() { regexp.MustCompile("4") }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(compiledAtStart(f)); got != 2 {
		t.Errorf("found %d calls, want 2", got)
	}
}

// A pattern that is none would else be found by whoever is the first to use it.
func TestAllRegularExpressionsCompile(t *testing.T) {
	t.Parallel()
	if n := lazyregexp.Check(); n < 50 {
		t.Errorf("only %d regular expressions are known", n)
	}
}
