package openenv

import (
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/triagebench/triage/pkg/triage"
)

// requestWords are the words and limits of requests: those of the track, but with every spelling that a server accepts, so that
// the document tells exactly what is refused.
func requestWords(track triage.Track) vocabulary {
	v := words(track)
	v[reflect.TypeFor[points]()] = spellings(bounds[triage.FieldPriorityScore], "100|[0-9]{1,2}")
	v[reflect.TypeFor[days]()] = spellings(bounds[triage.FieldUrgencyDays], "[1-7]")
	v[reflect.TypeFor[wholeSeed]()] = spellings([2]int64{0, triage.MaxSeed}, "[0-9]{1,18}")
	v[reflect.TypeFor[wholeIndex]()] = spellings([2]int64{0, NumTasks - 1}, "[0-9]{1,3}|[12][0-9]{3}")
	v[reflect.TypeFor[wholeTickets]()] = spellings([2]int64{1, mostTickets()}, "[1-8]")
	v[reflect.TypeFor[taskIndex]()] = spellings([2]int64{-NumTasks, NumTasks - 1}, "[0-9]{1,3}|[12][0-9]{3}")
	v[reflect.TypeFor[slicePlace]()] = spellings([2]int64{-1 << 53, 1 << 53}, "[0-9]{1,15}")
	v[reflect.TypeFor[lenientTruth]()] = truths()
	v[reflect.TypeFor[episodeName]()] = &jsonschema.Schema{Type: "string", MaxLength: jsonschema.Ptr(MaxEpisodeID)}
	v[reflect.TypeFor[seconds]()] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number", ExclusiveMinimum: jsonschema.Ptr(0.0)},
		{Type: "string", Pattern: `^[+]?[0-9]{0,9}[1-9][0-9]{0,9}([.][0-9]{0,9})?$`}}}
	v[reflect.TypeFor[hex32]()] = &jsonschema.Schema{Type: "string", Pattern: hexPattern}
	return v
}

// mostTickets is the number of tickets of the longest task.
func mostTickets() int64 {
	most := 0
	for _, t := range triage.Tasks() {
		most = max(most, t.Tickets)
	}
	return int64(most)
}

// spellings are the forms of an integer that [triage.WholeNumber] reads: a number without a fraction, its text, and truth
// values as 1 and 0. digits is a pattern of the texts, without sign and zeros in front.
func spellings(limits [2]int64, digits string) *jsonschema.Schema {
	sign := "[+]?"
	if limits[0] < 0 {
		sign = "[+-]?"
	}
	text := &jsonschema.Schema{Type: "string", Pattern: `^[ \t\r\n]*` + sign + `0*(` + digits + `)([.]0*)?[ \t\r\n]*$`}
	truth := &jsonschema.Schema{Type: "boolean"}
	if limits[0] > 0 {
		truth = &jsonschema.Schema{Const: jsonschema.Ptr(any(true))}
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{integers(limits), text, truth}}
}

// truths are the spellings of true and false.
func truths() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	for _, word := range []string{"true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0", "1.0", "0.0"} {
		text.Enum = append(text.Enum, word)
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"}, text, {Enum: []any{0, 1}}}}
}

// resetRules are what a reset wants of several options at once: seed and difficulty beside an index must be the task's own, and
// no episode has more tickets than its task.
func resetRules(track triage.Track) []*jsonschema.Schema {
	list := triage.Difficulties()
	var own []*jsonschema.Schema // the difficulties of the first tasks: no schema can tell those of all
	for i, d := range list {
		own = append(own, pair(spelled(i), OptionDifficulty, []any{string(d)}))
	}
	rules := []*jsonschema.Schema{
		alone(OptionSeed, pair(append(append(spelled(0), spelled(1)...), spelled(2)...), OptionSeed, spelled(0))),
		alone(OptionDifficulty, own...),
	}
	if track != triage.Queue {
		return rules
	}
	for i, d := range list[:len(list)-1] {
		task, err := triage.TaskFor(track, d)
		if err != nil {
			panic("rules of a reset: " + err.Error())
		}
		more := &jsonschema.Schema{Required: []string{OptionTickets},
			Properties: map[string]*jsonschema.Schema{OptionTickets: {Type: "integer", ExclusiveMinimum: jsonschema.Ptr(float64(task.Tickets))}}}
		rules = append(rules, &jsonschema.Schema{If: more, Then: &jsonschema.Schema{Required: []string{OptionDifficulty},
			Properties: map[string]*jsonschema.Schema{OptionDifficulty: oneOf(list[i+1:])}}})
	}
	return rules
}

// alone says that an index and another option do not come together, but for the exceptions.
func alone(other string, exceptions ...*jsonschema.Schema) *jsonschema.Schema {
	both := &jsonschema.Schema{Required: []string{OptionIndex, other}, Properties: map[string]*jsonschema.Schema{},
		Not: &jsonschema.Schema{AnyOf: exceptions}}
	for _, name := range both.Required {
		both.Properties[name] = &jsonschema.Schema{Not: &jsonschema.Schema{Type: "null"}}
	}
	return &jsonschema.Schema{Not: both}
}

// pair is the schema of an index and another option with values of these lists.
func pair(indexes []any, other string, values []any) *jsonschema.Schema {
	return &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{OptionIndex: {Enum: indexes}, other: {Enum: values}}}
}

// spelled are ways to write a small integer.
func spelled(n int) []any {
	return append([]any{n, strconv.Itoa(n)}, [][]any{{false}, {true}, nil}[min(n, 2)]...)
}

// refuse says that an option is an error here.
func refuse(s *jsonschema.Schema, why string, names ...string) {
	for _, name := range names {
		s.Properties[name] = &jsonschema.Schema{Type: "null", Description: "Refused here: " + why}
	}
}
