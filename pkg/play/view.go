package play

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Only bold and reverse are used, no colours: NO_COLOR has nothing to take away, and everything that they say stands in the text too.
const (
	bold, reverse, plain = "\x1b[1m", "\x1b[7m", "\x1b[0m"
)

// View draws the screen: never more lines than the terminal has, none wider than it.
func (m *Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	return v
}

func (m *Model) draw() string {
	lines := []string{reverse + pad(m.head(), m.width) + plain}
	lines = append(lines, m.window()...)
	switch m.screen {
	case answering:
		lines = append(lines, m.divider())
		lines = append(lines, m.fieldLines()...)
		lines = append(lines, m.foot()...)
	case helping:
		lines = append(lines, fit(m.position()+"any other key goes back", m.width))
	case grading:
		lines = append(lines, fit(m.position()+"any other key goes on", m.width))
	case asking:
		lines = append(lines, m.foot()...)
	}
	return strings.Join(lines[:min(len(lines), m.height)], "\n")
}

// head is the first line.
func (m *Model) head() string {
	t := m.session.Ticket()
	switch {
	case m.screen == helping:
		return "Help"
	case m.screen == grading:
		return "How " + m.session.Last().Ticket.ID + " was graded"
	case t == nil:
		return "All tickets are answered"
	}
	text := t.Key.Task + "  ticket " + strconv.Itoa(t.At) + " of " + strconv.Itoa(t.Of)
	if t.Episode != "" && t.Episode != strconv.Itoa(t.At)+" of "+strconv.Itoa(t.Of) {
		text += "  (" + t.Episode + " of its queue)"
	}
	return text + "  " + t.ID
}

// mostFoot is how many lines a message takes at most.
const mostFoot = 3

// foot are the last lines: what there is to say, else the keys.
func (m *Model) foot() []string {
	if m.message != "" {
		lines := wrap("! "+cleanLine(m.message), m.width)
		lines = lines[:min(len(lines), mostFoot)]
		for i := range lines {
			lines[i] = bold + fit(lines[i], m.width) + plain
		}
		return lines
	}
	keys := "Enter sends  ? help  s skip  u back  q leave"
	switch {
	case m.screen == asking:
		keys = "Enter ends  u back"
	case m.width < len(keys):
		keys = "Enter sends  ? help  q leave"
	}
	return []string{fit(keys, m.width)}
}

// lines are what is scrolled, broken to the width.
func (m *Model) lines() []string {
	if m.wrapped != nil && m.wrappedWidth == m.width {
		return m.wrapped
	}
	var text string
	switch t := m.session.Ticket(); {
	case m.screen == helping:
		text = helpText + Clean(m.opts.Rules)
	case m.screen == grading:
		text = gradedText(m.session.Last())
	case t == nil:
		n, _ := m.session.Answered()
		text = fmt.Sprintf("You have answered all %d tickets. Enter ends; then come the scores.", n)
		if m.session.CanUndo() && !m.opts.Feedback {
			text += "\nu takes the last answer back."
		}
	default:
		text = ticketText(t)
	}
	m.wrapped, m.wrappedWidth = wrap(text, m.width), m.width
	return m.wrapped
}

// ticketText is what is scrolled of a ticket.
func ticketText(t *Ticket) string {
	var b strings.Builder
	b.WriteString(t.Subject + "\n")
	for i, f := range t.Facts {
		if i > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(f.Name + ": " + f.Value)
	}
	if len(t.Facts) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("\n" + strings.TrimRight(t.Body, "\n"))
	return b.String()
}

