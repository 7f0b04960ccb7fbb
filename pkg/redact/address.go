package redact

import "strings"

// Kinds of streets, by the words of several countries. Those of often also mean something else (drive, place) and count
// only after a capitalised name.
var (
	streets = set(`street st road rd avenue ave lane ln boulevard blvd terrace crescent parkway pkwy highway hwy turnpike gardens grove mews`)
	often   = set(`drive dr court ct place pl way square sq close circle cir trail row walk hill park plaza loop`)
	french  = set(`rue avenue av bd boulevard place chemin allée allee impasse quai route cours passage`)
	latin   = set(`calle via piazza viale corso rua avenida plaza paseo carrera largo praça`)
	flats   = set(`apt apartment suite ste unit flat floor fl room po level bldg building`)
	// notStreet are words that stand before drive, place and way without naming a street.
	notStreet = set(`star google one hard flash usb shared team network disk first second third two one-way right wrong same other next best
		safe common either any no half long work market data page`)
	// notPlace are words with the ending of a German street that are none.
	notPlace = set(`arbeitsplatz speicherplatz bildschirmplatz stellplatz parkplatz sitzplatz startplatz lagerplatz festplatz umweg rückweg
		heimweg lösungsweg workaround monitoring hosting`)
)

// address tells where a postal address that begins at the word s[i:j] ends, 0 if none does.
func (c *scan) address(i, j, digits, letters int, w string) int {
	if i < c.url || glued(c.s, i) {
		return 0
	}
	end := 0
	switch {
	case digits > 0 && letters <= 1 && j-i <= 6 && isDigit(c.s[i]):
		end = c.houseFirst(j)
	case letters > 0 && digits == 0:
		end = c.streetFirst(i, j, w)
	}
	if end == 0 && (digits > 0 || letters <= 2) {
		end = c.postcode(i, j, digits)
	}
	if end == 0 {
		return 0
	}
	for range 4 { // flat, town, state, postcode
		more := c.more(end)
		if more == 0 {
			break
		}
		end = more
	}
	return end
}

// houseFirst reads "12 Main Street" and "12 bis, rue de la Paix" after the house's number, which ends at j.
func (c *scan) houseFirst(j int) int {
	s := c.s
	if c.cue == cueOther || c.cue == cueVersion {
		return 0
	}
	k := j
	for _, more := range []string{"bis", "ter", ","} {
		if t := skip(s, k, " "); strings.HasPrefix(s[t:], more) {
			k = t + len(more)
		}
	}
	capital, last := false, ""
	for n := range 5 {
		if k >= len(s) || s[k] != ' ' || k+1 == len(s) {
			return 0
		}
		from := k + 1
		to, digits, letters := wordEnd(s, from)
		if to == from || letters == 0 {
			return 0
		}
		w := c.lower(from, to)
		if french[w] && n == 0 {
			if end := c.named4(to); end > 0 {
				return end
			}
		}
		upper := capitalAt(s, from) || digits > 0
		if n > 0 && streets[w] && (capital || len(w) > 3) && (capital || n <= 2) && !notStreet[last] {
			return c.afterStreet(to)
		}
		if n > 0 && often[w] && capital && upper && !notStreet[last] {
			return c.afterStreet(to)
		}
		if !upper && (capital || n > 1 || stopWords[w] || notStreet[w]) {
			return 0
		}
		capital = upper
		last = w
		k = to
		if k < len(s) && (s[k] == '.' || s[k] == '\'' || s[k] == '-') && k+1 < len(s) && (s[k+1] == ' ' || isLetter(s[k+1])) {
			k++
			if s[k] != ' ' {
				k, _, _ = wordEnd(s, k)
			}
		}
	}
	return 0
}

// afterStreet takes the dot of an abbreviation and a direction ("St. NW").
func (c *scan) afterStreet(k int) int {
	s := c.s
	if k+1 < len(s) && s[k] == '.' && (s[k+1] == ' ' || s[k+1] == ',') {
		k++
	}
	for _, way := range []string{" NW", " NE", " SW", " SE", " N", " S", " E", " W"} {
		if strings.HasPrefix(s[k:], way) && edge(s, k+len(way)) {
			return k + len(way)
		}
	}
	return k
}

// named4 reads up to four words of a French street's name, of which the last is capitalised.
func (c *scan) named4(k int) int {
	s, end := c.s, 0
	for range 5 {
		if k+1 >= len(s) || s[k] != ' ' {
			break
		}
		from := k + 1
		to, _, letters := wordEnd(s, from)
		if letters == 0 {
			break
		}
		if to < len(s) && (s[to] == '\'' || s[to] == '-') {
			to2, _, _ := wordEnd(s, to+1)
			to = to2
		}
		if capitalAt(s, from) || to-from > 2 && capitalAt(s, from+2) {
			end = to
		} else if w := c.lower(from, to); w != "de" && w != "du" && w != "des" && w != "la" && w != "le" && w != "l" {
			break
		}
		k = to
	}
	return end
}

