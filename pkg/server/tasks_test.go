package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
)

// entry is a task as the task API lists it.
func entry(track triage.Track, split triage.Split, index int) map[string]any {
	d := []string{"easy", "medium", "hard"}[index%3]
	name := string(track) + "-" + d
	return map[string]any{"id": fmt.Sprintf("%s:%s:%d", name, split, index/3), "index": index, "split": split, "task": name, "difficulty": d, "seed": index / 3}
}

func entries(track triage.Track, split triage.Split, from, to int) []any {
	out := []any{}
	for i := from; i < to; i++ {
		out = append(out, entry(track, split, i))
	}
	return out
}

func TestTheTaskAPI(t *testing.T) {
	t.Parallel()
	r := start(t)
	wrong := func(kind, msg string, input any, loc ...any) map[string]any {
		return map[string]any{"detail": []any{map[string]any{"type": kind, "loc": loc, "msg": msg, "input": input}}}
	}
	tasks := func(track triage.Track, from, to int) map[string]any {
		return map[string]any{"tasks": entries(track, triage.Train, from, to)}
	}
	const integer = "Input should be a valid integer"
	for _, x := range []struct {
		name, method, path, body string
		status                   int
		want                     any
	}{
		{"names", "GET", "/list_environments", "", 200, []string{"triage"}},
		{"splits", "GET", "/triage/splits", "", 200, []any{map[string]any{"name": "train", "type": "train"}, map[string]any{"name": "test", "type": "test"}}},
		{"names in capitals", "GET", "/TRIAGE/splits", "", 200, []any{map[string]any{"name": "train", "type": "train"}, map[string]any{"name": "test", "type": "test"}}},
		{"another name", "GET", "/echo/splits", "", 404, detail("unknown environment 'echo'")},
		{"another name of a post", "POST", "/echo/task", `{`, 404, detail("unknown environment 'echo'")},
		{"a name that breaks lines", "POST", "/a%0Ab/tasks", `{}`, 404, detail(`unknown environment 'a\nb'`)},
		{"all", "POST", "/triage/tasks", `{"split":"train"}`, 200, map[string]any{"env_name": "triage", "tasks": entries(triage.Queue, triage.Train, 0, 3000)}},
		{"all of a track", "POST", "/desk/triage/tasks", `{"split":"test"}`, 200, map[string]any{"env_name": "triage", "tasks": entries(triage.Desk, triage.Test, 0, 3000)}},
		{"number", "POST", "/triage/num_tasks", `{"split":"test"}`, 200, map[string]any{"num_tasks": 3000}},
		{"one", "POST", "/triage/task", `{"split":"train","index":17}`, 200, map[string]any{"task": entry(triage.Queue, triage.Train, 17)}},
		{"the first", "POST", "/desk/triage/task", `{"split":"test","index":"0"}`, 200, map[string]any{"task": entry(triage.Desk, triage.Test, 0)}},
		{"the last", "POST", "/triage/task", `{"split":"train","index":-1}`, 200, map[string]any{"task": entry(triage.Queue, triage.Train, 2999)}},
		{"the first from the end", "POST", "/triage/task", `{"split":"train","index":-3000}`, 200, map[string]any{"task": entry(triage.Queue, triage.Train, 0)}},
		{"beyond", "POST", "/triage/task", `{"split":"train","index":3000}`, 400, detail("Invalid task index")},
		{"before", "POST", "/triage/task", `{"split":"train","index":-3001}`, 400, detail("Invalid task index")},
		{"far before", "POST", "/triage/task", `{"split":"train","index":-9223372036854775808}`, 422,
			map[string]any{"detail": []any{map[string]any{"type": "greater_than_equal", "loc": []any{"body", "index"}, "msg": "Input should be greater than or equal to -9007199254740992",
				"input": -9223372036854775808.0, "ctx": map[string]any{"ge": -9007199254740992}}}}},
		{"unknown split", "POST", "/triage/task", `{"split":"dev","index":0}`, 400, detail(`unknown split "dev": the splits are train, test`)},
		{"no split", "POST", "/triage/task", `{"index":0}`, 422, wrong("missing", "Field required", map[string]any{"index": 0}, "body", "split")},
		{"split is null", "POST", "/triage/tasks", `{"split":null}`, 422, wrong("string_type", "Input should be a valid string", nil, "body", "split")},
		{"no index", "POST", "/triage/task", `{"split":"train"}`, 422, wrong("missing", "Field required", map[string]any{"split": "train"}, "body", "index")},
		{"index is null", "POST", "/triage/task", `{"split":"train","index":null}`, 422, wrong("int_type", integer, nil, "body", "index")},
		{"index is a word", "POST", "/triage/task", `{"split":"train","index":"x"}`, 422, wrong("int_parsing", integer+", unable to parse string as an integer", "x", "body", "index")},
		{"unknown key", "POST", "/triage/num_tasks", `{"split":"train","index":0}`, 422, wrong("extra_forbidden", "Extra inputs are not permitted", 0, "body", "index")},
		{"no body", "POST", "/triage/tasks", ``, 422, wrong("missing", "Field required", nil, "body")},
		{"list", "POST", "/triage/tasks", `[]`, 422, wrong("model_attributes_type", "Input should be a valid dictionary or object to extract fields from", []int{}, "body")},
		{"a range", "POST", "/triage/task_range", `{"split":"train","start":2,"stop":5}`, 200, tasks(triage.Queue, 2, 5)},
		{"to the end", "POST", "/triage/task_range", `{"split":"train","start":2998}`, 200, tasks(triage.Queue, 2998, 3000)},
		{"from the end", "POST", "/triage/task_range", `{"split":"train","start":-2}`, 200, tasks(triage.Queue, 2998, 3000)},
		{"up to the end", "POST", "/desk/triage/task_range", `{"split":"train","stop":-2998}`, 200, tasks(triage.Desk, 0, 2)},
		{"clamped", "POST", "/triage/task_range", `{"split":"train","start":2999,"stop":9007199254740992}`, 200, tasks(triage.Queue, 2999, 3000)},
		{"clamped below", "POST", "/triage/task_range", `{"split":"train","start":-9007199254740992,"stop":1}`, 200, tasks(triage.Queue, 0, 1)},
		{"empty", "POST", "/triage/task_range", `{"split":"train","start":5,"stop":5}`, 200, tasks(triage.Queue, 0, 0)},
		{"turned round", "POST", "/triage/task_range", `{"split":"train","start":5,"stop":2}`, 200, tasks(triage.Queue, 0, 0)},
		{"nulls", "POST", "/triage/task_range", `{"split":"train","start":2999,"stop":null}`, 200, tasks(triage.Queue, 2999, 3000)},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			a := r.do(x.method, x.path, x.body)
			same(t, x.method+" "+x.path+" "+x.body, []any{x.status, x.want}, []any{a.Status, plain(t, a.Body)})
		})
	}
}

