package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const statusOverloaded = 529 // as Anthropic has it

// Failure is what an answer says about an error. Empty: it does not say.
type Failure struct{ Message, Type, Code, Param string }

// ErrorInfo reads the failure of an answer as [Normalise] gives it; the zero Failure where it holds none.
func ErrorInfo(normal []byte) Failure {
	m := members(members(normal)["error"])
	return Failure{Message: textOf(m["message"]), Type: textOf(m["type"]), Code: textOf(m["code"]), Param: textOf(m["param"])}
}

// json gives the failure in OpenAI's form.
func (f Failure) json() []byte {
	var param *string
	if f.Param != "" {
		param = &f.Param
	}
	return encode(map[string]any{"error": map[string]any{"message": f.Message, "type": f.Type, "code": f.Code, "param": param}})
}

// or fills in what is not said. White space says nothing.
func (f Failure) or(g Failure) Failure {
	pick := func(a, b string) string {
		if strings.TrimSpace(a) != "" {
			return a
		}
		return b
	}
	return Failure{
		Message: pick(f.Message, g.Message), Type: pick(f.Type, g.Type),
		Code: pick(f.Code, g.Code), Param: pick(f.Param, g.Param),
	}
}

// failed makes a failure of an answer that is no success.
func failed(status int, contentType string, body []byte) answer {
	f, found := Failure{}, false
	if json.Valid(body) {
		f, found = readFailure(body, 6)
	}
	came, inner := status, innerStatus(f)
	switch {
	case status >= 400 && status <= 599:
	case status/100 == 3:
		status, f = http.StatusNotFound, Failure{Message: "the endpoint redirects: check the base URL", Type: "redirect", Code: "redirect"}
		found = true
	case found && inner != 0:
		status = inner
	default:
		status = http.StatusBadGateway
	}
	if !found || strings.TrimSpace(f.Message) == "" {
		f = f.or(shapeless(came, contentType, body))
	}
	return answer{status: status, body: f.json()}
}

// choiceFailed makes a failure of the error in a choice.
func choiceFailed(raw json.RawMessage) answer {
	f, _ := readFailure(raw, 6)
	status := innerStatus(f)
	if status == 0 {
		status = http.StatusBadGateway
	}
	f = f.or(Failure{Message: "the answer ended in an error that the endpoint does not name", Type: "choice_error"})
	return answer{status: status, body: f.json()}
}

// readFailure finds the error in a JSON value, and tells whether there is one.
func readFailure(raw json.RawMessage, depth int) (Failure, bool) {
	if depth == 0 || !filled(raw) {
		return Failure{}, false
	}
	if s, ok := asString(raw); ok {
		return Failure{Message: s}, true
	}
	for _, e := range elements(raw) {
		if f, ok := readFailure(e, depth-1); ok {
			return f, true
		}
	}
	m := members(raw)
	if m == nil {
		return Failure{}, false
	}
	own := ownFailure(m)
	for _, name := range []string{"error", "errors"} {
		if f, ok := readFailure(m[name], depth-1); ok {
			if own.Type == "error" {
				own.Type = ""
			}
			return f.or(own), true
		}
	}
	if filled(m["detail"]) {
		return readDetail(m["detail"], depth-1).or(own), true
	}
	return own, own.Message != "" || own.Code != "" || textOf(m["object"]) == "error"
}

// ownFailure reads the members of an error object itself.
func ownFailure(m map[string]json.RawMessage) Failure {
	pick := func(names ...string) string {
		for _, name := range names {
			if filled(m[name]) {
				return textOf(m[name])
			}
		}
		return ""
	}
	f := Failure{
		Message: pick("message", "msg", "error_message", "error_msg", "title"),
		Type:    pick("type", "error_type"),
		Code:    pick("code", "error_code", "status_code"),
		Param:   pick("param"),
	}
	if list := elements(m["message"]); list != nil {
		f.Message = listText(list)
	}
	status := pick("status")
	if f.Type == "" && status != "" && !isNumber(status) {
		f.Type = status
	}
	if f.Code == "" && isNumber(status) {
		f.Code = status
	}
	if inner := members(m["innererror"]); f.Code == "" && inner != nil {
		f.Code = textOf(inner["code"])
	}
	if more := beside(m); more != "" {
		f.Message = joinLines(f.Message, more)
	}
	return f
}

// beside gives what stands next to a message and is needed to judge it.
func beside(m map[string]json.RawMessage) string {
	out := ""
	if s := textOf(m["failed_generation"]); s != "" {
		out = "failed_generation: " + s
	}
	if meta := members(m["metadata"]); meta != nil {
		out = joinLines(out, strings.TrimSpace(textOf(meta["provider_name"])+": "+textOf(meta["raw"])))
		out = strings.Trim(out, ": ")
	}
	for _, d := range elements(m["details"]) {
		for _, v := range elements(members(d)["violations"]) {
			if q := textOf(members(v)["quotaId"]); q != "" {
				out = joinLines(out, "quota: "+q)
			}
		}
	}
	return out
}

