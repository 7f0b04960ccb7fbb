package agent

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/triage"
)

// The parts of a ticket in which the same word weighs differently.
const partSubject, partBody = "subject", "body"

// LinearFeatures gives what the linear agent reads of a ticket: subject and body, and the rest as fields. Numbers are cut into
// ranges. Ids, names and the episode's running figures are left out: they say nothing of the ticket. Of a placeholder that stands for
// something personal the kind is read, not the number: that would tell who asks.
func LinearFeatures(o triage.Observation) linear.Example {
	switch {
	case o.Queue != nil:
		return queueFeatures(o.Queue)
	case o.Desk != nil:
		subject, body := splitSubject(o.Desk.IssueText)
		return linear.Example{Texts: texts(subject, body)}
	case o.Dataset != nil:
		return ownFeatures(o.Dataset)
	}
	return linear.Example{}
}

func texts(subject, body string) []linear.Text {
	return []linear.Text{{Name: partSubject, Text: redact.Unnumbered(subject)}, {Name: partBody, Text: redact.Unnumbered(body)}}
}

// queueFeatures takes what was picked in the form also together with the task: on hard tasks it is wrong half of the time.
func queueFeatures(o *triage.QueueObservation) linear.Example {
	t := o.Ticket
	if t == nil {
		return linear.Example{}
	}
	m := &t.Metadata
	task, _ := triage.TaskByName(o.Task)
	return linear.Example{Texts: texts(t.Subject, t.Description), Fields: []string{
		fmt.Sprintf("selected_category %s, %s", m.SelectedCategory, task.Difficulty), "selected_category " + string(m.SelectedCategory),
		"channel " + m.Channel, "customer_tier " + string(m.CustomerTier), "language " + m.Language, "is_escalated " + strconv.FormatBool(m.IsEscalated),
		"wait_time_hours " + hours(m.WaitTimeHours), "previous_contacts " + some(m.PreviousContacts), "attachments " + some(m.Attachments),
	}}
}

// hours cuts a wait into ranges.
func hours(v float64) string {
	switch v = finite(v); {
	case v < 4:
		return "under 4"
	case v < 24:
		return "4 to 24"
	case v < 48:
		return "24 to 48"
	}
	return "48 and more"
}

// some cuts a count into ranges.
func some(n int) string {
	if n >= 2 {
		return "2 and more"
	}
	return strconv.Itoa(n)
}

// The longest value of a column that is one feature, in bytes and words; a longer one is a text.
const fieldBytes, fieldWords = 60, 6

// ownFeatures takes the columns of a user's tickets: a short value is a feature as it stands, a number the place of its first
// digit, a longer value a text of its own, and a list joined by line feeds a feature an entry.
func ownFeatures(o *triage.DatasetObservation) linear.Example {
	x := linear.Example{Texts: texts(o.Subject, o.Body)}
	for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
		value := strings.TrimSpace(redact.Unnumbered(o.Fields[name]))
		if value == "" {
			continue
		}
		if len(value) > fieldBytes && !strings.Contains(value, "\n") || len(strings.Fields(value)) > fieldWords && !strings.Contains(value, "\n") {
			x.Texts = append(x.Texts, linear.Text{Name: "field " + name, Text: value})
			continue
		}
		for entry := range strings.SplitSeq(value, "\n") {
			if entry = strings.TrimSpace(entry); entry != "" {
				x.Fields = append(x.Fields, name+" "+ranged(strings.ToLower(entry)))
			}
		}
	}
	return x
}

// ranged gives a number as the power of ten that it reaches, with its first digit, and everything else as it is.
func ranged(value string) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || len(value) < 3 {
		return value
	}
	return strconv.FormatFloat(v, 'e', 0, 64)
}
