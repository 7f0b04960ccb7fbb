package importer

import (
	"bytes"
	"encoding/base64"
	"mime"
	"net/mail"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// mailHeader is the header of a mail or of a part of it, in the order of the file.
type mailHeader []mailField

type mailField struct {
	name  string // in lower case
	value string // unfolded, as it is in the file otherwise
}

// maxHeader bounds the header of a mail that is read.
const maxHeader = 256 << 10

// cutHeader reads the header of a mail and gives what follows it. Lines that are no field (the "From " line of a mbox, what a broken
// gateway wrote) are passed over.
func cutHeader(data []byte) (mailHeader, []byte) {
	var h mailHeader
	var value []byte
	name := ""
	end := func() {
		if name != "" {
			h = append(h, mailField{name: name, value: decodeCharset(value, "")})
		}
		name, value = "", nil
	}
	for read := 0; len(data) > 0 && read < maxHeader; {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch colon := bytes.IndexByte(line, ':'); {
		case len(line) == 0:
			end()
			return h, rest
		case line[0] == ' ' || line[0] == '\t':
			value = append(append(value, ' '), bytes.TrimSpace(line)...)
		case isFieldName(bytes.TrimRight(line[:max(colon, 0)], " \t")):
			end()
			name = strings.ToLower(string(bytes.TrimRight(line[:colon], " \t")))
			value = append(value, bytes.TrimSpace(line[colon+1:])...)
		}
		read += len(data) - len(rest)
		data = rest
	}
	end()
	return h, data
}

func isFieldName(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 80
}

// get gives the first field of a name, undecoded.
func (h mailHeader) get(name string) string {
	for i := range h {
		if h[i].name == name {
			return h[i].value
		}
	}
	return ""
}

// text gives the first field of a name, decoded (RFC 2047).
func (h mailHeader) text(name string) string { return decodeWords(h.get(name)) }

// encodedWord is an encoded word of RFC 2047; people also leave blanks in it.
var encodedWord = lazyregexp.New(`=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=`)

// decodeWords decodes the encoded words of a header. The bytes of words that follow each other in one charset are joined first:
// many programs cut letters in two. A text that cannot be decoded stays as it is.
func decodeWords(s string) string {
	if !strings.Contains(s, "=?") {
		return strings.TrimSpace(s)
	}
	var out strings.Builder
	var word []byte
	charset, at := "", 0
	end := func() {
		if charset != "" {
			out.WriteString(decodeCharset(word, charset))
		}
		charset, word = "", word[:0]
	}
	for _, m := range encodedWord.FindAllStringSubmatchIndex(s, -1) {
		between := s[at:m[0]]
		name, _, _ := strings.Cut(strings.ToLower(s[m[2]:m[3]]), "*") // without the language of RFC 2231
		if strings.TrimSpace(between) != "" || charset == "" || charset != name {
			joins := charset != "" && strings.TrimSpace(between) == ""
			end()
			if !joins {
				out.WriteString(between)
			}
			charset = name
		}
		if text := s[m[6]:m[7]]; s[m[4]]|0x20 == 'b' {
			word = append(word, decodeBase64([]byte(text))...)
		} else {
			word = append(word, decodeQuoted([]byte(strings.ReplaceAll(text, "_", "=20")), true)...)
		}
		at = m[1]
	}
	end()
	out.WriteString(s[at:])
	return strings.TrimSpace(headerLine(out.String()))
}

// headerLine makes line feeds and other controls of a header blanks.
func headerLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// decodeBase64 decodes what there is to be decoded: other characters are passed over, and what is left at a broken end is dropped.
func decodeBase64(text []byte) []byte {
	clean := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case isAlphanumeric(c) || c == '+' || c == '/':
			clean = append(clean, c)
		case c == '=' && len(clean)%4 != 0:
			// Several encoded pieces one after the other: each ends with its own padding.
			for len(clean)%4 != 0 {
				clean = append(clean, '=')
			}
		}
	}
	out := make([]byte, 0, len(clean)/4*3+3)
	for len(clean) > 0 {
		n := min(4, len(clean))
		var group [3]byte
		k, _ := base64.RawStdEncoding.Decode(group[:], bytes.TrimRight(clean[:n], "="))
		out = append(out, group[:k]...)
		clean = clean[n:]
	}
	return out
}

