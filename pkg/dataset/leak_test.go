package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
)

// TestHelpDeskExports says what is taken for what in the exports that people have.
func TestHelpDeskExports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, header, mapping string
		labels                string // name=column
		shown                 string
	}{
		{name: "BANKING77", header: "text,category", labels: "category=category"},
		{name: "Tobi-Bueck", header: "subject,body,answer,type,queue,priority,language,version,tag_1,tag_2,business_type",
			labels: "priority=priority queue=queue type=type", shown: "business_type, language, version"},
		{name: "Kaggle", header: "Ticket ID,Customer Name,Product Purchased,Ticket Type,Ticket Subject,Ticket Description,Ticket Status,Resolution," +
			"Ticket Priority,Ticket Channel,First Response Time,Time to Resolution,Customer Satisfaction Rating",
			labels: "priority=Ticket Priority type=Ticket Type", shown: "Product Purchased, Ticket Channel"},
		{name: "Zendesk", header: "Summation column,Id,Requester,Submitter,Assignee,Group,Subject,Tags,Status,Priority,Via,Ticket type,Created at," +
			"Updated at,Assigned at,Due date,Initially assigned at,Solved at,Resolution time,Satisfaction Score,Group stations,Assignee stations," +
			"Reopens,Replies,First reply time in minutes,Full resolution time in minutes",
			labels: "priority=Priority type=Ticket type", shown: "Created at, Via"},
		{name: "ServiceNow", header: "number,opened_at,short_description,description,priority,state,category,subcategory,impact,assignment_group," +
			"assigned_to,sys_updated_on,close_notes,contact_type",
			labels: "category=category priority=priority", shown: "contact_type, opened_at"},
		{name: "Jira", header: "Summary,Issue key,Issue Type,Status,Project name,Priority,Resolution,Assignee,Reporter,Resolved,Fix versions,Labels," +
			"Labels,Description,Custom field (Time to first response),Comment,Comment",
			labels: "priority=Priority type=Issue Type", shown: "Project name"},
		{name: "one chosen label leaves the others hidden", header: "text,label,label_text,route,priority,plan",
			mapping: "route=label",
			labels:  "route=label", shown: "plan"},
		{name: "a mapped body leaves the usual names to others", header: "subject,title,text,route", mapping: "body=subject",
			labels: "route=route", shown: "text"},
		{name: "the project's own action fields", header: "subject,body,route_category,urgency_assessment,resolution_difficulty,priority_score,recommendation",
			labels: "resolution_difficulty=resolution_difficulty route_category=route_category urgency_assessment=urgency_assessment"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mapping, err := dataset.ParseMap(tt.mapping)
			if err != nil {
				t.Fatal(err)
			}
			cells := strings.Repeat("v,", strings.Count(tt.header, ",")) + "v\n"
			s, err := open(tt.header+"\n"+cells+cells, dataset.Options{Map: mapping})
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, c := range s.Columns() {
				labels = append(labels, c.Name+"="+c.Source)
			}
			c, err := s.Case(1)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("labels %s; shown %v", strings.Join(labels, " "), c.Ticket.Fields)
			fields := m{}
			for _, name := range strings.Split(tt.shown, ", ") {
				if name != "" {
					fields[name] = "v"
				}
			}
			if d := cmp.Diff(fmt.Sprintf("labels %s; shown %v", tt.labels, fields), got); d != "" {
				t.Errorf("columns differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestManyValuesAreNoLabel(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("body,type,route\n")
	for i := range 1001 {
		fmt.Fprintf(&file, "a,t%d,r\n", i)
	}
	s, err := open(file.String(), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`column "type" has more than 1000 different values: it is not taken for a label`,
		"label route has one value in all tickets: it tells nothing",
		"agents do not see these columns, which are labels, known only after triage, or personal: type"}
	if d := cmp.Diff(want, s.Warnings()); d != "" {
		t.Errorf("warnings differ (-want +got):\n%s", d)
	}
	_, err = open(file.String(), dataset.Options{Map: m{"kind": "type"}})
	if err == nil || err.Error() != `t.csv: column "type", label kind, has more than 1000 different values: it is not a label` {
		t.Errorf("a chosen column of many values gives %v, want an error that says so", err)
	}
}

func TestColumnsThatTellWhatCameLaterAreHeldBackWhateverStandsBeforeTheirNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Final Priority", "final_category", "previous_group", "current_team", "Team name", "is_escalated", "Escalation level",
		"SLA Due", "Has Breached", "Internal notes", "notes", "Action taken", "fix", "merged_into", "Linked Issues", "Technician", "support_agent",
		"Date closed", "Date resolved", "last activity", "Completed at", "Support group", "True label", "class", "conversation", "history",
		"problem_category", "Request Type", "Lösung", "LO\u0308SUNG", "Loesung", "Geschlossen am", "Letzter Bearbeiter", "Finale Priorität", "Datum geschlossen",
		"Zufriedenheit", "Résolution", "Date de clôture", "Réponse", "Statut", "Fecha de cierre", "Solución", "Prioridad", "Grupo", "Estado", "Resposta",
		"Oplossing", "Toegewezen aan", "Gruppo", "Scadenza"} {
		if _, why, ok := dataset.Held(name); !ok || why == "" {
			t.Errorf("agents see column %q", name)
		}
	}
	for _, name := range []string{"product", "channel", "language", "plan", "version", "region", "os", "browser", "source", "Via", "country", "business_type",
		"account plan", "order id", "environment", "Kanal", "Produkt", "Sprache", "Date of Purchase", "timezone", "current plan", "newsletter", "isolation"} {
		if _, why, ok := dataset.Held(name); ok {
			t.Errorf("agents do not see column %q: %s", name, why)
		}
	}
}
