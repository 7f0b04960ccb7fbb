package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/near"
)

// SyntaxError says where a gate is wrong.
type SyntaxError struct {
	Text   string // the gate
	Offset int    // the place in bytes, from 0
	Msg    string // the value, what is allowed, and what may have been meant
}

// Error gives the message, and below it the text with a caret under the place. Of a long text it shows what is around the place,
// and characters that do not print as question marks.
func (e *SyntaxError) Error() string {
	const before, after = 60, 40
	clean := func(s string) []rune {
		out := []rune(strings.ToValidUTF8(s, "?"))
		for i, r := range out {
			if !unicode.IsPrint(r) {
				out[i] = '?'
			}
		}
		return out
	}
	at := min(max(e.Offset, 0), len(e.Text))
	left, right := clean(e.Text[:at]), clean(e.Text[at:])
	if len(left) > before {
		left = append([]rune("…"), left[len(left)-before:]...)
	}
	if len(right) > after {
		right = append(right[:after:after], '…')
	}
	return fmt.Sprintf("gate: %s\n  %s%s\n  %s^", e.Msg, string(left), string(right), strings.Repeat(" ", len(left)))
}

// longestGate is the most bytes that a gate may have.
const longestGate = 1000

// ParseGate reads `[scope.]metric [drop|rise] operator number[%]` or `[scope.]identical`, such as `score drop <= 0.05`,
// `queue-hard.route_accuracy >= 60%`, `errors == 0`. Whether scope and metric are there is seen only when a comparison is
// judged. Errors are of the type [*SyntaxError].
func ParseGate(text string) (Gate, error) {
	p := gateParser{text: text}
	g, err := p.gate()
	if err != nil {
		return Gate{}, err
	}
	return g, nil
}

type gateParser struct {
	text string
	at   int
}

func (p *gateParser) fail(at int, format string, args ...any) error {
	return &SyntaxError{Text: p.text, Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// rest is what is left, its first word cut for messages.
func (p *gateParser) rest() string {
	word, _, _ := strings.Cut(p.text[p.at:], " ")
	return shown(word)
}

// shown quotes a text for a message, shortened.
func shown(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}

func (p *gateParser) space() {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace))
}

// take reads the longest run of characters that are some.
func (p *gateParser) take(some func(r rune) bool) string {
	rest := p.text[p.at:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !some(r) })
	if n < 0 {
		n = len(rest)
	}
	p.at += n
	return rest[:n]
}

// inWord tells whether a character may stand in a name without quotes.
func inWord(r rune) bool {
	return r == '_' || r == '-' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func inOperator(r rune) bool { return strings.ContainsRune("<>=!≤≥≠~", r) }

func (p *gateParser) gate() (Gate, error) {
	if len(p.text) > longestGate {
		return Gate{}, p.fail(longestGate, "it has %d bytes; at most %d are allowed", len(p.text), longestGate)
	}
	var g Gate
	p.space()
	if p.at == len(p.text) {
		return g, p.fail(p.at, "it is empty; a gate is such as score drop <= 0.05, queue-hard.route_accuracy >= 60%%, errors == 0 or identical")
	}
	if err := p.figure(&g); err != nil {
		return g, err
	}
	p.space()
	if g.identical() {
		if p.at < len(p.text) {
			return g, p.fail(p.at, "%s after identical, which stands alone", p.rest())
		}
		return g, nil
	}
	if err := p.change(&g); err != nil {
		return g, err
	}
	if err := p.operator(&g); err != nil {
		return g, err
	}
	return g, p.number(&g)
}

// figure reads scope and metric.
func (p *gateParser) figure(g *Gate) error {
	start := p.at
	name, quoted, err := p.name()
	if err != nil {
		return err
	}
	if strings.HasPrefix(p.text[p.at:], ".") {
		if quoted {
			return p.fail(start, "the scope %s is in quotes; a task, a track or each is written without them", shown(name))
		}
		g.Scope = name
		p.at++
		start = p.at
		if name, quoted, err = p.name(); err != nil {
			return err
		}
	}
	if !quoted && (name == Drop || name == Rise) {
		return p.fail(start, "a metric is missing before %s, such as score", name)
	}
	g.Metric, g.Quoted = name, quoted
	return nil
}

// name reads a word or a text in quotes.
func (p *gateParser) name() (name string, quoted bool, err error) {
	start := p.at
	if !strings.HasPrefix(p.text[p.at:], `"`) {
		if name = p.take(inWord); name == "" {
			return "", false, p.fail(start, "%s where a name should be: a metric such as score, or a scope such as queue-hard and a dot before it", p.rest())
		}
		return name, false, nil
	}
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"' && b.Len() == 0:
			return "", true, p.fail(start, "a name in quotes is empty")
		case c == '"':
			p.at++
			if !utf8.ValidString(b.String()) {
				return "", true, p.fail(start, "a name is not valid UTF-8")
			}
			return b.String(), true, nil
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", true, p.fail(start, `a quote is not closed; a quote within a name is written \"`)
}

// change reads drop or rise, if there is a word.
func (p *gateParser) change(g *Gate) error {
	start := p.at
	if p.at == len(p.text) || inOperator(p.peek()) {
		return nil
	}
	word := p.take(inWord)
	switch {
	case (word == Drop || word == Rise) && !g.Quoted && g.Metric == floorMargin:
		return p.fail(start, "floor_margin has no %s, as both sides have the same floor; use score %s", word, word)
	case word == Drop || word == Rise:
		g.Change = word
		p.space()
		return nil
	case word == "":
		return p.fail(start, "%s where an operator should be; allowed are %s", p.rest(), strings.Join(Operators(), ", "))
	}
	return p.fail(start, "%s after the metric; allowed are drop (base − new), rise (new − base) or an operator%s; a name with spaces is put in quotes",
		shown(word), near.Hint(word, []string{Drop, Rise}))
}

func (p *gateParser) peek() rune {
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

// operator reads the operator and checks that the metric can have it.
func (p *gateParser) operator(g *Gate) error {
	start := p.at
	op := p.take(inOperator)
	if op == "" && p.at == len(p.text) {
		return p.fail(start, "an operator and a number are missing, such as %s 0.05", map[bool]string{true: ">=", false: "<="}[g.Change == Rise])
	}
	if !slices.Contains(Operators(), op) {
		if op == "" {
			op = strings.Trim(p.rest(), `"`)
		}
		meant := map[string]string{"=": "==", "=<": "<=", "=>": ">=", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!=", "===": "==", "!": "!="}[op]
		return p.fail(start, "%s is no operator; allowed are %s%s", shown(op), strings.Join(Operators(), ", "), near.Meant(meant))
	}
	if (op == "==" || op == "!=") && !g.counted() {
		return p.fail(start, "%s is for counts (%s); %s is estimated: use %s or %s%s", op, strings.Join(Counts(), ", "), g.metric(), "<=", ">=",
			near.Hint(g.Metric, Counts()))
	}
	g.Op = op
	p.space()
	return nil
}
