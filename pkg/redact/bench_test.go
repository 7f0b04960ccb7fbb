package redact_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/redact"
)

// hostile are texts of 1 MiB that are made to take long.
func hostile() map[string]string {
	out := map[string]string{}
	for _, piece := range []string{
		"a", "1", "@", "a.", "a@", "a@b.", "1 ", "1-", "+1 ", "(", "(1) ", ":", "::1:", "-", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "eyJ", "eyJa.",
		"http://", "http://a:b@", "https://a/reset/", "?token=", "password: ", "password is \"", "token='", "[", "[EMAIL_", "[EMAIL_1]", "Hi ", "Hi A", "Hi\n", "Thanks,\n",
		"A ", "A. ", "Anna ", "Anna Weber ", "Mr. ", "1 A ", "12 Main ", "12 rue ", "Calle A ", "A-", "Karl-", "AL, ", "AL 1", "D-1", "IL 62704, ", "DE89", "DE89 3704 0044 0532 0130 00",
		"4111 1111 1111 1111 ", "AKIA", "sk-", "wrote:", "my name is ", "my name is Anna Weber ", "From: ", "\n", "\n\n> ", "\x00", "é", "日本", "\u00a0", "%40", "1.2.3.", "x12 ", "account number ", "call ",
		"Best regards ", "- ", "--\n", "<script>", "=cmd()|", "\u0301", "_", "Weber, ", "van de ",
	} {
		out[piece] = strings.Repeat(piece, 1<<20/len(piece)+1)
	}
	return out
}

// TestHostileTextsAreRedacted has no clock: a rule that looks at a text over and over (2^40 steps) runs into the limit that tests
// have. BenchmarkHostile measures.
func TestHostileTextsAreRedacted(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	for piece, text := range hostile() {
		subject := piece
		r.Record([]*string{&subject, &text}, []string{"Anna Weber", "A B", "Anna", "é é"})
	}
	text := strings.Repeat("\xff", 1<<20)
	r.Record([]*string{&text}, nil)
	if strings.Trim(text, "\uFFFD") != "" {
		t.Error("what is no UTF-8 stays")
	}
}

func BenchmarkHostile(b *testing.B) {
	slowest, which := time.Duration(0), ""
	for b.Loop() {
		for piece, text := range hostile() {
			r := redact.New(redact.Options{})
			begun := time.Now()
			r.Record([]*string{&text}, []string{"Anna Weber"})
			if d := time.Since(begun); d > slowest {
				slowest, which = d, piece
			}
		}
	}
	b.Logf("slowest: %s for %q", slowest, which)
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
}

// BenchmarkMails measures mails in which every fifth word is replaced, and an ordinary one.
func BenchmarkMails(b *testing.B) {
	var mails []string
	for _, row := range rows(b, "mails.txt") {
		text, _ := marked(b, row)
		mails = append(mails, text)
	}
	const prose = "Since the update last week the export of our monthly report stops at about half of the rows, and nothing in the log tells us why. " +
		"We tried it again with fewer columns and in another browser, and the result was the same: the page says that the file is ready, " +
		"but it holds only 4,112 of 9,870 rows. Could you look into order 4711-0815 and tell us whether anything is lost?\n"
	for name, texts := range map[string][]string{"dense": mails, "prose": {"Hi Tom,\n\n" + prose + prose + "\nBest regards,\nAnna Weber\n+49 30 1234567"}} {
		b.Run(name, func(b *testing.B) {
			r := redact.New(redact.Options{})
			b.SetBytes(int64(len(strings.Join(texts, ""))))
			b.ReportAllocs()
			for b.Loop() {
				for _, text := range texts {
					r.Record([]*string{&text}, []string{"Anna Weber"})
				}
			}
		})
	}
}

// BenchmarkValues reports what a million different values hold in memory.
func BenchmarkValues(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := redact.New(redact.Options{})
		for i := range 1_000_000 {
			text := fmt.Sprintf("a%d@example.com", i)
			r.Record([]*string{&text}, nil)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "B/value")
		runtime.KeepAlive(r)
	}
}

func ExampleRedactor_Record() {
	r := redact.New(redact.Options{})
	subject := "Double charge, order 4711-0815"
	body := "Hi Tom,\nmy card 4111 1111 1111 1111 was charged twice, please call +49 30 1234567.\n\nBest regards,\nAnna Weber"
	r.Record([]*string{&subject, &body}, []string{"Anna Weber <anna@example.com>"})
	fmt.Println(subject)
	fmt.Println(body)
	for _, c := range r.Table() {
		fmt.Println(c.Kind, c.Places, c.Values)
	}
	// Output:
	// Double charge, order 4711-0815
	// Hi [NAME_1],
	// my card [CARD_1] was charged twice, please call [PHONE_1].
	//
	// Best regards,
	// [NAME_2]
	// name 2 2
	// phone 1 1
	// card 1 1
}
