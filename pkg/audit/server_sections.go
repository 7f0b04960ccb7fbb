package audit

import (
	"context"

	"github.com/triagebench/triage/pkg/triage"
)

// serverSections lists the attacks on a server in the order in which their checks are printed.
func serverSections() []section {
	return []section{
		{enterBlind, judgeBlind},
		{enterFields, judgeFields},
		{enterServerReaders, judgeServerReaders},
		{enterServerRecommenders, judgeServerRecommenders},
		{enterIdlers, judgeIdlers},
		{enterTable, judgeTable},
		{enterReplay, judgeReplay},
		{enterServerRegenerator, judgeServerRegenerator},
		{enterServerPhrasebook, judgeServerPhrasebook},
		{enterServerTree, judgeServerTree},
	}
}

// enterServerReaders enters the agents that read; there is none that knows.
func enterServerReaders(a *arena) ([]contender, error) {
	return []contender{a.named(nameKeyword), a.named(nameHeuristic)}, nil
}

// judgeServerReaders holds the word lists against their ceiling. What the rules reach is printed: their bars are for the public
// bank.
func judgeServerReaders(a *arena) ([]triage.Check, error) {
	const words = "word lists, no structure, no negation"
	check := a.tell(nameKeyword, words)
	if a.task.Name == "queue-hard" {
		check = a.under(nameKeyword, words, keywordHard)
	}
	return []triage.Check{check, a.tell(nameHeuristic, "rules over subject, body and metadata")}, nil
}

// advised answers as well as an attacker can, but for the recommendation: with the labels of the seed where those can be made,
// else with those of the rules.
type advised struct {
	rules   triage.Agent
	tickets Tickets // nil where the labels cannot be made
	seed    int64
	text    func(*triage.DeskTruth, *triage.DeskObservation) string
}

var _ triage.Starter = (*advised)(nil)

// Start takes the seed.
func (x *advised) Start(key triage.Key) { x.seed = key.Seed }

// Act answers a desk ticket.
func (x *advised) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	if x.tickets != nil {
		c := x.tickets(x.seed, 0)
		d := c.Truth.Desk
		return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: d.Category, Priority: d.Priority,
			UrgencyDays: triage.IntOf(d.UrgencyDays), Department: d.Department, Recommendation: x.text(d, o.Desk)}}, nil
	}
	out, err := x.rules.Act(ctx, o)
	if err == nil {
		out.Desk.Recommendation = x.text(&triage.DeskTruth{Category: out.Desk.Category}, o.Desk)
	}
	return out, err
}

// enterServerRecommenders enters the attacks on recommendations where the server tells how those are graded.
func enterServerRecommenders(a *arena) ([]contender, error) {
	if a.task.Name != "desk-hard" || a.server.sealed {
		return nil, nil
	}
	var tickets Tickets
	if a.server.open[a.task.Name] {
		var err error
		if tickets, err = a.Source(a.task, a.Split); err != nil {
			return nil, err
		}
	}
	var out []contender
	for _, s := range stuffings(frequencies(a.train[:min(rareTickets, len(a.train))])) {
		out = append(out, contender{name: recommenderName(&s), agent: func() (triage.Agent, error) {
			rules, err := a.NewAgent(nameHeuristic)
			return &advised{rules: rules, tickets: tickets, text: s.text}, err
		}})
	}
	return out, nil
}

func judgeServerRecommenders(a *arena) ([]triage.Check, error) {
	checks, err := judgeRecommenders(a)
	if a.server.sealed {
		for i := range checks {
			checks[i].Seen, checks[i].Printed, checks[i].Skipped = "", false, "a sealed server tells no parts"
		}
	}
	return checks, err
}

// enterServerPhrasebook enters the attack with the bank that the audit has.
func enterServerPhrasebook(a *arena) ([]contender, error) {
	b := a.book("bank", a.Bank)
	return []contender{{name: namePublic, agent: func() (triage.Agent, error) {
		r := &bookReader{book: b}
		return agentFunc(func(o triage.Observation) (triage.Action, error) { return r.answer(o, a.constant), nil }), nil
	}}}, nil
}

func judgeServerPhrasebook(a *arena) ([]triage.Check, error) {
	return []triage.Check{a.tell(namePublic, "looks sentences up in the bank that the audit has")}, nil
}
