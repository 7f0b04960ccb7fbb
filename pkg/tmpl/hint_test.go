package tmpl_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/tmpl"
)

// shop is data with a list of elements that have fields of their own.
type shop struct {
	Ticket, Handbook string
	Fields           []struct{ Words string }
	Sub              *shop
}

const (
	noPipes  = "1: pipes (|) are not in the language: "
	notKnown = "; allowed are if, else, end, with, range, template and define, and the functions and, eq, ge, gt, le, len, lt, ne, not, or, shout"
)

// TestAMistakeOfALanguageThatPeopleKnowSaysWhatToWrite has what people write who know Go's templates, Jinja, mustache or a language with operators.
func TestAMistakeOfALanguageThatPeopleKnowSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{.Handbook | printf \"%s\"}} more }}":          noPipes + "write {{.Handbook}}",
		"{{.Handbook|upper}}":                            noPipes + "write {{.Handbook}}",
		"{{ .Fields | len | not }}":                      noPipes + "write {{.Fields}}",
		"{{if .Fields | len}}{{end}}":                    noPipes + "write {{if len .Fields}}",
		"{{$n := .Fields | len}}":                        noPipes + "write {{$n := len .Fields}}",
		"{{eq .Ticket \"x\" | not}}":                     noPipes + "write {{not (eq .Ticket \"x\")}}",
		"{{.Ticket | shout}}":                            noPipes + "write {{shout .Ticket}}",
		"{{if (.Fields | len)}}{{end}}":                  noPipes + "write a function before its values, in parentheses: (len .Name)",
		"{{| len}}":                                      noPipes + "write a function before its values, in parentheses: (len .Name)",
		"{{ |":                                           noPipes + "write a function before its values, in parentheses: (len .Name)",
		"{{printf \"%q\" .Ticket}}":                      "1: printf is not in the language: write the value alone, as {{.Ticket}}, and the words around it outside of the braces",
		"{{print $.Ticket 1}}":                           "1: print is not in the language: write the value alone, as {{$.Ticket}}",
		"{{html .}}":                                     "1: html is not in the language: write the value alone, as {{.Name}}",
		"{{(index .Fields 0).Words}}":                    "1: index is not in the language: a field is .A.B, and {{range X}} … {{end}} goes through a list",
		"{{slice .Ticket 0 100}}":                        "1: slice is not in the language: write the value whole, as {{.Ticket}}",
		"{{$x := 1}}{{$x=2}}":                            "1: assignment with = is not in the language: {{$x := X}} gives a value a name, up to the {{end}} of what it stands in",
		"{{if .Ticket == \"x\"}}{{end}}":                 "1: == is not in the language: write eq A B, the function first",
		"{{if .Ticket==\"x\"}}{{end}}":                   "1: == is not in the language: write eq A B, the function first",
		"{{if .Ticket && .Handbook}}{{end}}":             "1: && is not in the language: write and A B, the function first",
		"{{if .Ticket || .Handbook}}{{end}}":             "1: || is not in the language: write or A B, the function first",
		"{{if !.Ticket}}{{end}}":                         "1: ! is not in the language: write not A, the function first",
		"{{{ticket}}}":                                   "1: an action stands in two braces: write {{.Ticket}}",
		"{{{{}}}}":                                       "1: an action stands in two braces",
		"{{ ticket }}":                                   "1: unknown word ticket" + notKnown + "; write {{.Ticket}}",
		"{{TICKET}}":                                     "1: unknown word TICKET" + notKnown + "; write {{.Ticket}}",
		"{{ticket_text}}":                                "1: unknown word ticket_text" + notKnown + "; write {{.Ticket}}",
		"{{hanbook}}":                                    "1: unknown word hanbook" + notKnown + "; write {{.Handbook}}",
		"{{range fields}}{{end}}":                        "1: unknown word fields" + notKnown + "; write .Fields",
		"{{range .Fields}}{{words}}{{end}}":              "1: unknown word words" + notKnown + "; write {{.Words}}",
		"{{iff .Ticket}}{{end}}":                         "1: unknown word iff" + notKnown + "; did you mean if?",
		"{{if 1}}{{elze}}{{end}}":                        "1: unknown word elze" + notKnown + "; did you mean else?",
		"{{leng .Ticket}}":                               "1: unknown word leng" + notKnown + "; did you mean len?",
		"{{shuot .Ticket}}":                              "1: unknown word shuot" + notKnown + "; did you mean shout?",
		"{{upper .Ticket}}":                              "1: unknown word upper" + notKnown,
		"{{" + strings.Repeat("ticket", 1<<17):           "1: the action is not closed: write }}",
		"{{define \"user\"}}{{end}}{{template \"usr\"}}": "1: {{template \"usr\"}}: no such part; the template defines \"user\"; did you mean user?",
	} {
		_, err := tmpl.Parse("x.tmpl", text, tmpl.Options{Example: &shop{}, Funcs: map[string]tmpl.Func{"shout": func(v any) (any, error) { return v, nil }}})
		if err == nil || err.Error() != "x.tmpl:"+want {
			t.Errorf("%.60s: %v\nwant x.tmpl:%s", text, err, want)
		}
	}
}

func TestAMistypedFieldSaysWhichMayBeMeant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{.ticket}}":                         "x.tmpl:1: .ticket: there is no field .ticket; there are .Fields, .Handbook, .Sub, .Ticket; write {{.Ticket}}",
		"{{.HandBook}}":                       "; write {{.Handbook}}",
		"{{if .handbook}}{{end}}":             "; did you mean .Handbook?",
		"{{with .Sub}}{{$.Sub.Tiket}}{{end}}": "; write {{$.Sub.Ticket}}",
		"{{.Sub.Sbu.Ticket}}":                 "; write {{.Sub.Sub.Ticket}}",
		"{{range .Fields}}{{.Word}}{{end}}":   "there are .Words; write {{.Words}}",
		"{{len .Tickets}}":                    "; did you mean .Ticket?",
		"{{$x := .Tickets}}":                  "; did you mean .Ticket?",
		"{{.Customer}}":                       "there are .Fields, .Handbook, .Sub, .Ticket",
	} {
		p, err := tmpl.Parse("x.tmpl", text, tmpl.Options{})
		if err == nil {
			err = p.Check("", &shop{})
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

func TestATemplateNamesItsPartsAndWhatCallsThem(t *testing.T) {
	t.Parallel()
	p := tmpl.Must(tmpl.Parse("x", `{{define "b"}}{{if 1}}{{else}}{{template "a"}}{{end}}{{end}}{{define "a"}}{{end}}{{define "c"}}{{end}}{{range .}}{{template "c"}}{{end}}`, tmpl.Options{}))
	if got := strings.Join(p.Parts(), " "); got != "a b c" {
		t.Errorf("parts %s", got)
	}
	if !p.Calls("a") || p.Calls("b") || !p.Calls("c") || p.Calls("") {
		t.Error("a and c are called, b is not")
	}
}
