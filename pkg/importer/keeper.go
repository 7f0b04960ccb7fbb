package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/split"
)

// keeper redacts, splits and keeps tickets in a goroutine of its own, in the order in which they come, while others are read.
type keeper struct {
	redact *redact.Redactor
	splits *split.Splitter
	spool  *spool

	batch  *batch
	full   chan *batch
	free   chan *batch
	ended  chan struct{}
	failed atomic.Bool
	err    error // once failed is set, or the keeper has ended
	// long are tickets that were too large to be kept.
	long  int
	first int // the row of the first of them
	dated int // of those, with a date

	labels        sideLabels
	names, values []string
	texts         []*string
	text          []byte
}

// batch is some tickets.
type batch struct {
	tickets []kept
	n       int
	bytes   int // of their texts
}

// kept is a ticket on its way to the keeper.
type kept struct {
	line     Line
	row      int
	customer string
	created  time.Time
	known    []string // people of the ticket
}

// Sizes of batches, and how many are on their way. A batch of large tickets has fewer: it goes when its texts have batchBytes.
const batchSize, batchBytes, batches = 128, 1 << 20, 4

func newKeeper(r *redact.Redactor, s *split.Splitter, to *spool) *keeper {
	k := &keeper{redact: r, splits: s, spool: to, full: make(chan *batch, batches), free: make(chan *batch, batches), ended: make(chan struct{})}
	for range batches {
		k.free <- &batch{tickets: make([]kept, batchSize)}
	}
	go k.run()
	return k
}

// next gives memory for a ticket, which keep hands on.
func (k *keeper) next() *kept {
	if k.batch == nil {
		k.batch = <-k.free
		k.batch.n, k.batch.bytes = 0, 0
	}
	t := &k.batch.tickets[k.batch.n]
	t.known = t.known[:0]
	return t
}

// keep hands on the ticket of next.
func (k *keeper) keep() error {
	k.batch.bytes += k.batch.tickets[k.batch.n].bytes()
	if k.batch.n++; k.batch.n < batchSize && k.batch.bytes < batchBytes {
		return nil
	}
	return k.send()
}

// bytes is about how much memory the texts of a ticket take.
func (t *kept) bytes() int {
	n := len(t.line.Subject) + len(t.line.Body)
	for _, value := range t.line.Fields {
		n += len(value)
	}
	return n
}

func (k *keeper) send() error {
	if k.failed.Load() {
		return k.err
	}
	k.full <- k.batch
	k.batch = nil
	return nil
}

// end waits until all tickets are kept. It must be called once.
func (k *keeper) end() error {
	if k.batch != nil {
		k.full <- k.batch
		k.batch = nil
	}
	close(k.full)
	<-k.ended
	return k.err
}

func (k *keeper) run() {
	defer close(k.ended)
	for b := range k.full {
		for i := range b.tickets[:b.n] {
			if k.err != nil {
				break
			}
			if err := k.one(&b.tickets[i]); err != nil {
				k.err = err
				k.failed.Store(true)
			}
			b.tickets[i].line, b.tickets[i].customer = Line{}, "" // the batch waits, its texts need not
			clear(b.tickets[i].known)
		}
		k.free <- b
	}
}

// one redacts, keeps and splits a ticket. The split sees it as it came: where all names are placeholders, letters of one template are the
// same, and a redacted file has the sides that it would have without.
func (k *keeper) one(t *kept) error {
	item := split.Item{ID: t.line.ID, Text: k.textOf(t), Customer: t.customer, Created: t.created, Label: k.label(t)}
	if k.redact != nil {
		k.hide(t)
	}
	if err := k.spool.add(&t.line); err != nil {
		if !errors.Is(err, errLongLine) {
			return fmt.Errorf("write the temporary file: %w", err)
		}
		if k.long++; k.long == 1 {
			k.first = t.row
		}
		if !t.created.IsZero() {
			k.dated++
		}
		return nil
	}
	if k.splits != nil {
		k.splits.Add(item)
		k.labels.add(t.line.Labels)
	}
	return nil
}

// textOf is what an agent will read of the ticket.
func (k *keeper) textOf(t *kept) string {
	switch {
	case t.line.Subject == "":
		return t.line.Body
	case t.line.Body == "":
		return t.line.Subject
	}
	return t.line.Subject + "\n" + t.line.Body
}

// label is all labels of the ticket as one text.
func (k *keeper) label(t *kept) string {
	k.names = slices.AppendSeq(k.names[:0], maps.Keys(t.line.Labels))
	slices.Sort(k.names)
	k.text = k.text[:0]
	for _, name := range k.names {
		k.text = append(append(append(append(k.text, name...), 0), t.line.Labels[name]...), 0)
	}
	return string(k.text)
}

// hide replaces what is personal in everything that is written of the ticket but its labels.
func (k *keeper) hide(t *kept) {
	l := &t.line
	k.texts, k.names, k.values = fieldTexts(l, k.texts, k.names, k.values)
	k.redact.Record(k.texts, t.known)
	for i, name := range k.names {
		l.Fields[name] = k.values[i]
	}
	if strings.ContainsAny(l.ID, "@<") { // a message's id has a mail server's name, often a person's too
		sum := sha256.Sum256([]byte(l.ID))
		l.ID = "message-" + hex.EncodeToString(sum[:8])
	}
}

// fieldTexts gives the texts of a ticket, subject and body and then copies of its fields' values, with the names of the fields in their
// order. The memory of the others is used again.
func fieldTexts(l *Line, texts []*string, names, values []string) ([]*string, []string, []string) {
	names = slices.AppendSeq(names[:0], maps.Keys(l.Fields))
	slices.Sort(names)
	values = values[:0]
	for _, name := range names {
		values = append(values, l.Fields[name])
	}
	texts = append(texts[:0], &l.Subject, &l.Body)
	for i := range values {
		texts = append(texts, &values[i])
	}
	return texts, names, values
}
