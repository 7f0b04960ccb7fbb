package reply

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// answer is what an object says, as far as the shape goes.
type answer struct {
	start, end int
	repaired   bool
	known      int    // members that are fields
	action     []byte // nil where it is no answer
	sure       []byte // how sure the model is; nil where it does not say
	notes      notes
	twice      string // a field that has different values
	wrong      string // what is wrong with the values
	foreign    string // why it is not meant to be an answer at all
}

// notes are the first of many.
type notes struct {
	list []string
	more int
}

// maxNotes is how many notes are kept.
const maxNotes = 16

func (n *notes) add(s string) {
	if len(n.list) == maxNotes {
		n.more++
		return
	}
	n.list = append(n.list, s)
}

// dropped notes that a member is not read.
func (n *notes) dropped(p *parser, m member) {
	if len(n.list) == maxNotes {
		n.more++ // before a name is put in quotes for nothing
		return
	}
	n.add("dropped field " + quoted(decode(p.text[m.key.start:m.key.end])))
}

// all gives the notes, the last of which counts those that were not kept.
func (n *notes) all() []string {
	if n.more == 0 {
		return n.list
	}
	return append(slices.Clip(n.list), fmt.Sprintf("and %d more", n.more))
}

// index finds the fields of a shape.
type index struct {
	fields []Field
	labels []string // of the fields' names; empty where two fields have the same
	sure   string   // name of the member that says how sure the model is, or empty
	none   string   // says that an object has no field
	most   int      // length of the longest key that can be one
}

func indexOf(s *Shape) *index {
	ix := &index{sure: s.Confidence, fields: s.Fields, labels: make([]string, len(s.Fields))}
	names := make([]string, len(s.Fields))
	seen := map[string]int{}
	for i := range s.Fields {
		names[i] = s.Fields[i].Name
		l := label(names[i])
		if j, taken := seen[l]; taken {
			ix.labels[j], l = "", ""
		} else {
			seen[l] = i
		}
		ix.labels[i] = l
		ix.most = max(ix.most, 4*len(names[i])+8)
	}
	ix.none = "an object with none of the fields " + strings.Join(names, ", ")
	return ix
}

// find gives the number of the field with this name, or -1.
func (ix *index) find(key string) int {
	for i := range ix.fields {
		if ix.fields[i].Name == key {
			return i
		}
	}
	if len(key) > ix.most {
		return -1
	}
	var room [64]byte
	l := appendLabel(room[:0], key)
	for i, of := range ix.labels {
		if of != "" && string(l) == of {
			return i
		}
	}
	return -1
}

// state is what one field was given.
type state struct {
	seen  bool
	value []byte // nil where it is absent
	wrong string
}

// judge holds an object against the shape. wrap says that the answer may be one level further in.
func (ix *index) judge(p *parser, o *object, wrap bool) answer {
	a := answer{start: o.start, end: o.end, repaired: o.repaired}
	var states []state
	unknown := make([]member, 0, 8)
	for _, m := range o.members {
		key := decode(p.text[m.key.start:m.key.end])
		i := ix.find(key)
		if i < 0 {
			unknown = append(unknown, m)
			continue
		}
		if states == nil {
			states = make([]state, len(ix.fields))
		}
		a.known++
		a.take(p, &ix.fields[i], &states[i], key, m.val)
	}
	switch {
	case a.known > 0:
		for _, m := range unknown {
			if v, is := ix.sureness(p, m, &a.notes); is {
				a.sure = v
			} else {
				a.notes.dropped(p, m)
			}
		}
		a.finish(ix.fields, states)
	case wrap && len(o.members) <= maxWrapper:
		return ix.unwrap(p, o, a)
	default:
		a.foreign = ix.none
	}
	return a
}

// maxWrapper is the number of members up to which an object may be a wrapper of the answer.
const maxWrapper = 64

