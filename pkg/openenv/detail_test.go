package openenv_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// text encodes a value as the wire has it.
func text(v any) string { return string(openenv.Plain(v)) }

// equal compares two texts.
func equal(t *testing.T, what, want, got string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestDetailsAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	at := openenv.Loc
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(`{bad`), new(any)); !errors.As(err, &syntax) {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		got  openenv.Detail
		want string
	}{
		{"missing", openenv.Missing(at("body", "action"), []byte(` {"x":1} `)), `{"type":"missing","loc":["body","action"],"msg":"Field required","input":{"x":1}}`},
		{"missing in nothing", openenv.Missing(at("body"), nil), `{"type":"missing","loc":["body"],"msg":"Field required","input":null}`},
		{"extra", openenv.Extra(at("<z>"), []byte(`[1, 2]`)), `{"type":"extra_forbidden","loc":["<z>"],"msg":"Extra inputs are not permitted","input":[1,2]}`},
		{"no dictionary", openenv.NotDict(at(), []byte(`"x"`)), `{"type":"dict_type","loc":[],"msg":"Input should be a valid dictionary","input":"x"}`},
		{"no object", openenv.NotObject(at("body"), []byte(`{x`)), `{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{x"}`},
		{"no JSON", openenv.BadJSON(at("body"), syntax), `{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"invalid character 'b' looking for beginning of object key string at byte 1"}}`},
		{"no text", openenv.NotText(at("a", 0), []byte(`1`)), `{"type":"string_type","loc":["a",0],"msg":"Input should be a valid string","input":1}`},
		{"no truth", openenv.NotBool(at("a"), []byte(`2`)), `{"type":"bool_type","loc":["a"],"msg":"Input should be a valid boolean","input":2}`},
		{"too long", openenv.TooLong(at("a"), []byte(`"xyz"`), 2), `{"type":"string_too_long","loc":["a"],"msg":"String should have at most 2 characters","input":"xyz","ctx":{"max_length":2}}`},
		{"a word for a number", openenv.NotInt(at("a"), []byte(`"4x"`)), `{"type":"int_parsing","loc":["a"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"4x"}`},
		{"a fraction", openenv.NotInt(at("a"), []byte(`-1.5`)), `{"type":"int_from_float","loc":["a"],"msg":"Input should be a valid integer, got a number with a fractional part","input":-1.5}`},
		{"a list for a number", openenv.NotInt(at("a"), []byte(`[]`)), `{"type":"int_type","loc":["a"],"msg":"Input should be a valid integer","input":[]}`},
		{"no number", openenv.NotNumber(at("a"), []byte(`null`)), `{"type":"float_type","loc":["a"],"msg":"Input should be a valid number","input":null}`},
		{"too small", openenv.Beyond(at("a"), []byte(`-1`), "ge", 0), `{"type":"greater_than_equal","loc":["a"],"msg":"Input should be greater than or equal to 0","input":-1,"ctx":{"ge":0}}`},
		{"too large", openenv.Beyond(at("a"), []byte(`8`), "le", 7), `{"type":"less_than_equal","loc":["a"],"msg":"Input should be less than or equal to 7","input":8,"ctx":{"le":7}}`},
		{"not over", openenv.Beyond(at("a"), []byte(`0`), "gt", 0), `{"type":"greater_than","loc":["a"],"msg":"Input should be greater than 0","input":0,"ctx":{"gt":0}}`},
		{"one of one", openenv.NotOneOf(at("a"), []byte(`0`), []string{"x"}), `{"type":"literal_error","loc":["a"],"msg":"Input should be 'x'","input":0,"ctx":{"expected":"'x'"}}`},
		{"one of two", openenv.NotOneOf(at("a"), []byte(`0`), []string{"x", "y"}), `{"type":"literal_error","loc":["a"],"msg":"Input should be 'x' or 'y'","input":0,"ctx":{"expected":"'x' or 'y'"}}`},
		{"one of three", openenv.NotOneOf(at("a"), []byte(`0`), []string{"x", "y", "z"}), `{"type":"literal_error","loc":["a"],"msg":"Input should be 'x', 'y' or 'z'","input":0,"ctx":{"expected":"'x', 'y' or 'z'"}}`},
		{"too many", openenv.TooMany(at(), []byte(`{}`)), `{"type":"too_long","loc":[],"msg":"Dictionary should have at most 1000 items after validation","input":{},"ctx":{"field_type":"Dictionary","max_length":1000}}`},
		{"a value of 512 bytes", openenv.NotInt(at("a"), []byte(`"`+strings.Repeat("x", 510)+`"`)),
			`{"type":"int_parsing","loc":["a"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"` + strings.Repeat("x", 510) + `"}`},
		{"a longer one is cut, also within a letter", openenv.NotDict(at("a"), []byte(`"`+strings.Repeat("é", 300)+`"`)),
			`{"type":"dict_type","loc":["a"],"msg":"Input should be a valid dictionary","input":"\"` + strings.Repeat("é", 255) + "\ufffd" + `"}`},
		{"bytes that are no text", openenv.NotDict(at("a"), []byte("\xff")), `{"type":"dict_type","loc":["a"],"msg":"Input should be a valid dictionary","input":"` + "\ufffd" + `"}`},
	} {
		equal(t, x.name, x.want, text(x.got))
	}
}

