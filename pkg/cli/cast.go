package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// member is an agent of a run: a row of its tables.
type member struct {
	name string
	make func() (triage.Agent, error)
	// costly agents are models and programs: their steps are kept as they finish.
	costly bool
	// settings decide what the agent answers; they stand in run.json and in results files.
	settings map[string]string
	model    *modelMember   // or nil
	crashes  *agent.Crashes // of a program or address, or nil
}

// cast are the agents of a run, in the order of their rows, and what is counted of them beside their scores.
type cast struct {
	app         *App
	members     []*member
	models      *results.Models
	calls       *results.Calls
	reliability *results.Reliability // nil where each episode is played once
	bench       *modelBench          // of models; nil where none plays
	closers     []func() error
}

// newCast makes the agents that the flags name. Models are neither called nor looked for yet. examples gives the solved
// tickets of --few-shot, by task.
func newCast(o *playOptions, examples func() (map[string][]agent.Example, error)) (*cast, error) {
	c := &cast{app: o.app, models: results.NewModels(), calls: results.NewCalls()}
	if o.Trials > 1 {
		c.reliability = &results.Reliability{}
	}
	if err := o.agreeModels(); err != nil {
		return nil, err
	}
	for _, name := range o.Agents {
		var list []*member
		var err error
		switch {
		case name == agentLLM:
			list, err = c.modelMembers(o, examples)
		case isOutside(name):
			list, err = c.outside(o, name)
		default:
			if _, err = agent.New(name); err == nil {
				list = []*member{{name: name, make: func() (triage.Agent, error) { return agent.New(name) }}}
			}
		}
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			c.members = append(c.members, m)
			c.members = append(c.members, perturbedMembers(m, o.Perturb)...)
		}
	}
	seen := map[string]bool{}
	for _, m := range c.members {
		if seen[m.name] {
			return nil, usageError("agent %s is given twice", m.name)
		}
		seen[m.name] = true
	}
	return c, nil
}

// agreeModels refuses flags of models where no model plays, and a model that nobody plays.
func (o *playOptions) agreeModels() error {
	llm := slices.Contains(o.Agents, agentLLM)
	switch {
	case llm && len(o.model.Models) == 0:
		return usageError("agent llm needs a model: --model NAME or --model PROVIDER:NAME (%s)", providerNames())
	case !llm && len(o.model.Models) > 0 && (o.given == nil || o.given["model"]):
		return usageError("--model goes with --agent llm")
	}
	if llm || o.given == nil {
		return nil
	}
	for _, name := range modelFlags() {
		if o.given[name] {
			return usageError("--%s goes with --agent llm", name)
		}
	}
	return nil
}

func perturbedMembers(m *member, kinds []string) []*member {
	var out []*member
	for _, kind := range kinds {
		p := *m
		p.name, p.settings = agent.PerturbedName(m.name, kind), maps.Clone(m.settings)
		if p.settings == nil {
			p.settings = map[string]string{}
		}
		p.settings["perturb"] = kind
		p.make = func() (triage.Agent, error) {
			inner, err := m.make()
			if err != nil {
				return nil, err
			}
			return agent.Perturb(kind, inner)
		}
		if m.model != nil {
			p.make = m.model.maker(p.name, kind)
		}
		out = append(out, &p)
	}
	return out
}

// names are the agents' names in the order of their rows.
func (c *cast) names() []string {
	var out []string
	for _, m := range c.members {
		out = append(out, m.name)
	}
	return out
}

