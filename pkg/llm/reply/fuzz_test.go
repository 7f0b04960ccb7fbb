package reply_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/llm/reply"
)

// FuzzRead checks what holds of every reply: there is an action or a cause, the action is of the shape and is read again as
// exactly itself, no value is longer than the text, and what is called exact is what encoding/json reads.
func FuzzRead(f *testing.F) {
	for _, s := range replies(f) {
		f.Add(s.Text, s.Finish, "", false)
	}
	for _, s := range []string{`{"answer":{"route_category":"billing"}}`, `"{\"score\":\"3\"}"`, `[{'level':'High',}]`, "<think>x</think>~~~\n{score：3}",
		`{"note":"a "b" c"}`, "<|channel|>final<|message|>{“days”:[1]/**/}", `{"level":"x","level":"LOW"}{"level":"low"}`, "[THINK]", "I'm sorry, I can't"} {
		f.Add(s, "stop", "", false)
	}
	f.Add("", "length", "thought", true)
	f.Fuzz(func(t *testing.T, text, finish, reasoning string, tool bool) {
		for _, s := range []reply.Shape{queue, desk} {
			in := reply.Input{Text: text, Finish: finish, Reasoning: reasoning, Tool: tool}
			got := reply.Read(in, s)
			again(t, got, s)
			if (got.Cause == "") != (got.Detail == "") || got.Stage == reply.None && got.Cause == "" || got.Stage != reply.None && got.Cause != "" && got.Cause != reply.Ambiguous {
				t.Fatalf("stage %s, cause %q, detail %q", got.Stage, got.Cause, got.Detail)
			}
			if len(got.Detail) > 4096 || len(got.Coerced) > 20 || !utf8.ValidString(got.Detail) {
				t.Fatalf("detail %q, coerced %q", got.Detail, got.Coerced)
			}
			if got.Action == nil {
				continue
			}
			ofShape(t, got.Action, s, utf8.RuneCountInString(text))
			if got.Stage == reply.Exact && got.Cause == "" && len(got.Coerced) == 0 {
				asRead(t, text, got.Action)
			}
		}
	})
}

// ofShape checks an action against the shape, and that no text in it has more than most characters.
func ofShape(t *testing.T, action []byte, s reply.Shape, most int) {
	t.Helper()
	members := unmarshal(t, action)
	if len(members) == 0 {
		t.Fatalf("action %s is empty", action)
	}
	for _, f := range s.Fields {
		v, ok := members[f.Name]
		delete(members, f.Name)
		switch v := v.(type) {
		case nil:
			if ok {
				t.Fatalf("action %s: %s is null", action, f.Name)
			}
		case json.Number:
			if n, err := v.Int64(); err != nil || f.Kind != reply.Integer || n < int64(f.Low) || n > int64(f.High) {
				t.Fatalf("action %s: %s is %s", action, f.Name, v)
			}
		case string:
			long := f.MaxRunes > 0 && utf8.RuneCountInString(v) > f.MaxRunes || f.Kind == reply.Text && utf8.RuneCountInString(v) > most
			if f.Kind == reply.Integer || f.Kind == reply.Enum && !slices.Contains(f.Allowed, v) || long {
				t.Fatalf("action %s: %s is %q", action, f.Name, v)
			}
		default:
			t.Fatalf("action %s: %s is %v", action, f.Name, v)
		}
	}
	if len(members) > 0 {
		t.Fatalf("action %s has other fields: %v", action, members)
	}
}

// asRead checks that a text is the action, but for white space, order, null and texts of white space.
func asRead(t *testing.T, text string, action []byte) {
	t.Helper()
	want := unmarshal(t, []byte(text))
	for name, v := range unmarshal(t, action) {
		if want[name] != v {
			t.Fatalf("%s: %s is %v in the action, %v in the text", text, name, v, want[name])
		}
		delete(want, name)
	}
	for name, v := range want {
		if s, ok := v.(string); v != nil && (!ok || strings.TrimSpace(s) != "") {
			t.Fatalf("%s: %s is not in the action", text, name)
		}
	}
}

func unmarshal(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var out map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return out
}

func TestNoPartOfAnAnswerIsAnAnswer(t *testing.T) {
	t.Parallel()
	for _, whole := range []string{
		`{"route_category": "billing", "x": {"level": "Low"}, "score": 10, "note": "say \"é\" {\"level\":\"Low\"}", "days": 3}`,
		"{'route_category': 'billing', /* {\"level\":\"Low\"} */ 'x': [{'level': None}], score： 10, “note”: “a”,\n}",
		`{"answer": {"route_category": "billing", "level": ["Low"]}}`,
		`"{\"route_category\": \"billing\"}"`,
	} {
		if r := reply.Read(cut(whole), queue); r.Stage == reply.None {
			t.Errorf("%s is no answer: %s", whole, r.Detail)
		}
		for n := 1; n < len(whole); n++ {
			for _, around := range []string{"", "Here: "} {
				if r := reply.Read(cut(around+whole[:n]), queue); r.Action != nil || r.Cause != reply.Truncated {
					t.Errorf("%q gives %s, %s", around+whole[:n], r.Action, r.Cause)
				}
				if r := reply.Read(text(around+whole[:n]), queue); r.Action != nil {
					t.Errorf("%q gives %s", around+whole[:n], r.Action)
				}
			}
		}
	}
}
