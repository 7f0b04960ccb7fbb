package triage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The names of the action fields as on the wire.
const (
	FieldRoute          = "route_category"
	FieldUrgency        = "urgency_assessment"
	FieldDifficulty     = "resolution_difficulty"
	FieldPriorityScore  = "priority_score"
	FieldCategory       = "category"
	FieldPriority       = "priority"
	FieldUrgencyDays    = "urgency_days"
	FieldDepartment     = "department"
	FieldRecommendation = "recommendation"
	FieldMetadata       = "metadata" // of any action; decides nothing
)

// MaxRecommendation is the longest recommendation that is accepted, in characters.
const MaxRecommendation = 2000

// Int is an integer that may be absent. The zero value is absent.
type Int struct {
	Value int
	Set   bool
}

// IntOf gives a present integer.
func IntOf(v int) Int { return Int{Value: v, Set: true} }

// MarshalJSON encodes the number or null.
func (i Int) MarshalJSON() ([]byte, error) {
	if !i.Set {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(i.Value), 10), nil
}

// UnmarshalJSON reads a number or null.
func (i *Int) UnmarshalJSON(data []byte) error {
	*i = Int{}
	if string(data) == "null" {
		return nil
	}
	if err := json.Unmarshal(data, &i.Value); err != nil {
		return err
	}
	i.Set = true
	return nil
}

// QueueAction answers a queue ticket. Empty fields are absent: they cost what they are worth, never more.
type QueueAction struct {
	Route      Route      `json:"route_category,omitempty"`
	Urgency    Urgency    `json:"urgency_assessment,omitempty"`
	Difficulty Resolution `json:"resolution_difficulty,omitempty"`
	Priority   Int        `json:"priority_score"` // 0..100
}

// DeskAction answers, or adds to the answer of, a desk ticket. Empty fields are absent.
type DeskAction struct {
	Category       Category   `json:"category,omitempty"`
	Priority       Priority   `json:"priority,omitempty"`
	UrgencyDays    Int        `json:"urgency_days"` // 1..7
	Department     Department `json:"department,omitempty"`
	Recommendation string     `json:"recommendation,omitempty"`
}

// Action is what an agent decides. Only the part of the track that is played counts.
type Action struct {
	Queue  QueueAction
	Desk   DeskAction
	Labels map[string]string
	Track  Track
	// Confidence is how sure the agent is, or nil. It is kept and never graded.
	Confidence *Confidence
	// Raw holds an action that could not be read as the track's fields, for the record; such an action is refused.
	Raw json.RawMessage
}

// MarshalJSON encodes the fields that are present as one flat object.
func (a Action) MarshalJSON() ([]byte, error) {
	var e Encoder
	e.Action(&a)
	return e.Buf, nil
}

// ParseAction reads an action of the given track from JSON. A field may be absent or null. Unknown fields other than
// "metadata" and "confidence", unknown words, numbers out of range and wrong types are reported together as [FieldErrors]. Integers are
// read leniently: 42, 42.0, "42" and true (1) are integers. labels gives the allowed values of each column of the
// dataset track and is nil elsewhere.
func ParseAction(track Track, data []byte, labels map[string][]string) (Action, error) {
	var room [8]Member
	members, err := AppendMembers(room[:0], data)
	if err != nil {
		return Action{}, notObject(data, err)
	}
	return ParseMembers(track, members, labels)
}

// ParseMembers is [ParseAction] for an object that was split into its members, which it changes.
func ParseMembers(track Track, members []Member, labels map[string][]string) (Action, error) {
	p := fieldParser{members: members}
	a := Action{Track: track}
	switch track {
	case Queue:
		a.Queue.Route = oneOf(&p, FieldRoute, Routes())
		a.Queue.Urgency = oneOf(&p, FieldUrgency, Urgencies())
		a.Queue.Difficulty = oneOf(&p, FieldDifficulty, Resolutions())
		a.Queue.Priority = p.integer(FieldPriorityScore, 0, 100)
	case Desk:
		a.Desk.Category = oneOf(&p, FieldCategory, Categories())
		a.Desk.Priority = oneOf(&p, FieldPriority, Priorities())
		a.Desk.UrgencyDays = p.integer(FieldUrgencyDays, 1, 7)
		a.Desk.Department = oneOf(&p, FieldDepartment, Departments())
		a.Desk.Recommendation = p.text(FieldRecommendation, MaxRecommendation)
	case Dataset:
		a.Labels = p.labels(labels)
	default:
		return Action{}, &Error{Code: CodeUsage, Message: fmt.Sprintf("unknown track %q", track)}
	}
	a.Confidence = p.confidence(namesOf(track, labels))
	p.unknown(track, labels)
	if len(p.errs) > 0 {
		return Action{}, &FieldErrors{Fields: p.errs}
	}
	return a, nil
}

// notObject says what an action is that is no JSON object.
func notObject(data []byte, err error) error {
	allowed := "a JSON object"
	if dec := json.NewDecoder(bytes.NewReader(data)); !errors.Is(err, ErrNotObject) && bytes.HasPrefix(space(data), []byte("{")) &&
		dec.Decode(new(json.RawMessage)) == nil {
		allowed = "one JSON object and nothing after it"
	}
	return &FieldErrors{Fields: []FieldError{{Field: "action", Value: shorten(string(data)), Allowed: allowed, Problem: "wrong_type"}}}
}

// fieldParser takes fields out of an object and collects what is wrong with them.
type fieldParser struct {
	members []Member
	errs    []FieldError
}

// take removes a field and tells whether it was there with a value other than null.
func (p *fieldParser) take(name string) (json.RawMessage, bool) {
	for i, m := range p.members {
		if string(m.Key) == name {
			p.members = slices.Delete(p.members, i, i+1)
			return m.Value, string(m.Value) != "null"
		}
	}
	return nil, false
}

