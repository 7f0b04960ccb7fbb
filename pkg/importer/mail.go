package importer

import (
	"hash/fnv"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// Reasons why a mail is no ticket.
const (
	mailReply     = "a reply in a thread that is already a ticket"
	mailAutomatic = "an automatic reply"
	mailBounce    = "a mail that came back"
	mailNotOne    = "not a mail"
)

// mailRecord makes the record of a mail. The error says why it is no ticket: it is a reply to another one of the same box (known may
// be nil where that cannot be told), an automatic reply (out of office), or one that came back. Mails that programs write of their
// own accord, as the forms of a web page, are tickets, and so are newsletters: sorting them out is part of triage.
func mailRecord(line int, data []byte, known mailIDs, own ...string) (*Record, *RowError) {
	h, rest := cutHeader(data)
	if h.get("from")+h.get("to")+h.get("subject")+h.get("date")+h.get("message-id") == "" {
		return nil, &RowError{Line: line, Reason: mailNotOne, Detail: "it has no From, To, Subject, Date or Message-ID"}
	}
	id := mailID(h)
	subject := h.text("subject")
	if reason := h.noTicket(); reason != "" {
		return nil, &RowError{Line: line, Reason: reason, Detail: clipped(subject)}
	}
	if known.answered(h, id) {
		return nil, &RowError{Line: line, Reason: mailReply, Detail: clipped(subject)}
	}
	body := readBody(h, rest)
	rec := &Record{
		Line: line, ID: id, Subject: subject, Customer: addressOf(h.get("from")), Created: h.dated(),
		Body:   ownText(body.text, forwardSubject.MatchString(subject)),
		Fields: append(h.fields(), h.own(own)...),
	}
	count, names := body.attachmentFields()
	rec.Fields = append(rec.Fields, Field{"attachments", count}, Field{"attachment-names", names})
	return rec, nil
}

// forwardSubject finds subjects of forwarded mails.
var forwardSubject = lazyregexp.New(`(?i)^\s*(?:fwd?|wg|tr|rv|i)\s*:`)

// mailID gives the id of a mail, or nothing.
func mailID(h mailHeader) string {
	if ids := messageIDs(h.get("message-id")); len(ids) > 0 {
		return ids[0]
	}
	return strings.TrimSpace(h.get("message-id"))
}

// noTicket says why a mail is none that a customer wrote; it is empty where it may be one.
func (h mailHeader) noTicket() string {
	kind, params := mediaType(h.get("content-type"))
	from := addressOf(h.get("from"))
	name, _, _ := strings.Cut(from, "@")
	switch auto := strings.ToLower(h.get("auto-submitted")); {
	case kind == "multipart/report" && params["report-type"] != "feedback-report", name == "mailer-daemon",
		name == "postmaster" && strings.TrimSpace(h.get("return-path")) == "<>", h.get("x-failed-recipients") != "":
		return mailBounce
	case strings.HasPrefix(auto, "auto-replied"), h.get("x-autoreply") != "", h.get("x-autorespond") != "",
		strings.EqualFold(h.get("precedence"), "auto_reply"), strings.EqualFold(h.get("x-auto-response-type"), "oof"):
		return mailAutomatic
	}
	return ""
}

// mailFields are the further fields of a mail: the name of the field here, those of the header (the first that is there counts), and
// what is known of it.
var mailFields = []struct {
	name   string
	header []string
	column Column
}{
	{"from", []string{"from"}, Column{Person, "who wrote the mail"}},
	{"reply-to", []string{"reply-to"}, Column{Person, "who wrote the mail"}},
	{"to", []string{"to", "delivered-to"}, Column{Person, "addresses of people"}},
	{"cc", []string{"cc"}, Column{Person, "addresses of people"}},
	{"list-id", []string{"list-id"}, Column{Role: Shown}},
	{"importance", []string{"importance", "x-priority", "x-msmail-priority"}, Column{Role: Shown}},
	{"content-language", []string{"content-language"}, Column{Role: Shown}},
	{"in-reply-to", []string{"in-reply-to"}, Column{Ignored, "an id"}},
	{"thread", []string{"thread-index"}, Column{Ignored, "an id"}},
	{"labels", filedHeaders, Column{Outcome, "how the desk filed the mail"}},
}

// Fields of a mail that are not in its header.
var moreMailFields = map[string]Column{
	"attachments":      {Role: Shown},
	"attachment-names": {Role: Shown},
	"folder":           {Outcome, "how the desk filed the mail"},
}

// fields gives the further fields of a mail.
func (h mailHeader) fields() []Field {
	out := make([]Field, 0, len(mailFields)+3)
	for _, f := range mailFields {
		value := ""
		for _, name := range f.header {
			if value = headerLine(h.text(name)); value != "" {
				break
			}
		}
		if f.name == "labels" {
			value = filedList(value)
		}
		out = append(out, Field{f.name, value})
	}
	return out
}

// mailColumn says what a field of a mail is.
func mailColumn(name string) (Column, bool) {
	for _, f := range mailFields {
		if same(f.name, name) {
			return f.column, true
		}
	}
	for known, c := range moreMailFields {
		if same(known, name) {
			return c, true
		}
	}
	return Column{}, false
}

// mailIDs are the ids of all mails of a box, as hashes: about 20 bytes a mail.
type mailIDs map[uint64]struct{}

func (m mailIDs) add(id string) {
	if id != "" {
		m[hashID(id)] = struct{}{}
	}
}

// answered tells whether a mail answers one of the box other than itself.
func (m mailIDs) answered(h mailHeader, own string) bool {
	for _, field := range []string{"in-reply-to", "references"} {
		for _, id := range messageIDs(h.get(field)) {
			if _, ok := m[hashID(id)]; ok && id != own {
				return true
			}
		}
	}
	return false
}

func hashID(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return h.Sum64()
}

// clipped bounds a text for a message.
func clipped(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// mailHead tells whether a text begins like a mail: two fields at least that mails have, before its first empty line.
func mailHead(head []byte) bool {
	h, _ := cutHeader(head)
	n := 0
	for _, name := range []string{"from", "to", "subject", "date", "message-id", "received", "mime-version", "return-path", "delivered-to"} {
		if h.get(name) != "" {
			n++
		}
	}
	return n >= 2 && mailFirst.Match(head)
}

// mailFirst is the first line of a mail: a field.
var mailFirst = lazyregexp.New(`^(?:\x{feff})?[A-Za-z][A-Za-z0-9-]{1,60}[ \t]*:[ \t]`)
