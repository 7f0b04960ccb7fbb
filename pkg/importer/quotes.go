package importer

import (
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// ownText gives what the writer of a mail says, without the mails that are quoted below or above it: "On … wrote:" and its German,
// French and Spanish forms, "-----Original Message-----", the header that Outlook copies (From, Sent, To, Subject), and lines that
// begin with ">". Answers between quoted lines stay.
//
// A forwarded mail is what its writer wants to be read, "see below" says nothing alone: it stays. Forward says that the subject
// called it one (FW:, WG:, TR:, RV:). A text stays whole where nothing of the writer's own would be left.
func ownText(s string, forward bool) string {
	q := quotes{lines: strings.Split(s, "\n"), forward: forward}
	if !q.cut() {
		return s
	}
	own := q.text()
	if strings.IndexFunc(own, unicode.IsLetter) < 0 {
		return s
	}
	return own
}

// quotes reads the lines of a mail.
type quotes struct {
	lines   []string
	forward bool // the next copied header is that of a forwarded mail
	kept    []string
	gap     bool // something was left out after the last line that was kept
}

// cut decides on every line, and tells whether any was left out.
func (q *quotes) cut() bool {
	changed := false
	for i := 0; i < len(q.lines); {
		line := trimLine(q.lines[i])
		switch {
		case strings.HasPrefix(line, ">"):
			changed = true
			i = q.quoted(i)
		case forwarded.MatchString(bounded(line)):
			// The header of the forwarded mail belongs to it.
			q.forward = false
			q.keep(q.lines[i])
			for i++; i < len(q.lines) && (len(trimLine(q.lines[i])) == 0 || q.header(i) > 0); {
				for n := max(1, q.header(i)); n > 0; n-- {
					q.keep(q.lines[i])
					i++
				}
			}
		case originalMessage.MatchString(bounded(line)) || underline(line) && q.header(i+1) > 0:
			if !q.forward {
				return true
			}
			q.keep(q.lines[i])
			i++
		default:
			n := q.header(i)
			if n > 0 && !q.forward {
				return true
			}
			if n > 0 {
				q.forward = false
			} else if lines, quoted := q.attribution(i); lines > 0 {
				if !quoted && !q.forward {
					return true
				}
				if quoted {
					q.gap, changed = true, true
					i += lines
					continue
				}
			}
			for n = max(1, n); n > 0; n-- {
				q.keep(q.lines[i])
				i++
			}
		}
	}
	return changed
}

// keep keeps a line; what was left out before it leaves one empty line.
func (q *quotes) keep(line string) {
	if blank := trimLine(line) == ""; q.gap && !blank && len(q.kept) > 0 {
		for len(q.kept) > 0 && trimLine(q.kept[len(q.kept)-1]) == "" {
			q.kept = q.kept[:len(q.kept)-1]
		}
		q.kept = append(q.kept, "", line)
		q.gap = false
	} else if !q.gap || !blank {
		q.kept = append(q.kept, line)
		q.gap = false
	}
}

func (q *quotes) text() string { return strings.TrimSpace(strings.Join(q.kept, "\n")) }

// quoted leaves out a block of quoted lines that begins at i and gives the line after it. A forwarded mail that is quoted as a whole,
// as Gmail does, loses its marks instead.
func (q *quotes) quoted(i int) int {
	end, first := i, ""
	for ; end < len(q.lines) && strings.HasPrefix(trimLine(q.lines[end]), ">"); end++ {
		if first == "" {
			first = unquoted(q.lines[end])
		}
	}
	if !forwarded.MatchString(bounded(trimLine(first))) {
		q.gap = true
		return end
	}
	for at := i; at < end; at++ {
		q.lines[at] = unquoted(q.lines[at])
	}
	return i
}

// unquoted takes one mark from a quoted line.
func unquoted(line string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(line, " \t"), ">"), " ")
}

