package triage

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// FieldConfidence is the field of any action that says how sure its agent is. It decides nothing.
const FieldConfidence = "confidence"

// confidenceAllowed says what the field may be.
const confidenceAllowed = "a number from 0 to 1, or an object of such numbers by field"

// numberAllowed says what a confidence may be.
const numberAllowed = "a number from 0 to 1"

// Confidence is how sure an agent is of an answer: the probability, 0..1, that it is right, as the agent sees it. On the wire it is a
// number for the answer as a whole (Answer), or an object of numbers by field (Fields). It is kept beside the answer and is never graded.
// It is not to be changed once it is part of an action.
type Confidence struct {
	// Answer is that of the whole answer. It is absent where Fields has some.
	Answer Share
	// Fields has those of single fields, by the field's name on the wire; of imported tickets by column.
	Fields map[string]float64
}

// Share is a number from 0 to 1 that may be absent. The zero value is absent.
type Share struct {
	Value float64
	Set   bool
}

// ShareOf gives a present share.
func ShareOf(v float64) Share { return Share{Value: v, Set: true} }

// SureOf gives the confidence of the whole answer. The value must be within 0..1.
func SureOf(v float64) *Confidence { return &Confidence{Answer: ShareOf(v)} }

// SureOfFields gives the confidence of single fields. The values must be within 0..1. Nil or an empty map gives nil: none.
func SureOfFields(fields map[string]float64) *Confidence {
	if len(fields) == 0 {
		return nil
	}
	return &Confidence{Fields: fields}
}

// Least is the confidence of the answer as a whole: the agent's own, or the least of its fields', since an answer is not likelier right
// than its doubtful field. It is absent where there is none.
func (c *Confidence) Least() Share {
	if c == nil {
		return Share{}
	}
	out := c.Answer
	for _, v := range c.Fields { // a least value depends on no order
		if !out.Set || v < out.Value {
			out = ShareOf(v)
		}
	}
	return out
}

// confidence takes the field. fields are those that an action of the track may have.
func (p *fieldParser) confidence(fields []string) *Confidence {
	raw, ok := p.take(FieldConfidence)
	if !ok {
		return nil
	}
	if raw[0] != '{' {
		if v, ok := p.share(FieldConfidence, raw, confidenceAllowed); ok {
			return SureOf(v)
		}
		return nil
	}
	members, err := AppendValidMembers(nil, raw)
	if err != nil { // not reached: it is an object
		p.fail(FieldConfidence, string(raw), confidenceAllowed, "wrong_type")
		return nil
	}
	slices.SortFunc(members, func(a, b Member) int { return bytes.Compare(a.Key, b.Key) })
	out := map[string]float64{}
	for _, m := range members {
		name := string(m.Key)
		switch {
		case !slices.Contains(fields, name):
			p.fail(FieldConfidence+"."+shorten(name), string(m.Value), words(fields), "unknown_field")
		case string(m.Value) != "null":
			if v, ok := p.share(FieldConfidence+"."+shorten(name), m.Value, numberAllowed); ok {
				out[name] = v
			}
		}
	}
	return SureOfFields(out)
}

// share reads a number from 0 to 1. Unlike integers, it is no text: no server of the kind has this field.
func (p *fieldParser) share(name string, raw json.RawMessage, allowed string) (float64, bool) {
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		p.fail(name, string(raw), allowed, "wrong_type")
		return 0, false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(v >= 0 && v <= 1) {
		p.fail(name, string(raw), allowed, "out_of_range")
		return 0, false
	}
	return math.Abs(v), true // −0 is 0
}

// valid tells whether a typed action's confidence is one that could be read. Another is looked at as JSON.
func (c *Confidence) valid(track Track) bool {
	if c == nil {
		return true
	}
	in := func(v float64) bool { return v >= 0 && v <= 1 }
	if c.Answer.Set && !in(c.Answer.Value) || c.Answer.Set && len(c.Fields) > 0 {
		return false
	}
	fields := AnswerFields(track)
	for name, v := range c.Fields {
		if !in(v) || !slices.Contains(fields, name) {
			return false
		}
	}
	return true
}

// Confidence appends a confidence as it stands on the wire, null where there is none. Where both forms are set, which no action that was
// read has, it is that of the fields.
func (e *Encoder) Confidence(c *Confidence) {
	switch {
	case c == nil || !c.Answer.Set && len(c.Fields) == 0:
		e.null()
	case len(c.Fields) == 0:
		e.Float(c.Answer.Value)
	default:
		e.open('{')
		names := make([]string, 0, len(c.Fields))
		for name := range c.Fields {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			e.text(name)
			e.Float(c.Fields[name])
		}
		e.close('}')
	}
}

// confidenceOf appends the member of an action that has one. A label column of the same name goes before it.
func (e *Encoder) confidenceOf(a *Action) {
	if c := a.Confidence; c != nil && (c.Answer.Set || len(c.Fields) > 0) {
		e.Key(FieldConfidence)
		e.Confidence(c)
	}
}

// Answer appends what of an action is an answer, that is the action without its confidence: two actions with the same bytes here answer
// alike. Of an action that was kept as JSON a member "confidence" is left out if it is a number or an object.
func (e *Encoder) Answer(a *Action) {
	if a.Raw == nil {
		bare := *a
		bare.Confidence = nil
		e.Action(&bare)
		return
	}
	if !bytes.Contains(a.Raw, []byte(FieldConfidence)) {
		e.Action(a)
		return
	}
	members, err := AppendMembers(nil, a.Raw)
	at := slices.IndexFunc(members, func(m Member) bool { return string(m.Key) == FieldConfidence })
	if err != nil || at < 0 || members[at].Value[0] == '"' || tooDeep(a.Raw) {
		e.Action(a)
		return
	}
	e.open('{')
	for i, m := range members {
		if i != at {
			e.text(string(m.Key))
			e.raw(m.Value)
		}
	}
	e.close('}')
}

// LoggedConfidence reads the confidence of an action as it stands in a log, whatever its track: nil where it has none, or none that can be
// read. Names of fields are not checked.
func LoggedConfidence(action json.RawMessage) *Confidence {
	if !bytes.Contains(action, []byte(FieldConfidence)) {
		return nil
	}
	members, err := AppendMembers(nil, action)
	if err != nil {
		return nil
	}
	p := fieldParser{members: members}
	at := slices.IndexFunc(members, func(m Member) bool { return string(m.Key) == FieldConfidence })
	if at < 0 {
		return nil
	}
	var fields []string
	if inner, err := AppendMembers(nil, members[at].Value); err == nil {
		for _, m := range inner {
			fields = append(fields, string(m.Key))
		}
	}
	c := p.confidence(fields)
	if len(p.errs) > 0 {
		return nil
	}
	return c
}
