package cli

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/results"
)

// modelOptions say how agents are asked that are not part of this program: models, programs, addresses.
type modelOptions struct {
	Models                             []string
	BaseURL, KeyVariable, APIVersion   string
	Temperature                        string // a number, or "none": the endpoint's own
	SeedRequest                        int64  // −1: none
	MaxOutputTokens                    int
	ReasoningEffort, ExtraBody, Format string
	Headers                            []string
	Timeout, MaxWait, Budget           time.Duration
	Concurrency, RPM, TPM              int
	MaxCost                            float64 // dollars; 0: no limit
	MaxConsecutive                     int
	Prices                             string
	Prompts                            []string
	FewShot, Reask                     int
	NoHandbook                         bool
	Cache, CacheDir                    string
	Record, Replay                     string
	Learned                            string
	DryRun                             bool
	CACert                             string
	Insecure                           bool
	ExecEnv                            []string
	// extra is ExtraBody, read.
	extra map[string]json.RawMessage
}

// Values of flags.
const (
	defaultConcurrency = 4
	temperatureNone    = "none"
	mostFewShot        = 50
	leastCost          = 1e-9 // dollars: what is counted
	mostCost           = 1e9
)

// responseFormats and cacheModes are the values of --response-format and --cache.
func responseFormats() []string {
	return []string{"auto", "json_schema", "json_object", "tools", "text"}
}
func cacheModes() []string { return []string{"on", "off", "read", "refresh"} }

// bindEndpoint adds the flags that say which model is asked, and how it is reached.
func (m *modelOptions) bindEndpoint(f *pflag.FlagSet) {
	f.StringArrayVar(&m.Models, "model", nil, "model of agent llm: a `NAME`, or PROVIDER:NAME ("+providerNames()+"); repeat it for several")
	f.StringVar(&m.BaseURL, "base-url", "", "`address` of the OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1 (default: the provider's, else OPENAI_BASE_URL)")
	f.StringVar(&m.KeyVariable, "api-key-env", "", "`name` of the variable that holds the key; the key itself stands in no flag or file (default: the provider's, else OPENAI_API_KEY)")
	f.StringVar(&m.APIVersion, "api-version", "", "`version` of Azure's interface (default: OPENAI_API_VERSION)")
	f.StringVar(&m.Temperature, "temperature", "0", "sampling temperature, sent also where it is 0; none leaves it to the endpoint")
	intFlag(f, &m.SeedRequest, "seed-request", -1, "seed that goes out with each request; -1 sends none")
	intFlag(f, &m.MaxOutputTokens, "max-output-tokens", 0, "most tokens of a reply, reasoning included; 0 sends no limit")
	f.StringVar(&m.ReasoningEffort, "reasoning-effort", "", "`effort` of models that reason, as the endpoint names it")
	f.StringVar(&m.ExtraBody, "extra-body", "", "JSON `object` whose members go into each request, such as '{\"top_k\":1}'")
	f.StringArrayVar(&m.Headers, "header", nil, "header of each request: `'Name: ${VARIABLE}'`; repeat it for several")
	choiceFlag(f, &m.Format, "response-format", "auto", responseFormats(), "how the form of the reply is asked for; auto begins with json_schema and goes down where it is refused")
	f.DurationVar(&m.Timeout, "timeout", 2*time.Minute, "longest wait for one reply, of a model or of a program")
	f.DurationVar(&m.MaxWait, "max-wait", 2*time.Minute, "longest wait that an endpoint may ask for; beyond it the run stops")
	f.StringVar(&m.CACert, "ca-cert", "", "PEM `file` of a certificate authority to trust beside the system's")
	f.BoolVar(&m.Insecure, "insecure", false, "do not check the endpoint's certificate")
}

