package importer

import "strings"

// servicenowJSON is what ServiceNow's Table API gives, with values, with displayed values, or with both, and JSON exports of lists.
// Where a field has both, the displayed one is taken, but for dates, whose value is in UTC.
func servicenowJSON() Format {
	d := *servicenowTable()
	d.name, d.title = "servicenow-json", "ServiceNow JSON (Table API)"
	d.columns = append([]columns{{Ignored, "a number of the desk's own", []string{"sys_domain*", "sys_tags", "task_effective_number", "universal_request"}},
		{Later, "set or changed while the ticket was worked on", []string{"work_start", "work_end", "activity_due", "work_notes_list",
			"additional_assignee_list", "group_list", "child_incidents", "reopened_*", "business_stc", "upon_*", "correlation_*",
			"follow_up", "expected_start", "delivery_*", "sla*", "knowledge", "comments_and_work_notes", "notify", "order", "parent"}},
	}, d.columns...)
	return (&jsonFormat{
		dialect: d,
		shape:   jsonShape{lists: []string{"result", "records"}, single: []string{"result"}},
		rename:  servicenowName,
		sure: func(h *jsonHead) int {
			marks := 0
			for _, name := range []string{"sys_id", "short_description", "number", "opened_at", "assignment_group", "caller_id",
				"sys_updated_on", "sys_created_on", "cmdb_ci", "contact_type"} {
				marks += min(1, h.has(name, name+"."))
			}
			switch {
			case marks >= 2 && h.page == "result":
				return 95
			case marks >= 3:
				return 90
			case h.page == "result" && h.members == nil:
				return 20
			}
			return 0
		},
	}).format()
}

// servicenowName puts {"display_value": "1 - Critical", "value": "1"} and {"link": …, "value": …} under the name of the field. The link
// says no more than the value.
func servicenowName(member string) (field string, rank int) {
	if name, ok := strings.CutSuffix(member, ".display_value"); ok {
		if isServicenowDate(name) {
			return name, 2
		}
		return name, 0
	}
	if name, ok := strings.CutSuffix(member, ".value"); ok {
		return name, 1
	}
	if strings.HasSuffix(member, ".link") {
		return "", 0
	}
	return member, 0
}

func isServicenowDate(name string) bool {
	return strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_on") || strings.HasSuffix(name, "_date")
}