// streetFirst reads "Hauptstraße 5a", "Berliner Str. 12", "Calle Mayor 5" and "P.O. Box 12".
func (c *scan) streetFirst(i, j int, w string) int {
	s := c.s
	if (w == "p" || w == "po" || w == "postfach" || w == "pob") && i < j {
		return postBox(s, i)
	}
	if !capitalAt(s, i) {
		return 0
	}
	k := j
	switch {
	case latin[w]:
		if k = c.named4(j); k == 0 {
			return 0
		}
		if inner := c.lower(j+1, k); stopWords[inner] || notLatin[inner] {
			return 0
		}
	case germanStreet(s[i:j]):
	default:
		// Karl-Marx-Allee 5, Berliner Str. 12
		for n := 0; n < 3 && k+1 < len(s) && (s[k] == '-' || s[k] == ' ' && n == 0); n++ {
			to, _, letters := wordEnd(s, k+1)
			if letters == 0 || !capitalAt(s, k+1) && s[k] == ' ' {
				return 0
			}
			k = to
			if tail := lastWord(s, k); len(tail) >= 3 && germanTail[strings.ToLower(tail)] {
				return houseNumber(s, k)
			}
		}
		return 0
	}
	return houseNumber(s, k)
}

// notLatin are words after "Via" that name a way to reach somebody.
var notLatin = set(`api email mail chat phone app web portal sms telefon teams zoom webhook slack`)

// germanTail are the words that end a German or Dutch street's name of several words.
var germanTail = set("str strasse straße allee weg platz ring gasse damm ufer chaussee")

// lastWord gives the word that ends at k.
func lastWord(s string, k int) string {
	i := k
	for i > 0 && k-i < 24 && s[i-1] != ' ' && s[i-1] != '-' && s[i-1] != '\n' {
		i--
	}
	return s[i:k]
}

// germanTails are the endings of German and Dutch streets of one word.
var germanTails = []string{"straße", "strasse", "str", "weg", "platz", "allee", "gasse", "damm", "ufer", "chaussee", "straat", "laan", "gracht", "plein", "kade"}

// germanStreet tells whether a capitalised word is the name of a German or Dutch street.
func germanStreet(w string) bool {
	if len(w) > 40 || len(w) < 7 || strings.IndexByte("ergzmnte", w[len(w)-1]) < 0 {
		return false
	}
	for _, tail := range germanTails {
		if len(w) >= len(tail)+4 && strings.HasSuffix(w, tail) {
			return !notPlace[strings.ToLower(w)]
		}
	}
	return false
}

// houseNumber takes the number of a house after a street that ends at k; 0 if there is none.
func houseNumber(s string, k int) int {
	if k < len(s) && s[k] == '.' {
		k++
	}
	k = skip(s, k, " ,")
	from := k
	for k < len(s) && isDigit(s[k]) && k-from < 5 {
		k++
	}
	if k == from || k-from > 4 {
		return 0
	}
	if k < len(s) && isLetter(s[k]) && edge(s, k+1) {
		k++
	} else if k+1 < len(s) && s[k] == ' ' && isLetter(s[k+1]) && s[k+1] <= 'f' && s[k+1] >= 'a' && s[k+1] != 'a' && edge(s, k+2) {
		k += 2
	}
	if !edge(s, k) || k+1 < len(s) && strings.IndexByte(".:,", s[k]) >= 0 && isDigit(s[k+1]) || k < len(s) && s[k] == '%' {
		return 0
	}
	if k+1 < len(s) && (s[k] == '-' || s[k] == '/') && isDigit(s[k+1]) {
		for k++; k < len(s) && isDigit(s[k]); {
			k++
		}
	}
	return k
}

// postBox reads "P.O. Box 123", "PO Box 123" and "Postfach 10 20 30" at i.
func postBox(s string, i int) int {
	head := strings.ToLower(s[i:min(len(s), i+12)])
	for _, word := range []string{"p.o. box ", "p.o.box ", "po box ", "p o box ", "pob ", "postfach "} {
		if !strings.HasPrefix(head, word) {
			continue
		}
		g := readGroups(s, i+len(word))
		for k := min(g.n, 4) - 1; k >= 0; k-- {
			if g.total[k] <= 8 && g.between(k, " ") && g.free(s, k) {
				return g.end(k)
			}
		}
	}
	return 0
}
