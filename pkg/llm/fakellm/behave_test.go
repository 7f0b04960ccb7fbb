package fakellm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

func TestNoiseDependsOnTheRequestAlone(t *testing.T) {
	t.Parallel()
	const script = "noise: {category: 0.3, urgency_days: 1}\nvalues: {category: [Bug, FeatureRequest, Question], urgency_days: [2, 5]}\nseed: 3\nform: {exact: 1, fenced: 1, prose: 2}"
	const n = 400
	play := func(s *fakellm.Server, order func(i int) int) []string {
		out := make([]string, n)
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := w; i < n; i += 8 {
					j := order(i)
					out[j] = post(t.Context(), s, chat(fmt.Sprint("ticket ", j))).body
				}
			})
		}
		wg.Wait()
		return out
	}
	forward := play(server(t, script, fakellm.Options{}), func(i int) int { return i })
	backward := play(server(t, script, fakellm.Options{}), func(i int) int { return n - 1 - i })
	other := play(server(t, strings.Replace(script, "seed: 3", "seed: 4", 1), fakellm.Options{}), func(i int) int { return i })
	wrong, fenced, differ := 0, 0, 0
	for i := range n {
		if forward[i] != backward[i] {
			t.Fatalf("ticket %d: %s and %s", i, forward[i], backward[i])
		}
		if !strings.Contains(forward[i], `\"category\":\"Bug\"`) {
			wrong++
		}
		if strings.Contains(forward[i], "```json") {
			fenced++
		}
		if !strings.Contains(forward[i], `\"urgency_days\":5`) || !strings.Contains(forward[i], `\"priority\":\"High\"`) {
			t.Errorf("ticket %d: %s", i, forward[i])
		}
		if forward[i] != other[i] {
			differ++
		}
	}
	if math.Abs(float64(wrong)/n-0.3) > 0.08 || math.Abs(float64(fenced)/n-0.25) > 0.08 || differ < n/3 {
		t.Errorf("of %d answers %d are wrong, %d fenced, %d others under another seed", n, wrong, fenced, differ)
	}
}

func TestRepeatsVaryOnlyWhereTheScriptSaysSo(t *testing.T) {
	t.Parallel()
	const script = "noise: {category: 0.5}\nvalues: {category: [Bug, Question]}\n"
	answers := func(script string) (differ bool) {
		s := server(t, script, fakellm.Options{})
		first := post(t.Context(), s, chat("a")).content(t)
		for range 20 {
			differ = differ || post(t.Context(), s, chat("a")).content(t) != first
		}
		return differ
	}
	if answers(script) {
		t.Error("the same request is answered in two ways")
	}
	if !answers(script + "vary: repeat") {
		t.Error("with vary: repeat 21 answers are the same")
	}
}

func TestTheRequestsSeedChangesTheDraw(t *testing.T) {
	t.Parallel()
	s := server(t, "noise: {category: 0.5}\nvalues: {category: [Bug, Question]}", fakellm.Options{})
	got := map[string]bool{}
	for seed := range 20 {
		got[post(t.Context(), s, chat("a", fmt.Sprintf(`"seed":%d`, seed))).content(t)] = true
	}
	if len(got) != 2 {
		t.Errorf("answers %v", got)
	}
}

func TestAtMostSoManyAreServedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server(t, "max_in_flight: 3\nlatency: 1s", fakellm.Options{})
		var wg sync.WaitGroup
		var mu sync.Mutex
		got := map[int]int{}
		for range 8 {
			wg.Go(func() {
				r := post(t.Context(), s, chat("a"))
				mu.Lock()
				got[r.status]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if got[200] < 3 || got[200]+got[429] != 8 || got[429] == 0 || s.MostInFlight() < 4 {
			t.Errorf("statuses %v, %d in flight", got, s.MostInFlight())
		}
	})
}

// lesson E97

func TestAnswersVaryByWhatIsInFlightWhereTheScriptSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server(t, "vary_by_in_flight: true\nlatency: 1s", fakellm.Options{Values: map[string][]string{"category": {`"Bug"`, `"Question"`}, "priority": {`"High"`, `"Low"`}}})
		alone := post(t.Context(), s, chat("a")).content(t)
		if again := post(t.Context(), s, chat("a")).content(t); alone != again || alone != right {
			t.Errorf("alone it answers %s, then %s", alone, again)
		}
		var wg sync.WaitGroup
		got := make([]string, 4)
		for i := range got {
			wg.Go(func() { got[i] = post(t.Context(), s, chat("a")).content(t) })
		}
		wg.Wait()
		others := 0
		for _, g := range got {
			if g != alone {
				others++
			}
		}
		if others != 3 {
			t.Errorf("together it answers %q", got)
		}
	})
}

func TestUsageIsToldInEveryWay(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]string{
		"right": `{"prompt_tokens":5,"completion_tokens":14,"total_tokens":19,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}`,
		"zeros": `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}`,
		"floats": `{"prompt_tokens":5.0,"completion_tokens":14.0,"total_tokens":19.0,"prompt_tokens_details":{"cached_tokens":0.0},` +
			`"completion_tokens_details":{"reasoning_tokens":0.0}}`,
		"null":    "null",
		"missing": "",
	} {
		c := post(t.Context(), server(t, "usage: "+usage, fakellm.Options{}), chat("a")).completion(t)
		if string(c.Usage) != want {
			t.Errorf("%s: %s", usage, c.Usage)
		}
	}
}

