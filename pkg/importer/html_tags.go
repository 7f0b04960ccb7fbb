package importer

import (
	stdhtml "html"
	"strings"

	"golang.org/x/net/html"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// element is what an HTML element does to the text.
type element int

const (
	unknown element = iota
	inline
	block     // begins and ends a line
	paragraph // has an empty line before and after
	item      // of a list
	list
	cell
	row
	lineBreak
	anchor
	scope  // a block that may quote or hide what is in it
	hidden // is not displayed
	raw    // is not displayed, and no tag but its own end counts in it
)

// elements are those of HTML by name: what is not here, as in List<String>, is no tag.
var elements = elementTable()

func elementTable() map[string]element {
	out := map[string]element{}
	for kind, names := range map[element]string{
		inline: "abbr acronym applet area audio b base basefont bdi bdo big button canvas cite code col colgroup data datalist del " +
			"dfn dialog em embed font i img input ins kbd label legend link map mark meta meter object optgroup output param picture " +
			"progress q rp rt ruby s samp select slot small source span strike strong sub sup time track tt u var video wbr template",
		block: "address article aside body caption center dd details dl dt fieldset figcaption figure footer form header html head " +
			"main menu nav option section summary tbody tfoot thead",
		paragraph: "h1 h2 h3 h4 h5 h6 hr p pre table",
		item:      "li", list: "ul ol dir", cell: "td th", row: "tr", lineBreak: "br", anchor: "a",
		scope:  "div blockquote",
		hidden: "xml svg math",
		raw:    "script style title iframe noembed noframes noscript xmp plaintext textarea",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = kind
		}
	}
	return out
}

// lookForTags tells whether a text has tags of HTML, and whether any of them ends lines.
func lookForTags(s string) (tagged, blocks bool) {
	last := strings.LastIndexByte(s, '>')
	for at := 0; at < last && !blocks; at++ {
		next := strings.IndexByte(s[at:last], '<')
		if next < 0 {
			break
		}
		at += next
		name, ok := tagName(s[at+1:])
		if !ok {
			continue
		}
		switch elements[name] {
		case unknown:
		case inline, anchor, raw, hidden:
			tagged = true
		default:
			tagged, blocks = true, true
		}
	}
	return tagged, blocks
}

// tagName gives the name of a tag, in lower case, from what follows its "<".
func tagName(s string) (string, bool) {
	s = strings.TrimPrefix(s, "/")
	n := 0
	for n < len(s) && n < 16 && isAlphanumeric(s[n]) {
		n++
	}
	if n == 0 || n == len(s) || !strings.ContainsRune(" \t\r\n/>", rune(s[n])) || s[0] <= '9' {
		return "", false
	}
	return strings.ToLower(s[:n]), true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// namespaced tells the tags of Outlook and Word (o:p, st1:place), which are left out, from what is no tag (String, a@b.c, https:).
func namespaced(name string) bool {
	before, after, ok := strings.Cut(name, ":")
	return ok && after != "" && len(before) <= 4 && before != "http" && before != "tel" && before != "ftp" && !strings.Contains(name, "@")
}

var entity = lazyregexp.New(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// unescape replaces the entities that end in a semicolon: others are the & of an address, as in ?a=1&copy=2.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	return entity.ReplaceAllStringFunc(s, func(e string) string {
		if e == "&nbsp;" || e == "&#160;" {
			return " "
		}
		return stdhtml.UnescapeString(e)
	})
}

// endLink writes the address of the link that ends, where its text does not say it.
func (p *htmlText) endLink() {
	address := p.link
	p.link = ""
	if address == "" || p.hidden > 0 || p.linkAt > len(p.out.buf) {
		return
	}
	text := strings.TrimSpace(string(p.out.buf[p.linkAt:]))
	if text != "" && bareAddress(text) != bareAddress(address) {
		p.out.space, p.out.breaks = p.out.space[:0], 0
		p.out.write(" ("+address+")", true)
	}
}

// schemes are those of addresses that lead somewhere outside.
var schemes = []string{"https://", "http://", "ftp://", "mailto:", "tel:"}

// schemeOf gives the scheme with which an address begins, or nothing.
func schemeOf(s string) string {
	for _, scheme := range schemes {
		if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme
		}
	}
	return ""
}

// bareAddress is an address as it is compared with a link's text.
func bareAddress(s string) string {
	s = strings.TrimPrefix(strings.ToLower(s[len(schemeOf(s)):]), "www.")
	return strings.TrimSuffix(s, "/")
}

// attribute gives the address in an attribute of the tag, or nothing if it leads nowhere outside (#top, javascript:, cid:).
func attribute(z *html.Tokenizer, more bool, name string) string {
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) != name {
			continue
		}
		address := strings.Map(func(r rune) rune {
			if r <= ' ' || r == 0x7f {
				return -1
			}
			return r
		}, string(value))
		if schemeOf(address) != "" {
			return address
		}
		return ""
	}
	return ""
}
