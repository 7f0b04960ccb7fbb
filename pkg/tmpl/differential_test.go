package tmpl_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/tmpl"
)

type row struct {
	Name  string
	N     int
	Even  bool
	Sub   *row
	Parts []string
}

type base struct{ Below string }

type level string

type stringer struct{ n int }

func (s stringer) String() string { return fmt.Sprintf("<%d>", s.n) }

type pointed struct{ n int }

func (p *pointed) String() string { return fmt.Sprintf("at %d", p.n) }

type data struct {
	base
	S, Empty, Bad   string
	I, Zero         int
	Small           int8
	U               uint
	F, NaN          float64
	Yes, No         bool
	Level           level
	Rows            []row
	Pointers        []*row
	None            []string
	Pair            [2]int
	Map             map[string]string
	Nested          map[string]map[string]int
	Any             map[string]any
	Levels          map[level]int
	Nil, Text, List any
	Sub, NoSub      *row
	Stringer        stringer
	Pointed         pointed
	Wait            time.Duration
	Err, NoErr      error
	Rec             func()
	hidden          string
}

func sample() *data {
	return &data{base: base{"below"}, S: `a<b>"c"'d'&+` + "\n", Bad: "\xff\x00", I: 42, Small: -3, U: 7, F: 2.5, NaN: math.NaN(), Yes: true, Level: "high",
		Rows:     []row{{"one", 1, false, nil, nil}, {"two", 2, true, &row{Name: "under"}, []string{"p", "q"}}},
		Pointers: []*row{{Name: "p"}, nil}, Pair: [2]int{3, 4}, Map: map[string]string{"b": "2", "a": "1", "": "0"},
		Nested: map[string]map[string]int{"x": {"y": 5}}, Any: map[string]any{"s": "text", "l": []any{1, "a", nil}, "n": nil, "r": row{Name: "in"}},
		Levels: map[level]int{"low": 1, "high": 3}, Text: "held", List: []int{1, 2}, Sub: &row{Name: "sub", Parts: []string{"x"}},
		Stringer: stringer{1}, Pointed: pointed{2}, Wait: time.Second, Err: errors.New("went wrong"), hidden: "h"}
}

// both runs a source through this package and text/template. The one takes what the other takes, or less.
func both(t *testing.T, source string, d any) (ours, theirs string, err, want error) {
	t.Helper()
	var a, b bytes.Buffer
	parsed, err := tmpl.Parse("x.tmpl", source, tmpl.Options{})
	if err == nil {
		err = parsed.Execute(&a, "", d)
	}
	other, want := template.New("x.tmpl").Parse(source)
	if want == nil {
		want = other.Execute(&b, d)
	}
	return a.String(), b.String(), err, want
}

