package export

import (
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// sampleID names a ticket in a log, whatever its trial.
func (t *Ticket) sampleID() string {
	u := *t
	u.Key.Trial = 0
	return u.place()
}

// sample encodes a ticket as a sample, after a comma where one is needed.
func (l *inspectLog) sample(t *Ticket) {
	e := &l.enc
	if l.samples++; l.samples > 1 {
		e.Buf = append(e.Buf, ',', '\n')
	}
	e.Buf = append(e.Buf, `{"id":`...)
	e.String(t.sampleID())
	e.Buf = append(e.Buf, `,"epoch":`...)
	e.Buf = strconv.AppendInt(e.Buf, int64(t.Key.Trial+1), 10)
	e.Buf = append(e.Buf, `,"input":`...)
	subject, body := t.Text()
	if subject != "" {
		body = subject + "\n\n" + body
	}
	e.String(body)
	e.Buf = append(e.Buf, `,"target":`...)
	e.String(string(t.target()))
	l.messages(t)
	l.output(t)
	l.scores(t)
	l.metadata(t)
	if t.Broke != "" {
		e.Buf = append(e.Buf, `,"error":{"message":`...)
		e.String(t.Broke)
		e.Buf = append(e.Buf, `,"traceback":"","traceback_ansi":""}`...)
	}
	e.Buf = append(e.Buf, '}')
	l.keep()
}

// target is the right answer as far as grading tells it: an object of the parts that have one.
func (t *Ticket) target() []byte {
	if t.Score == nil {
		return nil
	}
	e := triage.Encoder{Buf: []byte{'{'}}
	for _, p := range t.Score.Parts {
		if p.Why.Want == "" {
			continue
		}
		if len(e.Buf) > 1 {
			e.Buf = append(e.Buf, ',')
		}
		e.String(p.Name)
		e.Buf = append(e.Buf, ':')
		e.String(p.Why.Want)
	}
	return append(e.Buf, '}')
}

// messages are the conversation: what the agent is to do, each observation, each answer.
func (l *inspectLog) messages(t *Ticket) {
	e := &l.enc
	e.Buf = append(e.Buf, `,"messages":[`...)
	if len(t.Steps) > 0 {
		message(e, "system", System(t.Task))
	}
	for i := range t.Steps {
		e.Buf = append(e.Buf, ',')
		message(e, "user", string(compact(t.Steps[i].Observation)))
		e.Buf = append(e.Buf, ',')
		text := string(compact(t.Steps[i].Action))
		if r := t.Steps[i].Reply; r != nil {
			text = r.Text
		}
		message(e, "assistant", text)
	}
	e.Buf = append(e.Buf, ']')
}

// output is what the agent answered last.
func (l *inspectLog) output(t *Ticket) {
	e := &l.enc
	e.Buf = append(e.Buf, `,"output":{"model":`...)
	model := l.model()
	if t.Reply != nil && t.Reply.Model != "" {
		model = t.Reply.Model
	}
	e.String(model)
	e.Buf = append(e.Buf, `,"choices":[`...)
	if n := len(t.Steps); n > 0 {
		text := string(compact(t.Steps[n-1].Action))
		if t.Reply != nil {
			text = t.Reply.Text
		}
		e.Buf = append(e.Buf, `{"message":`...)
		message(e, "assistant", text)
		e.Buf = append(e.Buf, `,"stop_reason":"`+stopReason(t.Reply)+`"}`...)
	}
	e.Buf = append(e.Buf, ']')
	if u := t.Usage; u != nil && u.TokensIn.Set && u.TokensOut.Set {
		e.Buf = append(e.Buf, `,"usage":{`...)
		for i, x := range []struct {
			key   string
			value triage.Int
		}{{"input_tokens", u.TokensIn}, {"output_tokens", u.TokensOut}, {"total_tokens", triage.IntOf(u.TokensIn.Value + u.TokensOut.Value)},
			{"input_tokens_cache_read", u.TokensCached}, {"reasoning_tokens", u.TokensReasoning}} {
			if !x.value.Set {
				continue
			}
			if i > 0 {
				e.Buf = append(e.Buf, ',')
			}
			e.Buf = append(e.Buf, `"`+x.key+`":`...)
			e.Buf = strconv.AppendInt(e.Buf, int64(x.value.Value), 10)
		}
		e.Buf = append(e.Buf, '}')
	}
	e.Buf = append(e.Buf, '}')
}

// stopReason is why a reply ended, in the words of inspect_ai.
func stopReason(r *triage.Reply) string {
	if r == nil {
		return "stop"
	}
	switch r.Finish {
	case "stop":
		return "stop"
	case "length":
		return "max_tokens"
	case "tool_calls", "content_filter":
		return r.Finish
	}
	return "unknown"
}

// scores are the total, with the whole answer, and each part with what was given and why.
func (l *inspectLog) scores(t *Ticket) {
	total := t.total()
	if total == nil || t.Broke != "" {
		return
	}
	e := &l.enc
	e.Buf = append(e.Buf, `,"scores":{`...)
	score := func(name string, value float64, answer, explanation string) {
		e.String(name)
		e.Buf = append(e.Buf, `:{"value":`...)
		e.Buf = triage.AppendRounded(e.Buf, value)
		e.Buf = append(e.Buf, `,"answer":`...)
		e.String(answer)
		e.Buf = append(e.Buf, `,"explanation":`...)
		e.String(explanation)
		e.Buf = append(e.Buf, '}')
	}
	score(scoreName, *total, string(t.Answer), t.Refused)
	for _, p := range t.Score.Parts {
		e.Buf = append(e.Buf, ',')
		score(partName(p.Name), p.Value, p.Why.Got, p.Why.String())
	}
	e.Buf = append(e.Buf, '}')
}

// metadata is what is behind the ticket, and where it stands.
func (l *inspectLog) metadata(t *Ticket) {
	e := &l.enc
	e.Buf = append(e.Buf, `,"metadata":{"seed":`...)
	e.Buf = strconv.AppendInt(e.Buf, t.Key.Seed, 10)
	e.Buf = append(e.Buf, `,"position":`...)
	e.Buf = strconv.AppendInt(e.Buf, int64(t.Position), 10)
	provenance(e, "ticket_id", t.ID())
	provenance(e, "scenario", t.About.Scenario)
	e.Buf = append(e.Buf, `,"traps":`...)
	appendValue(e, t.About.Traps)
	provenance(e, "ended", string(t.Ended))
	provenance(e, "refused", t.Refused)
	if t.Reply != nil {
		provenance(e, "read", t.Reply.Stage)
		provenance(e, "cause", t.Reply.Cause)
	}
	e.Buf = append(e.Buf, '}')
}
