package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AnnotationKind is how loud an annotation is.
type AnnotationKind string

// The kinds.
const (
	AnnotationError   AnnotationKind = "error"
	AnnotationWarning AnnotationKind = "warning"
	AnnotationNotice  AnnotationKind = "notice"
)

// Annotation is a line that GitHub shows beside the summary of a job. Title and Text may hold anything.
type Annotation struct {
	Kind        AnnotationKind
	Title, Text string
}

// GitHubAnnotations is how many annotations of one kind GitHub shows of a step.
const GitHubAnnotations = 10

// The most characters of an annotation.
const (
	annotationTitle = 120
	annotationText  = 1000
)

// WriteAnnotations writes the annotations as workflow commands (`::error title=…::…`), one a line: errors, then warnings, then
// notices, each in the order of the list. Of a kind of which there are more than [GitHubAnnotations], the last one counts those
// that are left out. An unknown kind is written as a notice.
func WriteAnnotations(w io.Writer, list []Annotation) error {
	var b strings.Builder
	for _, kind := range []AnnotationKind{AnnotationError, AnnotationWarning, AnnotationNotice} {
		var of []Annotation
		for _, a := range list {
			if a.Kind != AnnotationError && a.Kind != AnnotationWarning {
				a.Kind = AnnotationNotice
			}
			if a.Kind == kind {
				of = append(of, a)
			}
		}
		if more := len(of) - GitHubAnnotations; more > 0 {
			of = of[:GitHubAnnotations]
			of[GitHubAnnotations-1] = Annotation{Kind: kind, Title: "triage", Text: fmt.Sprintf("and %d more like these: see the summary", more+1)}
		}
		for _, a := range of {
			fmt.Fprintf(&b, "::%s title=%s::%s\n", kind, commandProperty(a.Title), commandData(a.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commandData writes a text as the data of a workflow command: %, carriage return and line feed as GitHub's toolkit does
// (@actions/core, escapeData), other control characters as spaces.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(annotationPlain(s, annotationText, true))
}

// commandProperty writes a text as the value of a property of a workflow command, on one line (escapeProperty there).
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(annotationPlain(s, annotationTitle, false))
}

// annotationPlain cuts a text and makes what steers a terminal spaces; line breaks stay where lines may.
func annotationPlain(s string, most int, lines bool) string {
	if utf8.RuneCountInString(s) > most {
		n := 0
		for i := range s {
			if n == most {
				s = s[:i] + "…"
				break
			}
			n++
		}
	}
	return strings.Map(func(r rune) rune {
		switch {
		case lines && (r == '\n' || r == '\r'):
			return r
		case unicode.IsControl(r), turns(r), r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
