package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// jsonFormat is what is known of the JSON of one desk. The dialect's names are those that [jsonFormat.rename] gives.
type jsonFormat struct {
	dialect
	shape jsonShape
	// rename says under which name a member is a field, and how good it is where several have one name (0 is the best); the others
	// stand back where a better one is not empty. Members that it gives no name are left out. It is nil where members keep their names.
	rename func(member string) (field string, rank int)
	// skip says by field which values make a record no ticket.
	skip map[string]jsonSkip
	// words are what the values of a field stand for.
	words map[string]map[string]string
	// hook is as in [jsonFlat].
	hook func(f *jsonFlat, name string) (bool, error)
	// markup says which members have markup that clean takes away, if they are the body; nil means all.
	markup []string
	// sure tells how sure it is of a file; see [Format]. It is not asked where there is no record.
	sure func(h *jsonHead) int
}

// jsonSkip is a value that makes a record no ticket, and the reason. An empty one means any but false.
type jsonSkip struct{ value, reason string }

// format makes the format.
func (j *jsonFormat) format() Format {
	j.ready()
	return Format{
		Name: j.name, Title: j.title, Priority: j.priority, Column: j.column,
		Detect: func(head []byte, _ string) int {
			h, ok := readJSONHead(head)
			if !ok {
				return 0
			}
			return j.sure(h)
		},
		Open: func(in *Input) (Reader, error) { return openJSON(in, j), nil },
	}
}

// The parts of a ticket.
var jsonParts = []string{partID, partSubject, partBody, partCustomer, partCreated}

// partNames gives the names of fields that are a part, the best first.
func (j *jsonFormat) partNames(part string) []string {
	switch part {
	case partID:
		return j.id
	case partSubject:
		return j.subject
	case partBody:
		return j.body
	case partCustomer:
		return j.customer
	}
	return j.created
}

// jsonPlace says where a member goes.
type jsonPlace struct {
	part     int // index in jsonParts, or -1
	partRank int
	field    *jsonField
	rank     int // in the field
	markup   bool
	skip     *jsonSkip
}

// jsonField is a field of records, which may come from several members.
type jsonField struct {
	name   string
	words  map[string]string
	record int // the record that has it
	at     int // in its fields
	rank   int // of the member that it has
}

// jsonReader reads records of JSON.
type jsonReader struct {
	format *jsonFormat
	cut    *jsonCut
	flat   jsonFlat
	chosen [][]string // by part: the names that a user chose, or else the usual ones, folded
	fields map[string]*jsonField
	dates  table // reads dates and counts those that cannot be read
	rec    Record
	best   [5]*flatField // by part: the member that is taken
}

var (
	_ Reader = (*jsonReader)(nil)
	_ Warner = (*jsonReader)(nil)
)

// openJSON begins to read.
func openJSON(in *Input, j *jsonFormat) *jsonReader {
	r := &jsonReader{format: j, cut: newJSONCut(in.Read, in.Name, j.shape), flat: jsonFlat{hook: j.hook}, fields: map[string]*jsonField{}}
	r.dates.dates.usual = j.order
	for _, part := range jsonParts {
		names := j.partNames(part)
		if name := in.Map[part]; name != "" {
			names = []string{name}
		}
		folded := make([]string, 0, len(names))
		for _, name := range names {
			folded = append(folded, fold(name))
		}
		r.chosen = append(r.chosen, folded)
	}
	return r
}

// Next gives the next record, as [Reader] says.
func (r *jsonReader) Next() (*Record, error) {
	piece, err := r.cut.next()
	if err != nil {
		return nil, err
	}
	if piece.problem != "" {
		return nil, rowError(piece, piece.problem, piece.detail)
	}
	if err := r.flat.parse(piece.data); err != nil {
		var syntax *jsonSyntax
		switch {
		case errors.As(err, &memberError{}):
			return nil, rowError(piece, manyMembers, err.Error())
		case errors.As(err, &syntax) && piece.data[0] != '{':
			return nil, rowError(piece, notAnObject, shortened(piece.data))
		}
		return nil, rowError(piece, brokenJSON, err.Error())
	}
	r.cut.recordIsGood(piece)
	rec, err := r.record(piece)
	if err == nil && r.flat.notUTF8 {
		r.dates.warns.add(rec.Line, "bytes that are not UTF-8 were read as U+FFFD")
	}
	return rec, err
}

// Warnings gives what was odd so far.
func (r *jsonReader) Warnings() []Warning { return r.dates.Warnings() }

