package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// Options say what a client calls and how. Endpoint, Transport, Now and Rand are needed; every other field has a default.
type Options struct {
	Endpoint Endpoint

	// What every request asks for. What is nil, 0 or empty is not sent.
	Temperature     *float64
	Seed            *int64
	MaxOutputTokens int
	ReasoningEffort string
	// ExtraBody are further members of the request's JSON object. They win over everything else and are never left out:
	// where the endpoint refuses one, the call fails and says so.
	ExtraBody map[string]json.RawMessage
	// Format is how a reply's form is asked for; empty is FormatAuto. A format that is not auto is never changed.
	Format Format

	Timeout time.Duration // of one attempt, reading included; 0 is 120 s
	MaxWait time.Duration // the longest wait that an endpoint may ask for; 0 is 120 s
	Budget  time.Duration // of one call: all its attempts and the waits between them, without queueing; 0 is 5 min
	RPM     int           // requests a minute; 0 is no limit
	TPM     int           // tokens a minute, prompt and output; 0 is no limit
	// MaxConsecutiveErrors calls that failed one after the other stop the client; 0 is 10.
	MaxConsecutiveErrors int

	Limiter *Limiter // requests in flight, maybe shared; nil is a limiter of its own of size 1
	Purse   *Purse   // what may be spent, maybe shared; nil is no limit. It needs a known price
	Prices  *Prices  // nil: every cost is unknown

	Transport http.RoundTripper // the network
	// Proxy is the proxy that Transport uses for the endpoint, without password, for messages; empty is none.
	Proxy   string
	Store   wire.Store    // kept answers; nil is none
	Learned Learned       // what is known of the endpoint from before
	OnLearn func(Learned) // called after each change, if not nil, one at a time; it must not call the client
	Now     func() time.Time
	Rand    *rand.Rand // for the jitter of waits; the client has it for itself
	// Log is called after each attempt, if not nil, also by several goroutines at once.
	Log func(Record)
}

const (
	defaultTimeout   = 120 * time.Second
	defaultMaxWait   = 120 * time.Second
	defaultBudget    = 5 * time.Minute
	defaultMaxErrors = 10
)

// assumedOutput are the tokens that a reply is taken to have at most, for its cost, where no limit is set.
const assumedOutput = 4096

// Client calls one model. It is safe for several goroutines. Make one with [New].
type Client struct {
	o        Options
	api      *openai.Client
	redactor *wire.Redactor
	price    Price
	priced   bool
	pace     *pace
	gate     gate
	life     context.Context // ends with the fatal error that stops the client
	kill     context.CancelCauseFunc

	written    written
	heard      atomic.Bool  // the endpoint has said something
	served     atomic.Bool  // it has given a reply
	mostOutput atomic.Int64 // tokens of the longest reply: limits on them are not always obeyed

	mu          sync.Mutex
	learned     Learned
	generation  int // counts the changes of learned
	consecutive int
	random      *rand.Rand

	status status
}

// New checks the options and gives a client. It calls nothing.
func New(o Options) (*Client, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	c := &Client{
		o: o, learned: cloneLearned(o.Learned), random: o.Rand, pace: newPace(o.RPM, o.TPM, o.Now),
		redactor: wire.NewRedactor(o.Endpoint.Secrets()...),
	}
	c.price, c.priced = o.Prices.Find(o.Endpoint.Provider, o.Endpoint.Model)
	if o.Purse != nil && !c.priced {
		return nil, errors.New("no known price, so no cost limit can be kept: give its price with --prices, or leave --max-cost out")
	}
	c.status.init()
	c.life, c.kill = context.WithCancelCause(context.Background())
	c.api = openai.NewClientWithConfig(c.config())
	return c, nil
}

