package triage_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/triage"
)

// parseCase is an action as it comes, and what it is read as: an action, or what is wrong with which fields.
type parseCase struct {
	name  string
	track triage.Track
	data  string
	want  triage.Action
	wrong []triage.FieldError
}

func queueAction(q triage.QueueAction) triage.Action {
	return triage.Action{Track: triage.Queue, Queue: q}
}

func deskAction(d triage.DeskAction) triage.Action {
	return triage.Action{Track: triage.Desk, Desk: d}
}

func wrong(field, value, allowed, problem string) []triage.FieldError {
	return []triage.FieldError{{Field: field, Value: value, Allowed: allowed, Problem: problem}}
}

const (
	routeWords      = "one of billing, technical, feature, feedback, spam"
	urgencyWords    = "one of low, medium, high, critical"
	difficultyWords = "one of easy, medium, hard"
	categoryWords   = "one of Bug, FeatureRequest, Question"
	priorityWords   = "one of Low, Medium, High, Critical"
	departmentWords = "one of Engineering, Product, Support, Management"
	scoreRange      = "an integer from 0 to 100"
	dayRange        = "an integer from 1 to 7"
	queueFields     = "route_category, urgency_assessment, resolution_difficulty, priority_score"
	deskFields      = "category, priority, urgency_days, department, recommendation"
	noObject        = "a JSON object"
	afterObject     = "one JSON object and nothing after it"
)

var labels = map[string][]string{"queue": {"sales", "support"}, "team": {"a, b", "c"}}

func score(v int) triage.Action { return queueAction(triage.QueueAction{Priority: triage.IntOf(v)}) }

func days(v int) triage.Action { return deskAction(triage.DeskAction{UrgencyDays: triage.IntOf(v)}) }

