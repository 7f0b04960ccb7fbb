package linear_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/linear"
)

// banking reads a part of BANKING77 from the folder that the variable BANKING77 names, with its labels numbered by value.
func banking(t testing.TB, part string, values []string) ([]linear.Example, linear.Labels) {
	t.Helper()
	folder := os.Getenv("BANKING77")
	if folder == "" {
		t.Skip("BANKING77 does not name a folder with train.csv and test.csv: see validation/banking77/README.md")
	}
	data, err := os.ReadFile(filepath.Join(folder, part+".csv"))
	if err != nil {
		t.Skip(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	labels := linear.Labels{Name: "intent", Values: values}
	if values == nil {
		for _, row := range rows[1:] {
			labels.Values = append(labels.Values, row[1])
		}
		slices.Sort(labels.Values)
		labels.Values = slices.Compact(labels.Values)
	}
	var examples []linear.Example
	for _, row := range rows[1:] {
		at, ok := slices.BinarySearch(labels.Values, row[1])
		if !ok {
			t.Fatalf("%s.csv: unknown category %q", part, row[1])
		}
		examples = append(examples, linear.Example{Texts: []linear.Text{{Text: row[0]}}})
		labels.Of = append(labels.Of, at)
	}
	return examples, labels
}

func trainBanking(t testing.TB, o linear.Options) (*linear.Bundle, linear.Report, linear.Labels) {
	t.Helper()
	examples, labels := banking(t, "train", nil)
	b, report, err := linear.Train(context.Background(), examples, []linear.Labels{labels}, o)
	if err != nil {
		t.Fatal(err)
	}
	return b, report, labels
}

// answered is what a bundle of one model answers to examples, and how that compares with their labels.
func answered(t testing.TB, b *linear.Bundle, examples []linear.Example, labels linear.Labels) linear.Evaluation {
	t.Helper()
	m := b.Models()[0]
	var probabilities [][]float64
	var answers []int
	for _, e := range examples {
		p := m.Probabilities(b.Vector(e))
		probabilities, answers = append(probabilities, p), append(answers, m.Decide(p))
	}
	e, err := linear.Evaluate(labels, probabilities, answers)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func written(t testing.TB, b *linear.Bundle) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBanking77IsAnsweredAsWellAsByTheKnownBaselines(t *testing.T) {
	start := time.Now()
	b, report, labels := trainBanking(t, linear.Options{})
	trained := time.Since(start)
	file := written(t, b)
	// What is measured is what a file holds.
	b, err := linear.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	examples, test := banking(t, "test", labels.Values)
	e := answered(t, b, examples, test)
	c := report.Columns[0]
	t.Logf("accuracy %.4f, macro-F1 %.4f, log loss %.4f, ECE %.4f; held out %d: accuracy %.4f, log loss %.4f, temperature %.4f",
		e.Accuracy, e.MacroF1, e.LogLoss, e.ECE, c.Held, c.Accuracy, c.LogLoss, c.Temperature)
	t.Logf("trained in %v, %d passes, %d features, file of %d bytes", trained, c.Epochs, report.Features, len(file))
	if e.Accuracy < 0.905 || e.MacroF1 < 0.905 {
		t.Errorf("accuracy %v and macro-F1 %v: both must be at least 0.905", e.Accuracy, e.MacroF1)
	}
	if e.ECE > 0.04 {
		t.Errorf("ECE %v: it must be at most 0.04", e.ECE)
	}
	if len(file) > 20<<20 {
		t.Errorf("the file has %d bytes", len(file))
	}
}

func TestBanking77GivesTheSameBytesWithOneWorkerAndWithTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("trains twice")
	}
	var digests []string
	for _, workers := range []int{1, 2} {
		b, _, _ := trainBanking(t, linear.Options{Workers: workers})
		digests = append(digests, b.Digest())
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %v", digests)
	}
	t.Log(digests[0])
}

func BenchmarkBanking77Train(b *testing.B) {
	examples, labels := banking(b, "train", nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := linear.Train(context.Background(), examples, []linear.Labels{labels}, linear.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBanking77Predict(b *testing.B) {
	bundle, _, labels := trainBanking(b, linear.Options{})
	examples, _ := banking(b, "test", labels.Values)
	m := bundle.Models()[0]
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			m.Decide(m.Probabilities(bundle.Vector(examples[i%len(examples)])))
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}
