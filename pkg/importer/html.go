package importer

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// plainText gives the text of a ticket's HTML: blocks and <br> end lines, items of lists begin with "- ", cells of tables are
// parted by tabs, links keep their text and, where it differs, their address, and quoted blocks (blockquote, gmail_quote) are lines
// that begin with "> ". Scripts, styles, comments, images and what is not displayed are left out.
//
// A text without markup stays as it is, byte for byte: <name@example.com>, List<String> and a < b are no tags. One whose tags are
// all inline (<b>, <a>) keeps its own line breaks. It takes time in proportion to the text, whatever that is.
func plainText(s string) string {
	tagged, blocks := lookForTags(s)
	if !tagged {
		return unescape(s)
	}
	p := &htmlText{in: s, out: htmlLines{keep: !blocks}}
	p.run()
	return strings.TrimSpace(string(p.out.buf))
}

// htmlText reads one text.
type htmlText struct {
	in   string
	at   int // of the token's end in it
	out  htmlLines
	ends map[string]int // the last "</name" of raw elements, by name
	fold string         // in, in lower case, made when it is first needed
	// open are the elements of kind scope and hidden that are open, and counts how many of each name.
	open   []opened
	counts map[string]int
	hidden int
	pre    int
	lists  int
	link   string // the address of the link that is open
	linkAt int    // where its text begins in out.buf
}

type opened struct {
	name          string
	quote, hidden bool
}

func (p *htmlText) run() {
	p.counts = map[string]int{}
	z := html.NewTokenizer(strings.NewReader(p.in))
	for {
		kind := z.Next()
		begin := p.at
		p.at = min(len(p.in), begin+len(z.Raw()))
		raw := p.in[begin:p.at]
		switch kind {
		case html.ErrorToken:
			p.endLink()
			return
		case html.TextToken:
			p.text(unescape(raw))
		case html.StartTagToken, html.SelfClosingTagToken:
			p.start(z, raw)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(string(name), raw)
		}
	}
}

func (p *htmlText) text(s string) {
	if p.hidden == 0 {
		p.out.write(s, p.pre > 0 || p.out.keep)
	}
}

func (p *htmlText) start(z *html.Tokenizer, text string) {
	tag, more := z.TagName()
	name := string(tag)
	kind := elements[name]
	switch kind {
	case unknown:
		if !namespaced(name) {
			p.text(text)
		}
	case raw:
		if !p.closed(name) {
			z.NextIsNotRawText()
			p.text(text)
			return
		}
		p.skipRaw(z, name)
	case anchor:
		p.endLink()
		if href := attribute(z, more, "href"); p.hidden == 0 {
			p.link, p.linkAt = href, len(p.out.buf)
		}
	case scope, hidden:
		p.push(name, kind, z, more)
	case lineBreak:
		p.out.newLine()
	case item:
		p.out.item(p.lists)
	case list:
		p.lists++
		p.out.atLeast(1)
	case row:
		p.out.atLeast(1)
		p.out.cells = 0
	case cell:
		p.out.cell()
	case block:
		p.out.atLeast(1)
	case paragraph:
		p.out.atLeast(2)
		if name == "pre" {
			p.pre++
		}
	}
}

// closed tells whether a raw element that begins here ends somewhere: one that does not would swallow the rest, as when somebody
// writes of the <script> tag.
func (p *htmlText) closed(name string) bool {
	if p.ends == nil {
		p.ends, p.fold = map[string]int{}, asciiLower(p.in)
	}
	last, ok := p.ends[name]
	if !ok {
		last = strings.LastIndex(p.fold, "</"+name)
		p.ends[name] = last
	}
	return last >= p.at
}

// asciiLower is strings.ToLower that keeps the length of the text.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// skipRaw leaves out the text of a raw element; the tokenizer gives it as one token.
func (p *htmlText) skipRaw(z *html.Tokenizer, name string) {
	for {
		kind := z.Next()
		p.at += len(z.Raw())
		if kind == html.ErrorToken {
			return
		}
		if end, _ := z.TagName(); kind == html.EndTagToken && string(end) == name {
			return
		}
	}
}

func (p *htmlText) push(name string, kind element, z *html.Tokenizer, more bool) {
	o := opened{name: name, hidden: kind == hidden, quote: name == "blockquote"}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "class":
			// Gmail has a blockquote of that class in a div of that class: one of them counts.
			if strings.Contains(string(value), "gmail_quote") && name == "div" {
				o.quote = true
			} else if strings.Contains(string(value), "gmail_quote") && p.inGmailQuote() {
				o.quote = false
			}
		case "style":
			o.hidden = o.hidden || undisplayed.Match(value)
		}
	}
	p.open = append(p.open, o)
	p.counts[name]++
	p.mark(o, 1)
}

var undisplayed = lazyregexp.New(`(?i)display\s*:\s*none`)

func (p *htmlText) inGmailQuote() bool {
	return len(p.open) > 0 && p.open[len(p.open)-1].name == "div" && p.open[len(p.open)-1].quote
}

// mark begins (by 1) or ends (by -1) what an element does.
func (p *htmlText) mark(o opened, by int) {
	if o.hidden {
		p.hidden += by
	}
	switch {
	case o.name == "blockquote":
		p.out.atLeast(2)
	case elements[o.name] == scope:
		p.out.atLeast(1)
	}
	if o.quote {
		p.out.quote += by
	}
}

func (p *htmlText) end(name, text string) {
	switch elements[name] {
	case unknown:
		if !namespaced(name) {
			p.text(text)
		}
	case anchor:
		p.endLink()
	case scope, hidden:
		p.pop(name)
	case list:
		p.lists = max(0, p.lists-1)
		p.out.atLeast(1)
		p.out.begin = ""
	case item:
		p.out.atLeast(1)
		p.out.begin = ""
	case row, block:
		p.out.atLeast(1)
	case paragraph:
		p.out.atLeast(2)
		if name == "pre" {
			p.pre = max(0, p.pre-1)
		}
	case lineBreak:
		p.out.newLine()
	}
}

// pop closes the nearest open element of a name, and those in it.
func (p *htmlText) pop(name string) {
	for p.counts[name] > 0 {
		o := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		p.counts[o.name]--
		p.mark(o, -1)
		if o.name == name {
			return
		}
	}
}
