package wire_test

import (
	"net/http"
	"testing"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// A header may hold a plain word or number. Taken out of replies and bodies it would make others of them.
func TestPlainWordsAndNumbersAreNoSecrets(t *testing.T) {
	t.Parallel()
	const body = `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1050},"team":"support","medium":"technical"}`
	r := wire.NewRedactor("choices", "stop", "1050", "medium", "technical", "support", "20261129")
	if got := r.String(body); got != body {
		t.Errorf("it became %s", got)
	}
}

func TestAbsurdCountsAreUnknown(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"1000000000001", "9000000000000000000", "-5", "1e300"} {
		u := wire.ParseUsage([]byte(`{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":` + n + `,"completion_tokens":5}}`))
		if u.In.Known || !u.Out.Known || u.Out.N != 5 {
			t.Errorf("%s: %+v", n, u)
		}
	}
}

// lesson D51, D56: a gateway chooses the model by a header, so that an answer belongs to it; another key is no other question.
func TestAnAnswerIsKeptUnderTheHeadersThatTheUserHasSet(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, h := range map[string]http.Header{
		"none": nil, "a key": {"Authorization": {"Bearer a"}}, "another key": {"Authorization": {"Bearer b"}},
		"route a": {"X-Route": {"a"}}, "route b": {"X-Route": {"b"}}, "both": {"X-Route": {"a", "b"}}, "route a and a key": {"X-Route": {"a"}, "Api-Key": {"k"}},
	} {
		seen[name] = wire.Vary(h)
	}
	for _, same := range [][2]string{{"none", "a key"}, {"a key", "another key"}, {"route a", "route a and a key"}} {
		if seen[same[0]] != seen[same[1]] {
			t.Errorf("%s and %s differ: %v", same[0], same[1], seen)
		}
	}
	for _, other := range [][2]string{{"none", "route a"}, {"route a", "route b"}, {"route a", "both"}, {"route b", "both"}} {
		if seen[other[0]] == seen[other[1]] {
			t.Errorf("%s and %s are the same: %v", other[0], other[1], seen)
		}
	}
}
