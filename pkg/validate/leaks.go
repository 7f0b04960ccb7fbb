package validate

import (
	"context"
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// visible are all paths of an observation that the design allows, by track; a list's elements stand under [].
var visible = map[triage.Track]string{
	triage.Queue: `task ticket ticket.ticket_id ticket.subject ticket.description ticket.metadata ticket.metadata.channel
		ticket.metadata.customer_tier ticket.metadata.wait_time_hours ticket.metadata.is_escalated ticket.metadata.previous_contacts
		ticket.metadata.selected_category ticket.metadata.language ticket.metadata.attachments position total_tickets remaining stats
		stats.processed stats.mean_reward stats.route_accuracy stats.efficiency last_result last_result.ticket_id last_result.reward
		last_result.correct last_result.parts last_result.parts[] last_result.parts[].name last_result.parts[].value
		last_result.parts[].weight message`,
	triage.Desk: `ticket_id customer_name issue_text issue_type sentiment_score wait_time_hours is_escalated step_count
		task_difficulty message`,
}

// leakEpisodes is how many episodes are looked through for what they must not tell.
const leakEpisodes = 12

var ticketID = lazyregexp.New(`^TKT-[0-9]+$`)

// checkLeaks looks through observations, states and errors for anything that the design does not allow.
func checkLeaks(ctx context.Context, b *bench) []triage.Check {
	fields := b.claim("no-leak/fields", "the fields of observations and states", "those of the design and no other; no reason of a grade")
	words := b.claim("no-leak/words", "messages, placeholders and errors of episodes with different truths", "the same for all; ids of the form TKT-digits, each once an episode")
	said := map[string]map[string]int64{} // place -> text -> a seed
	for seed := b.seed; seed < b.seed+leakEpisodes; seed++ {
		ep, err := b.episode(ctx, "random", seed, triage.ResetOptions{})
		if err != nil {
			fields.against("seed %d: %v", seed, err)
			continue
		}
		ids := map[string]bool{}
		for i, s := range ep.Steps {
			b.paths(fields, s.Observation)
			b.texts(words, said, ids, seed, i, s.Observation)
		}
		if err := b.errorTexts(ctx, said, seed); err != nil {
			words.against("seed %d: %v", seed, err)
		}
	}
	places := make([]string, 0, len(said))
	for place := range said {
		places = append(places, place)
	}
	sort.Strings(places)
	for _, place := range places {
		if len(said[place]) > 1 {
			words.against("%s differs from seed to seed: %s", place, variants(said[place]))
		}
	}
	return []triage.Check{fields.done("%d episodes", leakEpisodes), words.done("%d texts, each the same in %d episodes", len(places), leakEpisodes)}
}

func variants(texts map[string]int64) string {
	out := make([]string, 0, len(texts))
	for t := range texts {
		out = append(out, cut(t, 60))
	}
	sort.Strings(out)
	return strings.Join(out, " | ")
}

// paths finds fault with fields of an observation that the design does not name.
func (b *bench) paths(c *claim, o triage.Observation) {
	data, err := json.Marshal(o)
	if err != nil {
		c.against("%v", err)
		return
	}
	v, err := decode(data)
	if err != nil {
		c.against("%v", err)
		return
	}
	allowed := map[string]bool{}
	for _, p := range strings.Fields(visible[b.task.Track]) {
		allowed[p] = true
	}
	walk("", v, func(path string) { c.unless(allowed[path], "an observation has %s", path) })
}

// walk tells the path of every value below v.
func walk(path string, v any, tell func(path string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			next := strings.TrimPrefix(path+"."+key, ".")
			tell(next)
			walk(next, child, tell)
		}
	case []any:
		for _, child := range v {
			tell(path + "[]")
			walk(path+"[]", child, tell)
		}
	}
}

// texts notes what an observation says beside the ticket. The random agent answers all that is asked for.
func (b *bench) texts(c *claim, said map[string]map[string]int64, ids map[string]bool, seed int64, step int, o triage.Observation) {
	id, message := "", ""
	switch {
	case o.Queue != nil && o.Queue.Ticket != nil:
		id, message = o.Queue.Ticket.ID, o.Queue.Message
		if r := o.Queue.LastResult; r != nil {
			for _, p := range r.Parts {
				c.unless(p.Why.Equal(triage.Why{}), "a part of last_result has the reason %q", p.Why.String())
			}
		}
	case o.Desk != nil:
		id, message = o.Desk.TicketID, o.Desk.Message
		note(said, "issue_type", o.Desk.IssueType, seed)
	}
	c.unless(ticketID.MatchString(id), "seed %d: a ticket has the id %q", seed, id)
	c.unless(!ids[id] || b.task.Track == triage.Desk, "seed %d: the id %s comes twice", seed, id)
	ids[id] = true
	if step == 0 || b.task.Track == triage.Queue {
		note(said, "message", message, seed)
	}
}

func note(said map[string]map[string]int64, place, text string, seed int64) {
	if said[place] == nil {
		said[place] = map[string]int64{}
	}
	said[place][text] = seed
}

// errorTexts notes what errors say: of wrong values, of wrong options, and after the end.
func (b *bench) errorTexts(ctx context.Context, said map[string]map[string]int64, seed int64) error {
	e, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed})
	if err != nil {
		return err
	}
	for _, w := range wrongValues(b.task.Track) {
		if _, err := e.Step(ctx, triage.Action{Track: b.task.Track, Raw: json.RawMessage(w.action)}); err != nil {
			note(said, "the error of "+brief([]byte(w.action)), err.Error(), seed)
		}
	}
	for i := 0; !r.Done && i < b.task.MaxSteps; i++ {
		if r, err = e.Step(ctx, triage.Action{Track: b.task.Track}); err != nil {
			return err
		}
		if d := r.Observation.Desk; d != nil {
			note(said, "the message after empty step "+strconv.Itoa(i+1), d.Message, seed)
		}
	}
	if _, err := e.Step(ctx, triage.Action{}); err != nil {
		note(said, "the error after the end", err.Error(), seed)
	}
	return nil
}
