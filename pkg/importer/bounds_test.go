package importer

import (
	"fmt"
	"strings"
	"testing"
)

func TestLargeTicketsDoNotWaitForAFullBatch(t *testing.T) {
	t.Parallel()
	k := newKeeper(nil, nil, newSpool(nil)) // nothing is written before 256 KiB are there
	for i := range 3 {
		kept := k.next()
		kept.line = Line{ID: "1", Body: strings.Repeat("x", 30<<10)}
		if err := k.keep(); err != nil || k.batch == nil || k.batch.n != i+1 {
			t.Fatalf("small ticket %d: %v, batch is %v", i, err, k.batch)
		}
	}
	k.next().line = Line{ID: "2", Fields: map[string]string{"log": strings.Repeat("x", batchBytes)}}
	k.batch.tickets[0].line.Body, k.batch.tickets[3].row = "", 7
	k.spool.w.Reset(discard{})
	if err := k.keep(); err != nil || k.batch != nil {
		t.Errorf("a large ticket waits in its batch: %v", err)
	}
	if err := k.end(); err != nil || k.spool.n != 4 {
		t.Errorf("%d tickets were kept (%v), want 4", k.spool.n, err)
	}
	for range batches {
		b := <-k.free
		for i := range b.tickets {
			if b.tickets[i].line.ID != "" {
				t.Errorf("ticket %d still holds its texts", i)
			}
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestANewMemberCostsLittle(t *testing.T) { //nolint:paralleltest // it counts allocations of the whole process
	const members = 1000
	var b strings.Builder
	b.WriteString(`{"id":"1","subject":"s"`)
	for i := range members {
		fmt.Fprintf(&b, `,"Key_%d":"v"`, i)
	}
	b.WriteString("}")
	format, err := FormatNamed("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(3, func() {
		r, err := format.Open(&Input{Name: "a.jsonl", Read: strings.NewReader(b.String())})
		if err != nil {
			t.Fatal(err)
		}
		if rec, err := r.Next(); err != nil || len(rec.Fields) != members {
			t.Fatalf("%v, %+v", err, rec)
		}
	})
	if n > 40*members {
		t.Errorf("a record of %d new members takes %.0f allocations, want 40 a member at most", members, n)
	}
}
