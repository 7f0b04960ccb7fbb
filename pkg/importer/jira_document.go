package importer

import (
	"strconv"
	"strings"
	"time"
)

// document is a node of Atlassian's document format, or a mark of one.
type document struct {
	kind, text     string
	content, marks []document
	attrs          documentAttrs
}

// documentAttrs are the attributes of a node that have text.
type documentAttrs struct{ text, url, href, timestamp string }

// documentText gives the text of a document; ok is false where it is none.
func documentText(raw []byte) (text string, ok bool) {
	f := jsonFlat{data: raw}
	d, err := f.document(0)
	if err != nil || d.kind != "doc" {
		return "", false
	}
	var w documentWriter
	w.children(&d)
	return strings.TrimSpace(w.out.String()), true
}

// maxDocumentDepth is how deep the nodes of a document may lie.
const maxDocumentDepth = 200

// document reads the node that begins here.
func (f *jsonFlat) document(depth int) (d document, err error) {
	if depth > maxDocumentDepth {
		return d, f.broken("a node that is nested too deep")
	}
	err = f.eachMember(func(name string) error {
		switch name {
		case "type":
			return f.textInto(&d.kind)
		case "text":
			return f.textInto(&d.text)
		case "content":
			return f.documents(&d.content, depth+1)
		case "marks":
			return f.documents(&d.marks, depth+1)
		case "attrs":
			return f.eachMember(func(name string) error {
				switch name {
				case "text":
					return f.textInto(&d.attrs.text)
				case "url":
					return f.textInto(&d.attrs.url)
				case "href":
					return f.textInto(&d.attrs.href)
				case "timestamp":
					return f.textInto(&d.attrs.timestamp)
				}
				return f.skip()
			})
		}
		return f.skip()
	})
	return d, err
}

// documents reads the list of nodes that begins here.
func (f *jsonFlat) documents(to *[]document, depth int) error {
	if f.space() != '[' {
		return f.skip()
	}
	return f.eachObject(func() error {
		d, err := f.document(depth)
		if err != nil {
			return err
		}
		*to = append(*to, d)
		return nil
	})
}

// documentWriter writes the text of a document: blocks on lines of their own, items of lists with "- ", quoted lines with "> ".
type documentWriter struct {
	out    strings.Builder
	prefix []string // of lines
	ends   int      // line ends since the last text
}

func (w *documentWriter) children(d *document) {
	for i := range d.content {
		w.node(&d.content[i], i)
	}
}

// node writes a node, which is number i of its parent.
func (w *documentWriter) node(d *document, i int) {
	switch d.kind {
	case "text":
		w.text(d.text)
		for _, m := range d.marks {
			if href := m.attrs.href; m.kind == "link" && href != "" && href != d.text {
				w.text(" (" + href + ")")
			}
		}
	case "hardBreak":
		w.line(1)
	case "mention", "emoji", "status", "placeholder":
		w.text(d.attrs.text)
	case "date":
		w.text(documentDate(d.attrs.timestamp))
	case "inlineCard", "blockCard", "embedCard":
		w.text(d.attrs.url)
	case "rule":
		w.line(2)
	case "listItem", "taskItem", "decisionItem":
		w.line(1)
		w.text("- ")
		w.inside("  ", d)
	case "blockquote":
		w.line(2)
		w.under("> ", d)
		w.line(2)
	case "tableRow":
		w.line(1)
		w.children(d)
	case "tableCell", "tableHeader":
		if i > 0 {
			w.text("\t")
		}
		w.inline(d)
	case "paragraph", "heading", "codeBlock", "panel", "bulletList", "orderedList", "taskList", "decisionList", "table", "expand", "nestedExpand",
		"mediaSingle", "mediaGroup", "layoutSection", "layoutColumn":
		w.line(blank(w.prefix))
		w.children(d)
		w.line(blank(w.prefix))
	default:
		w.children(d)
	}
}

// blank is how many line ends part two blocks: blocks of the document have an empty line between them, those of items have none.
func blank(prefix []string) int {
	if len(prefix) > 0 {
		return 1
	}
	return 2
}

// inside writes the children of an item, whose further lines are indented.
func (w *documentWriter) inside(prefix string, d *document) {
	w.ends = 2 // the item has begun: its first block needs no line of its own
	w.under(prefix, d)
	w.line(1)
}

// maxPrefix is how deep lists and quotes are shown: a document may have thousands.
const maxPrefix = 8

// under writes the children of a node with a further prefix on their lines.
func (w *documentWriter) under(prefix string, d *document) {
	if len(w.prefix) == maxPrefix {
		w.children(d)
		return
	}
	w.prefix = append(w.prefix, prefix)
	w.children(d)
	w.prefix = w.prefix[:len(w.prefix)-1]
}

// inline writes the text of a node on one line.
func (w *documentWriter) inline(d *document) {
	var cell documentWriter
	cell.children(d)
	w.text(strings.Join(strings.Fields(cell.out.String()), " "))
}

// text writes text, with the prefix of the line where it is its first.
func (w *documentWriter) text(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.end()
		}
		if line == "" {
			continue
		}
		if w.ends > 0 && w.atLineStart() {
			for _, p := range w.prefix {
				w.out.WriteString(p)
			}
		}
		w.out.WriteString(line)
		w.ends = 0
	}
}

// atLineStart tells whether the line is empty.
func (w *documentWriter) atLineStart() bool {
	return w.out.Len() == 0 || strings.HasSuffix(w.out.String(), "\n")
}

// line ends lines until there are n line ends, if there is any text.
func (w *documentWriter) line(n int) {
	for w.out.Len() > 0 && w.ends < n {
		w.end()
	}
}

func (w *documentWriter) end() {
	w.out.WriteByte('\n')
	w.ends++
}

// documentDate gives the day of a time in milliseconds; a text that is none stays as it is.
func documentDate(s string) string {
	ms, err := strconv.ParseInt(s, 10, 64)
	if err != nil || ms < 0 || ms > 1e14 {
		return s
	}
	return time.UnixMilli(ms).UTC().Format(time.DateOnly)
}
