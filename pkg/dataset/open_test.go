package dataset_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

type m = map[string]string

// row is a ticket as an agent sees it, with its labels.
type row struct {
	ID, Subject, Body string
	Labels, Fields    m
}

// view is everything that a set tells.
type view struct {
	Format   dataset.Format
	Encoding dataset.Encoding
	Rows     []row
	Columns  []dataset.Column
	Skipped  []dataset.RowError
	Warnings []string
}

func open(text string, opts dataset.Options) (*dataset.Set, error) {
	return dataset.Open(strings.NewReader(text), int64(len(text)), "t.csv", opts)
}

func viewOf(t *testing.T, s *dataset.Set) view {
	t.Helper()
	v := view{Format: s.Format, Encoding: s.Encoding, Columns: s.Columns(), Warnings: s.Warnings()}
	for i := range s.Len() {
		c, err := s.Case(i)
		if err != nil {
			t.Fatalf("ticket %d: %v", i, err)
		}
		r := row{c.Ticket.ID, c.Ticket.Subject, c.Ticket.Body, c.Truth.Labels, c.Ticket.Fields}
		want := triage.Case{Ticket: triage.Ticket{ID: r.ID, Subject: r.Subject, Body: r.Body, Fields: r.Fields},
			Truth: triage.Truth{Labels: r.Labels}}
		if d := cmp.Diff(want, c); d != "" {
			t.Errorf("a case holds more than its row (-want +got):\n%s", d)
		}
		v.Rows = append(v.Rows, r)
	}
	_, v.Skipped = s.Skipped()
	return v
}

var (
	// plain is what the two rows of most files here come to.
	plain = []row{{"row-2", "", "a", m{"route": "x"}, m{}}, {"row-3", "", "b", m{"route": "y"}, m{}}}
	xy    = []dataset.Column{{Name: "route", Source: "route", Values: []string{"x", "y"}, Counts: []int{1, 1}}}
)

const once = "label route: one ticket only has x, y"

// openCase is a file and what it has to come to: a set or an error.
type openCase struct {
	name, file string
	opts       dataset.Options
	want       view
	err        string
}

func runOpen(t *testing.T, cases []openCase) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := open(tt.file, tt.opts)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error is\n%v, want\n%s", err, tt.err)
				}
				if triage.CodeOf(err) != triage.CodeUsage {
					t.Errorf("code of the error is %q, want usage", triage.CodeOf(err))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			want.Format, want.Encoding = or(want.Format, dataset.CSV), or(want.Encoding, dataset.UTF8)
			if d := cmp.Diff(want, viewOf(t, s)); d != "" {
				t.Errorf("set differs (-want +got):\n%s", d)
			}
			if n, _ := s.Skipped(); n != len(want.Skipped) {
				t.Errorf("%d rows were skipped, want %d", n, len(want.Skipped))
			}
		})
	}
}

func or[T ~string](v, other T) T {
	if v == "" {
		return other
	}
	return v
}

func quoteIn(line int) string {
	return "the quote that opens a cell in line " + string(rune('0'+line)) +
		" does not close before the cell ends (a quote inside a quoted cell is written twice)"
}

func utf16LE(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

func TestStrictErrorHoldsTheRow(t *testing.T) {
	t.Parallel()
	_, err := open("body,route\na,x\n\n,y\n", dataset.Options{Strict: true})
	var got dataset.RowError
	if !errors.As(err, &got) {
		t.Fatalf("error %v holds no RowError", err)
	}
	if d := cmp.Diff(dataset.RowError{Line: 4, Reason: "subject and body are empty"}, got); d != "" {
		t.Errorf("row differs (-want +got):\n%s", d)
	}
}

func TestSkippedKeepsTwenty(t *testing.T) {
	t.Parallel()
	s, err := open("body,route\na,x\n"+strings.Repeat("bad\n", 50), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, first := s.Skipped(); n != 50 || len(first) != 20 || first[19].Line != 22 {
		t.Errorf("skipped are %d with %d kept up to %v, want 50 with 20 up to line 22", n, len(first), first[len(first)-1])
	}
}

func TestWhatASetGivesIsACopy(t *testing.T) {
	t.Parallel()
	s, err := open("body,route\na,x\nb,y\nc\n", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := viewOf(t, s)
	s.Columns()[0].Values[0], s.Columns()[0].Counts[0] = "changed", 99
	s.Allowed()["route"][0] = "changed"
	_, first := s.Skipped()
	first[0].Line = 99
	s.Warnings()[0] = "changed"
	if d := cmp.Diff(want, viewOf(t, s)); d != "" {
		t.Errorf("set changed with what it gave (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string][]string{"route": {"x", "y"}}, s.Allowed()); d != "" {
		t.Errorf("allowed values differ (-want +got):\n%s", d)
	}
}

func TestLabelsOfASetAreWhatActionsMaySay(t *testing.T) {
	t.Parallel()
	s, err := open("body,priority\na,High\nb,low\n", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := triage.ParseAction(triage.Dataset, []byte(`{"priority":"High"}`), s.Allowed())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := s.Case(0); err != nil || cmp.Diff(c.Truth.Labels, got.Labels) != "" {
		t.Errorf("labels are %v (%v), want %v", c.Truth.Labels, err, got.Labels)
	}
}

// badReader fails from a position on, once it is told to.
type badReader struct {
	io.ReaderAt
	from int64
	err  error
}

func (r *badReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > r.from {
		return int(max(0, r.from-off)), r.err
	}
	return r.ReaderAt.ReadAt(p, off)
}

func TestBrokenReaders(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"body,route\n" + strings.Repeat("aaaaaaa,x\n", 20000),
		strings.Repeat(`{"body":"a","route":"x"}`+"\n", 9000),
	} {
		size := int64(len(file))
		broken := errors.New("disk on fire")
		for _, from := range []int64{0, 65536, size - 1} {
			for _, want := range []error{broken, io.ErrUnexpectedEOF} {
				r := &badReader{strings.NewReader(file), from, want}
				if errors.Is(want, io.ErrUnexpectedEOF) {
					r.err = io.EOF // a file that is shorter than it was said to be
				}
				if _, err := dataset.Open(r, size, "t", dataset.Options{}); !errors.Is(err, want) {
					t.Errorf("a reader that fails at %d gives %v, want %v", from, err, want)
				}
			}
		}
		r := &badReader{strings.NewReader(file), size, broken}
		s, err := dataset.Open(r, size, "t", dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.from = 0
		if _, err := s.Case(1); !errors.Is(err, broken) {
			t.Errorf("Case on a broken reader gives %v, want %v", err, broken)
		}
	}
}

func TestCaseOutsideOrChanged(t *testing.T) {
	t.Parallel()
	const before, after = "body,route\na,x\n", "body,route\na,,\n"
	bytes := []byte(before)
	s, err := dataset.Open(readerAt(bytes), int64(len(bytes)), "t.csv", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]string{-1: "t.csv: no ticket -1: there are 0 to 0", 1: "t.csv: no ticket 1: there are 0 to 0"} {
		if _, err := s.Case(i); err == nil || err.Error() != want {
			t.Errorf("Case(%d) gives %v, want %s", i, err, want)
		}
	}
	copy(bytes, after)
	want := `t.csv: line 2 has changed since the file was opened: no value in label column "route"`
	if _, err := s.Case(0); err == nil || err.Error() != want {
		t.Errorf("Case of a changed file gives %v, want %s", err, want)
	}
}

type readerAt []byte

func (b readerAt) ReadAt(p []byte, off int64) (int, error) {
	return strings.NewReader(string(b)).ReadAt(p, off)
}

func TestCaseIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"id,body,note,priority\n" + strings.Repeat("1,caf\xe9,\"a\nb\",low\n2,\"x, y\",,high\n", 50),
		strings.Repeat(`{"body":"a","from":{"x":1},"route":"x"}`+"\n", 100),
	} {
		s, err := open(file, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := viewOf(t, s)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if d := cmp.Diff(want, viewOf(t, s)); d != "" {
					t.Errorf("a concurrent reader sees something else (-want +got):\n%s", d)
				}
			})
		}
		wg.Wait()
	}
}
