package openenv_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

func ptr(v int64) *int64 { return &v }

func TestOptionsOfAResetAreReadAsTheReferenceReadsThem(t *testing.T) {
	t.Parallel()
	type reset = openenv.Reset
	for _, x := range []struct {
		name, body string
		want       reset
	}{
		{"none", `{}`, reset{}},
		{"all", `{"handbook":true,"on_invalid":"empty","rewards":"episode","tickets":3,"index":4,"split":"test","difficulty":"hard","episode_id":"é","seed":5}`,
			reset{ptr(5), "é", triage.Hard, triage.Test, ptr(4), 3, triage.RewardsEpisode, triage.InvalidIsEmpty, true, nil,
				[]string{"seed", "episode_id", "difficulty", "split", "index", "tickets", "rewards", "on_invalid", "handbook"}}},
		{"nulls are not given", `{"seed":null,"handbook":null,"index":null}`, reset{}},
		{"seed as text", `{"seed":"12"}`, reset{Seed: ptr(12), Given: []string{"seed"}}},
		{"seed as a float", `{"seed":1.2e1}`, reset{Seed: ptr(12), Given: []string{"seed"}}},
		{"the largest seed", `{"seed":9223372036854775807}`, reset{Seed: ptr(triage.MaxSeed), Given: []string{"seed"}}},
		{"the largest seed as text", `{"seed":" 9223372036854775807 "}`, reset{Seed: ptr(triage.MaxSeed), Given: []string{"seed"}}},
		{"minus nothing", `{"seed":-0}`, reset{Seed: ptr(0), Given: []string{"seed"}}},
		{"words for truths", `{"handbook":"ON"}`, reset{Handbook: true, Given: []string{"handbook"}}},
		{"numbers for truths", `{"handbook":0.0}`, reset{Given: []string{"handbook"}}},
		{"unknown", `{"x":1,"SEED":2}`, reset{Ignored: []string{"SEED", "x"}}},
	} {
		got, details := openenv.ParseReset([]byte(x.body))
		if d := cmp.Diff(x.want, got); d != "" || details != nil {
			t.Errorf("%s (-want +got):\n%s%s", x.name, d, text(details))
		}
		for _, name := range []string{"seed", "handbook"} {
			want := false
			for _, g := range x.want.Given {
				want = want || g == name
			}
			if got.Has(name) != want {
				t.Errorf("%s: has %s: %v", x.name, name, got.Has(name))
			}
		}
	}
}

func TestWrongOptionsOfAResetAreAllTold(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, body, want, message string }{
		{"no JSON", `{"a"`, `[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"unexpected end of JSON input at byte 3"}}]`,
			"reset: body.3 {}: JSON decode error"},
		{"list", `[]`, `[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]}]`,
			"reset: body []: Input should be a valid dictionary or object to extract fields from"},
		{"beyond the largest seed", `{"seed":9223372036854775808}`, `[{"type":"less_than_equal","loc":["body","seed"],"msg":"Input should be less than or equal to 9223372036854775807","input":9223372036854775808,"ctx":{"le":9223372036854775807}}]`,
			"reset: body.seed 9223372036854775808: Input should be less than or equal to 9223372036854775807"},
		{"beyond it as text", `{"seed":"9223372036854775808"}`, `[{"type":"less_than_equal","loc":["body","seed"],"msg":"Input should be less than or equal to 9223372036854775807","input":"9223372036854775808","ctx":{"le":9223372036854775807}}]`,
			`reset: body.seed "9223372036854775808": Input should be less than or equal to 9223372036854775807`},
		{"beyond it as a float", `{"seed":1e30}`, `[{"type":"less_than_equal","loc":["body","seed"],"msg":"Input should be less than or equal to 9223372036854775807","input":1e30,"ctx":{"le":9223372036854775807}}]`,
			"reset: body.seed 1e30: Input should be less than or equal to 9223372036854775807"},
		{"in the order of the wire", `{"rewards":0,"index":3000,"seed":[]}`, `[{"type":"int_type","loc":["body","seed"],"msg":"Input should be a valid integer","input":[]},` +
			`{"type":"less_than_equal","loc":["body","index"],"msg":"Input should be less than or equal to 2999","input":3000,"ctx":{"le":2999}},` +
			`{"type":"literal_error","loc":["body","rewards"],"msg":"Input should be 'dense', 'ticket' or 'episode'","input":0,"ctx":{"expected":"'dense', 'ticket' or 'episode'"}}]`,
			"reset: body.seed []: Input should be a valid integer; body.index 3000: Input should be less than or equal to 2999; body.rewards 0: Input should be 'dense', 'ticket' or 'episode'"},
	} {
		_, details := openenv.ParseReset([]byte(x.body), "body")
		equal(t, x.name, x.want, text(details))
		equal(t, x.name, x.message, openenv.Message("reset", details))
	}
}
