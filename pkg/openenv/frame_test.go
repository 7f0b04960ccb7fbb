package openenv_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
)

func TestAFrameIsItsTypeAndData(t *testing.T) {
	t.Parallel()
	type frame struct{ Type, Data string }
	for _, x := range []struct {
		name, frame string
		want        frame
	}{
		{"reset", `{"type":"reset","data":{"seed":1}}`, frame{"reset", `{"seed":1}`}},
		{"reset without data", `{"type":"reset"}`, frame{"reset", `{}`}},
		{"step", ` { "data" : { "a" : [ 1 ] } , "type" : "step" } `, frame{"step", `{ "a" : [ 1 ] }`}},
		{"state", `{"type":"state"}`, frame{"state", `{}`}},
		{"mcp", `{"type":"mcp","data":{}}`, frame{"mcp", `{}`}},
		{"close", `{"type":"close"}`, frame{"close", `{}`}},
		{"in escapes", `{"\u0074ype":"\u0073tep","dat\u0061":{"x":"\u0000"}}`, frame{"step", `{"x":"\u0000"}`}},
		{"the last of two", `{"type":"x","data":1,"type":"step","data":{}}`, frame{"step", `{}`}},
	} {
		f, refusal := openenv.ParseFrame([]byte(x.frame))
		if refusal != nil {
			t.Errorf("%s: refused: %v", x.name, refusal)
		}
		if d := cmp.Diff(x.want, frame{f.Type, string(f.Data)}); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, d)
		}
	}
}

func TestARefusedFrameSaysWhyAndWhetherTheSessionEnds(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, frame, want string
		end               bool
	}{
		{"no JSON", `{"type":"step"`, `{"type":"error","data":{"message":"Invalid JSON: unexpected end of JSON input at byte 13","code":"INVALID_JSON"}}`, false},
		{"empty", ``, `{"type":"error","data":{"message":"Invalid JSON: unexpected end of JSON input at byte 0","code":"INVALID_JSON"}}`, false},
		{"no object", `[]`, `{"type":"error","data":{"message":"a frame is one JSON object","code":"SESSION_ERROR"}}`, true},
		{"unknown type", `{"type":"<\"é\u2028"}`, `{"type":"error","data":{"message":"Unknown message type: <\"é\u2028","code":"UNKNOWN_TYPE"}}`, false},
		{"type is an object", `{"type":{"a":1}}`, `{"type":"error","data":{"message":"Unknown message type: {\"a\":1}","code":"UNKNOWN_TYPE"}}`, false},
		{"extra", `{"type":"state","x":"<&>"}`, `{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[` +
			`{"type":"extra_forbidden","loc":["x"],"msg":"Extra inputs are not permitted","input":"<&>"}]}}`, false},
	} {
		_, refusal := openenv.ParseFrame([]byte(x.frame))
		if refusal == nil {
			t.Errorf("%s: not refused", x.name)
			continue
		}
		equal(t, x.name, x.want, string(openenv.AppendError(nil, refusal)))
		if refusal.End != x.end {
			t.Errorf("%s: the session ends: %v", x.name, refusal.End)
		}
	}
	full := &openenv.Refusal{Code: openenv.CodeCapacity, Message: "full", Active: 2, Max: 3}
	equal(t, "capacity", `x{"type":"error","data":{"message":"full","code":"CAPACITY_REACHED","active_sessions":2,"max_sessions":3}}`, string(openenv.AppendError([]byte("x"), full)))
	equal(t, "error", "full (CAPACITY_REACHED)", full.Error())
}

func TestPlainKeepsTextAsItIs(t *testing.T) {
	t.Parallel()
	equal(t, "text", `{"a":"<é&>","b":[1,null]}`, string(openenv.Plain(map[string]any{"a": "<é&>", "b": []any{1, nil}})))
	equal(t, "what cannot be encoded", `null`, string(openenv.Plain(func() {})))
}