// readDetail reads FastAPI's detail: a text, an error, or a list of what is wrong with which field.
func readDetail(raw json.RawMessage, depth int) Failure {
	if s, ok := asString(raw); ok {
		return Failure{Message: s}
	}
	var f Failure
	var texts []string
	for _, e := range elements(raw) {
		m := members(e)
		if m == nil || !filled(m["msg"]) {
			continue
		}
		at := strings.TrimPrefix(place(m["loc"]), "body.")
		text := textOf(m["msg"])
		if at != "" {
			text = at + ": " + text
		}
		texts = append(texts, text)
		f = f.or(Failure{Type: textOf(m["type"]), Code: textOf(m["type"]), Param: at})
	}
	if len(texts) > 0 {
		f.Message = strings.Join(texts, "; ")
		return f
	}
	if g, ok := readFailure(raw, depth); ok {
		return g
	}
	return Failure{Message: cut(textOf(raw), 500)}
}

func place(raw json.RawMessage) string {
	var names []string
	for _, e := range elements(raw) {
		names = append(names, textOf(e))
	}
	return strings.Join(names, ".")
}

func listText(list []json.RawMessage) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, textOf(e))
	}
	return strings.Join(texts, ", ")
}

func isNumber(s string) bool {
	_, ok := whole(json.RawMessage(s))
	return ok
}

// words are what endpoints call their errors, with the status that each stands for. Longer ones come before their parts.
var words = []struct {
	word   string
	status int
}{
	{"insufficient_quota", 429}, {"rate_limit", 429}, {"ratelimit", 429}, {"too_many_requests", 429}, {"resource_exhausted", 429},
	{"quota", 429}, {"overloaded", statusOverloaded}, {"insufficient_credits", 402}, {"payment_required", 402}, {"billing", 402},
	{"invalid_api_key", 401}, {"authentication", 401}, {"unauthenticated", 401}, {"unauthorized", 401}, {"permission", 403}, {"forbidden", 403},
	{"not_found", 404}, {"notfound", 404}, {"timeout", 504}, {"deadline_exceeded", 504}, {"unavailable", 503}, {"loading", 503},
	{"context_length", 400}, {"content_filter", 400}, {"invalid_request", 400}, {"invalid_argument", 400}, {"bad_request", 400}, {"badrequest", 400},
	{"unsupported_", 400}, {"server_error", 500}, {"internal", 500},
}

// innerStatus gives the HTTP status that an error stands for by its code, its type or its text; 0 where it does not say.
func innerStatus(f Failure) int {
	if n, ok := whole(json.RawMessage(f.Code)); ok {
		if n >= 400 && n <= 599 {
			return int(n)
		}
	}
	for _, text := range []string{f.Code, f.Type} {
		text = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(text))
		for _, w := range words {
			if strings.Contains(text, w.word) {
				return w.status
			}
		}
	}
	text := strings.ToLower(cut(f.Message, 1000))
	if strings.Contains(text, "rate limit") || strings.Contains(text, "too many requests") {
		return http.StatusTooManyRequests
	}
	return 0
}

// shapeless describes an answer that is no error of a known shape.
func shapeless(status int, contentType string, body []byte) Failure {
	text := strings.TrimSpace(string(body))
	kind := strings.ToLower(contentType)
	line := fmt.Sprintf("status %s", statusLine(status))
	switch {
	case text == "":
		return Failure{Type: "empty", Message: line + ": the answer is empty"}
	case strings.Contains(kind, "text/event-stream") || strings.HasPrefix(text, "data:"):
		return Failure{Type: "stream", Message: line + ": the endpoint streams its answer although it was not asked to: " + cut(text, 200)}
	case strings.HasPrefix(text, "<") || strings.Contains(kind, "html"):
		return Failure{Type: "html", Message: line + ": a page of HTML instead of an answer: " + cut(htmlText(text), 300)}
	case json.Valid(body) && status >= 400 && status <= 599:
		return Failure{Message: line + ": " + cut(text, 500)}
	case json.Valid(body) && text[0] == '{':
		return Failure{Type: "no_choices", Message: line + ": no choice with a message in the answer: " + cut(text, 300)}
	case text[0] == '{' || text[0] == '[':
		return Failure{Type: "not_json", Message: line + ": the answer is not JSON, or ends in its middle: " + cut(text, 300)}
	case strings.Contains(kind, "json"):
		return Failure{Type: "not_json", Message: line + ": the answer is no JSON object: " + cut(text, 300)}
	}
	return Failure{Type: "text", Message: line + ": " + cut(text, 500)}
}
