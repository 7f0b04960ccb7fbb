package triage_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/triage"
)

// asRead makes strings compare as a reader of the JSON sees them, and nil lists equal to empty ones.
var asRead = cmp.Options{cmpopts.EquateEmpty(), cmp.Transformer("valid", func(s string) string { return valid(s) }),
	cmpopts.IgnoreFields(triage.Part{}, "Why")}

func TestEncodedObservationsDecodeToThemselves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		track := anyTrack().Draw(t, "track")
		want := observation(t, track)
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatalf("encoding/json refuses what the encoder wrote: %v", err)
		}
		got, err := triage.DecodeObservation(track, data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, asRead); d != "" {
			t.Errorf("observation (-want +got):\n%s", d)
		}
	})
}

func TestEncoderWritesWhatEncodingJSONWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := observation(t, anyTrack().Draw(t, "track"))
		var plain any
		switch {
		case o.Queue != nil:
			plain = o.Queue
		case o.Desk != nil:
			plain = o.Desk
		default:
			plain = o.Dataset
		}
		want, err := json.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		var e triage.Encoder
		e.Observation(o)
		var a, b any
		if err := json.Unmarshal(want, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(e.Buf, &b); err != nil {
			t.Fatalf("not JSON: %v\n%s", err, e.Buf)
		}
		if d := cmp.Diff(a, b, cmpopts.EquateEmpty(), nullIsEmpty); d != "" {
			t.Errorf("encoding/json (-) and the encoder (+) differ:\n%s", d)
		}
	})
}

// nullIsEmpty makes a null list or map equal to an empty one: the encoder writes no null for those.
var nullIsEmpty = cmp.FilterValues(func(x, y any) bool { return x == nil || y == nil }, cmp.Comparer(func(x, y any) bool {
	empty := func(v any) bool {
		switch v := v.(type) {
		case nil:
			return true
		case []any:
			return len(v) == 0
		case map[string]any:
			return len(v) == 0
		}
		return false
	}
	return empty(x) && empty(y)
}))

// line is an episode as a reader of the log sees it.
type line struct {
	Key   triage.Key
	Steps []struct {
		Observation, Action json.RawMessage
		Score               *triage.Score
		Usage               *triage.Usage
		Reply               *triage.Reply
		Error               *string
	}
	Score, Efficiency, Reward *float64
	Ended                     triage.Ended
	Error                     *string
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestEncodedEpisodesDecodeToThemselves(t *testing.T) {
	t.Parallel()
	optional := func(t *rapid.T, label string) *float64 {
		if rapid.Bool().Draw(t, "has "+label) {
			return pointer(finite(t, label))
		}
		return nil
	}
	rapid.Check(t, func(t *rapid.T) {
		track := anyTrack().Draw(t, "track")
		labels := map[string][]string{"queue": {"a", "b"}}
		want := triage.Episode{Key: triage.Key{Agent: texts().Draw(t, "agent"), Task: texts().Draw(t, "task"),
			Seed: rapid.Int64Range(0, triage.MaxSeed).Draw(t, "seed"), Position: maybeInt(t, "position"), Trial: rapid.IntRange(0, 3).Draw(t, "trial")},
			Score: optional(t, "score"), Efficiency: optional(t, "efficiency"), Reward: optional(t, "reward"),
			Ended: triage.Ended(valid(texts().Draw(t, "ended"))), Error: texts().Draw(t, "error")}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			s := triage.Step{Observation: observation(t, track), Error: texts().Draw(t, "step error"), Action: triage.Action{Track: track}}
			if a := typedAction(t, track, labels); a.Validate(track, labels) == nil {
				delete(a.Labels, "metadata")
				s.Action = a
			}
			if rapid.Bool().Draw(t, "has score") {
				s.Score = &triage.Score{Total: finite(t, "total"), Parts: rapid.SliceOfN(rapid.Custom(part), 0, 3).Draw(t, "parts")}
			}
			if rapid.Bool().Draw(t, "has usage") {
				s.Usage = &triage.Usage{Calls: small(t, "calls"), Reasks: small(t, "reasks"), TokensIn: maybeInt(t, "in"), TokensOut: maybeInt(t, "out"),
					TokensCached: maybeInt(t, "cached"), TokensReasoning: maybeInt(t, "reasoning"), CostNano: maybeInt(t, "cost")}
			}
			if rapid.Bool().Draw(t, "has reply") {
				s.Reply = &triage.Reply{}
				*s.Reply = reply(t)
				s.Reply.Before = rapid.SliceOfN(rapid.Custom(reply), 0, 2).Draw(t, "before")
			}
			want.Steps = append(want.Steps, s)
		}
		var e triage.Encoder
		e.Episode(&want)
		if strings.ContainsAny(string(e.Buf), "\n\r") {
			t.Fatalf("an episode is not one line: %q", e.Buf)
		}
		var l line
		if err := json.Unmarshal(e.Buf, &l); err != nil {
			t.Fatalf("%v in %s", err, e.Buf)
		}
		got := triage.Episode{Key: l.Key, Score: l.Score, Efficiency: l.Efficiency, Reward: l.Reward, Ended: l.Ended, Error: text(l.Error)}
		for _, s := range l.Steps {
			o, err := triage.DecodeObservation(track, s.Observation)
			if err != nil {
				t.Fatal(err)
			}
			a, err := triage.ParseAction(track, s.Action, labels)
			if err != nil {
				t.Fatal(err)
			}
			got.Steps = append(got.Steps, triage.Step{Observation: o, Action: a, Score: s.Score, Usage: s.Usage, Reply: s.Reply, Error: text(s.Error)})
		}
		if d := cmp.Diff(want, got, asRead); d != "" {
			t.Errorf("episode (-want +got):\n%s", d)
		}
	})
}

