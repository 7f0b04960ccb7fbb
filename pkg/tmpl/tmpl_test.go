package tmpl_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/tmpl"
)

const words = "unknown word %s; allowed are if, else, end, with, range, template and define, and the functions and, eq, ge, gt, le, len, lt, ne, not, or"

func unknown(w string) string { return strings.Replace(words, "%s", w, 1) }

// wrong are templates that cannot be read, and the whole error after the file's name.
var wrong = []struct{ name, text, want string }{
	{"an action that is not closed", "a\n{{.S", "2: the action is not closed: write }}"},
	{"an if that is not closed", "a\n{{if .S}}\nb\n", "4: the file ends inside of the {{if}} of line 2: write {{end}}"},
	{"an else that is not closed", "{{if .S}}\n{{else}}\n", "3: the file ends inside of the {{if}} of line 1: write {{end}}"},
	{"a define that is not closed", "\n{{define \"a\"}}{{range .}}{{end}}", "2: the file ends inside of the {{define}} of line 2: write {{end}}"},
	{"a comment that is not closed", "{{/* a }}", "1: the comment is not closed: write */}}"},
	{"a comment that begins and ends with one star", "{{/*/}}", "1: the comment is not closed: write */}}"},
	{"a comment with space at its end", "{{/* a */ }}", "1: a comment must fill its action: write }} or -}} after */"},
	{"a comment that does not fill its action", "{{/* a */ .S}}", "1: a comment must fill its action: write }} or -}} after */"},
	{"an end too many", "\n\n{{end}}", "3: unexpected {{end}}: nothing is open; {{if}}, {{with}}, {{range}} and {{define}} open something"},
	{"an else of nothing", "{{else}}", "1: unexpected {{else}}: nothing is open; {{if}}, {{with}}, {{range}} and {{define}} open something"},
	{"a second else", "{{if 1}}\n{{else}}\n{{else}}{{end}}", "3: a second {{else}} for the {{if}} of line 1: write {{end}}"},
	{"an else of a define", "{{define \"a\"}}\n{{else}}{{end}}", "2: unexpected {{else}} in the {{define \"a\"}} of line 1: write {{end}}"},
	{"a define within a define", "{{define \"a\"}}\n{{define \"b\"}}{{end}}{{end}}", "2: {{define \"b\"}} must not stand inside of {{define}}: an {{end}} is missing before it"},
	{"a define within an if", "{{if 1}}{{define \"b\"}}{{end}}{{end}}", "1: {{define \"b\"}} must not stand inside of {{if}}: an {{end}} is missing before it"},
	{"a part that is defined twice", "{{define \"a\"}}{{end}}\n{{define \"a\"}}{{end}}", "2: \"a\" is defined already, on line 1 of x.tmpl"},
	{"a part without a name", "{{define a}}{{end}}", "1: a name in quotes must follow: {{define \"name\"}}"},
	{"a part with an empty name", "{{define \"\"}}{{end}}", "1: a part must have a name"},
	{"a part that does not exist", "{{define \"b\"}}{{end}}{{define \"c\"}}{{end}}\n{{if 1}}{{template \"a\" .}}{{end}}", "2: {{template \"a\"}}: no such part; the template defines \"b\", \"c\""},
	{"a part where none is", "{{template \"a\"}}", "1: {{template \"a\"}}: no such part; the template defines nothing"},
	{"an unknown function", "\n{{shout .S}}", "2: " + unknown("shout")},
	{"printf", "{{printf \"%d\" 1}}", "1: printf is not in the language: write the value alone, as {{.Name}}, and the words around it outside of the braces"},
	{"call", "{{call .Rec}}", "1: call is not in the language: values have no functions here, only fields, as .A.B"},
	{"block", "{{block \"a\" .}}{{end}}", "1: block is not in the language: write {{define \"name\"}} … {{end}} outside of all else, and {{template \"name\" .}} here"},
	{"break", "{{range .Rows}}{{break}}{{end}}", "1: break is not in the language: leave elements out with {{if}}"},
	{"continue", "{{range .Rows}}{{continue}}{{end}}", "1: continue is not in the language: leave elements out with {{if}}"},
	{"nil", "{{if eq .S nil}}{{end}}", "1: nil is not in the language: what is empty counts as no, as in {{if X}} and {{if not X}}"},
	{"a pipeline", "{{.S | len}}", "1: pipes (|) are not in the language: write {{len .S}}"},
	{"an assignment", "{{$x := 1}}{{$x = 2}}", "1: assignment with = is not in the language: {{$x := X}} gives a value a name, up to the {{end}} of what it stands in"},
	{"a fraction", "{{1.5}}", "1: unexpected \"5\" after ."},
	{"a hexadecimal number", "{{0x10}}", "1: 0x10 is no whole number, or too large"},
	{"an octal number", "{{010}}", "1: 010 is no whole number, or too large"},
	{"a huge number", "{{99999999999999999999}}", "1: 99999999999999999999 is no whole number, or too large"},
	{"a text that is not closed", "{{\"a}}\n\"}}", "1: the text \"\\\"a}}\" is not closed on its line"},
	{"a text with a wrong escape", `{{"\q"}}`, `1: "\"\\q\"" is no text: what follows \ must be one of a b f n r t v \ " x u U or three octal digits`},
	{"an empty action", "{{ }}", "1: the action is empty: write a value or a word such as {{if}}"},
	{"an if without a value", "{{if}}{{end}}", "1: {{if}} has no value: write one, such as .Name or (eq .Name \"x\")"},
	{"something after an end", "{{if 1}}{{end if}}", "1: unexpected \"if\" after {{end}}"},
	{"else with", "{{with 1}}{{else with 2}}{{end}}", "1: unexpected \"with\" after {{else}}"},
	{"two values", "{{.S .I}}", "1: unexpected \".I\" after the value"},
	{"a call as a value", "{{eq len 1}}", "1: the call of len must stand in parentheses: (len …)"},
	{"too few values", "{{eq .S}}", "1: eq takes 2 values or more; here are 1"},
	{"too many values", "{{not 1 2}}", "1: not takes one value; here are 2"},
	{"an open parenthesis", "{{(eq 1 1}}", "1: a parenthesis is not closed: write )"},
	{"a closed one too many", "{{eq 1 1)}}", "1: unexpected \")\" after the value"},
	{"empty parentheses", "{{()}}", "1: unexpected \")\" where a value must stand"},
	{"values without a space", "{{eq 1 \"a\"\"b\"}}", "1: unexpected \"\\\"b\\\"\": a space must stand before it"},
	{"a variable that does not exist", "{{range $i, $e := .Rows}}\n{{$f}}{{end}}", "2: there is no variable $f here; there are $, $i, $e"},
	{"a variable after its end", "{{if $x := 1}}{{end}}{{$x}}", "1: there is no variable $x here; there are $"},
	{"a variable of another part", "{{$x := 1}}{{define \"a\"}}{{$x}}{{end}}", "1: there is no variable $x here; there are $"},
	{"a field as a variable", "{{$x.A := 1}}", "1: $x.A is no name for a variable of one's own, such as $x"},
	{"two variables of an if", "{{if $a, $b := .Rows}}{{end}}", "1: there is no variable $a here; there are $"},
	{"a field that begins with a digit", "{{.Map.0}}", "1: unexpected \"0\" after ."},
	{"a strange character", "{{.S # }}", "1: unexpected \"#\" in an action; allowed are fields, variables, texts, whole numbers, true, false, words, ( ) and :="},
	{"actions in one another", strings.Repeat("{{if 1}}", 101), "1: more than 100 actions or parentheses stand in one another"},
	{"parentheses in one another", "{{" + strings.Repeat("(", 101), "1: the action is not closed: write }}"},
	{"closed parentheses in one another", "{{" + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000) + "}}", "1: more than 100 actions or parentheses stand in one another"},
	{"a long word", "{{" + strings.Repeat("a", 1_000_000) + "}}", "1: " + unknown(strings.Repeat("a", 100))},
	{"a long variable", "{{$" + strings.Repeat("a", 1_000_000) + "}}", "1: there is no variable $" + strings.Repeat("a", 99) + " here; there are $"},
	{"a file that is too large", strings.Repeat("a", 1<<20+1), "1: the file has 1048577 bytes, and may have 1048576"},
	{"many fields of one another", "{{.A" + strings.Repeat(".A", 300_000) + "}}", "1: more than 100 fields of one another: ." + strings.Repeat("A.", 49) + "A…"},
	{"many fields after a parenthesis", "{{(.A)" + strings.Repeat(".A", 300_000) + "}}", "1: more than 100 fields of one another: " + strings.Repeat(".A", 50) + "…"},
	{"many variables", strings.Repeat("{{$a := 1}}", 101), "1: more than 100 variables at one place"},
	{"many else ifs", "{{if 1}}" + strings.Repeat("{{else if 1}}", 200) + "{{end}}", "1: more than 100 actions or parentheses stand in one another"},
}

func TestAWrongTemplateSaysWhereAndWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for _, tt := range wrong {
		_, err := tmpl.Parse("x.tmpl", tt.text, tmpl.Options{})
		if err == nil || err.Error() != "x.tmpl:"+tt.want {
			t.Errorf("%s: %v\nwant x.tmpl:%s", tt.name, err, tt.want)
		}
	}
}

func TestWhatDoesNotFitTheDataIsFoundInEveryBranch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"{{.Nope}}", "there is no field .Nope; there are .Even, .N, .Name, .Parts, .Sub"},
		{"{{if .Even}}\n{{.Sub.Nope}}{{end}}", ".Sub.Nope: there is no field .Nope; there are .Even, .N, .Name, .Parts, .Sub"},
		{"{{range .Parts}}{{.Nope}}{{end}}", ".Nope: a text has no fields, so not .Nope"},
		{"{{range .Parts}}{{else}}{{.Nope}}{{end}}", "there is no field .Nope"},
		{"{{with .Sub}}{{range $i, $p := .Parts}}{{$.Sub.No}}{{end}}{{end}}", "$.Sub.No: there is no field .No"},
		{"{{with .Sub}}{{$x := .}}{{$x.No}}{{end}}", "$x.No: there is no field .No"},
		{"{{with .Sub}}{{(or .Sub .).Sub.Name}}{{.No}}{{end}}", ".No: there is no field .No"},
		{"{{range .Name}}{{end}}", "{{range}} needs a list or a map with texts as keys, and .Name is a text"},
		{"{{range .N}}{{end}}", "{{range}} needs a list or a map with texts as keys, and .N is a whole number"},
		{"{{eq .N \"1\"}}", "eq .N \"1\": texts can be compared with texts, and numbers with numbers of their kind; here are a whole number and a text"},
		{"{{if .Even}}{{lt .Name 1}}{{end}}", "lt .Name 1: texts can be compared"},
		{"{{lt .Even true}}", "here are true or false and true or false"},
		{"{{eq .Parts .Parts}}", "here are a list and a list"},
		{"{{eq .Sub .Sub}}", "here are a group of fields and a group of fields"},
		{"{{len .N}}", "len .N: a whole number has no length"},
		{"{{len (len .Name)}}", "len (len .Name): a whole number has no length"},
		{"{{template \"a\" .Sub}}{{define \"a\"}}{{template \"a\" .Sub}}{{len .}}{{end}}", "a group of fields has no length"},
		{"{{template \"a\" .Name}}{{define \"a\"}}{{.X}}{{end}}", "a text has no fields, so not .X"},
		{"{{not (eq .N .Name)}}", "eq .N .Name: "},
		{"{{.Sub.Sub.Sub.Name}}{{range .Sub.Sub.Parts}}{{len .}}{{end}}{{with .Sub}}{{template \"a\" .}}{{end}}{{define \"a\"}}{{.N}}{{with .Sub}}{{template \"a\" .}}{{end}}{{end}}", ""},
	} {
		p, err := tmpl.Parse("x.tmpl", tt.text, tmpl.Options{})
		if err != nil {
			t.Fatalf("%s: %v", tt.text, err)
		}
		err = p.Check("", row{})
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || tt.want == "" || !strings.HasPrefix(err.Error(), "x.tmpl:") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestWhatCannotBePrintedSaysWhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"\n{{.Nope}}", "x.tmpl:2: .Nope: there is no field .Nope; there are "},
		{"{{.hidden}}", "x.tmpl:1: .hidden: there is no field .hidden"},
		{"{{.NoSub.Name}}", "x.tmpl:1: .NoSub.Name: there is nothing to take .Name of"},
		{"{{.Any.n.more}}", "x.tmpl:1: .Any.n.more: there is nothing to take .more of"},
		{"{{.Stringer.String}}", "there is no field .String; there are none"},
		{"{{.Rec}}", "x.tmpl:1: .Rec is a func, which cannot be printed"},
		{"{{len .Nil}}", "len .Nil: nothing has no length"},
		{"{{range .S}}{{end}}", "{{range}} needs a list"},
		{"{{define \"a\"}}\n{{template \"a\" .}}{{end}}{{template \"a\" .}}", "x.tmpl:2: {{template \"a\"}}: parts call one another more than 100 deep"},
		{strings.Repeat("{{range $.Rows}}", 8) + strings.Repeat("long ", 200_000) + strings.Repeat("{{end}}", 8), "or writes more than 80 MB"},
		{strings.Repeat("{{range .Rows}}", 1) + strings.Repeat("{{range $.Rows}}", 12) + "{{if or 0" + strings.Repeat(" 0", 100_000) + "}}{{end}}" + strings.Repeat("{{end}}", 13), "more than 5000000 steps"},
		{strings.Repeat("{{define \"a\"}}{{template \"b\"}}{{template \"b\"}}{{end}}", 1) + doubling(40) + "{{template \"a\"}}", "the template does more than 5000000 steps, or writes more than 80 MB"},
	} {
		p, err := tmpl.Parse("x.tmpl", tt.text, tmpl.Options{})
		if err == nil {
			err = p.Execute(io.Discard, "", sample())
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60s: %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// doubling defines parts from b on that each call the next twice.
func doubling(n int) string {
	var b strings.Builder
	at := "b"
	for range n {
		b.WriteString(`{{define "` + at + `"}}{{template "` + at + `b"}}{{template "` + at + `b"}}{{end}}`)
		at += "b"
	}
	return b.String() + `{{define "` + at + `"}}{{end}}`
}

func TestAFileHasItsPartsAndThoseOfTheOthers(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a": {Data: []byte(`a{{template "p" .}}{{define "q"}}q{{end}}`)}, "b": {Data: []byte(`not shown{{define "p"}}[{{.}}{{shout .}}]{{end}}`)}, "c": {Data: []byte("\n{{")}}
	o := tmpl.Options{Funcs: map[string]tmpl.Func{"shout": func(v any) (any, error) {
		if v == nil {
			return nil, errors.New("nothing to shout")
		}
		return strings.ToUpper(v.(string)), nil
	}}}
	p, err := tmpl.ParseFS(files, o, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Execute(&b, "", "x"); err != nil || b.String() != "a[xX]" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if !p.Defines("p") || !p.Defines("q") || p.Defines("") || p.Defines("r") {
		t.Error("the parts are not p and q")
	}
	if err := p.Execute(io.Discard, "r", "x"); err == nil || err.Error() != `the template does not define "r"; it defines "p", "q"` {
		t.Errorf("a part that does not exist: %v", err)
	}
	if err := p.Execute(io.Discard, "p", nil); err == nil || err.Error() != "b:1: shout .: nothing to shout" {
		t.Errorf("a function's error: %v", err)
	}
	if err := p.Check("", "x"); err != nil {
		t.Error(err)
	}
	if _, err := tmpl.ParseFS(files, o, "a", "none"); err == nil {
		t.Error("a file that does not exist is no error")
	}
	if _, err := tmpl.ParseFS(files, o, "a", "b", "c"); err == nil || err.Error() != "c:2: the action is not closed: write }}" {
		t.Errorf("the third file: %v", err)
	}
	defer func() {
		if p := recover(); p != "template c:2: the action is not closed: write }}" {
			t.Errorf("Must panics with %v", p)
		}
	}()
	tmpl.Must(tmpl.ParseFS(files, o, "c"))
}

func TestAWriterThatFailsAtAnyPlaceIsItsError(t *testing.T) {
	t.Parallel()
	for _, o := range []tmpl.Options{{}, {HTML: true}} {
		p := tmpl.Must(tmpl.Parse("x", `{{define "a"}}{{.}}!{{end}}a{{range .Rows}}<b>{{.Name}}</b>{{template "a" .N}}{{else}}none{{end}}`, o))
		var b strings.Builder
		if err := p.Execute(&b, "", sample()); err != nil {
			t.Fatal(err)
		}
		for at := range b.Len() {
			if err := p.Execute(&testkit.Full{Room: at}, "", sample()); err != testkit.ErrFull { //nolint:errorlint // as it is
				t.Fatalf("after %d bytes: %v", at, err)
			}
		}
	}
}

func BenchmarkExecute(b *testing.B) {
	p := tmpl.Must(tmpl.Parse("x", `{{range $i, $e := .Rows}}{{if $i}}, {{end}}{{$e.Name}} {{if eq $e.N 2}}two{{else}}{{$.I}}{{end}}{{end}}`, tmpl.Options{}))
	d := sample()
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Execute(io.Discard, "", d); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManyCommentsAreReadInOneGo has a text that is cut into pieces by comments, which must not be put together piece by piece.
func TestManyCommentsAreReadInOneGo(t *testing.T) {
	t.Parallel()
	p, err := tmpl.Parse("x.tmpl", strings.Repeat("a{{/**/}}", 100_000), tmpl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := p.Execute(&out, "", nil); err != nil || out.String() != strings.Repeat("a", 100_000) {
		t.Errorf("it prints %d bytes, %v", out.Len(), err)
	}
}