// TestAValueThatIsSentBackIsACopy since frames live in buffers that are used again.
func TestAValueThatIsSentBackIsACopy(t *testing.T) {
	t.Parallel()
	frame := []byte(`{"a":[1]}`)
	d := openenv.Extra(openenv.Loc("x"), frame)
	copy(frame, `{"b":[2]}`)
	equal(t, "input", `{"a":[1]}`, string(d.Input))
}

func TestDetailsOfAnActionNameItsFields(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 100)
	for _, x := range []struct {
		name   string
		track  triage.Track
		action string
		want   string
	}{
		{"no object", triage.Queue, `[1]`, `[{"type":"dict_type","loc":[],"msg":"Input should be a valid dictionary","input":[1]}]`},
		{"no JSON", triage.Queue, `{`, `[{"type":"dict_type","loc":[],"msg":"Input should be a valid dictionary","input":"{"}]`},
		{"a long name is cut", triage.Queue, `{"` + long + `":1}`, `[{"type":"extra_forbidden","loc":["` + long[:80] + `…"],"msg":"Extra inputs are not permitted","input":"1"}]`},
		{"a text too long", triage.Desk, `{"recommendation":"` + strings.Repeat("x", 2001) + `"}`,
			`[{"type":"string_too_long","loc":["recommendation"],"msg":"String should have at most 2000 characters","input":"\"` + strings.Repeat("x", 511) + `","ctx":{"max_length":2000}}]`},
		{"beyond int64", triage.Queue, `{"priority_score":1e99}`, `[{"type":"less_than_equal","loc":["priority_score"],"msg":"Input should be less than or equal to 100","input":1e99,"ctx":{"le":100}}]`},
	} {
		_, err := triage.ParseAction(x.track, []byte(x.action), nil)
		var fields *triage.FieldErrors
		if !errors.As(err, &fields) {
			t.Fatalf("%s: error %v", x.name, err)
		}
		equal(t, x.name, x.want, text(openenv.ActionDetails(fields, []byte(x.action))))
	}
}

func TestAnObjectOfAMillionMembersIsCrowded(t *testing.T) {
	t.Parallel()
	many := func(n int, member, rest string) string {
		return `{` + rest + strings.TrimSuffix(strings.Repeat(member+",", n), ",") + `}`
	}
	pad := `"pad":"` + strings.Repeat("x", 64<<10) + `",`
	for _, x := range []struct {
		name, data string
		want       bool
	}{
		{"1000", many(999, `"a":1`, pad), false},
		{"1001", many(1000, `"a":1`, pad), true},
		{"many, but short", many(5000, `"a":1`, ""), false},
		{"a million", many(1e6, `"a":1`, ""), true},
		{"commas in strings", many(1, `"a":"`+strings.Repeat(`,\",\\`, 20000)+`"`, ""), false},
		{"commas further in", many(1, `"a":{"b":[`+strings.Repeat("1,", 50000)+`1]}`, ""), false},
		{"no JSON", strings.Repeat(`"`, 1<<17+1), false},
		{"no JSON that ends in an escape", strings.Repeat(`x`, 1<<17) + `"\`, false},
		{"closed too often", strings.Repeat(`}`, 1<<17), false},
	} {
		if got := openenv.Crowded([]byte(x.data)); got != x.want {
			t.Errorf("%s: crowded is %v", x.name, got)
		}
	}
	crowd := many(1e5, `"a":1`, "")
	const item = `{"type":"too_long","loc":%s,"msg":"Dictionary should have at most 1000 items after validation","input":`
	for name, x := range map[string]struct {
		details []openenv.Detail
		loc     string
	}{
		"frame":  {refused(openenv.ParseFrame([]byte(`{"type":"state",` + crowd[1:]))), `[]`},
		"data":   {refused(openenv.ParseFrame([]byte(`{"type":"step","data":` + crowd + `}`))), `["data"]`},
		"reset":  {second(openenv.ParseReset([]byte(crowd), "body")), `["body"]`},
		"step":   {second(openenv.ParseStep([]byte(crowd))), `["body"]`},
		"action": {second(openenv.ParseStep([]byte(`{"action":` + crowd + `}`))), `["body","action"]`},
		"query":  {second(openenv.ParseQuery([]byte(crowd), nil, nil)), `["body"]`},
	} {
		if got := text(x.details); len(got) > 1000 || !strings.HasPrefix(got, "["+strings.Replace(item, "%s", x.loc, 1)) {
			t.Errorf("%s: %.300s", name, got)
		}
	}
	if _, err := openenv.ParseCall([]byte(crowd)); err == nil || err.Message != "Invalid request: more than 1000 keys" {
		t.Errorf("call: %v", err)
	}
}

func refused(_ openenv.Frame, r *openenv.Refusal) []openenv.Detail {
	if r == nil {
		return nil
	}
	return r.Details
}

func second[T any](_ T, details []openenv.Detail) []openenv.Detail { return details }
