package importer

import (
	"slices"
	"strings"
)

// headersAsked is a reader of mails, which gives headers that a user names beside the fields that all mails have.
type headersAsked interface{ askHeaders(names []string) }

var (
	_ headersAsked = (*mboxReader)(nil)
	_ headersAsked = (*emlReader)(nil)
	_ headersAsked = (*folderReader)(nil)
)

// ownHeaders are the headers that a user names, such as X-Folder.
type ownHeaders struct{ names []string }

func (o *ownHeaders) askHeaders(names []string) { o.names = names }

// own gives the fields of headers that a user names, as far as a mail has them. Names are compared as those of columns are.
func (h mailHeader) own(names []string) []Field {
	var out []Field
	for _, name := range names {
		at := slices.IndexFunc(h, func(f mailField) bool { return same(f.name, name) && strings.TrimSpace(f.value) != "" })
		if at < 0 {
			continue
		}
		value := headerLine(decodeWords(h[at].value))
		if isFiled(name) {
			value = filedList(value)
		}
		out = append(out, Field{name, value})
	}
	return out
}

// askHeaders tells a reader of mails which headers labels are read from or are to be shown, beside those that every mail has as columns.
func (o *Options) askHeaders(r Reader) {
	m, ok := r.(headersAsked)
	if !ok {
		return
	}
	asked := append(o.Labels.asked(), o.Labels.Show...)
	if o.Labels.Mapping != nil {
		asked = append(asked, o.Labels.Mapping.Show...)
	}
	slices.Sort(asked)
	var names []string
	for _, name := range asked {
		_, known := mailColumn(name)
		if !known && name != fileColumn && name != folderColumn && !slices.ContainsFunc(names, func(n string) bool { return same(n, name) }) {
			names = append(names, name)
		}
	}
	m.askHeaders(names)
}

// filedHeaders are the headers in which programs keep the labels of a mail.
var filedHeaders = []string{"x-gmail-labels", "x-keywords", "keywords", "x-label"}

// isMail tells whether a format is one of mails.
func (f *Format) isMail() bool { return f.Name == "mbox" || f.Name == "maildir" || f.Name == "eml" }

// isFiled tells whether a column of mails has the labels by which they were filed.
func isFiled(column string) bool {
	return same(column, "labels") || slices.ContainsFunc(filedHeaders, func(name string) bool { return same(name, column) })
}

// filedList writes the labels of a header a line each.
func filedList(value string) string {
	var all []string
	for label := range strings.SplitSeq(value, ",") {
		if label = strings.TrimSpace(label); label != "" {
			all = append(all, label)
		}
	}
	return strings.Join(all, "\n")
}

// programLabels are labels that programs give by themselves, in English and German: where a mail lies, and whether it was read.
var programLabels = []string{"inbox", "sent", "draft", "drafts", "starred", "important", "unread", "opened", "archived", "spam", "junk",
	"nonjunk", "trash", "chat", "muted", "snoozed", "scheduled", "posteingang", "gesendet", "entwurf", "entwürfe", "markiert", "wichtig", "ungelesen",
	"geöffnet", "archiviert", "papierkorb"}

// isProgramLabel tells whether a label is none that a person gave.
func isProgramLabel(label string) bool {
	label = lowered(label)
	return slices.Contains(programLabels, label) || strings.HasPrefix(label, "category ") || strings.HasPrefix(label, "kategorie ") ||
		strings.HasPrefix(label, "kategorie:") || strings.HasPrefix(label, "$") || strings.HasPrefix(label, `\`)
}

// mailHint says what can be a label of mails.
const mailHint = "of mails it can be the file or folder in which they lie (@file, @folder), the labels of Gmail (labels), or a header of yours by its name (X-Folder)"
