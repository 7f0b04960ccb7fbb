package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

const nameTree = "tree"

// enterServerTree looks at tickets as the server shows them, where their labels can be made. An episode of the attack is a share of
// the sample.
func enterServerTree(a *arena) ([]contender, error) {
	if !a.server.open[a.task.Name] || a.server.sealed {
		return nil, nil
	}
	tickets, err := a.Source(a.task, a.Split)
	if err != nil {
		return nil, err
	}
	a.shown = make([][]triage.Case, a.Episodes)
	share := max(1, a.Sample/a.task.Tickets/a.Episodes)
	return []contender{{name: nameTree, attack: func(ctx context.Context, e triage.Env, key triage.Key) (outcome, error) {
		episode := int(key.Seed - a.Seed)
		for i := range share {
			seed := measureSeed(a.Seed) + int64(episode*share+i)
			r, err := e.Reset(ctx, triage.ResetOptions{Seed: seed})
			for position := 0; err == nil && !r.Done; position++ {
				a.shown[episode] = append(a.shown[episode], shownCase(*tickets(seed, position), r.Observation))
				if a.task.Track == triage.Desk {
					break // one ticket
				}
				r, err = e.Step(ctx, triage.Action{Track: a.task.Track})
			}
			if err != nil {
				return outcome{}, err
			}
		}
		return outcome{}, nil
	}}}, nil
}

// shownCase is a ticket as it is shown, with the truth of the one that was made.
func shownCase(c triage.Case, o triage.Observation) triage.Case {
	if d := o.Desk; d != nil {
		c.Ticket.ID = d.TicketID
		c.Ticket.Subject, c.Ticket.Body, _ = strings.Cut(d.IssueText, "\n\n")
		return c
	}
	t := o.Queue.Ticket
	c.Ticket.ID, c.Ticket.Subject, c.Ticket.Body = t.ID, t.Subject, t.Description
	return c
}

// judgeServerTree grows trees as [judgeTree] does and measures them on half of what the server shows. Those on ids have learnt from
// the other half: a server may have ids of its own.
func judgeServerTree(a *arena) ([]triage.Check, error) {
	var seen, shown []triage.Case
	for i, list := range a.shown {
		if i%2 == 0 && len(a.shown) > 1 {
			seen = append(seen, list...)
		} else {
			shown = append(shown, list...)
		}
	}
	var out []triage.Check
	for _, l := range traceLabels(a.task.Track) {
		x, own, y := a.rows(a.train, l.of), a.rows(seen, l.of), a.rows(shown, l.of)
		for _, set := range traceSets() {
			c := a.check("tree:"+set.name+":"+l.name, fmt.Sprintf("a tree of depth %d tells the %s from %s", treeDepth, l.name, set.what),
				fmt.Sprintf("at most %.1f points over the majority", 100*set.gain), "", false)
			if len(shown) == 0 {
				c.Skipped = "the labels of this server's tickets are not known"
			} else {
				learn := x
				if set.features == traceIDs && len(own) > 0 {
					learn = own
				}
				gain, se := grow(learn, set.features, treeDepth).gain(y, leaf(learn))
				s := float64(serverSampling * se)
				c.Expected += fmt.Sprintf(" + %.1f (%d s.e.)", 100*s, serverSampling)
				c.Seen, c.Passed = points(gain, se), gain <= set.gain+s
			}
			out = append(out, c)
		}
	}
	return out, nil
}
