package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const (
	// maxFlatDepth is how deep objects and lists are taken apart. What lies deeper is given as JSON.
	maxFlatDepth = 8
	// maxMembers is how many fields a record may have at most, and maxNames how many names are kept between records.
	maxMembers = 4096
	maxNames   = 1 << 15
	// maxNameLen is how long a field's name may be in bytes; the rest of it is cut off.
	maxNameLen = 256
	// keptText is how much room for a field's text is kept between records.
	keptText = 16 << 10
)

// jsonFlat takes an object of JSON apart into fields with dotted names: {"via": {"channel": "web"}} has via.channel. The values of a
// list are the lines of one field, and so are those of the members of its objects. Of two members with one name the last one counts,
// as with most parsers; null and NaN are empty. Names and texts are in UTF-8: a lone half of a surrogate pair, and a byte that is not
// UTF-8, becomes U+FFFD.
//
// It is less strict than the standard says with numbers, which stay as they are written, and strict with the rest.
type jsonFlat struct {
	data []byte
	pos  int
	// hook may take a value that begins with [ or { and move pos behind it; it tells whether it did.
	hook func(f *jsonFlat, name string) (bool, error)

	fields []flatField
	n      int // fields of this record
	path   []byte
	text   []byte // of the string that was read last
	depth  int
	list   int // how many lists there are around the value
	lists  int // how many lists there were so far that were in no other
	names  map[string]*flatName
	record int       // counts records
	sub    *jsonFlat // for objects that are read apart
	other  []byte    // a name that is not that of the path
	// notUTF8 says that the record had bytes that are not UTF-8.
	notUTF8 bool
}

// flatField is one field of the record. Its text is in memory that is used again for the next one.
type flatField struct {
	name *flatName
	text []byte
	list int // the list that it is from, or 0
}

// flatName is a name that occurred, and where its field is.
type flatName struct {
	name   string
	at     int // in the fields of the record
	record int // that has it
	place  *jsonPlace
}

// jsonSyntax says where JSON is broken.
type jsonSyntax struct {
	at   int    // byte of the record, from 1
	what string // empty where the record ends there
}

func (e *jsonSyntax) Error() string {
	if e.what == "" {
		return fmt.Sprintf("it ends after %d bytes, in the middle", e.at-1)
	}
	return fmt.Sprintf("%s at byte %d of the record", e.what, e.at)
}

// memberError says that there are too many members.
type memberError struct{}

func (memberError) Error() string { return fmt.Sprintf("more than %d", maxMembers) }

// parse takes the object in data apart. Its fields are valid until the next call.
func (f *jsonFlat) parse(data []byte) error {
	if f.names == nil || len(f.names) > maxNames {
		f.names = map[string]*flatName{}
	}
	for i := range f.fields[:f.n] {
		if cap(f.fields[i].text) > keptText {
			f.fields[i].text = nil
		}
	}
	f.data, f.pos, f.n, f.path, f.depth, f.list, f.lists = data, 0, 0, f.path[:0], 0, 0, 0
	f.record++
	f.notUTF8 = false
	f.space()
	if err := f.object(); err != nil {
		return err
	}
	if f.space(); f.pos < len(f.data) {
		return f.broken("something behind the object")
	}
	return nil
}

func (f *jsonFlat) broken(what string) error {
	if f.pos >= len(f.data) {
		what = ""
	}
	return &jsonSyntax{at: min(f.pos, len(f.data)) + 1, what: what}
}

// space passes over white space and gives the byte behind it, or 0 at the end.
func (f *jsonFlat) space() byte {
	for ; f.pos < len(f.data); f.pos++ {
		if b := f.data[f.pos]; b > ' ' || !isSpace(b) {
			return b
		}
	}
	return 0
}

// object takes apart the object that begins here.
func (f *jsonFlat) object() error {
	if f.space() != '{' {
		return f.broken("no object")
	}
	f.pos++
	f.depth++
	base := len(f.path)
	for first := true; ; first = false {
		b := f.space()
		if b == '}' && first {
			f.pos++
			break
		}
		if b != '"' {
			return f.broken("no name of a member")
		}
		if err := f.string(); err != nil {
			return err
		}
		f.path = f.path[:base]
		if base > 0 {
			f.path = append(f.path, '.')
		}
		f.path = appendName(f.path, f.text)
		if f.space() != ':' {
			return f.broken("no colon behind the name of a member")
		}
		f.pos++
		if err := f.value(); err != nil {
			return err
		}
		b = f.space()
		f.pos++
		if b == '}' {
			break
		}
		if b != ',' {
			f.pos--
			return f.broken("no comma behind a member")
		}
	}
	f.path = f.path[:base]
	f.depth--
	return nil
}

// appendName adds a name to a path, shortened if it is very long.
func appendName(path, name []byte) []byte {
	if room := max(maxNameLen-len(path), 16); len(name) > room {
		for room > 0 && !utf8.RuneStart(name[room]) {
			room--
		}
		name = name[:room]
	}
	return append(path, name...)
}

// value reads the value that begins here into the field that the path names.
func (f *jsonFlat) value() error {
	switch b := f.space(); b {
	case '"':
		if err := f.string(); err != nil {
			return err
		}
		return f.set(f.path, f.text)
	case '{', '[':
		return f.nested(b)
	}
	text, err := f.scalar()
	if err != nil {
		return err
	}
	return f.set(f.path, text)
}

// nested reads an object or a list.
func (f *jsonFlat) nested(open byte) error {
	if f.hook != nil {
		name, err := f.name(f.path)
		if err != nil {
			return err
		}
		if done, err := f.hook(f, name.name); done || err != nil {
			return err
		}
	}
	if f.depth >= maxFlatDepth {
		start := f.pos
		raw, err := f.raw()
		if err != nil {
			return err
		}
		if !json.Valid(raw) {
			f.pos = start
			return f.broken("a value that is not JSON, or nested deeper than 10,000,")
		}
		f.notUTF8 = f.notUTF8 || !utf8.Valid(raw)
		return f.set(f.path, bytes.ToValidUTF8(raw, []byte("\uFFFD")))
	}
	if open == '[' {
		return f.array()
	}
	before, at := f.n, f.pos
	if err := f.object(); err != nil {
		return err
	}
	if f.n == before && f.list == 0 && isEmptyObject(f.data[at:f.pos]) {
		return f.set(f.path, nil)
	}
	return nil
}

// isEmptyObject tells whether nothing is in the brackets.
func isEmptyObject(raw []byte) bool {
	for _, b := range raw[1 : len(raw)-1] {
		if !isSpace(b) {
			return false
		}
	}
	return true
}

// array reads the list that begins here: its values are the lines of one field.
func (f *jsonFlat) array() error {
	if f.list == 0 {
		f.lists++
	}
	f.list++
	f.depth++
	f.pos++
	empty := true
	for first := true; ; first = false {
		b := f.space()
		if b == ']' && first {
			f.pos++
			break
		}
		if b != 'n' { // null says nothing
			empty = false
			if err := f.value(); err != nil {
				return err
			}
		} else if _, err := f.scalar(); err != nil {
			return err
		}
		b = f.space()
		f.pos++
		if b == ']' {
			break
		}
		if b != ',' {
			f.pos--
			return f.broken("no comma behind a value of a list")
		}
	}
	f.list--
	f.depth--
	if empty && f.list == 0 {
		return f.set(f.path, nil)
	}
	return nil
}
