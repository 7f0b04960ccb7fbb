package dataset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// The names on the left of a mapping that are not labels.
const (
	idName      = "id"
	subjectName = "subject"
	bodyName    = "body"
)

// Options say what the columns of a file mean. The zero value finds out by their usual names.
type Options struct {
	// Map gives the file's column for a name of ours: id, subject, body, or any other name, which is a label. Columns are
	// found whatever their case, spaces and underscores. See [ParseMap].
	Map map[string]string
	// Labels are the allowed values of label columns, by label name or column; a row with another value is a bad row. See
	// [ReadScales].
	Labels map[string]Scale
	// Strict makes the first bad row an error.
	Strict bool
	// Side takes only the tickets on one side of a file of tickets; the values of labels are those of the whole file. It is an
	// error for a file without sides, unless SideIfAny is set: then all of its tickets are taken.
	Side      Side
	SideIfAny bool
}

// ParseMap reads a mapping such as "body=text,route=category": left a name of ours (id, subject, body, or a label's name),
// right the file's column. An empty text is an empty mapping.
func ParseMap(s string) (map[string]string, error) {
	m := map[string]string{}
	if strings.TrimSpace(s) == "" {
		return m, nil
	}
	for i, entry := range strings.Split(s, ",") {
		place := fmt.Sprintf("column map, entry %d", i+1)
		ours, theirs, ok := strings.Cut(entry, "=")
		ours, theirs = ownName(ours), strings.TrimSpace(theirs)
		if !ok || ours == "" || theirs == "" {
			return nil, usage(place, "%q is not name=column: name is id, subject, body or the name of a label, column is "+
				"the file's, as in body=text,route=category", shorten(strings.TrimSpace(entry)))
		}
		if err := CheckLabelName(ours); err != nil && !reserved(ours) {
			return nil, usage(place, "%v", err)
		}
		if first, twice := m[ours]; twice {
			return nil, usage(place, "%q is mapped twice, to %q and to %q", ours, shorten(first), shorten(theirs))
		}
		m[ours] = theirs
	}
	return m, nil
}

// ownName tidies the left side of a mapping: "Body" means body and no label of that name.
func ownName(s string) string {
	s = strings.TrimSpace(s)
	if low := strings.ToLower(s); reserved(low) {
		return low
	}
	return s
}

// tidy gives the options with the names of the mapping tidied.
func (o Options) tidy(place string) (Options, error) {
	m := make(map[string]string, len(o.Map))
	for _, ours := range slices.Sorted(maps.Keys(o.Map)) {
		name := ownName(ours)
		if _, twice := m[name]; twice {
			return o, usage(place, "column map: %q is mapped twice", name)
		}
		m[name] = o.Map[ours]
	}
	o.Map = m
	return o, nil
}

func reserved(name string) bool { return name == idName || name == subjectName || name == bodyName }

// CheckLabelName tells whether a label may be called so: agents answer with a JSON object that has these names as keys.
func CheckLabelName(name string) error {
	switch {
	case reserved(strings.ToLower(name)):
		return fmt.Errorf("%q cannot be the name of a label: it is a part of the ticket", name)
	case name == "metadata":
		return errors.New(`"metadata" cannot be the name of a label: every action may carry a field of that name`)
	case len(name) > MaxValueLen || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimSpace(name) == "":
		return fmt.Errorf("the name of a label has to be a text of 1 to %d bytes on one line, not %q", MaxValueLen, shorten(name))
	}
	return nil
}
