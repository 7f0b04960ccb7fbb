package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/redact"
)

// checkTwice checks what holds of every text: what comes out is UTF-8, as many placeholders came in as are counted, and a second
// time changes nothing, neither in this run nor in another.
func checkTwice(t interface {
	Helper()
	Fatalf(string, ...any)
}, texts, known []string,
) {
	t.Helper()
	once := append([]string(nil), texts...)
	pointers := func(s []string) []*string {
		var out []*string
		for i := range s {
			out = append(out, &s[i])
		}
		return out
	}
	r := redact.New(redact.Options{})
	r.Record(pointers(once), known)
	places := 0
	for _, n := range r.Counts() {
		places += n
	}
	in, out := 0, 0
	for i := range texts {
		if !utf8.ValidString(once[i]) {
			t.Fatalf("%q became %q, which is no UTF-8", texts[i], once[i])
		}
		in += strings.Count(unnumbered(strings.ToValidUTF8(texts[i], "")), "]")
		out += strings.Count(unnumbered(once[i]), "]")
	}
	if out > in+places {
		t.Fatalf("%q became %q: %d places are counted", texts, once, places)
	}
	for _, again := range []*redact.Redactor{r, redact.New(redact.Options{})} {
		twice := append([]string(nil), once...)
		again.Record(pointers(twice), known)
		for i := range once {
			if twice[i] != once[i] {
				t.Fatalf("%q became %q, and the second time %q", texts[i], once[i], twice[i])
			}
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, name := range []string{"go.txt", "mails.txt"} {
		for _, row := range rows(f, name) {
			text, _ := marked(f, row)
			f.Add(text, "Anna Weber")
		}
	}
	for _, text := range rows(f, "stay.txt") {
		f.Add(text, "")
	}
	f.Add("\xff[EMAIL_1]a@b.de[PHONE_", "Weber, Anna <a@b.de>")
	f.Fuzz(func(t *testing.T, text, known string) {
		subject, body, _ := strings.Cut(text, "\n")
		checkTwice(t, []string{subject, body}, []string{known})
	})
}

func TestRedactingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	var pieces []string
	for _, name := range []string{"go.txt", "mails.txt", "stay.txt"} {
		for _, row := range rows(t, name) {
			text, _ := marked(t, row)
			pieces = append(pieces, text)
			pieces = append(pieces, strings.Fields(text)...)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		var text strings.Builder
		for range 1 + r.IntN(12) {
			text.WriteString(pieces[r.IntN(len(pieces))])
			text.WriteString([...]string{" ", "\n", ", ", "", ": ", "-"}[r.IntN(6)])
		}
		checkTwice(t, []string{pieces[r.IntN(len(pieces))], text.String()}, []string{"Anna Weber", pieces[r.IntN(len(pieces))]})
	})
}