func TestTheLimitsOfTheRequestHold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, member, want, finish string }{
		"max tokens":         {"", `"max_tokens":3`, right[:12], "length"},
		"completion tokens":  {"", `"max_completion_tokens":3`, right[:12], "length"},
		"enough":             {"", `"max_tokens":300`, right, "stop"},
		"ignored max tokens": {"quirks: [ignore_max_tokens]", `"max_tokens":3`, right, "stop"},
		"stop":               {"", `"stop":["zzz",":"]`, `{"category"`, "stop"},
		"one stop":           {"", `"stop":":"`, `{"category"`, "stop"},
		"ignored stop":       {"quirks: [ignore_stop]", `"stop":":"`, right, "stop"},
		"all thoughts":       {"form: thinking_parts", `"max_tokens":3`, "", "length"},
		"tool call":          {"form: tool_call", `"max_tokens":3`, "", "length"},
	} {
		r := post(t.Context(), server(t, tt.script, fakellm.Options{}), chat("a", tt.member))
		if got := r.content(t); got != tt.want || r.completion(t).Choices[0].FinishReason != tt.finish {
			t.Errorf("%s: %q, %s", name, got, r.body)
		}
	}
}

func TestWhatIsNotKnownIsGuessedInTheAskedForm(t *testing.T) {
	t.Parallel()
	withSchema := `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":` + schema + `}}`
	for name, tt := range map[string]struct{ script, member, want string }{
		"text":           {"", `"n":1`, "I do not know this one."},
		"object":         {"", `"response_format":{"type":"json_object"}`, `{"answer":"I do not know this one."}`},
		"fallback":       {"fallback: '{}'", withSchema, "{}"},
		"schema ignored": {"quirks: [ignore_response_format]", withSchema, "I do not know this one."}, // lesson A17
		"schema":         {"", withSchema, ""},
	} {
		script, err := fakellm.ParseScript([]byte(tt.script), "s.yaml")
		if err != nil {
			t.Fatal(err)
		}
		s := fakellm.New(script, nil, fakellm.Options{})
		got := post(t.Context(), s, chat("a", tt.member)).content(t)
		if tt.want == "" {
			var o struct {
				Category string `json:"category"`
				Days     int    `json:"urgency_days"`
			}
			if json.Unmarshal([]byte(got), &o) != nil || !strings.Contains(schema, `"`+o.Category+`"`) || o.Days < 1 || o.Days > 7 {
				t.Errorf("%s: %s", name, got)
			}
		} else if got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
		if s.Unknown() != 1 || s.Seen()[0].Known {
			t.Errorf("%s: %d unknown", name, s.Unknown())
		}
	}
}

func TestTheFormatThatIsAskedForIsObeyed(t *testing.T) {
	t.Parallel()
	object := `"response_format":{"type":"json_object"}`
	tool := `"tools":[{"type":"function","function":{"name":"triage","parameters":{"type":"object"}}}]`
	for name, tt := range map[string]struct{ script, member, want string }{
		"a form is a form":     {"form: fenced", object, "```json"},
		"enforced":             {"form: fenced\nquirks: [enforce_response_format]", object, `"content":"{`},
		"enforced, no format":  {"form: fenced\nquirks: [enforce_response_format]", `"n":1`, "```json"},
		"enforced, unreadable": {"form: budget\nquirks: [enforce_response_format]", object, `"content":""`},
		"tools":                {"", tool, `"name":"triage","arguments":"{\"category\"`},
		"tools not to be used": {"", tool + `,"tool_choice":"none"`, `"content":"{`},
		"tools in text":        {"quirks: [tools_in_text]", tool, `"content":"{`},
		"created":              {"quirks: [odd_created]", object, `"created":1735689600.5,`},
	} {
		if r := post(t.Context(), server(t, tt.script, fakellm.Options{}), chat("a", tt.member)); !strings.Contains(r.body, tt.want) {
			t.Errorf("%s: %s, want %s", name, r.body, tt.want)
		}
	}
}

func TestAnswersComeInTurnAndByModel(t *testing.T) {
	t.Parallel()
	s := server(t, "answers: ['1', '2']\nfingerprint: ''\nby_model:\n  other: {answers: {fixed: '9'}, fingerprint: fp_other, bom: true}", fakellm.Options{})
	var got []string
	for range 3 {
		got = append(got, post(t.Context(), s, chat("a")).content(t))
	}
	if strings.Join(got, " ") != "1 2 1" {
		t.Errorf("answers %v", got)
	}
	r := post(t.Context(), s, strings.Replace(chat("a"), `"m"`, `"other"`, 1))
	body, ok := strings.CutPrefix(r.body, "\uFEFF")
	r.body = body
	if c := r.completion(t); !ok || r.content(t) != "9" || c.Model != "other" || *c.SystemFingerprint != "fp_other" {
		t.Errorf("the other model answers %s", r.body)
	}
}

func TestTheAnswererSeesWhatIsAsked(t *testing.T) {
	t.Parallel()
	var got fakellm.Ask
	script, err := fakellm.ParseScript(nil, "s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := fakellm.New(script, func(a fakellm.Ask) (string, bool) { got = a; return "{}", true }, fakellm.Options{})
	post(t.Context(), s, `{"model":"m","messages":[{"role":"system","content":"be \"brief\"\n\u00e9"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":null}],
		"seed":-5,"temperature":0,"max_completion_tokens":7,"stop":["x"],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":`+schema+`}}}`)
	if fmt.Sprint(got.Messages) != "[{system be \"brief\"\né} {user a\nb} {assistant }]" || *got.Seed != -5 || *got.Temperature != 0 || got.MaxTokens != 7 || got.Stop[0] != "x" ||
		got.Format != "json_schema" || string(got.Schema) != schema || fmt.Sprint(got.Fields()) != "[category urgency_days]" || got.Path != "/v1/chat/completions" {
		t.Errorf("asked %+v", got)
	}
}
