package store

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// The calls of a run: a request of 12 KB, an answer of 1 KB.
func benchKey(i int) wire.Key {
	return wire.Key{URL: baseURL, Scope: fmt.Sprintf("queue-hard/%d/0/1", i),
		Request: fmt.Appendf(bytes.Repeat([]byte("0123456789abcdef"), 750), "%d", i)}
}

var benchBody = []byte(`{"choices":[{"message":{"content":"` + strings.Repeat("x", 960) + `"}}]}`)

func benchKeys(n int) []wire.Key {
	keys := make([]wire.Key, n)
	for i := range keys {
		keys[i] = benchKey(i)
	}
	return keys
}

func benchPut(b *testing.B, s wire.Store) {
	var n atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		k := benchKey(0)
		for pb.Next() {
			k.Scope = strconv.FormatInt(n.Add(1), 10) // a new entry each time
			if err := s.Put(k, benchBody); err != nil {
				b.Error(err)
			}
		}
	})
}

func benchGet(b *testing.B, s wire.Store) {
	keys := benchKeys(1000)
	var n atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, ok, err := s.Get(keys[n.Add(1)%int64(len(keys))]); !ok {
				b.Error("miss", err)
			}
		}
	})
}

func BenchmarkCachePut(b *testing.B) { benchPut(b, cache(b, folder(b), On)) }

func BenchmarkCacheGet(b *testing.B) {
	c := cache(b, folder(b), On)
	for _, k := range benchKeys(1000) {
		put(b, c, k, string(benchBody))
	}
	benchGet(b, c)
}

func BenchmarkCacheMiss(b *testing.B) {
	c := cache(b, folder(b), On)
	k := benchKey(1)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, _ := c.Get(k); ok {
			b.Fatal("hit")
		}
	}
}

func BenchmarkRecorderPut(b *testing.B) {
	r, err := Record(folder(b), CassetteOptions{})
	if err != nil {
		b.Fatal(err)
	}
	benchPut(b, r)
}

func BenchmarkPlayerGet(b *testing.B) {
	dir := b.TempDir()
	record(b, dir, CassetteOptions{}, func(r *Recorder) {
		for _, k := range benchKeys(1000) {
			put(b, r, k, string(benchBody))
		}
	})
	p, err := Replay(open(b, dir), CassetteOptions{})
	if err != nil {
		b.Fatal(err)
	}
	benchGet(b, p)
}
