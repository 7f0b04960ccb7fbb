package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
)

func TestASettingThatAnEndpointRefusesIsLeftOutFromThenOn(t *testing.T) {
	t.Parallel()
	for name, r := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{}
				refused := 0
				e.reply = func(n int, _ map[string]any) answer {
					if v := e.field(n-1, r.field); v != "absent" && strings.Contains(v, r.value) {
						refused++
						return fails(400, r.body)
					}
					return well()
				}
				o := options(t, e)
				o.ReasoningEffort = "low"
				var heard llm.Learned
				o.OnLearn = func(l llm.Learned) { heard = l }
				c := client(t, o)
				for range 3 {
					if _, err := c.Complete(context.Background(), request()); err != nil {
						t.Fatal(err)
					}
				}
				notes := strings.Split(r.note, "\n")
				if refused != len(notes) {
					t.Errorf("refused %d times, want %d: once for each setting", refused, len(notes))
				}
				for field, want := range r.want {
					if got := e.field(e.calls()-1, field); got != want {
						t.Errorf("%s is %s on the wire, want %s", field, got, want)
					}
				}
				if diff := cmp.Diff(notes, c.Learned().Notes); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(c.Learned(), heard); diff != "" {
					t.Error(diff)
				}

				// A client that begins with what was learned makes the same request at once.
				last := e.bodies[e.calls()-1]
				o.Learned = heard
				if _, err := client(t, o).Complete(context.Background(), request()); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(last, e.bodies[e.calls()-1]); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestWhatIsRefusedIsLearnedOnceHoweverManyWorkersThereAre(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(_ int, body map[string]any) answer {
			if _, ok := body["temperature"]; ok {
				return fails(400, refusals["OpenAI temperature, lesson E75"].body)
			}
			return well()
		}}
		o := options(t, e)
		o.Limiter = limiter(t, 64)
		for i, err := range together(client(t, o), 64) {
			if err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		if n := e.calls(); n != 65 {
			t.Errorf("%d calls, want 64 and one refusal", n)
		}
	})
}

func TestAFormatThatWasAskedForIsNeverChanged(t *testing.T) {
	t.Parallel()
	for _, format := range []llm.Format{llm.FormatJSONSchema, llm.FormatJSONObject, llm.FormatTools} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer {
					return fails(400, `{"error":"this model does not support response_format or tools"}`)
				}}
				o := options(t, e)
				o.Format = format
				_, err := client(t, o).Complete(context.Background(), request())
				var failed *llm.Error
				if !errors.As(err, &failed) || failed.Kind != llm.KindRefused || failed.Fatal() || e.calls() != 1 {
					t.Fatalf("%v after %d calls, want one refusal that does not stop the run", err, e.calls())
				}
				if !strings.Contains(failed.Hint, "--response-format "+string(format)) {
					t.Errorf("hint %q does not name the format", failed.Hint)
				}
			})
		})
	}
}

// A value that is out of range is the user's to put right: the setting is not dropped in silence.
func TestAValueOutOfRangeIsAnErrorAndNotLearned(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"max_tokens too large":  openAIError("max_tokens is too large: 256. This model supports at most 128 completion tokens", "max_tokens", "invalid_value"),
		"temperature too large": openAIError("temperature: Input should be less than or equal to 1", "", ""),
		"effort":                openAIError("Unsupported value: 'reasoning_effort' does not support 'low' with this model. Supported values are: 'medium'.", "reasoning_effort", "unsupported_value"),
		"extra body":            openAIError("Unrecognized request argument supplied: top_k", "", ""),
		"context length":        openAIError("This model's maximum context length is 100 tokens. However, you requested 300 tokens (44 in the messages, 256 in the completion, max_tokens). Please reduce the length.", "messages", "context_length_exceeded"),
		"something else":        openAIError("messages: at least one message is required", "messages", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer { return fails(400, body) }}
				o := options(t, e)
				o.ReasoningEffort = "low"
				o.ExtraBody = map[string]json.RawMessage{"top_k": json.RawMessage("1")}
				c := client(t, o)
				if _, err := c.Complete(context.Background(), request()); err == nil || e.calls() != 1 {
					t.Fatalf("%v after %d calls, want one error", err, e.calls())
				}
				if diff := cmp.Diff(llm.Learned{}, c.Learned()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// lesson E73
func TestExtraBodyIsOnTheWireAndWins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, e)
		o.ExtraBody = map[string]json.RawMessage{"top_k": json.RawMessage("1"), "seed": json.RawMessage("9"), "max_completion_tokens": json.RawMessage("99")}
		o.Learned = llm.Learned{Drop: []string{"seed"}, Rename: map[string]string{"max_tokens": "max_completion_tokens"}}
		if _, err := client(t, o).Complete(context.Background(), request()); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, name := range []string{"top_k", "seed", "max_completion_tokens", "max_tokens"} {
			got[name] = e.field(0, name)
		}
		if diff := cmp.Diff(map[string]string{"top_k": "1", "seed": "9", "max_completion_tokens": "99", "max_tokens": "absent"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// lesson E76
func TestNoModelIsRefusedByItsNameOnThisSide(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-chat-latest", "gpt-5.1", "gpt-6-sol", "gpt-3.5-turbo-instruct", "davinci-002"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
				o := options(t, e)
				warm := 0.2
				o.Endpoint.Model, o.Temperature, o.Format = model, &warm, llm.FormatTools
				if _, err := client(t, o).Complete(context.Background(), request()); err != nil {
					t.Fatal(err)
				}
				if got := e.field(0, "temperature") + e.field(0, "model"); got != `0.2"`+model+`"` {
					t.Error(got)
				}
			})
		})
	}
}

func TestATextThatTheEndpointItselfFoundUnfitIsTheModelsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer {
			return fails(400, `{"error":{"message":"Failed to validate JSON. See 'failed_generation' for more details.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"I think it is billing"}}`)
		}}
		r, err := client(t, options(t, e)).Complete(context.Background(), request())
		if err != nil || r.Text != "I think it is billing" || r.Usage.Out.Known || e.calls() != 1 {
			t.Errorf("%+v, %v after %d calls", r, err, e.calls())
		}
	})
}

func TestAServerErrorIsNoRefusalUnlessItNamesTheFormat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		e.reply = func(_ int, body map[string]any) answer {
			if _, ok := body["response_format"]; ok {
				return answer{status: 500, header: http.Header{}, body: `{"error":{"message":"failed to parse grammar: unsupported json_schema","code":500}}`}
			}
			return well()
		}
		r, err := client(t, options(t, e)).Complete(context.Background(), request())
		if err != nil || r.Format != llm.FormatText || e.calls() != 3 {
			t.Errorf("%+v, %v after %d calls", r, err, e.calls())
		}
	})
}
