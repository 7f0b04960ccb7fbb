package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

func TestASeedOfAnEpisodeIDIsItsHash(t *testing.T) {
	t.Parallel()
	// The first 16 hex digits of `printf 'triage episode ep-000000' | sha256sum`, shifted right by one bit.
	if got, want := server.SeedOf("ep-000000"), int64(6303394589278135542); got != want {
		t.Errorf("seed of ep-000000 is %d, should be %d", got, want)
	}
	seen := map[int64]bool{}
	for i := range 1000 {
		seed := server.SeedOf(fmt.Sprintf("ep-%06d", i))
		if seed < 0 || seen[seed] {
			t.Errorf("seed %d of episode %d is negative or was there before", seed, i)
		}
		seen[seed] = true
	}
}

// TestEachOptionOfAResetDoesWhatItSays plays the first step of what an option chooses beside an environment that was told the same.
func TestEachOptionOfAResetDoesWhatItSays(t *testing.T) {
	t.Parallel()
	type opts = triage.ResetOptions
	book := "# The rules"
	rows := []struct {
		name, body string
		track      triage.Track
		difficulty triage.Difficulty
		want       opts
		seed       bool // the state tells it
		handbook   bool
	}{
		{"seed", `{"seed":7}`, triage.Queue, triage.Easy, opts{Seed: 7}, true, false},
		{"seed 0", `{"seed":0}`, triage.Queue, triage.Easy, opts{}, true, false},
		{"seed as text", `{"seed":" 7 "}`, triage.Queue, triage.Easy, opts{Seed: 7}, true, false},
		{"seed as a float", `{"seed":7.0}`, triage.Queue, triage.Easy, opts{Seed: 7}, true, false},
		{"seed as a truth", `{"seed":true}`, triage.Queue, triage.Easy, opts{Seed: 1}, true, false},
		{"the largest seed", `{"seed":9223372036854775807}`, triage.Desk, triage.Easy, opts{Seed: triage.MaxSeed}, true, false},
		{"of two keys the last", `{"seed":1,"seed":2}`, triage.Queue, triage.Easy, opts{Seed: 2}, true, false},
		{"episode id", `{"episode_id":"ep-1"}`, triage.Queue, triage.Easy, opts{Seed: server.SeedOf("ep-1"), EpisodeID: "ep-1"}, false, false},
		{"episode id and seed", `{"episode_id":"ep-1","seed":3}`, triage.Desk, triage.Easy, opts{Seed: 3, EpisodeID: "ep-1"}, true, false},
		{"an odd episode id", `{"episode_id":"\u0000 \"ü\u2028"}`, triage.Desk, triage.Easy,
			opts{Seed: server.SeedOf("\x00 \"ü\u2028"), EpisodeID: "\x00 \"ü\u2028"}, false, false},
		{"the longest episode id", `{"seed":1,"episode_id":"` + strings.Repeat("é", 255) + `"}`, triage.Desk, triage.Easy,
			opts{Seed: 1, EpisodeID: strings.Repeat("é", 255)}, true, false},
		{"medium", `{"seed":1,"difficulty":"medium"}`, triage.Queue, triage.Medium, opts{Seed: 1}, true, false},
		{"hard", `{"seed":1,"difficulty":"hard"}`, triage.Desk, triage.Hard, opts{Seed: 1}, true, false},
		{"split", `{"seed":1,"split":"test"}`, triage.Queue, triage.Easy, opts{Seed: 1, Split: triage.Test}, true, false},
		{"index", `{"index":17}`, triage.Queue, triage.Hard, opts{Seed: 5}, true, false},
		{"the first index", `{"index":0,"split":"test"}`, triage.Desk, triage.Easy, opts{Split: triage.Test}, true, false},
		{"the last index", `{"index":2999}`, triage.Desk, triage.Hard, opts{Seed: 999}, true, false},
		{"index with what it says", `{"index":17,"difficulty":"hard","seed":5}`, triage.Queue, triage.Hard, opts{Seed: 5}, true, false},
		{"index and episode id", `{"index":3,"episode_id":"x"}`, triage.Queue, triage.Easy, opts{Seed: 1, EpisodeID: "x"}, true, false},
		{"tickets", `{"seed":1,"tickets":2}`, triage.Queue, triage.Easy, opts{Seed: 1, Tickets: 2}, true, false},
		{"all tickets", `{"seed":1,"tickets":12,"difficulty":"hard"}`, triage.Queue, triage.Hard, opts{Seed: 1, Tickets: 12}, true, false},
		{"rewards", `{"seed":1,"rewards":"ticket"}`, triage.Queue, triage.Easy, opts{Seed: 1, Rewards: triage.RewardsTicket}, true, false},
		{"handbook", `{"seed":1,"handbook":true}`, triage.Queue, triage.Easy, opts{Seed: 1}, true, true},
		{"handbook as a word", `{"seed":1,"handbook":"yes"}`, triage.Desk, triage.Easy, opts{Seed: 1}, true, true},
		{"no handbook", `{"seed":1,"handbook":0}`, triage.Desk, triage.Easy, opts{Seed: 1}, true, false},
		{"nulls", `{"seed":1,"episode_id":null,"difficulty":null,"split":null,"index":null,"tickets":null,"rewards":null,"on_invalid":null,"handbook":null}`,
			triage.Queue, triage.Easy, opts{Seed: 1}, true, false},
		{"keys that nobody knows", `{"seed":1,"task_id":"x","options":{"seed":2},"Seed":3}`, triage.Queue, triage.Easy, opts{Seed: 1}, true, false},
	}
	r := start(t, func(d *server.Deps, _ *server.Options) { d.Handbook = book })
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			task := taskOf(t, x.track, x.difficulty)
			e := direct(t, task)
			first, err := e.Reset(t.Context(), x.want)
			if err != nil {
				t.Fatal(err)
			}
			action := actions(x.track)[0]
			second, err := e.Step(t.Context(), parsed(t, x.track, action))
			if err != nil {
				t.Fatal(err)
			}
			m := meta{}
			if x.handbook {
				m["handbook"] = book
			}
			if x.name == "keys that nobody knows" {
				m["ignored_options"] = []string{"Seed", "options", "task_id"}
			}
			ws := r.ws("/" + string(x.track) + "/ws")
			same(t, "reset over WebSocket", map[string]any{"type": "observation", "data": envelope(t, first, m, false)}, ws.ask(`{"type":"reset","data":`+x.body+`}`))
			state := object(t, ws.ask(`{"type":"state"}`))["data"].(map[string]any)
			id := x.want.EpisodeID
			if id == "" {
				if id = state["episode_id"].(string); len(id) != 32 {
					t.Errorf("the invented episode id is %q", id)
				}
			}
			split := x.want.Split
			if split == "" {
				split = triage.Train
			}
			want := map[string]any{"episode_id": id, "step_count": 0, "track": x.track, "task": task.Name, "split": split, "done": false,
				"observation": shown(t, first.Observation, meta{})}
			if x.seed {
				want["seed"] = x.want.Seed
				if x.want.Seed == triage.MaxSeed {
					state["seed"], want["seed"] = 0, 0 // no float64 holds it
				}
			}
			same(t, "state", want, state)
			got := object(t, ws.ask(`{"type":"step","data":`+action+`}`))["data"].(map[string]any)
			if first.Done {
				t.Fatal("done before the first step")
			}
			same(t, "observation of the first step", shown(t, second.Observation, got["observation"].(map[string]any)["metadata"].(map[string]any)), got["observation"])
			same(t, "reward of the first step", second.Reward, got["reward"])

			a := r.do("POST", "/"+string(x.track)+"/reset", x.body)
			m["session"] = a.Header.Get("X-Triage-Session")
			same(t, "reset over HTTP", envelope(t, first, m, true), a.Body)
		})
	}
}

