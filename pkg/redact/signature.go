package redact

import "strings"

var (
	// farewells are words of which one is in most closings, the free ones among them ("Many thanks and best wishes").
	farewells = set(`thanks thank thx tx ta cheers regards rgds greetings greets greeting wishes best sincerely respectfully faithfully truly yours bye
		goodbye later laters saluts care respect respectful salutations behalf gratitude soon compliments appreciated obliged warmly cordially wishing grüße grüßen gruß grüsse danke dank mfg lg vg
		saludos gracias cordialement merci saluti grazie groeten groet obrigado hilsen`)
	// signers stand before a name on its line.
	signers = phrases(`per|x|xx|xxx|your|yours|signed|regards|best regards|kind regards|rgds|cheers|greets|greetings|bye|bye bye|thx|tx|ta|thanks|best|love|
		dein|deine|ihr|ihre|gruß|lg|vg|mfg|saludos|on behalf of|for`)
	// small are the signers after which a word in small letters is a name too.
	small = set("x xx xxx yours regards rgds cheers thx tx ta greets bye lg vg mfg")
	// onBehalf begin a line before a signature that a colon ends.
	onBehalf = phrases(`for|on behalf of|signed`)
	// footers begin lines that programs put under mails.
	footers = phrases(`sent from|sent with|sent via|get outlook|written on|von meinem|gesendet von|envoyé de|enviado desde|inviato da|please consider`)
)

// tailLine is a line near the end of a text, without the space around it.
type tailLine struct {
	from, end int
	gap       bool // an empty line stands before it
}

// How far from the end a signature is looked for: in lines that have something, and in bytes. A line of one is at most signatureLine
// bytes long.
const tailLines, tailBytes, signatureLine = 9, 4096, 60

// short is how many bytes stand before a signature that no farewell announces: less is a chat's line.
const short = 80

// signature looks for the name that ends a mail without one of the usual closings before it: it stands alone on a short line near the
// end, after a farewell of any kind, after a sentence's end or an empty line. At most one is taken. A text with a placeholder was redacted
// before, and is left.
func (c *scan) signature() {
	for i := 0; ; i++ {
		k := strings.IndexByte(c.s[i:], '[')
		if k < 0 {
			break
		}
		if i += k; placeholderAt(c.s, i) > 0 {
			return
		}
	}
	var space [tailLines]tailLine
	lines := c.tail(space[:])
	for k := 1; k < len(lines); k++ {
		below := 0
		for _, l := range lines[k+1:] {
			if !c.footer(l) {
				below++
			}
		}
		if below <= 2 && c.signs(lines[k-1], lines[k], below) {
			return
		}
	}
}

// tail gives the last lines, in their order.
func (c *scan) tail(into []tailLine) []tailLine {
	s := c.s
	n, end := len(into), len(s)
	for end > 0 && n > 0 && len(s)-end < tailBytes {
		from := strings.LastIndexByte(s[max(0, end-tailBytes):end], '\n') + 1
		if from == 0 && end > tailBytes {
			break
		}
		from += max(0, end-tailBytes)
		l := tailLine{from: from, end: end}
		for l.from < l.end && strings.IndexByte(" \t\r*_", s[l.from]) >= 0 {
			l.from++
		}
		for l.from < l.end && strings.IndexByte(" \t\r*_", s[l.end-1]) >= 0 {
			l.end--
		}
		switch {
		case l.from < l.end:
			n--
			into[n] = l
		case n < len(into):
			into[n].gap = true
		}
		end = from - 1
	}
	return into[n:]
}

// footer tells whether a line is none of a person's: long, or of a program.
func (c *scan) footer(l tailLine) bool {
	return l.end-l.from > signatureLine || phrase(c.s, l.from, l.end, footers) > 0
}

