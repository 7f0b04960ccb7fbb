package reply_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/reply"
)

func TestAReplyMaySayHowSureTheModelIs(t *testing.T) {
	t.Parallel()
	shape := queue
	shape.Confidence = "confidence"
	for text, c := range map[string]struct {
		sure    string
		coerced []string
	}{
		`{"score":1}`:                          {},
		`{"score":1,"confidence":0.8}`:         {sure: "0.8"},
		`{"score":1,"Confidence":1}`:           {sure: "1"},
		`{"score":1,"confidence":"90%"}`:       {"0.9", []string{`confidence: "90%" as 0.9`}},
		`{"score":1,"confidence":90}`:          {coerced: []string{"confidence: 90 left out, as it is no number from 0 to 1"}},
		`{"score":1,"confidence":"high"}`:      {coerced: []string{`confidence: high left out, as it is no number from 0 to 1`}},
		`{"score":1,"confidence":null}`:        {},
		`{"score":1,"confidence":[0.5]}`:       {coerced: []string{"confidence: [0.5] left out, as it is no number from 0 to 1"}},
		`{"score":1,"confidence":{"score":0}}`: {sure: `{"score":0}`},
		`{"score":1,"confidence":{"score":0.5,"x":1,"level":2}}`: {`{"score":0.5}`,
			[]string{`dropped field "x"`, "confidence.level: 2 left out, as it is no number from 0 to 1"}},
		`{"answer":{"score":1},"confidence":0.5}`: {"0.5", []string{`taken out of "answer"`}},
	} {
		got := reply.Read(reply.Input{Text: text, Finish: "stop"}, shape)
		if string(got.Action) != `{"score":1}` || string(got.Confidence) != c.sure {
			t.Errorf("%s gives %s, sure %q, want %q", text, got.Action, got.Confidence, c.sure)
		}
		if d := cmp.Diff(c.coerced, got.Coerced); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
	if got := reply.Read(reply.Input{Text: `{"confidence":0.5}`, Finish: "stop"}, shape); got.Action != nil {
		t.Errorf("a confidence alone is the answer %s", got.Action)
	}
	shape.Fields = append([]reply.Field{{Name: "confidence", Kind: reply.Enum, Allowed: []string{"high"}}}, shape.Fields...)
	if got := reply.Read(reply.Input{Text: `{"confidence":"high"}`, Finish: "stop"}, shape); string(got.Action) != `{"confidence":"high"}` || got.Confidence != nil {
		t.Errorf("a field of that name gives %s, sure %q", got.Action, got.Confidence)
	}
}
