package reply_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/reply"
)

func TestValuesAreTakenOnlyForWhatTheyCertainlyAre(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 40)
	check(t, []row{
		{"all fields, in the order of the shape", text(`{"note":"x","days":1,"score":0,"level":"Low","route_category":"feature"}`),
			taken(reply.Exact, `{"route_category":"feature","level":"Low","score":0,"days":1,"note":"x"}`)},
		{"unknown fields", text(`{"reasoning":"x","route_category":"billing"}`), taken(reply.Exact, bill, `dropped field "reasoning"`)},
		{"another form of the key", text(`{"Route Category":"billing","DAYS":2}`),
			taken(reply.Exact, `{"route_category":"billing","days":2}`, `"Route Category" as route_category`, `"DAYS" as days`)},
		{"camel case", text(`{"routeCategory":"billing"}`), taken(reply.Exact, bill, `"routeCategory" as route_category`)},
		{"another key", text(`{"category":"billing"}`), none(reply.Schema)},
		{"escaped key", text(`{"\u0072oute_category":"billing"}`), taken(reply.Exact, bill)},
		{"null", text(`{"route_category":"billing","level":null}`), taken(reply.Exact, bill)},
		{"only null", text(`{"route_category":null}`), none(reply.Schema, "no field has a value")},
		{"twice the same", text(`{"level":"Low","level":"Low"}`), taken(reply.Exact, `{"level":"Low"}`, "level: given twice")},
		{"twice", text(`{"level":"High","level":"Low"}`), ambiguous(reply.Exact, `{"level":"Low"}`)},
		{"twice, the first wrong", text(`{"level":"Top","level":"Low"}`), ambiguous(reply.Exact, `{"level":"Low"}`)},
		{"twice, the last wrong", text(`{"level":"Low","level":"Top"}`), none(reply.Schema, `level: "Top"`)},
		{"word in spaces", text(`{"level":" Low. "}`), taken(reply.Exact, `{"level":"Low"}`, `level: " Low. " as Low`)},
		{"word with hyphen", text(`{"route_category":"Feature-Request"}`),
			taken(reply.Exact, `{"route_category":"feature"}`, `route_category: "Feature-Request" as feature`)},
		{"no word", text(`{"level":""}`), none(reply.Schema, `level: "" is not allowed; allowed is one of Low, High, 1`)},
		{"two words", text(`{"level":"Low, High"}`), none(reply.Schema)},
		{"word that is a number", text(`{"level":1}`), taken(reply.Exact, `{"level":"1"}`, "level: 1 as 1")},
		{"word that is another number", text(`{"level":2}`), none(reply.Schema)},
		{"word that is true", text(`{"level":true}`), none(reply.Schema, "true is not allowed")},
		{"word that is an object", text(`{"level":{"value":"Low"}}`), none(reply.Schema)},
		{"list of two words", text(`{"level":["Low","High"]}`), none(reply.Schema, `["Low","High"] is not allowed`)},
		{"empty list", text(`{"level":[]}`), none(reply.Schema)},
		{"list of one text", text(`{"note":["x"]}`), taken(reply.Exact, `{"note":"x"}`, `note: ["x"] as its only member`)},
		{"list in a list", text(`{"note":[["x"]]}`), none(reply.Schema)},
		{"percentage of 0 to 100", text(`{"score":"90%"}`), taken(reply.Exact, `{"score":90}`, `score: "90%" as 90`)},
		{"percentage of days", text(`{"days":"3%"}`), none(reply.Schema)},
		{"percentage without quotes", text(`{"score":90%}`), none(reply.NotJSON)},
		{"integer in spaces", text(`{"days":" 3 "}`), taken(reply.Exact, `{"days":3}`, `days: " 3 " as 3`)},
		{"integer with a unit", text(`{"days":"3 days"}`), none(reply.Schema, `days: "3 days" is not allowed; allowed is an integer from 1 to 7`)},
		{"fraction", text(`{"days":3.5}`), none(reply.Schema, "days: 3.5 is not allowed")},
		{"almost an integer", text(`{"days":3.00000000000000000001}`), none(reply.Schema)},
		{"integer with an exponent", text(`{"score":1e1}`), none(reply.Schema)},
		{"integer in words", text(`{"days":"three"}`), none(reply.Schema)},
		{"integer with a sign", text(`{"days":"+3"}`), none(reply.Schema)},
		{"integer that is true", text(`{"days":true}`), none(reply.Schema)},
		{"integer in a list", text(`{"days":[3]}`), none(reply.Schema)},
		{"empty integer", text(`{"days":""}`), none(reply.Schema)},
		{"too high", text(`{"days":8}`), none(reply.Schema, "days: 8 is not allowed; allowed is an integer from 1 to 7")},
		{"too long for an integer", text(`{"days":11111111111111111111111}`), none(reply.Schema)},
		{"minus nothing", text(`{"score":-0}`), taken(reply.Exact, `{"score":0}`, "score: -0 as 0")},
		{"minus alone", text(`{"days":-}`), none(reply.NotJSON, "expected a number")},
		{"point without digits", text(`{"days":1.}`), none(reply.NotJSON)},
		{"exponent without digits", text(`{"days":1e+}`), none(reply.NotJSON)},
		{"leading zero", text(`{"days":03}`), none(reply.NotJSON)},
		{"longest text", text(`{"note":"` + long + `"}`), taken(reply.Exact, `{"note":"`+long+`"}`)},
		{"too long a text", text(`{"note":"` + long + `x"}`), none(reply.Schema, "note: 41 characters are not allowed; allowed are at most 40")},
		{"text that is a number", text(`{"note":3}`), none(reply.Schema, "note: 3 is not allowed; allowed is a text")},
		{"text of white space is none", text(`{"note":" ","days":1}`), taken(reply.Exact, `{"days":1}`)},
		{"escapes", text(`{"note":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83d"}`),
			taken(reply.Exact, `{"note":"\"\\/\u0008\u000c\n\r\té😀`+"\uFFFD"+`"}`)},
		{"all that is wrong is named", text(`{"days":9,"level":"x"}`), none(reply.Schema, `level: "x"`, "; days: 9")},
	})
}

