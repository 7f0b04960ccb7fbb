package openenv_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
)

func TestACallIsItsMethodParamsAndID(t *testing.T) {
	t.Parallel()
	type call struct {
		Method, Params, ID string
		Notification       bool
		Fault              string
	}
	long := strings.Repeat("x", 600)
	for _, x := range []struct {
		name, text string
		want       call
	}{
		{"call", `{"jsonrpc":"2.0","method":"m","params":{"a":1},"id":7}`, call{"m", `{"a":1}`, "7", false, ""}},
		{"no params", `{"jsonrpc":"2.0","method":"m","id":"x"}`, call{"m", `{}`, `"x"`, false, ""}},
		{"no id", `{"jsonrpc":"2.0","method":"m"}`, call{"m", `{}`, "", false, ""}},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/x"}`, call{"notifications/x", `{}`, "", true, ""}},
		{"notification with an id", `{"jsonrpc":"2.0","method":"notifications/x","id":null}`, call{"notifications/x", `{}`, "null", false, ""}},
		{"empty", ``, call{"", "", "", false, "Parse error (-32700)"}},
		{"no JSON", `{"a":}`, call{"", "", "", false, "Parse error: invalid character '}' looking for beginning of value at byte 5 (-32700)"}},
		{"list", `[]`, call{"", "", "", false, "Parse error (-32700)"}},
		{"all that is wrong", `{"jsonrpc":2,"method":[],"params":1,"id":{},"z":1,"` + long + `":2}`, call{"", `1`, "", false,
			`Invalid request: method must be a string; params must be an object; id must be a string, an integer or null; unknown key "z"; unknown key "` +
				long[:80] + `…"; jsonrpc must be "2.0" (-32600)`}},
		{"an id too long", `{"jsonrpc":"2.0","method":"m","id":"` + long + `"}`, call{"m", `{}`, "", false, "Invalid request: id must be a string, an integer or null (-32600)"}},
		{"an id with an exponent", `{"jsonrpc":"2.0","method":"m","id":1e3}`, call{"m", `{}`, "", false, "Invalid request: id must be a string, an integer or null (-32600)"}},
		{"empty method", `{"jsonrpc":"2.0","method":"","id":1}`, call{"", `{}`, "1", false, "Invalid request: method is missing (-32600)"}},
	} {
		c, fault := openenv.ParseCall([]byte(x.text))
		got := call{c.Method, string(c.Params), string(c.ID), c.Notification(), ""}
		if fault != nil {
			got.Fault = fault.Error()
		}
		if d := cmp.Diff(x.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, d)
		}
	}
}

func TestAnAnswerToACall(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		id, result json.RawMessage
		err        *openenv.RPCError
		want       string
	}{
		{json.RawMessage(`"a"`), json.RawMessage(`{"x":1}`), nil, `x{"jsonrpc":"2.0","id":"a","result":{"x":1}}`},
		{nil, json.RawMessage(`null`), nil, `x{"jsonrpc":"2.0","id":null,"result":null}`},
		{json.RawMessage(`7`), nil, &openenv.RPCError{Code: -1, Message: "<é>"}, `x{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"<é>","data":null}}`},
		{nil, nil, &openenv.RPCError{Code: -2, Message: "m", Data: map[string]int{"n": 1}}, `x{"jsonrpc":"2.0","id":null,"error":{"code":-2,"message":"m","data":{"n":1}}}`},
	} {
		equal(t, string(x.id), x.want, string(openenv.AppendRPC([]byte("x"), x.id, x.result, x.err)))
	}
}
