package openenv

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/triagebench/triage/pkg/triage"
)

// parts are the schemas that an OpenAPI document names. A type that was added is referred to by its name in the schemas of
// those that come after it.
type parts struct {
	vocabulary vocabulary
	schemas    map[string]*jsonschema.Schema
}

// ref points to a named schema.
func ref(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// add makes the schema of a type under a name.
func add[T any](p *parts, name string) *jsonschema.Schema {
	s := schemaOf[T](name, p.vocabulary)
	p.schemas[name] = s
	p.vocabulary[reflect.TypeFor[T]()] = ref(name)
	return s
}

// addTrack adds the action, the observation and what is made of them.
func addTrack[A, O any](p *parts, o *SpecOptions, action, observation string) {
	optional(add[A](p, action))
	add[O](p, observation)
	reset := optional(growing(add[resetRequest](p, "ResetRequest")))
	reset.AllOf = resetRules(o.Track)
	if o.Track != triage.Queue {
		refuse(reset, "an episode has one ticket.", OptionTickets)
	}
	if o.Sealed {
		reset.AllOf = nil
		refuse(reset, "the server is sealed and chooses the tickets itself.", OptionSeed, OptionIndex, OptionTickets, OptionRewards)
	}
	optional(growing(add[stepRequest[A]](p, "StepRequest")))
	add[envelope[O]](p, "ResetResponse")
	delete(p.vocabulary, reflect.TypeFor[envelope[O]]())
	add[envelope[O]](p, "StepResponse")
	growing(add[stateOf[O]](p, "State"))
}

// schemasOfSpec are all named schemas.
func schemasOfSpec(o *SpecOptions) map[string]*jsonschema.Schema {
	p := &parts{vocabulary: requestWords(o.Track), schemas: map[string]*jsonschema.Schema{}}
	if o.Track == triage.Desk {
		addTrack[deskAction, deskShown](p, o, "DeskAction", "DeskObservation")
	} else {
		addTrack[queueAction, queueShown](p, o, "QueueAction", "QueueObservation")
	}
	add[splitRequest](p, "ListTasksRequest")
	delete(p.vocabulary, reflect.TypeFor[splitRequest]())
	add[splitRequest](p, "NumTasksRequest")
	add[taskRequest](p, "GetTaskRequest")
	optional(add[taskRangeRequest](p, "GetTaskRangeRequest"))
	add[splitAnswer](p, "Split")
	add[taskAnswer](p, "Task")
	add[taskList](p, "TaskList")
	add[taskCount](p, "TaskCount")
	add[taskOne](p, "TaskAnswer")
	add[taskRange](p, "TaskRange")
	add[metadataAnswer](p, "EnvironmentMetadata")
	add[healthAnswer](p, "HealthResponse")
	add[schemaAnswer](p, "SchemaResponse")
	add[errorAnswer](p, "ErrorResponse")
	mistake := add[validationError](p, "ValidationError")
	mistake.Properties["loc"].Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}}
	mistake.AdditionalProperties = nil
	add[validationErrors](p, "HTTPValidationError").AdditionalProperties = nil
	calls(p)
	add[reviewAnswer](p, "Review")
	return p.schemas
}

// calls adds the bodies of JSON-RPC.
func calls(p *parts) {
	call := add[rpcRequest](p, "JSONRPCRequest")
	call.Properties["jsonrpc"].Const = jsonschema.Ptr(any("2.0"))
	id := []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}, {Type: "null"}}
	call.Properties["id"].AnyOf = id
	add[rpcFailed](p, "JSONRPCError")
	answer := add[rpcResponse](p, "JSONRPCResponse")
	answer.Properties["jsonrpc"].Const = jsonschema.Ptr(any("2.0"))
	answer.Properties["id"].AnyOf = id
}
