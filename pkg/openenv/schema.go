package openenv

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/triagebench/triage/pkg/triage"
)

// trackSchemas are the schemas of one track.
type trackSchemas struct {
	action, observation, first, shown, state *jsonschema.Schema
}

var (
	queueSchemas = sync.OnceValue(func() trackSchemas {
		v := words(triage.Queue)
		return trackSchemas{
			action:      optional(schemaOf[queueAction]("QueueAction", v)),
			observation: open(schemaOf[queueMerged]("QueueObservation", v)),
			first:       begun(open(schemaOf[queueFirst]("QueueResetObservation", v))),
			shown:       schemaOf[queueShown]("QueueObservation", v),
			state:       growing(schemaOf[stateOf[queueShown]]("QueueState", v)),
		}
	})
	deskSchemas = sync.OnceValue(func() trackSchemas {
		v := words(triage.Desk)
		return trackSchemas{
			action:      optional(schemaOf[deskAction]("DeskAction", v)),
			observation: open(schemaOf[deskMerged]("DeskObservation", v)),
			first:       begun(open(schemaOf[deskFirst]("DeskResetObservation", v))),
			shown:       schemaOf[deskShown]("DeskObservation", v),
			state:       growing(schemaOf[stateOf[deskShown]]("DeskState", v)),
		}
	})
)

// schemasOf gives the schemas of a served track. Another one is a mistake of the program: it panics.
func schemasOf(track triage.Track) trackSchemas {
	switch track {
	case triage.Queue:
		return queueSchemas()
	case triage.Desk:
		return deskSchemas()
	}
	panic(fmt.Sprintf("schemas: track %q is not served; served are queue and desk", track))
}

// open lets the metadata of an observation hold more than what is declared.
func open(s *jsonschema.Schema) *jsonschema.Schema {
	s.Properties["metadata"].AdditionalProperties = &jsonschema.Schema{}
	return s
}

// begun says what a reset never gives: an end.
func begun(s *jsonschema.Schema) *jsonschema.Schema {
	s.Properties["done"].Const = jsonschema.Ptr(any(false))
	return s
}

// growing lets a state hold more than what is declared, as the reference's may.
func growing(s *jsonschema.Schema) *jsonschema.Schema {
	s.AdditionalProperties = &jsonschema.Schema{}
	return s
}

// Schemas gives the body of GET /schema for the queue or desk track, made at the first call: the JSON Schemas (draft 2020-12) of
// action, observation, state and reset_observation. Both observations are merged objects: reward, done and metadata are in
// them. Sealed servers keep to them too. The bytes are shared: they must not be changed.
func Schemas(track triage.Track) json.RawMessage {
	if track == triage.Desk {
		return deskBody()
	}
	return queueBody()
}

var (
	queueBody = sync.OnceValue(func() json.RawMessage { return schemaBody(triage.Queue) })
	deskBody  = sync.OnceValue(func() json.RawMessage { return schemaBody(triage.Desk) })
)

func schemaBody(track triage.Track) json.RawMessage {
	s := schemasOf(track)
	return exact(Plain(struct {
		Action      *jsonschema.Schema `json:"action"`
		Observation *jsonschema.Schema `json:"observation"`
		State       *jsonschema.Schema `json:"state"`
		Reset       *jsonschema.Schema `json:"reset_observation"`
	}{s.action, s.observation, s.state, s.first}))
}

// ActionSchema gives the JSON Schema of the actions of the queue or desk track: every field may be absent or null.
func ActionSchema(track triage.Track) json.RawMessage { return Plain(schemasOf(track).action) }

// The tools of an agent inside an episode.
const (
	ToolReadTicket   = "read_ticket"
	ToolSubmit       = "submit_triage"
	ToolReadHandbook = "read_handbook"
	ToolQueueStatus  = "queue_status"
)

// Tools lists the names of the tools in the order in which a server lists them.
func Tools() []string {
	return []string{ToolReadTicket, ToolSubmit, ToolReadHandbook, ToolQueueStatus}
}

// ToolSchemas gives the input schema of each of [Tools] on the queue or desk track. None allows unknown arguments.
func ToolSchemas(track triage.Track) map[string]json.RawMessage {
	submit := schemasOf(track).action.CloneSchemas()
	delete(submit.Properties, "metadata") // an agent has no use for it
	none := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
	out := map[string]json.RawMessage{}
	for _, name := range Tools() {
		out[name] = Plain(none)
	}
	out[ToolSubmit] = Plain(submit)
	return out
}

// never is the schema that no value satisfies.
func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }
