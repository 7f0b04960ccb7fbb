package dataset_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/dataset"
)

// madeUp is a file of many rows that is made as it is read: every row is as long as the next.
type madeUp struct {
	header string
	format string // of a row, by its number
	rows   int64
	width  int64
}

func newMadeUp(rows int64) *madeUp {
	f := &madeUp{header: "id,subject,body,priority\n", format: "T-%08d,\"Order %08[1]d, again\",the parcel is late and nobody answers,%[2]s\n", rows: rows}
	f.width = int64(len(f.row(0)))
	return f
}

func (f *madeUp) row(i int64) string {
	return fmt.Sprintf(f.format, i, []string{"low   ", "medium", "high  "}[i%3])
}

func (f *madeUp) size() int64 { return int64(len(f.header)) + f.rows*f.width }

func (f *madeUp) ReadAt(p []byte, off int64) (int, error) {
	n, head := 0, int64(len(f.header))
	for n < len(p) && off < f.size() {
		piece := ""
		if off < head {
			piece = f.header[off:]
		} else {
			piece = f.row((off - head) / f.width)[(off-head)%f.width:]
		}
		k := copy(p[n:], piece)
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// held is the memory that is in use.
func held() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// TestOpenHoldsFewBytesARow does not run in parallel: it measures the memory of the process.
func TestOpenHoldsFewBytesARow(t *testing.T) {
	const rows = 30_000
	before := held()
	f := newMadeUp(rows)
	s, err := dataset.Open(f, f.size(), "made up", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != rows {
		t.Errorf("%d tickets, want %d", s.Len(), rows)
	}
	if got := (held() - before) / rows; got > 16 {
		t.Errorf("a set holds %d bytes a row, want at most 16", got)
	}
	c, err := s.Case(rows - 1)
	if want := fmt.Sprintf("T-%08d", rows-1); err != nil || c.Ticket.ID != want || !strings.HasPrefix(c.Ticket.Subject, "Order ") {
		t.Errorf("the last ticket is %+v (%v), want %s", c.Ticket, err, want)
	}
	runtime.KeepAlive(s)
}

func BenchmarkOpen(b *testing.B) {
	const rows = 1_000_000
	f := newMadeUp(rows)
	b.SetBytes(f.size())
	b.ReportAllocs()
	before := held()
	var s *dataset.Set
	for b.Loop() {
		var err error
		if s, err = dataset.Open(f, f.size(), "made up", dataset.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(held()-before)/rows, "heldB/row")
	runtime.KeepAlive(s)
}

func BenchmarkCase(b *testing.B) {
	f := newMadeUp(1000)
	s, err := dataset.Open(f, f.size(), "made up", dataset.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.Case(i % s.Len()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenTickets(b *testing.B) {
	const rows = 100_000
	f := &madeUp{rows: rows, header: `{"schema":"triage.tickets/1","labels":{"priority":{"ordered":true,"values":["low","medium","high"]}},"split":"time"}` + "\n",
		format: `{"id":"T-%08d","subject":"Order %08[1]d, again","body":"the parcel is late and nobody answers","split":"test","labels":{"priority":"%[2]s"},"fields":{"channel":"email"}}` + "\n"}
	f.width = int64(len(f.row(0)))
	b.SetBytes(f.size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dataset.Open(f, f.size(), "made up", dataset.Options{Side: dataset.TestSide}); err != nil {
			b.Fatal(err)
		}
	}
}
