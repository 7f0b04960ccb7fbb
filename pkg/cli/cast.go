package cli

import (
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/costs"
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
	// programs are hashes of the files that a command names; they stand in run.json only.
	programs results.Settings
	model    *modelMember // or nil
	linear   *agent.LinearModel
	learned  *learnedOf     // of a model's endpoint, or nil
	crashes  *agent.Crashes // of a program or address, or nil
	waits    *waits         // of a program or address, or nil
}

// flag is the one that names the agent.
func (m *member) flag() string {
	if m.model != nil {
		return "model"
	}
	return "agent"
}

// cast are the agents of a run, in the order of their rows, and what is counted of them beside their scores.
type cast struct {
	app         *App
	members     []*member
	models      *results.Models
	calls       *results.Calls
	refusals    map[results.Pair][]refusal
	reliability *results.Reliability // nil where each episode is played once
	confidence  results.Confidences
	costs       *costs.Tally // nil without a cost matrix
	handover    *float64     // what a ticket costs that a person answers, or nil
	bench       *modelBench  // of models; nil where none plays
	stored      bool         // the run is over: nobody is asked
	closers     []func() error
}

// newCast makes the agents that the flags name. Models are neither called nor looked for yet. examples gives the solved
// tickets of --few-shot, by task. What is open when it fails is closed.
func newCast(o *playOptions, examples func() (map[string][]agent.Example, error)) (*cast, error) {
	c := &cast{app: o.app, models: results.NewModels(), calls: results.NewCalls()}
	if o.Trials > 1 {
		c.reliability = &results.Reliability{}
	}
	if err := c.fill(o, examples); err != nil {
		return nil, closing(err, c.close)
	}
	return c, nil
}

// closing closes after an error. What the close says is told too.
func closing(err error, end func() error) error {
	if e := end(); e != nil {
		return errors.Join(err, e)
	}
	return err
}

func (c *cast) fill(o *playOptions, examples func() (map[string][]agent.Example, error)) error {
	if err := o.agreeAgents(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, name := range o.Agents {
		list, err := c.named(o, name, examples)
		if err != nil {
			return err
		}
		for _, m := range list {
			if _, kind, ok := agent.CutPerturbed(m.name); ok {
				return usageError("agent %s: names that end in +%s are those of perturbed agents (--perturb %s)", m.name, kind, kind)
			}
			for _, m := range append([]*member{m}, perturbedMembers(m, o.Perturb)...) {
				if seen[m.name] {
					return usageError("--%s %s is given twice", m.flag(), m.name)
				}
				seen[m.name] = true
				c.members = append(c.members, m)
			}
		}
	}
	return nil
}

// named makes the rows of one value of --agent.
func (c *cast) named(o *playOptions, name string, examples func() (map[string][]agent.Example, error)) ([]*member, error) {
	switch {
	case name == agentLLM:
		return c.modelMembers(o, examples)
	case isOutside(name):
		return c.outside(o, name)
	case isLinear(name):
		return c.linearMembers(o, name)
	}
	if _, err := agent.New(name); err != nil {
		if triage.CodeOf(err) == triage.CodeUsage {
			return nil, usageError("unknown agent %q: the agents are %s, linear:FILE, llm (with --model), exec:COMMAND and http:URL%s", name, agentNames(), agentMeant(name))
		}
		return nil, err
	}
	return []*member{{name: name, make: func() (triage.Agent, error) { return agent.New(name) }}}, nil
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
			s[results.AgentSettingPrefix(m.name)+k] = v
		}
		maps.Copy(s, m.programs)
	}
	return s
}

// take counts what episodes hold beside their scores.
func (c *cast) take(place int, ep *triage.Episode) {
	c.models.Add(place, ep)
	if c.reliability != nil {
		c.reliability.Add(ep)
	}
	c.confidence.Add(ep)
	if c.costs != nil {
		c.costs.Add(ep)
	}
	c.noteRefusals(place, ep)
}

// begin prepares the files of models in a run folder, which is this run's by now; fresh tells that the run begins and does not
// go on. What an earlier part of the run has spent counts.
func (c *cast) begin(root *os.Root, fresh bool) error {
	if c.bench == nil {
		return nil
	}
	if fresh { // what is left of another run does not count
		if err := root.Remove(results.CallsFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fileProblem("remove", root.Name()+"/"+results.CallsFile, err)
		}
	}
	if err := c.calls.Open(root); err != nil {
		return err
	}
	return c.bench.begin(root, c.calls)
}

// close writes and closes what the agents have open. Its errors matter: calls that were paid for may be lost.
func (c *cast) close() error {
	err := c.calls.Close()
	for _, f := range slices.Backward(c.closers) {
		err = errors.Join(err, f())
	}
	c.closers = nil
	return err
}
