package agent

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/llm/reply"
	"github.com/triagebench/triage/pkg/triage"
)

// promptField is a field that a model is asked for. Templates read it: docs/prompts.md.
type promptField struct {
	Name   string
	Values []string // allowed words; empty for numbers and texts
	// Low and High are the bounds of an integer; both 0 for other fields.
	Low, High int
	// Length is the longest text in characters; 0 for other fields.
	Length int
}

// Words says what is allowed. Where a list could not show the values as they are, or a model could take them for numbers, all
// of them stand in quotes.
func (f promptField) Words() string {
	switch {
	case f.Length > 0:
		return fmt.Sprintf("a text of at most %d characters", f.Length)
	case f.High > f.Low:
		return fmt.Sprintf("an integer from %d to %d", f.Low, f.High)
	}
	values := f.Values
	if slices.ContainsFunc(values, func(v string) bool {
		return strings.TrimSpace(v) != v || v == "" || strings.ContainsAny(v, ",\"\n\r") || json.Valid([]byte(v))
	}) {
		values = make([]string, len(f.Values))
		for i, v := range f.Values {
			values[i] = quoted(v)
		}
	}
	return "one of " + strings.Join(values, ", ")
}

// asked lists the fields of a task's answer in the order in which they are best decided. labels has the columns of imported
// tickets. The error says that there is no such task.
func asked(task string, labels map[string][]string) ([]promptField, error) {
	if task == string(triage.Dataset) {
		columns := make([]string, 0, len(labels))
		for c := range labels {
			columns = append(columns, c)
		}
		sort.Strings(columns)
		out := make([]promptField, len(columns))
		for i, c := range columns {
			out[i] = promptField{Name: c, Values: labels[c]}
		}
		return out, nil
	}
	t, err := triage.TaskByName(task)
	if err != nil {
		return nil, err
	}
	if t.Track == triage.Queue {
		return []promptField{
			{Name: triage.FieldRoute, Values: words(triage.Routes())},
			{Name: triage.FieldUrgency, Values: words(triage.Urgencies())},
			{Name: triage.FieldDifficulty, Values: words(triage.Resolutions())},
			{Name: triage.FieldPriorityScore, Low: 0, High: 100},
		}, nil
	}
	all := map[string]promptField{
		triage.FieldCategory:       {Values: words(triage.Categories())},
		triage.FieldPriority:       {Values: words(triage.Priorities())},
		triage.FieldUrgencyDays:    {Low: 1, High: 7},
		triage.FieldDepartment:     {Values: words(triage.Departments())},
		triage.FieldRecommendation: {Length: triage.MaxRecommendation},
	}
	out := make([]promptField, len(t.Asked))
	for i, name := range t.Asked {
		out[i] = all[name]
		out[i].Name = name
	}
	return out, nil
}

// schemaOf is the JSON Schema of an answer with the fields, in their order: what OpenAI's strict mode wants, every property
// required and no other allowed. Bounds of integers are in it, which some servers ignore; the length of a text is not, since
// strict mode has refused it, and the prompt says it in words.
func schemaOf(fields []promptField) json.RawMessage {
	var b, required strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
			required.WriteByte(',')
		}
		name := quoted(f.Name)
		required.WriteString(name)
		b.WriteString(name + ":")
		switch {
		case f.Length > 0:
			b.WriteString(`{"type":"string"}`)
		case f.High > f.Low:
			b.WriteString(`{"type":"integer","minimum":` + strconv.Itoa(f.Low) + `,"maximum":` + strconv.Itoa(f.High) + `}`)
		default:
			values := make([]string, len(f.Values))
			for j, v := range f.Values {
				values[j] = quoted(v)
			}
			b.WriteString(`{"type":"string","enum":[` + strings.Join(values, ",") + `]}`)
		}
	}
	b.WriteString(`},"required":[` + required.String() + `],"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

// quoted is a text as JSON.
func quoted(s string) string {
	var e triage.Encoder
	e.String(s)
	return string(e.Buf)
}

// shapeOf is what the reader looks for.
func shapeOf(fields []promptField) (reply.Shape, error) {
	table, err := aliases()
	if err != nil {
		return reply.Shape{}, err
	}
	out := reply.Shape{Fields: make([]reply.Field, len(fields)), Confidence: triage.FieldConfidence}
	for i, f := range fields {
		r := reply.Field{Name: f.Name, Kind: reply.Enum, Allowed: f.Values}
		switch {
		case f.Length > 0:
			r.Kind, r.MaxRunes = reply.Text, f.Length
		case f.High > f.Low:
			r.Kind, r.Low, r.High = reply.Integer, f.Low, f.High
		default:
			r.Aliases = known(table[f.Name], f.Values)
		}
		out.Fields[i] = r
	}
	return out, nil
}

// known leaves out the aliases of values that a field does not have, and those that are values of it themselves: columns of
// imported tickets may have the name of a field of ours and other values.
func known(aliases map[string]string, values []string) map[string]string {
	out := map[string]string{}
	for alias, value := range aliases {
		if _, taken := fold(values, alias); !taken && slices.Contains(values, value) {
			out[alias] = value
		}
	}
	return out
}

// aliases reads baselines/llm/aliases.json once: by field, words in lower case that stand for an allowed value.
var aliases = sync.OnceValues(func() (map[string]map[string]string, error) {
	data, err := fs.ReadFile(baselines.Files, "llm/aliases.json")
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	var out map[string]map[string]string
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("llm: aliases.json: %w", err)
	}
	return out, nil
})
