package synth

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/triage"
)

// write renders one piece alone.
func (m *maker) write(p piece) string {
	m.buf = m.buf[:0]
	m.expand(&p)
	if m.lowercase {
		lower(m.buf)
	}
	return string(m.buf)
}

// writeBody renders all pieces with their separators and the voice's habits.
func (m *maker) writeBody(f *triage.Facts) string {
	m.buf = m.buf[:0]
	style := &m.voice.Style
	habits := difficultyKnobs[m.src.task.Difficulty].habits
	for i := range m.pieces {
		p := &m.pieces[i]
		switch {
		case len(m.buf) == 0 || strings.HasPrefix(p.text, "\n"):
		case p.newParagraph:
			m.buf = append(m.buf, "\n\n"...)
		case m.buf[len(m.buf)-1] != ' ':
			m.buf = append(m.buf, ' ')
		}
		start := len(m.buf)
		m.expand(p)
		if !p.raw {
			m.habit(start, i, style.Typos*habits, style.Articles*habits)
			if p.role == RoleStatement || p.role == RoleAsk || p.role == RoleTone {
				m.endings(style.Exclaim*habits, style.Emoji*habits)
			}
		}
		if m.explain {
			m.sentences = append(m.sentences, m.sentence(p, string(m.buf[start:]), f))
		}
	}
	return string(m.buf)
}

// expand appends the text of a piece with its placeholders filled. A value that begins a sentence gets a capital.
func (m *maker) expand(p *piece) {
	text, start := p.text, len(m.buf)
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			m.buf = append(m.buf, text...)
			return
		}
		m.buf = append(m.buf, text[:i]...)
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			m.buf = append(m.buf, text[i:]...)
			return
		}
		at := len(m.buf)
		m.value(p, text[i+1:i+end])
		if p.role != RoleSubject && beginsSentence(m.buf[start:at]) {
			capital(m.buf[at:])
		}
		m.article(start, at)
		text = text[i+end+1:]
	}
}

// beginsSentence tells whether a word that follows the text begins a sentence.
func beginsSentence(before []byte) bool {
	n := len(before)
	switch {
	case n == 0 || n == 1 && before[0] == '(':
		return true
	case n < 2 || before[n-1] != ' ':
		return false
	}
	end := before[n-2]
	return end == '.' || end == '!' || end == '?'
}

// capital makes the first letter of a value a capital, unless it is a name with a dot, such as an address or a file.
func capital(value []byte) {
	if len(value) > 0 && value[0] >= 'a' && value[0] <= 'z' && bytes.IndexByte(value, '.') < 0 {
		value[0] -= 'a' - 'A'
	}
}

// article makes an "a" or "an" before the value at a place fit it.
func (m *maker) article(start, at int) {
	before, value := m.buf[start:at], m.buf[at:]
	n := len(before)
	if len(value) == 0 || n < 2 || before[n-1] != ' ' {
		return
	}
	long := n >= 3 && before[n-2] == 'n'
	first := n - 2 // of the article
	if long {
		first--
	}
	if before[first] != 'a' && before[first] != 'A' || first > 0 && before[first-1] != ' ' && before[first-1] != '(' {
		return
	}
	switch vowel := beginsWithVowel(value); {
	case vowel && !long:
		m.buf = append(m.buf, 0)
		copy(m.buf[at:], m.buf[at-1:])
		m.buf[at-1] = 'n'
	case !vowel && long:
		m.buf = append(m.buf[:at-2], m.buf[at-1:]...)
	}
}

// beginsWithVowel tells whether a word is spoken with a vowel first, as far as its letters say so: "apple", "FS-2", "80", but
// not "unit" or "European".
func beginsWithVowel(word []byte) bool {
	c := word[0]
	if c == '8' || bytes.HasPrefix(word, []byte("11 ")) || bytes.HasPrefix(word, []byte("18 ")) {
		return true
	}
	if len(word) > 1 && c >= 'A' && c <= 'Z' && (word[1] >= 'A' && word[1] <= 'Z' || word[1] == '-') { // spelt out
		return strings.IndexByte("AEFHILMNORSX", c) >= 0
	}
	lower := c | 0x20
	if strings.IndexByte("aeiou", lower) < 0 {
		return false
	}
	for _, consonant := range [...]string{"uni", "use", "usu", "eu", "one ", "once"} {
		if len(word) >= len(consonant) && strings.EqualFold(string(word[:len(consonant)]), consonant) {
			return false
		}
	}
	return true
}

// value appends what a placeholder stands for.
func (m *maker) value(p *piece, name string) {
	f := p.fill
	switch name {
	case "first":
		m.buf = append(m.buf, m.names.first...)
	case "last":
		m.buf = append(m.buf, m.names.last...)
	case "company":
		m.buf = append(m.buf, m.names.company...)
	case "colleague":
		if p.forwarded {
			m.buf = append(m.buf, m.names.forwarder...)
			return
		}
		m.buf = append(m.buf, m.names.colleague...)
	case "plan":
		m.buf = append(m.buf, m.names.plan...)
	case "ref":
		m.buf = strconv.AppendInt(m.buf, int64(f.ref), 10)
	default:
		m.buf = append(m.buf, f.row[name]...)
	}
}

