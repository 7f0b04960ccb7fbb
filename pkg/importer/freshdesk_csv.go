package importer

import "github.com/triagebench/triage/pkg/triage"

// freshdeskCSV is the CSV export of Freshdesk's tickets. It has no column for the body: that comes from a second file.
func freshdeskCSV() Format { return freshdeskTable().format() }

// freshserviceCSV is the CSV export of Freshservice: much the same words, in title case, and more columns.
func freshserviceCSV() Format { return freshserviceTable().format() }

func freshdeskTable() *dialect {
	return &dialect{
		name: "freshdesk-csv", title: "Freshdesk CSV export",
		id: []string{"Ticket ID"}, subject: []string{"Subject"}, body: []string{"Description"}, created: []string{"Created time"},
		customer: []string{"Contact ID", "Email", "Full name", "Requester Email", "Requester Name"},
		marks: []string{"Created time", "Due by Time", "Resolved time", "Last update time", "Initial response time",
			"Agent interactions", "Customer interactions", "Resolution status", "First response status", "Survey results", "Source"},
		need:     2,
		clean:    markup,
		columns:  append(freshColumns(), columns{Shown, "", []string{"Subject", "Description", "Created time", "Source", "Product"}}, columns{Ignored, "a number of the desk's own", []string{"Ticket ID"}}),
		priority: freshPriority(),
	}
}

func freshserviceTable() *dialect {
	return &dialect{
		name: "freshservice-csv", title: "Freshservice CSV export",
		id: []string{"Ticket Id"}, subject: []string{"Subject"}, body: []string{"Description"}, created: []string{"Created Time"},
		customer: []string{"Requester Email", "Requester Id", "Requester Name", "Email"},
		marks: []string{"Requester Name", "Requester Email", "Category", "Sub-Category", "Item", "Impact", "Urgency", "Department",
			"Requester Location", "Approval Status", "Planned Start Date"},
		need:  2,
		clean: markup,
		columns: append(freshColumns(),
			columns{Shown, "", []string{"Subject", "Description", "Created Time", "Source"}},
			columns{Ignored, "a number of the desk's own", []string{"Ticket Id"}},
			columns{Person, "says who asks", []string{"Requester Name", "Requester Email", "Requester Id", "Requester Location",
				"Requester VIP", "Requester Phone", "Department", "Department Name", "Requested For Name", "Requested For Email"}},
			columns{Outcome, "decided by the desk", []string{"Category", "Sub-Category", "Item", "Impact", "Urgency", "Workspace"}},
			columns{Later, "set or changed while the ticket was worked on", []string{"Approval Status", "Planned Start Date",
				"Planned End Date", "Planned Effort", "Resolution Note", "Resolution Notes", "Created By", "Closure Code"}}),
		priority: freshPriority(),
	}
}

// freshColumns are those of both desks.
func freshColumns() []columns {
	return []columns{
		{Person, "says who asks", []string{"Full name", "Title", "Email", "Work phone", "Mobile phone", "Twitter ID", "Contact ID",
			"Unique external ID", "Time zone", "Company Name"}},
		{Outcome, "decided by the desk", []string{"Priority", "Type", "Group", "Agent"}},
		{Later, "set or changed while the ticket was worked on", []string{"Status", "Tags", "Due by Time", "Resolved time", "Closed time",
			"Last update time", "Last Updated Time", "Association type", "Internal agent", "Internal group"}},
		{Later, "measured after the ticket came in", []string{"Initial response time", "Time tracked", "First response time*",
			"Resolution time*", "Agent interactions", "Customer interactions", "Resolution status", "First response status",
			"Every response status", "Assigned Time*", "SLA*"}},
		{Later, "said by the customer at the end", []string{"Survey results", "Survey result"}},
		{Later, "written after the ticket came in", []string{"Summary"}},
	}
}

func freshPriority() []Step {
	return []Step{{"Low", triage.UrgencyLow}, {"Medium", triage.UrgencyMedium}, {"High", triage.UrgencyHigh},
		{"Urgent", triage.UrgencyCritical}}
}
