package html

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

const (
	chunkRows   = 500
	chunkBytes  = 4 << 20 // a chunk with long tickets holds fewer
	plainRows   = 500     // stand uncompressed too, for browsers that cannot unpack
	plainBytes  = 2 << 20
	subjectMost = 160 // characters of a subject in the index
	// level is that of compress/gzip. On 43 MB of episodes level 4 takes 0.8 s for 16.5 MB of base64, level 6 takes 1.6 s for 15.7 MB.
	level = 4
)

// tickets is the list of all tickets: what is searched and sorted by as an index, and everything else in compressed chunks.
type tickets struct {
	total  int
	index  index
	chunk  []byte // a JSON list that is being filled
	rows   int    // in it
	plain  []byte // the first rows, uncompressed; a JSON list
	plainN int
	full   bool // plain takes no more
	enc    triage.Encoder
	packer *packer
	chunks [][]byte // gzip
	packed []byte   // the index, gzip
}

// index has a column a property, a value a row. The names are short, since they stand in the page.
type index struct {
	Tally    []int    `json:"tally"`
	Seed     []string `json:"seed"` // a text: JavaScript's numbers do not hold every seed
	Position []int    `json:"position"`
	Trial    []int    `json:"trial"`
	ID       []string `json:"id"`
	Subject  []string `json:"subject"`
	Customer []string `json:"customer"`
	Scenario []string `json:"scenario"`
	Traps    []string `json:"traps"`
	Score    []int    `json:"score"` // in millionths, 0 for what broke; -1 where there is none
	Right    []int    `json:"right"` // 1 where the ticket is right: results.Right
	State    []int    `json:"state"` // 1: the answer was refused or missing; 2: the episode broke
	Length   []int    `json:"length"`
	Wait     []int    `json:"wait"`   // in tenths of an hour; -1 where it is not known
	Chunks   []int    `json:"chunks"` // rows of each chunk
}

func newTickets() *tickets { return &tickets{enc: triage.Encoder{Round: true}} }

// add puts an episode's tickets into the list.
func (t *tickets) add(of *tally, l *results.Logged, list []graded) {
	for i := range list {
		t.addIndex(of, l, &list[i], &list[i].seen)
		row := t.row(l, &list[i])
		t.addPlain(row)
		t.addChunk(row)
	}
}

func (t *tickets) addIndex(of *tally, l *results.Logged, g *graded, s *seen) {
	x := &t.index
	position := g.index
	if l.Key.Position.Set {
		position = l.Key.Position.Value
	}
	state := 0
	for i := range g.steps {
		if g.steps[i].Error != nil && *g.steps[i].Error != "" {
			state = 1
		}
	}
	score, right := -1, 0
	if g.total != nil {
		if results.Right(of.task, *g.total) {
			right = 1
		}
		score = int(float64(*g.total*1e6) + 0.5)
	}
	if l.Ended == triage.EndedError { // its tickets count as 0, also those that were graded before
		state, score, right = 2, 0, 0
	}
	wait := -1
	if s.Wait != nil && *s.Wait >= 0 && *s.Wait < 1e8 {
		wait = int(float64(*s.Wait*10) + 0.5)
	}
	scenario, traps := "", ""
	if g.about != nil {
		scenario = g.about.Scenario
		traps = strings.Join(g.about.Traps, " ")
	}
	x.Tally, x.Seed, x.Position = append(x.Tally, of.number), append(x.Seed, strconv.FormatInt(l.Key.Seed, 10)), append(x.Position, position)
	x.Trial, x.ID, x.Subject = append(x.Trial, l.Key.Trial), append(x.ID, short(s.ID, subjectMost)), append(x.Subject, short(s.Subject, subjectMost))
	x.Customer, x.Scenario, x.Traps = append(x.Customer, short(s.Customer, subjectMost)), append(x.Scenario, scenario), append(x.Traps, traps)
	x.Right = append(x.Right, right)
	x.Score, x.State, x.Length, x.Wait = append(x.Score, score), append(x.State, state), append(x.Length, s.Length), append(x.Wait, wait)
	t.total++
}

