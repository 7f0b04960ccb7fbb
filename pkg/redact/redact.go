// Package redact replaces what says who somebody is, and what gives access, by placeholders such as [EMAIL_1]: the same value
// by the same placeholder through a whole run, so that a reader still sees who is meant twice. It works offline and by rules alone.
//
// What it finds: mail addresses, phone numbers, postal addresses, card numbers (with a valid check digit, or after the word card),
// IBANs, account and customer numbers that are called so, national ids, IP addresses, keys and tokens of well-known forms,
// whatever stands after "password:", "token=" and their like, secrets in URLs, and names where a clue tells them: greetings,
// signatures, titles (Mrs. Weber), "my name is", "Name <mail>", lines such as "From:", and the names that the caller knows: those of a
// ticket's own columns in all its texts ([Redactor.Record]), full names of other tickets' columns too ([Redactor.Again]). A signature
// is a line after a closing, or a short one near the end that is nothing but a name.
//
// What it does not find, and what a person should look for who hands the texts on: names inside a sentence without any of these
// clues ("ask Peter"), names of companies, nicknames and user names, phone numbers without country code, leading zero or a word that
// calls them so, addresses of countries whose form it does not know or without a house number, birth dates, licence plates, keys of
// unknown form without a word that calls them so, anything misspelt on purpose ("anna at example dot com"), and what is in pictures. A
// text that is redacted is not anonymous: what happened to whom can tell who it was. On the mails of testdata, which were written for
// these rules and with such names among them, it finds 33 of 38 values and takes nothing else for one. Of the 476 mails of
// examples/own-tickets, at which the rules for signatures were made, 407 are signed with a name on a short line, and 9 of them still are
// afterwards; but where names stand in sentences as well, those stay: 97 of the 421 tickets that are imported hold one. Real mails will
// be worse: a last line of two capitalised words that is no name goes too ("Visual Basic"), and a first name in small letters stays.
//
// What it leaves: order, ticket and version numbers, dates, amounts, error codes, product codes, hashes and UUIDs, because
// triage needs them. Start at [New].
package redact

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a placeholder stands for.
type Kind uint8

// The kinds.
const (
	Name       Kind = iota // a person's name
	Mail                   // a mail address
	Phone                  // a phone or fax number
	Address                // a street, a postcode with its town, a post box
	Card                   // a payment card's number
	IBAN                   // an international bank account number
	Account                // an account, customer or member number
	NationalID             // a social security, passport or tax number
	Key                    // a key or token of a well-known form, a private key
	Secret                 // what follows a word such as password, token or PIN
	URLSecret              // user and password, tokens and long random parts of a URL
	IP                     // an IP address
	kinds
)

// kindWords are the words for the kinds: in options and reports, and in placeholders.
var kindWords = [kinds][2]string{
	Name: {"name", "NAME"}, Mail: {"email", "EMAIL"}, Phone: {"phone", "PHONE"}, Address: {"address", "ADDRESS"},
	Card: {"card", "CARD"}, IBAN: {"iban", "IBAN"}, Account: {"account", "ACCOUNT"}, NationalID: {"national-id", "NATIONAL_ID"},
	Key: {"key", "KEY"}, Secret: {"secret", "SECRET"}, URLSecret: {"url-secret", "URL_SECRET"}, IP: {"ip", "IP"},
}

// Kinds lists all kinds in the order of the constants.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String gives the word for a kind, such as email.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindWords[k][0]
}

// MarshalText gives the word of [Kind.String], or an error for a kind that there is not.
func (k Kind) MarshalText() ([]byte, error) {
	if k >= kinds {
		return nil, fmt.Errorf("kind %d is none of %s", uint8(k), kindList())
	}
	return []byte(kindWords[k][0]), nil
}

// UnmarshalText reads the word of [Kind.String]; any other word is an error that lists them.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, words := range kindWords {
		if string(text) == words[0] {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("kind %q is none of %s", text, kindList())
}

func kindList() string {
	words := make([]string, kinds)
	for i := range words {
		words[i] = kindWords[i][0]
	}
	return strings.Join(words, ", ")
}

// Options say what to leave. The zero value replaces all kinds.
type Options struct {
	// Keep lists the kinds that stay as they are.
	Keep []Kind
}

// Redactor replaces values by placeholders and remembers, by a hash of 64 bits, which value has which: 12 to 24 bytes each, and some 40
// bytes for each full name that the caller knows. It is not for use by several goroutines at once.
type Redactor struct {
	keep    [kinds]bool
	counts  [kinds]int
	numbers numbers
	scan    scan
	known   directory
}

// New begins a run: placeholders count from 1 in each kind.
func New(o Options) *Redactor {
	r := &Redactor{known: directory{}}
	for _, k := range o.Keep {
		if k < kinds {
			r.keep[k] = true
		}
	}
	return r
}