func TestOfManyNotesTheFirstAreKept(t *testing.T) {
	t.Parallel()
	many, dropped := `{"days":1`, []string{}
	for i := range 20 {
		many += fmt.Sprintf(`,"x%d":0`, i)
		if i < 16 {
			dropped = append(dropped, fmt.Sprintf(`dropped field "x%d"`, i))
		}
	}
	check(t, []row{
		{"dropped fields", text(many + "}"), taken(reply.Exact, `{"days":1}`, append(dropped, "and 4 more")...)},
		{"other names", text(`{"note":"x"` + strings.Repeat(`,"NOTE":"x"`, 20) + "}"),
			taken(reply.Exact, `{"note":"x"}`, append(strings.Split(strings.Repeat(`"NOTE" as note|note: given twice|`, 8), "|")[:16], "and 24 more")...)},
		{"a long name", text(`{"days":1,"` + strings.Repeat("x", 70) + `":0}`),
			taken(reply.Exact, `{"days":1}`, `dropped field "`+strings.Repeat("x", 60)+`…"`)},
	})
}

func TestNamesWithOneLabelAreNotTakenForEachOther(t *testing.T) {
	t.Parallel()
	s := reply.Shape{Fields: []reply.Field{
		{Name: "type", Kind: reply.Enum, Allowed: []string{"A-x", "Ax", "b", "1", "c"}, Aliases: map[string]string{"x y": "Ax", "xy": "b", "z": "gone"}},
		{Name: "Type", Kind: reply.Integer, High: 9},
	}}
	for in, want := range map[string]reply.Result{
		`{"type":"Ax","Type":3}`: {Stage: reply.Exact, Action: []byte(`{"type":"Ax","Type":3}`)},
		`{"TYPE":"Ax"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"ax"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"-1"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":".1"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"1 1"}`:         {Stage: reply.None, Cause: reply.Schema},
		`{"type":"c-"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"!c"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"c++"}`:         {Stage: reply.None, Cause: reply.Schema},
		`{"type":"C*"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"c?"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"**C.** "}`:     {Stage: reply.None, Cause: reply.Schema},
		`{"type":"**C**."}`:      {Stage: reply.Exact, Action: []byte(`{"type":"c"}`)},
		`{"type":" [C]"}`:        {Stage: reply.Exact, Action: []byte(`{"type":"c"}`)},
		`{"type":"XY"}`:          {Stage: reply.None, Cause: reply.Schema},
		`{"type":"z"}`:           {Stage: reply.None, Cause: reply.Schema},
		`{"type":"B"}`:           {Stage: reply.Exact, Action: []byte(`{"type":"b"}`)},
	} {
		got := reply.Read(reply.Input{Text: in}, s)
		if got.Stage != want.Stage || got.Cause != want.Cause || string(got.Action) != string(want.Action) {
			t.Errorf("Read(%s) = %+v, want %+v", in, got, want)
		}
	}
}