func parseCases() []parseCase {
	long := strings.Repeat("é", triage.MaxRecommendation)
	nested := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	return []parseCase{
		{name: "queue, all fields", track: triage.Queue,
			data: `{"route_category":"spam","urgency_assessment":"low","resolution_difficulty":"hard","priority_score":7}`,
			want: queueAction(triage.QueueAction{Route: triage.Spam, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionHard, Priority: triage.IntOf(7)})},
		{name: "desk, all fields", track: triage.Desk,
			data: `{"category":"Bug","priority":"High","urgency_days":3,"department":"Support","recommendation":"Fix \"it\"."}`,
			want: deskAction(triage.DeskAction{Category: triage.Bug, Priority: triage.PriorityHigh, UrgencyDays: triage.IntOf(3),
				Department: triage.Support, Recommendation: `Fix "it".`})},
		{name: "all absent", track: triage.Queue, data: `{}`, want: queueAction(triage.QueueAction{})},
		{name: "all null on queue", track: triage.Queue,
			data: `{"route_category":null,"urgency_assessment":null,"resolution_difficulty":null,"priority_score":null}`, want: queueAction(triage.QueueAction{})},
		{name: "all null on desk", track: triage.Desk,
			data: `{"category":null,"priority":null,"urgency_days":null,"department":null,"recommendation":null}`, want: deskAction(triage.DeskAction{})},
		{name: "metadata of any kind", track: triage.Queue, data: `{"metadata":{"x":[1]},"priority_score":1}`, want: score(1)},
		{name: "metadata that is a text", track: triage.Desk, data: `{"metadata":"x"}`, wrong: wrong("metadata", `"x"`, "an object", "wrong_type")},
		{name: "the last of duplicates counts", track: triage.Queue, data: `{"priority_score":"x","priority_score":2}`, want: score(2)},
		{name: "the last of duplicates is null", track: triage.Queue, data: `{"priority_score":2,"priority_score":null}`, want: queueAction(triage.QueueAction{})},
		{name: "space around", track: triage.Queue, data: " \n{ }\t\n", want: queueAction(triage.QueueAction{})},
		{name: "escaped words and names", track: triage.Queue, data: `{"\u0072oute_category":"\u0073pam"}`, want: queueAction(triage.QueueAction{Route: triage.Spam})},

		{name: "unknown word", track: triage.Queue, data: `{"route_category":"sales"}`, wrong: wrong(triage.FieldRoute, `"sales"`, routeWords, "not_one_of")},
		{name: "word of another case", track: triage.Queue, data: `{"urgency_assessment":"Low"}`, wrong: wrong(triage.FieldUrgency, `"Low"`, urgencyWords, "not_one_of")},
		{name: "word with space", track: triage.Queue, data: `{"resolution_difficulty":"hard "}`, wrong: wrong(triage.FieldDifficulty, `"hard "`, difficultyWords, "not_one_of")},
		{name: "empty word", track: triage.Desk, data: `{"category":""}`, wrong: wrong(triage.FieldCategory, `""`, categoryWords, "not_one_of")},
		{name: "two words in one", track: triage.Desk, data: `{"priority":"Low, Medium"}`, wrong: wrong(triage.FieldPriority, `"Low, Medium"`, priorityWords, "not_one_of")},
		{name: "word that is a number", track: triage.Desk, data: `{"department":1}`, wrong: wrong(triage.FieldDepartment, `1`, departmentWords, "wrong_type")},
		{name: "word that is a list", track: triage.Queue, data: `{"route_category":["spam"]}`, wrong: wrong(triage.FieldRoute, `["spam"]`, routeWords, "wrong_type")},
		{name: "word that is true", track: triage.Queue, data: `{"urgency_assessment":true}`, wrong: wrong(triage.FieldUrgency, `true`, urgencyWords, "wrong_type")},
		{name: "word that is an object", track: triage.Desk, data: `{"category":{}}`, wrong: wrong(triage.FieldCategory, `{}`, categoryWords, "wrong_type")},
		{name: "text that is a number", track: triage.Desk, data: `{"recommendation":1}`, wrong: wrong(triage.FieldRecommendation, `1`, "a text", "wrong_type")},
		{name: "longest text", track: triage.Desk, data: `{"recommendation":"` + long + `"}`, want: deskAction(triage.DeskAction{Recommendation: long})},
		{name: "text one character too long", track: triage.Desk, data: `{"recommendation":"` + long + `x"}`,
			wrong: wrong(triage.FieldRecommendation, "a text of 2001 characters", "at most 2000 characters", "too_long")},
		{name: "empty text is absent", track: triage.Desk, data: `{"recommendation":""}`, want: deskAction(triage.DeskAction{})},

		{name: "42", track: triage.Queue, data: `{"priority_score":42}`, want: score(42)},
		{name: "42.0", track: triage.Queue, data: `{"priority_score":42.0}`, want: score(42)},
		{name: `"42"`, track: triage.Queue, data: `{"priority_score":"42"}`, want: score(42)},
		{name: `"42.0"`, track: triage.Queue, data: `{"priority_score":"42.0"}`, want: score(42)},
		{name: `" 42 "`, track: triage.Queue, data: `{"priority_score":" 42 "}`, want: score(42)},
		{name: "true is 1", track: triage.Queue, data: `{"priority_score":true}`, want: score(1)},
		{name: "false is 0", track: triage.Queue, data: `{"priority_score":false}`, want: score(0)},
		{name: "1e2", track: triage.Queue, data: `{"priority_score":1e2}`, want: score(100)},
		{name: "-0", track: triage.Queue, data: `{"priority_score":-0}`, want: score(0)},
		{name: "least score", track: triage.Queue, data: `{"priority_score":0}`, want: score(0)},
		{name: "greatest score", track: triage.Queue, data: `{"priority_score":100}`, want: score(100)},
		{name: "least days", track: triage.Desk, data: `{"urgency_days":1}`, want: days(1)},
		{name: "greatest days", track: triage.Desk, data: `{"urgency_days":7}`, want: days(7)},
		{name: "true is a day", track: triage.Desk, data: `{"urgency_days":true}`, want: days(1)},
		{name: "score under the range", track: triage.Queue, data: `{"priority_score":-1}`, wrong: wrong(triage.FieldPriorityScore, "-1", scoreRange, "out_of_range")},
		{name: "score over the range", track: triage.Queue, data: `{"priority_score":101}`, wrong: wrong(triage.FieldPriorityScore, "101", scoreRange, "out_of_range")},
		{name: "no days", track: triage.Desk, data: `{"urgency_days":0}`, wrong: wrong(triage.FieldUrgencyDays, "0", dayRange, "out_of_range")},
		{name: "eight days", track: triage.Desk, data: `{"urgency_days":8}`, wrong: wrong(triage.FieldUrgencyDays, "8", dayRange, "out_of_range")},
		{name: "false is no day", track: triage.Desk, data: `{"urgency_days":false}`, wrong: wrong(triage.FieldUrgencyDays, "false", dayRange, "out_of_range")},
		{name: "huge", track: triage.Queue, data: `{"priority_score":99999999999999999999}`, wrong: wrong(triage.FieldPriorityScore, "99999999999999999999", scoreRange, "out_of_range")},
		{name: "beyond floats", track: triage.Queue, data: `{"priority_score":1e999}`, wrong: wrong(triage.FieldPriorityScore, "1e999", scoreRange, "out_of_range")},
		{name: "below floats", track: triage.Queue, data: `{"priority_score":-1e999}`, wrong: wrong(triage.FieldPriorityScore, "-1e999", scoreRange, "out_of_range")},
		{name: "1.5", track: triage.Queue, data: `{"priority_score":1.5}`, wrong: wrong(triage.FieldPriorityScore, "1.5", scoreRange, "wrong_type")},
		{name: `"1.5"`, track: triage.Queue, data: `{"priority_score":"1.5"}`, wrong: wrong(triage.FieldPriorityScore, `"1.5"`, scoreRange, "wrong_type")},
		{name: `"1e2"`, track: triage.Queue, data: `{"priority_score":"1e2"}`, wrong: wrong(triage.FieldPriorityScore, `"1e2"`, scoreRange, "wrong_type")},
		{name: `"4x"`, track: triage.Queue, data: `{"priority_score":"4x"}`, wrong: wrong(triage.FieldPriorityScore, `"4x"`, scoreRange, "wrong_type")},
		{name: `"0x10"`, track: triage.Queue, data: `{"priority_score":"0x10"}`, wrong: wrong(triage.FieldPriorityScore, `"0x10"`, scoreRange, "wrong_type")},
		{name: `""`, track: triage.Queue, data: `{"priority_score":""}`, wrong: wrong(triage.FieldPriorityScore, `""`, scoreRange, "wrong_type")},
		{name: `"NaN"`, track: triage.Queue, data: `{"priority_score":"NaN"}`, wrong: wrong(triage.FieldPriorityScore, `"NaN"`, scoreRange, "wrong_type")},
		{name: `"inf"`, track: triage.Queue, data: `{"priority_score":"inf"}`, wrong: wrong(triage.FieldPriorityScore, `"inf"`, scoreRange, "wrong_type")},
		{name: `"true"`, track: triage.Queue, data: `{"priority_score":"true"}`, wrong: wrong(triage.FieldPriorityScore, `"true"`, scoreRange, "wrong_type")},
		{name: "a number in a list", track: triage.Queue, data: `{"priority_score":[1]}`, wrong: wrong(triage.FieldPriorityScore, `[1]`, scoreRange, "wrong_type")},
		{name: "a number in an object", track: triage.Queue, data: `{"priority_score":{"v":1}}`, wrong: wrong(triage.FieldPriorityScore, `{"v":1}`, scoreRange, "wrong_type")},

		{name: "NaN is no JSON", track: triage.Queue, data: `{"priority_score":NaN}`, wrong: wrong("action", `{"priority_score":NaN}`, noObject, "wrong_type")},
		{name: "null", track: triage.Queue, data: `null`, wrong: wrong("action", "null", noObject, "wrong_type")},
		{name: "a list", track: triage.Queue, data: `[]`, wrong: wrong("action", "[]", noObject, "wrong_type")},
		{name: "a text", track: triage.Desk, data: `"Bug"`, wrong: wrong("action", `"Bug"`, noObject, "wrong_type")},
		{name: "nothing", track: triage.Desk, data: ``, wrong: wrong("action", "", noObject, "wrong_type")},
		{name: "torn", track: triage.Desk, data: `{"category":"Bug"`, wrong: wrong("action", `{"category":"Bug"`, noObject, "wrong_type")},
		{name: "a second object", track: triage.Desk, data: `{} {}`, wrong: wrong("action", `{} {}`, afterObject, "wrong_type")},
		{name: "a trailing word", track: triage.Desk, data: `{}x`, wrong: wrong("action", `{}x`, afterObject, "wrong_type")},
		{name: "nested too deep", track: triage.Queue, data: `{"metadata":` + strings.Repeat("[", 20000),
			wrong: wrong("action", `{"metadata":`+strings.Repeat("[", 68)+"…", noObject, "wrong_type")},
		{name: "deep metadata", track: triage.Queue, data: `{"metadata":{"x":` + nested + `}}`, want: queueAction(triage.QueueAction{})},
		{name: "a long value is cut between characters", track: triage.Queue, data: `{"route_category":"` + strings.Repeat("日", 40) + `"}`,
			wrong: wrong(triage.FieldRoute, `"`+strings.Repeat("日", 26)+"…", routeWords, "not_one_of")},

		{name: "unknown field", track: triage.Queue, data: `{"urgency":"low"}`, wrong: wrong("urgency", `"low"`, queueFields, "unknown_field")},
		{name: "unknown field that is null", track: triage.Desk, data: `{"days":null}`, wrong: wrong("days", "null", deskFields, "unknown_field")},
		{name: "field of another case", track: triage.Desk, data: `{"Category":"Bug"}`, wrong: wrong("Category", `"Bug"`, deskFields, "unknown_field")},
		{name: "a long name is cut", track: triage.Queue, data: `{"` + strings.Repeat("x", 100) + `":1}`,
			wrong: wrong(strings.Repeat("x", 80)+"…", "1", queueFields, "unknown_field")},
		{name: "all that is wrong together, declared fields first", track: triage.Queue,
			data: `{"z":1,"priority_score":101,"metadata":null,"a":2,"route_category":"x","urgency_assessment":"low"}`,
			wrong: []triage.FieldError{
				{Field: triage.FieldRoute, Value: `"x"`, Allowed: routeWords, Problem: "not_one_of"},
				{Field: triage.FieldPriorityScore, Value: "101", Allowed: scoreRange, Problem: "out_of_range"},
				{Field: "a", Value: "2", Allowed: queueFields, Problem: "unknown_field"},
				{Field: "z", Value: "1", Allowed: queueFields, Problem: "unknown_field"},
			}},
		{name: "a queue field on the desk", track: triage.Desk, data: `{"route_category":"spam"}`, wrong: wrong(triage.FieldRoute, `"spam"`, deskFields, "unknown_field")},

		{name: "labels", track: triage.Dataset, data: `{"queue":"sales","team":"a, b"}`,
			want: triage.Action{Track: triage.Dataset, Labels: map[string]string{"queue": "sales", "team": "a, b"}}},
		{name: "a label that is null", track: triage.Dataset, data: `{"queue":null}`, want: triage.Action{Track: triage.Dataset, Labels: map[string]string{}}},
		{name: "unknown label", track: triage.Dataset, data: `{"queue":"Sales"}`, wrong: wrong("queue", `"Sales"`, "one of sales, support", "not_one_of")},
		{name: "label of the wrong type", track: triage.Dataset, data: `{"queue":1}`, wrong: wrong("queue", "1", "a text, one of sales, support", "wrong_type")},
		{name: "unknown column", track: triage.Dataset, data: `{"route":"x"}`, wrong: wrong("route", `"x"`, "queue, team", "unknown_field")},
	}
}

