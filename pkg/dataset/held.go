package dataset

import (
	"slices"
	"strings"
)

// HeldKind says why a column is kept from agents.
type HeldKind int

// The kinds.
const (
	// HeldLater columns are known only after triage.
	HeldLater HeldKind = iota + 1
	// HeldDecided columns are what a desk decides in triage: labels, or copies of them.
	HeldDecided
	// HeldPerson columns say who somebody is.
	HeldPerson
	// HeldPlumbing columns are links, ids and other plumbing.
	HeldPlumbing
)

// heldRule holds columns back by their bare names.
type heldRule struct {
	kind     HeldKind
	why      string
	prefixes []string // of a bare name
	names    []string // whole bare names
	// alone says that names are those of whole columns: customer is a person, customer.plan is none.
	alone bool
}

const (
	whyResolved = "known only when the ticket was resolved"
	whyTruth    = "says what the right answer is"
	whyDecided  = "what the desk decided in triage"
	whyCustomer = "says who the customer is"
)

// heldRules decide of columns that no format names; the first that fits counts. They hold back too much rather than too
// little: a column that is missed tells the answer, one that is held back for nothing costs a hint.
var heldRules = []heldRule{
	{HeldLater, whyTruth, []string{"predict", "goldlabel", "goldanswer"}, []string{"facts", "truth", "gold", "target"}, false},
	{HeldLater, whyResolved, []string{"resol", "solution", "solved", "close", "closure", "outcome", "fullresol", "timeto",
		"reopen", "rootcause", "finish", "complet", "enddate", "endtime", "ended", "actiontaken", "actionstaken", "workaround", "remed",
		"fixdescription", "nextstep", "mergedinto", "mergedto", "duplicateof", "linked", "approv", "refundamount", "refunded", "compensation"},
		[]string{"fix", "action", "actions", "merged", "duplicate", "parent", "parentid", "approval"}, false},
	{HeldLater, "an agent's answer, written after triage", []string{"answer", "repl", "response", "respond", "firstrepl", "firstrespon",
		"everyrespon", "comment", "worknote", "firstreply", "initialresponse", "conversation", "transcript", "additionalnote", "agentnote"}, []string{"note", "notes",
		"thread", "messages"}, false},
	{HeldLater, "what was done with the ticket", []string{"history", "audit", "activity", "activiti", "changelog", "timeline", "escalat", "breach", "violat"},
		[]string{"changes", "events"}, false},
	{HeldLater, "measured while the ticket was worked on", []string{"timespent", "timetrack", "logwork", "worklog", "workratio",
		"agentwait", "requesterwait", "onhold", "slabreach", "stations", "frescalated"}, []string{"sla", "agentinteractions",
		"customerinteractions", "groupstations", "assigneestations", "votes", "votecount", "watchers", "watchcount"}, false},
	{HeldLater, "a deadline, which is set by priority", []string{"due", "frdue"}, nil, false},
	{HeldLater, "changes whenever the ticket is touched", []string{"update", "lastupdate", "lastview", "sysupdate", "lastmodif",
		"modified"}, nil, false},
	{HeldLater, "what the customer thought of the outcome", []string{"satisf", "customersatisf", "csat", "nps", "survey",
		"rating"}, nil, false},
	{HeldLater, "who worked on the ticket", []string{"agent", "assign", "initiallyassign", "handledby", "technician",
		"supporter"}, []string{"owner", "operator", "engineer", "representative"}, false},
	{HeldLater, "how far the ticket is now", []string{"status", "customstatus", "statereason"}, []string{"state"}, false},
	{HeldLater, "tags are added while a ticket is worked on", []string{"tag"}, nil, false},
	{HeldLater, "set when the work was planned", []string{"milestone", "fixversion"}, nil, false},
	{HeldDecided, whyDecided, []string{"group", "subcategor", "impact", "priorit", "urgenc", "severit", "label", "categor", "intent",
		"route", "queue", "department", "recommendation"}, []string{"type", "typename", "typeid", "difficulty", "resolutiondifficulty", "team",
		"teamname", "teamid", "assignedteam", "supportteam", "class", "classification", "y", "component", "components", "componentid"}, false},
	{HeldPerson, whyCustomer, []string{"requester", "requestedby", "reporter", "creator", "createdby", "submitter", "submittedby",
		"caller", "openedby", "customername", "customeremail", "customerphone", "customerid", "customeraddress", "contactname",
		"contactemail", "contactphone", "contactid", "clientname", "clientemail", "username", "useremail", "userid", "userlogin",
		"author", "sender", "firstname", "lastname", "fullname", "surname", "email", "mail", "phone", "mobile", "workphone",
		"homephone", "address", "street", "postcode", "zipcode", "organization", "organisation", "companyname", "ipaddress",
		"recipient", "collaborator", "follower", "ccemail", "replycc", "fwdemail", "toemail", "watcher", "fromname", "fromaddress",
		"toname", "toaddress"},
		[]string{"name", "customer", "user", "client", "company", "companyid", "from", "to", "cc", "bcc", "customerage",
			"customergender", "age", "gender", "birthdate", "dateofbirth", "ssn", "ip", "iban", "creditcard", "cardnumber",
			"accountnumber"}, true},
	{HeldPlumbing, "a link or an id of the desk's software", []string{"avatar", "selfurl", "instanceurl", "htmlurl", "projecturl",
		"sysid", "uuid", "guid", "nodeid", "externalid"}, []string{"url", "self", "link", "href", "summationcolumn",
		"generatedtimestamp"}, false},
}