// TestAResetWithoutASeedIsAnother holds that nothing repeats.
func TestAResetWithoutASeedIsAnother(t *testing.T) {
	t.Parallel()
	r := start(t)
	ws := r.ws("/ws")
	seen := map[string]bool{}
	for range 5 {
		for _, frame := range []string{`{"type":"reset"}`, `{"type":"reset","data":{}}`, `{"type":"reset","data":{"seed":null,"episode_id":""}}`} {
			ticket := object(t, ws.ask(frame))["data"].(map[string]any)["observation"].(map[string]any)["ticket"].(map[string]any)
			if text := ticket["description"].(string); seen[text] {
				t.Errorf("%s gives a ticket for the second time: %s", frame, text)
			} else {
				seen[text] = true
			}
			state := object(t, ws.ask(`{"type":"state"}`))["data"].(map[string]any)
			if _, ok := state["seed"]; ok || len(state["episode_id"].(string)) != 32 {
				t.Errorf("%s: the state tells a seed that nobody gave, or no id: %v", frame, state)
			}
		}
	}
}

func TestAWrongOptionOfAResetIsNamedAndChangesNothing(t *testing.T) {
	t.Parallel()
	item := func(kind, name, msg string, input any, ctx ...any) map[string]any {
		out := map[string]any{"type": kind, "loc": []string{"body", name}, "msg": msg, "input": input}
		if len(ctx) > 0 {
			out["ctx"] = map[string]any{ctx[0].(string): ctx[1]}
		}
		return out
	}
	const whole = "Input should be a valid integer"
	rows := []struct {
		name, body string
		want       []map[string]any
		message    string
	}{
		{"negative seed", `{"seed":-1}`, []map[string]any{item("greater_than_equal", "seed", "Input should be greater than or equal to 0", -1, "ge", 0)},
			"reset: seed -1: Input should be greater than or equal to 0"},
		{"seed beyond", `{"seed":9223372036854775808}`, []map[string]any{item("less_than_equal", "seed", "Input should be less than or equal to 9223372036854775807", 9223372036854775808.0, "le", triage.MaxSeed)},
			"reset: seed 9223372036854775808: Input should be less than or equal to 9223372036854775807"},
		{"seed with a fraction", `{"seed":1.5}`, []map[string]any{item("int_from_float", "seed", whole+", got a number with a fractional part", 1.5)},
			"reset: seed 1.5: " + whole + ", got a number with a fractional part"},
		{"seed as a word", `{"seed":"x"}`, []map[string]any{item("int_parsing", "seed", whole+", unable to parse string as an integer", "x")},
			`reset: seed "x": ` + whole + ", unable to parse string as an integer"},
		{"seed as a list", `{"seed":[1]}`, []map[string]any{item("int_type", "seed", whole, []int{1})}, "reset: seed [1]: " + whole},
		{"episode id as a number", `{"episode_id":1}`, []map[string]any{item("string_type", "episode_id", "Input should be a valid string", 1)},
			"reset: episode_id 1: Input should be a valid string"},
		{"episode id too long", `{"episode_id":"` + strings.Repeat("x", 256) + `"}`,
			[]map[string]any{item("string_too_long", "episode_id", "String should have at most 255 characters", strings.Repeat("x", 256), "max_length", 255)},
			`reset: episode_id "` + strings.Repeat("x", 256) + `": String should have at most 255 characters`},
		{"difficulty", `{"difficulty":"Easy"}`, []map[string]any{item("literal_error", "difficulty", "Input should be 'easy', 'medium' or 'hard'", "Easy", "expected", "'easy', 'medium' or 'hard'")},
			`reset: difficulty "Easy": Input should be 'easy', 'medium' or 'hard'`},
		{"split", `{"split":"validation"}`, []map[string]any{item("literal_error", "split", "Input should be 'train' or 'test'", "validation", "expected", "'train' or 'test'")},
			`reset: split "validation": Input should be 'train' or 'test'`},
		{"index beyond", `{"index":3000}`, []map[string]any{item("less_than_equal", "index", "Input should be less than or equal to 2999", 3000, "le", 2999)},
			"reset: index 3000: Input should be less than or equal to 2999"},
		{"negative index", `{"index":-1}`, []map[string]any{item("greater_than_equal", "index", "Input should be greater than or equal to 0", -1, "ge", 0)},
			"reset: index -1: Input should be greater than or equal to 0"},
		{"no tickets", `{"tickets":0}`, []map[string]any{item("greater_than_equal", "tickets", "Input should be greater than or equal to 1", 0, "ge", 1)},
			"reset: tickets 0: Input should be greater than or equal to 1"},
		{"rewards", `{"rewards":"sparse"}`, []map[string]any{item("literal_error", "rewards", "Input should be 'dense', 'ticket' or 'episode'", "sparse", "expected", "'dense', 'ticket' or 'episode'")},
			`reset: rewards "sparse": Input should be 'dense', 'ticket' or 'episode'`},
		{"on_invalid", `{"on_invalid":true}`, []map[string]any{item("literal_error", "on_invalid", "Input should be 'error' or 'empty'", true, "expected", "'error' or 'empty'")},
			`reset: on_invalid true: Input should be 'error' or 'empty'`},
		{"handbook", `{"handbook":"maybe"}`, []map[string]any{item("bool_type", "handbook", "Input should be a valid boolean", "maybe")},
			`reset: handbook "maybe": Input should be a valid boolean`},
		{"all that is wrong", `{"handbook":[],"seed":-1,"split":1}`, []map[string]any{
			item("greater_than_equal", "seed", "Input should be greater than or equal to 0", -1, "ge", 0),
			item("literal_error", "split", "Input should be 'train' or 'test'", 1, "expected", "'train' or 'test'"),
			item("bool_type", "handbook", "Input should be a valid boolean", []int{})},
			"reset: seed -1: Input should be greater than or equal to 0; split 1: Input should be 'train' or 'test'; handbook []: Input should be a valid boolean"},
	}
	// What only the server knows to be wrong.
	for _, x := range []struct{ name, body, message string }{
		{"more tickets than there are", `{"tickets":9}`, "reset: tickets 9 is not allowed; allowed is 1 to 8 in task queue-easy"},
		{"index against difficulty", `{"index":17,"difficulty":"easy"}`,
			"reset: index 17 is difficulty hard with seed 5; leave difficulty and seed out, or give these"},
		{"index against seed", `{"index":17,"seed":4}`,
			"reset: index 17 is difficulty hard with seed 5; leave difficulty and seed out, or give these"},
	} {
		rows = append(rows, struct {
			name, body string
			want       []map[string]any
			message    string
		}{x.name, x.body, []map[string]any{{"type": "value_error", "loc": []string{"body"}, "msg": x.message, "input": plain(t, x.body)}}, x.message})
	}
	r := start(t)
	session := r.reset("/reset", `{"seed":1,"episode_id":"kept"}`)
	ws := r.ws("/ws")
	ws.ask(`{"type":"reset","data":{"seed":1}}`)
	first, before := r.do("GET", "/state", "", "X-Triage-Session", session).Body, ws.ask(`{"type":"state"}`)
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			a := r.do("POST", "/reset", x.body)
			same(t, "over HTTP", []any{422, map[string]any{"detail": x.want}}, []any{a.Status, plain(t, a.Body)})
			same(t, "over WebSocket", refusal("EXECUTION_ERROR", x.message), ws.ask(`{"type":"reset","data":`+x.body+`}`))
		})
	}
	same(t, "state over WebSocket", before, ws.ask(`{"type":"state"}`))
	same(t, "latest state over HTTP", first, r.do("GET", "/state", "").Body)
}