func TestWhatCouldNotBeReadAsAnActionStaysOneLineOfJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ raw, want string }{
		"an object over several lines": {"{\n  \"a\": [1,\n 2]\n}", `{"a":[1,2]}`},
		"no JSON":                      {"I think\nbilling", `"I think\nbilling"`},
		"nothing":                      {"", `""`},
		"bytes that are no UTF-8":      {"\"\xff\"", `"\"\ufffd\""`},
		"nested too deep to be read back": {strings.Repeat("[", 9999) + strings.Repeat("]", 9999),
			`"` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ep := triage.Episode{Steps: []triage.Step{{Action: triage.Action{Track: triage.Queue, Raw: json.RawMessage(tt.raw)}}}}
			var e triage.Encoder
			e.Episode(&ep)
			if strings.Contains(string(e.Buf), "\n") {
				t.Errorf("an episode is not one line: %q", e.Buf)
			}
			var l line
			if err := json.Unmarshal(e.Buf, &l); err != nil {
				t.Fatalf("the log cannot be read back: %v", err)
			}
			if d := cmp.Diff(tt.want, string(l.Steps[0].Action)); d != "" {
				t.Errorf("action (-want +got):\n%s", d)
			}
		})
	}
}

func TestEpisodeLineHasTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	ep := triage.Episode{Key: triage.Key{Agent: "a", Task: "desk-easy", Seed: 7, Position: triage.IntOf(2), Trial: 1}, Score: pointer(1.0 / 3),
		Efficiency: pointer(math.NaN()), Ended: triage.EndedTruncated, Steps: []triage.Step{{
			Observation: triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-1", SentimentScore: -0.25}},
			Action:      triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug, UrgencyDays: triage.IntOf(1)}},
			Score: &triage.Score{Total: 0.5, Parts: []triage.Part{{Name: "category", Value: 0.5, Weight: 1,
				Why: triage.Why{Code: triage.WhyWrong, Got: "Bug", Want: "Question"}}}},
			Usage: &triage.Usage{Calls: 1, TokensIn: triage.IntOf(3), TokensOut: triage.IntOf(0)},
			Reply: &triage.Reply{Stage: "none", Cause: "not_json", Text: "a \"b\"", Finish: "stop"}, Error: "slow"}}}
	e := triage.Encoder{Round: true}
	e.Episode(&ep)
	want := `{"key":{"agent":"a","task":"desk-easy","seed":7,"position":2,"trial":1},"steps":[{"observation":{"ticket_id":"TKT-1","customer_name":"",` +
		`"issue_text":"","issue_type":"","sentiment_score":-0.25,"wait_time_hours":0,"is_escalated":false,"step_count":0,` +
		`"task_difficulty":"","message":""},"action":{"category":"Bug","urgency_days":1},"score":{"total":0.5,"parts":[{"name":"category",` +
		`"value":0.5,"weight":1,"got":"Bug","want":"Question","why":"Bug is wrong; right is Question"}]},"usage":{"calls":1,"reasks":0,"tokens_in":3,` +
		`"tokens_out":0,"tokens_cached":null,"tokens_reasoning":null,"cost_nano_usd":null},"reply":{"stage":"none","cause":"not_json",` +
		`"text":"a \"b\"","finish_reason":"stop","reasoning_characters":0},"error":"slow"}],"score":0.333333,"efficiency":null,"reward":null,"ended":"truncated","error":null}`
	if d := cmp.Diff(want, string(e.Buf)); d != "" {
		t.Errorf("line (-want +got):\n%s", d)
	}
}

