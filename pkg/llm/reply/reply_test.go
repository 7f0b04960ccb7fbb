package reply_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/reply"
)

// queue is the shape of most tests.
var queue = reply.Shape{Fields: []reply.Field{
	{Name: "route_category", Kind: reply.Enum, Allowed: []string{"billing", "technical", "feature"},
		Aliases: map[string]string{"technical support": "technical", "feature request": "feature"}},
	{Name: "level", Kind: reply.Enum, Allowed: []string{"Low", "High", "1"}},
	{Name: "score", Kind: reply.Integer, Low: 0, High: 100},
	{Name: "days", Kind: reply.Integer, Low: 1, High: 7},
	{Name: "note", Kind: reply.Text, MaxRunes: 40},
}}

// want is a result without its Detail, of which says are parts.
type want struct {
	stage   reply.Stage
	cause   reply.Cause
	action  string
	coerced []string
	says    []string
}

type row struct {
	name string
	in   reply.Input
	want want
}

func text(s string) reply.Input { return reply.Input{Text: s, Finish: "stop"} }

func cut(s string) reply.Input { return reply.Input{Text: s, Finish: "length"} }

func taken(stage reply.Stage, action string, coerced ...string) want {
	return want{stage: stage, action: action, coerced: coerced}
}

func ambiguous(stage reply.Stage, action string, coerced ...string) want {
	return want{stage: stage, cause: reply.Ambiguous, action: action, coerced: coerced, says: []string{"last was taken"}}
}

func none(cause reply.Cause, says ...string) want {
	return want{stage: reply.None, cause: cause, says: says}
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got := reply.Read(r.in, queue)
			detail := got.Detail
			got.Detail = ""
			wanted := reply.Result{Stage: r.want.stage, Cause: r.want.cause, Coerced: r.want.coerced}
			if r.want.action != "" {
				wanted.Action = []byte(r.want.action)
			}
			if diff := cmp.Diff(wanted, got); diff != "" {
				t.Errorf("Read(%.200q) differs (-want +got):\n%s\n%s", r.in.Text, diff, detail)
			}
			if (detail == "") != (got.Cause == "") {
				t.Errorf("cause %q goes with the detail %q", got.Cause, detail)
			}
			for _, s := range r.want.says {
				if !strings.Contains(detail, s) {
					t.Errorf("detail %q does not say %q", detail, s)
				}
			}
			again(t, got, queue)
		})
	}
}

// again checks that an action is what it is read from: exactly itself.
func again(t *testing.T, got reply.Result, s reply.Shape) {
	t.Helper()
	if (got.Stage == reply.None) != (got.Action == nil) {
		t.Fatalf("stage %s has the action %q", got.Stage, got.Action)
	}
	if got.Action == nil {
		return
	}
	if !json.Valid(got.Action) {
		t.Fatalf("action %q is no JSON", got.Action)
	}
	same := reply.Result{Stage: reply.Exact, Action: got.Action}
	if diff := cmp.Diff(same, reply.Read(reply.Input{Text: string(got.Action)}, s)); diff != "" {
		t.Errorf("reading the action again differs (-want +got):\n%s", diff)
	}
}

const bill, tech = `{"route_category":"billing"}`, `{"route_category":"technical"}`

