package importer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPlainTextGivesTheTextOfHTML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"paragraphs":              {"<p>Hello,</p>\n<p>the app\n  is   down.</p>", "Hello,\n\nthe app is down."},
		"divs as Gmail has them":  {"<div>a</div><div><br></div><div>b<br></div><div>c</div>", "a\n\nb\nc"},
		"many breaks":             {"a<br><br><br/><br />b", "a\n\nb"},
		"a list":                  {"<p>Steps:</p><ul><li>one</li><li><p>two</p><ol><li>deep</li></ol></li><li></li></ul>end", "Steps:\n\n- one\n\n- two\n\n  - deep\nend"},
		"a table":                 {"<table><tr><th>Order</th><th>Sum</th></tr><tr><td>7</td><td> 9 €</td></tr></table>", "Order\tSum\n7\t9 €"},
		"a link":                  {`see <a href="https://x.example/a?b=1&amp;c=2">the page</a>.`, "see the page (https://x.example/a?b=1&c=2)."},
		"a link that says itself": {`<a href="https://www.x.example/">x.example</a> <a href="mailto:a@b.example">a@b.example</a>`, "x.example a@b.example"},
		"a link inside":           {`<a href="#top">top</a> <a href="javascript:alert(1)">run</a> <a href="/x">x</a>`, "top run x"},
		"a link never closed":     {`<p><a href="https://x.example">text`, "text (https://x.example)"},
		"a link with an image":    {`<div>a <a href="https://x.example"><img src="y"></a>b</div>`, "a b"},
		"a link in links":         {`<a href="https://x.example">one<a href="https://y.example">two</a>`, "one (https://x.example)two (https://y.example)"},
		"script, style and head":  {"<html><head><title>T</title><style>p{}</style></head><body><script>if (a<b) alert('</p>')</script>text</body></html>", "text"},
		"a script never closed":   {"<p>my <script> tag is gone</p>", "my <script> tag is gone"},
		"comments":                {"<div>a<!-- <p>no --><!--[if mso]>no<![endif]-->b</div>", "ab"},
		"a hidden preview":        {`<div style="display: none">peek<div>a</div></div><div>text</div>`, "text"},
		"Office's tags":           {`<p class=MsoNormal>a<o:p>&nbsp;</o:p></p><st1:place>b</st1:place><xml><w:a>no</w:a></xml>`, "a\n\nb"},
		"entities":                {"<b>5 &lt; 6 &amp;&amp; &euro;&#8364;&#x20AC; &nbsp;&bogus; ?a=1&copy=2</b>", "5 < 6 && €€€  &bogus; ?a=1&copy=2"},
		"a quotation":             {"<p>mine</p><blockquote><p>theirs</p>\n<p>more</p></blockquote><p>mine</p>", "mine\n\n> theirs\n>\n> more\n\nmine"},
		"a quotation in another":  {"a<blockquote>b<blockquote>c</blockquote>d</blockquote>", "a\n\n> b\n>\n> > c\n>\n> d"},
		"Gmail's quotation": {`<div dir="ltr">mine</div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, A wrote:<br></div>` +
			`<blockquote class="gmail_quote" style="margin:0">theirs</blockquote></div>`, "mine\n\n> On Mon, A wrote:\n>\n> theirs"},
		"preformatted":         {"<p>log:</p><pre>  a\n\n    b  \r\nc</pre>x", "log:\n\n  a\n\n    b\nc\n\nx"},
		"only inline tags":     {"line <b>one</b>\n\nline <i>two</i>", "line one\n\nline two"},
		"an address in HTML":   {"<p>write to <john@x.example> or <https://x.example/a b></p>", "write to <john@x.example> or <https://x.example/a b>"},
		"wrong nesting":        {"<div>a</blockquote></div></div><blockquote>b<div>c</blockquote>d", "a\n\n> b\n> c\n\nd"},
		"an unfinished tag":    {"<p>a</p><p class=\"", "a"},
		"invisible characters": {"<div>a\u200b\u00ad\ufeffb\u00a0 c</div>", "ab c"},
		"doctype":              {"<!DOCTYPE html><p>a", "a"},
		"upper case":           {"A<BR>B<SCRIPT>x</Script>C", "A\nBC"},
		"text kept as it is":   {"  a <john@x.example> < b > List<String> x<y \r\n\tc & d?a=1&copy=2 ", "  a <john@x.example> < b > List<String> x<y \r\n\tc & d?a=1&copy=2 "},
		"no tags but entities": {"a\nb &amp; c &#39;d&#39; ", "a\nb & c 'd' "},
		"placeholders":         {"set <name> to <value> in <title", "set <name> to <value> in <title"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, plainText(c.in)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

// hostile are texts of n bytes that cost a careless reader of markup far more than others.
func hostile(n int) map[string]string {
	out := map[string]string{}
	for _, piece := range []string{"<blockquote>", "<blockquote>a", "<div></blockquote>", "<script>", "<", "<a href=", `<a href="https://x.example">`, "<p", "<!--", "&", "&amp",
		"<ul><li>", "<td>", "</div>", "<x:y>", "<pre> ", "<b>a\n", "> ", "<style>a</style>", "*a ", "*a* ", "{code}", "{{a ", "[a|", "[a", "!a.b", "h1. ", "|a", "{quote}\n", "_a_", "??a ", `\\ `,
		"\nOn a\n", "\n> ", "\n-----", "On ", "wrote:\n", "\nFrom: a\n"} {
		out[piece] = strings.Repeat(piece, n/len(piece))
	}
	return out
}

func TestHostileMarkupCostsTimeInProportion(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(1 << 20) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A reader whose time grows with the square of these takes hours; the test would not end.
			for _, out := range []string{plainText(text), wikiText(text), ownText(text, false)} {
				if !utf8.ValidString(out) || len(out) > 20*len(text) {
					t.Errorf("%d bytes of %q gave %d bytes", len(text), name, len(out))
				}
			}
		})
	}
}

func FuzzPlainText(f *testing.F) {
	for name := range hostile(100) {
		f.Add(name + " text <p>a</p> " + name)
	}
	f.Add(`<div class="gmail_quote">a<blockquote class="gmail_quote"><ul><li>b</ul><pre> c`)
	f.Fuzz(func(t *testing.T, s string) {
		for what, out := range map[string]string{"plainText": plainText(s), "wikiText": wikiText(s)} {
			if utf8.ValidString(s) && !utf8.ValidString(out) {
				t.Errorf("%s makes %q of %q, which is no UTF-8", what, out, s)
			}
			if !strings.ContainsAny(s, `<&{[*_+|!?\.#-`) && out != s {
				t.Errorf("%s makes %q of %q, which has no markup", what, out, s)
			}
		}
	})
}

func BenchmarkPlainText(b *testing.B) {
	text := strings.Repeat(`<div dir="ltr"><p>The app <b>fails</b> since <a href="https://x.example/p">yesterday</a> &amp; we lose orders.</p><br></div>`+"\n", 1<<20/120)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		plainText(text)
	}
}
