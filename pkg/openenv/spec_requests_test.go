package openenv

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/triage"
)

// component resolves a schema within the components of a document.
func component(t testing.TB, o SpecOptions, schema []byte) *jsonschema.Resolved {
	t.Helper()
	var d struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(Spec(o), &d); err != nil {
		t.Fatal(err)
	}
	text := Plain(map[string]any{"$defs": d.Components.Schemas, "allOf": []json.RawMessage{schema}})
	return resolved(t, bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")))
}

func named(t testing.TB, o SpecOptions, name string) *jsonschema.Resolved {
	t.Helper()
	return component(t, o, Plain(ref(name)))
}

// scalars draws JSON values of every kind, near to what options and fields take.
func scalars() *rapid.Generator[string] {
	quoted := func(s string) string { return string(Plain(s)) }
	var words []string
	for _, list := range []string{"billing spam low critical easy hard Bug Question High Low Engineering train test dense episode error empty",
		"true false yes no on t y x nowhere Billing queue-easy"} {
		for _, w := range strings.Fields(list) {
			words = append(words, quoted(w))
		}
	}
	return rapid.OneOf(
		rapid.SampledFrom(words),
		rapid.Map(rapid.IntRange(-4, 110), func(n int) string { return string(Plain(n)) }),
		rapid.Map(rapid.IntRange(2990, 3010), func(n int) string { return string(Plain(n)) }),
		rapid.SampledFrom([]string{"null", "true", "false", "1.5", "42.0", "1e2", "-0", "0.1", "9223372036854775807", "9223372036854775808", "1e300",
			"9007199254740992", "9007199254740994", "-3000", "-3001", "[]", "{}", `[1]`, `{"a":1}`, `""`}),
		rapid.Map(rapid.IntRange(-2, 110), func(n int) string { return quoted(string(Plain(n))) }),
		rapid.SampledFrom([]string{`" 7 "`, `"007"`, `"+7"`, `"-7"`, `"7.0"`, `"7."`, `"7.5"`, `"7e1"`, `"0x7"`, `"7_0"`, `"seven"`, `"2999"`, `"3000"`,
			`"123456789012345678"`, `"0.5"`, `"10.25"`, `"-1.5"`}),
		rapid.Map(rapid.IntRange(triage.MaxRecommendation-1, triage.MaxRecommendation+1), func(n int) string { return quoted(strings.Repeat("é", n)) }),
		rapid.Map(rapid.IntRange(MaxEpisodeID-1, MaxEpisodeID+1), func(n int) string { return quoted(strings.Repeat("日", n)) }),
	)
}

// objects draws objects with some of the keys.
func objects(keys ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var parts []string
		for _, k := range keys {
			if rapid.IntRange(0, 2).Draw(t, "has "+k) == 0 {
				parts = append(parts, string(Plain(k))+":"+scalars().Draw(t, k))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}

// skipped are spellings on which reader and schema differ knowingly: a pattern for them would be longer than it is useful.
func skipped(text string) bool {
	for _, odd := range []string{`"123456789012345678"`, `"timeout_s":"0.5"`, `"timeout_s":"7e1"`, `"handbook":-0`, `"seed":9223372036854775808`} {
		if strings.Contains(text, odd) {
			return true
		}
	}
	return false
}

// agrees holds a schema against a reader of the same bodies.
func agrees(t *testing.T, schema *jsonschema.Resolved, bodies *rapid.Generator[string], accepts func(body []byte) bool) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.OneOf(bodies, bodies, bodies, scalars()).Draw(t, "body")
		if skipped(body) {
			t.Skip()
		}
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		err := schema.Validate(v)
		if ok := accepts([]byte(body)); ok != (err == nil) {
			t.Fatalf("%.300s: the reader accepts it: %v; the schema says: %v", body, ok, err)
		}
	})
}

var actionKeys = map[triage.Track][]string{
	triage.Queue: {triage.FieldRoute, triage.FieldUrgency, triage.FieldDifficulty, triage.FieldPriorityScore, "metadata", "other"},
	triage.Desk: {triage.FieldCategory, triage.FieldPriority, triage.FieldUrgencyDays, triage.FieldDepartment, triage.FieldRecommendation,
		"metadata", "other"},
}

// wholeAction is an action of each track with every field that is asked for.
var wholeAction = map[triage.Track]string{
	triage.Queue: `{"route_category":"billing","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":12}`,
	triage.Desk: `{"category":"Bug","priority":"High","urgency_days":2,"department":"Engineering",
		"recommendation":"Check the logs for failed logins."}`,
}

func TestTheDocumentsActionIsWhatAStepAccepts(t *testing.T) {
	t.Parallel()
	for track, name := range map[triage.Track]string{triage.Queue: "QueueAction", triage.Desk: "DeskAction"} {
		agrees(t, named(t, SpecOptions{Track: track}, name), objects(actionKeys[track]...), func(body []byte) bool {
			_, err := triage.ParseAction(track, body, nil)
			return err == nil
		})
	}
}

