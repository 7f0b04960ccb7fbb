package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// FuzzFormats feeds lines of a log to every format: whatever is read as an episode comes out as CSV, JSON or XML.
func FuzzFormats(f *testing.F) {
	for _, run := range fixtures() {
		for _, ep := range run.episodes {
			e := triage.Encoder{Round: true}
			e.Episode(ep)
			f.Add(e.Buf)
		}
	}
	parts := []string{"route", "urgency", "difficulty", "priority", "category", "urgency_days", "score", "tea\"m"}
	f.Fuzz(func(t *testing.T, line []byte) {
		var list []*results.Logged
		if results.ReadLog(bytes.NewReader(line), "log", func(_ int, ep *results.Logged) error {
			list = append(list, ep)
			return nil
		}) != nil {
			return
		}
		for format, make := range writers(parts) {
			var b bytes.Buffer
			w := make(&b)
			for _, ep := range list {
				if w.Episode(source(), ep) != nil {
					return
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			checkForm(t, format, b.Bytes(), len(list))
		}
	})
}

// checkForm reads a format back.
func checkForm(t *testing.T, format string, data []byte, n int) {
	t.Helper()
	var err error
	switch {
	case format == "csv":
		_, err = csv.NewReader(bytes.NewReader(data)).ReadAll()
	case strings.HasSuffix(format, "xml"):
		err = xml.Unmarshal(data, new(suites))
	default:
		for _, l := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			if format == "inspect.json" {
				break
			}
			if len(l) > 0 && !json.Valid(l) {
				err = fmt.Errorf("no JSON: %s", strconv.Quote(string(l)))
			}
		}
		if format == "inspect.json" && n == 1 && !json.Valid(data) {
			err = fmt.Errorf("no JSON: %s", strconv.Quote(string(data)))
		}
	}
	if err != nil {
		t.Errorf("%s: %v", format, err)
	}
}

// manyTickets is a log of n tickets in episodes of twelve.
func manyTickets(b *testing.B, n int) []byte {
	b.Helper()
	e := triage.Encoder{Round: true}
	body := strings.Repeat("The scanner hangs while it updates. ", 30)
	for seed := range (n + 11) / 12 {
		ep := &triage.Episode{Key: triage.Key{Agent: "heuristic", Task: "queue-hard", Seed: int64(seed)}, Ended: triage.EndedComplete, Score: value(0.5), Efficiency: value(0.5), Reward: value(0.5)}
		for i := range 12 {
			ep.Steps = append(ep.Steps, queueStep(i, "Scanner", body, 0.5, "billing"))
		}
		e.Episode(ep)
		e.Buf = append(e.Buf, '\n')
	}
	return e.Buf
}

// BenchmarkTwentyThousandTickets reads a log of 20,000 tickets and writes it.
func BenchmarkTwentyThousandTickets(b *testing.B) {
	log := manyTickets(b, 20_000)
	for format, make := range writers([]string{"route", "urgency"}) {
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				w := make(io.Discard)
				if err := results.ReadLog(bytes.NewReader(log), "log", func(_ int, ep *results.Logged) error { return w.Episode(source(), ep) }); err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
