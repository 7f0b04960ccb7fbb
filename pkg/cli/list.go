package cli

import (
	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

func newListCmd(app *App) *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "List agents, tasks or scenarios", RunE: subcommands,
		Example: "  triage list agents\n  triage list tasks --format json\n  triage list scenarios"}
	var format, bank string
	add := func(use, short string, table func() (report.Table, error)) *cobra.Command {
		c := &cobra.Command{Use: use, Short: short, Args: noArgs, Example: "  triage list " + use + " --format markdown",
			RunE: func(*cobra.Command, []string) error {
				t, err := table()
				if err != nil {
					return err
				}
				return report.Formats()[format](app.Out, &report.Report{Tables: []report.Table{t}})
			}}
		choiceFlag(c.Flags(), &format, "format", "table", report.FormatNames(), "how to print")
		list.AddCommand(c)
		return c
	}
	add("agents", "List the agents that can play", listAgents)
	add("tasks", "List the tasks", listTasks)
	c := add("scenarios", "List the scenarios of the bank", func() (report.Table, error) { return listScenarios(app, bank) })
	c.Flags().StringVar(&bank, "bank", "", "`folder` of YAML scenarios to use in place of the public bank")
	return list
}

func listAgents() (report.Table, error) {
	t := report.Table{Name: "agents", Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true}, {Title: "What it is", Key: "what", Text: true}}}
	for _, a := range agent.List() {
		t.Rows = append(t.Rows, []report.Cell{a.Name, a.What})
	}
	t.Rows = append(t.Rows, []report.Cell{prefixLinear + "FILE", "the linear agent with a model of triage train, for your own tickets"}, []report.Cell{agentLLM, "a chat model behind any OpenAI-compatible endpoint (--model)"},
		[]report.Cell{prefixExec + "COMMAND", "a program: an observation a line in, an action a line out"},
		[]report.Cell{prefixHTTP + "URL", "an address: an observation by POST, an action in the answer"})
	return t, nil
}

func listTasks() (report.Table, error) {
	t := report.Table{Name: "tasks", Columns: []report.Column{{Title: "Task", Key: "task", Text: true}, {Title: "Track", Key: "track", Text: true},
		{Title: "Difficulty", Key: "difficulty", Text: true}, {Title: "Tickets", Key: "tickets"}, {Title: "Steps at most", Key: "max_steps"},
		{Title: "Episodes by default", Key: "episodes"}, {Title: "Target", Key: "target", Places: 2}}}
	for _, k := range triage.Tasks() {
		t.Rows = append(t.Rows, []report.Cell{k.Name, string(k.Track), string(k.Difficulty), k.Tickets, k.MaxSteps, k.Episodes, k.Target})
	}
	return t, nil
}

func listScenarios(app *App, bank string) (report.Table, error) {
	t := report.Table{Name: "scenarios", Columns: []report.Column{{Title: "Scenario", Key: "scenario", Text: true}, {Title: "Split", Key: "split", Text: true},
		{Title: "Category", Key: "category", Text: true}, {Title: "Title", Key: "title", Text: true}}}
	s, err := newSession(app, bank, "")
	if err != nil {
		return t, err
	}
	for _, x := range s.bank.Scenarios {
		category := string(x.Desk)
		if category == "" {
			category = "queue only"
		}
		t.Rows = append(t.Rows, []report.Cell{x.Slug, string(x.Split), category, x.Title})
	}
	return t, nil
}
