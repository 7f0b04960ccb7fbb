package importer_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/redact"
)

// writeMade writes n rows of CSV of about 290 bytes, as a desk would: dates that ascend, five groups, four priorities.
func writeMade(w io.Writer, n int) error {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		word := make([]byte, 3+r.IntN(7))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		words[i] = string(word)
	}
	groups, levels := []string{"Billing", "Technical", "Feature", "Feedback", "Spam"}, []string{"Low", "Medium", "High", "Urgent"}
	out := bufio.NewWriterSize(w, 1<<20)
	text := func(n int) {
		for k := range n {
			if k > 0 {
				_ = out.WriteByte(' ') // Flush says what went wrong
			}
			_, _ = out.WriteString(words[r.IntN(len(words))])
		}
	}
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	_, _ = fmt.Fprintln(out, "Ticket ID,Subject,Description,Group,Priority,Created time,Product,Requester email")
	for i := range n {
		_, _ = fmt.Fprintf(out, "%d,", i+1)
		text(5)
		_, _ = out.WriteString(",\"")
		text(26)
		at = at.Add(time.Duration(r.IntN(60)) * time.Second)
		_, _ = fmt.Fprintf(out, "\",%s,%s,%s,Product %d,user%d@example.com\n", groups[r.IntN(5)], levels[r.IntN(4)], at.Format(time.DateTime), r.IntN(20), r.IntN(n/10+1))
	}
	return out.Flush()
}

// BenchmarkImport imports 100,000 rows of CSV; MB/s are those of the CSV.
func BenchmarkImport(b *testing.B) {
	dir := b.TempDir()
	name := filepath.Join(dir, "made.csv")
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	if err := writeMade(f, 100_000); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for _, with := range []struct {
		name    string
		options importer.Options
	}{
		{"plain", importer.Options{}},
		{"split", importer.Options{Split: &importer.SplitOptions{}}},
		{"redact", importer.Options{Redact: redact.New(redact.Options{})}},
	} {
		b.Run(with.name, func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				o := with.options
				o.Sources = []importer.Source{fileSource(name)}
				o.Temp = func() (importer.TempFile, error) { return os.CreateTemp(dir, "*") }
				o.Write = func(write func(io.Writer) error) error { return write(io.Discard) }
				res, err := importer.Import(context.Background(), o)
				if err != nil || res.Tickets != 100_000 {
					b.Fatal(res, err)
				}
			}
		})
	}
}

// fileSource is a file as the command line opens it.
func fileSource(name string) importer.Source {
	return importer.Source{Name: name, Open: func() (*importer.Opened, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return importer.OpenedFile(f, os.DirFS)
	}}
}
