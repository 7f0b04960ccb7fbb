package cli

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/wire"
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
			mm := &modelMember{cast: c, options: o, endpoint: endpoint, prompt: p.prompt, examples: shots}
			m := &member{name: spec, costly: true, model: mm, learned: learned, settings: o.modelSettings(endpoint, p.name)}
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
	return b.members, b.connect()
}

// connect makes the clients. What the models note of themselves is whole by now.
func (b *modelBench) connect() error {
	if err := b.keep(); err != nil {
		return err
	}
	for i, m := range b.members {
		if i > 0 && b.members[i-1].learned == m.learned {
			m.model.client = b.members[i-1].model.client
			continue
		}
		var err error
		if m.model.client, err = b.client(m.model.endpoint, m.learned); err != nil {
			return modelError(m.name, err)
		}
	}
	return nil
}

// modelError says which model an error is about, unless it has a code that says what is to be done.
func modelError(name string, err error) error {
	if triage.CodeOf(err) != "" {
		return err
	}
	return usageError("model %s: %v", name, err)
}

// agent makes an agent of the model that asks through a completer.
func (m *modelMember) agent(c agent.Completer) (*agent.LLM, error) {
	return agent.NewLLM(agent.LLMOptions{Completer: c, Prompt: m.prompt, NoHandbook: m.options.model.NoHandbook,
		Examples: m.examples, Reask: m.options.model.Reask})
}

// promptHash names everything that the model is asked but for the ticket.
func (m *modelMember) promptHash() (string, error) {
	a, err := m.agent(&tallied{})
	if err != nil {
		return "", err
	}
	return a.PromptHash()
}

// maker makes agents of the model for a row, whose tickets are perturbed where kind is not empty.
func (m *modelMember) maker(row, kind string) func() (triage.Agent, error) {
	return func() (triage.Agent, error) {
		a, err := m.agent(&tallied{m.client, m.cast.calls, row})
		if err != nil || kind == "" {
			return a, err
		}
		return agent.Perturb(kind, a)
	}
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
	from := map[string]string{}
	for _, file := range list {
		n, err := o.prompt(file)
		if err != nil {
			return nil, err
		}
		if other, there := from[n.name]; there {
			return nil, usageError("--prompt %s and --prompt %s would both make the row NAME@%s: give the files other names", other, file, n.name)
		}
		from[n.name] = file
		out = append(out, n)
	}
	return out, nil
}

func (o *playOptions) prompt(file string) (named, error) {
	if file == defaultPrompt {
		p, err := agent.BuiltinPrompt()
		return named{defaultPrompt, p}, err
	}
	data, err := o.app.ReadFile(file)
	if err != nil {
		return named{}, fileProblem("read prompt", file, err)
	}
	base := filepath.Base(file)
	p, err := agent.ParsePrompt(file, string(data))
	return named{strings.TrimSuffix(base, filepath.Ext(base)), p}, err
}

// modelSettings are what decides the answers of a model, without its secrets.
func (o *playOptions) modelSettings(e llm.Endpoint, prompt string) map[string]string {
	m := &o.model
	s := map[string]string{"model": e.Model, "base_url": placeOf(e), "temperature": m.temperatureText(), "response_format": m.Format,
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
	optional("headers_digest", wire.Vary(e.Headers), wire.Vary(e.Headers) != "")
	if len(m.extra) > 0 {
		if data, err := json.Marshal(m.extra); err == nil { // it was read from JSON
			s["extra_body"] = string(data)
		}
	}
	redactor := wire.NewRedactor(e.Secrets()...) // people put keys where they do not belong
	for name, value := range s {
		s[name] = redactor.String(value)
	}
	return s
}

// placeOf is an endpoint's base URL without what may be secret in it.
func placeOf(e llm.Endpoint) string {
	u := *e.BaseURL
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
