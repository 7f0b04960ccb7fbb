package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWikiTextGivesTheTextOfJirasMarkup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"a heading":            {"h1. Login fails\nh3.no heading", "Login fails\nh3.no heading"},
		"emphasis":             {"*bold* and _em_, +ins+ (*x*) {{mono}} ??cite??", "bold and em, ins (x) mono cite"},
		"no emphasis":          {"2 * 3 * 4, snake_case_name, __init__, a*b*c, C++, i++ + ++j, really??", "2 * 3 * 4, snake_case_name, __init__, a*b*c, C++, i++ + ++j, really??"},
		"emphasis never ended": {"*a b _c d", "*a b _c d"},
		"code":                 {"see\n{code:java|title=A.java}\nint *a* = {};\n{code}\nend *x*", "see\nint *a* = {};\nend x"},
		"code on a line":       {"run {code}rm *a*{code} and {noformat}[x]{noformat}", "run rm *a* and [x]"},
		"code never closed":    {"{noformat}\n*a*\n", "*a*\n"},
		"links":                {"[the page|https://x.example/a], [https://y.example], [~jdoe], [~accountid:5b1], [^log.txt], [mail|mailto:a@b.example]", "the page (https://x.example/a), https://y.example, @jdoe, @5b1, log.txt, mail (mailto:a@b.example)"},
		"a link that says it":  {"[https://x.example|https://x.example/|smart-link]", "https://x.example"},
		"no links":             {"[ERROR] a[0] [WARN|x] []", "[ERROR] a[0] [WARN|x] []"},
		"quotations":           {"bq. they said\n{quote}\nso it is\n{quote}\nmine", "> they said\n> so it is\nmine"},
		"a table":              {"||Order||Sum||\n|7|[a|https://x.example]|\n|| ||", "Order | Sum\n7 | a (https://x.example)\n"},
		"images":               {"see !screen-1.png|thumbnail! now\n!a.png!\nwow! no.", "see  now\nwow! no."},
		"lists":                {"* a\n** b\n# c\n- d\n  -- e", "- a\n  - b\n- c\n- d\n  -- e"},
		"macros":               {"{panel:title=x}\n{color:red}hot{color} {unknown} {anchor:a}\n{panel}", "hot {unknown} \n"},
		"a rule":               {"a\n----\nb", "a\nb"},
		"escapes":              {`a\\ b \*no\* \[x\] \\server\share`, "a\n b *no* [x] \\\\server\\share"},
		"text kept as it is":   {"Hello,\r\n\r\n  it is down. \r\n-- \r\nAnn", "Hello,\r\n\r\n  it is down. \r\n-- \r\nAnn"},
		"CRLF":                 {"h2. A\r\n* b\r\n{code}\r\nc\r\n{code}\r\n", "A\r\n- b\r\nc\r\n"},
		"nothing":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, wikiText(c.in)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.in, diff)
			}
		})
	}
}
