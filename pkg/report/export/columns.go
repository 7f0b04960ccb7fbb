package export

import (
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// row is a ticket on its way into a table.
type row struct {
	src *Source
	*Ticket
	subject, body string
}

// column is a column of the tables of tickets. value gives a string, int, int64, float64, bool, money, []string or nil for
// what there is not. wide columns stand in JSON lines only.
type column struct {
	key   string
	wide  bool
	value func(r *row) any
}

// money is an amount in nano-dollars (10^-9 US dollars).
type money int64

// append writes the amount in dollars, exactly.
func (m money) append(b []byte) []byte {
	if m < 0 {
		b, m = append(b, '-'), -m
	}
	b = strconv.AppendInt(b, int64(m/1e9), 10)
	part := strconv.FormatInt(int64(1e9+m%1e9), 10)[1:]
	for len(part) > 0 && part[len(part)-1] == '0' {
		part = part[:len(part)-1]
	}
	if part == "" {
		return b
	}
	return append(append(b, '.'), part...)
}

// columnsOf are the columns of a table of tickets with these parts.
func columnsOf(parts []string) []column {
	out := []column{
		{key: "run", value: func(r *row) any { return r.src.Name }},
		{key: "agent", value: func(r *row) any { return r.Key.Agent }},
		{key: "task", value: func(r *row) any { return r.Key.Task }},
		{key: "seed", value: func(r *row) any { return r.Key.Seed }},
		{key: "position", value: func(r *row) any { return r.Position }},
		{key: "trial", value: func(r *row) any { return r.Key.Trial }},
		{key: "ticket_id", value: func(r *row) any { return known(r.ID()) }},
		{key: "subject", value: func(r *row) any { return known(r.subject) }},
		{key: "scenario", value: func(r *row) any { return known(r.About.Scenario) }},
		{key: "traps", value: func(r *row) any { return r.About.Traps }},
		{key: "score", value: func(r *row) any {
			switch {
			case r.Broke != "":
				return 0.0
			case r.Task.Track == triage.Desk && r.EpisodeScore != nil: // also where every answer was refused
				return *r.EpisodeScore
			case r.Score == nil:
				return nil
			}
			return r.Score.Total
		}},
		{key: "right", value: func(r *row) any {
			if r.Score == nil && r.Broke == "" {
				return nil
			}
			return r.Right
		}},
		{key: "broken", value: func(r *row) any { return r.Broke != "" }},
	}
	for _, p := range parts {
		out = append(out, partColumns(p)...)
	}
	return append(append(out, answerColumns()...), ticketColumns()...)
}

// known is a text, or nil where it is empty.
func known(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// partColumns are the value of a part (0..1), what was answered, what is right, and why.
func partColumns(name string) []column {
	of := func(get func(p *triage.Part) any) func(*row) any {
		return func(r *row) any {
			if r.Score == nil {
				return nil
			}
			for i := range r.Score.Parts {
				if r.Score.Parts[i].Name == name {
					return get(&r.Score.Parts[i])
				}
			}
			return nil
		}
	}
	return []column{
		{key: name + "_value", value: of(func(p *triage.Part) any { return p.Value })},
		{key: name + "_got", value: of(func(p *triage.Part) any { return known(p.Why.Got) })},
		{key: name + "_want", value: of(func(p *triage.Part) any { return known(p.Why.Want) })},
		{key: name + "_why", wide: true, value: of(func(p *triage.Part) any { return known(p.Why.String()) })},
	}
}

func answerColumns() []column {
	used := func(get func(u *triage.Usage) any) func(*row) any {
		return func(r *row) any {
			if r.Usage == nil {
				return nil
			}
			return get(r.Usage)
		}
	}
	replied := func(get func(p *triage.Reply) any) func(*row) any {
		return func(r *row) any {
			if r.Reply == nil {
				return nil
			}
			return get(r.Reply)
		}
	}
	whole := func(i triage.Int) any {
		if !i.Set {
			return nil
		}
		return i.Value
	}
	return []column{
		{key: "answer", value: func(r *row) any { return known(string(r.Answer)) }},
		{key: "confidence", value: func(r *row) any {
			if c := r.confidence().Least(); c.Set {
				return c.Value
			}
			return nil
		}},
		{key: "error", value: func(r *row) any { return known(r.Problem()) }},
		{key: "ended", value: func(r *row) any { return string(r.Ended) }},
		{key: "steps", value: func(r *row) any { return len(r.Steps) }},
		{key: "episode_score", value: func(r *row) any {
			if r.EpisodeScore == nil {
				return nil
			}
			return *r.EpisodeScore
		}},
		{key: "calls", value: used(func(u *triage.Usage) any { return u.Calls })},
		{key: "reasks", value: used(func(u *triage.Usage) any { return u.Reasks })},
		{key: "tokens_in", value: used(func(u *triage.Usage) any { return whole(u.TokensIn) })},
		{key: "tokens_out", value: used(func(u *triage.Usage) any { return whole(u.TokensOut) })},
		{key: "tokens_cached", value: used(func(u *triage.Usage) any { return whole(u.TokensCached) })},
		{key: "tokens_reasoning", value: used(func(u *triage.Usage) any { return whole(u.TokensReasoning) })},
		{key: "cost_usd", value: used(func(u *triage.Usage) any {
			if !u.CostNano.Set {
				return nil
			}
			return money(u.CostNano.Value)
		})},
		{key: "read", value: replied(func(p *triage.Reply) any { return known(p.Stage) })},
		{key: "cause", value: replied(func(p *triage.Reply) any { return known(p.Cause) })},
		{key: "model", value: replied(func(p *triage.Reply) any { return known(p.Model) })},
		{key: "reply", wide: true, value: replied(func(p *triage.Reply) any { return p.Text })},
	}
}

// ticketColumns are what the agent saw, and the run.
func ticketColumns() []column {
	wide := func(key string, value func(r *row) any) column { return column{key: key, wide: true, value: value} }
	queue := func(get func(m *triage.Metadata) any) func(*row) any {
		return func(r *row) any {
			if q := r.Observation.Queue; q != nil && q.Ticket != nil {
				return get(&q.Ticket.Metadata)
			}
			return nil
		}
	}
	both := func(get func(m *triage.Metadata) any, desk func(d *triage.DeskObservation) any) func(*row) any {
		return func(r *row) any {
			if d := r.Observation.Desk; d != nil {
				return desk(d)
			}
			return queue(get)(r)
		}
	}
	deskOnly := func(get func(d *triage.DeskObservation) any) func(*row) any {
		return both(func(*triage.Metadata) any { return nil }, get)
	}
	return []column{
		wide("split", func(r *row) any { return known(r.src.Split) }),
		wide("generator", func(r *row) any { return known(r.src.Generator) }),
		wide("grader", func(r *row) any { return known(r.src.Grader) }),
		wide("channel", queue(func(m *triage.Metadata) any { return known(m.Channel) })),
		wide("customer_tier", queue(func(m *triage.Metadata) any { return known(string(m.CustomerTier)) })),
		wide("previous_contacts", queue(func(m *triage.Metadata) any { return m.PreviousContacts })),
		wide("selected_category", queue(func(m *triage.Metadata) any { return known(string(m.SelectedCategory)) })),
		wide("language", queue(func(m *triage.Metadata) any { return known(m.Language) })),
		wide("attachments", queue(func(m *triage.Metadata) any { return m.Attachments })),
		wide("wait_time_hours", both(func(m *triage.Metadata) any { return m.WaitTimeHours }, func(d *triage.DeskObservation) any { return d.WaitTimeHours })),
		wide("is_escalated", both(func(m *triage.Metadata) any { return m.IsEscalated }, func(d *triage.DeskObservation) any { return d.IsEscalated })),
		wide("sentiment_score", deskOnly(func(d *triage.DeskObservation) any { return d.SentimentScore })),
		wide("customer_name", deskOnly(func(d *triage.DeskObservation) any { return known(d.CustomerName) })),
		{key: "text", value: func(r *row) any { return known(r.body) }},
	}
}

// rows gives the rows of an episode.
func rows(src *Source, list []Ticket, each func(r *row) error) error {
	for i := range list {
		r := &row{src: src, Ticket: &list[i]}
		r.subject, r.body = list[i].Text()
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}