// rowError says what is wrong with a record, and where it is.
func rowError(p jsonPiece, reason, detail string) *RowError {
	if p.item == 0 {
		return &RowError{Line: p.line, Reason: reason, Detail: detail}
	}
	where := fmt.Sprintf("record %d of a list, on line %d of the file", p.item, p.line)
	if detail != "" {
		where += ": " + detail
	}
	return &RowError{Line: p.item, Reason: reason, Detail: where}
}

// record makes the record of the members that were read.
func (r *jsonReader) record(piece jsonPiece) (*Record, error) {
	line := piece.line
	if piece.item > 0 {
		line = piece.item
	}
	members := r.flat.fields[:r.flat.n]
	r.best = [5]*flatField{}
	for i := range members {
		m := &members[i]
		p := r.place(m.name)
		if p.skip != nil && len(m.text) > 0 && (string(m.text) == p.skip.value || p.skip.value == "" && string(m.text) != "false") {
			skipped := rowError(piece, p.skip.reason, "")
			skipped.NoTicket = true
			return nil, skipped
		}
		if p.part < 0 || len(m.text) == 0 {
			continue
		}
		if now := r.best[p.part]; now == nil || p.partRank < now.name.place.partRank {
			r.best[p.part] = m
		}
	}
	r.rec = Record{Line: line, Fields: r.rec.Fields[:0]}
	for i := range members {
		m := &members[i]
		p := m.name.place
		if p.part >= 0 && jsonParts[p.part] != partCustomer && (len(m.text) == 0 || r.best[p.part].name.place.field == p.field) {
			continue
		}
		r.add(m, p)
	}
	r.rec.ID, r.rec.Subject, r.rec.Customer = r.part(0), r.part(1), r.part(3)
	r.rec.Body = r.part(2)
	if m := r.best[2]; m != nil && m.name.place.markup && r.format.clean != nil {
		r.rec.Body = strings.TrimSpace(r.format.clean(r.rec.Body))
	}
	r.rec.Created = r.dates.date(line, r.part(4))
	return &r.rec, nil
}

// part gives the text of a part.
func (r *jsonReader) part(i int) string {
	if r.best[i] == nil {
		return ""
	}
	return strings.TrimSpace(string(r.best[i].text))
}

// add adds a member to the fields, where no better one has its field.
func (r *jsonReader) add(m *flatField, p *jsonPlace) {
	f := p.field
	if f.name == "" {
		return
	}
	if f.record != r.flat.record {
		f.record, f.at, f.rank = r.flat.record, len(r.rec.Fields), p.rank
		r.rec.Fields = append(r.rec.Fields, Field{Name: f.name})
	} else if old := r.rec.Fields[f.at].Value; len(m.text) == 0 || old != "" && p.rank >= f.rank {
		return
	}
	f.rank = p.rank
	value := strings.TrimSpace(string(m.text))
	if word, ok := f.words[value]; ok {
		value = word
	}
	r.rec.Fields[f.at].Value = value
}

// partOf finds the part of a ticket that is called by one of two folded names, and how good the name is for it.
func (r *jsonReader) partOf(name, other string) (part, rank int) {
	for part, names := range r.chosen {
		if i := slices.IndexFunc(names, func(s string) bool { return s == name || s == other }); i >= 0 {
			return part, i * 100
		}
	}
	return -1, 0
}

// place finds out where a member goes.
func (r *jsonReader) place(n *flatName) *jsonPlace {
	if n.place != nil {
		return n.place
	}
	name, rank := n.name, 0
	if r.format.rename != nil {
		name, rank = r.format.rename(n.name)
	}
	p := &jsonPlace{rank: rank, markup: r.format.markup == nil || slices.Contains(r.format.markup, n.name)}
	p.part, p.partRank = r.partOf(fold(name), fold(n.name))
	if p.part < 0 && r.format.loose {
		bare := bareName(name)
		p.part, p.partRank = r.partOf(bare, bare)
		p.partRank += 50
	}
	p.partRank += rank
	for field, skip := range r.format.skip {
		if same(field, name) {
			p.skip = &skip
		}
	}
	if len(r.fields) > maxNames {
		clear(r.fields)
	}
	if p.field = r.fields[name]; p.field == nil {
		p.field = &jsonField{name: name, words: r.format.words[fold(name)]}
		r.fields[name] = p.field
	}
	n.place = p
	return p
}
