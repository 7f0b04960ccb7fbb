package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// deskColumns are the columns that desks are known to export, by format.
var deskColumns = map[string]string{
	"zendesk-csv": "Summation column, Id, Requester, Requester id, Requester external id, Requester email, Requester domain, Submitter, " +
		"Assignee, Group, Subject, Tags, Status, Priority, Via, Ticket type, Created at, Updated at, Assigned at, Organization, Due date, " +
		"Initially assigned at, Solved at, Resolution time, Satisfaction Score, Group stations, Assignee stations, Reopens, Replies, " +
		"First reply time in minutes, First reply time in minutes within business hours, First resolution time in minutes, " +
		"Full resolution time in minutes, Agent wait time in minutes, Requester wait time in minutes, On hold time in minutes within business hours",
	"freshdesk-csv": "Ticket ID, Subject, Status, Priority, Source, Type, Agent, Group, Created time, Due by Time, Resolved time, Closed time, " +
		"Last update time, Initial response time, Time tracked, First response time (in hrs), Resolution time (in hrs), Agent interactions, " +
		"Customer interactions, Resolution status, First response status, Tags, Survey results, Product, Every response status, Summary, " +
		"Full name, Title, Email, Work phone, Mobile phone, Company Name, Contact ID",
	"freshservice-csv": "Ticket Id, Subject, Created Time, Requester Name, Category, Sub-Category, Item, Description, Impact, Urgency, Status, " +
		"Priority, Source, Type, Agent, Group",
	"jira-csv": "Summary, Issue key, Issue id, Issue Type, Status, Project key, Project name, Project type, Project lead, Project description, " +
		"Project url, Priority, Resolution, Assignee, Reporter, Creator, Created, Updated, Last Viewed, Resolved, Fix versions, Components, " +
		"Component/s, Due date, Votes, Labels, Description, Environment, Watchers, Log Work, Original Estimate, Remaining Estimate, Time Spent, " +
		"Work Ratio, Σ Original Estimate, Security Level, Attachment, Custom field (Request Type), Custom field (Impact), " +
		"Custom field (Organizations), Custom field (Request participants), Custom field (Time to first response), " +
		"Custom field (Time to resolution), Comment",
	"jira-pipeline-csv": "id, instance_url, url, key, project_key, project_name, project_type, project_category, issue_type, summary, description, " +
		"creator_name, reporter_name, assignee_name, status, status_category, priority_sequence, priority_name, resolution, watcher_count, " +
		"vote_count, created_date, resolution_date, updated_date, due_date",
	"servicenow-csv": "number, opened_at, short_description, caller_id, priority, state, category, assignment_group, assigned_to, sys_updated_on, " +
		"sys_updated_by, description, subcategory, impact, urgency, severity, contact_type, business_service, cmdb_ci, opened_by, resolved_at, " +
		"resolved_by, closed_at, closed_by, close_code, close_notes, sys_id, Number, Opened, Short description, Caller, Priority, State, Category, " +
		"Assignment group, Assigned to, Updated, Updated by",
	"tobi-bueck": "subject, body, answer, type, queue, priority, language, version, tag_1, tag_8, tag_9, business_type",
	"kaggle": "Ticket ID, Customer Name, Customer Email, Customer Age, Customer Gender, Product Purchased, Date of Purchase, Ticket Type, " +
		"Ticket Subject, Ticket Description, Ticket Status, Resolution, Ticket Priority, Ticket Channel, First Response Time, Time to Resolution, " +
		"Customer Satisfaction Rating",
}

func TestEveryColumnThatADeskExportsHasARoleAndWhatIsHeldBackAReason(t *testing.T) {
	t.Parallel()
	for name, f := range tableFormats() {
		header := strings.Split(deskColumns[name], ", ")
		if name == "csv" {
			continue
		}
		for _, column := range header {
			c, ok := f.Column(column)
			if !ok || (c.Role == Shown) != (c.Why == "") {
				t.Errorf("%s: column %q is %+v (%v)", name, column, c, ok)
			}
		}
		if got, sure := dialectOf(header); got.name != name || sure < 80 {
			t.Errorf("the columns of %s are found to be %s, %d sure", name, got.name, sure)
		}
		if d := dialectNamed(name); d == nil || d.title != f.Title {
			t.Errorf("%s is not found by its name", name)
		}
	}
	if d := dialectNamed("nobody"); d != nil {
		t.Errorf("there is a dialect %q", d.name)
	}
}

