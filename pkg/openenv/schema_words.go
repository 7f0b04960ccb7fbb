package openenv

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/triagebench/triage/pkg/triage"
)

// vocabulary gives the words and limits of the types of the wire, for one track.
type vocabulary map[reflect.Type]*jsonschema.Schema

// wordsOf adds a type whose values are a closed list of words.
func wordsOf[T ~string](v vocabulary, values []T) {
	v[reflect.TypeFor[T]()] = oneOf(values)
}

// oneOf is the schema of a closed list of words.
func oneOf[T ~string](values []T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range values {
		s.Enum = append(s.Enum, string(w))
	}
	return s
}

// within is the schema of a number; nil leaves an end open.
func within(kind string, low, high *float64) *jsonschema.Schema {
	return &jsonschema.Schema{Type: kind, Minimum: low, Maximum: high}
}

// words are the words and limits that the actions, observations and states of a track use.
func words(track triage.Track) vocabulary {
	num := jsonschema.Ptr[float64]
	v := vocabulary{
		reflect.TypeFor[amount]():     within("integer", num(0), nil),
		reflect.TypeFor[share]():      within("number", num(0), num(1)),
		reflect.TypeFor[hours]():      within("number", num(0), nil),
		reflect.TypeFor[tone]():       within("number", num(-1), num(1)),
		reflect.TypeFor[points]():     integers(bounds[triage.FieldPriorityScore]),
		reflect.TypeFor[days]():       integers(bounds[triage.FieldUrgencyDays]),
		reflect.TypeFor[advice]():     {Type: "string", MaxLength: jsonschema.Ptr(triage.MaxRecommendation)},
		reflect.TypeFor[ticketID]():   {Type: "string", Pattern: "^TKT-[0-9]+$"},
		reflect.TypeFor[seedNumber](): integers([2]int64{0, triage.MaxSeed}),
		// Free objects say so, as the reference's do.
		reflect.TypeFor[sure]():       sureness(track),
		reflect.TypeFor[freeObject](): {Type: "object", AdditionalProperties: &jsonschema.Schema{}},
	}
	wordsOf(v, triage.Routes())
	wordsOf(v, triage.Urgencies())
	wordsOf(v, triage.Resolutions())
	wordsOf(v, triage.Categories())
	wordsOf(v, triage.Priorities())
	wordsOf(v, triage.Departments())
	wordsOf(v, triage.Tiers())
	wordsOf(v, triage.Difficulties())
	wordsOf(v, triage.Splits())
	wordsOf(v, RewardModes())
	wordsOf(v, InvalidModes())
	wordsOf(v, []triage.Ended{triage.EndedComplete, triage.EndedTruncated})
	wordsOf(v, []triage.Track{track})
	var tasks []taskName
	for _, t := range triage.Tasks() {
		if t.Track == track {
			tasks = append(tasks, taskName(t.Name))
		}
	}
	wordsOf(v, tasks)
	choices := []picked{""}
	for _, r := range triage.Routes() {
		choices = append(choices, picked(r))
	}
	wordsOf(v, choices)
	return v
}

// sureness is the schema of a confidence. Its fields stand in the order of their names: any may be missing.
func sureness(track triage.Track) *jsonschema.Schema {
	share := within("number", jsonschema.Ptr(0.0), jsonschema.Ptr(1.0))
	fields := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
	for _, name := range triage.AnswerFields(track) {
		fields.Properties[name] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{share.CloneSchemas(), {Type: "null"}}}
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{share, fields}}
}

// integers is the schema of the integers of a range, both ends included.
func integers(limits [2]int64) *jsonschema.Schema {
	return within("integer", jsonschema.Ptr(float64(limits[0])), jsonschema.Ptr(float64(limits[1])))
}

// exact puts the largest seed, which a float64 cannot hold, back into an encoded schema.
func exact(text []byte) []byte {
	rounded := Plain(float64(triage.MaxSeed))
	return bytes.ReplaceAll(text, rounded, strconv.AppendInt(nil, triage.MaxSeed, 10))
}

// schemaOf makes the schema of a type in the form in which the reference writes schemas: a title, "anyOf" with null where a
// value may be null. The types are ours, so that a mistake is one of the program, found by its tests: it panics.
func schemaOf[T any](title string, v vocabulary) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: v})
	if err != nil {
		panic("schema of " + title + ": " + err.Error())
	}
	s.Title = title
	spell(s)
	return s
}

// spell rewrites the generator's spelling of null, all through a schema.
func spell(s *jsonschema.Schema) {
	for _, p := range s.Properties {
		spell(p)
	}
	for _, p := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if p != nil {
			spell(p)
		}
	}
	if len(s.Types) == 0 || s.Types[0] != "null" {
		return
	}
	switch {
	case s.Ref != "":
		*s = jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
	case len(s.Types) == 1: // a list of forms
		s.Types, s.AnyOf = nil, append(s.AnyOf, &jsonschema.Schema{Type: "null"})
	case s.Types[1] == "array": // lists of the wire are never null
		s.Types, s.Type = nil, "array"
	default:
		form := *s
		form.Types, form.Type, form.Description = nil, s.Types[1], ""
		*s = jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{&form, {Type: "null"}}}
	}
}

// optional gives the properties that may be left out a default of null where they may be null.
func optional(s *jsonschema.Schema) *jsonschema.Schema {
	for _, p := range s.Properties {
		if n := len(p.AnyOf); n > 0 && p.AnyOf[n-1].Type == "null" {
			p.Default = json.RawMessage("null")
		}
	}
	return s
}
