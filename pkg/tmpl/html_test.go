package tmpl_test

import (
	"bytes"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/triagebench/triage/pkg/tmpl"
)

const nasty = `</title></textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>"'` + "` onload=x\x00&amp;+\xff"

func TestValuesAreEscapedForTheirPlace(t *testing.T) {
	t.Parallel()
	d := map[string]any{"S": `<b a="1">'&+`, "Nul": "a\x00b", "H": tmpl.HTML("<i>&amp;</i>"), "C": tmpl.Code("a < b && c"), "End": tmpl.Code("'</SCRIPT>'"), "Comment": tmpl.Code("<!-- x"), "N": 3, "None": nil,
		"JS": "javascript:alert(1)", "Tab": "java\tscript:x", "Space": " javascript:x", "Data": "data:text/html,x", "Web": "HTTPS://a/?b=c&d", "Mail": "mailto:a@b", "Path": "run?a=b:c", "Host": "//a:1/", "Row": row{Name: "r"}}
	for _, tt := range []struct{ text, want string }{
		{"<p>{{.S}}</p>", "<p>&lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;</p>"},
		{"{{.Nul}}{{.None}}{{.Missing}}{{.N}}", "a\uFFFDb3"},
		{"<p>{{.H}}</p>", "<p><i>&amp;</i></p>"},
		{`<p title="{{.H}}" lang='{{.S}}'>`, `<p title="&lt;i&gt;&amp;amp;&lt;/i&gt;" lang='&lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;'>`},
		{"<title>{{.H}}</title><textarea rows=2>{{.S}}</textarea>{{.H}}", "<title>&lt;i&gt;&amp;amp;&lt;/i&gt;</title><textarea rows=2>&lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;</textarea><i>&amp;</i>"},
		{"<script>x = {{.C}}</script><style>{{.C}}</style>{{.C}}", "<script>x = a < b && c</script><style>a < b && c</style>a &lt; b &amp;&amp; c"},
		{`<a href="{{.JS}}">`, `<a href="#unsafe">`},
		{`<a HREF='{{.Tab}}'><a href="{{.Space}}"><img src="{{.Data}}"><form action="{{.JS}}">`, `<a HREF='#unsafe'><a href="#unsafe"><img src="#unsafe"><form action="#unsafe">`},
		{`<a href="{{.Web}}"><a href="{{.Mail}}"><a href="{{.Path}}"><a href="{{.Host}}">`, `<a href="HTTPS://a/?b=c&amp;d"><a href="mailto:a@b"><a href="run?a=b:c"><a href="//a:1/">`},
		{`<a href="#{{.JS}}"><a href="x?{{.JS}}&y={{.JS}}"><a href="{{.Path}}/{{.JS}}">`, `<a href="#javascript:alert(1)"><a href="x?javascript:alert(1)&y=javascript:alert(1)"><a href="run?a=b:c/javascript:alert(1)">`},
		{`<p data-address="{{.JS}}">`, `<p data-address="javascript:alert(1)">`},
		{`<option value="{{.N}}"{{if .N}} selected{{end}}>`, `<option value="3" selected>`},
		{`<table{{with .N}} class="{{.}}"{{end}}>`, `<table class="3">`},
		{`<input disabled {{if .N}}checked{{end}}>`, `<input disabled checked>`},
		{`<p class="a {{if .N}}b{{else}}c{{end}} d">`, `<p class="a b d">`},
		{"1 < 2 {{.N}} <3 <!-- <a title=\" --> <!doctype html> {{.S}}", "1 < 2 3 <3 <!-- <a title=\" --> <!doctype html> &lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;"},
		{`{{range $i, $x := .S2}}{{else}}<br/>{{end}}<script src="x"></script >{{.S}}`, `<br/><script src="x"></script >&lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;`},
		{`{{define "a"}}<i>{{.}}</i>{{end}}{{template "a" .S}}`, `<i>&lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;</i>`},
	} {
		var b strings.Builder
		p, err := tmpl.Parse("x.tmpl", tt.text, tmpl.Options{HTML: true})
		if err == nil {
			err = p.Execute(&b, "", d)
		}
		if diff := cmp.Diff(tt.want, b.String()); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.text, err, diff)
		}
	}
	for text, want := range map[string]string{
		"<script>{{.S}}</script>":       "x.tmpl:1: .S: within script and style only tmpl.Code may be printed",
		"<style>{{.H}}</style>":         "within script and style only tmpl.Code may be printed",
		"<script>\n{{.End}}</script>":   "x.tmpl:2: .End: the code holds </script, </style or <!--",
		"<script>{{.Comment}}</script>": "the code holds </script, </style or <!--",
	} {
		err := tmpl.Must(tmpl.Parse("x.tmpl", text, tmpl.Options{HTML: true})).Execute(io.Discard, "", d)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPlacesWhereNoValueIsSafeAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"<a\n{{.S}}>", "2: .S: a value may stand between tags and in quoted attributes, and this one stands in the tag <a>"},
		{"<a {{.S}}=\"x\">", "this one stands in the tag <a>"},
		{"<{{.S}}>", "1: an action must not stand directly after <, around the = of an attribute, in a value without quotes or in a comment"},
		{"<a{{.S}}>", "this one stands in the tag <a>"},
		{"<a title={{.S}}>", "1: an action must not stand"},
		{"<a title=x{{.S}}>", "1: an action must not stand"},
		{"<a title = {{if .S}}{{end}}>", "1: an action must not stand"},
		{"<!-- {{.S}} -->", "1: an action must not stand"},
		{"<!doctype {{.S}}>", "1: an action must not stand"},
		{"<a onclick=\"{{.S}}\">", "1: .S: a value must not stand in the attribute onclick"},
		{"<a STYLE='x{{.S}}'>", "a value must not stand in the attribute STYLE"},
		{"<iframe srcdoc=\"{{.S}}\">", "a value must not stand in the attribute srcdoc"},
		{"<a href=\"java{{.S}}\">", "in the attribute href a value may begin the address or stand after / ? or #"},
		{"<a href=\"javascript:{{.S}}\">", "in the attribute href a value may begin"},
		{"<a href=\"javascript:/*{{.S}}*/\">", "in the attribute href a value may begin"},
		{"<a href=\"{{.S}}{{.S}}\">", "in the attribute href a value may begin"},
		{"<a href=\"{{.S}}:x\">", "1: in the attribute href a colon after a value could make a scheme of it"},
		{"<a {{if .S}}hr{{end}}ef=\"{{.S}}\">", "1: unexpected 'e' in the tag <a>: white space, / or > must stand here"},
		{"<scr{{if .S}}{{end}}ipt>", "unexpected 'i' in the tag <scr>"},
		{"<a {{if .S}}title{{end}}=\"x\">", "unexpected '=' in the tag <a>"},
		{"<p>{{if .S}}<a title=\"{{end}}\">", "1: the two ways through this action end at different places of the page: in the attribute title and between tags"},
		{"{{if .S}}<script>{{else}}<b>{{end}}", "in <script> and between tags"},
		{"{{range .S}}<a {{end}}>", "the two ways through this action"},
		{"<title></ti{{if .S}}{{end}}tle>", "1: an action must not stand within the end of <title>"},
		{"<script>\n\n", "1: a part must end between tags; this one ends in <script>"},
		{"{{define \"a\"}}<a title=\"{{end}}", "1: a part must end between tags; this one ends in the attribute title"},
		{"{{define \"a\"}}{{end}}<a title=\"{{template \"a\"}}\">", "1: {{template \"a\"}} must stand between tags, and it stands in the attribute title"},
		{"<p>\n</p>\n<a \"x\">", "3: unexpected '\"' in the tag <a>"},
		{"</ {{.S}}>", "1: the name of an element must follow </"},
		{"<xmp>", "1: the element <xmp> is not for templates"},
		{"<a", "1: a part must end between tags; this one ends in the tag <a>"},
	} {
		_, err := tmpl.Parse("x.tmpl", tt.text, tmpl.Options{HTML: true})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "x.tmpl:") {
			t.Errorf("%s: %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestAPageIsAsHTMLTemplateWritesIt(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.FromSlash("../view/page/*.html"))
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	rows := []map[string]any{{"Rank": 1, "Agent": nasty, "Score": "0.5", "Differ": []any{map[string]any{"Name": "n", "Value": ""}}, "Address": "run?run=a%2Fb", "Path": "a/b", "Floor": "0.1", "FloorAgent": "x+y", "Compare": "compare?base=a", "CompareName": nasty, "N": 3, "Errors": 1}, {"N": 2}}
	table := map[string]any{"ID": "board-0-1", "Title": nasty, "Note": "n", "Rows": rows, "Differ": true, "Floor": true, "Target": true, "Notes": []any{map[string]any{"Ranks": "1", "Text": nasty}}, "More": 2}
	d := map[string]any{"Name": nasty, "Version": "v", "Runs": 2, "Open": []any{map[string]any{"Watched": true, "Path": nasty, "Address": "run?run=x", "Show": "s", "Progress": map[string]any{"Planned": 3, "Done": 1, "State": "going on"}}},
		"Choices": []any{map[string]any{"Value": `["a","b"]`, "Text": nasty}, map[string]any{"Value": "v", "Text": "t"}}, "Base": "v", "New": "x", "Boards": []any{map[string]any{"Open": true, "Title": "t", "Facts": rows[:1], "Tables": []any{table, table}, "Alone": []any{table}}},
		"Broken": []any{map[string]any{"Path": nasty, "Problem": "p"}, map[string]any{"Path": "x", "Address": "run?run=y"}}, "Title": nasty, "Text": nasty, "Anyway": "compare?allow=a", "Unlike": rows, "Progress": map[string]any{"Version": "w", "State": nasty}, "Path": nasty, "Address": "x?run=1", "Single": true}
	bar := func(any) (any, error) { return "<bar>", nil }
	theirs, err := template.New("").Funcs(template.FuncMap{"bar": bar}).ParseFiles(files...)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"board", "sorry", "wait"} {
		p, err := tmpl.ParseFS(os.DirFS(filepath.FromSlash("../view/page")), tmpl.Options{HTML: true, Funcs: map[string]tmpl.Func{"bar": bar}}, page+".html", "head.html", "table.html")
		if err != nil {
			t.Fatal(err)
		}
		var a, b bytes.Buffer
		if err := p.Execute(&a, "", d); err != nil {
			t.Fatal(err)
		}
		if err := theirs.ExecuteTemplate(&b, page+".html", d); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(b.String(), a.String()); diff != "" {
			t.Errorf("%s (-html/template +ours):\n%s", page, diff)
		}
	}
}

// shape lists the elements of a page with the names of their attributes, and tells whether an address runs something.
func shape(page string) (out []string, runs bool) {
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out, runs
		}
		if kind == html.TextToken {
			continue
		}
		tok := z.Token()
		s := kind.String() + " " + tok.Data
		for _, a := range tok.Attr {
			s += " " + a.Key
			runs = runs || a.Key == "href" && strings.HasPrefix(strings.ToLower(a.Val), "javascript:")
		}
		out = append(out, s)
	}
}

// Whatever the template, a value makes no element, no attribute and no address that runs something.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<p>{{.S}}</p>", "<title>{{.S}}</title>", `<a href="{{.J}}" title='{{.S}}'>`, "<!-- a -->{{.S}}", "<!--->{{.S}}", "<a{{if .S}} b{{end}} c=\"{{.S}}\">", `<a href="#{{.J}}">`, `<a href="{{.J}}/{{.S}}">`,
		"<script>1</script>{{.S}}", "<a b=c>{{.S}}", "<textarea>{{range .L}}{{.}}{{end}}</textarea>", "</a x='{{.S}}'>", "<!a \">{{.S}}", `<a href=" {{.J}}">`, `<svg><path d="{{.S}}"/></svg>`, "<a/b='{{.S}}'>", "a < {{.S}}", "<? {{.S}} >", `<a href="{{.J}}" href="{{.S}}">`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := tmpl.Parse("x", source, tmpl.Options{HTML: true})
		if low := strings.ToLower(source); err != nil || strings.Contains(low, "<noscript") || strings.Contains(low, "script:") || strings.Contains(low, "<![cdata") {
			return
		}
		var good, bad bytes.Buffer
		if p.Execute(&good, "", map[string]any{"S": "v", "J": "v", "L": []string{"v", "v"}}) != nil || p.Execute(&bad, "", map[string]any{"S": nasty, "J": "JavaScript:alert(1)", "L": []string{nasty, "-->"}}) != nil {
			return
		}
		want, _ := shape(good.String())
		got, runs := shape(bad.String())
		if d := cmp.Diff(want, got); d != "" || runs {
			t.Errorf("%q: runs: %t (-good +bad):\n%s\n%s", source, runs, d, bad.String())
		}
	})
}
