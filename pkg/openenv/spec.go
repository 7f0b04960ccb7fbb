package openenv

import (
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// SpecOptions say which server an OpenAPI document describes.
type SpecOptions struct {
	Track triage.Track // queue or desk
	// Production leaves out /reset, /step and /state, which is how a validator knows the mode.
	Production bool
	// Prefix is the path that the routes stand under, such as /desk; empty for the root.
	Prefix string
	Sealed bool
	// Tokens says that requests must bear a token.
	Tokens bool
	// NoWeb leaves out what serves the page.
	NoWeb bool
	// Version is that of the program. The document's own is the protocol's.
	Version string
}

// ProtocolVersion is the version of the HTTP protocol, which OpenAPI documents carry.
const ProtocolVersion = "1.0.0"

// specs keeps the documents that were made. A program asks for as many as it serves: a few.
var specs sync.Map // of SpecOptions to []byte

// Spec gives the OpenAPI 3.1 document of a server, made at the first call with these options; the same options give the same
// bytes. They are shared: they must not be changed. Another track than queue and desk is a mistake of the program: it panics.
func Spec(o SpecOptions) []byte {
	if made, ok := specs.Load(o); ok {
		if text, ok := made.([]byte); ok {
			return text
		}
	}
	text := exact(Plain(describe(&o)))
	specs.Store(o, text)
	return text
}

const specText = `Environments for agents that triage customer-support tickets, over the OpenEnv protocol.

A session is a WebSocket on ` + "`/ws`" + `, which this document cannot list, or an HTTP episode: ` + "`POST /reset`" + ` begins one and answers
with a session in the header ` + "`X-Triage-Session`" + `, in a cookie and in the metadata; ` + "`POST /step`" + ` answers one observation after
another until ` + "`done`" + ` is true; ` + "`GET /state`" + ` shows the episode. JSON Schemas of actions, observations and states are at
` + "`/schema`" + `, the handbook that answers are graded by is in ` + "`/metadata`" + `.`

// describe makes the document.
func describe(o *SpecOptions) *document {
	schemasOf(o.Track) // panics if the track is not served
	d := &document{
		OpenAPI: "3.1.0",
		Info: docInfo{Title: "OpenEnv Environment HTTP API", Summary: "triage, track " + string(o.Track), Description: specText,
			License: docLicense{Name: "MIT", Identifier: "MIT"}, Version: ProtocolVersion, Server: o.Version},
		Paths:      paths(o),
		Components: docComponents{Schemas: schemasOfSpec(o), Responses: refusals(o), Parameters: parameters()},
		Tags: []docTag{
			{tagControl, "Begin episodes and answer observations."},
			{tagState, "Look at the episode that is played."},
			{tagInfo, "What the environment is."},
			{tagSchema, "JSON Schemas of actions, observations and states."},
			{tagHealth, "Whether the server answers, and what it counts."},
			{tagTasks, "The tasks of each split, for a reset by index."},
			{tagTools, "JSON-RPC: the tools of an agent inside an episode, and sessions for it."},
			{tagWeb, "What the page calls: the same handlers in both modes."},
		},
	}
	if o.Prefix != "" {
		d.Servers = []docServer{{URL: o.Prefix, Description: "The " + string(o.Track) + " track."}}
	}
	if o.Tokens {
		d.Security = []map[string][]string{{"bearer": {}}}
		d.Components.Security = map[string]docSecurity{"bearer": {Type: "http", Scheme: "bearer", Description: "One of the server's tokens."}}
	}
	prune(d)
	return d
}