func (c *cast) find(name string) *member {
	for _, m := range c.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

func (c *cast) newAgent(name string) (triage.Agent, error) {
	m := c.find(name)
	if m == nil {
		return nil, usageError("agent %s is none of this run", name)
	}
	return m.make()
}

// costly tells whether the steps of an agent are kept as they finish.
func (c *cast) costly(name string) bool {
	m := c.find(name)
	return m != nil && m.costly
}

func (c *cast) anyCostly() bool {
	return slices.ContainsFunc(c.members, func(m *member) bool { return m.costly })
}

// settings are those of all agents, for run.json.
func (c *cast) settings() results.Settings {
	s := results.Settings{}
	for _, m := range c.members {
		for k, v := range m.settings {
			s[settingAgent(m.name)+k] = v
		}
	}
	return s
}

// take counts what episodes hold beside their scores.
func (c *cast) take(place int, ep *triage.Episode) {
	c.models.Add(place, ep)
	if c.reliability != nil {
		c.reliability.Add(ep)
	}
}

// open prepares the files of a run folder that are the agents'.
func (c *cast) open(o *playOptions) error {
	if o.Out == "" || !slices.ContainsFunc(c.members, func(m *member) bool { return m.model != nil }) {
		return nil
	}
	root, err := o.app.OpenRoot(o.Out)
	if err != nil {
		return err
	}
	c.closers = append(c.closers, root.Close)
	if !o.Resume {
		// A call of another run would count here; the folder is refused later if it holds a run.
		if exists(root, results.RunFile) || exists(root, results.JournalFile) {
			return nil
		}
	}
	return c.calls.Open(root)
}

// close writes and closes what the agents have open. Its errors matter: calls that were paid for may be lost.
func (c *cast) close() error {
	err := c.calls.Close()
	for _, f := range slices.Backward(c.closers) {
		if e := f(); err == nil {
			err = e
		}
	}
	c.closers = nil
	return err
}

// waiting says what is waited for, or nothing.
func (c *cast) waiting() string {
	var parts []string
	for _, m := range c.members {
		if m.model != nil && m.model.client != nil {
			if text := m.model.client.Status().String(); text != "" && !slices.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "; ")
}

// crashLines tell what went wrong with programs.
func (c *cast) crashLines() []string {
	var out []string
	seen := map[*agent.Crashes]bool{}
	for _, m := range c.members {
		if m.crashes == nil || seen[m.crashes] {
			continue
		}
		seen[m.crashes] = true
		if n := m.crashes.Counts(); n.Total() > 0 {
			out = append(out, fmt.Sprintf("%s: %s; each counts as no answer, and the program was started again.", m.name, n))
		}
	}
	return out
}

// outside makes the agent that is a command or an address.
func (c *cast) outside(o *playOptions, name string) ([]*member, error) {
	m := &member{name: name, costly: true, crashes: &agent.Crashes{}}
	command, isExec := strings.CutPrefix(name, prefixExec)
	stderr := &lockedWriter{w: o.app.Err} // of all workers
	if isExec {
		env, err := agent.ExecEnv(o.app.Environ(), o.model.ExecEnv)
		if err != nil {
			return nil, err
		}
		m.make = func() (triage.Agent, error) {
			return agent.NewExec(agent.ExecOptions{Name: name, Command: command, Start: o.app.Start, Env: env, Timeout: o.model.Timeout,
				Stderr: stderr, Crashes: m.crashes, MaxConsecutive: o.model.MaxConsecutive})
		}
		m.settings = map[string]string{"exec_env": strings.Join(o.model.ExecEnv, ",")}
	} else {
		address := strings.TrimPrefix(name, prefixHTTP)
		if strings.HasPrefix(name, "https:") {
			address = name
		}
		transport, err := o.model.transport(o.app)
		if err != nil {
			return nil, err
		}
		headers, err := llm.ParseHeaders(o.model.Headers, o.app.LookupEnv)
		if err != nil {
			return nil, usageError("%v", err)
		}
		m.make = func() (triage.Agent, error) {
			return agent.NewHTTP(agent.HTTPOptions{URL: address, Transport: transport, Headers: headers, Timeout: o.model.Timeout, Crashes: m.crashes,
				MaxConsecutive: o.model.MaxConsecutive})
		}
	}
	a, err := m.make()
	if err != nil {
		return nil, err
	}
	if h, ok := a.(interface{ Name() string }); ok {
		m.name = h.Name()
	}
	return []*member{m}, closeAgent(a)
}

func closeAgent(a triage.Agent) error {
	if c, ok := a.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// userFolder opens a folder of the user's, making it where it does not exist.
func userFolder(app *App, flag, name string) (*os.Root, error) {
	if name == "" {
		return nil, usageError("%s names no folder", flag)
	}
	return app.OpenRoot(name)
}

// settingsOf are the settings of an agent for its results file, with what its endpoint was found to refuse.
func (c *cast) settingsOf(name string) map[string]string {
	m := c.find(name)
	if m == nil || m.settings == nil {
		return nil
	}
	s := maps.Clone(m.settings)
	if m.model != nil {
		l := m.model.learned.get()
		if l.Format != "" {
			s["learned_format"] = l.Format
		}
		if len(l.Notes) > 0 {
			s["learned"] = strings.Join(l.Notes, "; ")
		}
	}
	return s
}

// report adds what was counted beside scores.
func (c *cast) report(rep *report.Report, r *playResult) {
	if list := r.reliabilities(); len(list) > 0 {
		rep.Tables = append(rep.Tables, reliabilityTable(list))
	}
	if list := perturbedScores(r.options.Agents, r.taskNames(), r.records); len(list) > 0 {
		rep.Tables = append(rep.Tables, perturbationTable(list))
	}
	models := modelTables(r.agents, c.calls)
	rep.Tables = append(rep.Tables, models...)
	if models != nil {
		rep.Lines = append(rep.Lines, costNote)
	}
	said := map[*learnedOf]bool{}
	for _, m := range c.members {
		if m.model == nil || said[m.model.learned] {
			continue
		}
		said[m.model.learned] = true
		for _, n := range m.model.learned.get().Notes {
			rep.Lines = append(rep.Lines, m.model.endpoint.Model+": "+n+".")
		}
	}
	rep.Lines = append(rep.Lines, c.crashLines()...)
}

// reliabilities are the figures of several trials, in the order of the tables.
func (r *playResult) reliabilities() []results.TaskReliability {
	var out []results.TaskReliability
	for _, a := range r.agents {
		for i := range a.Tasks {
			if f := a.Tasks[i].Reliability; f != nil {
				out = append(out, *f)
			}
		}
	}
	return out
}

// taskNames are the tasks that were played, in the order of the tables.
func (r *playResult) taskNames() []string {
	var out []string
	for _, a := range r.agents {
		for i := range a.Tasks {
			if name := a.Tasks[i].Task.Name; !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// storedCast are the agents of a run that is over: they answer nothing, and have the settings that the run notes of them.
func storedCast(app *App, o *playOptions, settings results.Settings) *cast {
	c := &cast{app: app, models: results.NewModels(), calls: results.NewCalls()}
	if o.Trials > 1 {
		c.reliability = &results.Reliability{}
	}
	for _, name := range o.Agents {
		m := &member{name: name}
		for _, key := range slices.Sorted(maps.Keys(settings)) {
			if rest, ok := strings.CutPrefix(key, settingAgent(name)); ok {
				if m.settings == nil {
					m.settings = map[string]string{}
				}
				m.settings[rest] = settings[key]
			}
		}
		c.members = append(c.members, m)
	}
	return c
}

// settingAgent begins the names of an agent's settings in run.json.
func settingAgent(name string) string { return "agent " + name + ": " }
