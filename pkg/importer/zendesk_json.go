package importer

// zendeskJSON is what Zendesk's API and its full export give: pages of tickets (lists, searches, incremental exports by cursor or by
// time), single tickets, or a ticket a line.
func zendeskJSON() Format {
	return (&jsonFormat{
		dialect: dialect{
			name: "zendesk-json", title: "Zendesk JSON (API, incremental or full export)",
			id: []string{"id"}, subject: []string{"subject", "raw_subject"}, body: []string{"description"},
			customer: []string{"requester_id", "submitter_id"}, created: []string{"created_at"},
			columns: []columns{
				{Shown, "", []string{"subject", "description", "created_at", "via.channel", "via.source.rel", "from_messaging_channel",
					"ticket_form_id", "brand_id", "is_public"}},
				{Ignored, "a copy of the subject", []string{"raw_subject"}},
				{Ignored, "links and numbers of the desk's own", []string{"id", "url", "external_id", "forum_topic_id", "sharing_agreement_ids*",
					"generated_timestamp", "allow_channelback", "allow_attachments", "encoded_id", "result_type", "support_type"}},
				{Person, "says who somebody is", []string{"requester*", "submitter*", "organization*", "collaborator*", "follower*",
					"email_cc*", "recipient", "via.source.*", "via_id"}},
				{Outcome, "decided by the desk", []string{"priority", "type", "group_id", "group", "group.*", "assignee*", "problem_id"}},
				{Later, "set or changed while the ticket was worked on", []string{"status", "custom_status_id", "tags", "updated_at",
					"due_at", "has_incidents", "followup_ids", "followup_source_id", "deleted_ticket_form_id", "dates*"}},
				{Later, "said by the customer at the end", []string{"satisfaction*"}},
				{Later, "written after the ticket came in", []string{"comments*", "audits*", "events*", "comment_count"}},
				{Later, "measured after the ticket came in", []string{"metric_set*", "metric_events*", "slas*", "metrics*"}},
			},
			priority: zendeskTable().priority,
		},
		shape: jsonShape{lists: []string{"tickets", "results"}, single: []string{"ticket"}},
		skip: map[string]jsonSkip{
			"status":      {"deleted", "deleted in the help desk"},
			"result_type": {"user", "not a ticket"},
		},
		hook: zendeskCustomFields,
		sure: func(h *jsonHead) int {
			switch marks := h.has("submitter_id", "raw_subject", "ticket_form_id", "brand_id", "allow_channelback", "custom_status_id",
				"satisfaction_rating", "satisfaction_rating.", "via.channel", "organization_id", "has_incidents", "requester_id"); {
			case marks >= 4:
				return 95
			case marks >= 2 && h.has("raw_subject", "submitter_id", "via.channel") > 0:
				return 80
			case h.page == "tickets" && h.members == nil: // a page without tickets
				return 20
			}
			return 0
		},
	}).format()
}

// zendeskCustomFields gives the value of each custom field under its number: they stand as [{"id": 360, "value": "x"}]. The member
// called fields has the same.
func zendeskCustomFields(f *jsonFlat, name string) (bool, error) {
	if name != "custom_fields" && name != "fields" || f.data[f.pos] != '[' {
		return false, nil
	}
	return true, f.pairs("id", "value", func(id, value []byte) error {
		if len(id) == 0 {
			return nil
		}
		f.other = appendName(append(f.other[:0], "custom_fields."...), id)
		return f.set(f.other, value)
	})
}
