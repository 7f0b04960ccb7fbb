package synth

import (
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
							if d := cmp.Diff(source.Ticket(seed, position), cached.Ticket(seed, position)); d != "" {
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
