package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

const ticketsHead = `{"schema":"triage.tickets/1","source":"jira-csv","labels":{"priority":{"ordered":true,"values":["low","high"]},` +
	`"route":{"ordered":false,"values":[]}},"redacted":false,"split":"time"}   ` + "\n"

const sided = ticketsHead +
	`{"id":"A","subject":"s \"1\"","body":"b\n1","created":"2024-01-01T00:00:00Z","split":"train"  ,"labels":{"priority":"low","route":"x"},"fields":{"Channel":"email","Status":"open"," ":"  "}}` + "\n" +
	`{"id":"B","subject":"","body":"é","split":"train","labels":{"route":"y"},"fields":null,"secret":"no"}` + "\n\n" +
	`{"id":"C","subject":"s3","body":null,"split":"test","labels":{"priority":"high","route":null,"hidden":"no"},"fields":{}}` + "\n"

func TestAFileOfTicketsSaysWhatIsWhat(t *testing.T) {
	t.Parallel()
	s, err := open(sided, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := view{Format: dataset.Tickets, Encoding: dataset.UTF8,
		Rows: []row{
			{"A", `s "1"`, "b\n1", m{"priority": "low", "route": "x"}, m{"Channel": "email", "Status": "open"}},
			{"B", "", "é", m{"route": "y"}, m{}},
			{"C", "s3", "", m{"priority": "high"}, m{}},
		},
		Columns: []dataset.Column{
			{Name: "priority", Source: "priority", Ordered: true, Values: []string{"low", "high"}, Counts: []int{1, 1}, Train: []int{1, 0}},
			{Name: "route", Source: "route", Values: []string{"x", "y"}, Counts: []int{1, 1}, Train: []int{1, 1}},
		},
		Warnings: []string{"label priority: one ticket only has low, high", once},
	}
	if d := cmp.Diff(want, viewOf(t, s)); d != "" {
		t.Errorf("set differs (-want +got):\n%s", d)
	}
	if train, test := s.Sides(); train != 2 || test != 1 || s.Side() != dataset.AllSides {
		t.Errorf("sides are %d and %d, the set is %q; want 2, 1 and all", train, test, s.Side())
	}
}

func TestASideHasItsTicketsAndTheValuesOfAll(t *testing.T) {
	t.Parallel()
	s, err := open(sided, dataset.Options{Side: dataset.TestSide, SideIfAny: true})
	if err != nil {
		t.Fatal(err)
	}
	want := view{Format: dataset.Tickets, Encoding: dataset.UTF8,
		Rows: []row{{"C", "s3", "", m{"priority": "high"}, m{}}},
		Columns: []dataset.Column{
			{Name: "priority", Source: "priority", Ordered: true, Values: []string{"low", "high"}, Counts: []int{0, 1}, Train: []int{1, 0}},
			{Name: "route", Source: "route", Values: []string{"x", "y"}, Counts: []int{0, 0}, Train: []int{1, 1}},
		},
		Warnings: []string{"label priority: one ticket only has low, high", once},
	}
	if d := cmp.Diff(want, viewOf(t, s)); d != "" {
		t.Errorf("set differs (-want +got):\n%s", d)
	}
	if s.Side() != dataset.TestSide || s.Len() != 1 || s.All() != 3 {
		t.Errorf("side is %q with %d of %d, want test with 1 of 3", s.Side(), s.Len(), s.All())
	}
}

func TestAMappingChoosesAndRenamesLabelsOfAFileOfTickets(t *testing.T) {
	t.Parallel()
	s, err := open(sided, dataset.Options{Map: m{"team": "route"}, Labels: map[string]dataset.Scale{"team": {Ordered: true, Values: []string{"y", "x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	got := viewOf(t, s)
	if d := cmp.Diff([]row{{"A", `s "1"`, "b\n1", m{"team": "x"}, m{"Channel": "email", "Status": "open"}}, {"B", "", "é", m{"team": "y"}, m{}}}, got.Rows); d != "" {
		t.Errorf("rows differ (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]dataset.RowError{{Line: 5, Reason: "it has none of the labels"}}, got.Skipped); d != "" {
		t.Errorf("skipped rows differ (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string][]string{"team": {"y", "x"}}, s.Allowed()); d != "" {
		t.Errorf("allowed values differ (-want +got):\n%s", d)
	}
}

func TestFilesOfTicketsThatAreWrong(t *testing.T) {
	t.Parallel()
	head := func(labels string) string { return `{"schema":"triage.tickets/1","labels":` + labels + "}\n" }
	one := head(`{"a":{"values":["x","y"]}}`)
	good := `{"id":"1","subject":"s","labels":{"a":"x"}}` + "\n"
	for _, tt := range []struct {
		name, file string
		opts       dataset.Options
		err        string
	}{
		{name: "another version", file: `{"schema":"triage.tickets/2","labels":{}}` + "\n",
			err: `t.csv: it is a file of tickets in form "triage.tickets/2"; this version reads triage.tickets/1: import it again`},
		{name: "no label", file: head("{}"),
			err: "t.csv: its header names no label: there is nothing to judge answers by; import it again with --label NAME=COLUMN"},
		{name: "no ticket", file: one, err: "t.csv: it is a file of tickets without any ticket"},
		{name: "a label called as a part", file: head(`{"body":{"values":[]}}`),
			err: `t.csv: line 1, the header of a file of tickets: "body" cannot be the name of a label: it is a part of the ticket`},
		{name: "a value twice", file: head(`{"a":{"values":["x","x"]}}`),
			err: `t.csv: line 1, the header of a file of tickets: label a: value "x" is there twice`},
		{name: "an empty value", file: head(`{"a":{"values":[""]}}`),
			err: `t.csv: line 1, the header of a file of tickets: label a: value "" has to be a text of 1 to 200 bytes without blanks around it`},
		{name: "labels that are no object", file: head(`7`),
			err: "t.csv: line 1, the header of a file of tickets: labels is a number, which it cannot be"},
		{name: "no sides", file: one + good, opts: dataset.Options{Side: dataset.TrainSide},
			err: "t.csv: it has no sides, so none called train: triage import --split makes them"},
		{name: "an empty side", file: one + `{"id":"1","subject":"s","split":"train","labels":{"a":"x"}}`, opts: dataset.Options{Side: dataset.TestSide, SideIfAny: true},
			err: "t.csv: no ticket is on side test: train has 1, test 0"},
		{name: "an unknown side asked for", file: one + good, opts: dataset.Options{Side: "dev"},
			err: `t.csv: side "dev" is not allowed; allowed is train or test`},
		{name: "a mapped body", file: one + good, opts: dataset.Options{Map: m{"body": "x"}},
			err: "t.csv: column map, body=x: it is a file of tickets, whose body is known"},
		{name: "an unknown label", file: one + good, opts: dataset.Options{Map: m{"r": "x"}},
			err: `t.csv: column map, r=x: no label "x": the labels are a`},
		{name: "a scale for an unknown label", file: one + good, opts: dataset.Options{Labels: map[string]dataset.Scale{"r": {}}},
			err: `t.csv: labels file: no label "r": the labels are a`},
		{name: "bad rows", file: one + "[1]\n{\"id\":7}\n{\"subject\":\"s\",\"labels\":[]}\n",
			err: "t.csv: none of its rows can be used (3 bad): line 2: it is not a JSON object: [1]; line 3: id is not a text: 7; line 4: labels is not an object: []"},
		{name: "more bad rows", file: one + "{\"subject\":\"s\",\"split\":\"dev\",\"labels\":{\"a\":\"x\"}}\n{\"subject\":\"s\",\"labels\":{\"a\":\"z\"}}\n{\"subject\":\" \",\"labels\":{\"a\":\"x\"}}\n",
			err: `t.csv: none of its rows can be used (3 bad): line 2: split is "dev": want train, test or nothing; line 3: label column "a": "z" is not one of x, y; line 4: subject and body are empty`},
		{name: "a torn header", file: one[:40] + "\n" + good,
			err: "t.csv: line 1, the header of a file of tickets: broken JSON at byte 41 of the line: invalid character '\\n' in string literal"},
		{name: "fields that are no texts", file: one + "{\"subject\":\"s\",\"labels\":{\"a\":\"x\"},\"fields\":{\"k\":{\"b\":[1]}}}\n{\"subject\":\"s\",\"labels\":{\"a\":\"x\"},\"fields\":[]}\n",
			err: "t.csv: none of its rows can be used (2 bad): line 2: k is not a text: {\"b\":[1]}; line 3: fields is not an object: []"},
		{name: "torn and not UTF-8", file: one + "{\"subject\":\"s\"\n{\"subject\":\"\xff\",\"labels\":{\"a\":\"x\"}}\n{\"subject\":\"s\",\"labels\":{\"a\":5}}\n",
			err: "t.csv: none of its rows can be used (3 bad): line 2: broken JSON at byte 15 of the line: unexpected end of JSON input; line 3: it is not valid UTF-8; line 4: a is not a text: 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(tt.file, tt.opts)
			if err == nil || err.Error() != tt.err {
				t.Errorf("error is\n%v, want\n%s", err, tt.err)
			}
			if triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("code of the error is %q, want usage", triage.CodeOf(err))
			}
		})
	}
}

func TestASchemaInsideAnOrdinaryRowIsNoHeader(t *testing.T) {
	t.Parallel()
	s, err := open(`{"body":"triage.tickets/1 is odd","route":"x"}`+"\n"+`{"body":"b","route":"y"}`+"\n", dataset.Options{})
	if err != nil || s.Format != dataset.JSONL || s.Len() != 2 {
		t.Errorf("format %v, %v; want jsonl with 2 tickets", s, err)
	}
}

func TestCSVHasNoSides(t *testing.T) {
	t.Parallel()
	s, err := open("body,route\na,x\nb,y\n", dataset.Options{Side: dataset.TestSide, SideIfAny: true})
	if err != nil || s.Len() != 2 || s.Side() != dataset.AllSides || s.Columns()[0].Train != nil {
		t.Errorf("a file without sides gives %v, %v; want all of its tickets", s, err)
	}
}

func TestTicketsAreReadAtOnceByMany(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString(ticketsHead)
	for i := range 300 {
		fmt.Fprintf(&file, `{"id":"T%d","subject":"s","body":%q,"split":%q,"labels":{"route":"r%d"},"fields":{"n":"%d"}}`+"\n", i,
			strings.Repeat("b ", i), []string{"train", "test"}[i%2], i%3, i)
	}
	s, err := open(file.String(), dataset.Options{Side: dataset.TestSide})
	if err != nil {
		t.Fatal(err)
	}
	want := viewOf(t, s)
	done := make(chan string)
	for range 4 {
		go func() { done <- cmp.Diff(want, viewOf(t, s)) }()
	}
	for range 4 {
		if d := <-done; d != "" {
			t.Errorf("a concurrent reader sees something else (-want +got):\n%s", d)
		}
	}
	if len(want.Rows) != 150 || want.Rows[149].ID != "T299" {
		t.Errorf("%d rows up to %s, want 150 up to T299", len(want.Rows), want.Rows[len(want.Rows)-1].ID)
	}
}
