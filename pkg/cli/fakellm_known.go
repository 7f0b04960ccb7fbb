package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/llm/fakellm"
	"github.com/triagebench/triage/pkg/triage"
)

// The index of what a fake model knows. A ticket is found in a prompt by sequences of words that few other tickets have, so
// that neither the prompt's form nor a slip of the pen in the ticket matters.
const (
	wordsInMark = 3  // words that are hashed together
	marksKept   = 24 // of a ticket, the rarest
	mostHolders = 32 // a mark that more tickets have says nothing
)

// knownTickets find tickets in prompts. Once made they are only read.
type knownTickets struct {
	tickets []knownTicket
	marks   map[uint64][]int32 // places in tickets
}

type knownTicket struct {
	action triage.Action
	// hints are what the prompt may hold of the ticket beside its text.
	hints []string
	// fields are those that the task asks for.
	fields []string
	marks  int
}

// known makes the tickets of the tasks and seeds, and their index.
func (o *fakeLLMOptions) known(ctx context.Context) (*knownTickets, error) {
	s, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return nil, err
	}
	k := &knownTickets{}
	var marks [][]uint64
	for _, task := range o.tasks() {
		src, err := s.source(task, triage.Split(o.Split))
		if err != nil {
			return nil, err
		}
		for i := range o.episodes(task) {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			for position := range task.Tickets {
				c := src.Ticket(o.Seed+int64(i), position)
				k.tickets = append(k.tickets, newKnownTicket(task, c))
				marks = append(marks, marksOf(c.Ticket.Subject+"\n"+c.Ticket.Body))
			}
		}
	}
	k.index(marks)
	return k, nil
}

func newKnownTicket(task triage.Task, c *triage.Case) knownTicket {
	t := knownTicket{action: triage.Action{Track: task.Track}, fields: task.Asked,
		hints: []string{c.Ticket.ID, c.Ticket.CustomerName, strconv.FormatFloat(c.Ticket.Metadata.WaitTimeHours, 'f', -1, 64), string(c.Ticket.Metadata.CustomerTier)}}
	if task.Track == triage.Queue {
		q := c.Truth.Queue
		t.action.Queue = triage.QueueAction{Route: q.Route, Urgency: q.Urgency, Difficulty: q.Difficulty, Priority: triage.IntOf(q.Priority)}
		return t
	}
	d := c.Truth.Desk
	t.action.Desk = triage.DeskAction{Category: d.Category, Priority: d.Priority, UrgencyDays: triage.IntOf(d.UrgencyDays), Department: d.Department,
		Recommendation: handbook.SampleRecommendation(d)}
	return t
}

// marksOf hashes each run of words of a text: letters and digits, in small letters.
func marksOf(text string) []uint64 {
	words := wordHashes(text)
	if len(words) < wordsInMark {
		return words
	}
	out := make([]uint64, 0, len(words))
	for i := range len(words) - wordsInMark + 1 {
		h := uint64(0)
		for _, w := range words[i : i+wordsInMark] {
			h = h*0x9e3779b97f4a7c15 + w
			h ^= h >> 29
		}
		out = append(out, h)
	}
	return out
}

// wordHashes hashes each word by itself.
func wordHashes(text string) []uint64 {
	const start, prime = 14695981039346656037, 1099511628211 // FNV-1a
	out := make([]uint64, 0, len(text)/4)
	h, inside := uint64(start), false
	for _, r := range text {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			h, inside = (h^uint64(r))*prime, true
			continue
		}
		if r >= 'A' && r <= 'Z' || r >= 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			h, inside = (h^uint64(unicode.ToLower(r)))*prime, true
			continue
		}
		if inside {
			out = append(out, h)
			h, inside = start, false
		}
	}
	if inside {
		out = append(out, h)
	}
	return out
}