func TestParseActionReadsWhatIsAllowedAndNamesWhatIsNot(t *testing.T) {
	t.Parallel()
	for _, tt := range parseCases() {
		t.Run(string(tt.track)+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := triage.ParseAction(tt.track, []byte(tt.data), labels)
			var fields *triage.FieldErrors
			if err != nil && !errors.As(err, &fields) {
				t.Fatal(err)
			}
			if fields == nil {
				fields = &triage.FieldErrors{}
			}
			if d := cmp.Diff(tt.wrong, fields.Fields); d != "" {
				t.Errorf("wrong fields (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("action (-want +got):\n%s", d)
			}
			for _, f := range fields.Fields {
				for _, part := range []string{f.Field, f.Value, f.Allowed} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("message %q does not name %q", err, part)
					}
				}
			}
		})
	}
}

func TestParseActionMessages(t *testing.T) {
	t.Parallel()
	_, err := triage.ParseAction(triage.Queue, []byte(`{"route_category":"x","urgency":"low"}`), nil)
	want := `invalid action: route_category: "x" is not allowed; allowed is one of billing, technical, feature, feedback, spam; ` +
		`urgency: there is no such field (its value is "low"); the fields are route_category, urgency_assessment, resolution_difficulty, priority_score`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("message (-want +got):\n%s", d)
	}
	if c := triage.CodeOf(err); c != triage.CodeInvalid {
		t.Errorf("code %q, want %q", c, triage.CodeInvalid)
	}
	many := map[string][]string{"c": {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3", "b4"}}
	_, err = triage.ParseAction(triage.Dataset, []byte(`{"c":"x"}`), many)
	want = `invalid action: c: "x" is not allowed; allowed is one of a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3 … (13 in all)`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("message (-want +got):\n%s", d)
	}
	_, err = triage.ParseAction("nowhere", []byte(`{}`), nil)
	if d := cmp.Diff(`unknown track "nowhere"`, err.Error()); d != "" || triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("code %q, message (-want +got):\n%s", triage.CodeOf(err), d)
	}
}

