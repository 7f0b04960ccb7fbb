package openenv

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/triagebench/triage/pkg/triage"
)

// The tags of operations; the first five are the reference's.
const (
	tagControl = "Environment Control"
	tagState   = "State Management"
	tagInfo    = "Environment Info"
	tagSchema  = "Schema"
	tagHealth  = "Health"
	tagTasks   = "Task API"
	tagTools   = "Tools"
	tagWeb     = "Page"
)

// operation is a row of the table of routes.
type operation struct {
	method, path, tag, id string
	summary, text         string
	parameters            []string
	body                  string // the name of its schema
	optional              bool   // the body may be missing
	free                  bool   // another body is answered with status 200 as well
	example               string // a body
	answer                string // the name of the schema of status 200
	said                  string // what status 200 says
	refuses               []int  // further statuses beside those that any route can answer with
}

// paths lists the routes of a server.
func paths(o *SpecOptions) docPaths {
	var rows []operation
	rows = append(rows, taskRoutes()...)
	if !o.Production {
		rows = append(rows, controlRoutes(o, "", tagControl, tagState)...)
	}
	rows = append(rows, infoRoutes()...)
	if !o.NoWeb {
		rows = append(rows, controlRoutes(o, "/web", tagWeb, tagWeb)...)
		rows = append(rows, operation{method: http.MethodGet, path: "/web/metadata", tag: tagWeb, id: "web_metadata", summary: "What the environment is",
			text: "The same as /metadata.", answer: "EnvironmentMetadata", said: "The metadata."})
		if !o.Sealed {
			rows = append(rows, operation{method: http.MethodGet, path: "/web/review", tag: tagWeb, id: "web_review", summary: "Review",
				text:       "How the tickets of the episode were graded so far, with reasons, beside the heuristic agent's answers.",
				parameters: []string{sessionParameter, episodeParameter}, answer: "Review", said: "The graded tickets.", refuses: []int{http.StatusConflict}})
		}
	}
	var out docPaths
	for i := range rows {
		x := rows[i].document(o)
		p := docPath{path: rows[i].path, get: x}
		if rows[i].method == http.MethodPost {
			p.get, p.post = nil, x
		}
		out = append(out, p)
	}
	return out
}

// controlRoutes are reset, step and state.
func controlRoutes(o *SpecOptions, under, control, state string) []operation {
	id := func(name string) string {
		if under == "" {
			return name
		}
		return "web_" + name
	}
	reset, step := `{"seed":42,"difficulty":"easy"}`, `{"action":{"route_category":"billing","urgency_assessment":"medium","resolution_difficulty":"easy","priority_score":31}}`
	if o.Track == triage.Desk {
		step = `{"action":{"category":"Bug","priority":"High","urgency_days":2,"department":"Engineering","recommendation":"Check the export service's logs for the failed request."}}`
	}
	if o.Sealed {
		reset = `{"difficulty":"easy"}`
	}
	return []operation{
		{method: http.MethodPost, path: under + "/reset", tag: control, id: id("reset"), summary: "Begin an episode",
			text: "Begins an episode and gives its first observation. Without a body every option has its default. Unknown options are left out.",
			body: "ResetRequest", optional: true, example: reset, answer: "ResetResponse", said: "The first observation.",
			refuses: []int{http.StatusConflict, http.StatusServiceUnavailable}},
		{method: http.MethodPost, path: under + "/step", tag: control, id: id("step"), summary: "Answer an observation",
			text: "Answers the current observation and gives the next one with the reward. The episode is found by session, else by episode_id, " +
				"else (on this machine, without tokens) it is the latest; anything else is a conflict, and so is a step before a reset and after the end. " +
				"A wrong value is refused and changes nothing.",
			parameters: []string{sessionParameter}, body: "StepRequest", example: step, answer: "StepResponse", said: "The next observation.",
			refuses: []int{http.StatusConflict, http.StatusServiceUnavailable}},
		{method: http.MethodGet, path: under + "/state", tag: state, id: id("state"), summary: "Look at the episode",
			text:       "The running episode with the observation that is to be answered; found as for a step.",
			parameters: []string{sessionParameter, episodeParameter}, answer: "State", said: "The state.",
			refuses: []int{http.StatusConflict, http.StatusServiceUnavailable}},
	}
}

