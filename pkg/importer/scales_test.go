package importer

import (
	"fmt"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
)

func TestPriorityOfALabel(t *testing.T) {
	t.Parallel()
	const c, h, m, l = triage.UrgencyCritical, triage.UrgencyHigh, triage.UrgencyMedium, triage.UrgencyLow
	for label, want := range map[string]triage.Urgency{
		"P0": c, "p1": h, "P2": m, "P3": l, "P4": l, "critical": c, "sev1": c, "sev2": h, "SEV-3": m, "sev4": l, "severity/critical": c,
		"severity::2": h, "priority: high": h, "priority:medium": m, "Priority-Low": l, "high priority": h, "🔥 priority: urgent": c,
		"[P1]": h, "P1 - high": h, "1 - Critical": c, "priority/important-soon": h, "priority/backlog": l, "priority:1": h, "prio2": m,
		"Blocker": c, "Minor": l, "P2: medium": m, "impact: high": h, "severity2": h, "priority3": l,
		"bug": "", "high contrast": "", "low hanging fruit": "", "P5 js": "", "minor release": "", "sev": "", "priority": "", "P9": "", "p": "",
		"1": "", "area/p1": "", "": "", "🔥": "", "python3": "", "P10": "", "severity: unknown": "", "\x00\xff": "", "sprint 3": "",
	} {
		if got, ok := priorityOf(label); got != want || ok != (want != "") {
			t.Errorf("%q has priority %q, %v; want %q", label, got, ok, want)
		}
	}
}

func TestCopiesOfAColumn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, of string
		want     bool
	}{
		{"Group ID", "group", true}, {"group.name", "Group", true}, {"Group 2", "Group", true}, {"priority_sequence", "priority", true},
		{"Group size", "Group", false}, {"To address", "To", false}, {"Groups", "Group", false}, {"ungroup", "group", false},
	} {
		if got := copyOf(tt.name, tt.of); got != tt.want {
			t.Errorf("%q is a copy of %q: %v, want %v", tt.name, tt.of, got, tt.want)
		}
	}
}

// BenchmarkApply decides of records with two labels, two shown columns and eight that are held back.
func BenchmarkApply(b *testing.B) {
	l, err := NewLabels(jiraLike, LabelOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var recs []*Record
	for i := range 100 {
		recs = append(recs, rec(i, "Priority", []string{"High", "Low"}[i%2], "Group", fmt.Sprint("g", i%7), "Channel", "email", "Plan", fmt.Sprint("p", i%3),
			"Status", "open", "Resolution", "done", "Tags", "a b", "Assignee", "Ann", "Reporter", "Bob", "Updated", "2024", "Due", "2024", "Votes", "1"))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, _, err := l.Apply(recs[i%len(recs)]); err != nil {
			b.Fatal(err)
		}
	}
}

func TestKindOfAnIssue(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"bug": "bug", "Type: Bug": "bug", "kind/feature": "feature", "enhancement": "feature", "T-Defect": "bug", "docs": "documentation",
		"question ❓": "question", "not a bug": "", "help wanted": "", "type": "", "": "", "P1": "",
	} {
		if got := kindOf(label); got != want {
			t.Errorf("%q is a %q, want %q", label, got, want)
		}
	}
}
