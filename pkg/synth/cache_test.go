package synth

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

func TestACachedSourceGivesTheTicketsOfItsSource(t *testing.T) {
	t.Parallel()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]int{"none": 0, "a few": 20 << 10, "all": 64 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cache := NewCache(limit)
			var wg sync.WaitGroup
			for _, task := range triage.Tasks() {
				source, err := New(bank, task, triage.Train, nil)
				if err != nil {
					t.Fatal(err)
				}
				cached := cache.Source(source)
				for range 2 {
					wg.Go(func() {
						for i := range 120 {
							seed, position := int64(i%15), i%task.Tickets
							want, got := source.Ticket(seed, position), *cached.Ticket(seed, position)
							if kept := got.Ticket.Encoded; kept != nil {
								if plain, err := plainJSON(want.Ticket.Queue()); err != nil || string(plain) != string(kept) {
									t.Errorf("%s seed %d position %d: kept as %s, is %s", task.Name, seed, position, kept, plain)
								}
							}
							got.Ticket.Encoded = nil
							if d := cmp.Diff(*want, got); d != "" {
								t.Errorf("%s seed %d position %d:\n%s", task.Name, seed, position, d)
							}
						}
					})
				}
			}
			wg.Wait()
			if size := cache.size.Load(); size > int64(limit) {
				t.Errorf("the cache holds %d bytes of %d", size, limit)
			}
			if limit == 64<<20 && cache.size.Load() == 0 {
				t.Error("nothing was kept")
			}
		})
	}
}

// plainJSON is encoding/json without escaping for HTML.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
