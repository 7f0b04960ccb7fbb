package llm_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triagebench/triage/pkg/llm"
)

// listing is a network with a list of models and a reply of some model.
type listing struct{ list, model, reply string }

func (l listing) RoundTrip(r *http.Request) (*http.Response, error) {
	body := l.list
	if r.Method == http.MethodPost {
		if body = l.reply; body == "" {
			body = strings.Replace(says("OTTER: 1 2 3").body, `"m-1"`, `"`+l.model+`"`, 1)
		}
	}
	e := &endpoint{reply: func(int, map[string]any) answer { return answer{status: http.StatusOK, body: body} }}
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	return e.RoundTrip(r)
}

func TestTheModelIsLookedForInWhateverListThereIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ asked, list, replies, want string }{
		"OpenAI's list":             {"gpt-4.1", `{"object":"list","data":[{"id":"gpt-4.1","created":1.5}]}`, "gpt-4.1-2025-04-14", "ok: gpt-4.1 answers, and is listed"},
		"a bare list":               {"a/b", `[{"id":"a/b"}]`, "a/b", "ok: a/b answers, and is listed"},
		"a list of names":           {"m", `{"models":[{"name":"m"}]}`, "m", "ok: m answers, and is listed"},
		"a mark before the list":    {"m", "\ufeff" + `{"data":[{"id":"m"}]}`, "", "ok: m answers, and is listed"},
		"a folder in front":         {"gemini-2.5-flash", `{"data":[{"id":"models/gemini-2.5-flash"}]}`, "models/gemini-2.5-flash", "ok: gemini-2.5-flash answers, and is listed"},
		"a tag behind":              {"qwen3", `{"data":[{"id":"qwen3:latest"}]}`, "qwen3", "ok: qwen3 answers, and is listed"},
		"another one replies":       {"m", `{"data":[{"id":"m"}]}`, "n", "warn: m was asked for, and replies say that they are of n -> see whether that is the model you mean: --model n"},
		"a short number is another": {"claude-sonnet-5", `{"data":[{"id":"claude-sonnet-5-9"}]}`, "claude-sonnet-5-9", "warn: claude-sonnet-5 answers, but is not among the 1 model that"},
		"not in the list":           {"mistral-smal", `{"data":[{"id":"mistral-large"},{"id":"mistral-small"},{"id":"x"},{"id":"x"},{},7]}`, "", "warn: mistral-smal answers, but is not among the 3 models that the endpoint lists: another one may answer in its place -> did you mean mistral-small"},
		"no list":                   {"m", `{"detail":"Not Found"}`, "m", "ok: m answers; the endpoint lists no models"},
		"an empty list":             {"m", `{"data":[]}`, "m", "ok: m answers; the endpoint lists no models"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, nil)
			o.Endpoint.Model, o.Transport = c.asked, listing{list: c.list, model: c.replies}
			d, err := llm.Diagnose(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			checkDiagnosis(t, d, nil)
			if got := lines(d); !strings.Contains(got, "model: "+c.want) {
				t.Errorf("no %q in\n%s", c.want, got)
			}
		})
	}
}

func TestAModelThatThinksPastASmallLimitIsGivenMoreRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		e.reply = func(_ int, body map[string]any) answer {
			if n, ok := body["max_tokens"].(float64); ok && n < 100 {
				return fails(400, `{"error":{"message":"Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.","type":"invalid_request_error","param":null,"code":null}}`)
			}
			return says("OTTER: 1 2 3")
		}
		o := options(t, e)
		o.Transport = withBody{e}
		d, err := llm.Diagnose(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(d); !d.Usable() || !strings.Contains(got, "max_output_tokens: ok: max_tokens is accepted and obeyed: where it is used up by thoughts") || !strings.Contains(got, "system_role: ok") {
			t.Error(got)
		}
	})
}

// withBody gives requests without a body an empty one.
type withBody struct{ http.RoundTripper }

func (w withBody) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	return w.RoundTripper.RoundTrip(r)
}

// Whatever an endpoint answers, each check has a finding, and the calls are few.
func FuzzDiagnose(f *testing.F) {
	f.Add(200, well().body, `{"data":[{"id":"gpt-test"}]}`)
	f.Add(200, `{"choices":[{"message":{"content":null},"finish_reason":"length"}],"usage":null}`, `[]`)
	f.Add(404, `{"error":"model \"x\" not found"}`, `{"models":[{"name":"y"}]}`)
	f.Add(400, `{"error":{"message":"max_tokens is not supported"}}`, `{"data":7}`)
	f.Add(200, `<html>hello</html>`, `<html>`)
	f.Add(429, `{"error":{"message":"slow down"}}`, "")
	f.Fuzz(func(t *testing.T, status int, reply, list string) {
		if status < 100 || status > 599 {
			t.Skip()
		}
		synctest.Test(t, func(t *testing.T) {
			e := &endpoint{reply: func(_ int, body map[string]any) answer {
				if body == nil {
					return answer{status: http.StatusOK, body: list}
				}
				return answer{status: status, body: reply, after: time.Millisecond}
			}}
			o := options(t, nil)
			o.Transport = withBody{e}
			d, err := llm.Diagnose(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			checkDiagnosis(t, d, nil)
		})
	})
}

func TestTheDocumentationNamesEveryCheck(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "doctor.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range llm.Checks() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/doctor.md says nothing about %s", name)
		}
	}
	if want := "At most " + strconv.Itoa(llm.MostDoctorCalls) + " requests"; !strings.Contains(string(text), want) {
		t.Errorf("docs/doctor.md has no %q", want)
	}
}