// short cuts a text to a number of characters.
func short(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// row makes a ticket's JSON: its steps with observation, answer, parts, usage, reply and error. It is used before the next call.
func (t *tickets) row(l *results.Logged, g *graded) []byte {
	e := &t.enc
	e.Buf = append(e.Buf[:0], `{"steps":[`...)
	for i := range g.steps {
		s := &g.steps[i]
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.Buf = append(e.Buf, '{')
		t.raw("observation", s.Observation)
		t.raw("action", s.Action)
		if s.Score != nil {
			t.key("score")
			e.Score(s.Score)
		}
		if s.Usage != nil {
			t.value("usage", s.Usage)
		}
		if s.Reply != nil {
			t.value("reply", s.Reply)
		}
		if s.Error != nil && *s.Error != "" {
			t.key("error")
			e.String(*s.Error)
		}
		e.Buf = append(e.Buf, '}')
	}
	e.Buf = append(e.Buf, ']')
	t.key("ended")
	e.String(string(l.Ended))
	t.number("efficiency", l.Efficiency)
	t.number("reward", l.Reward)
	t.number("episode", l.Score)
	if l.Error != nil && *l.Error != "" {
		t.key("error")
		e.String(*l.Error)
	}
	e.Buf = append(e.Buf, '}')
	return e.Buf
}

// key writes a member's name, with a comma before it unless it is the first. (The encoder's own counts only objects that it began.)
func (t *tickets) key(name string) {
	if b := t.enc.Buf; b[len(b)-1] != '{' {
		t.enc.Buf = append(b, ',')
	}
	t.enc.Buf = append(append(append(t.enc.Buf, '"'), name...), '"', ':')
}

func (t *tickets) number(name string, v *float64) {
	if v != nil {
		t.key(name)
		t.enc.Float(*v)
	}
}

func (t *tickets) raw(name string, data json.RawMessage) {
	t.key(name)
	if len(data) == 0 {
		data = json.RawMessage("null")
	}
	t.enc.Buf = append(t.enc.Buf, data...)
}

func (t *tickets) value(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil { // texts and numbers that came from JSON: there is no way to this
		data = []byte("null")
	}
	t.raw(name, data)
}

// addPlain puts a row among the first, which stand uncompressed too.
func (t *tickets) addPlain(row []byte) {
	if t.full || t.plainN == plainRows || len(t.plain)+len(row) > plainBytes {
		t.full = true
		return
	}
	t.plain = append(append(t.plain, separator(t.plainN)), row...)
	t.plainN++
}

func (t *tickets) addChunk(row []byte) {
	t.chunk = append(append(t.chunk, separator(t.rows)), row...)
	t.rows++
	if t.rows == chunkRows || len(t.chunk) >= chunkBytes {
		t.flush()
	}
}

// separator stands before a row of a list that has n already.
func separator(n int) byte {
	if n == 0 {
		return '['
	}
	return ','
}

// flush hands a full chunk to the packer.
func (t *tickets) flush() {
	if t.rows == 0 {
		return
	}
	if t.packer == nil {
		t.packer = startPacker()
	}
	t.index.Chunks = append(t.index.Chunks, t.rows)
	next := t.packer.pack(append(t.chunk, ']'))
	t.chunk, t.rows = next[:0], 0
}

// close packs what is left and the index.
func (t *tickets) close() error {
	t.flush()
	var err error
	if t.packer != nil {
		if t.chunks, err = t.packer.close(); err != nil {
			return err
		}
	}
	t.packer, t.chunk, t.enc.Buf = nil, nil, nil
	if t.plainN > 0 {
		t.plain = append(t.plain, ']')
	}
	data, err := json.Marshal(&t.index)
	if err != nil {
		return err
	}
	t.packed, err = squeeze(data)
	return err
}

// discard ends the packing of a page that comes to nothing.
func (t *tickets) discard() {
	if t.packer != nil {
		_, _ = t.packer.close() // nobody wants the chunks
		t.packer = nil
	}
}

// head is the index of the first n rows.
func (x *index) head(n int) *index {
	return &index{Tally: x.Tally[:n], Seed: x.Seed[:n], Position: x.Position[:n], Trial: x.Trial[:n], ID: x.ID[:n], Subject: x.Subject[:n],
		Customer: x.Customer[:n], Scenario: x.Scenario[:n], Traps: x.Traps[:n], Score: x.Score[:n], Right: x.Right[:n], State: x.State[:n], Length: x.Length[:n],
		Wait: x.Wait[:n], Chunks: []int{n}}
}