func (p *fieldParser) fail(field, value, allowed, problem string) {
	p.errs = append(p.errs, FieldError{Field: field, Value: shorten(value), Allowed: allowed, Problem: problem})
}

// oneOf takes a field whose value is one of a list.
func oneOf[T ~string](p *fieldParser, name string, allowed []T) T {
	raw, ok := p.take(name)
	if !ok {
		return ""
	}
	if raw[0] != '"' {
		p.fail(name, string(raw), "one of "+words(allowed), "wrong_type")
		return ""
	}
	s := unquoted(raw)
	for _, v := range allowed {
		if string(s) == string(v) {
			return v
		}
	}
	p.fail(name, string(raw), "one of "+words(allowed), "not_one_of")
	return ""
}

func (p *fieldParser) text(name string, limit int) string {
	raw, ok := p.take(name)
	if !ok {
		return ""
	}
	if raw[0] != '"' {
		p.fail(name, string(raw), "a text", "wrong_type")
		return ""
	}
	s := string(unquoted(raw))
	if n := utf8.RuneCountInString(s); n > limit {
		p.fail(name, fmt.Sprintf("a text of %d characters", n), fmt.Sprintf("at most %d characters", limit), "too_long")
		return ""
	}
	return s
}

func (p *fieldParser) integer(name string, low, high int) Int {
	raw, ok := p.take(name)
	if !ok {
		return Int{}
	}
	v, ok := WholeNumber(raw)
	if !ok || v < int64(low) || v > int64(high) {
		problem := "out_of_range"
		if !ok {
			problem = "wrong_type"
		}
		p.fail(name, string(raw), fmt.Sprintf("an integer from %d to %d", low, high), problem)
		return Int{}
	}
	return IntOf(int(v))
}

func (p *fieldParser) labels(allowed map[string][]string) map[string]string {
	columns := namesOf(Dataset, allowed)
	out := make(map[string]string, len(columns))
	for _, c := range columns {
		raw, ok := p.take(c)
		if !ok {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			p.fail(c, string(raw), "a text, "+someOf(allowed[c]), "wrong_type")
			continue
		}
		if !contains(allowed[c], s) {
			p.fail(c, string(raw), someOf(allowed[c]), "not_one_of")
			continue
		}
		out[c] = s
	}
	return out
}

// unknown reports what nobody took, by name. Metadata is everybody's to use, if it is an object.
func (p *fieldParser) unknown(track Track, labels map[string][]string) {
	if raw, ok := p.take(FieldMetadata); ok && raw[0] != '{' {
		p.fail(FieldMetadata, string(raw), "an object", "wrong_type")
	}
	rest := p.members
	if len(rest) == 0 {
		return
	}
	slices.SortFunc(rest, func(a, b Member) int { return bytes.Compare(a.Key, b.Key) })
	allowed := words(namesOf(track, labels))
	for _, m := range rest {
		p.fail(shorten(string(m.Key)), string(m.Value), allowed, "unknown_field")
	}
}

// AnswerFields are the fields of an answer on the queue or desk track, in their order; nil for another track.
func AnswerFields(track Track) []string {
	switch track {
	case Queue:
		return []string{FieldRoute, FieldUrgency, FieldDifficulty, FieldPriorityScore}
	case Desk:
		return []string{FieldCategory, FieldPriority, FieldUrgencyDays, FieldDepartment, FieldRecommendation}
	}
	return nil
}

// namesOf are the answer's fields of a track: of imported tickets the columns, sorted.
func namesOf(track Track, labels map[string][]string) []string {
	if track != Dataset {
		return AnswerFields(track)
	}
	columns := make([]string, 0, len(labels))
	for c := range labels {
		columns = append(columns, c)
	}
	sort.Strings(columns)
	return columns
}

// Validate checks a typed action of the given track as [ParseAction] checks its JSON. It gives nil or [FieldErrors].
func (a *Action) Validate(track Track, labels map[string][]string) error {
	if a.Raw != nil {
		_, err := ParseAction(track, a.Raw, labels)
		return err
	}
	if (a.Track == track || a.Track == "") && a.Confidence.valid(track) {
		switch track {
		case Queue:
			if q := &a.Queue; (q.Route == "" || q.Route.Valid()) && (q.Urgency == "" || q.Urgency.Level() >= 0) &&
				(q.Difficulty == "" || q.Difficulty.Level() >= 0) && (!q.Priority.Set || q.Priority.Value >= 0 && q.Priority.Value <= 100) {
				return nil
			}
		case Desk:
			if d := &a.Desk; (d.Category == "" || d.Category.Valid()) && (d.Priority == "" || d.Priority.Level() >= 0) &&
				(d.Department == "" || d.Department.Index() >= 0) && (!d.UrgencyDays.Set || d.UrgencyDays.Value >= 1 && d.UrgencyDays.Value <= 7) &&
				(len(d.Recommendation) <= MaxRecommendation || utf8.RuneCountInString(d.Recommendation) <= MaxRecommendation) {
				return nil
			}
		}
	}
	asked := *a // an answer of another track has fields that are unknown here
	if asked.Track == "" {
		asked.Track = track
	}
	var e Encoder
	e.Action(&asked)
	_, err := ParseAction(track, e.Buf, labels)
	return err
}

func someOf(values []string) string {
	const most = 12
	if len(values) <= most {
		return "one of " + strings.Join(values, ", ")
	}
	return fmt.Sprintf("one of %s … (%d in all)", strings.Join(values[:most], ", "), len(values))
}

func contains(values []string, v string) bool {
	for _, x := range values {
		if x == v {
			return true
		}
	}
	return false
}

// shorten cuts a value for an error message at about 80 bytes, between characters.
func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