// signs takes the name of a line, after the line before it; below is how many lines of a person follow.
func (c *scan) signs(before, l tailLine, below int) bool {
	s := c.s[:l.end]
	if c.s[l.from] == '>' || c.footer(l) || s[before.end-1] == ':' && phrase(s, before.from, before.end, onBehalf) == 0 {
		return false
	}
	i := l.from
	for n := 0; n < 4 && i < l.end && strings.IndexByte("-~/*< ", s[i]) >= 0; n++ {
		i++
	}
	dashed := i > l.from
	if dashed && c.s[l.from] == '-' && (c.item(before.from) || c.item(l.end+1)) { // of a list
		return false
	}
	for _, pp := range []string{"p.p. ", "pp. ", "pp ", "i.A. ", "i.V. "} {
		if strings.HasPrefix(s[i:], pp) {
			i += len(pp)
		}
	}
	said, low := false, false
	if k := phrase(s, i, l.end, signers); k > 0 && k < l.end {
		said, low = true, small[strings.ToLower(s[i:k])]
		i = skip(s, k, " ,:.!-")
	}
	closed := c.farewell(before)
	i = afterTitles(s, i)
	if to, n := name(s, i, 4); n > 0 {
		return c.signsAs(i, to, n, below, said || dashed || closed, closed || said || dashed || l.gap || strings.IndexByte(".!?,)", s[before.end-1]) >= 0)
	}
	return (closed || low || dashed || l.gap && below <= 1 && l.from > short) && !c.farewell(tailLine{from: i, end: l.end}) && c.signsSmall(s, i, l.from, low || closed && l.gap)
}

// item tells whether an item of a list begins at i.
func (c *scan) item(i int) bool { return strings.HasPrefix(c.s[min(i, len(c.s)):], "- ") }

// signsAs takes the capitalised name s[i:to] of n parts if the line ends as a signature does. One part is enough after a farewell.
func (c *scan) signsAs(i, to, n, below int, farewell, apart bool) bool {
	s := c.s
	if end := strings.IndexByte(s[i:], '\n'); end >= 0 {
		s = s[:i+end]
	}
	if n == 1 && strings.HasPrefix(s[to:], ", ") { // Weber, Anna
		if more := part(s, to+2); more > 0 && strings.Trim(s[more:], " .!\r*_") == "" {
			to, n = more, 2
		}
	}
	if !apart || n == 1 && !farewell && (below > 0 || s[to:] != "" && !strings.HasPrefix(s[to:], " (") || i < short) || !endsName(s, to) && !ofPlace(s, to) && !strings.HasPrefix(s[to:], " :") && !strings.HasPrefix(s[to:], " ;") && s[to:] != ">" && s[to:] != " */" {
		return false
	}
	last := strings.ToLower(s[i:to][strings.LastIndexByte(s[i:to], ' ')+1:])
	if n == 1 && farewells[last] || streets[last] || often[last] && !farewell || !farewell && below > 1 {
		return false
	}
	c.addName(i, to)
	return true
}

// signsSmall takes a name of one to three words in small letters, where all that is written shortly before it is in small letters too.
// A single word is enough if
// alone, after a farewell.
func (c *scan) signsSmall(s string, i, line int, low bool) bool {
	if strings.IndexFunc(s[max(0, line-200):line], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0 {
		return false
	}
	end, n := 0, 0
	for k := i; n < 3; n++ {
		to, digits, letters := wordEnd(s, k)
		w := s[k:to]
		if digits > 0 || letters < 2 || letters > 15 || strings.IndexByte(w, '_') >= 0 || stopWords[w] || farewells[w] || cueWords[w] != cueNone || begins[w] {
			break
		}
		end = to
		if to >= len(s) || s[to] != ' ' {
			n++
			break
		}
		k = to + 1
	}
	placed := end > 0 && ofPlace(s, end)
	if n == 0 || n == 1 && !low && !placed || !endsName(s, end) && !placed {
		return false
	}
	c.addName(i, end)
	return true
}

// ofPlace tells whether a line ends with "at Easton" or "from Harrow Lane" after a name.
func ofPlace(s string, k int) bool {
	for _, word := range []string{" at ", " from ", " of "} {
		if strings.HasPrefix(s[k:], word) {
			rest := strings.Trim(s[k+len(word):], " .!\r*_")
			return rest != "" && strings.Count(rest, " ") < 3 && !strings.ContainsAny(rest, ".,;:!?0123456789")
		}
	}
	return false
}

// farewell tells whether the last sentence of a line is a closing: short, with a word of one in it.
func (c *scan) farewell(l tailLine) bool {
	text := c.s[max(l.from, l.end-80):l.end]
	text = strings.TrimRight(text, " .,!?:-")
	if k := strings.LastIndexAny(text, ".!?"); k >= 0 {
		text = text[k+1:]
	}
	words := strings.Fields(text)
	if len(words) == 0 { // dashes
		return l.end > l.from && c.s[l.from] == '-'
	}
	if len(words) > 8 { // "My tea is getting cold, so bye for now"
		words = strings.Fields(text[strings.LastIndexByte(text, ',')+1:])
	}
	if len(words) > 8 {
		return false
	}
	for _, w := range words {
		if farewells[strings.ToLower(strings.Trim(w, ",;:()"))] {
			return true
		}
	}
	return false
}