// Record redacts the texts of one ticket in place. Known are the people of the ticket that the export names in other columns, in any of
// the usual forms ("Anna Weber", "Weber, Anna", "Anna Weber <anna@example.com>", "anna.weber@example.com"): their full names are
// replaced wherever they stand in the texts, their first names in greetings and signatures. Names of teams, such as
// "Support Team", and whatever else is no person's name are ignored.
//
// What comes back is valid UTF-8: other bytes become U+FFFD. A text in which nothing is found, and that is valid, is the same string. The
// time is linear in the texts, and redacting again changes nothing.
func (r *Redactor) Record(texts []*string, known []string) {
	for _, t := range texts {
		*t = strings.ToValidUTF8(*t, "\uFFFD")
	}
	// What is replaced can lay bare what stood beside it, so that a text is read again until nothing is found in it.
	const passes = 4
	for range passes {
		if !r.pass(texts, known) {
			return
		}
	}
}

// pass replaces what one reading finds, and tells whether that was anything.
func (r *Redactor) pass(texts []*string, known []string) bool {
	c := &r.scan
	c.people = peopleOf(c.people[:0], known)
	c.found = c.found[:0]
	r.known.keep(c.people)
	for len(c.texts) < len(texts) {
		c.texts = append(c.texts, nil)
	}
	for i, t := range texts {
		c.texts[i] = c.spansOf(*t, c.texts[i][:0])
	}
	c.people = append(c.people, c.found...)
	changed := false
	for i, t := range texts {
		c.texts[i] = tidy(append(c.texts[i], c.phrases(*t)...))
		for _, s := range c.texts[i] {
			changed = changed || !r.keep[s.kind]
		}
		*t = r.replaced(*t, c.texts[i])
		if cap(c.texts[i]) > 4096 {
			c.texts[i] = nil // one huge text should not keep its memory
		}
	}
	return changed
}

// Count is how often a kind was replaced.
type Count struct {
	Kind Kind
	// Places counts the replacements, and Values the different values among them.
	Places, Values int
}

// Table gives the counts of the kinds that occurred so far, in the order of [Kinds].
func (r *Redactor) Table() []Count {
	var out []Count
	for k, n := range r.counts {
		if n > 0 {
			out = append(out, Count{Kind: Kind(k), Places: n, Values: int(r.numbers.last[k])})
		}
	}
	return out
}

// Counts gives how many places were replaced so far, for the kinds that occurred.
func (r *Redactor) Counts() map[Kind]int {
	out := map[Kind]int{}
	for _, c := range r.Table() {
		out[c.Kind] = c.Places
	}
	return out
}

// span is a piece of a text that is to be replaced.
type span struct {
	start, end int
	kind       Kind
}

// tidy sorts spans and drops those that overlap: a name gives way to anything, otherwise the one that begins first stays, then the longer.
func tidy(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	out := spans[:0]
	for _, s := range spans {
		for len(out) > 0 && out[len(out)-1].end > s.start && out[len(out)-1].kind == Name && s.kind != Name {
			out = out[:len(out)-1]
		}
		if len(out) == 0 || out[len(out)-1].end <= s.start {
			out = append(out, s)
		}
	}
	return out
}

// replaced writes a text with placeholders for its spans.
func (r *Redactor) replaced(text string, spans []span) string {
	var out strings.Builder
	at := 0
	for _, s := range spans {
		if r.keep[s.kind] {
			continue
		}
		if at == 0 {
			out.Grow(len(text) + 16)
		}
		r.counts[s.kind]++
		out.WriteString(text[at:s.start])
		out.WriteString(r.placeholder(s.kind, text[s.start:s.end]))
		at = s.end
	}
	if at == 0 {
		return text
	}
	out.WriteString(text[at:])
	return out.String()
}

// placeholder gives a value's placeholder, a new one for a new value.
func (r *Redactor) placeholder(k Kind, value string) string {
	if k == Name {
		value = r.scan.fullName(value)
	}
	return r.numbered(k, hashValue(k, value))
}

// numbered gives the placeholder of the value with a hash.
func (r *Redactor) numbered(k Kind, hash uint64) string {
	return "[" + kindWords[k][1] + "_" + strconv.FormatUint(uint64(r.numbers.number(k, hash)), 10) + "]"
}

// placeholderAt tells where a placeholder that begins at i ends, 0 if there is none.
func placeholderAt(s string, i int) int {
	if s[i] != '[' {
		return 0
	}
	j := i + 1
	for j < len(s) && j < i+16 && (s[j] >= 'A' && s[j] <= 'Z' || s[j] == '_') {
		j++
	}
	if j-1 <= i || s[j-1] != '_' {
		return 0
	}
	known := false
	for _, words := range kindWords {
		known = known || words[1] == s[i+1:j-1]
	}
	digits := j
	for j < len(s) && j < digits+10 && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	if !known || j == digits || j == len(s) || s[j] != ']' {
		return 0
	}
	return j + 1
}
