package tmpl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// text follows the page through a text of the template. at is how far it came.
func (s spot) text(t string) (to spot, at int, err error) {
	i := 0
	for i < len(t) {
		n := 1
		switch s.state {
		case between, raw, textual, comment, bogus:
			s, n, err = s.outside(t[i:])
		case valued:
			s, err = s.quoted(t[i])
		default:
			s, err = s.inside(t[i])
		}
		if err != nil {
			return s, i, err
		}
		i += n
	}
	return s, i, nil
}

// outside goes on where no tag is open, and tells by how many bytes.
func (s spot) outside(t string) (spot, int, error) {
	switch s.state {
	case comment:
		if i, n := endOfComment(t); n > 0 {
			return spot{}, i + n, nil
		}
		return s, len(t), nil
	case bogus:
		if i := strings.IndexByte(t, '>'); i >= 0 {
			return spot{}, i + 1, nil
		}
		return s, len(t), nil
	case raw, textual:
		end := "</" + s.tag
		if i := indexFold(t, end); i >= 0 {
			return spot{state: glued, tag: end[1:]}, i + len(end), nil
		}
		if i := strings.LastIndexByte(t, '<'); i >= 0 && len(t)-i < len(end) && strings.EqualFold(t[i:], end[:len(t)-i]) {
			return s, i, fmt.Errorf("an action must not stand within the end of <%s>", s.tag)
		}
		return s, len(t), nil
	}
	switch i := strings.IndexByte(t, '<'); {
	case i < 0:
		return s, len(t), nil
	case strings.HasPrefix(t[i:], "<!--"):
		return spot{state: comment}, i + len("<!--"), nil
	default:
		return spot{state: opened}, i + 1, nil
	}
}

// endOfComment is where a comment ends that begins before t, and how long its end is; 0 if it does not.
func endOfComment(t string) (at, n int) {
	for _, end := range []string{">", "->"} { // only at its beginning
		if strings.HasPrefix(t, end) {
			return 0, len(end)
		}
	}
	at = len(t)
	for _, end := range []string{"-->", "--!>"} {
		if i := strings.Index(t, end); i >= 0 && i < at {
			at, n = i, len(end)
		}
	}
	return at, n
}

// indexFold is where a text of ASCII stands in t, in capitals or not.
func indexFold(t, end string) int {
	for i := 0; i+len(end) <= len(t); i++ {
		if t[i] == end[0] && strings.EqualFold(t[i:i+len(end)], end) {
			return i
		}
	}
	return -1
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return strings.IndexByte(spaces+"\f", c) >= 0 }

// quoted goes on by a byte of an attribute's value.
func (s spot) quoted(c byte) (spot, error) {
	switch {
	case c == s.quote:
		return spot{state: glued, tag: s.tag}, nil
	case !isAddress(strings.ToLower(s.name)):
	case strings.IndexByte("/?#", c) >= 0 && s.url != schema:
		s.url = rest
	case c == ':' && s.url == given:
		return s, fmt.Errorf("in the attribute %s a colon after a value could make a scheme of it", s.name)
	case c == ':' && s.url != rest:
		s.url = schema
	case s.url == empty:
		s.url = begun
	}
	return s, nil
}

// inside goes on by a byte of a tag.
func (s spot) inside(c byte) (spot, error) {
	switch s.state {
	case opened:
		switch {
		case isLetter(c) || c == '/':
			return spot{state: tagName, tag: strings.ToLower(string(c))}, nil
		case c == '!' || c == '?':
			return spot{state: bogus}, nil
		case c == '<':
			return s, nil
		}
		return spot{}, nil
	case equals:
		switch {
		case c == '"' || c == '\'':
			s.state, s.quote = valued, c
		case !isSpace(c):
			s.state = bare
		}
		return s.over(c)
	case bare:
		if isSpace(c) {
			return spot{state: inTag, tag: s.tag}, nil
		}
		return s.over(c)
	}
	switch {
	case s.tag == "/" && !isLetter(c):
		return s, errors.New("the name of an element must follow </")
	case c == '>':
		return s.over(c)
	case c == '=' && (s.state == attrName || s.state == afterName):
		s.state = equals
	case isSpace(c) && (s.state == attrName || s.state == afterName):
		s.state = afterName
	case isSpace(c) || c == '/':
		s.state, s.name = inTag, ""
	case s.state == tagName:
		s.tag += strings.ToLower(string(c))
	case s.state == glued || c == '<' || c == '"' || c == '\'' || c == '=':
		return s, fmt.Errorf("unexpected %q in the tag <%s>: white space, / or > must stand here", c, s.tag)
	case s.state == attrName:
		s.name += string(c)
	default:
		s.state, s.name = attrName, string(c)
	}
	return s, nil
}

// over ends the tag where c is its end.
func (s spot) over(c byte) (spot, error) {
	switch {
	case c != '>':
		return s, nil
	case slices.Contains([]string{"iframe", "noembed", "noframes", "plaintext", "xmp"}, s.tag):
		return s, fmt.Errorf("the element <%s> is not for templates: what is in it is read by rules of its own", s.tag)
	case s.tag == "script" || s.tag == "style":
		return spot{state: raw, tag: s.tag}, nil
	case s.tag == "title" || s.tag == "textarea":
		return spot{state: textual, tag: s.tag}, nil
	}
	return spot{}, nil
}
