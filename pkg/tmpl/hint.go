package tmpl

import (
	"reflect"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/near"
)

// keywords are the words of actions that are no functions.
var keywords = []string{"if", "else", "end", "with", "range", "template", "define"}

// operators are what other languages write between values, longest first, and the function of this one.
var operators = []struct{ sign, write string }{
	{"&&", "and A B"}, {"||", "or A B"}, {"==", "eq A B"}, {"!=", "ne A B"}, {"<=", "le A B"}, {">=", "ge A B"}, {"<", "lt A B"}, {">", "gt A B"}, {"!", "not A"},
}

// refusals are words of Go's templates that this language does not have, and what to do instead. {} is a value of the action.
var refusals = map[string]string{
	"printf": "write the value alone, as {}, and the words around it outside of the braces", "print": "write the value alone, as {}", "println": "write the value alone, as {}",
	"html": "write the value alone, as {}", "js": "write the value alone, as {}", "urlquery": "write the value alone, as {}", "slice": "write the value whole, as {}",
	"index": "a field is .A.B, and {{range X}} … {{end}} goes through a list", "call": "values have no functions here, only fields, as .A.B",
	"block": `write {{define "name"}} … {{end}} outside of all else, and {{template "name" .}} here`,
	"break": "leave elements out with {{if}}", "continue": "leave elements out with {{if}}", "nil": "what is empty counts as no, as in {{if X}} and {{if not X}}",
}

// foreign says what to write in the place of a sign that is not in the language, or nothing. before is what stands before it in the action.
func (l *lexer) foreign(before string) string {
	for _, o := range operators {
		if strings.HasPrefix(l.src, o.sign) {
			return o.sign + " is not in the language: write " + o.write + ", the function first"
		}
	}
	switch l.src[0] {
	case '|':
		return "pipes (|) are not in the language: " + l.unpiped(before)
	case '=':
		return "assignment with = is not in the language: {{$x := X}} gives a value a name, up to the {{end}} of what it stands in"
	case '{':
		hint := "an action stands in two braces"
		if f := l.field(strings.Trim(l.rest(), ". {}")); f != "" {
			hint += ": write {{" + f + "}}"
		}
		return hint
	}
	return ""
}

// unpiped says how to write what stands before a pipe, with the function behind it if the language has it.
func (l *lexer) unpiped(before string) string {
	before = strings.TrimSpace(before)
	if before == "" || strings.Count(before, "(") != strings.Count(before, ")") {
		return "write a function before its values, in parentheses: (len .Name)"
	}
	function, further, _ := strings.Cut(strings.TrimSpace(l.rest()[1:]), "|")
	function = strings.TrimSpace(function)
	if low, high := arity(function); further == "" && slices.Contains(l.known, function) && low == 1 && high == 1 {
		opens, value := "", before
		for _, w := range []string{"else ", "if ", "with ", "range "} {
			if rest, ok := strings.CutPrefix(value, w); ok {
				opens, value = opens+w, strings.TrimSpace(rest)
			}
		}
		if i := strings.Index(value, ":="); i >= 0 {
			opens, value = opens+value[:i]+":= ", strings.TrimSpace(value[i+2:])
		}
		if strings.ContainsAny(value, spaces) {
			value = "(" + value + ")"
		}
		return "write {{" + cut(opens+function+" "+value) + "}}"
	}
	return "write {{" + cut(before) + "}}"
}

// field is the field of the data that a word without its dot, or with other capitals, may mean, with its dot; or nothing.
func (l *lexer) field(word string) string {
	for _, f := range l.fields {
		if strings.EqualFold(f, word) {
			return "." + f
		}
	}
	if f := near.Word(word, l.fields); f != "" {
		return "." + f
	}
	const long = 6               // characters: shorter ones stand in words of all kinds
	for _, f := range l.fields { // ticket_text
		if len(f) >= long && len(word) <= mostShown && strings.Contains(strings.ToLower(word), strings.ToLower(f)) {
			return "." + f
		}
	}
	return ""
}

// instead says what may be written in the place of an unknown word, or nothing. alone tells that nothing else stands in the action.
func (p *parser) instead(w string, known []string, alone bool) string {
	exact := slices.ContainsFunc(p.fields, func(f string) bool { return strings.EqualFold(f, w) })
	if hint := near.Hint(w, slices.Concat(keywords, known)); hint != "" && !exact {
		return hint
	}
	switch f := p.field(w); {
	case f == "":
		return ""
	case alone:
		return "; write {{" + f + "}}"
	default:
		return "; write " + f
	}
}

// refused says what to write in the place of a word that Go's templates have, or nothing.
func (p *parser) refused(w string) string {
	text, ok := refusals[w]
	if !ok {
		return ""
	}
	value := "{{.Name}}"
	for _, t := range p.tokens {
		if (t.kind == tField || t.kind == tVariable) && t.text != "." {
			value = "{{" + cut(t.text) + "}}"
			break
		}
	}
	return strings.ReplaceAll(text, "{}", value)
}

// fieldNames are the names of the fields of a type and, where it is deep, of the elements of its lists, each once and sorted.
func fieldNames(t reflect.Type, deep bool) []string {
	var out []string
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for _, s := range reflect.VisibleFields(t) {
		if !s.IsExported() || s.Anonymous {
			continue
		}
		out = append(out, s.Name)
		if deep && s.Type.Kind() == reflect.Slice {
			out = append(out, fieldNames(s.Type.Elem(), false)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
