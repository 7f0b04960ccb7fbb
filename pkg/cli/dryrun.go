package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// Estimates of a dry run.
const (
	bytesPerToken  = 4   // of English prompts
	assumedAnswer  = 80  // tokens of a reply without reasoning
	sampledTickets = 20  // whose prompts are rendered for the mean
	promptShown    = "-" // line between messages
)

// dryRun prints what would be called, and calls nothing.
func (p *play) dryRun(ctx context.Context) error {
	t := report.Table{Name: "calls", Title: "Dry run: nothing is called", Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true},
		{Title: "Model", Key: "model", Text: true}, {Title: "Address", Key: "address", Text: true}, {Title: "Task", Key: "task", Text: true},
		{Title: "Calls", Key: "calls"}, {Title: "Tokens in, about", Key: "tokens_in"}, {Title: "Tokens out, about", Key: "tokens_out"},
		{Title: "Cost, about, $", Key: "cost_usd", Text: true}},
		Notes: []string{"Calls: one a ticket, without re-asks, retries, and further steps of desk tickets that are answered in part.",
			fmt.Sprintf("Tokens in: bytes of %d prompts a task divided by %d; out: --max-output-tokens, else %d a call. Models that reason write more. Cost – is unknown: no price is known (--prices).",
				sampledTickets, bytesPerToken, assumedAnswer)}}
	rep := report.Report{Values: map[string]report.Cell{"dry_run": true}}
	prompt := ""
	for _, g := range mergeTrials(p.engine.plan.Groups()) {
		m := p.options.cast.find(g.Agent)
		row := []report.Cell{g.Agent, nil, nil, g.Task, p.calls(g), nil, nil, nil}
		if m.model == nil {
			if m.costly {
				t.Rows = append(t.Rows, row)
			}
			continue
		}
		row[1], row[2] = m.model.endpoint.Model, placeOf(m.model.endpoint)
		size, shown, err := p.samplePrompts(ctx, m, g)
		if err != nil {
			return err
		}
		if prompt == "" {
			prompt = fmt.Sprintf("The prompt of %s for the first ticket of %s:\n\n%s", g.Agent, g.Task, shown)
		}
		in, out := int64(p.calls(g)*size/bytesPerToken), int64(p.calls(g)*orElse(p.options.model.MaxOutputTokens, assumedAnswer))
		row[5], row[6] = int(in), int(out)
		if price, ok := m.model.client.Price(); ok {
			row[7] = dollars(price.Estimate(in, out))
		}
		t.Rows = append(t.Rows, row)
	}
	rep.Tables = []report.Table{t}
	if prompt != "" {
		rep.Lines, rep.Values["prompt"] = strings.Split(prompt, "\n"), prompt
	}
	return report.Formats()[p.options.Format](p.options.app.Out, &rep)
}

// mergeTrials makes one group of the trials of each, whose count is that of all.
func mergeTrials(groups []runner.Group) []runner.Group {
	var out []runner.Group
	for _, g := range groups {
		if n := len(out); g.Trial > 0 && n > 0 {
			out[n-1].Count += g.Count
			continue
		}
		out = append(out, g)
	}
	return out
}

// calls is how often an agent is asked in a group, at least.
func (p *play) calls(g runner.Group) int {
	tickets := 1
	if t, err := triage.TaskByName(g.Task); err == nil && !g.Position.Set {
		tickets = t.Tickets
	}
	return g.Count * tickets
}

// samplePrompts gives the mean size of the prompts of the first tickets of a group, and the first prompt.
func (p *play) samplePrompts(ctx context.Context, m *member, g runner.Group) (size int, first string, err error) {
	e, err := p.engine.game.newEnv(g.Task, g.Position)
	if err != nil {
		return 0, "", err
	}
	a, err := m.make()
	if err != nil {
		return 0, "", err
	}
	asker, ok := a.(interface {
		Request(o triage.Observation) (llm.Request, error)
	})
	if !ok { // perturbed tickets are about as long as others
		asker, err = agent.NewLLM(agent.LLMOptions{Completer: &tallied{}, Prompt: m.model.prompt, NoHandbook: p.options.model.NoHandbook, Examples: m.model.examples})
		if err != nil {
			return 0, "", err
		}
	}
	n, sum := 0, 0
	for n < sampledTickets && n < g.Count {
		opts := triage.ResetOptions{Seed: g.First + int64(n)}
		if g.Position.Set {
			opts.Tickets = 1
		}
		r, err := e.Reset(ctx, opts)
		if err != nil {
			return 0, "", err
		}
		request, err := asker.Request(r.Observation)
		if err != nil {
			return 0, "", err
		}
		var b strings.Builder
		for _, msg := range request.Messages {
			fmt.Fprintf(&b, "%s %s:\n%s\n", strings.Repeat(promptShown, 3), msg.Role, msg.Content)
		}
		sum += b.Len() + len(request.Schema)
		if n == 0 {
			first = b.String()
		}
		n++
	}
	return sum / max(n, 1), first, nil
}

func orElse(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}
