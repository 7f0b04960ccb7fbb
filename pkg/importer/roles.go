package importer

import (
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// String names the role as reports do.
func (r Role) String() string {
	switch r {
	case Shown:
		return "shown"
	case Later:
		return "later"
	case Person:
		return "person"
	case Outcome:
		return "outcome"
	case Ignored:
		return "ignored"
	}
	return "unknown"
}

// heldRoles are the roles of what the general rules hold back.
var heldRoles = map[dataset.HeldKind]Role{
	dataset.HeldLater: Later, dataset.HeldDecided: Outcome, dataset.HeldPerson: Person, dataset.HeldPlumbing: Ignored,
}

// copyEnds are what stands behind a column's name in that of its copy.
var copyEnds = []string{"id", "ids", "name", "code", "value", "key", "old", "new", "text", "label", "title", "sequence", "displayvalue",
	"slug", "color", "colour"}

// copyOf tells whether a column's name says that it is a copy of another one.
func copyOf(name, of string) bool {
	rest, ok := strings.CutPrefix(labelKey(name), labelKey(of))
	if !ok || len(labelKey(of)) < 3 {
		return false
	}
	rest = strings.Trim(rest, ".()")
	return rest == "" || slices.Contains(copyEnds, rest) || strings.Trim(rest, "0123456789") == ""
}

// role decides what a column is that no label reads: the user's word first, then copies of labels, the format, and the general
// rules of [dataset.Held].
func (l *Labels) role(name string) Column {
	key := fold(name)
	switch {
	case l.hold[key]:
		return Column{Later, "held back by --hold"}
	case l.show[key]:
		return Column{}
	}
	for _, r := range l.rules {
		for _, of := range []string{r.name, r.column} {
			if of != "" && copyOf(name, of) {
				return Column{Outcome, "a copy of label " + r.name}
			}
		}
	}
	if unnamed(name) {
		return Column{Ignored, "it has no name: a row was longer than the header, or was torn"}
	}
	if l.format.Column != nil {
		if c, ok := l.format.Column(name); ok {
			return c
		}
	}
	if kind, why, ok := dataset.Held(name); ok {
		return Column{heldRoles[kind], why}
	}
	return Column{}
}

// labelKey is a column's name as usual labels are found by: folded, without what help desks put around it.
func labelKey(column string) string {
	name := strings.TrimPrefix(fold(column), "fields.")
	for _, after := range []string{".name", ".value", ".displayvalue", ".displayname"} {
		name = strings.TrimSuffix(name, after)
	}
	for _, before := range []string{"ticket", "issue"} {
		if rest, ok := strings.CutPrefix(name, before); ok && rest != "" {
			return rest
		}
	}
	return name
}
