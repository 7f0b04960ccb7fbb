package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/wire"
)

type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
	must bool
}

func (m *memory) key(k wire.Key) string { return k.URL + "|" + k.Scope + "|" + string(k.Request) }

func TestKeptAnswersTakeNoPlaceAndNoPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, e)
		store := &memory{kept: map[string][]byte{}}
		o.Store = store
		var records []llm.Record
		o.Log = func(r llm.Record) { records = append(records, r) }
		first, err := client(t, o).Complete(context.Background(), request())
		if err != nil {
			t.Fatal(err)
		}
		o.RPM = 1
		o.Transport = nil
		o.Transport = &endpoint{reply: func(int, map[string]any) answer { return answer{hang: true} }}
		c := client(t, o)
		hung := request()
		hung.Scope = "another"
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { _, _ = c.Complete(ctx, hung) }() // holds the only place, and the gate
		synctest.Wait()
		began := time.Now()
		for range 10 {
			again, err := c.Complete(context.Background(), request())
			if err != nil {
				t.Fatal(err)
			}
			first.Kept, first.Attempts = true, nil
			if diff := cmp.Diff(first, again); diff != "" {
				t.Error(diff)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("kept answers took %v", took)
		}
		want := llm.Record{Time: began, Model: "gpt-test", Scope: "task/1", Format: llm.FormatJSONSchema, Kept: true, Finish: "stop", Usage: first.Usage,
			Attempt: llm.Attempt{Status: 200, Sent: len(e.bodies[0]), Got: len(well().body)}}
		if diff := cmp.Diff(want, records[len(records)-1]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnAnswerThatMustBeKeptAndIsNotStopsTheRunWithoutACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, e)
		o.Store = &memory{must: true}
		_, err := client(t, o).Complete(context.Background(), request())
		if f := failure(t, err); f.Kind != llm.KindNotKept || !f.Fatal() || e.calls() != 0 || !strings.Contains(f.Text, "no recorded answer fits") {
			t.Errorf("%+v after %d calls", f, e.calls())
		}
	})
}

func TestAKeptAnswerDoesNotOpenTheGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		good := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, good)
		store := &memory{kept: map[string][]byte{}}
		o.Store = store
		if _, err := client(t, o).Complete(context.Background(), request()); err != nil {
			t.Fatal(err)
		}
		bad := &endpoint{reply: func(int, map[string]any) answer { return fails(401, `{"error":{"message":"bad key"}}`) }}
		o.Transport, o.Limiter = bad, limiter(t, 64)
		c := client(t, o)
		if _, err := c.Complete(context.Background(), request()); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				r := request()
				r.Scope = fmt.Sprint(i)
				_, _ = c.Complete(context.Background(), r)
			})
		}
		wg.Wait()
		if bad.calls() != 1 {
			t.Errorf("%d calls with a wrong key, want 1", bad.calls())
		}
	})
}

var _ wire.Store = (*memory)(nil)

func (m *memory) Get(k wire.Key) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.kept[m.key(k)]
	if !ok && m.must {
		return nil, false, errors.New("no recorded answer fits")
	}
	return b, ok, nil
}

func (m *memory) Put(k wire.Key, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[m.key(k)] = body
	return nil
}