// index keeps the rarest marks of each ticket.
func (k *knownTickets) index(marks [][]uint64) {
	holders := map[uint64]int{}
	for i := range marks {
		slices.Sort(marks[i])
		marks[i] = slices.Compact(marks[i])
		for _, m := range marks[i] {
			holders[m]++
		}
	}
	k.marks = map[uint64][]int32{}
	for i, list := range marks {
		slices.SortFunc(list, func(a, b uint64) int {
			if d := holders[a] - holders[b]; d != 0 || a == b {
				return d
			}
			if a < b {
				return -1
			}
			return 1
		})
		for _, m := range list[:min(len(list), marksKept)] {
			if holders[m] <= mostHolders || k.tickets[i].marks == 0 { // each ticket has one
				k.marks[m] = append(k.marks[m], int32(i))
				k.tickets[i].marks++
			}
		}
	}
}

// find gives the ticket of which a text holds the largest part of the marks; of tickets that have equally many the one of which the
// text holds more beside.
func (k *knownTickets) find(text string) (*knownTicket, bool) {
	var found []uint64
	for _, m := range marksOf(text) {
		if k.marks[m] != nil {
			found = append(found, m)
		}
	}
	slices.Sort(found)
	votes := map[int32]int{}
	for _, m := range slices.Compact(found) {
		for _, i := range k.marks[m] {
			votes[i]++
		}
	}
	best, bestShare, bestHints := -1, 0.0, 0
	for i, n := range votes {
		t := &k.tickets[i]
		share := float64(n) / float64(t.marks)
		if share < bestShare {
			continue
		}
		hints := 0
		for _, h := range t.hints {
			if h != "" && strings.Contains(text, h) {
				hints++
			}
		}
		if share > bestShare || hints > bestHints || hints == bestHints && int(i) < best {
			best, bestShare, bestHints = int(i), share, hints
		}
	}
	const least = 0.25 // fewer marks may be chance
	if best < 0 || bestShare < least {
		return nil, false
	}
	return &k.tickets[best], true
}

// answer is the right answer to the last message of a user that holds a known ticket: the fields of the schema, or those of the task.
func (k *knownTickets) answer(ask fakellm.Ask) (string, bool) {
	for _, m := range slices.Backward(ask.Messages) {
		if m.Role != "user" {
			continue
		}
		if t, ok := k.find(m.Text); ok {
			return t.text(ask.Fields()), true
		}
	}
	return "", false
}

// text is the action as JSON, with the fields that are asked for.
func (t *knownTicket) text(fields []string) string {
	var e triage.Encoder
	e.Action(&t.action)
	if fields == nil {
		fields = t.fields
	}
	var room [8]triage.Member
	members, err := triage.AppendMembers(room[:0], e.Buf)
	if err != nil || fields == nil {
		return string(e.Buf)
	}
	out := []byte{'{'}
	for _, f := range fields {
		for _, m := range members {
			if string(m.Key) == f {
				if len(out) > 1 {
					out = append(out, ',')
				}
				out = strconv.AppendQuote(out, f)
				out = append(append(out, ':'), m.Value...)
			}
		}
	}
	return string(append(out, '}'))
}

// fakeValues are the values that the fields of both tracks can have, for noise.
func fakeValues() map[string][]string {
	out := map[string][]string{triage.FieldRoute: quotedNames(triage.Routes()), triage.FieldUrgency: quotedNames(triage.Urgencies()),
		triage.FieldDifficulty: quotedNames(triage.Resolutions()), triage.FieldCategory: quotedNames(triage.Categories()),
		triage.FieldPriority: quotedNames(triage.Priorities()), triage.FieldDepartment: quotedNames(triage.Departments())}
	for v := range 101 {
		out[triage.FieldPriorityScore] = append(out[triage.FieldPriorityScore], strconv.Itoa(v))
	}
	for v := 1; v <= 7; v++ {
		out[triage.FieldUrgencyDays] = append(out[triage.FieldUrgencyDays], strconv.Itoa(v))
	}
	out[triage.FieldRecommendation] = []string{`"Close the ticket."`, `"Wait until the customer writes again."`}
	return out
}

func quotedNames[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		text, err := json.Marshal(string(v))
		if err == nil {
			out[i] = string(text)
		}
	}
	return out
}
