// Package wire is the HTTP under a chat client: a transport that makes requests say what the client library leaves out, and
// answers of every endpoint look like OpenAI's. It knows neither tickets nor retries. Start at [Transport].
package wire

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Field is a member of a request's JSON object.
type Field struct {
	Name  string
	Value json.RawMessage
	// Sound says that Value is known to be JSON, so that a long one is not looked through again.
	Sound bool
}

// Learned is what an endpoint has refused and what is done instead. The zero value: nothing was refused.
type Learned struct {
	// Drop lists top-level request fields that are left out, sorted.
	Drop []string `json:"drop,omitempty"`
	// Rename maps a field to the name that the endpoint wants, such as max_tokens to max_completion_tokens.
	Rename map[string]string `json:"rename,omitempty"`
	// Format is the response format that works; empty: not known.
	Format string `json:"format,omitempty"`
	// MergeSystem puts the system message in front of the first user message: the system role is refused.
	MergeSystem bool `json:"merge_system,omitempty"`
	// Notes say in words what was changed and why, for people, in the order in which it was learned.
	Notes []string `json:"notes,omitempty"`
}

// Call goes with a request in its context (see [With]): how the request is to be changed, and what became of it.
type Call struct {
	// Set replaces or adds top-level members of the request, in this order; Drop leaves members out, also of those set.
	Set  []Field
	Drop []string
	// Rename gives members another name, after Set and Drop.
	Rename map[string]string
	// Scope is part of what an answer is kept under.
	Scope string

	// Exchange is filled in by the transport.
	Exchange Exchange
}

// Exchange is one HTTP exchange as it went.
type Exchange struct {
	URL     string
	Request []byte // the body on the wire
	Status  int    // as it came from the server; 0 where no answer came
	Header  http.Header
	Body    []byte // as it came, at most MaxBody bytes
	Normal  []byte // as the client library reads it
	Kept    bool   // it comes from the store
	Latency time.Duration
	// StoreErr is why the answer could not be kept, or nil. The answer itself is good.
	StoreErr error
}

// MaxBody is the longest answer that is read, in bytes: 16 MiB.
const MaxBody = 16 << 20

// Key is what an answer is kept under.
type Key struct {
	URL     string // of the request, without secrets
	Request []byte // the body on the wire
	Scope   string
	// Vary is a digest of the headers that the user has set, apart from those that bear keys: gateways choose a model by
	// them. Empty: there are none.
	Vary string
}

// Store keeps answers. It is safe for several goroutines.
type Store interface {
	// Get gives the body that was kept, with true, or false where there is none. A store that must have it gives an error.
	Get(k Key) ([]byte, bool, error)
	// Put keeps the body of a complete, successful answer.
	Put(k Key, body []byte) error
}

type callKey struct{}

// With gives a context that carries the call to the transport.
func With(ctx context.Context, c *Call) context.Context { return context.WithValue(ctx, callKey{}, c) }

// CallOf gives the call of a context, or nil.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}