// decodeQuoted decodes quoted-printable text; what is not encoded right stays as it is. In headers a line's end is no soft break.
func decodeQuoted(text []byte, header bool) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '=' {
			out = append(out, c)
			continue
		}
		rest := text[i+1:]
		if len(rest) >= 2 {
			if hi, lo := fromHex(rest[0]), fromHex(rest[1]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		blanks := 0
		for blanks < len(rest) && (rest[blanks] == ' ' || rest[blanks] == '\t' || rest[blanks] == '\r') {
			blanks++
		}
		switch {
		case !header && blanks == len(rest):
			return out
		case !header && rest[blanks] == '\n':
			i += blanks + 1
		default:
			// The blanks were looked at: they are not looked at again, whatever follows.
			out = append(append(out, '='), rest[:blanks]...)
			i += blanks
		}
	}
	return out
}

func fromHex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20) - 'a' + 10
	}
	return -1
}

// mediaType gives the type of a part, in lower case, and its parameters; it takes what it can from a broken one.
func mediaType(value string) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(value)
	if err == nil {
		return kind, params
	}
	kind, rest, _ := strings.Cut(value, ";")
	params = map[string]string{}
	for pair := range strings.SplitSeq(rest, ";") {
		if name, v, ok := strings.Cut(pair, "="); ok {
			params[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	kind, _, _ = strings.Cut(strings.TrimSpace(kind), " ")
	return strings.ToLower(kind), params
}

// messageIDs gives the ids (without angle brackets) that a field names.
func messageIDs(value string) []string {
	var out []string
	for len(out) < 1000 {
		_, rest, ok := strings.Cut(value, "<")
		if !ok {
			break
		}
		id, after, ok := strings.Cut(rest, ">")
		if !ok {
			break
		}
		if id = strings.TrimSpace(id); id != "" {
			out = append(out, id)
		}
		value = after
	}
	return out
}

// inAngles finds an address where the rest of the field is broken.
var inAngles = lazyregexp.New(`[^\s<>"(),;:]+@[^\s<>"(),;:]+`)

// addressOf gives the first address of a field, in lower case.
func addressOf(value string) string {
	if a, err := mail.ParseAddress(value); err == nil {
		return strings.ToLower(a.Address)
	}
	return strings.ToLower(inAngles.FindString(value))
}

// dated gives when a mail was sent or, where it does not say, when it came in.
func (h mailHeader) dated() time.Time {
	if at, ok := mailDate(h.get("date")); ok {
		return at
	}
	for i := range h {
		if h[i].name != "received" && h[i].name != "x-received" && h[i].name != "delivery-date" {
			continue
		}
		value := h[i].value
		if at, ok := mailDate(value[strings.LastIndexByte(value, ';')+1:]); ok {
			return at
		}
	}
	return time.Time{}
}

// dateLayouts are the forms of dates of programs that do not keep to the standard.
var dateLayouts = []string{"Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 -0700 2006", "2006-01-02 15:04:05 -0700", time.RFC3339,
	"2006-01-02 15:04:05", "Mon, 2 Jan 2006 15:04:05"}

// mailDate reads a date of a mail, in the forms that programs write beside the right one.
func mailDate(value string) (time.Time, bool) {
	value = strings.TrimSpace(value)
	at, err := mail.ParseDate(value)
	if err != nil {
		value = strings.Join(strings.Fields(value), " ")
		for _, layout := range dateLayouts {
			if at, err = time.Parse(layout, value); err == nil {
				break
			}
		}
	}
	if err != nil || at.Year() < 1980 || at.Year() > 2200 {
		return time.Time{}, false
	}
	return at.UTC(), true
}