// gradedText says how an answer was graded. It names the truth.
func gradedText(g *Graded) string {
	if g.Score == nil {
		return "Nothing was graded: the ticket has no label."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%.2f of 1\n\n", g.Score.Total)
	for _, p := range g.Score.Parts {
		fmt.Fprintf(&b, "%s: %.2f, %s\n", cleanLine(p.Name), p.Value, cleanLine(p.Why.String()))
	}
	return strings.TrimRight(b.String(), "\n")
}

// scrollHeight is how many lines are seen of what is scrolled.
func (m *Model) scrollHeight() int {
	switch m.screen {
	case answering:
		return max(1, m.height-2-len(m.fieldLines())-len(m.foot()))
	case asking:
		return max(1, m.height-1-len(m.foot()))
	}
	return max(1, m.height-2)
}

// window is the part of the scrolled lines that is seen, filled up to its height.
func (m *Model) window() []string {
	all, height := m.lines(), m.scrollHeight()
	m.scroll = max(0, min(m.scroll, len(all)-height))
	out := make([]string, 0, height)
	for i := range height {
		line := ""
		if i+m.scroll < len(all) {
			line = fit(all[i+m.scroll], m.width)
		}
		out = append(out, line)
	}
	return out
}

// position says where in the scrolled lines the window stands, where it does not show all.
func (m *Model) position() string {
	all, height := len(m.lines()), m.scrollHeight()
	if all <= height {
		return ""
	}
	return fmt.Sprintf("lines %d-%d of %d, PgUp PgDn  ", m.scroll+1, min(all, m.scroll+height), all)
}

func (m *Model) divider() string {
	text := m.position()
	if text != "" {
		text = "── " + text
	}
	text = fit(text, m.width)
	return text + strings.Repeat("─", m.width-widthOf(text))
}

// fieldLines are the fields with their answers, and below the one that is answered now its values; at most half of the screen.
func (m *Model) fieldLines() []string {
	t := m.session.Ticket()
	var lines []string
	first, last := 0, 0 // lines of the field that is answered now
	for i := range t.Fields {
		f := &t.Fields[i]
		value := cleanLine(m.values[f.Name])
		if i != m.focus {
			lines = append(lines, fit("  "+f.Title+": "+dash(value), m.width))
			continue
		}
		first = len(lines)
		lines = append(lines, m.focused(f, value)...)
		last = len(lines)
	}
	most := max(1, m.height/2-1)
	if len(lines) <= most {
		return lines
	}
	if last-first > most {
		return lines[first : first+most]
	}
	start := min(max(0, (first+last-most)/2), len(lines)-most)
	return lines[start : start+most]
}

// focused are the lines of the field that is answered now.
func (m *Model) focused(f *Field, value string) []string {
	switch {
	case m.searching:
		value = "/" + m.typed + "_"
	case f.Kind == Number:
		value = fmt.Sprintf("%s_  (%d to %d)", m.typed, f.Low, f.High)
	case f.Kind == Text:
		value = m.typed + "_"
		if room := m.width - len(f.Title) - 5; room > 0 && len(value) > room { // the end is what is written at
			runes := []rune(value)
			for len(runes) > 1 && len(runes) > room {
				runes = runes[1:]
			}
			value = "…" + string(runes)
		}
	default:
		value = dash(value)
	}
	lines := []string{bold + fit("> "+f.Title+": "+value, m.width) + plain}
	if f.Kind != Choice {
		return lines
	}
	var text strings.Builder
	if len(f.Values) > len(valueKeys) && !m.searching {
		fmt.Fprintf(&text, "(%d\u00a0values,\u00a0/\u00a0searches)  ", len(f.Values))
	}
	for n, i := range m.matches(f) {
		if n > 0 {
			text.WriteString("  ")
		}
		if i < len(valueKeys) && !m.searching {
			text.WriteString(valueKeys[i:i+1] + "\u00a0")
		}
		text.WriteString(strings.ReplaceAll(cleanLine(f.Values[i]), " ", "\u00a0"))
	}
	for _, line := range wrap(text.String(), max(1, m.width-4)) {
		lines = append(lines, fit("    "+strings.ReplaceAll(strings.TrimSpace(line), "\u00a0", " "), m.width))
	}
	return lines
}

func dash(value string) string {
	if value == "" {
		return "-"
	}
	return value
}

// pad fills a line up to the width, or cuts it.
func pad(line string, width int) string {
	line = fit(line, width)
	if n := width - widthOf(line); n > 0 {
		line += strings.Repeat(" ", n)
	}
	return line
}

// helpText is what ? shows above the rules.
const helpText = `Answer each field as the rules say, then send with Enter. Nothing of the grading is shown before the end, unless you asked for it.

1-9, letters   choose a value: its key stands before it
left right     the value before, the value after
/              search a long list of values; Enter takes the first
Backspace      no answer to this field
Tab, down      next field; Shift-Tab, up: the field before
PgDn, space    scroll the ticket; PgUp, Home, End, Ctrl-N, Ctrl-P too
Enter          send; what is not answered earns nothing
s              skip the ticket: no answer, which earns nothing and counts
u              take the last answer of this sitting back
q              leave: with --out you can go on later with --resume
Ctrl-C         leave at once
?              this help

In a field of text letters are text: leave it with Tab before you use them as keys.

`
