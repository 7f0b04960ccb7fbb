package synth

import (
	"sort"
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// examples are tickets as pairs of observed fields and labels.
type examples struct {
	task           triage.Task
	fields, labels []string
	rows           []exampleRow
}

type exampleRow struct{ fields, labels []string }

func newExamples(task triage.Task) *examples {
	x := &examples{task: task}
	if task.Track == triage.Queue {
		x.fields = []string{"selected_category", "channel", "customer_tier", "wait_time_hours", "is_escalated", "previous_contacts",
			"language", "attachments", "ticket_id", "position", "length of subject", "length of description"}
		x.labels = []string{"route", "urgency", "difficulty"}
	} else {
		x.fields = []string{"sentiment_score", "wait_time_hours", "is_escalated", "ticket_id", "length of issue_text"}
		x.labels = []string{"category", "priority", "department"}
	}
	return x
}

func (x *examples) add(t *triage.Case, position int) {
	m := &t.Ticket.Metadata
	id := t.Ticket.ID[len(t.Ticket.ID)-1:]
	wait := strconv.Itoa(steps(m.WaitTimeHours, 4, 24, 48))
	if x.task.Track == triage.Queue {
		q := t.Truth.Queue
		x.rows = append(x.rows, exampleRow{
			fields: []string{string(m.SelectedCategory), m.Channel, string(m.CustomerTier), wait, strconv.FormatBool(m.IsEscalated),
				strconv.Itoa(min(m.PreviousContacts, 3)), m.Language, strconv.Itoa(m.Attachments), id, strconv.Itoa(position),
				strconv.Itoa(len(t.Ticket.Subject) / 10), strconv.Itoa(len(t.Ticket.Body) / 100)},
			labels: []string{string(q.Route), string(q.Urgency), string(q.Difficulty)}})
		return
	}
	d := t.Truth.Desk
	x.rows = append(x.rows, exampleRow{
		fields: []string{strconv.Itoa(steps(t.Ticket.Sentiment, -0.8, -0.4, 0.4)), wait, strconv.FormatBool(m.IsEscalated), id,
			strconv.Itoa((len(t.Ticket.Subject) + len(t.Ticket.Body)) / 100)},
		labels: []string{string(d.Category), string(d.Priority), string(d.Department)}})
}

// steps is the number of bounds that v reaches.
func steps(v float64, bounds ...float64) int {
	n := 0
	for _, b := range bounds {
		if v >= b {
			n++
		}
	}
	return n
}

// predictions counts on the even rows and measures on the odd ones.
func (x *examples) predictions() []Prediction {
	var out []Prediction
	for f, field := range x.fields {
		for l, label := range x.labels {
			counts := map[string]map[string]int{"*": {}}
			for i := 0; i < len(x.rows); i += 2 {
				r := &x.rows[i]
				m := counts[r.fields[f]]
				if m == nil {
					m = map[string]int{}
					counts[r.fields[f]] = m
				}
				m[r.labels[l]]++
				counts["*"][r.labels[l]]++
			}
			best := map[string]string{}
			for v, m := range counts {
				best[v] = top(m)
			}
			right, majority, n := 0, 0, 0
			for i := 1; i < len(x.rows); i += 2 {
				r := &x.rows[i]
				guess, ok := best[r.fields[f]]
				if !ok {
					guess = best["*"]
				}
				n++
				if guess == r.labels[l] {
					right++
				}
				if best["*"] == r.labels[l] {
					majority++
				}
			}
			out = append(out, Prediction{Field: field, Label: label, Accuracy: float64(right) / float64(max(1, n)), Majority: float64(majority) / float64(max(1, n))})
		}
	}
	return out
}

func top(m map[string]int) string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	best := ""
	for _, k := range names {
		if best == "" || m[k] > m[best] {
			best = k
		}
	}
	return best
}
