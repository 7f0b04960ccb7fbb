package importer

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// manyRows is a CSV file of many rows, made as it is read from one block that is given again and again.
type manyRows struct {
	header, block string
	left          int64 // bytes
	at            int
}

// newManyRows makes a file of about so many bytes; quoted says that bodies stand in quotes and have line breaks.
func newManyRows(size int64, quoted bool) *manyRows {
	f := &manyRows{header: "id,subject,body,customer,created,priority,group,status\n"}
	var block strings.Builder
	for i := range 400 {
		body := "the parcel with the green lamp is late and nobody answers at the shop although we have called three times since Monday; " +
			"please tell us where it is and when it will be here or send the money back to the card that was used"
		if quoted {
			body = `"` + strings.ReplaceAll(body, "; ", ",\n\"\"again\"\": ") + `"`
		}
		fmt.Fprintf(&block, "T-%08d,Order %d again,%s,C-%04d,2024-01-%02dT09:12:00Z,%s,Shipping,Open\n", i, i, body, i, i%28+1,
			[]string{"Low", "Medium", "High"}[i%3])
	}
	f.block = block.String()
	f.left = size / int64(len(f.block)) * int64(len(f.block))
	return f
}

func (f *manyRows) Read(p []byte) (int, error) {
	if f.header != "" {
		n := copy(p, f.header)
		f.header = f.header[n:]
		return n, nil
	}
	if f.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, f.block[f.at:])
	f.at = (f.at + n) % len(f.block)
	f.left -= int64(n)
	return n, nil
}

func BenchmarkCSV(b *testing.B) {
	const size = 16 << 20
	for _, bench := range []struct {
		name   string
		quoted bool
	}{{"plain", false}, {"quoted", true}} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				countRecords(b, newManyRows(size, bench.quoted))
			}
		})
	}
}

func countRecords(t testing.TB, file io.Reader) (n int) {
	r, err := plainCSV().Open(&Input{Name: "made up", Read: file})
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
}

// TestALargeFileIsReadInLittleMemory does not run in parallel: it measures the memory of the process.
func TestALargeFileIsReadInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and the race detector makes it longer")
	}
	var before, after runtime.MemStats
	f := newManyRows(32<<20, true)
	r, err := plainCSV().Open(&Input{Name: "made up", Read: f})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	for {
		if _, err = r.Next(); err != nil {
			break
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); !errors.Is(err, io.EOF) || grown > 1<<20 {
		t.Errorf("reading ends with %v, and %d bytes more are held", err, grown)
	}
	runtime.KeepAlive(r)
}
