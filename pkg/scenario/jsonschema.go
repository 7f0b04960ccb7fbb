package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/triage"
)

// SchemaID is the $id of [JSONSchema]: where it is published.
const SchemaID = "https://github.com/triagebench/triage/blob/main/docs/schemas/" + SchemaFile

// object is a JSON object of a schema; encoding/json sorts its keys.
type object = map[string]any

// JSONSchema gives the JSON Schema (draft 2020-12) of a scenario file, for editors to complete files by and to mark mistakes in. It
// says what can be said of one file that does not know its folder: which keys there are and where, how many texts, which values, and which
// situations a desk category needs. It says nothing of what compares texts, such as placeholders that no row has, entities that no text
// names, or stake in a folder other than feature: [ReadScenario] does. The same bytes each time, ASCII only.
func JSONSchema() []byte {
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SchemaID,
		"title":       "Scenario of a triage bank",
		"description": "One situation that a support desk gets, with the sentences that tell its facts: the file <route>/<slug>.yaml. docs/scenarios.md explains it.",
		"type":        "object", "additionalProperties": false,
		"required":   []string{"title", "split", "params", "subjects", "statement", "ask", "details"},
		"properties": properties(),
		"allOf":      []any{withDesk(), feedbackLike(), spamLike(), deskNeeds()},
		"$defs": object{
			"text": object{"type": "string", "pattern": textPattern(), "allOf": []any{visible()},
				"description": "A whole sentence or two. {name} is filled from params; {first}, {last}, {company}, {colleague}, {ref} and {plan} are always there."},
			"filled":    object{"type": []string{"string", "number"}, "pattern": without(hiddenRunes(), ""), "if": object{"type": "string"}, "then": visible()},
			"situation": situationSchema(),
		},
	}
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("encode the schema of scenarios: %v", err)) // plain maps, lists and texts
	}
	return append(ascii(data), '\n')
}

// ascii writes each character outside ASCII as an escape: some turn the direction of text in an editor.
func ascii(data []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(data) {
		if r < unicode.MaxASCII {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "\\u%04x", r)
		}
	}
	return out.Bytes()
}

// hiddenRunes are the characters that [hidden] finds, as the inside of a class of a regular expression.
func hiddenRunes() string {
	var out strings.Builder
	for r := rune(0); r <= unicode.ReplacementChar; r++ {
		if !hidden(r) {
			continue
		}
		out.WriteRune(r)
		last := r
		for hidden(last + 1) {
			last++
		}
		if last > r+1 {
			out.WriteByte('-')
		}
		if last > r {
			out.WriteRune(last)
		}
		r = last
	}
	return out.String()
}

// visible asks for something to see, and for a place of a skeleton to be filled in.
func visible() object { return object{"pattern": `\S`, "not": object{"pattern": mark.String()}} }

// without is a pattern for texts that have none of some characters; more may stand as well.
func without(never, more string) string {
	one := "[^" + never + "]"
	if more != "" {
		one = "(?:" + one + "|" + more + ")"
	}
	return `^` + one + `*$`
}

// textPattern is that of texts: braces stand around a name only, and nothing is hidden.
func textPattern() string { return without(hiddenRunes()+"{}", `\{[0-9A-Za-z_]+\}`) }

func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

// list is a list of texts, n at least.
func list(n int, about string) object {
	out := object{"type": "array", "items": ref("text"), "minItems": n}
	if about != "" {
		out["description"] = about
	}
	return out
}

// enum gives the values that a key may have.
func enum[T ~string](values []T, about string) object {
	return object{"enum": values, "description": about}
}

