package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// heard is what the client library reads in a success.
type heard struct {
	Text, Refusal, Reasoning, Finish string
	Tools                            []string // name(arguments)
	Created                          int64
	Usage                            wire.Usage
	Same                             bool // the bytes went through as they were
	Kept                             bool // the answer went into the store
}

func known(n int64) wire.Count { return wire.Count{N: n, Known: true} }

func TestEverySuccessIsReadByTheClientLibrary(t *testing.T) {
	t.Parallel()
	in, out := known(10), known(5)
	msg := func(m string) string { return `{"choices":[{"message":` + m + `,"finish_reason":"stop"}]}` }
	usage := func(u string) string {
		return `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":` + u + `}`
	}
	rows := []struct {
		name, body string
		want       heard
	}{
		{"as OpenAI has it", `{"id":"c1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":2}},"service_tier":"default","system_fingerprint":"fp"}`,
			heard{Text: "hi", Finish: "stop", Created: 1700000000, Usage: wire.Usage{In: in, Out: out, Cached: known(4), Reasoning: known(2)}, Same: true, Kept: true}},
		{"as vLLM has it", `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[],"reasoning_content":null},"stop_reason":null,"finish_reason":"length"}],"usage":null,"prompt_logprobs":null}`,
			heard{Text: "hi", Finish: "length", Kept: true}},
		{"unknown members", msg(`{"role":"assistant","content":"hi","x":{"y":[1]}}`), heard{Text: "hi", Finish: "stop", Same: true, Kept: true}},
		{"BOM", "\ufeff" + msg(`{"role":"assistant","content":"hi"}`), heard{Text: "hi", Finish: "stop", Kept: true}},
		{"names in capitals", `{"Choices":5,"choices":[{"message":{"content":"hi","Content":7},"finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Kept: true}},
		{"name twice", `{"choices":3,"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Kept: true}},
		{"MultiContent", msg(`{"content":"hi","MultiContent":"x"}`), heard{Text: "hi", Finish: "stop", Kept: true}},
		// lesson E87
		{"reasoning", msg(`{"content":null,"reasoning":"hmm"}`), heard{Reasoning: "hmm", Finish: "stop", Kept: true}},
		{"reasoning_content", msg(`{"content":"hi","reasoning_content":"hmm"}`), heard{Text: "hi", Reasoning: "hmm", Finish: "stop", Same: true, Kept: true}},
		{"both, one empty", msg(`{"content":"hi","reasoning_content":"","reasoning":"hmm"}`), heard{Text: "hi", Reasoning: "hmm", Finish: "stop", Kept: true}},
		{"reasoning details", msg(`{"content":"hi","reasoning":null,"reasoning_details":[{"type":"reasoning.text","text":"h"},{"type":"reasoning.summary","summary":"mm"}]}`), heard{Text: "hi", Reasoning: "hmm", Finish: "stop", Kept: true}},
		{"thinking parts", msg(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},{"type":"text","text":"b"}]}`), heard{Text: "ab", Reasoning: "hm", Finish: "stop", Kept: true}},
		{"parts that are strings", msg(`{"content":["a",{"type":"output_text","text":"b"}]}`), heard{Text: "ab", Finish: "stop", Kept: true}},
		{"refusal part", msg(`{"content":[{"type":"refusal","refusal":"no"}]}`), heard{Refusal: "no", Finish: "stop", Kept: true}},
		{"content is a part", msg(`{"content":{"type":"text","text":"hi"}}`), heard{Text: "hi", Finish: "stop", Kept: true}},
		{"content is the answer", msg(`{"content":{"category": "billing"}}`), heard{Text: `{"category":"billing"}`, Finish: "stop", Kept: true}},
		{"content is the answer with a type", msg(`{"content":{"type":"bug","text":"a","priority":1}}`), heard{Text: `{"type":"bug","text":"a","priority":1}`, Finish: "stop", Kept: true}},
		{"content is a list", msg(`{"content":[1,{"a":"<b>"}]}`), heard{Text: `[1,{"a":"<b>"}]`, Finish: "stop", Kept: true}},
		{"content is a list with types", msg(`{"content":[{"type":"bug","text":"a"}]}`), heard{Text: `[{"type":"bug","text":"a"}]`, Finish: "stop", Kept: true}},
		{"content is an empty list", msg(`{"content":[ ]}`), heard{Finish: "stop", Kept: true}},
		{"content is an empty object", msg(`{"content":{}}`), heard{Text: "{}", Finish: "stop", Kept: true}},
		{"content has a type of its own", msg(`{"content":{"type":"bug","priority":1}}`), heard{Text: `{"type":"bug","priority":1}`, Finish: "stop", Kept: true}},
		{"a part of another type", msg(`{"content":[{"type":"tool_use","input":{}},{"type":"text","text":"hi"}]}`), heard{Text: "hi", Finish: "stop", Kept: true}},
		{"content is a number", msg(`{"content":7}`), heard{Text: "7", Finish: "stop", Kept: true}},
		{"content null", msg(`{"content":null}`), heard{Finish: "stop", Same: true, Kept: true}},
		{"refusal", msg(`{"content":null,"refusal":"no"}`), heard{Refusal: "no", Finish: "stop", Same: true, Kept: true}},
		{"filter", `{"choices":[{"message":{"content":null},"finish_reason":"content_filter","content_filter_results":{"hate":"odd"}}]}`, heard{Finish: "content_filter", Kept: true}},
		{"odd logprobs", `{"choices":[{"message":{"content":"hi"},"logprobs":{"content":"odd"},"finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Kept: true}},
		{"a text completion", `{"choices":[{"text":"hi","finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Kept: true}},
		// lesson E89
		{"arguments string", msg(`{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`), heard{Tools: []string{`f({"a":1})`}, Finish: "stop", Kept: true}},
		{"arguments object", msg(`{"tool_calls":[{"id":7,"function":{"name":"f","arguments":{"a": 1}}}]}`), heard{Tools: []string{`f({"a":1})`}, Finish: "stop", Kept: true}},
		{"arguments null", msg(`{"tool_calls":[{"function":{"name":"f","arguments":null}},5]}`), heard{Tools: []string{`f()`}, Finish: "stop", Kept: true}},
		{"one call and no list", msg(`{"tool_calls":{"name":"f","arguments":"{}"}}`), heard{Tools: []string{`f({})`}, Finish: "stop", Kept: true}},
		{"function_call", msg(`{"function_call":{"name":"f","arguments":{"a":1}}}`), heard{Tools: []string{`f({"a":1})`}, Finish: "stop", Kept: true}},
		{"created float", `{"created":1700000000.7,"choices":[{"index":0.0,"message":{"content":"hi"},"finish_reason":"stop"}]}`, heard{Text: "hi", Created: 1700000001, Finish: "stop", Kept: true}},
		{"created string", `{"created":"1700000000","id":5,"model":null,"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, heard{Text: "hi", Created: 1700000000, Finish: "stop", Kept: true}},
		{"created date", `{"created":"2026-01-01","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Kept: true}},
		{"no finish_reason", `{"choices":[{"message":{"content":"hi"}}]}`, heard{Text: "hi", Same: true}},
		{"finish_reason null", `{"choices":[{"message":{"content":"hi"},"finish_reason":null}]}`, heard{Text: "hi", Same: true}},
		{"finish_reason is no text", `{"choices":[{"message":{"content":"hi"},"finish_reason":{"type":"stop"}}]}`, heard{Text: "hi"}},
		{"error null", `{"error":null,"choices":[{"error":null,"message":{"content":"hi"},"finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Same: true, Kept: true}},
		{"error empty", `{"error":{},"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, heard{Text: "hi", Finish: "stop", Kept: true}},
		// lesson E94
		{"usage floats", usage(`{"prompt_tokens":10.0,"completion_tokens":"5","total_tokens":1.5e1}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in, Out: out}, Kept: true}},
		{"usage null", usage(`null`), heard{Text: "hi", Finish: "stop", Same: true, Kept: true}},
		{"usage zeros", usage(`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"prompt_tokens_details":{"cached_tokens":0}}`), heard{Text: "hi", Finish: "stop", Same: true, Kept: true}},
		{"usage in part", usage(`{"prompt_tokens":10}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in}, Same: true, Kept: true}},
		{"usage of no output", usage(`{"prompt_tokens":10,"completion_tokens":0}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in}, Same: true, Kept: true}},
		{"usage negative", usage(`{"prompt_tokens":-1,"completion_tokens":5}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{Out: out}, Kept: true}},
		{"usage of another make", usage(`{"input_tokens":10,"output_tokens":5}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in, Out: out}, Same: true, Kept: true}},
		{"usage with a cache hit", usage(`{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":8}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in, Out: out, Cached: known(8)}, Same: true, Kept: true}},
		{"usage with reasoning beside", usage(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45,"completion_tokens_details":{"reasoning_tokens":30}}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in, Out: known(35), Reasoning: known(30)}, Same: true, Kept: true}},
		{"usage with reasoning in the total only", usage(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45}`), heard{Text: "hi", Finish: "stop", Usage: wire.Usage{In: in, Out: known(35), Reasoning: known(30)}, Same: true, Kept: true}},
		{"usage is a list", usage(`[1]`), heard{Text: "hi", Finish: "stop", Kept: true}},
		{"all spent on reasoning", `{"choices":[{"message":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":5}}}`, heard{Finish: "length", Usage: wire.Usage{In: in, Out: out, Reasoning: known(5)}, Same: true, Kept: true}}, // lesson A18
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			store, call := &memory{}, &wire.Call{}
			// A success other than 200 is one too.
			res, err := ask(t, &wire.Transport{Base: says(201, "application/json", r.body), Store: store}, call)
			if err != nil {
				t.Fatal(err)
			}
			c := res.Choices[0]
			got := heard{
				Text: c.Message.Content, Refusal: c.Message.Refusal, Reasoning: c.Message.ReasoningContent, Finish: string(c.FinishReason), Created: res.Created,
				Usage: wire.ParseUsage(call.Exchange.Normal), Same: string(call.Exchange.Normal) == r.body, Kept: len(store.kept) == 1,
			}
			for _, tool := range c.Message.ToolCalls {
				got.Tools = append(got.Tools, tool.Function.Name+"("+tool.Function.Arguments+")")
			}
			if f := c.Message.FunctionCall; f != nil {
				got.Tools = append(got.Tools, f.Name+"("+f.Arguments+")")
			}
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Error(diff)
			}
			if len(c.Message.MultiContent) > 0 {
				t.Error("content came as parts")
			}
			again := &wire.Call{}
			hit, err := ask(t, &wire.Transport{Base: says(500, "", ""), Store: store}, again)
			if r.want.Kept && (err != nil || !again.Exchange.Kept || again.Exchange.Status != 200 || cmp.Diff(res.Choices, hit.Choices) != "") {
				t.Errorf("the kept answer is read otherwise: %v, %+v", err, hit.Choices)
			}
		})
	}
}
