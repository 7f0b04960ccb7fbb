// Package play lets a person triage tickets in a terminal: the same tickets, asked for the same fields, graded by the same
// environments as any agent's, and kept in the same run folders.
//
// [Session] plays a plan as [runner.Runner] does, with a person in the agent's place, and can take answers back; [Model] shows it
// full-screen, [Plain] line by line for scripts and screen readers. It is blind: labels, scores and reasons, and what an
// observation tells of them, are not shown while tickets are answered, unless Feedback is asked for.
//
// It opens no files and knows no flags, and it grades nothing. Start at [NewSession].
package play

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/triage"
)

// Kind is how a field is answered.
type Kind int

// The kinds: one of Values, a whole number from Low to High, or a text of at most Most characters.
const (
	Choice Kind = iota
	Number
	Text
)

// Field is one thing that is asked for.
type Field struct {
	Name      string // on the wire
	Title     string // for people, clean
	Kind      Kind
	Values    []string
	Low, High int
	Most      int
}

// Fact is something known about a ticket beside its text; both are clean.
type Fact struct{ Name, Value string }

// Ticket is a ticket as a person sees it. Its texts are clean.
type Ticket struct {
	Key triage.Key
	ID  string
	// At counts the tickets of the plan from 1, Of is their number; Episode says where in its episode the ticket stands, and is empty
	// where an episode is one ticket.
	At, Of  int
	Episode string
	Facts   []Fact
	Subject string
	Body    string
	Fields  []Field

	track  triage.Track
	labels map[string][]string
}

// newTicket makes the ticket of an observation. Stats, last results and messages of the observation are left out: they tell how the
// answers before were graded.
func newTicket(key triage.Key, o triage.Observation) *Ticket {
	t := &Ticket{Key: key}
	switch {
	case o.Queue != nil && o.Queue.Ticket != nil:
		t.queue(o.Queue)
	case o.Desk != nil:
		t.desk(key, o.Desk)
	case o.Dataset != nil:
		t.dataset(o.Dataset)
	}
	return t
}

func (t *Ticket) queue(o *triage.QueueObservation) {
	q, m := o.Ticket, &o.Ticket.Metadata
	t.track, t.ID = triage.Queue, cleanLine(q.ID)
	t.Episode = fmt.Sprintf("%d of %d", o.Position+1, o.TotalTickets)
	t.Subject, t.Body = cleanLine(q.Subject), Clean(q.Description)
	picked := string(m.SelectedCategory)
	if picked == "" {
		picked = "nothing"
	}
	t.add("tier", string(m.CustomerTier), "waits", hours(m.WaitTimeHours), "escalated", yes(m.IsEscalated), "contacts before", strconv.Itoa(m.PreviousContacts),
		"picked in the form", picked, "channel", m.Channel, "language", m.Language, "attachments", strconv.Itoa(m.Attachments))
	t.Fields = []Field{choice(triage.FieldRoute, words(triage.Routes())), choice(triage.FieldUrgency, words(triage.Urgencies())),
		choice(triage.FieldDifficulty, words(triage.Resolutions())), number(triage.FieldPriorityScore, 0, 100)}
}

func (t *Ticket) desk(key triage.Key, o *triage.DeskObservation) {
	t.track, t.ID = triage.Desk, cleanLine(o.TicketID)
	subject, body, _ := strings.Cut(o.IssueText, "\n\n")
	t.Subject, t.Body = cleanLine(subject), Clean(body)
	t.add("customer", o.CustomerName, "sentiment", strconv.FormatFloat(o.SentimentScore, 'f', 2, 64), "waits", hours(o.WaitTimeHours), "escalated", yes(o.IsEscalated))
	all := map[string]Field{
		triage.FieldCategory:       choice(triage.FieldCategory, words(triage.Categories())),
		triage.FieldPriority:       choice(triage.FieldPriority, words(triage.Priorities())),
		triage.FieldUrgencyDays:    number(triage.FieldUrgencyDays, 1, 7),
		triage.FieldDepartment:     choice(triage.FieldDepartment, words(triage.Departments())),
		triage.FieldRecommendation: {Name: triage.FieldRecommendation, Title: triage.FieldRecommendation, Kind: Text, Most: triage.MaxRecommendation},
	}
	task, _ := triage.TaskByName(key.Task) // an unknown task asks for nothing
	for _, name := range task.Asked {
		t.Fields = append(t.Fields, all[name])
	}
}

func (t *Ticket) dataset(o *triage.DatasetObservation) {
	t.track, t.ID, t.labels = triage.Dataset, cleanLine(o.TicketID), o.Labels
	t.Subject, t.Body = cleanLine(o.Subject), Clean(o.Body)
	for _, name := range sortedKeys(o.Fields) {
		t.add(name, o.Fields[name])
	}
	for _, name := range sortedKeys(o.Labels) {
		t.Fields = append(t.Fields, choice(name, o.Labels[name]))
	}
}

// add adds facts: a name and a value in turn.
func (t *Ticket) add(pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		t.Facts = append(t.Facts, Fact{cleanLine(pairs[i]), cleanLine(pairs[i+1])})
	}
}

// Action is the answer that values by field give; a field without a value is not answered. It is an error if the environment
// would refuse it.
func (t *Ticket) Action(values map[string]string) (triage.Action, error) {
	given := map[string]string{}
	for name, v := range values {
		if v != "" {
			given[name] = v
		}
	}
	data, err := json.Marshal(given)
	if err != nil {
		return triage.Action{}, err
	}
	return triage.ParseAction(t.track, data, t.labels)
}

// missing lists the titles of the fields that have no value.
func (t *Ticket) missing(values map[string]string) []string {
	var out []string
	for i := range t.Fields {
		if values[t.Fields[i].Name] == "" {
			out = append(out, t.Fields[i].Title)
		}
	}
	return out
}

// check says what is wrong with a value typed for a field, and gives the value as it is kept; an empty one is no answer.
func (f *Field) check(text string) (string, error) {
	switch text = strings.TrimSpace(text); {
	case text == "":
		return "", nil
	case f.Kind == Number:
		n, err := strconv.Atoi(text)
		if err != nil || n < f.Low || n > f.High {
			return "", fmt.Errorf("%s %q is not a whole number from %d to %d", f.Title, cleanLine(text), f.Low, f.High)
		}
		return strconv.Itoa(n), nil
	case f.Kind == Text:
		if n := utf8.RuneCountInString(text); n > f.Most {
			return "", fmt.Errorf("%s has %d characters; allowed are at most %d", f.Title, n, f.Most)
		}
		return strings.ToValidUTF8(text, "\uFFFD"), nil
	}
	return f.choose(text)
}

// choose finds the value that a word means: its number in the list from 1, the value itself whatever its case, or a beginning that
// only one value has.
func (f *Field) choose(text string) (string, error) {
	if i := slices.Index(f.Values, text); i >= 0 {
		return f.Values[i], nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Values) {
		return f.Values[n-1], nil
	}
	var found []string
	for _, v := range f.Values {
		if strings.EqualFold(v, text) {
			return v, nil
		}
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(text)) {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return "", fmt.Errorf("%s %q is not one of %s, nor a number from 1 to %d", f.Title, cleanLine(text), cleanLine(strings.Join(f.Values, ", ")), len(f.Values))
}

func choice(name string, values []string) Field {
	return Field{Name: name, Title: cleanLine(name), Kind: Choice, Values: values}
}

func number(name string, low, high int) Field {
	return Field{Name: name, Title: name, Kind: Number, Low: low, High: high}
}

func hours(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) + " h" }

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func words[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