var (
	forwarded = lazyregexp.New(`(?i)^(?:-{2,} ?(?:forwarded message|weitergeleitete nachricht|message (?:transféré|transmis|réexpédié)|` +
		`mensaje reenviado) ?-{2,}|(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|` +
		`début du message (?:réexpédié|transféré)|inicio del mensaje reenviado) ?:)$`)
	originalMessage = lazyregexp.New(`(?i)^-{2,} ?(?:original message|original appointment|ursprüngliche nachricht|` +
		`original-?nachricht|message d['’]origine|message original|mensaje original) ?-{2,}$`)
	wrote  = lazyregexp.New(`(?i)(?:^|[\s,>])(?:wrote|writes|schrieb|schreibt|a écrit|écrit|escribió|escribio)(?:[\s:]|$)`)
	began  = lazyregexp.New(`^(?:On|Am|Le|El) `)
	timed  = lazyregexp.New(`\d{1,2} ?[:.h] ?\d{2}|@`)
	mailed = lazyregexp.New(`(?i)^\*?(from|von|de|desde|sent|gesendet|envoyé|enviado(?: el)?|date|datum|fecha|to|an|à|para|subject|` +
		`betreff|objet|asunto|cc|importance)\*? ?:`)
)

// attribution tells of how many lines (0 for none) the line that introduces a quoted mail is which begins at i, and whether the
// quoted lines that follow it are marked. Programs break it over up to four lines.
func (q *quotes) attribution(i int) (lines int, marked bool) {
	joined := ""
	for n := range 4 {
		if i+n >= len(q.lines) {
			return 0, false
		}
		line := trimLine(q.lines[i+n])
		if line == "" || len(joined)+len(line) > 400 {
			return 0, false
		}
		joined = strings.TrimSpace(joined + " " + line)
		if n == 0 && !began.MatchString(joined) && !strings.HasSuffix(joined, ":") {
			return 0, false
		}
		if !strings.HasSuffix(joined, ":") || !wrote.MatchString(joined) {
			continue
		}
		if q.markedAfter(i + n + 1) {
			return n + 1, true
		}
		// Without marks it takes a date or an address: people also begin sentences so.
		if began.MatchString(joined) && timed.MatchString(joined) {
			return n + 1, false
		}
		return 0, false
	}
	return 0, false
}

// markedAfter tells whether the next line with text, of the three from i on, begins with ">".
func (q *quotes) markedAfter(i int) bool {
	for _, line := range q.lines[min(i, len(q.lines)):min(i+3, len(q.lines))] {
		if line = trimLine(line); line != "" {
			return strings.HasPrefix(line, ">")
		}
	}
	return false
}

// header tells of how many lines (0 for none) the copied header of a mail is that begins at i.
func (q *quotes) header(i int) int {
	if i >= len(q.lines) {
		return 0
	}
	kinds, n := map[string]bool{}, 0
	for ; i+n < len(q.lines) && n < 8; n++ {
		m := mailed.FindStringSubmatch(bounded(trimLine(q.lines[i+n])))
		if m == nil {
			break
		}
		kind := mailedAs[strings.ToLower(m[1])]
		if n == 0 && kind != "from" {
			return 0
		}
		kinds[kind] = true
	}
	if kinds["subject"] && (kinds["sent"] || kinds["to"]) {
		return n
	}
	return 0
}

// mailedAs says what the words of a copied header mean.
var mailedAs = map[string]string{
	"from": "from", "von": "from", "de": "from", "desde": "from",
	"sent": "sent", "gesendet": "sent", "envoyé": "sent", "enviado": "sent", "enviado el": "sent", "date": "sent", "datum": "sent", "fecha": "sent",
	"to": "to", "an": "to", "à": "to", "para": "to",
	"subject": "subject", "betreff": "subject", "objet": "subject", "asunto": "subject",
}

// underline tells whether a line is the rule that Outlook puts above a mail.
func underline(line string) bool { return len(line) >= 10 && strings.Trim(line, "_") == "" }

// trimLine takes blanks and the no-break spaces of French from both ends of a line.
func trimLine(line string) string {
	return strings.ReplaceAll(strings.TrimSpace(line), "\u00a0", " ")
}

// bounded gives the beginning of a line: marks are short, and some lines are very long.
func bounded(line string) string { return line[:min(len(line), 512)] }