// bind adds the flags of runs.
func (m *modelOptions) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	m.bindEndpoint(f)
	f.StringVar(&m.Learned, "learned", "", "`file` that triage doctor --write wrote: what the endpoint refuses")
	f.DurationVar(&m.Budget, "retry-budget", 5*time.Minute, "longest time for one call with its retries; a model may be loading")
	intFlag(f, &m.Concurrency, "concurrency", defaultConcurrency, "requests in flight at most, over all models; also the episodes played at once where --workers is not given")
	intFlag(f, &m.RPM, "rpm", 0, "requests a minute at most, a model; 0 sets no limit")
	intFlag(f, &m.TPM, "tpm", 0, "tokens a minute at most, a model, by an estimate that replies correct; 0 sets no limit")
	f.Float64Var(&m.MaxCost, "max-cost", 0, "US dollars that the run may cost at most, its part before --resume included; 0 sets no limit")
	intFlag(f, &m.MaxConsecutive, "max-consecutive-errors", 10, "calls that may fail one after the other before the run stops")
	f.StringVar(&m.Prices, "prices", "", "YAML `file` of prices that go before the built-in ones")
	f.StringArrayVar(&m.Prompts, "prompt", nil, "template `FILE` in place of the built-in prompt, which is called default; repeat it for several: each is a row of its own, NAME@prompt")
	intFlag(f, &m.FewShot, "few-shot", 0, "solved tickets of split train in each prompt")
	f.BoolVar(&m.NoHandbook, "no-handbook", false, "leave the handbook out of the prompt")
	intFlag(f, &m.Reask, "reask", 1, "how often a reply that cannot be read is asked again")
	choiceFlag(f, &m.Cache, "cache", "on", cacheModes(), "keep replies on disk and use them again")
	f.StringVar(&m.CacheDir, "cache-dir", "", "`folder` of kept replies (default: triage/llm in the user's cache folder)")
	f.StringVar(&m.Record, "record", "", "write the replies into a cassette in this `folder`")
	f.StringVar(&m.Replay, "replay", "", "take the replies from the cassette in this `folder`, without any call")
	f.BoolVar(&m.DryRun, "dry-run", false, "print which models would be called, how often and at what cost, and one prompt; call nothing")
	f.StringArrayVar(&m.ExecEnv, "exec-env", nil, "`name` of a variable that exec agents get beside PATH, HOME and LANG; repeat it for several")
}

// check refuses values that mean nothing.
func (m *modelOptions) check(f *pflag.FlagSet) error {
	for _, x := range []struct {
		name   string
		value  int64
		least  int64
		beyond int64
	}{{"max-output-tokens", int64(m.MaxOutputTokens), 0, math.MaxInt32}, {"seed-request", m.SeedRequest, -1, math.MaxInt64}, {"concurrency", int64(m.Concurrency), 1, mostWorkers},
		{"rpm", int64(m.RPM), 0, math.MaxInt32}, {"tpm", int64(m.TPM), 0, math.MaxInt32}, {"max-consecutive-errors", int64(m.MaxConsecutive), 1, math.MaxInt32},
		{"few-shot", int64(m.FewShot), 0, mostFewShot}, {"reask", int64(m.Reask), 0, 10}} {
		if f.Lookup(x.name) != nil && (x.value < x.least || x.value > x.beyond) {
			return usageError("--%s %d is not allowed; allowed is %d to %d", x.name, x.value, x.least, x.beyond)
		}
	}
	for _, x := range []struct {
		name  string
		value time.Duration
	}{{"timeout", m.Timeout}, {"max-wait", m.MaxWait}, {"retry-budget", m.Budget}} {
		if f.Lookup(x.name) != nil && x.value <= 0 {
			return usageError("--%s %s is not allowed; allowed is a time such as 30s or 5m", x.name, x.value)
		}
	}
	if m.MaxCost != 0 && !(m.MaxCost >= leastCost && m.MaxCost <= mostCost) {
		return usageError("--max-cost %v is not allowed; allowed is 0, or 0.000000001 to 1000000000 dollars", m.MaxCost)
	}
	if _, err := m.temperature(); err != nil {
		return err
	}
	if m.Record != "" && m.Replay != "" {
		return usageError("--record and --replay do not go together: one calls the endpoint, the other never does")
	}
	return m.readExtra()
}

func (m *modelOptions) readExtra() error {
	if m.ExtraBody == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(m.ExtraBody), &m.extra); err != nil || m.extra == nil {
		return usageError("--extra-body is not a JSON object, such as '{\"top_k\":1}'")
	}
	for _, name := range []string{"messages", "model", "stream"} {
		if _, there := m.extra[name]; there {
			return usageError("--extra-body has %q, which this program sets itself", name)
		}
	}
	return nil
}

