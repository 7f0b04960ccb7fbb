package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/configs"
	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/store"
	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// modelMember is what a row needs of its model. The client is shared by the rows of one model.
type modelMember struct {
	cast     *cast
	options  *playOptions
	endpoint llm.Endpoint
	client   *llm.Client
	prompt   *agent.Prompt
	examples map[string][]agent.Example // by task
	learned  *learnedOf
}

// learnedOf is what a client has learned of its endpoint.
type learnedOf struct {
	mu sync.Mutex
	l  wire.Learned
}

func (l *learnedOf) set(v wire.Learned) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.l = v
}

func (l *learnedOf) get() wire.Learned {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.l
}

func providerNames() string { return strings.Join(llm.Providers(), ", ") }

// modelMembers makes a row for each model and prompt. examples gives the solved tickets of --few-shot, by task.
func (c *cast) modelMembers(o *playOptions, examples func() (map[string][]agent.Example, error)) ([]*member, error) {
	b, err := newModelBench(o)
	if err != nil {
		return nil, err
	}
	c.bench = b
	c.closers = append(c.closers, b.close)
	prompts, err := o.prompts()
	if err != nil {
		return nil, err
	}
	shots, err := examples()
	if err != nil {
		return nil, err
	}
	for _, spec := range o.model.Models {
		endpoint, err := b.endpoint(spec)
		if err != nil {
			return nil, err
		}
		learned := &learnedOf{}
		for _, p := range prompts {
			mm := &modelMember{cast: c, options: o, endpoint: endpoint, prompt: p.prompt, learned: learned, examples: shots}
			m := &member{name: spec, costly: true, model: mm, settings: o.modelSettings(endpoint, p.name)}
			if len(o.model.Prompts) > 0 {
				m.name += "@" + p.name
			}
			m.make = mm.maker(m.name, "")
			if m.settings["prompt_hash"], err = mm.promptHash(); err != nil {
				return nil, err
			}
			b.members = append(b.members, m)
		}
	}
	for i, m := range b.members { // what they note of themselves is whole now
		if i > 0 && b.members[i-1].model.learned == m.model.learned {
			m.model.client = b.members[i-1].model.client
			continue
		}
		if m.model.client, err = b.client(m.model.endpoint, m.model.learned); err != nil {
			return nil, modelError(m.name, err)
		}
	}
	return b.members, nil
}

// modelError says which model an error is about, unless it has a code that says what is to be done.
func modelError(name string, err error) error {
	if triage.CodeOf(err) != "" {
		return err
	}
	return usageError("model %s: %v", name, err)
}

// promptHash names everything that the model is asked but for the ticket.
func (m *modelMember) promptHash() (string, error) {
	a, err := agent.NewLLM(agent.LLMOptions{Completer: &tallied{}, Prompt: m.prompt, NoHandbook: m.options.model.NoHandbook,
		Examples: m.examples, Reask: m.options.model.Reask})
	if err != nil {
		return "", err
	}
	return a.PromptHash()
}

// named is a prompt with the name that its rows have.
type named struct {
	name   string
	prompt *agent.Prompt
}

const defaultPrompt = "default"