func TestEncoderFollowsOneValueWithAnother(t *testing.T) {
	t.Parallel()
	e := triage.Encoder{}
	e.Action(&triage.Action{Track: triage.Queue})
	e.Buf = append(e.Buf, '\n')
	e.Action(&triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Recommendation: "<a & b>"}})
	if d := cmp.Diff("{}\n{\"recommendation\":\"<a & b>\"}", string(e.Buf)); d != "" {
		t.Errorf("values (-want +got):\n%s", d)
	}
	var o triage.Observation
	data, err := o.MarshalJSON()
	if d := cmp.Diff("null", string(data)); d != "" || err != nil {
		t.Errorf("an observation of nothing (-want +got), error %v:\n%s", err, d)
	}
}

func TestObservationsNeverHoldReasons(t *testing.T) {
	t.Parallel()
	secret := triage.Why{Code: triage.WhyWrong, Got: "SECRETGOT", Want: "SECRETWANT"}
	o := triage.Observation{Queue: &triage.QueueObservation{LastResult: &triage.QueueResult{TicketID: "TKT-1",
		Parts: []triage.Part{{Name: "route", Value: 0.3, Weight: 0.4, Why: secret}}}}}
	mine, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := json.Marshal(o.Queue)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{mine, theirs} {
		for _, bad := range []string{"why", "want", "got", "SECRET"} {
			if strings.Contains(strings.ToLower(string(data)), strings.ToLower(bad)) {
				t.Errorf("an observation holds %q: %s", bad, data)
			}
		}
	}
}

func TestScoresReadFromAFileRenderAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	s := triage.Score{Total: 0.25, Parts: []triage.Part{
		{Name: "route", Value: 0.3, Weight: 0.5, Why: triage.Why{Code: triage.WhySecondary, Got: "billing", Want: "technical"}},
		{Name: "recommendation", Value: 0.2, Weight: 0.5, Why: triage.Why{Code: triage.WhyText, Want: "1 of 2 kind words"}},
	}}
	first, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back triage.Score
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(back)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(first), string(second)); d != "" {
		t.Errorf("score (-written +read and written):\n%s", d)
	}
	if err := json.Unmarshal([]byte(`{"total": "x"}`), &back); err == nil {
		t.Error("a total that is a text was read as a score")
	}
	got, ok := back.Part("recommendation")
	want := triage.Part{Name: "recommendation", Value: 0.2, Weight: 0.5}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(triage.Part{}, "Why")); d != "" || !ok {
		t.Errorf("part, found %v (-want +got):\n%s", ok, d)
	}
	if _, ok := back.Part("urgency"); ok {
		t.Error("a part was found that the score does not have")
	}
}

func TestReasonsAreSentences(t *testing.T) {
	t.Parallel()
	got := map[triage.WhyCode]string{}
	for c := triage.WhyNone; c <= triage.WhyText; c++ {
		got[c] = triage.Why{Code: c, Got: "G", Want: "W"}.String()
	}
	want := map[triage.WhyCode]string{
		triage.WhyNone: "", triage.WhyExact: "W is right", triage.WhyAbsent: "no answer; right is W",
		triage.WhySecondary: "G is the secondary request's team; right is W", triage.WhyOneOff: "G is one off; right is W",
		triage.WhyTwoOff: "G is two off; right is W", triage.WhyFar: "G is too far off; right is W", triage.WhyNear: "G is near; right is W",
		triage.WhyWrong: "G is wrong; right is W", triage.WhyPartial: "G earns part of the credit; right is W", triage.WhyText: "W",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("reasons (-want +got):\n%s", d)
	}
}

func TestRoundedIsWhatAResultFileHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v    float64
		text string
	}{
		{0, "0"}, {1, "1"}, {-1, "-1"}, {100, "100"}, {1200, "1200"}, {0.5, "0.5"}, {1.0 / 3, "0.333333"}, {2.0 / 3, "0.666667"},
		{0.1234565, "0.123456"}, {0.0000004, "0"}, {-0.0000004, "0"}, {math.Copysign(0, -1), "0"}, {0.000001, "0.000001"}, {1e6 + 0.25, "1000000.25"},
		{-12.3400001, "-12.34"}, {0.9999999, "1"}, {1e21, "1000000000000000000000"},
	} {
		if got := string(triage.AppendRounded([]byte("0"), tt.v)); got != "0"+tt.text {
			t.Errorf("AppendRounded(%v) appends %q, want %q", tt.v, got[1:], tt.text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := finite(t, "v")
		text := string(triage.AppendRounded(nil, v))
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || !json.Valid([]byte(text)) {
			t.Fatalf("%v is written as %s: %v", v, text, err)
		}
		if r := triage.Rounded(v); r != back {
			t.Errorf("Rounded(%v) = %v, the file holds %v", v, r, back)
		}
		if again := string(triage.AppendRounded(nil, triage.Rounded(v))); again != text {
			t.Errorf("%v is written as %s, and rounded before as %s", v, text, again)
		}
		if math.Abs(v) < 1e6 && math.Abs(back-v) > 0.5e-6+1e-9 {
			t.Errorf("%v is off by %v in a file", v, back-v)
		}
	})
	if !math.IsNaN(triage.Rounded(math.NaN())) {
		t.Error("NaN was rounded to a number")
	}
}