// infoRoutes are those that any server of the protocol has beside control and tasks.
func infoRoutes() []operation {
	return []operation{
		{method: http.MethodGet, path: "/metadata", tag: tagInfo, id: "metadata", summary: "What the environment is",
			text: "Name, description and version, with the handbook as its readme.", answer: "EnvironmentMetadata", said: "The metadata."},
		{method: http.MethodGet, path: "/health", tag: tagHealth, id: "health", summary: "Whether the server answers",
			text: "Never needs a token.", answer: "HealthResponse", said: "The server answers."},
		{method: http.MethodGet, path: "/schema", tag: tagSchema, id: "schema", summary: "JSON Schemas",
			text: "The JSON Schemas of actions, observations and states, draft 2020-12.", answer: "SchemaResponse", said: "The schemas."},
		{method: http.MethodPost, path: "/mcp", tag: tagTools, id: "mcp", summary: "JSON-RPC",
			text: "The Model Context Protocol and OpenEnv's sessions. Whatever the body is, the answer is JSON-RPC: its mistakes are errors with status 200. " +
				"The tools are read_ticket, submit_triage, read_handbook and queue_status.",
			body: "JSONRPCRequest", optional: true, free: true, example: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, answer: "JSONRPCResponse",
			said: "The answer to the call.", refuses: []int{http.StatusNotFound, http.StatusServiceUnavailable}},
		{method: http.MethodGet, path: "/metrics", tag: tagHealth, id: "metrics", summary: "Metrics",
			text: "What the server counts, for Prometheus. No label of a ticket is in it.", said: "The metrics as text."},
	}
}

// taskRoutes are those of the task API.
func taskRoutes() []operation {
	one := func(name, summary, text, body, example, answer string) operation {
		return operation{method: http.MethodPost, path: "/{env_name}/" + name, tag: tagTasks, id: name, summary: summary, text: text,
			parameters: []string{nameParameter}, body: body, example: example, answer: answer, said: "The answer.",
			refuses: []int{http.StatusNotFound, http.StatusNotImplemented}}
	}
	return []operation{
		{method: http.MethodGet, path: "/list_environments", tag: tagTasks, id: "list_environments", summary: "Name the environments",
			text: "The names under which the task API knows environments: one.", answer: "[]string", said: "The names."},
		{method: http.MethodGet, path: "/{env_name}/splits", tag: tagTasks, id: "splits", summary: "Name the splits", text: "The splits that have tasks.",
			parameters: []string{nameParameter}, answer: "[]Split", said: "The splits.", refuses: []int{http.StatusNotFound, http.StatusNotImplemented}},
		one("tasks", "List tasks", "All tasks of a split.", "ListTasksRequest", `{"split":"train"}`, "TaskList"),
		one("num_tasks", "Count tasks", "How many tasks a split has.", "NumTasksRequest", `{"split":"train"}`, "TaskCount"),
		one("task", "Show a task", "One task of a split.", "GetTaskRequest", `{"split":"train","index":17}`, "TaskAnswer"),
		one("task_range", "List some tasks", "The tasks of a slice, by the rules of Python: what lies outside is left out.", "GetTaskRangeRequest",
			`{"split":"train","start":0,"stop":3}`, "TaskRange"),
	}
}

// document writes a row as an operation.
func (x *operation) document(o *SpecOptions) *docOperation {
	out := &docOperation{Tags: []string{x.tag}, Summary: x.summary, Description: x.text, OperationID: x.id,
		Responses: map[string]docResponse{strconv.Itoa(http.StatusOK): x.success()}}
	for _, name := range x.parameters {
		out.Parameters = append(out.Parameters, &docParameter{Ref: "#/components/parameters/" + name})
	}
	refuses := append([]int{http.StatusMethodNotAllowed}, x.refuses...)
	if x.body != "" {
		schema := ref(x.body)
		if x.free {
			schema = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema, {}}}
		}
		out.Body = &docBody{Required: !x.optional, Content: map[string]docMedia{jsonMedia: {Schema: schema, Example: json.RawMessage(x.example)}}}
		refuses = append(refuses, http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	switch x.id {
	case "mcp":
		out.Responses[strconv.Itoa(http.StatusAccepted)] = docResponse{Description: "A notification was taken; there is no body."}
	case "health":
		out.Responses[strconv.Itoa(http.StatusServiceUnavailable)] = docResponse{Description: "The server is going down.",
			Content: map[string]docMedia{jsonMedia: {Schema: ref(x.answer)}}}
	}
	switch {
	case !o.Tokens:
	case x.id == "health":
		out.Security = []map[string][]string{}
	default:
		refuses = append(refuses, http.StatusUnauthorized)
	}
	for _, code := range refuses {
		out.Responses[strconv.Itoa(code)] = docResponse{Ref: "#/components/responses/" + refusalNames[code]}
	}
	return out
}