func TestValidateSaysWhatParseActionSaysOfTheEncodedAction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := typedAction(t, anyTrack().Draw(t, "track of the action"), labels)
		track := anyTrack().Draw(t, "track")
		var e triage.Encoder // encoding/json would escape "<", which messages quote
		e.Action(&a)
		before := a
		before.Labels = maps.Clone(a.Labels)
		_, want := triage.ParseAction(track, e.Buf, labels)
		got := a.Validate(track, labels)
		if d := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); d != "" {
			t.Errorf("%s: ParseAction (-) and Validate (+) differ:\n%s", e.Buf, d)
		}
		if !reflect.DeepEqual(before, a) {
			t.Errorf("Validate changed the action: %+v became %+v", before, a)
		}
	})
}

func TestValidateTakesAnActionWithoutATrackForOneOfTheGivenTrack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		action triage.Action
		track  triage.Track
		want   string
	}{
		"right": {action: triage.Action{Queue: triage.QueueAction{Route: triage.Spam}}, track: triage.Queue, want: "<nil>"},
		"wrong": {action: triage.Action{Desk: triage.DeskAction{UrgencyDays: triage.IntOf(8)}}, track: triage.Desk,
			want: "invalid action: urgency_days: 8 is not allowed; allowed is an integer from 1 to 7"},
		"of another track": {action: queueAction(triage.QueueAction{Route: triage.Spam}), track: triage.Desk,
			want: `invalid action: route_category: there is no such field (its value is "spam"); the fields are ` + deskFields},
		"empty, of another track": {action: queueAction(triage.QueueAction{}), track: triage.Desk, want: "<nil>"},
		"unreadable": {action: triage.Action{Track: triage.Queue, Raw: json.RawMessage(`I say billing`)}, track: triage.Queue,
			want: "invalid action: action: I say billing is not allowed; allowed is a JSON object"},
		"an unknown track": {track: "nowhere", want: `unknown track "nowhere"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, fmt.Sprint(tt.action.Validate(tt.track, nil))); d != "" {
				t.Errorf("error (-want +got):\n%s", d)
			}
		})
	}
}

func TestActionsParseBackFromWhatTheyAreWrittenAs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		track := anyTrack().Draw(t, "track")
		want := typedAction(t, track, labels)
		delete(want.Labels, "metadata")
		if want.Validate(track, labels) != nil {
			return
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := triage.ParseAction(track, data, labels)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, asRead); d != "" {
			t.Errorf("action (-want +got):\n%s", d)
		}
	})
}

func TestIntReadsNumbersAndNull(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]struct {
		v  triage.Int
		ok bool
	}{
		"null": {ok: true}, "0": {triage.IntOf(0), true}, "-7": {triage.IntOf(-7), true}, "1.5": {}, `"1"`: {}, "{}": {},
	} {
		got := triage.IntOf(99)
		err := json.Unmarshal([]byte(data), &got)
		if (err == nil) != want.ok || got != want.v {
			t.Errorf("%s is read as %+v, error %v; want %+v", data, got, err, want.v)
		}
		if !want.ok {
			continue
		}
		if back, err := json.Marshal(got); err != nil || string(back) != data {
			t.Errorf("%s is written back as %s, error %v", data, back, err)
		}
	}
}

func FuzzParseAction(f *testing.F) {
	for _, tt := range parseCases() {
		for i, track := range []triage.Track{triage.Queue, triage.Desk, triage.Dataset} {
			if track == tt.track {
				f.Add(uint8(i), []byte(tt.data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		track := []triage.Track{triage.Queue, triage.Desk, triage.Dataset}[which%3]
		a, err := triage.ParseAction(track, data, labels)
		if err != nil {
			var fields *triage.FieldErrors
			if !errors.As(err, &fields) || len(fields.Fields) == 0 {
				t.Errorf("an error that names no field: %v", err)
			}
			if d := cmp.Diff(triage.Action{}, a); d != "" {
				t.Errorf("an error comes with an action:\n%s", d)
			}
			return
		}
		if err := a.Validate(track, labels); err != nil {
			t.Errorf("%q is read as what Validate refuses: %v", data, err)
		}
		again, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := triage.ParseAction(track, again, labels)
		if err != nil {
			t.Fatalf("%q is written as %s: %v", data, again, err)
		}
		if d := cmp.Diff(a, b, asRead); d != "" {
			t.Errorf("read, written and read again (-first +second):\n%s", d)
		}
	})
}
