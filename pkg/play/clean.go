package play

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// MostShown is how many bytes of one text are shown. What is longer ends in a line that says how much is left out.
const MostShown = 1 << 20

// mostMarks is how many combining marks may stand on one letter: more climb over the lines above.
const mostMarks = 4

// Clean makes a text of strangers safe to show on a terminal, as far as MostShown: line ends become "\n", tabs four spaces, and
// whatever else would steer the terminal, turn the direction of writing or hide (controls, escapes, bidirectional marks, tags, zero
// width spaces) becomes its number in angle brackets, such as <U+001B>, so that it is seen and does nothing. What is no UTF-8
// becomes U+FFFD.
func Clean(text string) string {
	rest := ""
	if len(text) > MostShown {
		cut := MostShown
		for cut > MostShown-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
			cut--
		}
		rest = fmt.Sprintf("\n… %d more bytes are not shown", len(text)-cut)
		text = text[:cut]
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(text))
	marks := 0
	for _, r := range text {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			if marks++; marks > mostMarks {
				continue
			}
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case steers(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + rest
}

// cleanLine is Clean for what has to be one line.
func cleanLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// steers tells whether a character does something to a terminal or to the text around it, or hides. The joiners, of which emoji and
// some scripts are made, do not.
func steers(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d': // joiners
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Bidi_Control, r):
		return true
	case r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0': // fillers of Hangul, which show nothing
		return true
	}
	return false
}

// wrap breaks a clean text into lines of at most width columns, at spaces where it can.
func wrap(text string, width int) []string {
	return strings.Split(ansi.Wrap(text, max(1, width), ""), "\n")
}

// widthOf is how many columns a line takes.
func widthOf(line string) int { return ansi.StringWidth(line) }

// fit cuts a line to width columns; "…" tells that something is missing.
func fit(line string, width int) string { return ansi.Truncate(line, max(0, width), "…") }
