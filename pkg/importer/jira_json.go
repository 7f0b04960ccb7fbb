package importer

import (
	"bytes"
	"strings"
)

// jiraJSON is what the REST API of Jira and Jira Service Management gives for a search: pages of issues, in version 2 with texts in wiki
// markup, in version 3 with documents; and the requests of the service desk's own API.
func jiraJSON() Format {
	return (&jsonFormat{
		dialect: dialect{
			name: "jira-json", title: "Jira JSON (REST search)",
			id: []string{"key", "issueKey", "id"}, subject: []string{"summary"}, body: []string{"description"},
			customer: []string{"reporter.accountId", "reporter.emailAddress", "reporter.key", "reporter", "creator.accountId",
				"creator.emailAddress", "creator.key", "creator"},
			created: []string{"created", "createdDate.iso8601", "createdDate.epochMillis"},
			columns: []columns{
				{Shown, "", []string{"summary", "description", "created", "environment", "project", "project.key", "project.name",
					"project.projectTypeKey", "requestTypeId", "requestType", "requestType.name"}},
				{Ignored, "links and numbers of the desk's own", []string{"id", "key", "self", "expand", "project.*", "attachment*", "issuetype.*",
					"priority.*", "components.*", "thumbnail*", "properties*", "operations*", "editmeta*", "schema*", "names*", "issueId", "issueKey",
					"serviceDeskId", "requestType.*", "_links*", "_expands*", "createdDate*"}},
				{Later, "a custom field, which may be filled in after triage", []string{"customfield_*"}},
				{Ignored, "a copy in another form", []string{"renderedFields*", "versionedRepresentations*", "fieldsToInclude*"}},
				{Person, "says who somebody is", []string{"reporter*", "creator*", "watches*", "lastViewed"}},
				{Outcome, "decided by the desk", []string{"priority", "issuetype", "components", "assignee*", "security*", "versions*"}},
				{Later, "set or changed while the ticket was worked on", []string{"status*", "currentStatus*", "resolution*", "updated", "fixVersions*",
					"duedate", "labels", "votes*", "parent*", "subtasks*", "issuelinks*", "issuerestriction*"}},
				{Later, "written after the ticket came in", []string{"comment*", "changelog*", "transitions*"}},
				{Later, "measured after the ticket came in", []string{"time*", "aggregate*", "progress*", "workratio", "worklog*"}},
			},
			priority: jiraPriority(), clean: wikiText,
		},
		shape:  jsonShape{lists: []string{"issues", "values"}},
		rename: jiraName,
		markup: []string{"fields.description"},
		hook: func(f *jsonFlat, name string) (bool, error) {
			if name == "requestFieldValues" && f.data[f.pos] == '[' {
				return true, requestValues(f)
			}
			return jiraDocument(f, name)
		},
		sure: func(h *jsonHead) int {
			switch {
			case h.has("key") > 0 && h.has("fields.") > 0 && h.has("self", "id", "expand") > 0:
				return 95
			case h.has("fields.summary") > 0, h.has("issueKey", "requestTypeId", "requestFieldValues.fieldId") >= 2:
				return 90
			case h.page == "issues" && h.members == nil:
				return 20
			}
			return 0
		},
	}).format()
}

// requestValues gives what was filled into the form of a request: [{"fieldId": "summary", "label": "What is it?", "value": "x"}].
func requestValues(f *jsonFlat) error {
	return f.pairs("fieldId", "value", func(id, value []byte) error {
		return f.set(appendName([]byte("fields."), id), value)
	})
}

// jiraName takes the names of fields out of their object. What has a name or a value is called by it: fields.priority.name is priority. Links
// within objects are left out.
func jiraName(member string) (field string, rank int) {
	field, ok := strings.CutPrefix(member, "fields.")
	if !ok {
		return member, 0
	}
	before, last, ok := cutLast(field)
	if i := strings.Index(field, ".requestType."); i > 0 && strings.HasPrefix(field, "customfield_") {
		before, field = "requestType", field[i+1:] // what the customer chose in the portal, under a number that each desk has its own of
	}
	switch {
	case !ok:
		return field, 0
	case last == documentMember:
		return before, 0
	case strings.Contains(before, "."):
	case last == "displayName" || last == "value":
		return before, 0
	case last == "name":
		return before, 1
	}
	if isPlumbing(last) || strings.HasSuffix(before, "avatarUrls") {
		return "", 0
	}
	return field, 0
}

// cutLast cuts a dotted name at its last dot.
func cutLast(name string) (before, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// documentMember is what the text of a document is called in it. It has no markup any more.
const documentMember = "(document)"

// jiraDocument reads a document in Atlassian's format as its text, in members that may have one.
func jiraDocument(f *jsonFlat, name string) (bool, error) {
	if f.data[f.pos] != '{' || name != "fields.description" && name != "fields.environment" && !strings.HasSuffix(name, ".body") &&
		!strings.HasPrefix(name, "fields.customfield_") {
		return false, nil
	}
	start := f.pos
	raw, err := f.raw()
	if err != nil {
		return false, err
	}
	const near = 100 // the type of a document is near its beginning, or its end
	if mark := []byte(`"doc"`); bytes.Contains(raw[:min(near, len(raw))], mark) || bytes.Contains(raw[max(0, len(raw)-near):], mark) {
		if text, ok := documentText(raw); ok {
			return true, f.set([]byte(name+"."+documentMember), []byte(text))
		}
	}
	f.pos = start
	return false, nil
}
