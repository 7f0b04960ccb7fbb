package wire

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// Redactor takes secrets out of texts. The zero value knows no secret and takes out only what looks like a key of itself.
// It is safe for several goroutines.
type Redactor struct {
	anywhere [][]byte // forms of secrets, the longest first
	words    [][]byte // forms that are so short that they count only where they stand alone
}

// shortSecret is the length below which a secret may be part of other words.
const shortSecret = 8

// leastSecret is the length below which a text is taken for no secret: "1" would take the numbers out of every body.
const leastSecret = 4

// placeholders are values that servers without keys are given; they are no secrets.
var placeholders = []string{"empty", "none", "null", "dummy", "ollama", "lm-studio", "lmstudio", "no-key", "sk-no-key-required", "not-needed", "unused", "fake", "x"}

// NewRedactor gives a redactor that takes out each secret wherever it stands: as it is, escaped for a URL or for JSON, and
// in base64 alone or as the password without a user. Of a secret that is a whole header value ("Bearer …", "Basic …")
// the part after the word is taken out too, of "user:pass" the password. A secret of under 8 bytes is taken out where it
// is a word of its own. Those of under 4 bytes, and placeholders such as EMPTY, are none.
func NewRedactor(secrets ...Secret) *Redactor {
	seen := map[string]bool{}
	for _, s := range secrets {
		collect(seen, strings.TrimSpace(s.Reveal()), 3)
	}
	r := &Redactor{}
	for form := range seen {
		if len(form) < shortSecret {
			r.words = append(r.words, []byte(form))
		} else {
			r.anywhere = append(r.anywhere, []byte(form))
		}
	}
	order := func(a, b []byte) int { return cmp.Or(len(b)-len(a), bytes.Compare(a, b)) }
	slices.SortFunc(r.words, order)
	slices.SortFunc(r.anywhere, order)
	return r
}

// isSecret tells whether a text is to be taken out. A word or a number, such as "medium", "choices" or "1050", is none, even where a
// header has it: replies and bodies are full of those, and without them would be others.
func isSecret(s string) bool {
	if len(s) < leastSecret || slices.Contains(placeholders, strings.ToLower(s)) {
		return false
	}
	if len(s) >= longSecret {
		return true
	}
	letters, digits, marks := 0, 0, 0
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		default:
			marks++
		}
	}
	return letters > 0 && digits > 0 || marks > 0 && len(s) >= shortSecret
}

// longSecret is the length from which any text may be a secret.
const longSecret = 16

// collect adds the forms of a secret, and of the secrets in it.
func collect(seen map[string]bool, s string, depth int) {
	if !isSecret(s) || depth == 0 {
		return
	}
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s), inJSON(s, false), inJSON(s, true), strings.ReplaceAll(s, "/", `\/`)}
	for _, pair := range []string{s, ":" + s, s + ":"} {
		b := []byte(pair)
		forms = append(forms, base64.StdEncoding.EncodeToString(b), base64.RawStdEncoding.EncodeToString(b),
			base64.URLEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b))
	}
	for _, f := range forms {
		seen[f] = true
	}
	if rest, ok := cutFold(s, "bearer "); ok {
		collect(seen, strings.TrimSpace(rest), depth-1)
	}
	if rest, ok := cutFold(s, "basic "); ok {
		rest = strings.TrimSpace(rest)
		collect(seen, rest, depth-1)
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil {
			collect(seen, string(plain), depth-1)
		}
	}
	if _, pass, ok := strings.Cut(s, ":"); ok && !strings.Contains(s, "://") && len(pass) >= shortSecret {
		collect(seen, pass, depth-1)
	}
}

// inJSON gives the text as it stands inside a JSON string, with < > & escaped or not.
func inJSON(s string, html bool) string {
	q := string(quote(s))
	if html {
		q = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(q)
	}
	return q[1 : len(q)-1]
}

// String gives the text without secrets.
func (r *Redactor) String(text string) string { return string(r.Bytes([]byte(text))) }

// Bytes gives the text without secrets: the same slice where there are none, else a new one.
func (r *Redactor) Bytes(text []byte) []byte {
	if r != nil {
		for _, form := range r.anywhere {
			if bytes.Contains(text, form) {
				text = bytes.ReplaceAll(text, form, []byte(redacted))
			}
		}
		for _, form := range r.words {
			text = replaceWord(text, form)
		}
	}
	for _, p := range patterns {
		if p.may(text) {
			text = p.replace(text)
		}
	}
	return text
}

// replaceWord takes out form where no letter, digit, _ or - stands beside it.
func replaceWord(text, form []byte) []byte {
	var out []byte
	from := 0
	for i := 0; ; {
		n := bytes.Index(text[i:], form)
		if n < 0 {
			break
		}
		start, end := i+n, i+n+len(form)
		if start > 0 && wordByte(text[start-1]) && !escaped(text[:start]) || end < len(text) && wordByte(text[end]) {
			i = start + 1
			continue
		}
		out = append(append(out, text[from:start]...), redacted...)
		from, i = end, end
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// escaped tells whether a text ends in an escape such as \n, whose letter is no part of the word after it.
func escaped(before []byte) bool {
	n := len(before)
	return n >= 2 && before[n-2] == '\\' && strings.IndexByte("nrtbf", before[n-1]) >= 0
}

// pattern is a shape that keys have wherever they come from.
type pattern struct {
	hints []string // one of them is in every text that has the shape
	shape *lazyregexp.Regexp
}

func (p pattern) may(text []byte) bool {
	for _, h := range p.hints {
		if bytes.Contains(text, []byte(h)) {
			return true
		}
	}
	return false
}

// replace takes out what has the shape and a digit: without one it is a word, such as the name of a variable.
func (p pattern) replace(text []byte) []byte {
	var out []byte
	from := 0
	for _, at := range p.shape.FindAllSubmatchIndex(text, -1) {
		front, end := at[3], at[1]
		if !bytes.ContainsAny(text[front:end], "0123456789") {
			continue
		}
		out = append(append(out, text[from:front]...), redacted...)
		from = end
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

var patterns = []pattern{
	{[]string{"earer ", "EARER "}, lazyregexp.New(`(?i)(\bbearer +)[A-Za-z0-9._~+/=-]{16,}`)},
	{[]string{"asic ", "ASIC "}, lazyregexp.New(`(?i)(authorization"? *[:=] *"?basic +)[A-Za-z0-9._~+/=-]{8,}`)},
	{[]string{"sk-"}, lazyregexp.New(`((?:^|[^A-Za-z0-9_-]|\\[nrtbf])sk-)[A-Za-z0-9_-]{16,}`)},
	{[]string{"api", "Api", "API"}, lazyregexp.New(`(?i)(api[-_]?key[\\"']* *[:=] *[\\"']*)[A-Za-z0-9._~+/-]{16,}`)},
}
