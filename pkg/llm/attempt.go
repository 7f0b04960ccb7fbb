package llm

import (
	"context"
	"errors"
	"math"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// pacedOutput are the tokens that a reply is taken to have, for the limit of tokens a minute, where no limit of its length
// is set. The real number takes its place afterwards.
const pacedOutput = 1000

// attempt makes one attempt: a reply, a failure, or an error where the call is over (ctx ended, another call's fatal
// failure) or is to be asked again ([errStale]).
func (k *call) attempt(ctx context.Context, wait time.Duration) (*Reply, *Error, error) {
	c := k.c
	a, sent := c.ask(k.request)
	k.asked = a
	f := &flight{call: k, asked: a}
	res, err := c.api.CreateChatCompletion(context.WithValue(wire.With(ctx, sent), flightKey{}, f), openai.ChatCompletionRequest{})
	ex := &sent.Exchange
	if err == nil && len(res.Choices) == 0 {
		err = errors.New("an answer without choices")
	}
	reply, failed, err := c.outcome(ctx, f, ex, res, err)
	c.settle(f, reply, failed)
	if reply != nil {
		reply.Format = a.format
	}
	if err != nil || f.started.IsZero() && reply == nil && (failed == nil || failed.Kind != KindNotKept) {
		return nil, failed, err
	}
	k.note(f, ex, wait, reply, failed)
	return reply, failed, nil
}

// outcome tells what became of an attempt.
func (c *Client) outcome(ctx context.Context, f *flight, ex *wire.Exchange, res openai.ChatCompletionResponse, err error) (*Reply, *Error, error) {
	if err == nil {
		return c.reply(f, ex, res), nil, nil
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if errors.Is(err, errStale) {
		return nil, nil, errStale
	}
	var own *Error
	if errors.As(err, &own) { // of the purse, or the fatal one of another call
		return nil, own, nil
	}
	if text, ok := failedGeneration(ex.Body); ok && ex.Status == 400 {
		return c.generated(f, text), nil, nil
	}
	return nil, c.classify(ex, err), nil
}

func (c *Client) reply(f *flight, ex *wire.Exchange, res openai.ChatCompletionResponse) *Reply {
	choice := res.Choices[0]
	r := &Reply{
		Text: choice.Message.Content, Refusal: choice.Message.Refusal, Reasoning: choice.Message.ReasoningContent,
		Finish: string(choice.FinishReason), Model: res.Model, Fingerprint: res.SystemFingerprint,
		Kept: ex.Kept, Usage: wire.ParseUsage(ex.Normal),
	}
	if arguments, ok := toolArguments(choice.Message); ok && (r.Text == "" || f.asked.format == FormatTools) {
		r.Text, r.Tool = arguments, true
	}
	for _, text := range []*string{&r.Text, &r.Refusal, &r.Reasoning, &r.Finish, &r.Model, &r.Fingerprint} {
		*text = c.Redact(*text) // an endpoint may repeat the key
	}
	if !ex.Kept {
		r.Latency = f.ended.Sub(f.started)
	}
	for most := c.mostOutput.Load(); r.Usage.Out.N > most && !c.mostOutput.CompareAndSwap(most, r.Usage.Out.N); most = c.mostOutput.Load() {
	}
	if c.priced {
		r.Cost = c.price.Cost(r.Usage)
	}
	return r
}

func toolArguments(m openai.ChatCompletionMessage) (string, bool) {
	switch {
	case len(m.ToolCalls) > 0:
		return m.ToolCalls[0].Function.Arguments, true
	case m.FunctionCall != nil:
		return m.FunctionCall.Arguments, true
	}
	return "", false
}

// generated is a reply that the endpoint itself took for a failure: it checks what the model wrote against the format and
// answers 400 with the text. What the model wrote is the model's answer, so it is given to the reader as any other.
func (c *Client) generated(f *flight, text string) *Reply {
	return &Reply{Text: c.Redact(text), Model: c.o.Endpoint.Model, Latency: f.ended.Sub(f.started)}
}

// settle puts what the attempt has used in the place of what was estimated, and tells the limiter how it went.
func (c *Client) settle(f *flight, reply *Reply, failed *Error) {
	if f.started.IsZero() {
		return
	}
	used, cost := f.tokens, f.aside
	switch {
	case reply != nil:
		c.o.Limiter.succeeded()
		if u := reply.Usage; u.In.Known && u.Out.Known {
			used = u.In.N + u.Out.N
		}
		if reply.Cost.Known {
			cost = reply.Cost.N
		}
	case failed == nil: // cancelled: it may have been computed and charged all the same
	case failed.Status >= 400 || failed.unsent:
		used, cost = 0, 0
	}
	if failed != nil && failed.Status == 429 {
		c.o.Limiter.limited(f.place)
	}
	c.pace.correct(f.tokens, used)
	if c.o.Purse != nil {
		c.o.Purse.settle(f.aside, cost)
	}
}

// note adds the attempt to the call's record and logs it.
func (k *call) note(f *flight, ex *wire.Exchange, wait time.Duration, reply *Reply, failed *Error) {
	at := Attempt{Status: ex.Status, Wait: wait, Sent: len(ex.Request), Got: len(ex.Body)}
	if failed != nil {
		at.Err = string(failed.Kind) + ": " + failed.Text
		k.c.status.failedWith(failed.Text)
	}
	if !f.started.IsZero() {
		at.Latency = f.ended.Sub(f.started)
		k.spent += at.Latency
		k.attempts = append(k.attempts, at)
	}
	if k.c.o.Log == nil {
		return
	}
	r := Record{
		Time: k.c.o.Now(), Model: k.c.o.Endpoint.Model, Scope: k.request.Scope, Number: len(k.attempts), Attempt: at,
		Format: f.asked.format, Kept: ex.Kept,
	}
	if reply != nil {
		r.Finish, r.Usage = reply.Finish, reply.Usage
	}
	if ex.StoreErr != nil {
		r.StoreErr = oneLine(k.c.Redact(ex.StoreErr.Error()), maxErrorText)
	}
	k.c.o.Log(r)
}

// Record tells of one attempt, for a log. It holds no secret and none of the messages' text.
type Record struct {
	Time   time.Time
	Model  string
	Scope  string
	Number int // of the attempt in its call, from 1; 0 where the answer was kept
	Attempt
	Format   Format
	Kept     bool // nothing was called
	Finish   string
	Usage    Usage
	StoreErr string // why the answer could not be kept, or empty
}

// backoff draws the wait before a retry: full jitter, up to 0.5 s doubled each time and at most 30 s.
func (c *Client) backoff(retries int) time.Duration {
	most := min(0.5*math.Pow(2, float64(retries)), 30)
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(float64(c.random.Float64()*most) * float64(time.Second))
}
