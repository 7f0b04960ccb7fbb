package openenv

import (
	"net/http"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	jsonMedia  = "application/json"
	hexPattern = "^[0-9a-f]{32}$" // of 128 bits
)

// The names of parameters.
const (
	sessionParameter = "Session"
	episodeParameter = "EpisodeID"
	nameParameter    = "EnvName"
)

// SessionHeader is the header that names the session of an HTTP episode.
const SessionHeader = "X-Triage-Session"

// parameters are those that operations share.
func parameters() map[string]*docParameter {
	return map[string]*docParameter{
		// Without a pattern: whatever the header holds is looked up, and what is no session is a conflict.
		sessionParameter: {Name: SessionHeader, In: "header", Schema: &jsonschema.Schema{Type: "string"},
			Description: "The session that the reset answered with, 32 hex digits. The cookie triage_session says the same."},
		episodeParameter: {Name: OptionEpisodeID, In: "query", Description: "Which episode is meant, where neither header nor cookie says it.",
			Schema: &jsonschema.Schema{Type: "string"}},
		nameParameter: {Name: "env_name", In: "path", Required: true, Description: "The environment's name, in any case.",
			Schema: &jsonschema.Schema{Type: "string", Enum: []any{EnvName}}},
	}
}

// refusalNames name the answers that are no success.
var refusalNames = map[int]string{
	http.StatusBadRequest:            "BadRequest",
	http.StatusUnauthorized:          "Unauthorized",
	http.StatusForbidden:             "Forbidden",
	http.StatusNotFound:              "NotFound",
	http.StatusMethodNotAllowed:      "MethodNotAllowed",
	http.StatusConflict:              "Conflict",
	http.StatusRequestEntityTooLarge: "BodyTooLarge",
	http.StatusUnsupportedMediaType:  "UnsupportedMediaType",
	http.StatusUnprocessableEntity:   "Unprocessable",
	http.StatusNotImplemented:        "NotImplemented",
	http.StatusServiceUnavailable:    "Unavailable",
}

// refusals are the answers that are no success, by name.
func refusals(o *SpecOptions) map[string]docResponse {
	out := map[string]docResponse{}
	add := func(code int, text, schema string) {
		out[refusalNames[code]] = docResponse{Description: text, Content: map[string]docMedia{jsonMedia: {Schema: ref(schema)}}}
	}
	add(http.StatusBadRequest, "The body is not whole, or the request asks for a task that does not exist.", "ErrorResponse")
	add(http.StatusForbidden, "A page of another origin calls, which the server does not allow.", "ErrorResponse")
	add(http.StatusNotFound, "There is no such environment or session.", "ErrorResponse")
	add(http.StatusMethodNotAllowed, "The path has another method, which the header Allow names.", "ErrorResponse")
	add(http.StatusConflict, "No episode, or more than one, is meant; or the episode has not begun or is over.", "ErrorResponse")
	add(http.StatusRequestEntityTooLarge, "The body is larger than the server reads.", "ErrorResponse")
	add(http.StatusUnsupportedMediaType, "The body is compressed or of another type than JSON.", "ErrorResponse")
	add(http.StatusUnprocessableEntity, "The request holds wrong values. Nothing has changed.", "HTTPValidationError")
	add(http.StatusNotImplemented, "This server has no tasks to list.", "ErrorResponse")
	add(http.StatusServiceUnavailable, "The server is full or going down.", "ErrorResponse")
	if o.Tokens {
		add(http.StatusUnauthorized, "The request bears none of the server's tokens.", "ErrorResponse")
	}
	return out
}

// success is the answer of a row with status 200.
func (x *operation) success() docResponse {
	media := docMedia{}
	kind := jsonMedia
	switch name, list := strings.CutPrefix(x.answer, "[]"); {
	case x.answer == "":
		kind, media.Schema = "text/plain", &jsonschema.Schema{Type: "string"}
	case name == "string":
		media.Schema = &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
	case list:
		media.Schema = &jsonschema.Schema{Type: "array", Items: ref(name)}
	default:
		media.Schema = ref(name)
	}
	out := docResponse{Description: x.said, Content: map[string]docMedia{kind: media}}
	if x.answer != "ResetResponse" {
		return out
	}
	out.Headers = map[string]*docHeader{SessionHeader: {Description: "The session of the episode.", Schema: &jsonschema.Schema{Type: "string", Pattern: hexPattern}}}
	out.Links = map[string]docLink{}
	for _, next := range []string{"step", "state"} {
		id := strings.TrimSuffix(x.id, "reset") + next
		out.Links[next] = docLink{OperationID: id, Parameters: map[string]string{"header." + SessionHeader: "$response.header." + SessionHeader},
			Description: "Goes on with the episode."}
	}
	return out
}