// take gives a field its value.
func (a *answer) take(p *parser, f *Field, s *state, key string, val token) {
	if key != f.Name {
		a.notes.add(quoted(key) + " as " + f.Name)
	}
	v, note, wrong := f.read(p, val)
	switch {
	case !s.seen:
	case s.wrong != "" || wrong != "" || string(s.value) != string(v):
		a.twice = f.Name
	default:
		a.notes.add(f.Name + ": given twice")
	}
	if note != "" {
		a.notes.add(f.Name + ": " + note)
	}
	*s = state{seen: true, value: v, wrong: wrong}
}

// finish writes the action, or says what is wrong.
func (a *answer) finish(fields []Field, states []state) {
	var wrong []string
	b := []byte{'{'}
	for i, s := range states {
		if s.wrong != "" {
			wrong = append(wrong, fields[i].Name+": "+s.wrong)
		}
		if s.value == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(appendString(b, fields[i].Name), ':'), s.value...)
	}
	switch {
	case wrong != nil:
		a.wrong = strings.Join(wrong, "; ")
	case len(b) == 1:
		a.wrong = "no field has a value"
	default:
		a.action = append(b, '}')
	}
}

// unwrap looks for the answer in the only member of an object that holds one.
func (ix *index) unwrap(p *parser, o *object, outer answer) answer {
	outer.foreign = ix.none
	found, inner, hits := member{}, answer{}, 0
	for _, m := range o.members {
		key := p.text[m.key.start:m.key.end]
		if key == "$schema" || key == "properties" && ix.isSchema(p, m.val) {
			outer.foreign = "a JSON Schema instead of an answer"
			return outer
		}
		if a, ok := ix.held(p, m.val); ok && a.known > 0 {
			found, inner = m, a
			hits++
		}
	}
	if hits != 1 {
		return outer
	}
	inner.start, inner.end, inner.repaired = o.start, o.end, inner.repaired || o.repaired
	all := notes{list: []string{"taken out of " + quoted(decode(p.text[found.key.start:found.key.end]))}}
	for _, m := range o.members {
		if m == found {
			continue
		}
		if v, is := ix.sureness(p, m, &all); is && inner.sure == nil {
			inner.sure = v
		} else if !is {
			all.dropped(p, m)
		}
	}
	for _, n := range inner.notes.list {
		all.add(n)
	}
	all.more += inner.notes.more
	inner.notes = all
	return inner
}

// held judges the object that a value is, or that a string holds.
func (ix *index) held(p *parser, t token) (answer, bool) {
	text := ""
	switch t.kind {
	case tokObject:
		text = p.text[t.start:t.end]
	case tokString:
		text = strings.TrimSpace(decode(p.text[t.start:t.end]))
	}
	if !strings.HasPrefix(text, "{") {
		return answer{}, false
	}
	q := parser{text: text, ix: ix}
	o, ok := q.object(0)
	p.work += q.work
	if !ok || o.end != len(text) {
		return answer{}, false
	}
	return ix.judge(&q, &o, false), true
}

// isSchema tells whether a value describes fields: an object of objects.
func (ix *index) isSchema(p *parser, t token) bool {
	if t.kind != tokObject {
		return false
	}
	q := parser{text: p.text[t.start:t.end], ix: ix}
	o, ok := q.object(0)
	p.work += q.work
	for _, m := range o.members {
		ok = ok && m.val.kind == tokObject
	}
	return ok && len(o.members) > 0
}

// place names a position in a text: the line, from 1, and the byte in it, from 1.
func place(text string, i int) string {
	i = min(i, len(text))
	line := strings.Count(text[:i], "\n")
	return "line " + strconv.Itoa(line+1) + ", byte " + strconv.Itoa(i-strings.LastIndexByte(text[:i], '\n'))
}

// quoted shows a text in a message: at most 60 bytes of it, in quotes.
func quoted(s string) string {
	if h := head(s, 60); h != s {
		return strconv.Quote(h + "…")
	}
	return strconv.Quote(s)
}

// shown shows a value in a message as it stands in the text.
func shown(s string) string {
	if h := head(s, 60); h != s {
		s = h + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}

// characters counts what a reader would call characters, roughly: code points.
func characters(s string) int { return utf8.RuneCountInString(s) }
