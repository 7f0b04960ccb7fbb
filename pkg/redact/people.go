package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// person is a name's parts in lower case, in the order in which they are said.
type person []string

// mostPeople is how many names a ticket may have that are looked for in all its texts.
const mostPeople = 24

// peopleOf reads the people that a ticket names.
func peopleOf(into []person, known []string) []person {
	for _, k := range known {
		if len(into) >= mostPeople {
			break
		}
		if len(k) > 200 {
			continue
		}
		text, mail, _ := strings.Cut(k, "<")
		if at := strings.IndexByte(text, '@'); at > 0 {
			text, mail = "", text
		}
		if p, ok := personOf(text); ok {
			into = append(into, p)
			continue
		}
		local, _, _ := strings.Cut(mail, "@")
		if parts := strings.FieldsFunc(local, func(r rune) bool { return r == '.' || r == '_' }); len(parts) == 2 {
			if p, ok := personOf(strings.Join(parts, " ")); ok {
				into = append(into, p)
			}
		}
	}
	return into
}

// personOf reads a name: one to five parts of letters, none of them a word that names things or teams.
func personOf(text string) (person, bool) {
	text, _, _ = strings.Cut(text, "(")
	text = strings.Trim(strings.TrimSpace(text), "\"'.,;")
	last, first, turned := strings.Cut(text, ",")
	if turned {
		text = first + " " + last
	}
	var p person
	for _, w := range strings.Fields(text) {
		w = strings.ToLower(strings.Trim(w, ".\"'"))
		if titles[w] {
			continue
		}
		if w == "" || stopWords[w] || strings.IndexFunc(w, notOfName) >= 0 {
			return nil, false
		}
		p = append(p, w)
	}
	if len(p) == 0 || len(p) > 5 || len(p) == 1 && utf8.RuneCountInString(p[0]) < 2 {
		return nil, false
	}
	return p, true
}

func notOfName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '\'' && r != '’' && r != '.'
}

// among tells whether a person is one of several.
func (p person) among(all []person) bool {
	return slices.ContainsFunc(all, func(q person) bool { return slices.Equal(p, q) })
}

// knownFirst tells where a first name of a known person that begins at i ends, 0 if none does; a following last name of the same person goes
// with it.
func (c *scan) knownFirst(i int) int {
	if i >= len(c.s) {
		return 0
	}
	for _, p := range c.people {
		if end := foldPrefix(c.s, i, p[0]); end > 0 {
			if len(p) > 1 {
				if whole := p.at(c.s, i); whole > 0 {
					return whole
				}
			}
			return end
		}
	}
	return 0
}

// foldPrefix tells where a word that begins at i ends, 0 if it is not there, whatever the case.
func foldPrefix(s string, i int, word string) int {
	k := i
	for _, r := range word {
		if k >= len(s) {
			return 0
		}
		q, n := rune(s[k]), 1
		if s[k] >= utf8.RuneSelf {
			q, n = utf8.DecodeRuneInString(s[k:])
		}
		if q != r && unicode.ToLower(q) != r {
			return 0
		}
		k += n
	}
	if !edge(s, k) {
		return 0
	}
	return k
}

// at tells where the whole name that begins at i ends, 0 if it is not there. Between its parts may stand what people put there.
func (p person) at(s string, i int) int {
	for n, w := range p {
		if n > 0 {
			k := i
			for m := 0; m < 3 && k < len(s) && strings.IndexByte(" \t\n.,_-", s[k]) >= 0; m++ {
				k++
			}
			if k == i {
				return 0
			}
			i = k
		}
		if i = foldPrefix(s, i, w); i == 0 {
			return 0
		}
	}
	return i
}

// phrases finds the full names of the ticket's people in a text, first name first and last name first, and @mentions of people of one name.
func (c *scan) phrases(s string) []span {
	var out []span
	var firsts [256]bool
	any := false
	for _, p := range c.people {
		for _, w := range p {
			b := w[0]
			firsts[b] = true
			if b >= 'a' && b <= 'z' {
				firsts[b-'a'+'A'] = true
			}
			if b >= utf8.RuneSelf {
				for q := utf8.RuneSelf; q < 256; q++ {
					firsts[q] = true
				}
			}
		}
		any = true
	}
	if !any {
		return nil
	}
	for i := 0; i < len(s); i++ {
		if !firsts[s[i]] || s[i]&0xC0 == 0x80 || i > 0 && within(s, i) {
			continue
		}
		for _, p := range c.people {
			end := 0
			if len(p) == 1 {
				if i > 0 && s[i-1] == '@' {
					end = foldPrefix(s, i, p[0])
				}
			} else if end = p.at(s, i); end == 0 && len(p) == 2 {
				end = person{p[1], p[0]}.at(s, i)
			}
			if end > 0 {
				out = append(out, span{i, end, Name})
				i = end - 1
				break
			}
		}
	}
	return out
}

// within tells whether i is inside a word.
func within(s string, i int) bool {
	if s[i-1] < utf8.RuneSelf {
		return isWord[s[i-1]] && s[i-1] != '_'
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// fullName gives the full name of the ticket's person whom a first or last name means, and the name itself if there is none.
func (c *scan) fullName(value string) string {
	p, ok := personOf(value)
	if !ok {
		return value
	}
	for _, q := range c.people {
		if len(q) > 1 && (len(p) == 1 && (q[0] == p[0] || q[len(q)-1] == p[0]) || len(p) == 2 && len(q) == 2 && q[0] == p[1] && q[1] == p[0]) {
			return strings.Join(q, " ")
		}
	}
	return strings.Join(p, " ")
}