func TestWhatIsKnownLaterNeverHasTheRoleShown(t *testing.T) {
	t.Parallel()
	for name, f := range tableFormats() {
		for _, column := range strings.Split(deskColumns[name], ", ") {
			key := fold(column)
			for _, word := range []string{"resol", "satisf", "tag", "status", "close", "solved", "updated", "comment", "answer", "priority", "group"} {
				if c, _ := f.Column(column); strings.Contains(key, word) && c.Role == Shown && key != "" {
					t.Errorf("%s shows %q", name, column)
				}
			}
		}
	}
}

func TestPrioritiesAscendToOurFourSteps(t *testing.T) {
	t.Parallel()
	for name, f := range tableFormats() {
		last, seen := triage.UrgencyLow, map[triage.Urgency]bool{}
		for _, step := range f.Priority {
			if step.Ours.Level() < last.Level() {
				t.Errorf("%s: %q is %s, after %s", name, step.Value, step.Ours, last)
			}
			last, seen[step.Ours] = step.Ours, true
		}
		if name != "csv" && len(seen) != 4 {
			t.Errorf("%s has %d steps of ours", name, len(seen))
		}
	}
}

func TestAHeaderWithCommonWordsIsOfNoDesk(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"id,subject,priority", "id,subject,body,status,group", "summary,description,priority,status", "number,description",
		"subject,body,queue", "text,category", "Ticket ID,Subject,Description", "a,b"} {
		if d, sure := dialectOf(strings.Split(header, ",")); d.name != "csv" || sure > 10 {
			t.Errorf("%s is found to be %s, %d sure", header, d.name, sure)
		}
	}
}

func TestHeadersMatchWhateverTheirCaseSpacesAndUnderscores(t *testing.T) {
	t.Parallel()
	header := []string{"TICKET_ID", "created time", "SUBJECT", "due_by_time", "Agent Interactions", "survey results"}
	d, sure := dialectOf(header)
	if d.name != "freshdesk-csv" || sure < 80 {
		t.Errorf("found to be %s, %d sure", d.name, sure)
	}
}

func TestRowsOfASheetBecomeRecords(t *testing.T) {
	t.Parallel()
	header := []string{"Summary", "Issue key", "Labels", "Labels", "", "labels", "Created", "Reporter", "Creator", "Status"}
	d, _ := dialectOf(header)
	table, err := newTable(d, header, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]string{
		{" A\nsubject ", "S-1", "a", "", "x", "b", "3/4/2024", "ana", "bo", "Open", "more"},
		{"B", "S-2", "", "c"},
		{"", " ", "\t"},
		{"C", "S-3", "", "", "", "", "25/4/2024", "", "", ""},
	}
	for _, row := range rows {
		table.observe(row)
	}
	var got []string
	for i, row := range rows {
		rec, err := table.record(i+2, row)
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		line := rec.ID + "|" + rec.Subject + "|" + rec.Customer + "|" + rec.Created.Format("02 Jan")
		for _, f := range rec.Fields {
			line += "|" + f.Name + "=" + f.Value
		}
		got = append(got, line)
	}
	want := []string{
		"S-1|A subject|ana|03 Apr|Labels=a\nb|column 5=x|Reporter=ana|Creator=bo|Status=Open|column 11=more",
		"S-2|B||01 Jan|Labels=c|column 5=|Reporter=|Creator=|Status=",
		"line 4: the row is empty",
		"S-3|C||25 Apr|Labels=|column 5=|Reporter=|Creator=|Status=",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	warned := []Warning{{"a row has more cells than the header", 1, 2, "such as 11 of 10"}, {"a row has fewer cells than the header", 1, 3, "such as 4 of 10"}}
	if diff := cmp.Diff(warned, table.Warnings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOnlyTextsWithTagsAreTakenForHTML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "a < b": false, "a<b and c>d": false, "use <name> here": false, "<": false, "I <3 you": false, "x <p": true, "</": false,
		"<<<<": false, "a<br>b": true, "a<BR/>b": true, "<b>x</b>": true, "<div class=x>": true, "if a</b": true, "<pre": false, "< br": false,
		strings.Repeat("<", 1<<20): false,
	} {
		if got := looksLikeHTML(text); got != want {
			t.Errorf("%.20q: %v", text, got)
		}
	}
	if got := unescaped(`a\r\nb\nc\td\\e`); got != "a\nb\nc\td\\\\e" {
		t.Errorf("%q", got)
	}
}

func TestTheCustomersColumnIsOneColumn(t *testing.T) {
	t.Parallel()
	// A row without the id has no customer: an address would be another name of the same one.
	got := told(zendeskCSV(), strings.NewReader("Id,Subject,Requester email,Requester id,Via\n1,a,ana@example.org,7,Web\n2,b,ana@example.org,,Web\n"), "t")
	if !strings.Contains(got, `id "1" customer "7"`) || !strings.Contains(got, `id "2" customer ""`) {
		t.Error(got)
	}
}
