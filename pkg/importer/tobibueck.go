package importer

import "github.com/triagebench/triage/pkg/triage"

// tobiBueckCSV is the form of Tobi Bueck's public sets of made-up support tickets, in German and English.
func tobiBueckCSV() Format { return tobiBueckTable().format() }

func tobiBueckTable() *dialect {
	return &dialect{
		name: "tobi-bueck", title: "Tobi-Bueck support tickets",
		subject: []string{"subject"}, body: []string{"body"},
		marks: []string{"answer", "queue", "language", "business_type", "tag_1", "tag_2", "type", "version"},
		need:  3,
		clean: unescaped,
		columns: []columns{
			{Shown, "", []string{"subject", "body", "language", "business_type"}},
			{Ignored, "a number of the set's own", []string{"version"}},
			{Outcome, "decided by the desk", []string{"type", "queue", "priority"}},
			{Later, "written after the ticket came in", []string{"answer"}},
			{Later, "set or changed while the ticket was worked on", []string{"tag_*"}},
		},
		priority: []Step{{"low", triage.UrgencyLow}, {"medium", triage.UrgencyMedium}, {"high", triage.UrgencyHigh},
			{"critical", triage.UrgencyCritical}},
	}
}
