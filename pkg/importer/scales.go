package importer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

// ourSteps is the scale that priorities of known desks are mapped to, the least serious first.
func ourSteps() []string {
	out := make([]string, 0, 4)
	for _, u := range triage.Urgencies() {
		out = append(out, string(u))
	}
	return out
}

// deskScale maps a desk's own priorities to ours.
type deskScale struct {
	steps map[string]string // by value, lower case, without outer spaces
	null  string            // what a ticket without a value has; empty where that is no priority
	title string            // whose scale it is
}

// newDeskScale makes the scale of a format, or nil where it has none. Zendesk's null is its "normal".
func newDeskScale(format Format) *deskScale {
	if len(format.Priority) == 0 {
		return nil
	}
	s := &deskScale{steps: map[string]string{}, title: format.Title}
	if strings.HasPrefix(format.Name, "zendesk") {
		s.null = string(triage.UrgencyMedium)
	}
	for _, step := range format.Priority {
		s.steps[lowered(step.Value)] = string(step.Ours)
	}
	if ours, ok := s.steps[""]; ok {
		s.null = ours
		delete(s.steps, "")
	}
	return s
}

// lowered is a value as scales compare it.
func lowered(value string) string { return strings.ToLower(strings.TrimSpace(value)) }

// nothing tells whether a cell says that there is no value.
func nothing(value string) bool {
	switch lowered(value) {
	case "", "-", "null", "(null)", "n/a", "\\n":
		return true
	}
	return false
}

// isPriority tells whether a column holds a desk's priority.
func isPriority(column string) bool {
	switch dataset.Unaccented(labelKey(column)) {
	case "priority", "prioritat", "prioritaet", "priorite", "prioridad", "prioridade", "priorita", "prioriteit":
		return true
	}
	return false
}

// levelWords are words that say how serious something is.
var levelWords = map[string]triage.Urgency{
	"critical": triage.UrgencyCritical, "urgent": triage.UrgencyCritical, "blocker": triage.UrgencyCritical,
	"highest": triage.UrgencyCritical, "emergency": triage.UrgencyCritical,
	"high": triage.UrgencyHigh, "major": triage.UrgencyHigh, "important": triage.UrgencyHigh,
	"medium": triage.UrgencyMedium, "normal": triage.UrgencyMedium, "moderate": triage.UrgencyMedium,
	"low": triage.UrgencyLow, "minor": triage.UrgencyLow, "trivial": triage.UrgencyLow, "lowest": triage.UrgencyLow,
	"backlog": triage.UrgencyLow,
}

// Levels by number: P0 … P5 and sev0 … sev5.
var (
	priorityLevels = []triage.Urgency{triage.UrgencyCritical, triage.UrgencyHigh, triage.UrgencyMedium, triage.UrgencyLow,
		triage.UrgencyLow, triage.UrgencyLow}
	severityLevels = []triage.Urgency{triage.UrgencyCritical, triage.UrgencyCritical, triage.UrgencyHigh, triage.UrgencyMedium,
		triage.UrgencyLow, triage.UrgencyLow}
)

// Words around a level that say nothing else.
var (
	priorityWords = []string{"priority", "prio", "pri", "p", "urgency", "importance", "level", "soon"}
	severityWords = []string{"severity", "sev", "impact"}
)

// priorityOf reads the priority out of one label of an issue, such as P1, priority: high, severity/critical or sev2. A label
// with any other word in it (high contrast) has none.
func priorityOf(label string) (triage.Urgency, bool) {
	tokens := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var byWord, byNumber triage.Urgency
	severity, named := false, false
	for _, t := range tokens {
		if slices.Contains(severityWords, t) || strings.HasPrefix(t, "sev") {
			severity = true
		}
		named = named || slices.Contains(priorityWords, t) || slices.Contains(severityWords, t)
	}
	for _, t := range tokens {
		if u, ok := levelWords[t]; ok {
			if byWord == "" {
				byWord = u
			}
			continue
		}
		if slices.Contains(priorityWords, t) || slices.Contains(severityWords, t) {
			continue
		}
		u, ok := numberedLevel(t, severity, named)
		if !ok && len(t) == 1 && unicode.IsDigit(rune(t[0])) {
			continue // 1 - Critical
		}
		if !ok {
			return "", false
		}
		if byNumber == "" {
			byNumber = u
		}
	}
	if byWord != "" {
		return byWord, true
	}
	return byNumber, byNumber != ""
}

// numberedLevel reads p1, sev2 and, behind a word for priority or severity, 1.
func numberedLevel(t string, severity, named bool) (triage.Urgency, bool) {
	levels := priorityLevels
	if severity {
		levels = severityLevels
	}
	digit := t
	switch {
	case strings.HasPrefix(t, "severity"):
		digit = t[len("severity"):]
	case strings.HasPrefix(t, "sev"):
		digit = t[len("sev"):]
	case strings.HasPrefix(t, "priority"):
		digit = t[len("priority"):]
	case strings.HasPrefix(t, "prio"):
		digit = t[len("prio"):]
	case strings.HasPrefix(t, "p"):
		digit, levels = t[1:], priorityLevels
	case !named:
		return "", false
	}
	if len(digit) != 1 || digit[0] < '0' || int(digit[0]-'0') >= len(levels) {
		return "", false
	}
	return levels[digit[0]-'0'], true
}

// issueKinds are the words by which labels of issues say what an issue is.
var issueKinds = map[string]string{
	"bug": "bug", "defect": "bug", "regression": "bug", "crash": "bug",
	"enhancement": "feature", "feature": "feature", "feature request": "feature", "new feature": "feature", "improvement": "feature",
	"question": "question", "support": "question", "help": "question",
	"documentation": "documentation", "docs": "documentation",
}

// kindOf reads what an issue is out of one of its labels, such as bug, type: feature or kind/docs; it is empty where the label does not
// say.
func kindOf(label string) string {
	tokens := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(tokens) > 1 && (tokens[0] == "type" || tokens[0] == "kind" || tokens[0] == "t") {
		tokens = tokens[1:]
	}
	return issueKinds[strings.Join(tokens, " ")]
}
