package importer

import "github.com/triagebench/triage/pkg/triage"

// zendeskCSV is the CSV export of Zendesk's views and of its account data. It has no column for the body: that comes from a second file.
func zendeskCSV() Format { return zendeskTable().format() }

func zendeskTable() *dialect {
	return &dialect{
		name: "zendesk-csv", title: "Zendesk CSV export",
		id: []string{"Id", "Ticket ID"}, subject: []string{"Subject"}, created: []string{"Created at"},
		// Some accounts add a column of their own.
		body:     []string{"Description", "First comment"},
		customer: []string{"Requester id", "Requester email", "Requester external id", "Requester"},
		marks: []string{"Summation column", "Requester", "Requester id", "Requester email", "Requester domain", "Submitter", "Via",
			"Ticket type", "Initially assigned at", "Satisfaction Score", "Group stations", "Assignee stations",
			"First reply time in minutes"},
		need:  2,
		clean: markup,
		columns: []columns{
			{Shown, "", []string{"Subject", "Description", "First comment", "Created at", "Via", "Brand", "Ticket form", "Language"}},
			{Ignored, "a number of the desk's own", []string{"Id", "Summation column", "External id"}},
			{Person, "says who asks", []string{"Requester", "Requester id", "Requester external id", "Requester email", "Requester domain",
				"Submitter", "Organization"}},
			{Outcome, "decided by the desk", []string{"Group", "Priority", "Ticket type", "Assignee", "Assignee id", "Problem id"}},
			{Later, "set or changed while the ticket was worked on", []string{"Tags", "Status", "Updated at", "Assigned at",
				"Initially assigned at", "Solved at", "Due date", "Group stations", "Assignee stations", "Reopens", "Latest comment"}},
			{Later, "measured after the ticket came in", []string{"Replies", "Resolution time", "First reply time*", "First resolution time*",
				"Full resolution time*", "Agent wait time*", "Requester wait time*", "On hold time*", "SLA*"}},
			{Later, "said by the customer at the end", []string{"Satisfaction Score", "Satisfaction*"}},
		},
		priority: []Step{{"low", triage.UrgencyLow}, {"normal", triage.UrgencyMedium}, {"high", triage.UrgencyHigh},
			{"urgent", triage.UrgencyCritical}},
	}
}
