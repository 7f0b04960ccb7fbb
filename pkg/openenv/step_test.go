package openenv_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
)

func TestAStepIsItsActionAndEpisode(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, body, action, id, details string
	}{
		{"action", `{"action":{"a":1}}`, `{"a":1}`, "", `null`},
		{"all", `{"x":1,"request_id":"r","timeout_s":"2.5","episode_id":"e","action":{}}`, `{}`, "e", `null`},
		{"nulls", `{"request_id":null,"timeout_s":null,"episode_id":null,"action":{}}`, `{}`, "", `null`},
		{"no body", ``, ``, "", `[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]`},
		{"no action", `{}`, ``, "", `[{"type":"missing","loc":["body","action"],"msg":"Field required","input":{}}]`},
		{"no JSON", `{`, ``, "", `[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"unexpected end of JSON input at byte 0"}}]`},
		{"all that is wrong", `{"action":1,"timeout_s":0,"request_id":2,"episode_id":3}`, `1`, "",
			`[{"type":"dict_type","loc":["body","action"],"msg":"Input should be a valid dictionary","input":1},` +
				`{"type":"greater_than","loc":["body","timeout_s"],"msg":"Input should be greater than 0","input":0,"ctx":{"gt":0}},` +
				`{"type":"string_type","loc":["body","request_id"],"msg":"Input should be a valid string","input":2},` +
				`{"type":"string_type","loc":["body","episode_id"],"msg":"Input should be a valid string","input":3}]`},
	} {
		got, details := openenv.ParseStep([]byte(x.body))
		if d := cmp.Diff([]string{x.action, x.id, x.details}, []string{string(got.Action), got.EpisodeID, text(details)}); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, d)
		}
	}
	for _, timeout := range []string{`"inf"`, `"nan"`, `"0x1p3"`, `"1_0"`, `""`, `true`, `{}`, `"1 "`} {
		if _, details := openenv.ParseStep([]byte(`{"action":{},"timeout_s":` + timeout + `}`)); len(details) != 1 || details[0].Type != "float_type" {
			t.Errorf("timeout %s: %s", timeout, text(details))
		}
	}
}

func TestAQueryNeedsWhatItNeeds(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, body string
		needs, may []string
		want       openenv.Query
		details    string
	}{
		{"split", `{"split":"train"}`, nil, nil, openenv.Query{Split: "train"}, `null`},
		{"another split is for the caller to refuse", `{"split":"x"}`, nil, nil, openenv.Query{Split: "x"}, `null`},
		{"index", `{"index":"-3","split":"test"}`, []string{"index"}, nil, openenv.Query{Split: "test", Index: -3}, `null`},
		{"range", `{"split":"test","start":1,"stop":null}`, nil, []string{"start", "stop"}, openenv.Query{Split: "test", Start: ptr(1)}, `null`},
		{"missing", `{}`, []string{"index"}, nil, openenv.Query{}, `[{"type":"missing","loc":["body","split"],"msg":"Field required","input":{}},` +
			`{"type":"missing","loc":["body","index"],"msg":"Field required","input":{}}]`},
		{"unknown", `{"split":"test","start":1}`, nil, nil, openenv.Query{Split: "test", Start: ptr(1)},
			`[{"type":"extra_forbidden","loc":["body","start"],"msg":"Extra inputs are not permitted","input":1}]`},
		{"no body", ``, nil, nil, openenv.Query{}, `[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]`},
		{"text", `"train"`, nil, nil, openenv.Query{}, `[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"train"}]`},
	} {
		got, details := openenv.ParseQuery([]byte(x.body), x.needs, x.may)
		if d := cmp.Diff(x.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, d)
		}
		equal(t, x.name, x.details, text(details))
	}
	equal(t, "value", `{"type":"value_error","loc":["body"],"msg":"m","input":{"a":1}}`, text(openenv.Value("m", []byte(`{"a":1}`))))
}