func (o Options) check() error {
	switch {
	case o.Endpoint.BaseURL == nil || o.Endpoint.Model == "":
		return errors.New("an endpoint needs a base URL and a model")
	case o.Transport == nil || o.Now == nil || o.Rand == nil:
		return errors.New("a client needs a transport, a clock and a generator of random numbers")
	case o.Temperature != nil && !(*o.Temperature >= 0 && *o.Temperature <= 2):
		return fmt.Errorf("temperature %v is not allowed; allowed is 0 to 2", *o.Temperature)
	case o.MaxOutputTokens < 0 || o.RPM < 0 || o.TPM < 0 || o.MaxConsecutiveErrors < 0:
		return fmt.Errorf("max output tokens %d, requests a minute %d, tokens a minute %d and consecutive errors %d: none may be negative",
			o.MaxOutputTokens, o.RPM, o.TPM, o.MaxConsecutiveErrors)
	case o.Timeout < 0 || o.MaxWait < 0 || o.Budget < 0:
		return fmt.Errorf("timeout %v, longest wait %v and budget %v: none may be negative", o.Timeout, o.MaxWait, o.Budget)
	case o.Format != "" && !slices.Contains(Formats(), o.Format):
		return fmt.Errorf("response format %q is not allowed; allowed is one of %v", o.Format, Formats())
	}
	for _, name := range sortedKeys(o.ExtraBody) {
		if !json.Valid(o.ExtraBody[name]) {
			return fmt.Errorf("extra body: the value of %q is no JSON", name)
		}
		if name == "stream" || name == "messages" || name == "model" {
			return fmt.Errorf("extra body: %q is set by the program itself and may not be given", name)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.MaxWait = orDefault(o.MaxWait, defaultMaxWait)
	o.Budget = orDefault(o.Budget, defaultBudget)
	o.MaxConsecutiveErrors = orDefault(o.MaxConsecutiveErrors, defaultMaxErrors)
	o.Format = orDefault(o.Format, FormatAuto)
	if o.Limiter == nil {
		o.Limiter = &Limiter{size: 1, allowed: 1}
	}
	return o
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Formats lists the response formats, auto first.
func Formats() []Format {
	return []Format{FormatAuto, FormatJSONSchema, FormatJSONObject, FormatTools, FormatText}
}

// config is go-openai's. The model's name is not given to it: it would refuse settings by the name, and is set on the
// wire instead. So the deployment's name in Azure's path comes from the mapper.
func (c *Client) config() openai.ClientConfig {
	e := c.o.Endpoint
	base := *e.BaseURL
	query := base.RawQuery
	base.RawQuery, base.Fragment = "", ""
	cfg := openai.DefaultConfig(e.Key.Reveal())
	if e.APIVersion != "" {
		cfg = openai.DefaultAzureConfig(e.Key.Reveal(), "")
		cfg.APIVersion = e.APIVersion
		cfg.AzureModelMapperFunc = func(string) string { return url.PathEscape(e.Model) }
	}
	cfg.BaseURL = strings.TrimRight(base.String(), "/")
	cfg.HTTPClient = &http.Client{CheckRedirect: wire.NoRedirect, Transport: &wire.Transport{
		Base: network{c}, Store: c.o.Store, Now: c.o.Now, Headers: e.Headers, Query: query,
	}}
	return cfg
}

// Price gives the price that costs are computed with, and whether there is one.
func (c *Client) Price() (Price, bool) { return c.price, c.priced }

// Endpoint gives what is called.
func (c *Client) Endpoint() Endpoint { return c.o.Endpoint }

// Redact replaces what is secret in a text: the key, the values of headers, and what looks like a key.
func (c *Client) Redact(text string) string { return c.redactor.String(text) }

// Complete asks for one reply. It waits for its turn, retries what may go well later and asks otherwise where the
// endpoint refuses a setting: the policy is in the package's documentation. The error is a [*Error], or the cause of ctx
// where that ended. After a fatal error every further call fails with it, without a call. It is safe for several
// goroutines.
func (c *Client) Complete(ctx context.Context, r Request) (*Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if fatal := c.gate.shut(); fatal != nil {
		again := *fatal
		again.Attempts = nil // they are of the call that found out
		return nil, &again
	}
	k := &call{c: c, request: r}
	reply, err := k.run(ctx)
	var failed *Error
	switch {
	case err == nil:
		if !reply.Kept {
			c.succeeded()
		}
		c.gate.leave(k, nil, !reply.Kept)
		return reply, nil
	case errors.As(err, &failed):
		failed = c.failed(failed)
		fatal := fatalOf(failed)
		c.gate.leave(k, fatal, k.networked)
		if fatal != nil {
			c.kill(fatal)
		}
		return nil, failed
	}
	c.gate.leave(k, nil, false)
	return nil, err
}

func fatalOf(e *Error) *Error {
	if e.Fatal() {
		return e
	}
	return nil
}

func (c *Client) succeeded() {
	c.served.Store(true)
	c.mu.Lock()
	c.consecutive = 0
	c.mu.Unlock()
}

// failed counts a call that finally failed and gives the error to report: that too many did, where they did.
func (c *Client) failed(e *Error) *Error {
	c.mu.Lock()
	c.consecutive++
	n := c.consecutive
	c.mu.Unlock()
	if e.Fatal() || n < c.o.MaxConsecutiveErrors {
		return e
	}
	out := *e
	out.Kind, out.Err = KindTooMany, e
	out.Text = strconv.Itoa(n) + " calls failed one after the other, the last one: " + string(e.Kind) + ": " + e.Text
	if out.Hint == "" {
		out.Hint = "see what the endpoint says, or allow more with --max-consecutive-errors"
	}
	return &out
}
