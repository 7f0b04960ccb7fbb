package reply

import (
	"fmt"
	"strconv"
	"strings"
)

// sureness reads the member that says how sure the model is, if m is that: a number from 0 to 1, or an object of such numbers by field. It
// gives its JSON, nil where there is none. What cannot be read is left out with a note: it costs no answer.
func (ix *index) sureness(p *parser, m member, n *notes) (value []byte, is bool) {
	if ix.sure == "" || m.key.end-m.key.start > ix.most+len(ix.sure) {
		return nil, false
	}
	key := decode(p.text[m.key.start:m.key.end])
	if label(key) != label(ix.sure) || ix.find(key) >= 0 {
		return nil, false
	}
	if m.val.kind != tokObject {
		v, ok := shareOf(p, m.val, key, n)
		if !ok {
			return nil, true
		}
		return v, true
	}
	q := parser{text: p.text[m.val.start:m.val.end], ix: ix}
	o, ok := q.object(0)
	p.work += q.work
	if !ok {
		return nil, true
	}
	values := make([][]byte, len(ix.fields))
	for _, inner := range o.members {
		name := decode(q.text[inner.key.start:inner.key.end])
		if i := ix.find(name); i < 0 {
			n.dropped(&q, inner)
		} else if v, ok := shareOf(&q, inner.val, key+"."+ix.fields[i].Name, n); ok {
			values[i] = v
		}
	}
	b := []byte{'{'}
	for i, v := range values {
		if v == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(appendString(b, ix.fields[i].Name), ':'), v...)
	}
	if len(b) == 1 {
		return nil, true
	}
	return append(b, '}'), true
}

// shareOf reads a number from 0 to 1; it may be a text, and a percentage in one ("90%") is the number.
func shareOf(p *parser, t token, name string, n *notes) ([]byte, bool) {
	raw := p.text[t.start:t.end]
	text, percent := raw, false
	switch {
	case t.kind == tokLiteral && (raw == "null" || raw == "None"):
		return nil, false
	case t.kind == tokString && len(raw) < 100:
		text = strings.TrimSpace(decode(raw))
		text, percent = strings.CutSuffix(text, "%")
		text = strings.TrimSpace(text)
		if number(text, 0) != len(text) {
			text = ""
		}
	case t.kind != tokNumber:
		text = ""
	}
	v, err := strconv.ParseFloat(text, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		n.add(fmt.Sprintf("%s: %s left out, as it is no number from 0 to 1", head(name, maxLabel), shown(raw)))
		return nil, false
	}
	out := strconv.AppendFloat(nil, v, 'f', -1, 64)
	if out[0] == '-' {
		out = out[1:]
	}
	if t.kind == tokString {
		n.add(head(name, maxLabel) + ": " + quoted(decode(raw)) + " as " + string(out))
	}
	return out, true
}