// prompts reads the prompts that the flags name.
func (o *playOptions) prompts() ([]named, error) {
	list := o.model.Prompts
	if len(list) == 0 {
		list = []string{defaultPrompt}
	}
	var out []named
	for _, file := range list {
		n := named{name: defaultPrompt}
		var err error
		if file == defaultPrompt {
			n.prompt, err = agent.BuiltinPrompt()
		} else {
			var data []byte
			if data, err = o.app.ReadFile(file); err != nil {
				return nil, fileProblem("read prompt", file, err)
			}
			base := filepath.Base(file)
			n.name = strings.TrimSuffix(base, filepath.Ext(base))
			n.prompt, err = agent.ParsePrompt(file, string(data))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// modelSettings are what decides the answers of a model, without its secrets.
func (o *playOptions) modelSettings(e llm.Endpoint, prompt string) map[string]string {
	m := &o.model
	s := map[string]string{"model": e.Model, "base_url": placeOf(e), "temperature": m.Temperature, "response_format": m.Format,
		"prompt": prompt, "handbook": strconv.FormatBool(!m.NoHandbook), "few_shot": strconv.Itoa(m.FewShot), "reask": strconv.Itoa(m.Reask)}
	optional := func(name, value string, there bool) {
		if there {
			s[name] = value
		}
	}
	optional("provider", e.Provider, e.Provider != "")
	optional("api_version", e.APIVersion, e.APIVersion != "")
	optional("seed_request", strconv.FormatInt(m.SeedRequest, 10), m.SeedRequest >= 0)
	optional("max_output_tokens", strconv.Itoa(m.MaxOutputTokens), m.MaxOutputTokens > 0)
	optional("reasoning_effort", m.ReasoningEffort, m.ReasoningEffort != "")
	optional("headers", strings.Join(slices.Sorted(maps.Keys(e.Headers)), ","), len(e.Headers) > 0)
	if len(m.extra) > 0 {
		if data, err := json.Marshal(m.extra); err == nil { // it was read from JSON
			s["extra_body"] = string(data)
		}
	}
	return s
}

// placeOf is an endpoint's base URL without what may be secret in it.
func placeOf(e llm.Endpoint) string {
	u := *e.BaseURL
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// maker makes agents of the model for a row, whose tickets are perturbed where kind is not empty.
func (m *modelMember) maker(row, kind string) func() (triage.Agent, error) {
	return func() (triage.Agent, error) {
		a, err := agent.NewLLM(agent.LLMOptions{Completer: &tallied{m.client, m.cast.calls, row}, Prompt: m.prompt, NoHandbook: m.options.model.NoHandbook,
			Examples: m.examples, Reask: m.options.model.Reask})
		if err != nil || kind == "" {
			return a, err
		}
		return agent.Perturb(kind, a)
	}
}

// tallied counts the calls of a row.
type tallied struct {
	client *llm.Client
	calls  *results.Calls
	agent  string
}

var _ agent.Completer = (*tallied)(nil)

// Complete asks the client and counts the call.
func (c *tallied) Complete(ctx context.Context, r llm.Request) (*llm.Reply, error) {
	reply, err := c.client.Complete(ctx, r)
	task, _, _ := strings.Cut(r.Scope, "/")
	call := results.Call{Agent: c.agent, Task: task, Scope: r.Scope, Attempts: []results.Attempt{}}
	var failed *llm.Error
	switch {
	case err == nil:
		call.Kept = reply.Kept
		call.Attempts = attemptsOf(reply.Attempts)
		if reply.Cost.Known {
			call.CostNano = &reply.Cost.N
		}
	case errors.As(err, &failed):
		call.Attempts, call.Error = attemptsOf(failed.Attempts), failed.Error()
		if len(failed.Attempts) == 0 { // it was never sent
			return reply, err
		}
	default:
		return reply, err // interrupted
	}
	c.calls.Add(&call)
	return reply, err
}

func attemptsOf(list []llm.Attempt) []results.Attempt {
	out := make([]results.Attempt, len(list))
	for i, a := range list {
		out[i] = results.Attempt{Status: a.Status, WaitMS: a.Wait.Milliseconds(), LatencyMS: a.Latency.Milliseconds(), Sent: a.Sent, Got: a.Got, Error: a.Err}
	}
	return out
}

// modelBench makes clients with what they share: the network, the limits, the money, what is kept.
type modelBench struct {
	options   *playOptions
	members   []*member
	transport http.RoundTripper
	limiter   *llm.Limiter
	purse     *llm.Purse
	prices    *llm.Prices
	memory    store.Memory // nil: nothing is kept
	cache     *store.Cache
	recorder  *store.Recorder
	player    *store.Player
	given     map[string]wire.Learned // of --learned, or of the run that goes on, by endpoint
	secrets   []wire.Secret
	mu        sync.Mutex
	learned   map[string]wire.Learned // in this run
	closers   []func() error
}

func newModelBench(o *playOptions) (*modelBench, error) {
	b := &modelBench{options: o, learned: map[string]wire.Learned{}}
	var err error
	if b.transport, err = o.model.transport(o.app); err != nil {
		return nil, err
	}
	if b.limiter, err = llm.NewLimiter(max(1, o.model.Concurrency)); err != nil {
		return nil, usageError("%v", err)
	}
	if o.model.MaxCost > 0 {
		if b.purse, err = llm.NewPurse(int64(o.model.MaxCost * 1e9)); err != nil {
			return nil, usageError("--max-cost: %v", err)
		}
	}
	if b.prices, err = o.prices(); err != nil {
		return nil, err
	}
	file := o.model.Learned
	if file == "" && o.Resume && o.Out != "" {
		if file = filepath.Join(o.Out, results.LearnedFile); !isThere(o.app, file) {
			return b, nil // the run has learned nothing
		}
	}
	if file == "" {
		return b, nil
	}
	data, err := o.app.ReadFile(file)
	if err != nil {
		return nil, fileProblem("read", file, err)
	}
	b.given, err = parseLearned(data, file)
	return b, err
}

// isThere tells whether a file can be opened.
func isThere(app *App, name string) bool {
	f, err := app.OpenFile(name)
	if err != nil {
		return false
	}
	_ = f.Close() // it was only looked for
	return true
}

// prices are the built-in ones with those of --prices over them.
func (o *playOptions) prices() (*llm.Prices, error) {
	builtin, err := llm.ParsePrices(configs.Prices, "configs/prices.yaml")
	if err != nil || o.model.Prices == "" {
		return builtin, err
	}
	data, err := o.app.ReadFile(o.model.Prices)
	if err != nil {
		return nil, fileProblem("read prices", o.model.Prices, err)
	}
	own, err := llm.ParsePrices(data, o.model.Prices)
	if err != nil {
		return nil, usageError("%v", err)
	}
	return own.Over(builtin), nil
}

// endpoint reads a model as the user named it.
func (b *modelBench) endpoint(spec string) (llm.Endpoint, error) {
	e, err := b.options.model.endpoint(b.options.app, spec)
	if err != nil {
		return e, err
	}
	b.secrets = append(b.secrets, e.Key)
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		for _, v := range e.Headers[name] {
			b.secrets = append(b.secrets, wire.Secret(v))
		}
	}
	return e, nil
}

// client makes the client of an endpoint.
func (b *modelBench) client(e llm.Endpoint, learned *learnedOf) (*llm.Client, error) {
	o, m := b.options, &b.options.model
	opts, err := m.clientOptions(o.app, e, b.transport)
	if err != nil {
		return nil, err
	}
	opts.Limiter, opts.Purse, opts.Prices = b.limiter, b.purse, b.prices
	if !m.DryRun {
		if err := b.keep(); err != nil {
			return nil, err
		}
	}
	name := store.Endpoint(placeOf(e), e.Model)
	if b.memory != nil {
		opts.Store = b.memory
		opts.Learned, _ = b.memory.Learned(name)
	}
	if l, ok := b.given[name]; ok {
		opts.Learned = l
	}
	learned.set(opts.Learned)
	opts.OnLearn = func(l wire.Learned) {
		learned.set(l)
		if err := b.keepLearned(name, l); err != nil {
			o.app.warn("%v", err)
		}
	}
	return llm.New(opts)
}

// keepLearned writes down what was learned, so that a second run and a resumed one send the same.
func (b *modelBench) keepLearned(name string, l wire.Learned) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.learned[name] = l
	if b.memory != nil {
		if err := b.memory.SetLearned(name, l); err != nil {
			return err
		}
	}
	if b.options.Out == "" {
		return nil
	}
	root, err := b.options.app.OpenRoot(b.options.Out)
	if err != nil {
		return err
	}
	return errors.Join(writeLearned(root, results.LearnedFile, b.learned), root.Close())
}

// keep opens cache and cassette, once.
func (b *modelBench) keep() error {
	if b.memory != nil || b.cache != nil {
		return nil
	}
	o, m := b.options, &b.options.model
	redact := b.redact
	if m.Replay != "" {
		root, err := o.app.OpenExisting(m.Replay)
		if err != nil {
			return fileProblem("open cassette", m.Replay, err)
		}
		b.closers = append(b.closers, root.Close)
		if b.player, err = store.Replay(root, store.CassetteOptions{Settings: b.noted(), Redact: redact}); err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: "replay", Err: err}
		}
		b.memory = b.player
		return nil
	}
	if m.Cache != string(store.Off) {
		dir := m.CacheDir
		if dir == "" {
			base, err := o.app.CacheDir()
			if err != nil {
				return usageError("there is no folder for the cache (%v): give --cache-dir DIR, or --cache off", err)
			}
			dir = filepath.Join(base, "triage", "llm")
		}
		root, err := userFolder(o.app, "--cache-dir", dir)
		if err != nil {
			return err
		}
		b.closers = append(b.closers, root.Close)
		if b.cache, err = store.OpenCache(root, store.CacheOptions{Mode: store.Mode(m.Cache), Now: o.app.Now, Redact: redact}); err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: "cache", Err: err}
		}
		b.memory = b.cache
	}
	if m.Record != "" {
		root, err := userFolder(o.app, "--record", m.Record)
		if err != nil {
			return err
		}
		if b.recorder, err = store.Record(root, store.CassetteOptions{Settings: b.noted(), Redact: redact}); err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: "record", Err: errors.Join(err, root.Close())}
		}
		b.closers = append(b.closers, root.Close, b.recorder.Close)
		if b.memory == nil {
			b.memory = b.recorder
		} else {
			b.memory = store.Chain(b.recorder, b.memory)
		}
	}
	return nil
}

// noted are the settings that a cassette notes: those of all rows.
func (b *modelBench) noted() map[string]string {
	out := map[string]string{}
	for _, m := range b.members {
		for k, v := range m.settings {
			out[m.name+": "+k] = v
		}
	}
	return out
}

// redact takes the run's secrets out of what is written.
func (b *modelBench) redact(data []byte) []byte {
	return wire.NewRedactor(b.secrets...).Bytes(data)
}

func (b *modelBench) close() error {
	var err error
	for _, f := range slices.Backward(b.closers) {
		err = errors.Join(err, f())
	}
	b.closers = nil
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "cassette", Err: err}
	}
	return nil
}

// lockedWriter writes for several goroutines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