func TestWhatSatisfiesTheActionSchemaIsAccepted(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		schema := resolved(t, ActionSchema(track))
		var whole any
		if err := json.Unmarshal([]byte(wholeAction[track]), &whole); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(whole); err != nil {
			t.Errorf("%s: nothing satisfies the schema, not even %s: %v", track, wholeAction[track], err)
		}
		bodies := rapid.OneOf(objects(actionKeys[track]...), rapid.Just(wholeAction[track]))
		rapid.Check(t, func(t *rapid.T) {
			body := bodies.Draw(t, "action")
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
			if schema.Validate(v) != nil {
				return
			}
			if _, err := triage.ParseAction(track, []byte(body), nil); err != nil {
				t.Fatalf("%s satisfies the schema: %v", body, err)
			}
		})
	}
}

func TestTheDocumentsStepIsWhatTheServerReads(t *testing.T) {
	t.Parallel()
	bodies := rapid.Custom(func(t *rapid.T) string {
		rest := strings.TrimPrefix(objects("timeout_s", "request_id", OptionEpisodeID, "other").Draw(t, "rest"), "{")
		action := rapid.OneOf(rapid.SampledFrom([]string{"{}", `{"priority_score":7}`}), scalars()).Draw(t, "action")
		if rest == "}" {
			return `{"action":` + action + "}"
		}
		return `{"action":` + action + "," + rest
	})
	agrees(t, named(t, SpecOptions{Track: triage.Queue}, "StepRequest"), rapid.OneOf(bodies, objects("action", "timeout_s")), func(body []byte) bool {
		step, details := ParseStep(body)
		if len(details) > 0 {
			return false
		}
		_, err := triage.ParseAction(triage.Queue, step.Action, nil)
		return err == nil
	})
}

func TestTheDocumentsResetIsWhatTheServerReads(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		o := SpecOptions{Track: track}
		reads := func(body []byte) bool {
			r, details := ParseReset(body, "body")
			return len(details) == 0 && (r.Tickets == 0 || track == triage.Queue && r.Tickets <= 8)
		}
		// One option at a time: what several want of each other is below.
		for _, option := range []string{OptionSeed, OptionEpisodeID, OptionDifficulty, OptionSplit, OptionIndex, OptionTickets, OptionRewards, OptionOnInvalid, OptionHandbook, "other"} {
			agrees(t, named(t, o, "ResetRequest"), objects(option), reads)
		}
	}
}

func TestAResetsOptionsGoTogether(t *testing.T) {
	t.Parallel()
	queue, desk := named(t, SpecOptions{Track: triage.Queue}, "ResetRequest"), named(t, SpecOptions{Track: triage.Desk}, "ResetRequest")
	sealed := named(t, SpecOptions{Track: triage.Queue, Sealed: true}, "ResetRequest")
	for body, want := range map[string][3]bool{ // queue, desk, sealed
		`{}`:                                             {true, true, true},
		`{"seed":1,"difficulty":"hard"}`:                 {true, true, false},
		`{"seed":null,"index":null}`:                     {true, true, true},
		`{"index":17}`:                                   {true, true, false},
		`{"index":17,"seed":1}`:                          {false, false, false},
		`{"index":17,"difficulty":"easy"}`:               {false, false, false},
		`{"index":17,"seed":null}`:                       {true, true, false},
		`{"tickets":8}`:                                  {true, false, false},
		`{"tickets":9}`:                                  {false, false, false},
		`{"tickets":9,"difficulty":null}`:                {false, false, false},
		`{"tickets":10,"difficulty":"medium"}`:           {true, false, false},
		`{"tickets":11,"difficulty":"medium"}`:           {false, false, false},
		`{"tickets":12,"difficulty":"hard"}`:             {true, false, false},
		`{"tickets":13,"difficulty":"hard"}`:             {false, false, false},
		`{"tickets":0}`:                                  {false, false, false},
		`{"rewards":"episode"}`:                          {true, true, false},
		`{"difficulty":"hard","handbook":true,"more":1}`: {true, true, true},
	} {
		v := decoded(t, []byte(body))
		for i, s := range []*jsonschema.Resolved{queue, desk, sealed} {
			if err := s.Validate(v); (err == nil) != want[i] {
				t.Errorf("%s %s: %v", []string{"queue", "desk", "sealed"}[i], body, err)
			}
		}
	}
}

func TestTheDocumentsTaskQueriesAreWhatTheServerReads(t *testing.T) {
	t.Parallel()
	known := func(q Query, details []Detail) bool {
		return len(details) == 0 && (q.Split == triage.Train || q.Split == triage.Test) && q.Index >= -NumTasks && q.Index < NumTasks
	}
	with := func(keys ...string) *rapid.Generator[string] {
		return rapid.Map(objects(keys...), func(s string) string { return strings.Replace(s, "{", `{"split":"test"`+comma(s), 1) })
	}
	o := SpecOptions{Track: triage.Queue}
	agrees(t, named(t, o, "NumTasksRequest"), objects("split", "other"), func(b []byte) bool { return known(ParseQuery(b, nil, nil)) })
	agrees(t, named(t, o, "GetTaskRequest"), with("index", "other"), func(b []byte) bool { return known(ParseQuery(b, []string{"index"}, nil)) })
	agrees(t, named(t, o, "GetTaskRangeRequest"), with("start", "stop"), func(b []byte) bool { return known(ParseQuery(b, nil, []string{"start", "stop"})) })
}

// comma is what stands between a first member and the rest of an object.
func comma(object string) string {
	if object == "{}" {
		return ""
	}
	return ","
}