// sources are all taken by both.
var sources = []string{
	"", "text", "a\n{{.S}}\nb", "{{.I}} {{.Small}} {{.U}} {{.F}} {{.NaN}} {{.Yes}} {{.Level}} {{.Pair}} {{.Map}} {{.Nil}} {{.NoSub}} {{.Sub}} {{.None}} {{.Bad}}",
	"{{.Stringer}} {{.Pointed}} {{.Wait}} {{.Err}} {{.NoErr}} {{.Below}} {{.Pointers}}", "{{.}}", "{{$}}", "{{$.S}}", "{{with .Sub}}{{$.I}}{{.Name}}{{end}}",
	"a {{- 1 -}} b", "a\n\t {{- /* c */ -}} \r\n b", "{{/* c */}}x{{/* \n */ -}} y", "{{- 3}} {{-3}} {{- -3 -}} ", "{{ 3 }}", "{{\n.I\n}}", "{{\"a\\tb\\u00e9\\x41\"}}{{`r\\\n`}}", "{{`}}`}}{{\"{{\"}}",
	"{{+1}}{{-0}}{{0}}{{9223372036854775807}}", "{{true}}{{false}}", "{{(1)}}{{((.I))}}{{(.Sub).Name}}{{(.Sub.Sub)}}", "{{ ( .I ) }}",
	"{{if .Yes}}y{{end}}{{if .No}}y{{end}}", "{{if .No}}a{{else if .Yes}}b{{else}}c{{end}}", "{{if .No}}a{{else if .Zero}}b{{else}}c{{end}}", "{{if.Yes}}y{{end}}",
	"{{if .Empty}}1{{end}}{{if .S}}2{{end}}{{if .Rows}}3{{end}}{{if .None}}4{{end}}{{if .Nil}}5{{end}}{{if .NoSub}}6{{end}}{{if .Sub}}7{{end}}{{if .Pair}}8{{end}}{{if .F}}9{{end}}{{if .NaN}}A{{end}}{{if .Stringer}}B{{end}}{{if .Err}}C{{end}}{{if .NoErr}}D{{end}}{{if .U}}E{{end}}",
	"{{with .S}}{{.}}{{end}}{{with .Empty}}x{{else}}{{.I}}{{end}}{{with $x := .Sub}}{{$x.Name}}{{.Name}}{{end}}", "{{if $x := .Empty}}a{{else}}[{{$x}}]{{end}}",
	"{{range .Rows}}{{.Name}},{{else}}none{{end}}", "{{range .None}}x{{else}}none{{end}}", "{{range $i, $e := .Rows}}{{if $i}}; {{end}}{{$i}}={{$e.Name}}{{end}}", "{{range $e := .Pair}}{{$e}}{{.}}{{end}}",
	"{{range .Map}}{{.}}{{end}}{{range $k, $v := .Map}}{{$k}}={{$v}} {{end}}{{range $k, $v := .Levels}}{{$k}}={{$v}} {{end}}", "{{range .Nil}}x{{else}}n{{end}}", "{{range $i, $e := .None}}{{else}}{{$i}}{{$e}}{{end}}",
	"{{range .Any.l}}[{{.}}]{{end}}{{range .List}}{{.}}{{end}}", "{{range .Rows}}{{range .Parts}}{{.}}{{$.I}}{{else}}-{{end}}{{end}}", "{{$x := 1}}{{range .Rows}}{{$x}}{{$x := 2}}{{$x}}{{end}}{{$x}}",
	"{{$a := .I}}{{if true}}{{$a := 5}}{{$a}}{{end}}{{$a}}", "{{$t := .}}{{range .Rows}}{{$t.I}}{{end}}", "{{range $x := .Rows}}{{with $x.Sub}}{{.Name}}{{$x.N}}{{end}}{{end}}",
	"{{.Map.a}}{{.Map.z}}{{.Nested.x.y}}{{.Any.s}}{{.Any.none}}{{.Any.none.more}}{{.Any.r.Name}}{{.Any.n}}{{.Nested.no.no}}",
	"{{if .Any.none}}x{{else}}y{{end}}{{with .Any.r}}{{.Name}}{{end}}",
	`{{eq .I 42}}{{eq .S "x" .S}}{{eq .Level "high"}}{{eq .I .U}}{{eq .U 7}}{{eq .F .F}}{{eq .NaN .NaN}}{{eq .Yes true}}{{eq .Any.s "text"}}{{eq .Any.none "x"}}{{eq .Any.none .Nil}}{{eq .Small -3}}`,
	`{{ne .I 1}}{{ne .Level "low"}}{{ne .Any.none "x"}}`, `{{lt 1 2}}{{lt 2 1}}{{le 2 2}}{{gt 2 2}}{{ge 2 2}}{{lt "a" "b"}}{{gt .U 6}}{{lt .Small .U}}{{lt .U .Small}}{{lt .F .NaN}}{{gt .F .NaN}}{{ge .F .NaN}}{{le .NaN .NaN}}{{gt .NaN .F}}`,
	`{{not .Yes}}{{not .Nil}}{{not .Any.none}}{{not 0}}{{not ""}}`, `{{and .Yes .I}}{{and .No .I}}{{and 1 0 2}}{{and .Nil .I}}{{or .Empty .I}}{{or .Empty 0}}{{or 0 "" .S}}{{or .Nil 1}}`,
	`{{and .NoSub .NoSub.Name}}{{or .S .NoSub.Name}}{{if and .Yes (not .No) (eq .I 42)}}x{{end}}`, `{{len .S}}{{len .Rows}}{{len .Map}}{{len .Pair}}{{len .None}}{{len .Text}}{{len "é"}}{{gt (len .Rows) 1}}`, `{{or .Any.none .Any.n}}`,
	"{{define \"a\"}}[{{.}}{{$}}]{{end}}{{template \"a\" .I}}{{template \"a\"}}{{template `a` (or .Empty 3)}}", `{{template "b" .Sub}}{{define "b"}}{{with .}}{{.Name}}{{template "b" .Sub}}{{end}}{{end}}`,
	`{{define "a"}}{{$x := 1}}{{$x}}{{end}}{{$x := 2}}{{template "a" .}}{{$x}}`, "{{define \"a\"}} x {{- end}}{{template \"a\"}}", "{{.Any.l}}{{.Any}}", "\xff{{.I}}\xfe",
	"}} {{.I}}}", "{ {{.I}} }", "{{{{", "{{.I}", // the last two are refused by both
}