// habit applies the voice's way of writing to what was appended from start on.
func (m *maker) habit(start, index int, typos, articles float64) {
	if index == m.capsAt {
		m.buf = append(m.buf[:start], bytes.ToUpper(m.buf[start:])...)
		return
	}
	if m.lowercase {
		lower(m.buf[start:])
	}
	if articles > 0 {
		m.dropArticles(start, articles)
	}
	if typos > 0 {
		m.misspell(start, typos)
	}
}

// lower folds ASCII capitals in place.
func lower(b []byte) {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

// dropArticles leaves out some of "the" and "a" inside a sentence.
func (m *maker) dropArticles(start int, chance float64) {
	b := m.buf
	for _, article := range [...]string{" the ", " a "} {
		for from := start; ; {
			i := bytes.Index(b[from:], []byte(article))
			if i < 0 {
				break
			}
			from += i + 1
			if m.text.chance(chance) && !decides(b[from+len(article)-1:]) {
				b = append(b[:from], b[from+len(article)-1:]...)
			}
		}
	}
	m.buf = b
}

// decides tells whether a text begins with a word that means something else without its article: "only copies" are not "the
// only copies".
func decides(text []byte) bool {
	for _, w := range [...]string{"only", "same", "one", "other", "whole", "few", "little", "first", "last"} {
		if bytes.HasPrefix(text, []byte(w)) {
			return true
		}
	}
	return false
}

// shortestTypo is the length from which words are misspelt: shorter ones, such as "not" and "can", decide too much.
const shortestTypo = 6

// longWordEvery is about how many bytes of text there are to a word that is long enough to be misspelt.
const longWordEvery = 14

// misspell swaps, drops or doubles an inner letter of some lower-case words: chance is that of a long word. It draws how
// many words of the text there are to be and where, which costs less than a draw for each word.
func (m *maker) misspell(start int, chance float64) {
	for due := chance * float64(len(m.buf)-start) / longWordEvery; due > 0; due-- {
		if !m.text.chance(due) {
			return
		}
		from := start + m.text.IntN(len(m.buf)-start)
		if i, end := longWord(m.buf, start, from); end > 0 {
			m.typo(i+1, end-2)
		}
	}
}

// longWord finds the first word from a place on that may be misspelt: in lower case, between blanks and the like. end is 0
// where there is none.
func longWord(b []byte, start, from int) (begin, end int) {
	for i := from; i < len(b); i++ {
		if b[i] < 'a' || b[i] > 'z' || i > start && b[i-1] != ' ' {
			continue
		}
		end := i
		for end < len(b) && b[end] >= 'a' && b[end] <= 'z' {
			end++
		}
		if end-i >= shortestTypo && (end == len(b) || b[end] < utf8.RuneSelf) {
			return i, end
		}
		i = end
	}
	return 0, 0
}

// typo changes the letters between from and to.
func (m *maker) typo(from, to int) {
	at := from + m.text.IntN(to-from)
	b := m.buf
	switch m.text.IntN(3) {
	case 0:
		b[at], b[at+1] = b[at+1], b[at]
	case 1:
		m.buf = append(b[:at], b[at+1:]...)
	default:
		b = append(b, 0)
		copy(b[at+1:], b[at:])
		m.buf = b
	}
}

// endings turns a final full stop into an exclamation mark, or adds an emoji.
func (m *maker) endings(exclaim, emoji float64) {
	if n := len(m.buf); exclaim > 0 && m.buf[n-1] == '.' && m.text.chance(exclaim) {
		m.buf[n-1] = '!'
		if m.text.chance(0.4) {
			m.buf = append(m.buf, '!')
		}
	}
	if m.text.chance(emoji / 3) {
		m.buf = append(m.buf, ' ')
		m.buf = append(m.buf, m.text.pick(m.noise(&m.src.bank.Noise.Emojis))...)
	}
}

// sentence says what a written piece carries.
func (m *maker) sentence(p *piece, text string, f *triage.Facts) Sentence {
	s := Sentence{Text: strings.TrimSpace(text), Role: p.role}
	if p.fill == nil || p.fill.scenario == nil {
		return s
	}
	switch p.role {
	case RoleStatement, RoleAsk, RoleSituation, RoleEffort, RoleDeadline, RoleResolved:
		s.Carries, s.Scenario = carries(p, &f.Primary), p.fill.scenario.Slug
		if p.role != RoleResolved {
			s.Level = p.level.String()
		}
	case RoleSecondary:
		s.Scenario = p.fill.scenario.Slug
		s.Carries = "secondary request of " + string(p.fill.scenario.Route) + ", severity=" + string(f.Secondary.Severity)
	case RoleMention, RoleSettled, RoleQuote:
		s.Scenario, s.Carries = p.fill.scenario.Slug, "nothing: only mentioned"
	case RoleSubject:
		s.Scenario = p.fill.scenario.Slug
		if p.fill.scenario != m.primary {
			s.Carries = "nothing: misleads"
		}
	}
	return s
}
