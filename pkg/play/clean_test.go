package play

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTextsOfStrangersCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Grüße, 你好 👩‍💻", "Grüße, 你好 👩‍💻"},
		{"escape", "a\x1b[2Jb", "a<U+001B>[2Jb"},
		{"C1 control", "a\u009b31mb", "a<U+009B>31mb"},
		{"raw C1 byte", "a\x9b31m", "a\uFFFD31m"},
		{"bell and null", "\a\x00", "<U+0007><U+0000>"},
		{"right to left override", "\u202Eexe.pdf\u2066", "<U+202E>exe.pdf<U+2066>"},
		{"arabic letter mark", "\u061c", "<U+061C>"},
		{"zero width space", "pass\u200bword\ufeff", "pass<U+200B>word<U+FEFF>"},
		{"soft hyphen", "a\u00adb", "a<U+00AD>b"},
		{"tags", "x\U000E0041", "x<U+E0041>"},
		{"line ends", "a\r\nb\rc\u2028d\ve", "a\nb\nc\nd\ne"},
		{"tab", "a\tb", "a    b"},
		{"invalid", "a\xff\xfeb", "a\uFFFDb"},
		{"marks", "e" + strings.Repeat("\u0301", 50), "e" + strings.Repeat("\u0301", mostMarks)},
	} {
		if diff := cmp.Diff(c.want, Clean(c.text)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestAVeryLongTextIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	got := Clean(strings.Repeat("é", MostShown/2+5))
	if !strings.HasSuffix(got, "\n… 10 more bytes are not shown") || !utf8.ValidString(got) {
		t.Errorf("ends in %q", got[len(got)-60:])
	}
}

func FuzzCleanTextsAreHarmless(f *testing.F) {
	for _, s := range []string{"", "\x1b]0;x\a", "\u202e\u2066", "a\xc3", "\r\n\t", "\U000E0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%U is left in %q", r, got)
			}
		}
		if len(text) < 1000 && Clean(got) != got {
			t.Fatalf("cleaned twice %q is %q", got, Clean(got))
		}
		if len(text) > 2000 {
			return
		}
		for _, width := range []int{1, 7, 40} {
			for _, line := range wrap(got, width) {
				if n := widthOf(fit(line, width)); n > width {
					t.Fatalf("%q takes %d columns of %d", line, n, width)
				}
			}
		}
	})
}

func BenchmarkWrapAMebibyte(b *testing.B) {
	text := strings.Repeat("some words of a very long mail, ", MostShown/32)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		wrap(Clean(text), 80)
	}
}
