package report

import (
	"fmt"

	"github.com/triagebench/triage/pkg/compare"
)

// FromRepeats builds the report of gates that were checked on repeats of one agent.
func FromRepeats(r *compare.Repeats) *Report {
	t := Table{Name: "gates", Title: "Gates on repeats, between which nothing changed", Columns: []Column{{Title: "Gate", Key: "gate", Text: true}, {Title: "Passes", Key: "passes"},
		{Title: "Inconclusive", Key: "inconclusive"}, {Title: "Regressions", Key: "regressions"}, {Title: "Against itself", Key: "self"}, {Title: "Note", Key: "note", Text: true, Width: 70}}}
	for i := range r.Gates {
		g := &r.Gates[i]
		row := []Cell{g.Gate.String(), g.Passes, g.Inconclusive, g.Regressions, g.Self, ""}
		switch {
		case g.Skipped != "":
			row[1], row[2], row[3], row[4], row[5] = nil, nil, nil, nil, "left out: "+g.Skipped
		case !g.Settles():
			row[5] = "inconclusive of every pair: it tells nothing of these repeats"
		case g.Worst != nil:
			row[5] = cleaned(fmt.Sprintf("%.1f %% of the verdicts; of %d disjoint pairs %d, which chance gives in %.2g %%; worst, %s → %s on %s: %s", 100*g.Share(), g.Disjoint, g.Alarms, 100*g.Chance, g.Base, g.New, g.Worst.Scope, g.Worst.Why), noteLength)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Against itself: verdicts of a repeat against itself that are a regression."}
	out := &Report{Tables: []Table{t}, Values: map[string]Cell{"holds": r.Holds(), "pairs": r.Pairs}}
	repeats := make([]string, len(r.Sides))
	for i, name := range r.Sides {
		repeats[i] = cleaned(name, nameLength)
		out.Lines = append(out.Lines, "Repeat: "+repeats[i])
	}
	out.Values["repeats"] = repeats
	judged, settled, called := 0, 0, 0
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Skipped == "" {
			judged++
			called += g.Regressions
			if g.Settles() {
				settled++
			}
		}
	}
	word := "The gates hold: none calls a repeat a regression."
	switch {
	case !r.Holds():
		word = "The gates do not hold: they call repeats a regression more often than chance gives."
	case settled == 0:
		word = "The gates say nothing of these repeats: every verdict is inconclusive. More tickets, or a wider margin, would tell."
	case called > 0:
		word = "The gates hold: they call repeats a regression no more often than chance gives."
	case settled < judged:
		word = "The gates hold, but for those that are inconclusive of every pair: none calls a repeat a regression."
	}
	out.Lines = append(out.Lines, fmt.Sprintf("Ordered pairs of two repeats: %d.", r.Pairs), word)
	return out
}