// TestTicketsAreForTheQueue has a message of its own: a desk episode is one ticket.
func TestTicketsAreForTheQueue(t *testing.T) {
	t.Parallel()
	r := start(t)
	a := r.do("POST", "/desk/reset", `{"tickets":1}`)
	got := object(t, a.Body)["detail"].([]any)[0].(map[string]any)["msg"]
	if a.Status != 422 || strings.Contains(fmt.Sprint(got), "1 to 1") {
		t.Errorf("status %d, %v: 1 is refused, and 1 is said to be allowed", a.Status, got)
	}
}

func TestABodyThatIsNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	object := func(input any) []map[string]any {
		return []map[string]any{{"type": "model_attributes_type", "loc": []string{"body"},
			"msg": "Input should be a valid dictionary or object to extract fields from", "input": input}}
	}
	syntax := func(at int, reason string) []map[string]any {
		return []map[string]any{{"type": "json_invalid", "loc": []any{"body", at}, "msg": "JSON decode error", "input": map[string]any{}, "ctx": map[string]any{"error": reason}}}
	}
	r := start(t)
	for _, x := range []struct {
		name, body string
		headers    []string
		status     int
		want       any
	}{
		{"null", `null`, nil, 422, object(nil)},
		{"list", `[]`, nil, 422, object([]int{})},
		{"text", `"x"`, nil, 422, object("x")},
		{"number", `1`, nil, 422, object(1)},
		{"no JSON", `{bad`, nil, 422, syntax(1, "invalid character 'b' looking for beginning of object key string at byte 1")},
		{"cut short", `{"seed":`, nil, 422, syntax(7, "unexpected end of JSON input at byte 7")},
		{"not a number", `{"seed":NaN}`, nil, 422, syntax(8, "invalid character 'N' looking for beginning of value at byte 8")},
		{"white space", ` `, nil, 422, syntax(0, "unexpected end of JSON input at byte 0")},
		{"too deep", strings.Repeat(`{"a":`, 20000), nil, 422, syntax(50000, "invalid character '{' exceeded max depth at byte 50000")},
		{"another content type", `{"seed":1}`, []string{"Content-Type", "", "Content-Type", "text/plain"}, 422, object(map[string]any{"seed": 1})},
		{"xml", `<seed/>`, []string{"Content-Type", "", "Content-Type", "application/xml"}, 422, object("<seed/>")},
		{"a type that is none", `{"seed":1}`, []string{"Content-Type", "", "Content-Type", ";;"}, 422, object(map[string]any{"seed": 1})},
		{"gzip", "\x1f\x8b", []string{"Content-Encoding", "gzip"}, 415, `Content-Encoding "gzip" is not understood: send the body as it is`},
		{"no UTF-8", "{\"episode_id\":\"\xff\"}", nil, 400, "the body is not UTF-8"},
		{"too large", `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, nil, 413, "the body is larger than 1048576 bytes"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/reset", "/web/reset", "/desk/reset"} {
				a := r.do("POST", path, x.body, x.headers...)
				same(t, path, []any{x.status, map[string]any{"detail": x.want}}, []any{a.Status, plain(t, a.Body)})
			}
		})
	}
	for _, headers := range [][]string{{"Content-Type", ""}, {"Content-Type", "", "Content-Type", "application/json; charset=utf-8"},
		{"Content-Type", "", "Content-Type", "application/vnd.triage+json"}, {"Content-Type", "", "Content-Type", "application/x-www-form-urlencoded"},
		{"Content-Encoding", "identity"}} {
		a := r.do("POST", "/reset", `{"seed":1}`, headers...)
		if d := cmp.Diff(200, a.Status); d != "" {
			t.Errorf("%q (-want +got):\n%s%s", headers, d, a.Body)
		}
	}
}