// closed is an object with these keys only, all of them required.
func closed(about string, keys object, required ...string) object {
	out := object{"type": "object", "additionalProperties": false, "properties": keys, "description": about}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// levelsSchema is that of the phrasings of a fact. A level of which none is needed may be there.
func levelsSchema(about string, plain, indirect, buried int) object {
	required := []string{"plain", "indirect"}
	if buried > 0 {
		required = append(required, "buried")
	}
	return closed(about, object{
		"plain":    list(plain, "says it in so many words, with the handbook's words for it"),
		"indirect": list(indirect, "lets the reader conclude it; only one conclusion is possible"),
		"buried":   list(buried, "an aside that shows it while it seems to be about something else"),
	}, required...)
}

func situationSchema() object {
	keys := levelsSchema("", 3, 3, 2)["properties"].(object)
	keys["severity"] = enum(triage.Severities(), "What is wrong for the sender.")
	keys["impact"] = enum(triage.Impacts(), "Whom it hits: one person, several, all who work there, the sender's own customers.")
	keys["workaround"] = object{"type": "boolean", "description": "With severity blocked, and only there: another way is in use."}
	keys["stake"] = enum(triage.Stakes(), "In the folder feature, and only there: what hangs on the wish.")
	out := closed("Severity, impact and workaround in one, with the texts that tell all of it.", keys, "severity", "impact", "plain", "indirect", "buried")
	out["if"] = with(object{"severity": triage.Blocked})
	out["then"] = object{"required": []string{"workaround"}}
	out["else"] = absent("workaround")
	return out
}

// absent refuses a key.
func absent(keys ...string) object {
	out := object{}
	for _, k := range keys {
		out[k] = false
	}
	return object{"properties": out}
}

// with is a mapping in which keys are there and have these values.
func with(values object) object {
	keys, required := object{}, sortedAny(values)
	for k, v := range values {
		keys[k] = object{"const": v}
	}
	return object{"properties": keys, "required": required}
}

func properties() object {
	return object{
		"title":      object{"$ref": "#/$defs/filled", "description": "The situation in a line, for people; agents never see it."},
		"split":      enum(triage.Splits(), "The half of the bank that it lies in, never both."),
		"desk":       enum(triage.Categories(), "Category of the desk track. Left out in the folders feedback and spam."),
		"tiers":      object{"type": "array", "items": enum(triage.Tiers(), ""), "description": "Only if some customer tier cannot write this; default all."},
		"tones":      object{"type": "array", "items": enum(Tones(), ""), "description": "In the folder feedback only, if some tone contradicts it."},
		"entities":   object{"type": "array", "minItems": minEntities, "items": object{"type": "array", "minItems": 1, "items": ref("filled")}, "description": "What it is about: 4 to 7 groups of names for one thing, lower case, singular."},
		"params":     paramsSchema(),
		"subjects":   closed("Subject lines.", object{"plain": list(minPlainSubjects, "say what it is about"), "vague": list(minVagueSubjects, "say little")}, "plain", "vague"),
		"statement":  levelsSchema("What happened, or what is missing; not how bad, for whom, until when.", minStatements, minStatements, 0),
		"ask":        levelsSchema("What the sender wants done: it makes the route.", minStatements, minStatements, 0),
		"situations": object{"type": "array", "minItems": minSituations, "items": ref("situation"), "description": "One is drawn for a mail."},
		"deadline": closed("When it is needed, told from the day of the mail.", object{
			"days": levelsSchema("Within seven days.", 2, 2, 1), "hours": levelsSchema("Within 24 hours.", 2, 2, 1)}, "days", "hours"),
		"effort":  effortSchema(),
		"details": list(minDetails, "Sentences of colour that state no fact."),
		"secondary": closed("This request as the lesser one of a mail.", object{
			"cosmetic": list(2, "a small nuisance"), "degraded": list(2, "it hampers and does not stop")}, "cosmetic", "degraded"),
		"mentions": closed("This matter named in a mail about something else.", object{
			"passing": list(0, "in order, by the way"), "denied": list(0, "the mail is not about it")}),
		"quoted":   list(2, "Answers of support that settled the matter."),
		"settled":  list(2, "The customer's word that it is done."),
		"resolved": list(3, "Whole follow-ups: what it was about, fine now, nothing to do."),
	}
}

func paramsSchema() object {
	return object{"type": "array", "minItems": minParams, "description": "Rows of values that belong together; every row has the same keys.",
		"items": object{"type": "object",
			"propertyNames": object{"not": object{"enum": builtin}},
			"additionalProperties": object{"type": []string{"string", "number", "boolean"}, "pattern": without(hiddenRunes()+"{}", ""),
				"if": object{"type": "string"}, "then": visible()}}}
}

func effortSchema() object {
	keys := object{}
	for e, about := range map[triage.Effort]string{triage.SelfService: "A setting, an article, a switch.", triage.Investigation: "Someone of one team must look.",
		triage.CrossTeam: "Two departments must act, or code must change."} {
		keys[string(e)] = levelsSchema(about, 2, 2, 1)
	}
	out := closed("Who has to act. Two at least.", keys)
	out["minProperties"] = minEfforts
	return out
}