// temperature is the number that goes out, or nil.
func (m *modelOptions) temperature() (*float64, error) {
	if m.Temperature == temperatureNone {
		return nil, nil
	}
	v, err := strconv.ParseFloat(m.Temperature, 64)
	if err != nil || !(v >= 0 && v <= 2) {
		return nil, usageError("--temperature %s is not allowed; allowed is a number from 0 to 2, or none", m.Temperature)
	}
	v = math.Abs(v) // −0 is 0
	return &v, nil
}

// temperatureText is the temperature in settings: one text for one number.
func (m *modelOptions) temperatureText() string {
	if v, err := m.temperature(); err == nil && v != nil {
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	return m.Temperature
}

// mostNano is the limit of costs in nano-dollars.
func (m *modelOptions) mostNano() int64 { return int64(math.Round(float64(m.MaxCost * 1e9))) }

// agreeAgents refuses flags of agents that do not play, and a model that nobody plays. What a file or variable sets for other
// runs has no effect where it does not belong.
func (o *playOptions) agreeAgents() error {
	has := func(is func(string) bool) bool { return slices.ContainsFunc(o.Agents, is) }
	model := has(func(name string) bool { return name == agentLLM })
	program := has(func(name string) bool { return strings.HasPrefix(name, prefixExec) })
	address := has(func(name string) bool { return isOutside(name) && !strings.HasPrefix(name, prefixExec) })
	switch {
	case model && len(o.model.Models) == 0:
		return usageError("agent llm needs a model: --model NAME or --model PROVIDER:NAME (%s)", providerNames())
	case !model && len(o.model.Models) > 0 && (o.given == nil || o.given["model"]):
		return usageError("--model goes with --agent llm")
	}
	for _, x := range []struct {
		flags []string
		fit   bool
		with  string
	}{{modelFlags(), model, "--agent llm"}, {[]string{"exec-env"}, program, "--agent exec:COMMAND"},
		{[]string{"header", "ca-cert", "insecure"}, model || address, "--agent llm or --agent http:URL"},
		{[]string{"timeout", "concurrency", "max-consecutive-errors"}, model || address || program, "--agent llm, exec:COMMAND or http:URL"}} {
		for _, name := range x.flags {
			if !x.fit && o.given[name] {
				return usageError("--%s goes with %s", name, x.with)
			}
		}
	}
	return nil
}

// modelFlags are the flags that mean something only where agent llm plays.
func modelFlags() []string {
	return []string{"base-url", "api-key-env", "api-version", "temperature", "seed-request", "max-output-tokens", "reasoning-effort", "extra-body", "response-format",
		"max-wait", "retry-budget", "rpm", "tpm", "max-cost", "prices", "prompt", "few-shot", "no-handbook", "reask", "cache", "cache-dir", "record", "replay", "learned"}
}

// agentList is the flag --agent: several names in one value, but a command or an address is taken as it stands.
type agentList struct {
	values  *[]string
	changed bool
}

var (
	_ pflag.Value      = (*agentList)(nil)
	_ pflag.SliceValue = (*agentList)(nil)
)

// String renders the values.
func (a *agentList) String() string {
	if a.values == nil {
		return ""
	}
	return results.JoinAgents(*a.values)
}

// Type names the flag's kind in help.
func (a *agentList) Type() string { return "agent" }

// Set adds agents; the first call replaces the default.
func (a *agentList) Set(text string) error {
	if !a.changed {
		*a.values, a.changed = nil, true
	}
	return a.Append(text)
}

// Append adds agents.
func (a *agentList) Append(text string) error {
	if isOutside(text) {
		*a.values = append(*a.values, text)
		return nil
	}
	*a.values = append(*a.values, split(text)...)
	return nil
}

// Replace replaces all agents.
func (a *agentList) Replace(values []string) error {
	*a.values, a.changed = nil, true
	for _, v := range values {
		if err := a.Append(v); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice gives the agents.
func (a *agentList) GetSlice() []string { return *a.values }

// Kinds of agents that are not part of this program, as --agent begins.
const (
	agentLLM   = "llm"
	prefixExec = "exec:"
	prefixHTTP = "http:"
)

// isOutside tells whether an agent is a command or an address.
func isOutside(name string) bool {
	return strings.HasPrefix(name, prefixExec) || strings.HasPrefix(name, prefixHTTP) || strings.HasPrefix(name, "https:")
}
