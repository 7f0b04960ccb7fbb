package wire_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// hostileAnswer is an answer of about a megabyte of which a careless transport makes much work.
type hostileAnswer struct {
	status      int
	contentType string
	body        string
}

// hostile are answers of about n bytes.
func hostile(n int) map[string]hostileAnswer {
	times := func(s string) string { return strings.Repeat(s, n/len(s)) }
	list := func(s string) string { return "[" + times(s+",") + s + "]" }
	deep := func(open, closed string) string {
		k := min(n/(len(open)+len(closed)), 9_000/strings.Count(open, open[:1])) // encoding/json reads 10,000 levels
		return strings.Repeat(open, k) + "1" + strings.Repeat(closed, k)
	}
	message := func(m string) string {
		return `{"id":"x","choices":[{"index":0,"message":` + m + `,"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	}
	out := map[string]hostileAnswer{}
	for name, body := range map[string]string{
		"content":                message(`{"role":"assistant","content":"` + times("a") + `"}`),
		"content of escapes":     message(`{"role":"assistant","content":"` + times(`\u00e9`) + `"}`),
		"content of <":           message(`{"role":"assistant","content":["` + times(`<&>`) + `"]}`),
		"content parts":          message(`{"content":` + list(`{"type":"text","text":"a"}`) + `}`),
		"as many as are read":    message(`{"content":[` + strings.Repeat(`{"type":"text","text":"`+strings.Repeat("a", n/10_000)+`"},`, 9_999) + `"a"]}`),
		"content of strings":     message(`{"content":` + list(`"a"`) + `}`),
		"content of numbers":     message(`{"content":` + list(`1`) + `}`),
		"thinking parts":         message(`{"content":` + list(`{"type":"thinking","thinking":[{"type":"text","text":"a"}]}`) + `}`),
		"parts of other kinds":   message(`{"content":` + list(`{"type":"image"}`) + `}`),
		"content object":         message(`{"content":{` + times(`"a":1,`) + `"b":2}}`),
		"content of objects":     message(`{"content":` + list(`{"a":{"b":1}}`) + `}`),
		"nested content":         message(`{"content":` + deep("[", "]") + `}`),
		"nested objects":         message(`{"content":` + deep(`{"a":`, "}") + `}`),
		"arguments object":       message(`{"tool_calls":[{"function":{"name":"f","arguments":{` + times(`"a":1,`) + `"b":2}}}]}`),
		"arguments of escapes":   message(`{"tool_calls":[{"function":{"name":"f","arguments":"` + times(`\"`) + `"}}]}`),
		"tool calls":             message(`{"tool_calls":` + list(`{"id":"1","function":{"name":"f","arguments":{}}}`) + `}`),
		"a call's own members":   message(`{"tool_calls":{` + times(`"a":{},`) + `"b":2}}`),
		"reasoning":              message(`{"content":null,"reasoning":"` + times(`a\n`) + `"}`),
		"reasoning details":      message(`{"content":null,"reasoning_details":` + list(`{"type":"reasoning.text","text":"a"}`) + `}`),
		"nested reasoning":       message(`{"content":null,"reasoning_details":` + deep(`{"content":`, "}") + `}`),
		"members of a message":   message(`{` + times(`"a":1,`) + `"content":"x"}`),
		"the same member":        message(`{` + times(`"content":"x",`) + `"content":"y"}`),
		"names of escapes":       message(`{"` + times(`\u0061`) + `":1,"content":"x"}`),
		"choices":                `{"choices":` + list(`{"index":0,"message":{"content":"a"},"finish_reason":"stop"}`) + `}`,
		"choices of parts":       `{"choices":` + list(`{"message":{"content":["a"]}}`) + `}`,
		"empty choices":          `{"choices":` + list(`{}`) + `}`,
		"choices, nested":        `{"choices":` + deep("[", "]") + `}`,
		"members":                `{` + times(`"a":1,`) + `"choices":[{"message":{"content":["a"]}}]}`,
		"usage":                  `{"usage":{` + times(`"a":1,`) + `"prompt_tokens":1},"choices":[{"message":{"content":["a"]}}]}`,
		"a usage of digits":      `{"usage":{"prompt_tokens":` + times(`1`) + `},"choices":[{"message":{"content":["a"]}}]}`,
		"an index of digits":     `{"choices":[{"index":` + times(`9`) + `,"message":{"content":"a"}}]}`,
		"created of an exponent": `{"created":1e` + times(`9`) + `,"choices":[{"message":{"content":"a"}}]}`,
		"white space":            `{` + times(" \n") + `"choices":[{"message":{"content":["a"]}}]}`,
		"an error":               `{"error":{"message":"` + times("a ") + `"}}`,
		"an error of members":    `{"error":{` + times(`"a":1,`) + `"message":"x"}}`,
		"an error of metadata":   `{"error":{"message":"x","metadata":{"raw":"` + times(`{\"error\":`) + `"}}}`,
		"a nested error":         `{"error":` + deep(`{"error":`, "}") + `}`,
		"details":                `{"detail":` + list(`{"loc":["a"],"msg":"m"}`) + `}`,
		"errors":                 list(`{"error":{"message":"a"}}`),
		"quota details":          `{"error":{"message":"x","details":` + list(`{"@type":"t","violations":[{"quotaId":"q"}]}`) + `}}`,
		"quotes":                 times(`"`),
		"backslashes":            `"` + times(`\\`),
		"braces":                 times("{"),
		"brackets":               times("["),
		"half an answer":         message(`{"content":"` + times("a") + `"}`)[:n],
		"nothing but space":      times(" "),
		"NUL":                    times("\x00"),
		"no text":                times("\xff"),
		"events":                 times("data: {\"choices\":[]}\n\n"),
	} {
		out[name] = hostileAnswer{http.StatusOK, "application/json", body}
		out[name+", refused"] = hostileAnswer{http.StatusBadRequest, "application/json", body}
	}
	for name, body := range map[string]string{
		"tags": times("<a>"), "open tags": times("<"), "scripts": times("<script>"), "comments": times("<!--"), "entities": times("&amp;"), "unended entities": times("&"),
		"words": "<p>" + times("a ") + "</p>", "a title": "<title>" + times("a"), "styles": times("<style>x</style>"), "attributes": "<a " + times(`b="c" `),
	} {
		out["page of "+name] = hostileAnswer{http.StatusBadGateway, "text/html", "<html>" + body}
	}
	return out
}

// BenchmarkNormalise reads answers of a megabyte; what a second is spent on in a test would be a way to stop a run.
func BenchmarkNormalise(b *testing.B) {
	for name, a := range hostile(1 << 20) {
		body := []byte(a.body)
		b.Run(strings.ReplaceAll(name, "/", "|"), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				wire.Normalise(a.status, a.contentType, body)
			}
		})
	}
}

// TestALongAnswerOfAnyMakeIsReadOrRefused: none ends in a panic, and none grows.
func TestALongAnswerOfAnyMakeIsReadOrRefused(t *testing.T) {
	t.Parallel()
	for name, a := range hostile(1 << 14) {
		status, body := wire.Normalise(a.status, a.contentType, []byte(a.body))
		if status != http.StatusOK && (status < 400 || status > 599 || wire.ErrorInfo(body).Message == "") {
			t.Errorf("%s: status %d, %.200q", name, status, body)
		}
		if len(body) > 8*len(a.body)+1000 {
			t.Errorf("%s: %d bytes became %d", name, len(a.body), len(body))
		}
	}
}

// TestATextEndsAtItsQuoteHoweverManyAreEscaped: quotes and backslashes in every order, about where the scanner changes its way.
func TestATextEndsAtItsQuoteHoweverManyAreEscaped(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 400 {
		var want strings.Builder
		for range n {
			want.WriteByte(`"\\\a`[rnd.IntN(5)])
		}
		quoted, err := json.Marshal(want.String())
		if err != nil {
			t.Fatal(err)
		}
		_, normal := wire.Normalise(http.StatusOK, "application/json", fmt.Appendf(nil, `{"choices":[{"message":{"content":[%s]}}]}`, quoted))
		if got := textIn(t, normal); got != want.String() {
			t.Fatalf("%d characters: %q became %q", n, want.String(), got)
		}
	}
}

func TestAnErrorOfWhiteSpaceAloneIsDescribed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`" "`:                        "status 200 OK: the answer is no JSON object: \" \"",
		`{"error":" "}`:              `status 200 OK: no choice with a message in the answer: {"error":" "}`,
		`{"error":{"message":"\n"}}`: `status 200 OK: no choice with a message in the answer: {"error":{"message":"\n"}}`,
		`{"choices":[{"error":{"message":"\t"}}]}`: "the answer ended in an error that the endpoint does not name",
	} {
		if status, normal := wire.Normalise(http.StatusOK, "application/json", []byte(body)); status != http.StatusBadGateway || wire.ErrorInfo(normal).Message != want {
			t.Errorf("%s became %s with status %d, want %q", body, normal, status, want)
		}
	}
}
