package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/stats"
)

// notesOf are all notes below the tables of a report, and its lines.
func notesOf(r *report.Report) []string {
	var out []string
	for _, t := range r.Tables {
		out = append(out, t.Notes...)
	}
	return append(out, r.Lines...)
}

// Imported tickets have no scenarios: their intervals are about other tickets.
func TestIntervalsAreAboutScenariosOnlyWhereThereAreSome(t *testing.T) {
	t.Parallel()
	for clusters, want := range map[int]string{20: "if other scenarios, and tickets of them, had been drawn", 0: "if other tickets had been drawn"} {
		x := twoTasks(t)
		x.Tasks[0].Clusters = clusters
		lines := report.FromComparisons([]report.Compared{x}).Lines
		if last := lines[len(lines)-1]; !strings.Contains(last, want) {
			t.Errorf("%d scenarios: %s, want %s", clusters, last, want)
		}
	}
}

func TestAGateWhoseIntervalIsNotTheTablesSaysWhy(t *testing.T) {
	t.Parallel()
	const wider = "A gate's interval allows for what so few tickets do not show: it is wider than that of the same difference in its table."
	const other = "A gate's interval allows for what so few tickets do not show: it is not that of the same difference in its table."
	for name, c := range map[string]struct {
		gate, scope      string
		value, low, high float64 // of the gate
		want             string
	}{
		"the same":                 {"score drop <= 0.02", "overall", 0.05, 0.02, 0.08, ""},
		"the same, turned":         {"score rise >= 0.02", "overall", -0.05, -0.08, -0.02, ""},
		"the same as rounded":      {"score drop <= 0.02", "overall", 0.05, 0.0201, 0.0802, ""},
		"wider":                    {"score drop <= 0.02", "overall", 0.05, 0, 0.1, wider},
		"wider on a task":          {"queue-hard.score drop <= 0.02", "queue-hard", 0.1, 0, 0.2, wider},
		"the same on a task":       {"queue-hard.score drop <= 0.02", "queue-hard", 0.1, 0.05, 0.15, ""},
		"wider for a part":         {"queue-hard.route drop <= 0.02", "queue-hard", 0.1, -0.1, 0.3, wider},
		"moved":                    {"score drop <= 0.02", "overall", 0.06, 0.03, 0.09, other},
		"narrower":                 {"score drop <= 0.02", "overall", 0.05, 0.04, 0.06, other},
		"new's own figure":         {"score >= 0.5", "overall", 0.7, 0.5, 0.9, ""},
		"a part that no table has": {"route drop <= 0.02", "overall", 0.1, -0.1, 0.3, ""},
		"another track":            {"desk.score drop <= 0.02", "desk", 0.1, -0.1, 0.3, ""},
	} {
		x := twoTasks(t)
		g, err := compare.ParseGate(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		x.Verdicts = []compare.Verdict{{Gate: g, Scope: c.scope, Outcome: compare.Pass, Value: c.value, Interval: &stats.Interval{Low: c.low, High: c.high}, N: 50, Units: "tickets"}}
		notes := slices.DeleteFunc(notesOf(report.FromComparisons([]report.Compared{x})), func(n string) bool { return !strings.HasPrefix(n, "A gate's interval") })
		if got := strings.Join(notes, "\n"); got != c.want {
			t.Errorf("%s: noted is %q, want %q", name, got, c.want)
		}
	}
}
