package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/triage"
)

// The agent that has learned: with the embedded model, or with one of `triage train`.
const (
	agentLinear  = "linear"
	prefixLinear = agentLinear + ":"
)

// isLinear tells whether a name of --agent is the one that has learned.
func isLinear(name string) bool { return name == agentLinear || strings.HasPrefix(name, prefixLinear) }

// openLinear reads the model that a name of --agent asks for.
func openLinear(app *App, name string) (*agent.LinearModel, error) {
	file, ok := strings.CutPrefix(name, prefixLinear)
	if !ok {
		return agent.EmbeddedLinear()
	}
	if file == "" {
		return nil, usageError("agent %s names no model: linear:FILE, with a file of triage train", name)
	}
	f, err := app.OpenFile(file)
	if err != nil {
		return nil, fileProblem("open model", file, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, fileProblem("read model", file, err)
	case info.IsDir():
		return nil, usageError("model %s is a folder, not a file of triage train", file)
	}
	m, err := agent.ReadLinear(f)
	if err != nil && triage.CodeOf(err) == triage.CodeUsage {
		return nil, usageError("model %s: %v", file, err)
	}
	if err != nil {
		return nil, fileProblem("read model", file, err)
	}
	return m, nil
}

// linearMembers makes the row of an agent that has learned.
func (c *cast) linearMembers(o *playOptions, name string) ([]*member, error) {
	model, err := openLinear(c.app, name)
	if err != nil {
		return nil, err
	}
	if o.Tickets == "" && !model.About.Bank {
		return nil, usageError("agent %s: the model was trained on tickets of yours, with the labels %s: it plays --tickets FILE only", name, modelLabels(model))
	}
	return []*member{{name: name, linear: model, settings: linearSettings(model), make: func() (triage.Agent, error) { return agent.NewLinear(model) }}}, nil
}

// modelLabels lists what a model answers.
func modelLabels(m *agent.LinearModel) string {
	var out []string
	for _, x := range m.Bundle.Models() {
		out = append(out, x.Name())
	}
	return strings.Join(out, ", ")
}

// linearSettings are what decides the answers of a model, for run.json and results files.
func linearSettings(m *agent.LinearModel) map[string]string {
	s := map[string]string{"weights": m.Digest, "trained_on": m.About.Source, "trained_tickets": strconv.Itoa(m.About.Tickets)}
	if m.About.Side != "" {
		s["trained_side"] = m.About.Side
	}
	return s
}

// fitLinear looks whether the models were trained for the columns that are played, and says which values only one side has, and
// where what is played was learned.
func (c *cast) fitLinear(m *imported) error {
	values := map[string][]string{}
	for _, x := range m.columns {
		values[x.Name] = x.Values
	}
	told := map[*agent.LinearModel]bool{} // perturbed agents have the same one
	for _, a := range c.members {
		if a.linear == nil || told[a.linear] {
			continue
		}
		told[a.linear] = true
		warnings, err := a.linear.Fit(values)
		if err != nil {
			return usageError("agent %s: %s: %v", a.name, m.options.Tickets, err)
		}
		if about := a.linear.About; about.Source == m.digest && (about.Side == "" || about.Side == string(m.set.Side())) {
			warnings = append(warnings, "it was trained on these tickets: the scores say how well it remembers, not how well it does on others")
		}
		for _, w := range warnings {
			c.app.warn("%s: %s", a.name, w)
		}
	}
	return nil
}

// modelOverwritable refuses to write over a file that is no model.
func modelOverwritable(root *os.Root, name, shown string) error {
	head, err := standing(root, name, shown, int64(len(agent.LinearMagic)))
	if err == nil && head != nil && string(head) != agent.LinearMagic {
		err = usageError("--output %s: a file that is no model stands there: remove it, or give another name", shown)
	}
	return err
}

// share gives a part of a whole in percent for a message.
func share(part, whole int) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(whole, 1)))
}
