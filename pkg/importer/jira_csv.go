package importer

import "github.com/triagebench/triage/pkg/triage"

// jiraCSV is the CSV that Jira and Jira Service Management export from a search: columns of one name stand side by side, one for each
// value, and descriptions are in wiki markup.
func jiraCSV() Format { return jiraTable().format() }

// jiraPipelineCSV is the issues table of Jira's data pipeline: names as in a database, descriptions cut at 2,000 characters, line breaks
// written as \n.
func jiraPipelineCSV() Format { return jiraPipelineTable().format() }

func jiraTable() *dialect {
	return &dialect{
		name: "jira-csv", title: "Jira CSV export",
		id: []string{"Issue key", "Key"}, subject: []string{"Summary"}, body: []string{"Description"}, created: []string{"Created"},
		customer: []string{"Reporter Id", "Reporter", "Creator"},
		marks: []string{"Issue key", "Issue id", "Issue Type", "Project key", "Project name", "Reporter", "Creator", "Status", "Resolution",
			"Assignee", "Updated", "Last Viewed"},
		need: 3, order: monthFirst, clean: wikiText,
		columns: []columns{
			{Shown, "", []string{"Summary", "Description", "Created", "Environment", "Project key", "Project name", "Project type",
				"Custom field (Request Type)", "Custom field (Customer Request Type)"}},
			{Ignored, "a number of the desk's own", []string{"Issue key", "Key", "Issue id", "Custom field (Rank)", "Custom field (Development)"}},
			{Ignored, "about the project, the same for all its tickets", []string{"Project lead", "Project lead id", "Project description",
				"Project url"}},
			{Ignored, "links to files", []string{"Attachment"}},
			{Person, "says who somebody is", []string{"Reporter", "Reporter Id", "Creator", "Creator Id", "Watchers", "Watchers Id",
				"Custom field (Organizations)", "Custom field (Request participants)", "Last Viewed"}},
			{Outcome, "decided by the desk", []string{"Priority", "Issue Type", "Component/s", "Components", "Assignee", "Assignee Id",
				"Security Level", "Affects Version/s", "Affects versions", "Custom field (Impact)", "Custom field (Urgency)",
				"Custom field (Severity)"}},
			{Later, "set or changed while the ticket was worked on", []string{"Status", "Status Category", "Status Category Changed",
				"Resolution", "Updated", "Resolved", "Fix Version/s", "Fix versions", "Due Date", "Labels", "Votes", "Sprint", "Parent",
				"Parent id", "Parent key", "Parent summary", "Sub-Tasks", "Outward issue link*", "Inward issue link*", "Custom field (Sprint)",
				"Custom field (Epic Link)", "Custom field (Story Points)", "Custom field (Approvals)"}},
			{Later, "written after the ticket came in", []string{"Comment", "Comments",
				"Custom field (Resolution*", "Custom field (Root cause*"}},
			{Later, "measured after the ticket came in", []string{"Log Work", "Original Estimate", "Remaining Estimate", "Time Spent", "Work Ratio",
				"Σ*", "Custom field (Time to*", "Custom field ([CHART]*"}},
			{Later, "said by the customer at the end", []string{"Satisfaction*", "Custom field (Satisfaction*"}},
		},
		priority: jiraPriority(),
	}
}

func jiraPipelineTable() *dialect {
	return &dialect{
		name: "jira-pipeline-csv", title: "Jira data pipeline CSV",
		id: []string{"key", "id"}, subject: []string{"summary"}, body: []string{"description"}, created: []string{"created_date"},
		customer: []string{"reporter_id", "reporter_key", "reporter_name", "reporter_email"},
		marks: []string{"instance_url", "project_key", "issue_type", "priority_sequence", "priority_name", "status_category", "created_date",
			"updated_date", "resolution_date"},
		need:  3,
		clean: func(s string) string { return wikiText(unescaped(s)) },
		columns: []columns{
			{Shown, "", []string{"summary", "description", "created_date", "project_key", "project_name", "project_type", "project_category",
				"environment"}},
			{Ignored, "a number of the desk's own", []string{"id", "key", "issue_id", "project_id", "security_level_id"}},
			{Ignored, "links", []string{"instance_url", "url"}},
			{Person, "says who somebody is", []string{"creator*", "reporter*", "account_id"}},
			{Outcome, "decided by the desk", []string{"issue_type", "issue_type_id", "priority*", "assignee*", "security_level"}},
			{Later, "set or changed while the ticket was worked on", []string{"status", "status_id", "status_category", "resolution",
				"resolution_date", "updated_date", "due_date", "watcher_count", "vote_count", "labels", "components", "fix_versions",
				"parent_id", "parent_key", "archived_date", "archiver_*"}},
			{Later, "measured after the ticket came in", []string{"time_spent", "remaining_estimate", "original_estimate", "aggregate_*"}},
		},
		priority: jiraPriority(),
	}
}

// jiraPriority is Jira's scale and the one it had before.
func jiraPriority() []Step {
	return []Step{{"Trivial", triage.UrgencyLow}, {"Lowest", triage.UrgencyLow}, {"Minor", triage.UrgencyLow}, {"Low", triage.UrgencyLow},
		{"Medium", triage.UrgencyMedium}, {"Major", triage.UrgencyHigh}, {"High", triage.UrgencyHigh},
		{"Critical", triage.UrgencyCritical}, {"Highest", triage.UrgencyCritical}, {"Blocker", triage.UrgencyCritical}}
}
