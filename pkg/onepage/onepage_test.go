package onepage_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/onepage"
)

func TestSourcesAreJoinedInTheirOrderAndAllowedByTheirHashes(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"page/a.css": {Data: []byte("a{}\n")}, "page/b.css": {Data: []byte("b{}\n")}, "page/a.js": {Data: []byte("a();\n")}, "page/b.js": {Data: []byte("b();\n")}}
	s, err := onepage.Read(files, []string{"b.css", "a.css"}, []string{"b.js", "a.js"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Style != "b{}\na{}\n" {
		t.Errorf("the style is %q", s.Style)
	}
	if !strings.HasPrefix(s.Script, "(() => {\n\"use strict\";\n// ") || !strings.Contains(s.Script, "\nfunction h(") || !strings.HasSuffix(s.Script, "}\nb();\na();\n})();\n") {
		t.Errorf("the script is %q", s.Script)
	}
	const style = "'sha256-6Q9/zefR+LaCycOjK5aXUrBk3kgqHPSBOcwBDam+aVc='" // by sha256sum and base64
	got := onepage.Sources{Style: s.Style}.Policy("connect-src 'self'")
	want := "default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; style-src " + style +
		"; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	if got != want {
		t.Errorf("the policy is\n%s, want\n%s", got, want)
	}
}

func TestAMissingSourceIsAnError(t *testing.T) {
	t.Parallel()
	for _, names := range [][2][]string{{{"x.css"}, nil}, {nil, {"x.js"}}} {
		if s, err := onepage.Read(fstest.MapFS{}, names[0], names[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q give %v and the error %v", names, s, err)
		}
	}
}