// customMarks are what stands around the names of custom fields: nobody can tell when those are filled in.
var customMarks = []struct{ before, after string }{
	{"", " [list]"}, {"", " [txt]"}, {"", " [int]"}, {"", " [flag]"}, {"", " [date]"}, {"", " [dec]"}, {"custom field (", ")"},
	{"custom_field", ""}, {"cf_", ""}, {"u_", ""},
}

// Held tells why a column that is neither part of the ticket nor a label is kept from agents, judged by its name alone; ok is
// false where it may be shown. Each part of a dotted name counts. Custom fields, such as "Cause [list]", are held back.
func Held(column string) (kind HeldKind, why string, ok bool) {
	if number, ok := strings.CutPrefix(column, "column "); ok && number != "" && strings.Trim(number, "0123456789") == "" {
		return HeldPlumbing, "it has no name", true
	}
	parts := strings.Split(column, ".")
	for _, part := range parts {
		if kind, why, ok = heldPart(bare(part), len(parts) == 1); ok {
			return kind, why, true
		}
	}
	if len(parts) > 1 { // customer.name is called customername elsewhere
		if kind, why, ok = heldPart(bare(column), true); ok {
			return kind, why, true
		}
	}
	low := strings.ToLower(strings.TrimSpace(column))
	for part := range strings.SplitSeq(low, ".") {
		for _, mark := range customMarks {
			if len(part) > len(mark.before)+len(mark.after) && strings.HasPrefix(part, mark.before) && strings.HasSuffix(part, mark.after) {
				return HeldLater, "a custom field, which may be filled in after triage", true
			}
		}
	}
	return 0, "", false
}

// heldPart decides of one part of a name, or of a whole one.
func heldPart(name string, whole bool) (HeldKind, string, bool) {
	name = Unaccented(name)
	for range 3 {
		if kind, why, ok := heldBy(heldRules, name, whole); ok {
			return kind, why, true
		}
		if kind, why, ok := heldBy(heldAbroad, name, whole); ok {
			return kind, why, true
		}
		if name = unqualified(name); name == "" {
			break
		}
	}
	return 0, "", false
}

// qualifiers stand before the names of columns that are held back: final priority, date closed, is escalated.
var qualifiers = []string{"final", "new", "old", "previous", "initial", "original", "current", "latest", "last", "first", "actual", "true", "real",
	"suggested", "corrected", "internal", "support", "problem", "request", "incident", "sla", "has", "is", "was", "datetime", "date", "time", "finale",
	"letzter", "letztes", "letzte", "erster", "erste", "datumder", "datum", "neuer", "neue", "alter", "alte", "aktuelle", "interne",
	"datede", "derniere", "dernier", "nouveau", "nouvelle", "fechade", "ultima", "ultimo", "nueva", "nuevo", "datada", "datado"}

// unqualified takes the longest of qualifiers off the beginning of a name; it gives nothing where there is none.
func unqualified(name string) string {
	longest := 0
	for _, q := range qualifiers {
		if len(q) > longest && strings.HasPrefix(name, q) {
			longest = len(q)
		}
	}
	if longest == 0 {
		return ""
	}
	return name[longest:]
}

func heldBy(rules []heldRule, name string, whole bool) (HeldKind, string, bool) {
	for i := range rules {
		rule := &rules[i]
		if (whole || !rule.alone) && slices.Contains(rule.names, name) {
			return rule.kind, rule.why, true
		}
		for _, prefix := range rule.prefixes {
			if strings.HasPrefix(name, prefix) {
				return rule.kind, rule.why, true
			}
		}
	}
	return 0, "", false
}
