package triage

import (
	"bytes"
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"unicode/utf8"
)

// Encoder appends the project's values to a buffer as JSON. It exists because encoding/json re-reads what every nested
// MarshalJSON gives, which is most of the time of writing a run's episodes; the tests hold it against encoding/json.
// Texts are not HTML-escaped: tickets hold "<", ">" and "&", which are to stay readable.
type Encoder struct {
	Buf []byte
	// Round rounds floats to 6 decimals, as in result files; on the wire they are not rounded.
	Round bool
	first bool
}

func (e *Encoder) open(c byte) {
	e.Buf = append(e.Buf, c)
	e.first = true
}

func (e *Encoder) close(c byte) {
	e.Buf = append(e.Buf, c)
	e.first = false
}

// next separates the elements of a list or an object.
func (e *Encoder) next() {
	if !e.first {
		e.Buf = append(e.Buf, ',')
	}
	e.first = false
}

// Key appends an object's key, with a comma before it where one is needed.
func (e *Encoder) Key(name string) {
	e.next()
	e.Buf = append(e.Buf, '"')
	e.Buf = append(e.Buf, name...)
	e.Buf = append(e.Buf, '"', ':')
}

// Rounded gives the float that a result file holds for v: the nearest one with 6 decimals.
func Rounded(v float64) float64 {
	if v == math.Trunc(v) || math.IsNaN(v) {
		return v
	}
	var buf [32]byte
	out, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], v, 'f', 6, 64)), 64)
	if err != nil {
		return v
	}
	return out
}

func (e *Encoder) int(v int) { e.Buf = strconv.AppendInt(e.Buf, int64(v), 10) }

func (e *Encoder) bool(v bool) { e.Buf = strconv.AppendBool(e.Buf, v) }

func (e *Encoder) null() { e.Buf = append(e.Buf, "null"...) }

func (e *Encoder) str(key, v string) {
	e.Key(key)
	e.String(v)
}

func (e *Encoder) num(key string, v int) {
	e.Key(key)
	e.int(v)
}

func (e *Encoder) float(key string, v float64) {
	e.Key(key)
	e.Float(v)
}

func (e *Encoder) flag(key string, v bool) {
	e.Key(key)
	e.bool(v)
}

// Observation appends the part of the observation that is set, or null.
func (e *Encoder) Observation(o Observation) {
	switch {
	case o.Queue != nil:
		e.queue(o.Queue)
	case o.Desk != nil:
		e.desk(o.Desk)
	case o.Dataset != nil:
		e.dataset(o.Dataset)
	default:
		e.null()
	}
}

func (e *Encoder) queue(o *QueueObservation) {
	e.open('{')
	e.str("task", o.Task)
	e.Key("ticket")
	if o.Ticket == nil {
		e.null()
	} else {
		e.ticket(o.Ticket)
	}
	e.num("position", o.Position)
	e.num("total_tickets", o.TotalTickets)
	e.num("remaining", o.Remaining)
	e.Key("stats")
	e.stats(o.Stats)
	e.Key("last_result")
	if r := o.LastResult; r == nil {
		e.null()
	} else {
		e.open('{')
		e.str("ticket_id", r.TicketID)
		e.float("reward", r.Reward)
		e.flag("correct", r.Correct)
		e.Key("parts")
		e.parts(r.Parts, false)
		e.close('}')
	}
	e.str("message", o.Message)
	e.close('}')
}

func (e *Encoder) stats(s *QueueStats) {
	if s == nil {
		e.null()
		return
	}
	e.open('{')
	e.num("processed", s.Processed)
	e.float("mean_reward", s.MeanReward)
	e.float("route_accuracy", s.RouteAccuracy)
	e.float("efficiency", s.Efficiency)
	e.close('}')
}

func (e *Encoder) ticket(t *QueueTicket) {
	e.open('{')
	e.str("ticket_id", t.ID)
	e.str("subject", t.Subject)
	e.str("description", t.Description)
	e.Key("metadata")
	e.open('{')
	m := &t.Metadata
	e.str("channel", m.Channel)
	e.str("customer_tier", string(m.CustomerTier))
	e.float("wait_time_hours", m.WaitTimeHours)
	e.flag("is_escalated", m.IsEscalated)
	e.num("previous_contacts", m.PreviousContacts)
	e.str("selected_category", string(m.SelectedCategory))
	e.str("language", m.Language)
	e.num("attachments", m.Attachments)
	e.close('}')
	e.close('}')
}

