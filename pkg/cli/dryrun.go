package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// planned are the calls of an agent on a task that a run would make.
type planned struct {
	member *member
	group  runner.Group // the first one
	calls  int
	in     int64 // tokens
	out    int64
	cost   int64 // nano-dollars
	priced bool
}

// dryRun prints what would be called, and calls nothing.
func (p *play) dryRun(ctx context.Context) error {
	rep := report.Report{Values: map[string]report.Cell{"dry_run": true}}
	list := p.planned()
	prompt := ""
	for _, c := range list {
		if c.member.model == nil {
			continue
		}
		shown, err := p.estimate(ctx, c)
		if err != nil {
			return err
		}
		if prompt == "" {
			prompt = fmt.Sprintf("The prompt of %s for the first ticket of %s:\n\n%s", c.member.name, c.group.Task, shown)
		}
	}
	rep.Tables = []report.Table{callsTable(list)}
	if len(list) == 0 {
		rep.Tables[0].Notes = []string{"Nothing would be called: the agents are all part of this program."}
	}
	if prompt != "" {
		rep.Lines, rep.Values["prompt"] = strings.Split(prompt, "\n"), prompt
	}
	if err := report.Formats()[p.options.Format](p.options.app.Out, &rep); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print dry run", Err: err}
	}
	return nil
}

// planned lists what is asked of models and programs, in the order of the plan, with the calls that each ticket takes at least.
func (p *play) planned() []*planned {
	var out []*planned
	place := 0
	for _, g := range p.engine.plan.Groups() {
		n := 0
		for i := range g.Count {
			if p.engine.shard.Has(place + i) {
				n++
			}
		}
		place += g.Count
		m := p.options.cast.find(g.Agent)
		if !m.costly || n == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(c *planned) bool { return c.member == m && c.group.Task == g.Task })
		if i < 0 {
			i, out = len(out), append(out, &planned{member: m, group: g})
		}
		out[i].calls += n * ticketsOf(g)
	}
	return out
}

// ticketsOf is how many tickets each episode of a group has.
func ticketsOf(g runner.Group) int {
	if t, err := triage.TaskByName(g.Task); err == nil && !g.Position.Set {
		return t.Tickets
	}
	return 1 // alone, or imported
}

// estimate fills in tokens and cost, and gives the first prompt.
func (p *play) estimate(ctx context.Context, c *planned) (string, error) {
	size, shown, err := p.samplePrompts(ctx, c.member, c.group)
	if err != nil {
		return "", err
	}
	answer := assumedAnswer
	if n := p.options.model.MaxOutputTokens; n > 0 {
		answer = n
	}
	c.in, c.out = int64(c.calls)*int64(size)/bytesPerToken, int64(c.calls)*int64(answer)
	price, ok := c.member.model.client.Price()
	if ok {
		c.cost, c.priced = price.Estimate(c.in, c.out), true
	}
	return shown, nil
}

// callsTable has a row for each agent and task, and one for all where there are several.
func callsTable(list []*planned) report.Table {
	t := report.Table{Name: "calls", Title: "Dry run: nothing is called", Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true},
		{Title: "Model", Key: "model", Text: true}, {Title: "Address", Key: "address", Text: true}, {Title: "Task", Key: "task", Text: true},
		{Title: "Calls", Key: "calls"}, {Title: "Tokens in, about", Key: "tokens_in"}, {Title: "Tokens out, about", Key: "tokens_out"},
		{Title: "Cost, about, $", Key: "cost_usd", Text: true}},
		Notes: []string{"Calls: one a ticket, without re-asks, retries, and further steps of desk tickets that are answered in part. What a cache or an interrupted run has kept is not called again, but counted here.",
			fmt.Sprintf("Tokens in: bytes of %d prompts a task divided by %d; out: --max-output-tokens, else %d a call. Models that reason write more. Cost – is unknown: no price is known (--prices).",
				sampledTickets, bytesPerToken, assumedAnswer)}}
	all := planned{priced: true}
	models := 0
	for _, c := range list {
		row := []report.Cell{c.member.name, nil, nil, c.group.Task, c.calls, nil, nil, nil}
		if m := c.member.model; m != nil {
			row[1], row[2] = m.endpoint.Model, placeOf(m.endpoint)
			copy(row[5:], c.figures())
			models++
			all.calls, all.in, all.out, all.cost, all.priced = all.calls+c.calls, all.in+c.in, all.out+c.out, all.cost+c.cost, all.priced && c.priced
		}
		t.Rows = append(t.Rows, row)
	}
	if models > 1 {
		t.Rows = append(t.Rows, append([]report.Cell{"all models", nil, nil, "all", all.calls}, all.figures()...))
	}
	return t
}

// figures are tokens in, tokens out and cost, which may be unknown.
func (c *planned) figures() []report.Cell {
	row := []report.Cell{int(c.in), int(c.out), nil}
	if c.priced {
		row[2] = dollars(c.cost)
	}
	return row
}

// samplePrompts gives the mean size of the prompts of the first tickets of a group, and the first prompt. Perturbed tickets are
// about as long as others.
func (p *play) samplePrompts(ctx context.Context, m *member, g runner.Group) (size int, first string, err error) {
	e, err := p.engine.game.newEnv(g.Task, g.Position)
	if err != nil {
		return 0, "", err
	}
	asker, err := m.model.agent(&tallied{})
	if err != nil {
		return 0, "", err
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
		text := promptText(request)
		sum += len(text) + len(request.Schema)
		if n == 0 {
			first = text
		}
		n++
	}
	return sum / max(n, 1), first, nil
}

func promptText(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "%s %s:\n%s\n", strings.Repeat(promptShown, 3), m.Role, m.Content)
	}
	return b.String()
}
