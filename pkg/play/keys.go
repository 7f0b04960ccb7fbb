package play

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// field is the one that is answered now, or nil where the ticket asks for nothing.
func (m *Model) field() *Field {
	t := m.session.Ticket()
	if t == nil || len(t.Fields) == 0 {
		return nil
	}
	return &t.Fields[m.focus]
}

// typing tells whether keys are letters of a text.
func (m *Model) typing() bool {
	f := m.field()
	return f != nil && (m.searching || f.Kind == Text)
}

// edit takes what is typed into a field; taken is false for keys that are none of it.
func (m *Model) edit(key, text string) (taken bool) {
	f := m.field()
	switch {
	case f == nil:
		return false
	case m.typing() && key == "backspace":
		_, n := utf8.DecodeLastRuneInString(m.typed)
		m.typed = m.typed[:len(m.typed)-n]
		return true
	case m.searching && key == "enter":
		m.found(f)
		return true
	case m.searching && (key == "esc" || key == "tab" || key == "shift+tab"):
		m.searching, m.typed = false, ""
		return key == "esc"
	case m.typing() && text != "":
		m.typeText(text)
		return true
	case f.Kind == Number && key >= "0" && key <= "9" && len(key) == 1:
		if m.typed == m.values[f.Name] && len(m.typed) >= len(fmt.Sprint(f.High)) {
			m.typed = ""
		}
		m.typed += key
		return true
	case f.Kind == Number && key == "backspace":
		m.typed = m.typed[:max(0, len(m.typed)-1)]
		return true
	}
	return f.Kind == Choice && m.choose(f, key)
}

// mostTyped is how many bytes are taken into a text: ten times what is allowed, so that a paste that is too long is told of.
const mostTyped = 20_000

func (m *Model) typeText(text string) {
	m.typed += strings.ReplaceAll(Clean(text), "\n", " ")
	if len(m.typed) > mostTyped {
		m.typed = strings.ToValidUTF8(m.typed[:mostTyped], "")
	}
}

// found takes the first value that the search finds.
func (m *Model) found(f *Field) {
	if list := m.matches(f); len(list) > 0 {
		m.values[f.Name] = f.Values[list[0]]
		m.searching, m.typed = false, ""
		m.walkBy(1)
		return
	}
	m.message = "no value has that in it"
}

// matches are the places of the values that hold what is searched for.
func (m *Model) matches(f *Field) []int {
	var out []int
	for i, v := range f.Values {
		if !m.searching || strings.Contains(strings.ToLower(v), strings.ToLower(m.typed)) {
			out = append(out, i)
		}
	}
	return out
}

// valueKeys choose values in their order. The letters that are commands are not among them.
const valueKeys = "123456789abcdefghijklmnoprtvwxyz"

// choose takes a key of a list of values.
func (m *Model) choose(f *Field, key string) (taken bool) {
	at := slices.Index(f.Values, m.values[f.Name])
	switch {
	case len(key) == 1 && strings.Contains(valueKeys, key):
		i := strings.Index(valueKeys, key)
		if i >= len(f.Values) {
			m.message = fmt.Sprintf("%s has no value %s", f.Title, key)
			return true
		}
		m.values[f.Name] = f.Values[i]
		m.walkBy(1)
	case key == "right" && at < len(f.Values)-1:
		m.values[f.Name] = f.Values[at+1]
	case key == "left" && at > 0:
		m.values[f.Name] = f.Values[at-1]
	case key == "backspace" || key == "delete":
		delete(m.values, f.Name)
	case key == "/":
		m.searching, m.typed = true, ""
	default:
		return false
	}
	return true
}

// move scrolls.
func (m *Model) move(key string) (taken bool) {
	page := max(1, m.scrollHeight()-1)
	switch key {
	case "pgdown", "space", "ctrl+f":
		m.scroll += page
	case "pgup", "ctrl+b":
		m.scroll -= page
	case "ctrl+n", "ctrl+down":
		m.scroll++
	case "ctrl+p", "ctrl+up":
		m.scroll--
	case "home":
		m.scroll = 0
	case "end":
		m.scroll = len(m.lines())
	case "down", "up":
		if m.screen == answering {
			return false
		}
		m.scroll += map[string]int{"down": 1, "up": -1}[key]
	default:
		return false
	}
	m.scroll = max(0, min(m.scroll, len(m.lines())-m.scrollHeight()))
	return true
}

// walk goes from field to field.
func (m *Model) walk(key string) (taken bool) {
	step, ok := map[string]int{"tab": 1, "down": 1, "shift+tab": -1, "up": -1}[key]
	if !ok || m.field() == nil {
		return false
	}
	if m.leave() {
		m.walkBy(step)
	}
	return true
}

// leave takes what was typed over into the values; it is false where that is wrong.
func (m *Model) leave() bool {
	f := m.field()
	if f == nil || f.Kind == Choice {
		m.searching = false
		return true
	}
	v, err := f.check(m.typed)
	if err != nil {
		m.message = err.Error()
		return false
	}
	m.values[f.Name] = v
	return true
}

// walkBy goes some fields on, within the fields there are.
func (m *Model) walkBy(step int) {
	fields := m.session.Ticket().Fields
	m.focus = min(max(0, m.focus+step), len(fields)-1)
	m.typed = ""
	if f := &fields[m.focus]; f.Kind != Choice {
		m.typed = m.values[f.Name]
	}
}
