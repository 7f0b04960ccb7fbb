package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/testkit"
)

func annotations(t *testing.T, list ...report.Annotation) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteAnnotations(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnnotationsAreWorkflowCommandsWhoseTextsAreEscaped(t *testing.T) {
	t.Parallel()
	got := annotations(t,
		report.Annotation{Kind: report.AnnotationNotice, Title: "n", Text: "all well"},
		report.Annotation{Kind: report.AnnotationWarning, Title: "a: b, c=100 %\nd", Text: "50 %, a: b\r\n::error::x"},
		report.Annotation{Kind: report.AnnotationError, Title: "", Text: "a\x1b[31m\x00\u202E\xff"},
		report.Annotation{Kind: "other", Title: "o", Text: ""})
	want := "::error title=::a [31m  \uFFFD\n" +
		"::warning title=a%3A b%2C c=100 %25 d::50 %25, a: b%0D%0A::error::x\n" +
		"::notice title=n::all well\n::notice title=o::\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOfMoreThanTenAnnotationsTheLastCountsTheRest(t *testing.T) {
	t.Parallel()
	var list []report.Annotation
	for i := range 25 {
		list = append(list, report.Annotation{Kind: report.AnnotationError, Title: "t", Text: fmt.Sprint(i)})
	}
	for i := range 10 {
		list = append(list, report.Annotation{Kind: report.AnnotationWarning, Title: "t", Text: fmt.Sprint(i)})
	}
	before := list[report.GitHubAnnotations-1]
	lines := strings.Split(strings.TrimSuffix(annotations(t, list...), "\n"), "\n")
	if len(lines) != 20 || lines[8] != "::error title=t::8" || lines[9] != "::error title=triage::and 16 more like these: see the summary" || lines[19] != "::warning title=t::9" {
		t.Errorf("they are\n%s", strings.Join(lines, "\n"))
	}
	if list[report.GitHubAnnotations-1] != before {
		t.Error("the caller's list is changed")
	}
}

func TestAnAnnotationIsOneLineWhateverItsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		var b bytes.Buffer
		if err := report.WriteAnnotations(&b, []report.Annotation{{Kind: report.AnnotationError, Title: text, Text: text}}); err != nil {
			t.Fatal(err)
		}
		line, rest, _ := strings.Cut(b.String(), "\n")
		props, _, found := strings.Cut(strings.TrimPrefix(line, "::error title="), "::")
		if rest != "" || !found || strings.ContainsAny(props, ":,\r") || strings.Contains(line, "\r") {
			t.Errorf("%q gives %q", text, b.String())
		}
	})
	if n := len(annotations(t, report.Annotation{Kind: report.AnnotationError, Title: githubTexts["a megabyte"], Text: githubTexts["a megabyte"]})); n > 4000 {
		t.Errorf("a megabyte gives %d bytes", n)
	}
}

func TestAnnotationsTellOfAWriterThatFails(t *testing.T) {
	t.Parallel()
	list := []report.Annotation{{Kind: report.AnnotationError, Text: "x"}, {Kind: report.AnnotationNotice, Text: "y"}}
	for size := range len(annotations(t, list...)) {
		if err := report.WriteAnnotations(&testkit.Full{Room: size}, list); !errors.Is(err, testkit.ErrFull) {
			t.Errorf("after %d bytes: %v", size, err)
		}
	}
}

func TestARunAnnotatesBrokenEpisodesLoudly(t *testing.T) {
	t.Parallel()
	if got := report.RunAnnotations(nil); got != nil {
		t.Errorf("without tickets there are %v", got)
	}
	w := report.NewWorst(3)
	w.AddEpisode(loggedTicket(1, 0.5, "x"))
	w.AddEpisode(loggedTicket(2, 1, "x"))
	want := "::notice title=triage::1 of 2 tickets are right\n"
	if got := annotations(t, report.RunAnnotations(w)...); got != want {
		t.Errorf("got %q", got)
	}
	w.AddEpisode(brokeEpisode(3, "x"))
	want = "::error title=triage%3A broken episodes::1 episode broke through no fault of the agent: the scores are of a part, or count them as 0\n" + want
	if got := annotations(t, report.RunAnnotations(w)...); got != want {
		t.Errorf("got %q", got)
	}
}