// parts appends graded parts; only with why do they say what was given, what is right and why.
func (e *Encoder) parts(parts []Part, why bool) {
	e.open('[')
	for i := range parts {
		p := &parts[i]
		e.next()
		e.open('{')
		e.str("name", p.Name)
		e.float("value", p.Value)
		e.float("weight", p.Weight)
		if why {
			want := p.Why.Want
			if p.Why.Code == WhyText {
				want = "" // there is no one right text
			}
			e.str("got", p.Why.Got)
			e.str("want", want)
			e.str("why", p.Why.String())
		}
		e.close('}')
	}
	e.close(']')
}

func (e *Encoder) desk(o *DeskObservation) {
	e.open('{')
	e.str("ticket_id", o.TicketID)
	e.str("customer_name", o.CustomerName)
	e.str("issue_text", o.IssueText)
	e.str("issue_type", o.IssueType)
	e.float("sentiment_score", o.SentimentScore)
	e.float("wait_time_hours", o.WaitTimeHours)
	e.flag("is_escalated", o.IsEscalated)
	e.num("step_count", o.StepCount)
	e.str("task_difficulty", string(o.TaskDifficulty))
	e.str("message", o.Message)
	e.close('}')
}

func (e *Encoder) dataset(o *DatasetObservation) {
	e.open('{')
	e.str("ticket_id", o.TicketID)
	e.str("subject", o.Subject)
	e.str("body", o.Body)
	e.Key("fields")
	e.stringMap(o.Fields)
	e.Key("labels")
	e.open('{')
	columns := make([]string, 0, len(o.Labels))
	for c := range o.Labels {
		columns = append(columns, c)
	}
	sort.Strings(columns)
	for _, c := range columns {
		e.text(c)
		e.open('[')
		for _, v := range o.Labels[c] {
			e.next()
			e.String(v)
		}
		e.close(']')
	}
	e.close('}')
	e.close('}')
}

// text appends a key that may need escaping.
func (e *Encoder) text(key string) {
	e.next()
	e.String(key)
	e.Buf = append(e.Buf, ':')
}

func (e *Encoder) stringMap(m map[string]string) {
	e.open('{')
	e.stringMembers(m)
	e.close('}')
}

// stringMembers appends the members of an object that is open.
func (e *Encoder) stringMembers(m map[string]string) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		e.text(k)
		e.String(m[k])
	}
}

// maxBrackets is how many brackets a raw action may have to be written as JSON: deeper nesting could not be read back.
const maxBrackets = 1000

// tooDeep tells whether a raw action may be nested too deep. A text is not nested, whatever it holds: what was written as one stays as
// it is when it is written again.
func tooDeep(data []byte) bool {
	if s := space(data); len(s) > 0 && s[0] == '"' {
		return false
	}
	return bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxBrackets
}

// raw appends what was to be an action: on one line as JSON if it is that, else as a string.
func (e *Encoder) raw(data []byte) {
	var b bytes.Buffer
	if tooDeep(data) || !utf8.Valid(data) || json.Compact(&b, data) != nil {
		e.String(string(data))
	} else {
		e.Buf = append(e.Buf, b.Bytes()...)
	}
	e.first = false
}

// Action appends the fields of the action that are present as one flat object.
func (e *Encoder) Action(a *Action) {
	if a.Raw != nil {
		e.raw(a.Raw)
		return
	}
	present := func(key, v string) {
		if v != "" {
			e.str(key, v)
		}
	}
	number := func(key string, v Int) {
		if v.Set {
			e.num(key, v.Value)
		}
	}
	e.open('{')
	switch a.Track {
	case Dataset:
		e.stringMembers(a.Labels)
	case Queue:
		present(FieldRoute, string(a.Queue.Route))
		present(FieldUrgency, string(a.Queue.Urgency))
		present(FieldDifficulty, string(a.Queue.Difficulty))
		number(FieldPriorityScore, a.Queue.Priority)
	case Desk:
		present(FieldCategory, string(a.Desk.Category))
		present(FieldPriority, string(a.Desk.Priority))
		number(FieldUrgencyDays, a.Desk.UrgencyDays)
		present(FieldDepartment, string(a.Desk.Department))
		present(FieldRecommendation, a.Desk.Recommendation)
	}
	if _, column := a.Labels[FieldConfidence]; !column || a.Track != Dataset {
		e.confidenceOf(a)
	}
	e.close('}')
}

// Score appends a score with the reasons of its parts. It is for result files, never for observations.
func (e *Encoder) Score(s *Score) {
	e.open('{')
	e.float("total", s.Total)
	e.Key("parts")
	e.parts(s.Parts, true)
	e.close('}')
}
