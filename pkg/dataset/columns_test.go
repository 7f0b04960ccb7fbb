package dataset_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/dataset"
)

func TestOpenFindsColumns(t *testing.T) {
	t.Parallel()
	runOpen(t, []openCase{
		{name: "duplicate and missing names", file: "body,route,Memo,Memo,,route,Memo\na,x,1,2,3,x,\nb,y,,,,y,5\n", want: view{
			Rows: []row{{"row-2", "", "a", m{"route": "x"}, m{"Memo": "1", "Memo (2)": "2"}},
				{"row-3", "", "b", m{"route": "y"}, m{"Memo (3)": "5"}}},
			Columns: xy,
			Warnings: []string{"columns of the same name were renamed: Memo (2), route (2), Memo (3)", once,
				"agents see these columns as fields: Memo, Memo (2), Memo (3)",
				"agents do not see these columns, which are labels, known only after triage, or personal: column 5, route (2)"}}},
		{name: "a name that another was renamed to", file: "body,N,N,N (2),N (2),N,route\na,1,2,3,4,5,x\n", want: view{
			Rows:    []row{{"row-2", "", "a", m{"route": "x"}, m{"N": "1", "N (2)": "2", "N (2) (2)": "3", "N (2) (3)": "4", "N (3)": "5"}}},
			Columns: []dataset.Column{{Name: "route", Source: "route", Values: []string{"x"}, Counts: []int{1}}},
			Warnings: []string{"columns of the same name were renamed: N (2), N (2) (2), N (2) (3), N (3)",
				"label route has one value in all tickets: it tells nothing", "label route: one ticket only has x",
				"agents see these columns as fields: N, N (2), N (2) (2), N (2) (3), N (3)"}}},
		{name: "ids", file: "Ticket ID,body,route\n 7 ,a,x\n,b,y\n", want: view{
			Rows:    []row{{"7", "", "a", m{"route": "x"}, m{}}, plain[1]},
			Columns: xy, Warnings: []string{once}}},
		{name: "ids that occur twice", file: "id,body,route\n7,a,x\n7,b,y\n", want: view{Rows: plain, Columns: xy,
			Warnings: []string{`ids in column "id" occur twice: tickets are called row-LINE by the line they begin on`, once}}},
		{name: "subject only", file: "subject,type\na,x\nb,x\n", want: view{
			Rows:    []row{{"row-2", "a", "", m{"type": "x"}, m{}}, {"row-3", "b", "", m{"type": "x"}, m{}}},
			Columns: []dataset.Column{{Name: "type", Source: "type", Values: []string{"x"}, Counts: []int{2}}},
			Warnings: []string{`no column has the tickets' body: agents see the subject, column "subject", only (--map body=COLUMN names one)`,
				"label type has one value in all tickets: it tells nothing"}}},
		{name: "values that differ in case only", file: "body,route\na,x\na,X\nb,x\nb,X\n", want: view{
			Rows: []row{{"row-2", "", "a", m{"route": "x"}, m{}}, {"row-3", "", "a", m{"route": "X"}, m{}},
				{"row-4", "", "b", m{"route": "x"}, m{}}, {"row-5", "", "b", m{"route": "X"}, m{}}},
			Columns:  []dataset.Column{{Name: "route", Source: "route", Values: []string{"X", "x"}, Counts: []int{2, 2}}},
			Warnings: []string{"label route has values that differ in case only: X, x"}}},
		{name: "a labels file", file: "body,How bad,Team\na,so-so,x\nb,awful,x\nc,bad,x\nd,awful,y\n",
			opts: dataset.Options{Map: m{"badness": "howbad"}, Labels: map[string]dataset.Scale{
				"badness": {Ordered: true, Values: []string{"so-so", "awful", "worst"}}, "team": {Values: []string{"y", "x"}}}},
			want: view{
				Rows: []row{{"row-2", "", "a", m{"badness": "so-so", "team": "x"}, m{}}, {"row-3", "", "b", m{"badness": "awful", "team": "x"}, m{}},
					{"row-5", "", "d", m{"badness": "awful", "team": "y"}, m{}}},
				Columns: []dataset.Column{{Name: "badness", Source: "How bad", Ordered: true, Values: []string{"so-so", "awful", "worst"}, Counts: []int{1, 2, 0}},
					{Name: "team", Source: "Team", Values: []string{"x", "y"}, Counts: []int{2, 1}}},
				Skipped: []dataset.RowError{{Line: 4, Reason: `label column "How bad": "bad" is not one of so-so, awful, worst`}},
				Warnings: []string{"label badness: no ticket has worst", "label badness: one ticket only has so-so",
					"label team: one ticket only has y"}}},
		{name: "a labels file by the file's column", file: "body,kind\na,x\nb,y\n",
			opts: dataset.Options{Map: m{"route": "Kind"}, Labels: map[string]dataset.Scale{"KIND": {Values: []string{"x"}}}},
			want: view{Rows: plain[:1], Columns: []dataset.Column{{Name: "route", Source: "kind", Values: []string{"x"}, Counts: []int{1}}},
				Skipped:  []dataset.RowError{{Line: 3, Reason: `label column "kind": "y" is not one of x`}},
				Warnings: []string{"label route has one value in all tickets: it tells nothing", "label route: one ticket only has x"}}},
		{name: "a label that is a text", file: "body,route\na,x\nb,y\nc," + strings.Repeat("z", 201) + "\n",
			want: view{Rows: plain, Columns: xy,
				Skipped:  []dataset.RowError{{Line: 4, Reason: `the value in label column "route" is longer than 200 bytes: ` + strings.Repeat("z", 60) + "…"}},
				Warnings: []string{once}}},
		{name: "no text column", file: "foo,route\na,x\n",
			err: "t.csv: no column with the ticket's text: the columns are foo, route; none is called subject, summary, title, shortdescription, headline, topic or body, description, descriptiontext, text, message, content, issuetext, question, query, utterance, request; say which it is with --map body=COLUMN"},
		{name: "no label column", file: "body,foo\na,x\n",
			err: "t.csv: no column with labels: the columns are body, foo; none is called route, route_category, category, label, intent, queue, department, type, priority, urgency, urgency_assessment, severity, resolution_difficulty, urgency_days; say which it is with --map NAME=COLUMN or with a labels file"},
		{name: "a mapping to no column", file: "body,route\na,x\n", opts: dataset.Options{Map: m{"route": "queue"}},
			err: `t.csv: column map, route=queue: no column "queue": the columns are body, route`},
		{name: "a column mapped twice", file: "body,route\na,x\n", opts: dataset.Options{Map: m{"a": "route", "b": "Route"}},
			err: `t.csv: column map, b=Route: column "route" is already a: a column can be one thing only`},
		{name: "a name mapped twice", file: "body,route\na,x\n", opts: dataset.Options{Map: m{"body": "route", "Body": "body"}},
			err: `t.csv: column map: "body" is mapped twice`},
		{name: "a label that cannot be called so", file: "body,route\na,x\n", opts: dataset.Options{Map: m{"metadata": "route"}},
			err: `t.csv: column map, metadata=route: "metadata" cannot be the name of a label: every action may carry a field of that name`},
		{name: "a labels file for no column", file: "body,route\na,x\n", opts: dataset.Options{Labels: map[string]dataset.Scale{"team": {}}},
			err: `t.csv: labels file: no column "team": the columns are body, route`},
		{name: "a labels file for a part of the ticket", file: "body,route\na,x\n", opts: dataset.Options{Labels: map[string]dataset.Scale{"id": {}}},
			err: `t.csv: labels file: "id" cannot be the name of a label: it is a part of the ticket`},
		{name: "a labels file with two entries for a label", file: "body,team\na,x\n",
			opts: dataset.Options{Map: m{"route": "team"},
				Labels: map[string]dataset.Scale{"team": {}, "route": {}}}, err: `t.csv: labels file: two entries are for label route, one is "team"`},
	})
}
