package redact

import "strings"

// directory has the full names that the columns of all tickets named so far: under the hash of a name's parts, in either order if they
// are two, the hash that its placeholder goes by.
type directory map[uint64]uint64

// mostParts is how many parts a person's name has at most.
const mostParts = 5

// keep adds the people with a first and a last name.
func (d directory) keep(people []person) {
	for _, p := range people {
		if len(p) < 2 {
			continue
		}
		value := hashValue(Name, strings.Join(p, " "))
		d[p.hash()] = value
		if len(p) == 2 {
			d[person{p[1], p[0]}.hash()] = value
		}
	}
}

func (p person) hash() uint64 {
	h := uint64(0)
	for _, w := range p {
		h = withPart(h, w)
	}
	return h
}

// withPart goes on with the hash of a name's parts (FNV-1a, a zero byte between them).
func withPart(h uint64, w string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	if h == 0 {
		h = offset
	}
	for i := range len(w) {
		h = (h ^ uint64(w[i])) * prime
	}
	return h * prime
}

// at gives the longest name of the directory that begins at i, capitalised: where it ends and what its placeholder goes by; 0 if there is
// none. next is where the word at i ends.
func (d directory) at(s string, i int) (end, next int, value uint64) {
	h, k := uint64(0), i
	for n := 1; n <= mostParts; n++ {
		to := part(s, k)
		if to == 0 {
			break
		}
		if n == 1 {
			next = to
		}
		h = withPart(h, strings.ToLower(strings.TrimSuffix(s[k:to], ".")))
		if v, ok := d[h]; ok && n > 1 {
			end, value = to, v
		}
		switch {
		case strings.HasPrefix(s[to:], " "):
			k = to + 1
		case strings.HasPrefix(s[to:], ", "):
			k = to + 2
		default:
			return end, next, value
		}
	}
	return end, next, value
}

// each calls found with every place of a name of the directory, until it gives false. With escaped, s is JSON, in which what follows a
// backslash begins no word.
func (d directory) each(s string, escaped bool, found func(start, end int, value uint64) bool) {
	for i := 0; i < len(s); {
		switch {
		case escaped && s[i] == '\\':
			i++
			if i < len(s) && s[i] == 'u' {
				i += 4
			}
			i++
			continue
		case !isWord[s[i]]:
			i++
			continue
		}
		end, next, value := 0, 0, uint64(0)
		if capitalAt(s, i) {
			end, next, value = d.at(s, i)
		}
		switch {
		case end > 0:
			if !found(i, end, value) {
				return
			}
			i = end
		case next > i:
			i = next
		default:
			k, _, _ := wordEnd(s, i)
			i = max(k, i+runeLen(s, i))
		}
	}
}

// Names tells whether a line of JSON may hold a name that [Redactor.Again] would replace.
func (r *Redactor) Names(line []byte) bool {
	any := false
	if len(r.known) > 0 && !r.keep[Name] {
		r.known.each(string(line), true, func(int, int, uint64) bool {
			any = true
			return false
		})
	}
	return any
}

// Again replaces, in texts that [Redactor.Record] returned, the full names (two parts and more, capitalised) that the columns of other
// tickets named, those of later ones too. It is for when all tickets were recorded; before that it knows fewer names.
func (r *Redactor) Again(texts []*string) {
	if len(r.known) == 0 || r.keep[Name] {
		return
	}
	for _, t := range texts {
		var out strings.Builder
		at := 0
		r.known.each(*t, false, func(start, end int, value uint64) bool {
			r.counts[Name]++
			out.WriteString((*t)[at:start])
			out.WriteString(r.numbered(Name, value))
			at = end
			return true
		})
		if at > 0 {
			out.WriteString((*t)[at:])
			*t = out.String()
		}
	}
}

// Unnumbered gives a text with placeholders that only say their kind, [NAME] for [NAME_12]: for what is to learn from texts and not who
// asks. A text without placeholders is the same string.
func Unnumbered(text string) string {
	var out strings.Builder
	at := 0
	for i := strings.IndexByte(text, '['); i >= 0 && i < len(text); {
		if end := placeholderAt(text, i); end > 0 {
			out.WriteString(text[at : i+strings.LastIndexByte(text[i:end], '_')])
			at = end - 1
			i = at
		}
		k := strings.IndexByte(text[i+1:], '[')
		if k < 0 {
			break
		}
		i += 1 + k
	}
	if at == 0 {
		return text
	}
	out.WriteString(text[at:])
	return out.String()
}