// TestRepliesThatOtherReadersGotWrong has a row for each of the lessons of area A.
func TestRepliesThatOtherReadersGotWrong(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("set {x} and {y: z}, ", 250)
	check(t, []row{
		{"lesson A1: backticks in a value", text(`{"route_category":"billing","note":"run ` + "```x```" + ` now"}`),
			taken(reply.Exact, `{"route_category":"billing","note":"run `+"```x```"+` now"}`)},
		{"lesson A1: a fence in a value of a fenced object", text("```json\n{\"route_category\":\"billing\",\"note\":\"a\\n```\\nb\"}\n```"),
			taken(reply.Fenced, "{\"route_category\":\"billing\",\"note\":\"a\\n```\\nb\"}")},
		{"lesson A1: an empty fence", text("```json\n```"), none(reply.NotJSON, "no JSON object", "```json")},
		{"lesson A1: an empty fence before the answer", text("```json\n```\n" + bill), taken(reply.Embedded, bill)},
		{"lesson A1: a fence of prose before that of the answer", text("```text\nlet me see {…}\n```\n```json\n" + bill + "\n```"),
			taken(reply.Embedded, bill)},
		{"lesson A2: fenced", text("```json\n" + bill + "\n```"), taken(reply.Fenced, bill)},
		{"lesson A3: a draft in a think block", text("<think>maybe " + tech + "</think>" + bill), taken(reply.Embedded, bill)},
		{"lesson A3: an unclosed think block", text("<think>… " + tech), none(reply.NoFinalAnswer, "after the reasoning")},
		{"lesson A4: the same for another field", text(`<think>maybe {"score":1}</think>{"score":2}`), taken(reply.Embedded, `{"score":2}`)},
		{"lesson A5: an integer behind a think block", text(`<think>x</think>{"days":7}`), taken(reply.Embedded, `{"days":7}`)},
		{"lesson A5: only an integer behind a think block", text(`<think>x</think>7`), none(reply.NotJSON, "no JSON object")},
		{"lesson A6: a stray quote swallows nothing", text(`{'route_category':'bil'ling','level':'High'}`),
			none(reply.Schema, `route_category: "bil'ling" is not allowed; allowed is one of billing, technical, feature`)},
		{"lesson A6: a stray quote at the end swallows nothing", text(`{'note':'it is' so,'level':'High'}`),
			none(reply.NotJSON, "expected quotes in a string with a backslash before them")},
		{"lesson A8: cut before a value", cut(`{"route_category":"billing","level":`), none(reply.Truncated, "cut in its object")},
		{"lesson A8: cut in a string", cut(`{"route_category":"bill`), none(reply.Truncated)},
		{"lesson A8: cut before the brace", cut(`{"route_category":"billing"`), none(reply.Truncated)},
		{"lesson A8: not closed, though the endpoint says stop", text(`{"route_category":"billing"`), none(reply.NotJSON, "not closed")},
		{"lesson A10: 500 pairs of braces in prose", text(prose + bill), taken(reply.Embedded, bill)},
		{"lesson A11: an alias", text(`{"route_category":"Technical Support"}`),
			taken(reply.Exact, tech, `route_category: "Technical Support" as technical`)},
		{"lesson A11: a quoted word", text(`{"route_category":"'technical'"}`), taken(reply.Exact, tech, `route_category: "'technical'" as technical`)},
		{"lesson A11: a word in a sentence", text(`{"route_category":"Category: technical."}`), none(reply.Schema, `"Category: technical."`)},
		{"lesson A11: a sentence", text(`Category: technical.`), none(reply.NotJSON, `it begins "Category: technical."`)},
		{"lesson A11: a misspelt word", text(`{"route_category":"technicl"}`), none(reply.Schema)},
		{"lesson A12: another case", text(`{"level":"high"}`), taken(reply.Exact, `{"level":"High"}`, `level: "high" as High`)},
		{"lesson A14: a list of one string", text(`{"route_category":["billing"]}`),
			taken(reply.Exact, bill, `route_category: ["billing"] as billing`)},
		{"lesson A14: an integer in a string", text(`{"days":"3"}`), taken(reply.Exact, `{"days":3}`, `days: "3" as 3`)},
		{"lesson A14: an integer with a point", text(`{"days":3.0}`), taken(reply.Exact, `{"days":3}`, `days: 3.0 as 3`)},
		{"lesson A16: the error names the cause", text("Sure! " + strings.Repeat("é", 200)),
			none(reply.NotJSON, `no JSON object; it begins "Sure! `+strings.Repeat("é", 97)+`"`)},
		{"lesson A17: a schema that was ignored", text(`{"answer_text":"It is billing."}`),
			none(reply.Schema, "none of the fields route_category, level, score, days, note")},
		{"lesson A18: reasoning took the budget", reply.Input{Finish: "length", ReasoningTokens: 50},
			none(reply.BudgetExhausted, "50 tokens of reasoning used up the limit")},
	})
}