func TestRepairIsNarrow(t *testing.T) {
	t.Parallel()
	repaired := func(action string, coerced ...string) want { return taken(reply.Repaired, action, coerced...) }
	check(t, []row{
		{"single quotes", text(`{'route_category': 'billing'}`), repaired(bill)},
		{"Python", text(`{'route_category': 'billing', 'level': None, 'sure': True, 'x': False}`),
			repaired(bill, `dropped field "sure"`, `dropped field "x"`)},
		{"an apostrophe", text(`{'note': 'don't panic'}`), repaired(`{"note":"don't panic"}`)},
		{"an escaped apostrophe", text(`{'note': 'don\'t'}`), repaired(`{"note":"don't"}`)},
		{"an apostrophe that may be an end", text(`{'note': 'customers' data'}`), none(reply.NotJSON)},
		{"typographic quotes", text(`{“route_category”: “billing”}`), repaired(bill)},
		{"German quotes", text(`{„route_category“: „billing“}`), repaired(bill)},
		{"typographic single quotes", text(`{‘note’: ‘it’s’}`), repaired(`{"note":"it’s"}`)},
		{"typographic quotes in a value", text(`{"note":"a “b” c"}`), taken(reply.Exact, `{"note":"a “b” c"}`)},
		{"trailing commas", text(`{"route_category":"billing","x":[1,],}`), repaired(bill, `dropped field "x"`)},
		{"trailing comma in a list of one", text(`{"note":["x",]}`), repaired(`{"note":"x"}`, `note: ["x",] as its only member`)},
		{"comments", text("{ // why\n\"route_category\":/* it is */\"billing\" # so\n}"), repaired(bill)},
		{"a comment that does not end", text(`{"route_category":"billing" /* so }`), none(reply.NotJSON)},
		{"an address in a value", text(`{"note":"http://x # y"}`), taken(reply.Exact, `{"note":"http://x # y"}`)},
		{"keys without quotes", text(`{route_category: "billing", days: 3}`), repaired(`{"route_category":"billing","days":3}`)},
		{"values without quotes", text(`{route_category: billing}`), none(reply.NotJSON, "expected a value")},
		{"full-width colon and comma", text(`{"route_category"："billing"，"days"：3}`), repaired(`{"route_category":"billing","days":3}`)},
		{"line break in a string", text("{\"note\":\"a\n\tb\"}"), repaired(`{"note":"a\n\tb"}`)},
		{"a backslash that escapes nothing", text(`{"note":"C:\data\_x \u12"}`), repaired(`{"note":"C:\\data\\_x \\u12"}`)},
		{"a backslash before a typographic quote", text(`{“note”: “C:\”}`), repaired(`{"note":"C:\\"}`)},
		{"inner quotes", text(`{"note":"press "Save" now","days":2}`), repaired(`{"days":2,"note":"press \"Save\" now"}`)},
		{"inner quotes at the end", text(`{"note":"press "Save""}`), none(reply.NotJSON)},
		{"inner quotes before a comma", text(`{"note":"press "Save", now","days":2}`), none(reply.NotJSON)},
		{"inner quotes before a colon", text(`{"note":"a "b": c","days":2}`), none(reply.NotJSON)},
		{"one inner quote", text(`{"note":"5" of it","days":2}`), none(reply.NotJSON)},
		{"inner quotes and a line break", text("{\"note\":\"a \"b\" c\nd\"}"), none(reply.NotJSON)},
		{"a quote that is missing", text("{\"note\":\"a,\n\"days\":2}"), none(reply.NotJSON)},
		{"a comma that is missing", text(`{"level":"Low" "days":2}`), none(reply.NotJSON)},
		{"a comma that is missing between lines", text("{\"level\":\"Low\"\n\"days\":2}"), none(reply.NotJSON)},
		{"two commas", text(`{"level":"Low",,"days":2}`), none(reply.NotJSON)},
		{"a bracket that is missing", text(`{"x":[1,2,"level":"Low"}`), none(reply.NotJSON)},
		{"an equals sign", text(`{"level"="Low"}`), none(reply.NotJSON)},
		{"repaired in a fence", text("```json\n{'level':'Low'}\n```"), repaired(`{"level":"Low"}`)},
		{"a wrong value stays wrong", text(`{'level':'Top'}`), none(reply.Schema)},
		{"a repair in what is dropped", text(`{"level":"Low","x":'y'}`), repaired(`{"level":"Low"}`, `dropped field "x"`)},
		{"an object that needs no repair is preferred to the same that does", text(`{'level':'Low'} {"level":"Low"}`), taken(reply.Embedded, `{"level":"Low"}`)},
		{"repaired, and another one", text(`{'level':'Low'} {"level":"High"}`), ambiguous(reply.Embedded, `{"level":"High"}`)},
	})
}
