package dataset_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/dataset"
)

// lesson D67
func TestOpenJSONL(t *testing.T) {
	t.Parallel()
	runOpen(t, []openCase{
		{name: "JSONL", file: "\xef\xbb\xbf {\"body\":\"a\",\"route\":\"x\"}\r\n\r\n{\"body\":\"b\",\"route\":\"y\",\"new\":true}\r\n",
			want: view{Format: dataset.JSONL,
				Rows: []row{{"row-1", "", "a", m{"route": "x"}, m{}}, {"row-3", "", "b", m{"route": "y"}, m{"new": "true"}}}, Columns: xy,
				Warnings: []string{once, "agents see these columns as fields: new"}}},
		{name: "JSONL with nested values, numbers and booleans", file: `{"id":12,"title":"t\nu","description":null,"priority":2,"urgency":true,` +
			`"from":{"plan":"pro","seats":[1, {"a": 2}],"none":null,"zero":[],"deep":{"x":{}}},"status":{"name":"done"},"truth":{"queue":{"route_category":"spam"}}}`,
			want: view{Format: dataset.JSONL,
				Rows:    []row{{"12", "t\nu", "", m{"priority": "2", "urgency": "true"}, m{"from.plan": "pro", "from.seats": `[1,{"a":2}]`}}},
				Columns: []dataset.Column{{Name: "priority", Source: "priority", Values: []string{"2"}, Counts: []int{1}}, {Name: "urgency", Source: "urgency", Values: []string{"true"}, Counts: []int{1}}},
				Warnings: []string{"label priority has one value in all tickets: it tells nothing", "label priority: one ticket only has 2",
					"label urgency has one value in all tickets: it tells nothing", "label urgency: one ticket only has true",
					"agents see these columns as fields: from.none, from.plan, from.seats, from.zero",
					"agents do not see these columns, which are labels, known only after triage, or personal: status.name, truth.queue.route_category"}}},
		{name: "JSONL mapped by dotted names", file: `{"ticket":{"text":"a"},"out":{"team":"x"}}` + "\n" + `{"ticket":{"text":"b"},"out":{"team":"y"}}`,
			opts: dataset.Options{Map: m{"Body": "ticket.text", "route": "out.team"}}, want: view{Format: dataset.JSONL,
				Rows:     []row{{"row-1", "", "a", m{"route": "x"}, m{}}, {"row-2", "", "b", m{"route": "y"}, m{}}},
				Columns:  []dataset.Column{{Name: "route", Source: "out.team", Values: []string{"x", "y"}, Counts: []int{1, 1}}},
				Warnings: []string{once}}},
		{name: "bad JSONL rows", file: `{"body":"a","route":"x"}` + "\n{\"body\":\"b\",\n[1]\n" + `{"body":"b","route":["y"]}` + "\n" + `{"route":"y"}` + "\n" +
			`{"body":"b"}` + "\n" + `{"body":7} x` + "\n" + `{"body":"b","route":"y"}`, want: view{Format: dataset.JSONL,
			Rows: []row{{"row-1", "", "a", m{"route": "x"}, m{}}, {"row-8", "", "b", m{"route": "y"}, m{}}}, Columns: xy,
			Skipped: []dataset.RowError{{Line: 2, Reason: "broken JSON at byte 12 of the line: unexpected end of JSON input"},
				{Line: 3, Reason: "it is not a JSON object: [1]"},
				{Line: 4, Reason: `label column "route" holds a list, not one value: ["y"]`},
				{Line: 5, Reason: "subject and body are empty"},
				{Line: 6, Reason: `no value in label column "route"`},
				{Line: 7, Reason: "broken JSON at byte 12 of the line: invalid character 'x' after top-level value"}},
			Warnings: []string{once}}},
		{name: "JSONL in Windows-1252", file: "{\"body\":\"\xe9\",\"route\":\"x\"}\n\xa0\n{\"body\":\"b\",\"route\":\"y\"}",
			want: view{Format: dataset.JSONL, Encoding: dataset.Windows1252,
				Rows: []row{{"row-1", "", "é", m{"route": "x"}, m{}}, {"row-3", "", "b", m{"route": "y"}, m{}}}, Columns: xy,
				Skipped:  []dataset.RowError{{Line: 2, Reason: "it is not a JSON object: \u00a0"}},
				Warnings: []string{"line 1 is not valid UTF-8: the whole file is read as Windows-1252", once}}},
		{name: "a JSONL line over 8 MiB", file: `{"body":"a","route":"x"}` + "\n{" + strings.Repeat(" ", 9<<20) + "\n" + `{"body":"b","route":"y"}`,
			want: view{Format: dataset.JSONL,
				Rows: []row{{"row-1", "", "a", m{"route": "x"}, m{}}, {"row-3", "", "b", m{"route": "y"}, m{}}}, Columns: xy,
				Skipped:  []dataset.RowError{{Line: 2, Reason: "the record is larger than 8 MiB"}},
				Warnings: []string{once}}},
		{name: "a JSON array", file: "\n[{\"body\":\"a\"}]",
			err: "t.csv: it begins with '[': a JSON array is not read; write one object a line (jq -c '.[]' does it)"},
		{name: "a JSON object over many lines", file: "{\n \"body\": \"a\"\n}\n",
			err: "t.csv: no object in its first lines: line 1: broken JSON at byte 1 of the line: unexpected end of JSON input; write one JSON object with the ticket's fields on each line"},
		{name: "empty objects", file: "{}\n{}\n",
			err: "t.csv: its first objects are empty; write one JSON object with the ticket's fields on each line"},
		{name: "a mapping to no field", file: `{"body":"a"}`, opts: dataset.Options{Map: m{"body": "text"}},
			err: `t.csv: column map, body=text: no column "text": the fields of the first 100 objects are body`},
	})
}