func TestReasoningIsNoAnswer(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"no opening tag", text("maybe " + tech + "</think>\n" + bill), taken(reply.Embedded, bill)},
		{"two blocks", text("<think>a</think>" + tech + "<think>no</think>" + bill), taken(reply.Embedded, bill)},
		{"thinking", text("<thinking>" + tech + "</thinking>" + bill), taken(reply.Embedded, bill)},
		{"upper case, with brackets", text("[THINK]" + tech + "[/THINK]" + bill), taken(reply.Embedded, bill)},
		{"an unclosed thinking", text("<thinking>" + tech), none(reply.NoFinalAnswer)},
		{"an unclosed bracket", text("[THINK]" + tech), none(reply.NoFinalAnswer)},
		{"unclosed behind an answer", text(tech + "<think>or " + bill), none(reply.NoFinalAnswer)},
		{"unclosed and cut", cut("<think>maybe " + tech), none(reply.BudgetExhausted, "cut in its reasoning")},
		{"nothing behind it", text("<think>" + tech + "</think>\n"), none(reply.NoFinalAnswer)},
		{"nothing behind it and cut", cut("<think>" + tech + "</think>\n"), none(reply.BudgetExhausted)},
		{"an unfinished draft without an opening tag", text(`{"route_category":"tech</think>` + bill), taken(reply.Embedded, bill)},
		{"an end mark in a string of a draft", text(`<think>{"note":"say </think>"} so</think>` + bill), taken(reply.Embedded, bill)},
		{"think in a value", text(`{"note":"remove the <think> tag"}`), taken(reply.Exact, `{"note":"remove the <think> tag"}`)},
		{"the end of think in a value", text(`Here: {"note":"close it with </think>"}.`), taken(reply.Embedded, `{"note":"close it with </think>"}`)},
		{"both", text(`<think>x</think>{"note":"</think>"}`), taken(reply.Embedded, `{"note":"</think>"}`)},
		{"a fence behind it", text("<think>x</think>\n```json\n" + bill + "\n```"), taken(reply.Embedded, bill)},
		{"harmony", text("<|channel|>analysis<|message|>maybe " + tech + "<|end|><|start|>assistant<|channel|>final<|message|>" + bill + "<|return|>"),
			taken(reply.Embedded, bill)},
		{"harmony, without the end of the analysis", text("<|channel|>analysis<|message|>" + tech + "<|channel|>final<|message|>" + bill),
			taken(reply.Embedded, bill)},
		{"harmony, the call of a tool", text("<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>commentary to=functions.answer <|constrain|>json<|message|>" + bill + "<|call|>"),
			taken(reply.Embedded, bill)},
		{"harmony, only analysis", text("<|channel|>analysis<|message|>maybe " + tech), none(reply.NoFinalAnswer)},
		{"harmony, only analysis that ends", text("<|channel|>analysis<|message|>maybe " + tech + "<|end|><|start|>assistant"), none(reply.NoFinalAnswer)},
		{"harmony, a head that does not end", text("<|channel|>final " + tech), none(reply.NoFinalAnswer)},
		{"the end of a message", text(bill + "<|end|>"), taken(reply.Embedded, bill)},
		{"reasoning beside the text is not searched", reply.Input{Reasoning: bill, Finish: "stop"}, none(reply.NoFinalAnswer, "reasoning only")},
		{"reasoning tokens without a text", reply.Input{ReasoningTokens: 3, Finish: "stop"}, none(reply.NoFinalAnswer)},
	})
}

func TestARefusalOrNoTextIsNamed(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"refusal field", reply.Input{Refusal: "I can't.", Finish: "stop"}, none(reply.Refusal, `"I can't."`)},
		{"refusal field beside an answer", reply.Input{Text: bill, Refusal: "no"}, none(reply.Refusal)},
		{"content filter", reply.Input{Finish: "content_filter"}, none(reply.Refusal, "content_filter")},
		{"sorry", text("I’m sorry, but I can’t assist with that request."), none(reply.Refusal, "in words")},
		{"cannot", text("I cannot help with this."), none(reply.Refusal)},
		{"an AI", text("As an AI, I'm unable to classify this."), none(reply.Refusal)},
		{"behind a think block", text("<think>hm</think>I'm sorry, but I cannot comply."), none(reply.Refusal)},
		{"refusal and cut", cut("I'm sorry, but I can't"), none(reply.Refusal)},
		{"sorry, and an answer", text("I'm sorry, I cannot be sure: " + bill), taken(reply.Embedded, bill)},
		{"what the customer cannot do", text("Unfortunately, the customer cannot log in: technical."), none(reply.NotJSON)},
		{"sorry, and prose", text("Sorry for the delay. The ticket is technical."), none(reply.NotJSON)},
		{"empty", reply.Input{Finish: "stop"}, none(reply.Empty, "no text")},
		{"white space", text(" \n\t"), none(reply.Empty)},
		{"empty and cut", reply.Input{Finish: "length"}, none(reply.BudgetExhausted, "limit of the reply")},
		{"empty and cut, with reasoning", reply.Input{Finish: "length", Reasoning: "hm"}, none(reply.BudgetExhausted, `"hm"`)},
		{"too long", text(bill + strings.Repeat(" ", reply.MaxText)), none(reply.NotJSON, "4194332 bytes long; at most 4194304 are read")},
	})
}

