package importer

import (
	"bytes"
	"fmt"
	"strings"
)

// Bounds of what is read of one mail.
const (
	maxMail  = 16 << 20 // bytes; what follows is left out, which is nearly always attachments
	maxParts = 1000
	maxDepth = 16 // of parts in parts
)

// mailBody is what was read of a mail's parts.
type mailBody struct {
	text        string
	attachments []string // their names, or types where they have none
	parts       int
	// enclosed is the text of a mail that is attached: it counts where the mail has no text of its own.
	enclosed string
}

// readBody gives the text and the names of attachments of a mail or part. Attachments are not unpacked.
func readBody(h mailHeader, data []byte) *mailBody {
	b := &mailBody{}
	text, _ := b.part(h, data, 0)
	b.text = strings.Trim(text, "\r\n")
	if strings.TrimSpace(b.text) == "" {
		b.text = b.enclosed
	}
	return b
}

// part gives the text of a part, which may be empty, and whether it was written as plain text.
func (b *mailBody) part(h mailHeader, data []byte, depth int) (text string, plain bool) {
	if b.parts++; b.parts > maxParts {
		return "", false
	}
	kind, params := mediaType(h.get("content-type"))
	disposition, dparams := mediaType(h.get("content-disposition"))
	name := decodeWords(dparams["filename"])
	if name == "" {
		name = decodeWords(params["name"])
	}
	switch {
	case strings.HasPrefix(kind, "multipart/") && params["boundary"] != "":
		if depth == maxDepth {
			return "", false
		}
		return b.multipart(kind, splitParts(data, params["boundary"]), depth)
	case kind == "message/rfc822" || kind == "message/global":
		b.enclose(h, data, name, depth)
		return "", false
	case disposition == "attachment" || name != "" && disposition != "" || !isText(kind):
		b.attach(kind, name)
		return "", false
	}
	body := decodeTransfer(data, h.get("content-transfer-encoding"))
	charset := params["charset"]
	if kind == "text/html" {
		if charset == "" {
			charset = charsetOfHTML(body)
		}
		return plainText(unixLines(decodeCharset(body, charset))), false
	}
	text = unixLines(decodeCharset(body, charset))
	if strings.EqualFold(params["format"], "flowed") {
		text = unflow(text, strings.EqualFold(params["delsp"], "yes"))
	}
	return text, true
}

// isText tells whether a part of this type is what its writer says. Parts that name no type are, and so are multiparts that do not say
// where their parts begin.
func isText(kind string) bool {
	return kind == "" || kind == "text" || kind == "text/plain" || kind == "text/html" || strings.HasPrefix(kind, "multipart/")
}

func (b *mailBody) attach(kind, name string) {
	if name = headerLine(name); name == "" {
		name = headerLine(kind)
	}
	if len(name) > 255 {
		name = strings.ToValidUTF8(name[:255], "")
	}
	b.attachments = append(b.attachments, name)
}

// enclose notes a mail that is attached to this one.
func (b *mailBody) enclose(h mailHeader, data []byte, name string, depth int) {
	inner, rest := cutHeader(decodeTransfer(data, h.get("content-transfer-encoding")))
	if name == "" {
		name = inner.text("subject")
	}
	b.attach("message/rfc822", name)
	if depth == maxDepth {
		return
	}
	if text, _ := b.part(inner, rest, depth+1); b.enclosed == "" {
		b.enclosed = strings.Trim(text, "\r\n")
	}
}

// multipart gives the text of several parts: of alternatives the plain one, else the first that has text; of others all, one after
// the other.
func (b *mailBody) multipart(kind string, parts [][]byte, depth int) (string, bool) {
	var texts []string
	allPlain := true
	for _, data := range parts {
		h, rest := cutHeader(data)
		text, plain := b.part(h, rest, depth+1)
		if strings.TrimSpace(text) == "" {
			continue
		}
		if kind == "multipart/alternative" && plain {
			return text, true
		}
		texts = append(texts, text)
		allPlain = allPlain && plain
	}
	if len(texts) > 1 && (kind == "multipart/alternative" || kind == "multipart/related") {
		texts = texts[:1]
	}
	for i := range texts[:max(0, len(texts)-1)] {
		texts[i] = strings.TrimRight(texts[i], "\n")
	}
	return strings.Join(texts, "\n\n"), allPlain
}

// splitParts cuts the body of a multipart at its boundary. What is before the first and after the last is left out; a last boundary
// that is missing is the end.
func splitParts(data []byte, boundary string) [][]byte {
	mark := []byte("--" + boundary)
	var out [][]byte
	begin := -1 // of the part that is open
	for at := 0; at < len(data); {
		next := bytes.IndexByte(data[at:], '\n')
		end := len(data)
		if next >= 0 {
			end = at + next + 1
		}
		if after, ok := bytes.CutPrefix(data[at:end], mark); ok {
			after = bytes.TrimRight(after, " \t\r\n")
			if last := string(after) == "--"; last || len(after) == 0 {
				if begin >= 0 {
					out = append(out, data[begin:at])
				}
				begin = end
				if last || len(out) > maxParts {
					return out
				}
			}
		}
		at = end
	}
	if begin >= 0 && begin < len(data) {
		out = append(out, data[begin:])
	}
	return out
}

// decodeTransfer undoes the transfer encoding of a part; an unknown one counts as none.
func decodeTransfer(data []byte, encoding string) []byte {
	encoding, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(encoding)), ";")
	switch strings.TrimSpace(encoding) {
	case "base64":
		return decodeBase64(data)
	case "quoted-printable":
		return decodeQuoted(data, false)
	}
	return data
}

func unixLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// unflow joins the lines of format=flowed (RFC 3676): a line that ends with a blank goes on in the next one, if that is quoted as
// deep. The marker of a signature does not.
func unflow(s string, deleteSpace bool) string {
	var out strings.Builder
	open, last := false, ""
	for i, line := range strings.Split(s, "\n") {
		marks := line[:len(line)-len(strings.TrimLeft(line, ">"))]
		text := strings.TrimPrefix(line[len(marks):], " ")
		flows := strings.HasSuffix(text, " ") && text != "-- "
		if !open || marks != last || text == "-- " {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(marks)
			if marks != "" && text != "" {
				out.WriteByte(' ')
			}
		}
		if flows && deleteSpace {
			text = strings.TrimSuffix(text, " ")
		}
		out.WriteString(text)
		open, last = flows, marks
	}
	return out.String()
}

// attachmentFields says how many attachments a mail has and what they are called.
func (b *mailBody) attachmentFields() (count, names string) {
	if len(b.attachments) == 0 {
		return "", ""
	}
	return fmt.Sprint(len(b.attachments)), strings.Join(b.attachments, "\n")
}
