package importer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inline removes the marks inside a line.
func (w *wiki) inline(line string) string {
	if !strings.ContainsAny(line, `{[*_+!?\`) {
		return line
	}
	l := wikiInline{in: line, ends: map[string]int{}, none: map[string]bool{}}
	for l.at < len(l.in) {
		if !w.macro(&l) && !l.mark() {
			_, n := utf8.DecodeRuneInString(l.in[l.at:])
			l.copy(n)
		}
	}
	return string(l.out)
}

// macro handles what begins with a brace and what may go on over lines.
func (w *wiki) macro(l *wikiInline) bool {
	rest := l.in[l.at:]
	if rest[0] != '{' {
		return false
	}
	if strings.HasPrefix(rest, "{quote}") {
		w.quote = !w.quote
		l.at += len("{quote}")
		return true
	}
	// 200 bytes hold the parameters of any macro that people write.
	head := rest[:min(len(rest), 200)]
	if m := wikiVerbatim.FindStringSubmatch(head); m != nil {
		body := rest[len(m[0]):]
		before, after, closed := strings.Cut(body, "{"+m[1]+"}")
		if !closed {
			w.verbatim = m[1]
			before, after = body, ""
		}
		l.out = append(l.out, before...)
		l.at = len(l.in) - len(after)
		return true
	}
	if m := wikiMacro.FindString(head); m != "" {
		l.at += len(m)
		return true
	}
	return false
}

// wikiInline reads one line.
type wikiInline struct {
	in   string
	at   int
	out  []byte
	ends map[string]int  // by mark: where the span that is open ends
	none map[string]bool // marks that do not end any more in this line
}

func (l *wikiInline) copy(n int) {
	l.out = append(l.out, l.in[l.at:l.at+n]...)
	l.at += n
}

// mark handles what stands at l.at, if it is markup.
func (l *wikiInline) mark() bool {
	rest := l.in[l.at:]
	switch rest[0] {
	case '\\':
		return l.escape(rest)
	case '[':
		return l.link(rest)
	case '!':
		end := strings.IndexAny(rest[1:], "! \t")
		if end < 1 || rest[1+end] != '!' || !strings.Contains(rest[1:1+end], ".") {
			return false
		}
		l.at += end + 2
		return true
	case '{':
		return l.begin("{{", "}}")
	case '}':
		return l.end("}}")
	case '*', '_', '+':
		return l.end(rest[:1]) || l.begin(rest[:1], rest[:1])
	case '?':
		return l.end("??") || l.begin("??", "??")
	}
	return false
}

// escape takes the backslash from an escaped mark, and makes a line break of two.
func (l *wikiInline) escape(rest string) bool {
	if rest == `\\` || strings.HasPrefix(rest, `\\ `) || strings.HasPrefix(rest, "\\\\\r") {
		l.out = append(l.out, '\n')
		l.at += 2
		return true
	}
	if len(rest) > 1 && strings.IndexByte("{}[]*!", rest[1]) >= 0 {
		l.at++
		l.copy(1)
		return true
	}
	return false
}

// link handles [text|address], [address], [~user] and [^file].
func (l *wikiInline) link(rest string) bool {
	end := strings.IndexAny(rest[1:], "[]")
	if end < 1 || rest[1+end] != ']' {
		return false
	}
	parts := strings.Split(rest[1:1+end], "|")
	text, address := parts[0], ""
	if len(parts) > 1 {
		address = strings.TrimSpace(parts[1])
	}
	switch {
	case strings.HasPrefix(text, "~"):
		text = "@" + strings.TrimPrefix(text[1:], "accountid:")
	case strings.HasPrefix(text, "^"):
		text = text[1:]
	case len(parts) == 1 && schemeOf(text) == "":
		return false
	case schemeOf(address) != "" && bareAddress(address) != bareAddress(text):
		text += " (" + address + ")"
	case len(parts) > 1 && schemeOf(address) == "" && !strings.HasPrefix(address, "#"):
		return false
	}
	l.out = append(l.out, text...)
	l.at += end + 2
	return true
}

// end drops the mark that stands at l.at if it ends the span that is open.
func (l *wikiInline) end(mark string) bool {
	if at, open := l.ends[mark]; !open || at != l.at {
		return false
	}
	delete(l.ends, mark)
	l.at += len(mark)
	return true
}

// begin drops the mark that stands at l.at if a span begins there. Each mark has one open span at most, and is not looked for again
// where it was not found, so that the time is in proportion to the line.
func (l *wikiInline) begin(begin, end string) bool {
	if _, open := l.ends[end]; open || l.none[end] || !strings.HasPrefix(l.in[l.at:], begin) || !l.begins(l.in[l.at+len(begin):], begin) {
		return false
	}
	for from := l.at + len(begin) + 1; ; {
		next := -1
		if from < len(l.in) {
			next = strings.Index(l.in[from:], end)
		}
		if next < 0 {
			l.none[end] = true
			return false
		}
		if from += next; l.finishes(from, end) {
			l.ends[end] = from
			l.at += len(begin)
			return true
		}
		from += len(end)
	}
}

// begins tells whether a span can begin here: after no letter, before no blank.
func (l *wikiInline) begins(after, mark string) bool {
	before, _ := utf8.DecodeLastRuneInString(l.in[:l.at])
	next, size := utf8.DecodeRuneInString(after)
	return size > 0 && !unicode.IsSpace(next) && !strings.HasPrefix(after, mark[:1]) && (l.at == 0 || !isWord(before) && before != rune(mark[0]))
}

// finishes tells whether a span can end at a place: after no blank, before no letter.
func (l *wikiInline) finishes(at int, mark string) bool {
	before, _ := utf8.DecodeLastRuneInString(l.in[:at])
	next, size := utf8.DecodeRuneInString(l.in[at+len(mark):])
	return !unicode.IsSpace(before) && (size == 0 || !isWord(next) && next != rune(mark[0]))
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