// TestATaskOfTheListIsWhatAResetWithItsIndexPlays holds the list against the episodes.
func TestATaskOfTheListIsWhatAResetWithItsIndexPlays(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, path := range []string{"/queue", "/desk"} {
		for _, split := range triage.Splits() {
			for _, index := range []int{0, 1, 2, 3, 1500, 2999} {
				task := r.ok("POST", path+"/triage/task", fmt.Sprintf(`{"split":%q,"index":%d}`, split, index))["task"].(map[string]any)
				a := r.ok("POST", path+"/reset", fmt.Sprintf(`{"split":%q,"index":%d}`, split, index))
				b := r.ok("POST", path+"/reset", fmt.Sprintf(`{"split":%q,"seed":%v,"difficulty":%q}`, split, task["seed"], task["difficulty"]))
				for _, x := range []map[string]any{a, b} {
					delete(x["observation"].(map[string]any), "metadata")
				}
				same(t, fmt.Sprint(task["id"]), b["observation"], a["observation"])
				state := r.ok("GET", path+"/state", "")
				same(t, "state", []any{task["task"], task["split"], task["seed"]}, []any{state["task"], state["split"], state["seed"]})
				if !strings.HasPrefix(task["id"].(string), path[1:]) {
					t.Errorf("%s lists %v", path, task["id"])
				}
			}
		}
	}
}
