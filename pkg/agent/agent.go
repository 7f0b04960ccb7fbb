// Package agent has the agents: a file each, and the table by which they are found. An agent sees observations only; its
// data lies in baselines/<name>. Start at [New].
package agent

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// Info describes an agent of the table.
type Info struct {
	Name, What string
	// Local agents need the environment in the same process.
	Local bool
	new   func() (triage.Agent, error)
}

// table lists the agents in the order in which they are listed to people.
func table() []Info {
	return []Info{
		{Name: "random", What: "uniform over the action space", new: newRandom},
		{Name: "constant", What: "the best single action, found on train", new: newConstant},
		{Name: "keyword", What: "word lists written from train; no structure, no negation", new: newKeyword},
		{Name: "heuristic", What: "rules over subject, body and metadata, and the handbook's arithmetic", new: newHeuristic},
		{Name: "linear", What: "text classifier trained on train: n-grams of words, and the handbook's arithmetic", new: newLinear},
		{Name: "oracle", What: "the truth; local environments only", Local: true, new: newOracle},
	}
}

// List describes all agents.
func List() []Info { return table() }

// New makes an agent by its name. One agent plays one episode at a time.
func New(name string) (triage.Agent, error) {
	names := []string{}
	for _, a := range table() {
		if a.Name == name {
			return a.new()
		}
		names = append(names, a.Name)
	}
	return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("unknown agent %q: the agents are %s%s", name, strings.Join(names, ", "), near.Hint(name, names))}
}