func TestFloatsThatAreNotFiniteBecomeNull(t *testing.T) {
	t.Parallel()
	for _, round := range []bool{false, true} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			e := triage.Encoder{Round: round}
			e.Float(v)
			if string(e.Buf) != "null" {
				t.Errorf("%v with Round %v is written as %s", v, round, e.Buf)
			}
		}
	}
}

func FuzzEncodeString(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\x7f", `"\`, "\u2028\u2029", "\xff\xc3", "é日🙂", "\xed\xa0\x80", "\r\n\t\b\f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var e triage.Encoder
		e.String(s)
		var got string
		if err := json.Unmarshal(e.Buf, &got); err != nil {
			t.Fatalf("%q is written as %s: %v", s, e.Buf, err)
		}
		if want := valid(s); got != want {
			t.Errorf("%q is read back as %q, want %q", s, got, want)
		}
		for _, b := range e.Buf {
			if b < 0x20 {
				t.Errorf("%q is written with a raw control character: %q", s, e.Buf)
			}
		}
	})
}

func FuzzDecodeObservation(f *testing.F) {
	for _, o := range []triage.Observation{
		{Queue: &triage.QueueObservation{Task: "queue-easy", Ticket: &triage.QueueTicket{ID: "TKT-1"}, LastResult: &triage.QueueResult{
			Parts: []triage.Part{{Name: "route", Value: 1, Weight: 0.4}}}}},
		{Desk: &triage.DeskObservation{TicketID: "TKT-2", SentimentScore: -0.5}},
		{Dataset: &triage.DatasetObservation{Fields: map[string]string{"a": "b"}, Labels: map[string][]string{"c": {"d"}}}},
	} {
		data, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		for i := range 3 {
			f.Add(uint8(i), data)
		}
	}
	f.Add(uint8(0), []byte("null"))
	f.Add(uint8(1), []byte("{"))
	f.Add(uint8(2), []byte(`{"fields":null,"labels":{"x":null}}`))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		track := []triage.Track{triage.Queue, triage.Desk, triage.Dataset}[which%3]
		first, err := triage.DecodeObservation(track, data)
		if err != nil {
			if d := cmp.Diff(triage.Observation{}, first); d != "" {
				t.Errorf("an error comes with an observation:\n%s", d)
			}
			return
		}
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := triage.DecodeObservation(track, again)
		if err != nil {
			t.Fatalf("%v in %s", err, again)
		}
		if d := cmp.Diff(first, second, asRead); d != "" {
			t.Errorf("decoded, encoded and decoded again (-first +second):\n%s", d)
		}
	})
}

func TestDecodeObservationRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		track triage.Track
		data  string
		want  string
	}{
		"an unknown track": {"nowhere", "{}", `decode observation: unknown track "nowhere"`},
		"a torn object":    {triage.Desk, `{"ticket_id":`, "decode observation: unexpected end of JSON input"},
	} {
		o, err := triage.DecodeObservation(tt.track, []byte(tt.data))
		if err == nil {
			t.Errorf("%s was decoded to %+v", name, o)
			continue
		}
		if d := cmp.Diff(tt.want, err.Error()); d != "" {
			t.Errorf("%s: message (-want +got):\n%s", name, d)
		}
	}
	if o, err := triage.DecodeObservation(triage.Queue, []byte(" null\n")); err != nil || o != (triage.Observation{}) {
		t.Errorf("null is decoded to %+v, error %v", o, err)
	}
}

func TestReasonsCompareByAllThatTheyHold(t *testing.T) {
	t.Parallel()
	var a, b triage.Score
	for text, into := range map[string]*triage.Score{"x": &a, "y": &b} {
		if err := json.Unmarshal([]byte(`{"parts":[{"why":"`+text+`"}]}`), into); err != nil {
			t.Fatal(err)
		}
	}
	if a.Parts[0].Why.Equal(b.Parts[0].Why) || !a.Parts[0].Why.Equal(a.Parts[0].Why) {
		t.Error("reasons that were read from a file do not compare by their text")
	}
}

func TestShortDecimalsAreThoseOfEncodingJSON(t *testing.T) {
	t.Parallel()
	for n := -1000; n < 150_000; n++ {
		for _, v := range []float64{float64(n) / 100, float64(n) / 1000, math.Nextafter(float64(n)/100, 1)} {
			var e triage.Encoder
			e.Float(v)
			want, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if string(e.Buf) != string(want) && v != 0 { // -0 is 0 here
				t.Fatalf("%v: %s, encoding/json has %s", v, e.Buf, want)
			}
		}
	}
}
