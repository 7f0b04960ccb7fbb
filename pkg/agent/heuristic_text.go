package agent

import "strings"

// mail is a ticket's body cut into paragraphs, without what is not the sender's own word on the matter: quoted lines,
// headers of quoted and forwarded mails, the greeting and signatures.
type mail struct {
	paragraphs []string
	quoted     bool // an older mail hangs below
}

// cut reads a body. A signature ends where the next paragraph begins: a postscript may stand below it.
func (m *mail) cut(body string) {
	m.paragraphs, m.quoted = m.paragraphs[:0], false
	header := false
	start, n := -1, 0
	flush := func(end int) {
		if start >= 0 {
			m.keep(body[start:end], n == 0)
			n++
		}
		start = -1
	}
	for i := 0; i <= len(body); {
		end := i + strings.IndexByte(body[i:], '\n')
		if end < i {
			end = len(body)
		}
		line := strings.TrimSpace(body[i:end])
		switch {
		case line == "":
			flush(i)
		case line[0] == '>':
			flush(i)
			if !header && !isHeaderLine(line[1:]) {
				m.quoted = true
			}
		case line == "--" || line == "__":
			flush(i)
			end = skipBlock(body, end)
		case isHeader(line) || header && isHeaderLine(line):
			flush(i)
			header = true
		default:
			header = false
			if start < 0 {
				start = i
			}
		}
		if line != "" && line[0] == '>' {
			header = isHeaderLine(line[1:])
		}
		i = end + 1
	}
	flush(len(body))
}

// skipBlock gives the end of the block of lines after a signature mark.
func skipBlock(body string, from int) int {
	if i := strings.Index(body[from:], "\n\n"); i >= 0 {
		return from + i
	}
	return len(body)
}

// keep adds a paragraph unless it is a greeting or a signature.
func (m *mail) keep(p string, first bool) {
	p = strings.TrimSpace(p)
	if p == "" || first && isGreeting(p) || !first && isSignature(p) {
		return
	}
	m.paragraphs = append(m.paragraphs, p)
}

// isHeader tells whether a line leads to a quoted or forwarded mail.
func isHeader(line string) bool {
	switch line[0] {
	case '-', '_', '=', '[':
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "___") || strings.HasPrefix(line, "===") ||
			line[0] == '[' && line[len(line)-1] == ']' {
			return true
		}
	}
	if len(line) > 120 {
		return false
	}
	if strings.HasSuffix(line, "wrote:") || strings.HasSuffix(line, "crit :") || strings.HasSuffix(line, "schrieb:") || strings.HasSuffix(line, "said:") {
		return true
	}
	lower := strings.ToLower(line)
	for _, mark := range [...]string{"forwarded message", "forwarded by", "original message", "weitergeleitet", " schrieb am ", "ursprüngliche nachricht",
		"message transféré", "support wrote", " wrote to me on ", " wrote on "} {
		if strings.Contains(lower, mark) && (mark[0] != ' ' || line[len(line)-1] == ':') {
			return true
		}
	}
	return isHeaderLine(line) && strings.Contains(line, "@")
}

// isHeaderLine tells whether a line is one of those that stand above a forwarded mail, such as "To: …".
func isHeaderLine(line string) bool {
	line = strings.TrimSpace(line)
	if strings.Contains(line, "@") && len(line) < 80 {
		return true
	}
	if len(line) <= 12 && strings.Contains(line, ":") && strings.IndexByte(line, ' ') == 3 {
		return true // "Mon 11:05"
	}
	for _, key := range [...]string{"from", "to", "sent", "date", "cc", "subject", "von", "an", "gesendet", "betreff", "de", "à", "a", "para", "fecha"} {
		if len(line) > len(key)+1 && foldEqual(line[:len(key)], key) {
			rest := line[len(key):]
			if rest[0] == ':' || rest[0] == ' ' && (key == "from" || key == "to") && len(line) < 60 && line[len(line)-1] != '.' {
				return true
			}
		}
	}
	return false
}

// The most words that the lines of greetings and signatures have.
const greetingWords, signatureWords = 8, 8

func isGreeting(p string) bool {
	if strings.Count(p, "\n") > 0 || len(strings.Fields(p)) > greetingWords {
		return false
	}
	switch p[len(p)-1] {
	case ',', '!', ':':
		return true
	}
	return len(strings.Fields(p)) <= 4
}

// isSignature tells whether a paragraph is lines of a few words that are no sentences.
func isSignature(p string) bool {
	if isPostscript(p) {
		return false
	}
	for _, line := range strings.Split(p, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		switch line[len(line)-1] {
		case '.', '?':
			return false
		case ':':
			return false
		}
		if len(strings.Fields(line)) > signatureWords {
			return false
		}
	}
	return true
}

func isPostscript(p string) bool {
	return len(p) > 2 && (p[0] == 'p' || p[0] == 'P') && (p[1] == '.' || p[1] == 'S' || p[1] == 's') || strings.HasPrefix(p, "Post")
}
