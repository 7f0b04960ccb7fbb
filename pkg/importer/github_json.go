package importer

import (
	"slices"
	"strings"
)

// githubJSON is what GitHub's API gives for issues (lists, searches, pages put together) and what gh issue list --json prints. Pull
// requests, which the API lists among issues, are no tickets. Priorities are in labels only.
func githubJSON() Format {
	return (&jsonFormat{
		dialect: dialect{
			name: "github-json", title: "GitHub issues (API or gh --json)",
			id: []string{"number", "id"}, subject: []string{"title"}, body: []string{"body"},
			customer: []string{"user", "author"}, created: []string{"created_at", "createdAt"},
			columns: []columns{
				{Shown, "", []string{"title", "body", "created_at", "createdAt", "author_association"}},
				{Ignored, "links and numbers of the desk's own", []string{"number", "id", "node_id", "url", "html_url", "repository_url",
					"labels_url", "comments_url", "events_url", "timeline_url", "labels.*", "score", "performed_via_github_app*",
					"repository*", "body_html", "body_text", "url.*"}},
				{Person, "says who somebody is", []string{"user*", "author", "author.*", "closed_by*"}},
				{Outcome, "decided by the desk", []string{"labels", "assignee*", "milestone*", "type", "type.*", "issueType*"}},
				{Later, "set or changed while the ticket was worked on", []string{"state", "state_reason", "locked", "active_lock_reason",
					"updated_at", "closed_at", "closed", "isPinned", "pinned*", "projectCards*", "projectItems*", "sub_issues*", "draft",
					"issue_dependencies*", "issue_field_values*", "parent*", "closedByPullRequestsReferences*"}},
				{Later, "written after the ticket came in", []string{"comments*", "commentsCount"}},
				{Later, "said by others after the ticket came in", []string{"reactions*", "reactionGroups*"}},
			},
		},
		shape:  jsonShape{lists: []string{"items"}},
		rename: githubName,
		skip: map[string]jsonSkip{
			"pull_request":  {"", "a pull request, not an issue"},
			"isPullRequest": {"true", "a pull request, not an issue"},
		},
		sure: sureOfGitHub,
	}).format()
}

// githubName calls what has a name by it: labels.name is labels, user.login is user. Links within objects are left out.
func githubName(member string) (field string, rank int) {
	switch member {
	case "labels.name", "milestone.title", "type.name", "issueType.name":
		return member[:strings.IndexByte(member, '.')], 0
	case "user.login", "author.login", "assignee.login", "assignees.login", "closed_by.login":
		return member[:strings.IndexByte(member, '.')], 0
	}
	if strings.HasPrefix(member, "pull_request.") {
		return "pull_request", 0
	}
	if i := strings.LastIndexByte(member, '.'); i > 0 && isPlumbing(member[i+1:]) {
		return "", 0
	}
	return member, 0
}

// isPlumbing tells whether a member of an object of GitHub or Jira is a link or a picture.
func isPlumbing(name string) bool {
	return strings.HasSuffix(name, "_url") || strings.HasSuffix(name, "Url") || name == "url" || name == "self" || name == "node_id" ||
		name == "gravatar_id"
}

// ghMembers are those that gh can be asked for.
var ghMembers = []string{"assignees", "assignees.", "author", "author.", "body", "closed", "closedAt", "comments", "comments.", "createdAt",
	"id", "isPinned", "labels", "labels.", "milestone", "milestone.", "number", "projectCards", "projectCards.", "projectItems",
	"projectItems.", "reactionGroups", "reactionGroups.", "state", "stateReason", "title", "updatedAt", "url"}

// sureOfGitHub knows the API by its links, and gh by having nothing but its own members.
func sureOfGitHub(h *jsonHead) int {
	switch {
	case h.has("number", "title") == 2 && h.has("repository_url", "labels_url", "events_url", "node_id", "author_association") >= 2:
		return 95
	case h.has("number", "title") == 2 && h.has("state", "labels", "labels.name", "user.login", "html_url", "created_at", "state_reason") >= 3:
		return 70 // the API's, of which a part was taken
	case h.has("title") == 0 || h.has("number", "url", "createdAt", "stateReason") == 0:
		return 0
	}
	for name := range h.members {
		if i := strings.IndexByte(name, '.'); i >= 0 {
			name = name[:i+1]
		}
		if !slices.Contains(ghMembers, name) {
			return 0
		}
	}
	if h.has("createdAt", "closedAt", "updatedAt", "stateReason", "labels.color", "author.login", "isPinned") > 0 {
		return 85
	}
	return 60
}
