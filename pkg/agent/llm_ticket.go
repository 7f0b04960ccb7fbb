package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/triage"
)

// shown is how a prompt shows an observation: what the desk knows, and what the customer wrote.
type shown struct {
	record string // "name: value" lines
	text   string // of the customer; without its fence
}

// shownTo splits an observation. What tells nothing of the ticket's matter is left out: its id, its place in the queue, figures
// and results of tickets before it.
func shownTo(o triage.Observation) shown {
	switch {
	case o.Queue != nil && o.Queue.Ticket != nil:
		return showQueue(o.Queue.Ticket, o.Order)
	case o.Desk != nil:
		return showDesk(o.Desk, o.Order)
	case o.Dataset != nil:
		return showDataset(o.Dataset, o.Order)
	}
	return shown{}
}

func showQueue(t *triage.QueueTicket, order uint64) shown {
	m := &t.Metadata
	selected := string(m.SelectedCategory)
	if selected == "" {
		selected = "none"
	}
	return shown{
		record: ordered(order, []string{
			"channel: " + oneLine(m.Channel),
			"customer_tier: " + oneLine(string(m.CustomerTier)),
			"wait_time_hours: " + strconv.FormatFloat(m.WaitTimeHours, 'f', 1, 64),
			"is_escalated: " + yesNo(m.IsEscalated),
			"previous_contacts: " + strconv.Itoa(m.PreviousContacts),
			"selected_category: " + oneLine(selected),
			"language: " + oneLine(m.Language),
			"attachments: " + strconv.Itoa(m.Attachments),
		}),
		text: "Subject: " + oneLine(t.Subject) + "\n\n" + plainText(t.Description),
	}
}

// showDesk puts the name among the customer's words: it is whatever the sender typed.
func showDesk(d *triage.DeskObservation, order uint64) shown {
	return shown{
		record: ordered(order, []string{
			"sentiment_score: " + strconv.FormatFloat(d.SentimentScore, 'f', 2, 64),
			"wait_time_hours: " + strconv.FormatFloat(d.WaitTimeHours, 'f', 1, 64),
			"is_escalated: " + yesNo(d.IsEscalated),
		}),
		text: "From: " + oneLine(d.CustomerName) + "\nSubject: " + plainText(d.IssueText),
	}
}

// showDataset trusts no column: nobody knows who filled them in.
func showDataset(d *triage.DatasetObservation, order uint64) shown {
	names := make([]string, 0, len(d.Fields))
	for n := range d.Fields {
		names = append(names, n)
	}
	sort.Strings(names)
	lines := make([]string, len(names))
	for i, n := range names {
		lines[i] = oneLine(n) + ": " + oneLine(d.Fields[n])
	}
	text := ordered(order, lines)
	if d.Subject != "" {
		if text != "" {
			text += "\n"
		}
		text += "Subject: " + oneLine(d.Subject)
	}
	if text != "" {
		text += "\n\n"
	}
	return shown{text: text + plainText(d.Body)}
}

// ordered joins lines in the order that an observation asks for.
func ordered(order uint64, lines []string) string {
	out := make([]string, len(lines))
	for i, from := range triage.Permutation(order, len(lines)) {
		out[i] = lines[from]
	}
	return strings.Join(out, "\n")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// plainText gives a text as prompts show it: valid UTF-8, line ends as \n, and a space for every other control character but the
// tab.
func plainText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// oneLine is [plainText] with every line break as a space, for values that stand on a line of their own.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, plainText(s))
}

// fenceID is what marks the two ends of a text in a prompt: 16 hex digits of its SHA-256. A text that held its own end would
// have to hold a part of its own hash.
func fenceID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// fenced puts a text between its two marks.
func fenced(text string) string {
	id := fenceID(text)
	return "<ticket id=" + id + ">\n" + text + "\n</ticket id=" + id + ">"
}
