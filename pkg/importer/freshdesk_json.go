package importer

// freshdeskJSON is what Freshdesk's API gives: a list of tickets, results of a search, or a ticket a line.
func freshdeskJSON() Format {
	j := freshJSON("freshdesk-json", "Freshdesk JSON (API)")
	j.columns = append(j.columns,
		columns{Shown, "", []string{"product_id", "form_id"}},
		columns{Person, "says who somebody is", []string{"company_id", "company.*", "twitter_id", "facebook_id", "unique_external_id",
			"support_email"}},
		columns{Later, "set or changed while the ticket was worked on", []string{"association_type", "associated_tickets_count",
			"associated_tickets_list", "internal_agent_id", "internal_group_id", "archived", "structured_description",
			"ticket_cc_emails"}},
	)
	j.words["source"] = map[string]string{"1": "Email", "2": "Portal", "3": "Phone", "7": "Chat", "9": "Feedback Widget",
		"10": "Outbound Email"}
	j.sure = func(h *jsonHead) int {
		if service, fresh := freshMarks(h); fresh >= 3 && service == 0 {
			return 90
		}
		return 0
	}
	return j.format()
}

// freshserviceJSON is what Freshservice's API gives: pages of tickets, single tickets, or a ticket a line.
func freshserviceJSON() Format {
	j := freshJSON("freshservice-json", "Freshservice JSON (API)")
	j.columns = append(j.columns,
		columns{Person, "says who asks", []string{"department_id", "department.*", "requested_for*"}},
		columns{Outcome, "decided by the desk", []string{"category", "sub_category", "item_category", "impact", "urgency", "workspace_id"}},
		columns{Later, "set or changed while the ticket was worked on", []string{"approval_status*", "planned_start_date",
			"planned_end_date", "planned_effort", "tasks_dependency_type", "assets*", "problem*", "change*"}},
		columns{Later, "written after the ticket came in", []string{"resolution_notes*"}},
	)
	j.words["source"] = map[string]string{"1": "Email", "2": "Portal", "3": "Phone"}
	level := map[string]string{"1": "Low", "2": "Medium", "3": "High"}
	j.words["impact"], j.words["urgency"] = level, level
	j.sure = func(h *jsonHead) int {
		if service, fresh := freshMarks(h); fresh+service >= 3 && service > 0 {
			return 90
		}
		return 0
	}
	return j.format()
}

// freshMarks counts the members by which Freshservice is known, and those of both desks.
func freshMarks(h *jsonHead) (service, both int) {
	return h.has("department_id", "requested_for_id", "sub_category", "item_category", "workspace_id", "tasks_dependency_type",
			"resolution_notes_html", "approval_status"),
		h.has("responder_id", "fr_escalated", "is_escalated", "fr_due_by", "email_config_id", "description_text", "cc_emails", "fwd_emails",
			"reply_cc_emails", "to_emails", "company_id", "product_id")
}

// freshJSON is what both desks have.
func freshJSON(name, title string) *jsonFormat {
	return &jsonFormat{
		dialect: dialect{
			name: name, title: title,
			id: []string{"id"}, subject: []string{"subject"}, body: []string{"description", "description_text"},
			customer: []string{"requester_id", "email"}, created: []string{"created_at"}, clean: plainText,
			columns: []columns{
				{Shown, "", []string{"subject", "description", "created_at", "source"}},
				{Ignored, "a copy of the body without its lines", []string{"description_text"}},
				{Ignored, "links and numbers of the desk's own", []string{"id", "display_id", "email_config_id", "attachments*"}},
				{Person, "says who somebody is", []string{"requester*", "email", "phone", "name", "cc_emails", "fwd_emails",
					"reply_cc_emails", "to_emails", "bcc_emails", "created_by"}},
				{Outcome, "decided by the desk", []string{"priority", "type", "group_id", "group.*", "responder*", "spam"}},
				{Later, "set or changed while the ticket was worked on", []string{"status", "tags", "due_by", "fr_due_by", "nr_due_by",
					"updated_at", "fr_escalated", "nr_escalated", "is_escalated", "deleted"}},
				{Later, "measured after the ticket came in", []string{"stats*", "sla_policy*", "time_entries*"}},
				{Later, "written after the ticket came in", []string{"conversations*", "notes*"}},
				{Later, "said by the customer at the end", []string{"sentiment_score", "initial_sentiment_score", "satisfaction*", "survey*"}},
			},
			priority: freshPriority(),
		},
		shape:  jsonShape{lists: []string{"tickets", "results"}, single: []string{"ticket"}},
		markup: []string{"description"},
		skip:   map[string]jsonSkip{"deleted": {"true", "deleted in the help desk"}},
		words: map[string]map[string]string{
			"priority": {"1": "Low", "2": "Medium", "3": "High", "4": "Urgent"},
			"status":   {"2": "Open", "3": "Pending", "4": "Resolved", "5": "Closed"},
		},
	}
}
