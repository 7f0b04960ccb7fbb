package openenv_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// wellFormed checks a list of what is wrong: it is JSON in UTF-8, each item whole, and not much larger than what it is about.
func wellFormed(t *testing.T, question []byte, list []openenv.Detail) {
	t.Helper()
	out := openenv.Plain(list)
	if !utf8.Valid(out) || !json.Valid(out) || len(out) > 4096+80*len(question) {
		t.Fatalf("%q: %d bytes: %.500q", question, len(out), out)
	}
	for _, d := range list {
		if d.Type == "" || d.Loc == nil || d.Msg == "" || !json.Valid(d.Input) {
			t.Fatalf("%q: an item is not whole: %+v", question, d)
		}
	}
	if m := openenv.Message("x", list); !strings.HasPrefix(m, "x: ") {
		t.Fatalf("message %q", m)
	}
}

// FuzzFrame reads frames and writes their refusals.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{`{"type":"step","data":{"a":1}}`, `{"type":"reset"}`, `{"type":["x"]}`, `{"type":"state","\u0000":1}`, `[]`, `{`, ``, "\xff", ` {"type" : "mcp" , "data" : {} } `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return // sockets and bodies are read as UTF-8 only
		}
		frame, refusal := openenv.ParseFrame(data)
		if said := refusal != nil && refusal.Code == openenv.CodeInvalidJSON; said == json.Valid(data) && !openenv.Crowded(data) {
			t.Fatalf("%q is no JSON: %v", data, said)
		}
		if refusal == nil {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(frame.Data, &object); err != nil || object == nil {
				t.Fatalf("%q: data is %q", data, frame.Data)
			}
			return
		}
		out := openenv.AppendError(nil, refusal)
		if !utf8.Valid(out) || !json.Valid(out) || len(out) > 4096+80*len(data) {
			t.Fatalf("%q: %q", data, out)
		}
		if refusal.Details != nil {
			wellFormed(t, data, refusal.Details)
		}
	})
}

// FuzzRequests reads bodies in every way.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{`{"seed":"1","index":2999,"tickets":1e3,"handbook":"y"}`, `{"action":{},"timeout_s":"1e3","episode_id":"\ud800"}`,
		`{"split":"train","index":-9007199254740993,"start":null,"stop":"x"}`, `{"seed":9223372036854775807}`, `{"seed":1e18}`, `[1]`, `{"a":`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return
		}
		r, list := openenv.ParseReset(data, "body")
		wellFormed(t, data, list)
		if list == nil && (r.Seed != nil && *r.Seed < 0 || r.Index != nil && (*r.Index < 0 || *r.Index >= openenv.NumTasks) || r.Tickets < 0 || utf8.RuneCountInString(r.EpisodeID) > openenv.MaxEpisodeID) {
			t.Fatalf("%q: %+v", data, r)
		}
		step, list := openenv.ParseStep(data)
		wellFormed(t, data, list)
		if list == nil {
			if _, err := triage.AppendMembers(nil, step.Action); err != nil {
				t.Fatalf("%q: action %q: %v", data, step.Action, err)
			}
		}
		_, list = openenv.ParseQuery(data, []string{"index"}, []string{"start", "stop"})
		wellFormed(t, data, list)
	})
}

// FuzzCall reads JSON-RPC calls and answers them.
func FuzzCall(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, `{"jsonrpc":"2.0","id":"\ud800","method":"\u0000"}`, `{"id":1e999}`, `[]`, `{`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return
		}
		c, fault := openenv.ParseCall(data)
		out := openenv.AppendRPC(nil, c.ID, json.RawMessage(`{}`), fault)
		if !utf8.Valid(out) || !json.Valid(out) || len(out) > 4096+80*len(data) {
			t.Fatalf("%q: %q", data, out)
		}
		if fault != nil {
			return
		}
		var params map[string]json.RawMessage
		if err := json.Unmarshal(c.Params, &params); err != nil || params == nil || c.Method == "" {
			t.Fatalf("%q: %+v", data, c)
		}
	})
}
