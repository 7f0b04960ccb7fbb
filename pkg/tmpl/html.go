package tmpl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// escape is how printed values are written.
type escape byte

const (
	plain    escape = iota
	inText          // between tags; HTML as it is
	inValue         // in a quoted attribute, a title or a textarea
	inURL           // the beginning of an address
	inScript        // in script and style: only Code
)

// The same forms that html/template writes.
var escaper = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;", "+", "&#43;")

func (e escape) apply(x any) (string, error) {
	if h, ok := x.(HTML); ok && e == inText {
		return string(h), nil
	}
	s := fmt.Sprint(x)
	switch e {
	case inScript:
		if _, ok := x.(Code); !ok {
			return "", errors.New("within script and style only tmpl.Code may be printed")
		}
		if low := strings.ToLower(s); strings.Contains(low, "</script") || strings.Contains(low, "</style") || strings.Contains(low, "<!--") {
			return "", errors.New("the code holds </script, </style or <!--, which could end its element")
		}
		return s, nil
	case inURL:
		if !safeURL(s) {
			return "#unsafe", nil
		}
	}
	return escaper.Replace(s), nil
}

// safeURL tells whether an address has no scheme, or one that runs nothing.
func safeURL(s string) bool {
	end := strings.IndexAny(s, ":/?#")
	return end < 0 || s[end] != ':' || slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(s[:end]))
}

// spot is a place in a page. The zero value is between tags.
type spot struct {
	state markState
	tag   string // the element whose tag or text this is
	name  string // of the attribute
	quote byte
	url   urlState
}

type markState byte

const (
	between   markState = iota
	opened              // after <
	tagName             // within the name of an element
	inTag               // where an attribute may begin
	glued               // in a tag, where white space or the tag's end must follow
	attrName            // within the name of an attribute
	afterName           // white space after it
	equals              // after =
	valued              // within quotes
	bare                // a value without quotes
	raw                 // in script or style
	textual             // in title or textarea
	comment
	bogus // in <! or <?
)

// urlState is how much of an address is sure before a value.
type urlState byte

const (
	empty  urlState = iota
	begun           // letters of the template that could be a scheme's
	given           // a value, which could end in the middle of a scheme
	schema          // a scheme
	rest            // after / ? or #
)

func (s spot) String() string {
	switch s.state {
	case between:
		return "between tags"
	case raw, textual:
		return "in <" + s.tag + ">"
	case comment, bogus:
		return "in a comment"
	case valued:
		return "in the attribute " + s.name
	}
	return "in the tag <" + s.tag + ">"
}

// markup follows the page through a list, tells each printed value how it is escaped, and gives where the list ends. Whatever is
// left out or repeated, the place is the same.
func markup(nodes []*node, s spot) (spot, error) {
	for _, n := range nodes {
		var err error
		if n.kind == textNode {
			var at int
			if s, at, err = s.text(n.text); err != nil {
				where := n.where
				where.line += strings.Count(n.text[:at], "\n")
				return s, where.errorf("%w", err)
			}
			continue
		}
		switch s.state { // a name must not go on after an action
		case tagName, attrName:
			s.state, s.name = glued, ""
		case afterName:
			s.state, s.name = inTag, ""
		case opened, equals, bare, comment, bogus:
			return s, n.where.errorf("an action must not stand directly after <, around the = of an attribute, in a value without quotes or in a comment")
		}
		switch {
		case n.kind == printNode && len(n.vars) == 0:
			if n.escape, s, err = s.value(); err != nil {
				return s, n.where.errorf("%s: %w", n.expr, err)
			}
		case n.kind == callNode && s.state != between:
			return s, n.where.errorf("{{template %q}} must stand between tags, and it stands %s", n.text, s)
		case n.kind == ifNode || n.kind == withNode || n.kind == rangeNode:
			if s, err = joined(n, s); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// joined follows both ways through a node.
func joined(n *node, s spot) (spot, error) {
	a, err := markup(n.body, s)
	if err != nil {
		return s, err
	}
	b, err := markup(n.other, s)
	if err != nil {
		return s, err
	}
	for _, p := range []*spot{&a, &b} {
		if p.state == tagName || p.state == attrName || p.state == afterName || p.state == inTag {
			p.state, p.name = glued, ""
		}
	}
	if s.state == inTag {
		s.state = glued
	}
	if a != b || n.kind == rangeNode && a != s {
		return s, n.where.errorf("the two ways through this action end at different places of the page: %.100s and %.100s", a, b)
	}
	return a, nil
}

// value tells how a value that stands here is escaped.
func (s spot) value() (escape, spot, error) {
	low := strings.ToLower(s.name)
	switch s.state {
	case between:
		return inText, s, nil
	case textual:
		return inValue, s, nil
	case raw:
		return inScript, s, nil
	case valued:
		switch {
		case strings.HasPrefix(low, "on") || slices.Contains([]string{"style", "srcdoc", "srcset", "imagesrcset", "ping"}, low):
			return plain, s, fmt.Errorf("a value must not stand in the attribute %s", s.name)
		case !isAddress(low) || s.url == rest:
			return inValue, s, nil
		case s.url == empty:
			s.url = given
			return inURL, s, nil
		}
		return plain, s, fmt.Errorf("in the attribute %s a value may begin the address or stand after / ? or #, if no scheme comes before", s.name)
	}
	return plain, s, fmt.Errorf("a value may stand between tags and in quoted attributes, and this one stands %s", s)
}

func isAddress(name string) bool {
	return strings.HasSuffix(name, ":href") || slices.Contains([]string{"action", "background", "cite", "classid", "codebase", "data", "formaction", "href", "icon",
		"longdesc", "manifest", "poster", "profile", "src", "usemap"}, name)
}
