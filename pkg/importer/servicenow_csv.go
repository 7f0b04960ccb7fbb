package importer

import "github.com/triagebench/triage/pkg/triage"

// servicenowCSV is a list of ServiceNow as CSV, its columns called by field names (short_description) or, from reports, by labels (Short
// description). It is often in Windows-1252.
func servicenowCSV() Format { return servicenowTable().format() }

func servicenowTable() *dialect {
	return &dialect{
		name: "servicenow-csv", title: "ServiceNow CSV export",
		id: []string{"number"}, subject: []string{"short_description"}, body: []string{"description"},
		created:  []string{"opened_at", "Opened", "sys_created_on", "Created"},
		customer: []string{"caller_id", "Caller", "opened_by", "Opened by"},
		marks: []string{"caller_id", "Caller", "opened_at", "Opened", "assignment_group", "assigned_to", "sys_updated_on", "sys_updated_by",
			"sys_id", "contact_type", "close_code", "cmdb_ci"},
		need:  1,
		clean: markup,
		columns: []columns{
			{Shown, "", []string{"short_description", "Short description", "description", "Description", "opened_at", "Opened",
				"sys_created_on", "contact_type", "Contact type", "Channel", "business_service", "Service"}},
			{Ignored, "a number of the desk's own", []string{"number", "Number", "sys_id", "Sys ID", "sys_class_name", "Task type"}},
			{Person, "says who somebody is", []string{"caller_id", "Caller", "opened_by", "Opened by", "sys_created_by", "Created by",
				"company", "location", "caller_id.*", "watch_list"}},
			{Outcome, "decided by the desk", []string{"priority", "Priority", "impact", "Impact", "urgency", "Urgency", "severity", "Severity",
				"category", "Category", "subcategory", "Subcategory", "assignment_group", "Assignment group", "assigned_to", "Assigned to",
				"cmdb_ci", "Configuration item"}},
			{Later, "set or changed while the ticket was worked on", []string{"state", "State", "incident_state", "Incident state",
				"sys_updated_on", "Updated", "sys_updated_by", "Updated by", "resolved_at", "Resolved", "resolved_by", "Resolved by",
				"closed_at", "Closed", "closed_by", "Closed by", "active", "Active", "reopen_count", "reassignment_count", "sys_mod_count",
				"problem_id", "rfc", "caused_by", "escalation", "made_sla", "due_date", "sla_due", "hold_reason", "On hold reason",
				"parent_incident", "approval"}},
			{Later, "written after the ticket came in", []string{"close_code", "Close code", "Resolution code", "close_notes", "Close notes",
				"Resolution notes", "comments", "comments_and_work_notes", "work_notes", "Additional comments", "Work notes"}},
			{Later, "measured after the ticket came in", []string{"calendar_duration", "business_duration", "calendar_stc", "business_stc",
				"time_worked", "Duration", "Business duration", "Resolve time"}},
		},
		// The words of list exports, and the bare numbers of the table behind them.
		priority: []Step{{"5 - Planning", triage.UrgencyLow}, {"5", triage.UrgencyLow}, {"4 - Low", triage.UrgencyLow}, {"4", triage.UrgencyLow},
			{"3 - Moderate", triage.UrgencyMedium}, {"3", triage.UrgencyMedium}, {"2 - High", triage.UrgencyHigh}, {"2", triage.UrgencyHigh},
			{"1 - Critical", triage.UrgencyCritical}, {"1", triage.UrgencyCritical}},
	}
}
