package llm

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind says what kind of failure a call ended in.
type Kind string

// The kinds. Fatal ones stop a run, since no later call can do better: see [Error.Fatal].
const (
	KindKey           Kind = "key"            // 401, 403: the key is missing, wrong or may not do this; fatal
	KindQuota         Kind = "quota"          // 402, or a 429 about money or a daily allowance; fatal
	KindModel         Kind = "model"          // 404: the endpoint has no such model or path; fatal
	KindRefused       Kind = "refused"        // another 4xx: the endpoint does not take the request
	KindContextLength Kind = "context_length" // the messages are longer than the model takes
	KindContentFilter Kind = "content_filter" // a filter of the endpoint refused the messages
	KindNetwork       Kind = "network"        // no answer came; fatal where the host has no address or its certificate is bad
	KindTimeout       Kind = "timeout"        // no complete answer within the time of one attempt, or 408
	KindServer        Kind = "server"         // 5xx, 409, or an answer that is no chat completion
	KindLimited       Kind = "limited"        // 429 to the end; fatal where the wait asked for is above MaxWait
	KindCost          Kind = "cost"           // the call would pass the limit of the purse; fatal
	KindNotKept       Kind = "not_kept"       // the store must have the answer and has none (a cassette that is replayed); fatal
	KindTooMany       Kind = "too_many"       // too many calls failed one after the other; fatal
)

// Error is a call that finally failed. It never holds the key.
type Error struct {
	Kind   Kind
	Status int    // HTTP status, or 0 where no answer came
	Code   string // of the endpoint, such as invalid_api_key; may be empty
	Type   string // of the endpoint; may be empty
	Param  string // the request's field that the endpoint names; may be empty
	Text   string // the endpoint's own words, or what went wrong, in one line of at most 500 bytes
	URL    string // the base URL
	Model  string
	// RetryAfter is the wait that the endpoint asked for, or 0.
	RetryAfter time.Duration
	Attempts   []Attempt // all calls that were made, in their order
	Hint       string    // what to do about it, in one sentence; may be empty
	Err        error     // the cause, or nil

	fatal  bool
	final  bool   // no attempt follows
	unsent bool   // the request did not reach the endpoint, so nothing was computed
	closed bool   // nobody listens there
	said   string // the endpoint's words and code in full, to read refusals in
}

// Error names model, place, status, code and the endpoint's words: nothing that another run of the same calls need not have, such
// as the number of attempts. The hint is not in it.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "calling %s at %s: %s", e.Model, e.URL, e.Kind)
	if e.Status != 0 {
		b.WriteString(", status " + strconv.Itoa(e.Status))
	}
	if e.Code != "" && e.Code != strconv.Itoa(e.Status) {
		b.WriteString(" " + e.Code)
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fatal tells whether the run is to stop: whatever is called next fails too.
func (e *Error) Fatal() bool {
	switch e.Kind {
	case KindKey, KindQuota, KindModel, KindCost, KindNotKept, KindTooMany:
		return true
	}
	return e.fatal
}

// retryable tells whether the same call may go well a little later.
func (e *Error) retryable() bool {
	switch e.Kind {
	case KindNetwork, KindTimeout, KindServer, KindLimited:
		return !e.fatal
	}
	return false
}

const maxErrorText = 500

// oneLine makes a text of a stranger fit for one line: control characters and runs of space become one space, and what is
// longer than max bytes is cut at a rune.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0
	}), " ")
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}