func TestWhatIsTakenIsPrintedAsByTextTemplate(t *testing.T) {
	t.Parallel()
	for _, s := range sources {
		ours, theirs, err, want := both(t, s, sample())
		if (err == nil) != (want == nil) {
			t.Errorf("%q: %v, and text/template says %v", s, err, want)
			continue
		}
		if d := cmp.Diff(theirs, ours); d != "" {
			t.Errorf("%q (-text/template +ours):\n%s", s, d)
		}
		if bySame, theirs, err, _ := both(t, s, *sample()); err == nil && bySame != theirs { // not through a pointer
			t.Errorf("%q: %q, and text/template %q", s, bySame, theirs)
		}
	}
}

func TestTheProgramsOwnTemplatesArePrintedAsByTextTemplate(t *testing.T) {
	t.Parallel()
	line := map[string]any{"Name": "n", "When": "w", "Category": "c", "Words": "x", "Points": 3}
	fields := []map[string]any{{"Name": "category", "Words": "one of a"}, {"Name": "priority", "Words": "b"}, {"Name": "recommendation", "Words": "c"}}
	handbook := map[string]any{"MaxScore": 1, "Examples": []string{"a", "b"}}
	for _, name := range []string{"Urgency", "Points", "DeskPoints", "Additions", "Kinds"} {
		handbook[name] = []any{line, line}
	}
	for file, of := range map[string][]any{
		"../handbook/handbook.tmpl":        {handbook},
		"../../baselines/llm/queue.tmpl":   {map[string]any{}, map[string]any{"Handbook": "h", "Message": "m", "Fields": fields, "Ticket": "<t>"}},
		"../../baselines/llm/desk.tmpl":    {map[string]any{}, map[string]any{"Handbook": "h", "Message": "m", "Fields": fields, "Ticket": "<t>"}},
		"../../baselines/llm/tickets.tmpl": {map[string]any{}, map[string]any{"Message": "m", "Fields": fields, "Schema": "{}"}},
	} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`{{template "system" .}}`, `{{template "user" .}}`, ""} {
			if strings.Contains(file, "handbook") && part != "" {
				continue
			}
			for _, d := range of {
				ours, theirs, err, want := both(t, string(text)+part, d)
				if err != nil || want != nil || ours != theirs {
					t.Errorf("%s: %v, %v (-text/template +ours):\n%s", file, err, want, cmp.Diff(theirs, ours))
				}
			}
		}
	}
}

// Whatever is taken is printed as text/template prints it, and nothing makes the package panic.
func FuzzTemplate(f *testing.F) {
	for _, s := range sources {
		f.Add(s)
	}
	for _, w := range wrong {
		f.Add(w.text)
	}
	f.Fuzz(func(t *testing.T, source string) {
		ours, theirs, err, want := both(t, source, sample())
		if err == nil && (want != nil || ours != theirs) {
			t.Errorf("%q: %q, and text/template %q, %v", source, ours, theirs, want)
		}
		if parsed, err := tmpl.Parse("x", source, tmpl.Options{}); err == nil {
			if checked := parsed.Check("", sample()); checked == nil {
				_ = parsed.Check("", nil)
			}
		}
	})
}
