// Package llm calls chat models behind any OpenAI-compatible endpoint: one client for a model, which retries, obeys
// limits, keeps what it was answered, and says what a call cost. It knows no tickets, and it does not read what the model
// wrote. Start at [New].
//
// # What is called again
//
// Connection errors, attempts that ran out of time, 408, 409, 429 that is not about money or a day, every 5xx, and a 200
// that is no complete chat completion. Not: 400, 401, 402, 403, 404, 413, 422 and a 429 about a quota. The wait is the
// longer of what the endpoint asks for and a full-jitter backoff, from 0 to 0.5 s doubled each time and at most 30 s. A
// wait above [Options].MaxWait stops the run. The budget is one of time, so that a server that loads its model for minutes
// is waited for; the last attempt begins when the budget ends.
//
// # What is asked otherwise
//
// Where an endpoint refuses a setting (temperature, seed, reasoning effort, the name of the limit of tokens, the response
// format, the system role), the call is made once more without it, and so is every later one: see [Learned]. A value out of
// its range, a response format that was asked for by name and members of the extra body are never dropped; those calls fail.
//
// # Who waits for whom
//
// The first call that needs the network goes alone until it has ended. After that a [Limiter] bounds the requests in
// flight and a pace the requests and tokens of a minute. Kept answers wait for nothing.
package llm

import (
	"encoding/json"
	"time"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// Role says who wrote a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one message of a chat.
type Message struct {
	Role    Role
	Content string
}

// Request asks for one reply.
type Request struct {
	Messages []Message
	// Schema is the JSON Schema of the answer: an object whose properties are all required. It goes out in the way that the
	// response format in force says. Nil: no format is asked for.
	Schema json.RawMessage
	// SchemaName is the schema's name on the wire: letters, digits, _ and -.
	SchemaName string
	// Scope tells answers apart that are kept: equal requests of two scopes are two calls.
	Scope string
}

// Count is a number that the endpoint may not have told.
type Count = wire.Count

// Usage are the tokens of one reply. Cached are part of In, Reasoning of Out.
type Usage = wire.Usage

// Reply is one complete answer of the endpoint.
type Reply struct {
	Text    string // of the message; the arguments of the tool call where Tool
	Tool    bool
	Refusal string
	// Reasoning is what came beside the text.
	Reasoning   string
	Finish      string // finish_reason as it came: stop, length, tool_calls, content_filter …
	Model       string // that the endpoint says it used
	Fingerprint string // system_fingerprint, or empty
	Usage       Usage
	Cost        Count         // nano-dollars (10^-9 US dollars), by the price list; unknown where price or tokens are
	Format      Format        // response format that the reply was asked for in
	Kept        bool          // it comes from the cache or a cassette: nothing was called
	Latency     time.Duration // of the attempt that gave the reply; 0 where Kept
	Attempts    []Attempt     // all calls that were made for it, in their order
}

// Attempt is one call as it went.
type Attempt struct {
	Status  int           // 0 where no answer came
	Wait    time.Duration // before the call
	Latency time.Duration
	Sent    int // bytes of the request's body
	Got     int // bytes of the answer's body
	Err     string
}

// Format is how an answer's form is asked for.
type Format string

// The formats, the strictest first. Auto begins with JSONSchema and goes down when the endpoint refuses.
const (
	FormatAuto       Format = "auto"
	FormatJSONSchema Format = "json_schema"
	FormatJSONObject Format = "json_object"
	FormatTools      Format = "tools"
	FormatText       Format = "text"
)

// Learned is what an endpoint has refused, so that it is asked otherwise from then on.
type Learned = wire.Learned