func TestAReplyThatWasCutIsNeverFilledUp(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"complete before the cut", cut(bill + "\nThis is beca"), taken(reply.Embedded, bill)},
		{"complete at the cut", cut(bill), taken(reply.Exact, bill)},
		{"the same once more, cut", cut(bill + "\n" + bill + "\n" + bill[:20]), taken(reply.Embedded, bill)},
		{"another one, cut", cut(bill + "\nOr rather " + tech[:22]),
			want{stage: reply.Embedded, cause: reply.Ambiguous, action: bill, says: []string{"another one was begun"}}},
		{"an object in one that was cut", cut(`{"route_category":"billing","more":{"level":"High"},"x`), none(reply.Truncated)},
		{"an object in one that is not closed", text(`{"route_category":"billing","more":{"level":"High"}`), none(reply.NotJSON)},
		{"in an escape", cut(`{"note":"a\`), none(reply.Truncated)},
		{"in a literal", cut(`{"route_category":nul`), none(reply.Truncated)},
		{"in a key", cut(`{"score":1,"rou`), none(reply.Truncated)},
		{"in a fence", cut("```json\n{\n  \"score\": 1,\n"), none(reply.Truncated)},
		{"prose", cut("The customer is"), none(reply.Truncated, "before an object")},
		{"a list of which the first is complete", cut(`[` + bill + `, {"level"`),
			want{stage: reply.Embedded, cause: reply.Ambiguous, action: bill}},
		{"wrong and complete before the cut", cut(`{"route_category":"x"} beca`), none(reply.Schema)},
		{"other names for the finish", reply.Input{Text: `{"score":`, Finish: "MAX_TOKENS"}, none(reply.Truncated)},
	})
}

func TestOneObjectIsFoundAmongOtherThings(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"white space", text(" \n" + bill + "\r\n"), taken(reply.Exact, bill)},
		{"byte order mark", text("\uFEFF" + bill), taken(reply.Embedded, bill)},
		{"bytes that are not UTF-8", text("{\"note\":\"a\xff\xfeb\"}"),
			taken(reply.Embedded, `{"note":"a`+"\uFFFD"+`b"}`, "text: bytes that are not UTF-8 as \uFFFD")},
		{"prose around", text("Here it is: " + bill + " Good luck!"), taken(reply.Embedded, bill)},
		{"a fence without a name", text("```\n" + bill + "\n```"), taken(reply.Fenced, bill)},
		{"a fence of tildes", text("~~~~json\n" + bill + "\n~~~~"), taken(reply.Fenced, bill)},
		{"a fence on one line", text("```json " + bill + "```"), taken(reply.Fenced, bill)},
		{"a fence that is not closed", text("```json\n" + bill), taken(reply.Fenced, bill)},
		{"a fence and prose", text("Sure:\n```json\n" + bill + "\n```\nDone."), taken(reply.Embedded, bill)},
		{"one backtick", text("`" + bill + "`"), taken(reply.Embedded, bill)},
		{"tags", text("<answer>" + bill + "</answer>"), taken(reply.Embedded, bill)},
		{"an open brace in prose", text("Use { to open. " + bill), taken(reply.Embedded, bill)},
		{"an open quote in braces", text(`{"so ` + bill), taken(reply.Embedded, bill)},
		{"doubled braces", text("{" + bill + "}"), taken(reply.Embedded, bill)},
		{"an array of one", text("[" + bill + "]"), taken(reply.Embedded, bill)},
		{"an array of the same twice", text("[" + bill + ", " + bill + "]"), taken(reply.Embedded, bill)},
		{"an array of two", text("[" + bill + ", " + tech + "]"), none(reply.Ambiguous, "list of several")},
		{"an array of two of which one is wrong", text(`[` + bill + `, {"route_category":"x"}]`), none(reply.Ambiguous)},
		{"an array of two, and then the answer", text("[" + bill + ", " + tech + "] so " + tech), ambiguous(reply.Embedded, tech)},
		{"a JSON string", text(`"{\"route_category\":\"billing\"}"`), taken(reply.Embedded, bill, "text: a JSON string as what it holds")},
		{"wrapped", text(`{"answer":` + bill + `}`), taken(reply.Exact, bill, `taken out of "answer"`)},
		{"wrapped with something beside it", text(`{"reasoning":"hm","answer":` + bill + `}`),
			taken(reply.Exact, bill, `taken out of "answer"`, `dropped field "reasoning"`)},
		{"a wrapper around something broken", text(`{"answer":"{\"route_category\""}`), none(reply.Schema)},
		{"a list of properties", text(`{"properties":[1],"answer":` + bill + `}`),
			taken(reply.Exact, bill, `taken out of "answer"`, `dropped field "properties"`)},
		{"a large wrapper", text(`{"answer":` + bill + strings.Repeat(`,"x":1`, 64) + `}`), none(reply.Schema)},
		{"too many fields", text(`{` + strings.Repeat(`"x":1,`, 5000) + `"score":1}`), none(reply.NotJSON, "an object with fewer fields")},
		{"too many objects", text(strings.Repeat("{}", 5000) + bill), none(reply.NotJSON, "too many objects")},
		{"wrapped twice", text(`{"a":{"answer":` + bill + `}}`), none(reply.Schema)},
		{"two in one wrapper", text(`{"a":` + bill + `,"b":` + tech + `}`), none(reply.Schema)},
		{"the call of a tool in words", text(`{"name":"triage","arguments":"{\"route_category\":\"billing\"}"}`),
			taken(reply.Exact, bill, `taken out of "arguments"`, `dropped field "name"`)},
		{"the arguments of a tool call", reply.Input{Text: bill, Tool: true, Finish: "tool_calls"}, taken(reply.Exact, bill)},
		{"an object of another kind before", text(`{"ticket":"12"} ` + bill), taken(reply.Embedded, bill)},
		{"a template before", text(`{"route_category":"billing|technical|feature"} ` + bill), taken(reply.Embedded, bill)},
		{"a template", text(`{"route_category":"billing|technical|feature"}`), none(reply.Schema, "billing|technical|feature")},
		{"the same twice", text(bill + "\n" + bill), taken(reply.Embedded, bill)},
		{"two", text(tech + " or rather " + bill), ambiguous(reply.Embedded, bill)},
		{"two of which the last is wrong", text(bill + ` or {"route_category":"x"}`), taken(reply.Embedded, bill)},
		{"a schema", text(`{"type":"object","properties":{"route_category":{"type":"string","enum":["billing"]}}}`), none(reply.Schema, "JSON Schema")},
		{"a schema with its address", text(`{"$schema":"x","answer":` + bill + `}`), none(reply.Schema, "JSON Schema")},
		{"the inside of a schema", text(`{"route_category":{"type":"string"}}`), none(reply.Schema, `{"type":"string"} is not allowed`)},
		{"an answer in the place of a schema", text(`{"type":"object","properties":` + bill + `}`),
			taken(reply.Exact, bill, `taken out of "properties"`, `dropped field "type"`)},
		{"an object in one that is broken", text(`{"route_category":"billing","more":{"level":"High"} so}`), none(reply.NotJSON, "line 1, byte 53: expected a comma")},
		{"behind one that is broken", text(`{"route_category":billing, "x":{"level":"High"}} so ` + bill), taken(reply.Embedded, bill)},
		{"an answer in a thought that is broken", text(`{"thought":"perhaps ` + bill + ` or so","level":"High"}`), none(reply.NotJSON)},
		{"a table", text("| route_category |\n| --- |\n| billing |"), none(reply.NotJSON)},
		{"YAML", text("route_category: billing\nlevel: High"), none(reply.NotJSON)},
		{"nothing in it", text("{}"), none(reply.Schema)},
		{"another object", text(`Look: {"a":1}`), none(reply.Schema, "none of the fields")},
		{"nested too deeply", text(strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)), none(reply.NotJSON, "less deeply nested")},
		{"an array nested too deeply", text(`{"a":` + strings.Repeat(`[`, 100) + strings.Repeat("]", 100) + "}"), none(reply.NotJSON, "less deeply nested")},
	})
}
