package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// The observed fields that degenerate agents copy, and "numbers": all numbers of a desk ticket together.
const (
	fieldPrefix   = "field:"
	fieldSelected = "selected_category"
	fieldNumbers  = "numbers"
)

// Fields lists the observed fields of a track that a degenerate agent can copy.
func Fields(track triage.Track) []string {
	if track == triage.Desk {
		return []string{"sentiment_score", "wait_time_hours", "is_escalated", fieldNumbers}
	}
	return []string{fieldSelected, "channel", "customer_tier", "wait_time_hours", "is_escalated", "previous_contacts", "language", "attachments"}
}

// Floors names the degenerate agents of a track whose best score is the floor that results print.
func Floors(track triage.Track) []string {
	out := []string{"constant", "random"}
	for _, f := range Fields(track) {
		out = append(out, fieldPrefix+f)
	}
	return out
}

// NewFloor makes one of the agents that [Floors] names.
func NewFloor(name string) (triage.Agent, error) {
	field, ok := strings.CutPrefix(name, fieldPrefix)
	if !ok {
		return New(name)
	}
	tables, err := fieldTables()
	if err != nil {
		return nil, err
	}
	return &Field{field: field, tables: tables}, nil
}

// Field is a degenerate agent: it reads one observed field and answers with what was most frequent on train given that
// field, the route with the field itself where that is a route, and priorities by the handbook's arithmetic on the
// metadata.
type Field struct {
	field  string
	tables map[string]map[string]map[string]json.RawMessage // task, field, value
	parsed map[[2]string]triage.Action
}

// fieldTables reads baselines/floor/fields.json once.
var fieldTables = sync.OnceValues(func() (map[string]map[string]map[string]json.RawMessage, error) {
	data, err := fs.ReadFile(baselines.Files, "floor/fields.json")
	if err != nil {
		return nil, fmt.Errorf("floor: %w", err)
	}
	var out map[string]map[string]map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("floor: %w", err)
	}
	return out, nil
})

// FieldValue gives the value of an observed field as the tables know it: numbers in bands.
func FieldValue(o triage.Observation, field string) string {
	if d := o.Desk; d != nil {
		switch field {
		case "sentiment_score":
			return sentimentBand(d.SentimentScore)
		case "wait_time_hours":
			return waitBand(d.WaitTimeHours)
		case "is_escalated":
			return strconv.FormatBool(d.IsEscalated)
		}
		return sentimentBand(d.SentimentScore) + " " + waitBand(d.WaitTimeHours) + " " + strconv.FormatBool(d.IsEscalated)
	}
	m := &o.Queue.Ticket.Metadata
	switch field {
	case fieldSelected:
		return string(m.SelectedCategory)
	case "channel":
		return m.Channel
	case "customer_tier":
		return string(m.CustomerTier)
	case "wait_time_hours":
		return waitBand(m.WaitTimeHours)
	case "is_escalated":
		return strconv.FormatBool(m.IsEscalated)
	case "previous_contacts":
		return strconv.Itoa(min(m.PreviousContacts, 3))
	case "language":
		return m.Language
	}
	return strconv.Itoa(min(m.Attachments, 3))
}

// The bands are those of the handbook's rules.
func sentimentBand(v float64) string { return band(v, -0.9, -0.8, -0.6, -0.4, 0.4) }

func waitBand(v float64) string { return band(v, 3.95, 23.95, 47.95) }

func band(v float64, bounds ...float64) string {
	for i, b := range bounds {
		if v <= b {
			return strconv.Itoa(i)
		}
	}
	return strconv.Itoa(len(bounds))
}

// Act answers by the table of the field.
func (f *Field) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	task := ""
	track := triage.Queue
	if o.Desk != nil {
		task, track = string(triage.Desk)+"-"+string(o.Desk.TaskDifficulty), triage.Desk
	} else {
		task = o.Queue.Task
	}
	if !slices.Contains(Fields(track), f.field) {
		return triage.Action{}, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("track %s has no field %q", track, f.field)}
	}
	a, err := f.answer(task, track, FieldValue(o, f.field))
	if err != nil {
		return triage.Action{}, err
	}
	if q := o.Queue; q != nil {
		m := &q.Ticket.Metadata
		if f.field == fieldSelected && m.SelectedCategory != "" {
			a.Queue.Route = m.SelectedCategory
		}
		score := 0
		if a.Queue.Route != triage.Spam {
			score = handbook.PriorityScore(a.Queue.Urgency, m.CustomerTier, m.WaitTimeHours, m.IsEscalated, m.PreviousContacts)
		}
		a.Queue.Priority = triage.IntOf(score)
	}
	return a, nil
}

// answer looks the value up; what train never had is answered as the most frequent value is.
func (f *Field) answer(task string, track triage.Track, value string) (triage.Action, error) {
	if a, ok := f.parsed[[2]string{task, value}]; ok {
		return a, nil
	}
	raw, ok := f.tables[task][f.field][value]
	if !ok {
		if raw, ok = f.tables[task][f.field]["*"]; !ok {
			return triage.Action{}, fmt.Errorf("floor: no table for task %s, field %s", task, f.field)
		}
	}
	a, err := triage.ParseAction(track, raw, nil)
	if err != nil {
		return triage.Action{}, fmt.Errorf("floor: %s: %s: %w", task, f.field, err)
	}
	if f.parsed == nil {
		f.parsed = map[[2]string]triage.Action{}
	}
	f.parsed[[2]string{task, value}] = a
	return a, nil
}
