package compare

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

const (
	mostText = 200     // bytes of a got, a want or a why that are kept
	mostKept = 100_000 // different texts, and parts, that are kept once for all that are equal
)

// keep makes tickets as small as comparing allows: what is equal is kept once.
type keep struct {
	texts map[string]string
	parts map[partKey]triage.Part
}

// partKey is all of a part.
type partKey struct {
	name, got, want, why string
	value, weight        float64
}

func newKeep() *keep { return &keep{texts: map[string]string{}, parts: map[partKey]triage.Part{}} }

func (k *keep) text(s string) string {
	if had, ok := k.texts[s]; ok {
		return had
	}
	if len(k.texts) < mostKept {
		k.texts[s] = s
	}
	return s
}

func (k *keep) part(p *triage.Part) triage.Part {
	key := partKey{p.Name, p.Why.Got, p.Why.Want, p.Why.String(), p.Value, p.Weight}
	if had, ok := k.parts[key]; ok {
		return had
	}
	out := *p
	out.Name, out.Value = k.text(p.Name), triage.Rounded(p.Value)
	out.Why.Got, out.Why.Want = k.text(cut(p.Why.Got)), k.text(cut(p.Why.Want))
	if len(key.why) > mostText {
		out.Why = triage.Why{Got: out.Why.Got, Want: out.Why.Want}
	}
	if len(k.parts) < mostKept && len(key.got)+len(key.want)+len(key.why) <= 3*mostText {
		k.parts[key] = out
	}
	return out
}

// cut shortens a text at the end of a letter, and tells so. The result does not hold the long one's memory.
func cut(s string) string {
	if len(s) <= mostText {
		return s
	}
	end := mostText
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// tickets gives the graded tickets of an episode that did not break; nil where its environment did not tell how each was graded. A
// queue episode has one a step; elsewhere an episode is one ticket, with the parts of the last step that was graded.
func (k *keep) tickets(task triage.Task, l *results.Logged) []Ticket {
	if task.Track != triage.Queue {
		t := Ticket{Score: triage.Rounded(*l.Score)}
		t.ID, t.Text = ticketOf(task.Track, l.Steps[0].Observation)
		h := newHash()
		graded := false
		for i := range l.Steps {
			s := &l.Steps[i]
			h.action(s.Action)
			if s.Score != nil {
				t.Parts, graded = k.partsOf(s.Score), true
			}
			if s.About != nil {
				t.Scenario = k.text(s.About.Scenario)
			}
		}
		if t.Answer = h.sum(); !graded {
			return nil
		}
		return []Ticket{t}
	}
	out := make([]Ticket, len(l.Steps))
	for i := range l.Steps {
		s := &l.Steps[i]
		if s.Score == nil {
			return nil
		}
		t := Ticket{Score: triage.Rounded(s.Score.Total), Parts: k.partsOf(s.Score)}
		t.ID, t.Text = ticketOf(task.Track, s.Observation)
		h := newHash()
		h.action(s.Action)
		t.Answer = h.sum()
		if s.About != nil {
			t.Scenario = k.text(s.About.Scenario)
		}
		out[i] = t
	}
	return out
}

func (k *keep) partsOf(s *triage.Score) []triage.Part {
	out := make([]triage.Part, len(s.Parts))
	for i := range s.Parts {
		out[i] = k.part(&s.Parts[i])
	}
	return out
}

// seen are the members of an observation that are the ticket itself; on the queue track they stand in its "ticket".
var seen = map[triage.Track][]string{
	triage.Queue:   {"description", "metadata", "subject"},
	triage.Desk:    {"customer_name", "is_escalated", "issue_text", "sentiment_score", "wait_time_hours"},
	triage.Dataset: {"body", "fields", "subject"},
}

// ticketOf gives a ticket's ID and a hash of what the agent saw of it beside that; 0 for what cannot be read.
func ticketOf(track triage.Track, observation json.RawMessage) (id string, text uint64) {
	var room [16]triage.Member
	if len(observation) == 0 {
		return "", 0
	}
	members, err := triage.AppendValidMembers(room[:0], observation) // it comes out of a line of JSON
	if err == nil && track == triage.Queue {
		i := slices.IndexFunc(members, func(m triage.Member) bool { return string(m.Key) == "ticket" })
		if i < 0 {
			return "", 0
		}
		members, err = triage.AppendValidMembers(members[:0:0], members[i].Value)
	}
	if err != nil {
		return "", 0
	}
	h := newHash()
	found := false
	for _, name := range append([]string{"ticket_id"}, seen[track]...) {
		i := slices.IndexFunc(members, func(m triage.Member) bool { return string(m.Key) == name })
		switch {
		case i < 0:
			h.field(nil)
		case name == "ticket_id":
			_ = json.Unmarshal(members[i].Value, &id) // or it has none
		default:
			found = true
			h.json(members[i].Value)
		}
	}
	if !found {
		return cut(id), 0
	}
	return cut(id), h.sum()
}

// hash takes length-prefixed fields; its sum is never 0.
type hash struct {
	h interface {
		Sum64() uint64
		Write([]byte) (int, error)
	}
}

func newHash() hash { return hash{fnv.New64a()} }

func (h hash) field(data []byte) {
	var size [binary.MaxVarintLen64]byte
	_, _ = h.h.Write(size[:binary.PutUvarint(size[:], uint64(len(data)))]) // a hash takes everything
	_, _ = h.h.Write(data)
}

// json takes a value in one form, whoever wrote it: a log that went through another program has the same tickets and answers.
func (h hash) json(data json.RawMessage) {
	var room [1024]byte
	h.field(triage.AppendCanonical(room[:0], data))
}

// action takes an answer; one that was not given is as null. How sure an agent was is no part of it.
func (h hash) action(data json.RawMessage) {
	if data = bytes.TrimSpace(data); len(data) == 0 {
		data = []byte("null")
	}
	h.json(answerIn(data))
}

// answerIn leaves the confidence out of an action.
func answerIn(data json.RawMessage) json.RawMessage {
	var e triage.Encoder
	e.Answer(&triage.Action{Raw: data})
	return e.Buf
}

func (h hash) sum() uint64 { return max(1, h.h.Sum64()) }
