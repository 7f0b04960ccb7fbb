package importer

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// jsonHead is what the head of a file shows.
type jsonHead struct {
	page    string          // the member of a page that has the records, or empty
	members map[string]bool // of the first record, and of the objects in it: dotted names
}

// allPages are the pages of all desks.
var allPages = jsonShape{
	lists:  []string{"tickets", "issues", "result", "results", "values", "items"},
	single: []string{"ticket", "result"},
}

// readJSONHead looks at the first record in the head of a file. Ok is false where there is none.
func readJSONHead(head []byte) (h *jsonHead, ok bool) {
	shape := allPages
	shape.text = generalText
	cut := newJSONCut(bytes.NewReader(head), "", shape)
	if b, ok := cut.skipSpace(); !ok || b != '{' && b != '[' {
		return nil, false
	}
	flat := jsonFlat{}
	for range 10 {
		piece, err := cut.next()
		if piece.data == nil {
			piece.data = cut.cutOff
		}
		if len(piece.data) > 0 && piece.data[0] == '{' {
			_ = flat.parse(piece.data) // the members before an error say enough: the head ends somewhere
			if flat.n > 0 {
				h := &jsonHead{page: cut.page, members: map[string]bool{}}
				for _, f := range flat.fields[:flat.n] {
					h.members[f.name.name] = true
				}
				return h, true
			}
		}
		if err != nil {
			return &jsonHead{page: cut.page}, cut.page != "" && errors.Is(err, io.EOF)
		}
	}
	return nil, false
}

// has counts how many of the members there are. A name that ends in a dot stands for all members of an object.
func (h *jsonHead) has(names ...string) (n int) {
	for _, name := range names {
		if h.members[name] {
			n++
			continue
		}
		if strings.HasSuffix(name, ".") {
			for m := range h.members {
				if strings.HasPrefix(m, name) {
					n++
					break
				}
			}
		}
	}
	return n
}
