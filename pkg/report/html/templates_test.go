package html

import (
	"testing"

	"github.com/triagebench/triage/pkg/tmpl"
)

// What the tests' runs do not have is checked too.
func TestTheTemplatesFitTheirDataInEveryBranch(t *testing.T) {
	t.Parallel()
	p, err := tmpl.ParseFS(sources, tmpl.Options{HTML: true}, "page/page.tmpl", "page/parts.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check("", &document{}); err != nil {
		t.Error(err)
	}
}
