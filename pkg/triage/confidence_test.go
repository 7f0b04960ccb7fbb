package triage_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestAnActionMaySayHowSureItsAgentIs(t *testing.T) {
	t.Parallel()
	whole, fields := "a number from 0 to 1, or an object of such numbers by field", "a number from 0 to 1"
	for _, c := range []struct {
		name, data string
		track      triage.Track
		want       *triage.Confidence
		wrong      []triage.FieldError
	}{
		{name: "the whole answer", data: `{"confidence":0.8}`, want: triage.SureOf(0.8)},
		{name: "certain", data: `{"confidence":1}`, want: triage.SureOf(1)},
		{name: "minus nothing", data: `{"confidence":-0}`, want: triage.SureOf(0)},
		{name: "null", data: `{"confidence":null}`},
		{name: "by field", data: `{"confidence":{"route_category":0.9,"priority_score":null}}`, want: triage.SureOfFields(map[string]float64{"route_category": 0.9})},
		{name: "no field", data: `{"confidence":{}}`},
		{name: "by column", track: triage.Dataset, data: `{"confidence":{"queue":0.25}}`, want: triage.SureOfFields(map[string]float64{"queue": 0.25})},
		{name: "too high", data: `{"confidence":1.01}`, wrong: wrong("confidence", "1.01", whole, "out_of_range")},
		{name: "below nothing", data: `{"confidence":-0.1}`, wrong: wrong("confidence", "-0.1", whole, "out_of_range")},
		{name: "beyond every number", data: `{"confidence":1e999}`, wrong: wrong("confidence", "1e999", whole, "out_of_range")},
		{name: "a text", data: `{"confidence":"0.8"}`, wrong: wrong("confidence", `"0.8"`, whole, "wrong_type")},
		{name: "true", data: `{"confidence":true}`, wrong: wrong("confidence", "true", whole, "wrong_type")},
		{name: "a list", data: `{"confidence":[0.8]}`, wrong: wrong("confidence", "[0.8]", whole, "wrong_type")},
		{name: "a percentage of a field", data: `{"confidence":{"route_category":90}}`, wrong: wrong("confidence.route_category", "90", fields, "out_of_range")},
		{name: "a text of a field", data: `{"confidence":{"route_category":"x"}}`, wrong: wrong("confidence.route_category", `"x"`, fields, "wrong_type")},
		{name: "an unknown field", data: `{"confidence":{"category":0.5}}`, wrong: wrong("confidence.category", "0.5", queueFields, "unknown_field")},
		{name: "an unknown column", track: triage.Dataset, data: `{"confidence":{"x":0.5}}`, wrong: wrong("confidence.x", "0.5", "queue, team", "unknown_field")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			track := c.track
			if track == "" {
				track = triage.Queue
			}
			a, err := triage.ParseAction(track, []byte(c.data), labels)
			var got *triage.FieldErrors
			if errors.As(err, &got) != (c.wrong != nil) || got != nil && cmp.Diff(c.wrong, got.Fields) != "" {
				t.Fatalf("error %v, want %v", err, c.wrong)
			}
			if d := cmp.Diff(c.want, a.Confidence); d != "" {
				t.Fatalf("(-want +got):\n%s", d)
			}
			if c.wrong != nil {
				return
			}
			data, err := a.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			again, err := triage.ParseAction(track, data, labels)
			if d := cmp.Diff(a, again); d != "" || err != nil {
				t.Errorf("%s is read as another (-want +got), %v:\n%s", data, err, d)
			}
			if d := cmp.Diff(c.want, triage.LoggedConfidence(data)); d != "" {
				t.Errorf("from a log (-want +got):\n%s", d)
			}
		})
	}
}

func TestATypedConfidenceIsValidatedLikeOneThatWasRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		track triage.Track
		c     *triage.Confidence
		ok    bool
	}{
		{triage.Queue, nil, true}, {triage.Queue, triage.SureOf(0.5), true}, {triage.Desk, triage.SureOfFields(map[string]float64{"category": 1}), true},
		{triage.Dataset, triage.SureOfFields(map[string]float64{"team": 1}), true}, {triage.Queue, triage.SureOf(1.5), false}, {triage.Queue, triage.SureOf(-1), false},
		{triage.Desk, triage.SureOfFields(map[string]float64{"route_category": 1}), false}, {triage.Queue, triage.SureOfFields(map[string]float64{"route_category": 2}), false},
		{triage.Dataset, triage.SureOfFields(map[string]float64{"other": 1}), false},
	} {
		a := triage.Action{Track: c.track, Confidence: c.c}
		if err := a.Validate(c.track, labels); (err == nil) != c.ok {
			t.Errorf("%s %+v: %v", c.track, c.c, err)
		}
	}
}

func TestAColumnNamedConfidenceIsALabel(t *testing.T) {
	t.Parallel()
	a, err := triage.ParseAction(triage.Dataset, []byte(`{"confidence":"high"}`), map[string][]string{"confidence": {"high", "low"}})
	if err != nil {
		t.Fatal(err)
	}
	a.Confidence = triage.SureOf(0.5) // which cannot be said then
	data, err := a.MarshalJSON()
	if err != nil || string(data) != `{"confidence":"high"}` {
		t.Errorf("%s, %v", data, err)
	}
	if c := triage.LoggedConfidence(data); c != nil {
		t.Errorf("from a log: %+v", c)
	}
}

func TestHowSureAnAgentIsIsNoPartOfItsAnswer(t *testing.T) {
	t.Parallel()
	answer := func(a triage.Action) string {
		var e triage.Encoder
		e.Answer(&a)
		return string(e.Buf)
	}
	const bare = `{"route_category":"spam"}`
	typed := queueAction(triage.QueueAction{Route: triage.Spam})
	for name, a := range map[string]triage.Action{
		"none": typed, "whole": {Track: typed.Track, Queue: typed.Queue, Confidence: triage.SureOf(0.5)},
		"raw": {Raw: []byte(`{"route_category":"spam","confidence":{"route_category":0.5}}`)}, "raw without": {Raw: []byte(bare)},
	} {
		if got := answer(a); got != bare {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, raw := range []string{`{"confidence":"high"}`, `"confidence"`, `{"note":"confidence"}`} {
		if got := answer(triage.Action{Raw: []byte(raw)}); got != raw {
			t.Errorf("%s is %s", raw, got)
		}
	}
}

func TestAnAnswerIsAsSureAsItsLeastSureField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		c    *triage.Confidence
		want triage.Share
	}{{nil, triage.Share{}}, {&triage.Confidence{}, triage.Share{}}, {triage.SureOf(0.25), triage.ShareOf(0.25)},
		{triage.SureOfFields(map[string]float64{"a": 0.5, "b": 0.25, "c": 1}), triage.ShareOf(0.25)}} {
		if got := c.c.Least(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.c, got, c.want)
		}
	}
}
