package llm_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"math/rand/v2"
	"net/url"

	"github.com/triagebench/triage/pkg/llm"
)

type instant struct{ body string }

func (i instant) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(i.body)),
		ContentLength: int64(len(i.body)), Request: r}, nil
}

// BenchmarkComplete is the client's own work for a call: a prompt of 12 KB, an endpoint that answers at once.
func BenchmarkComplete(b *testing.B) {
	base, err := url.Parse("http://127.0.0.1:1/v1")
	if err != nil {
		b.Fatal(err)
	}
	l, err := llm.NewLimiter(64)
	if err != nil {
		b.Fatal(err)
	}
	zero := 0.0
	c, err := llm.New(llm.Options{Endpoint: llm.Endpoint{BaseURL: base, Model: "m"}, Temperature: &zero, Limiter: l,
		Transport: instant{well().body}, Now: time.Now, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		b.Fatal(err)
	}
	r := request()
	r.Messages[1].Content = strings.Repeat("The invoice of March is wrong. ", 400)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Complete(context.Background(), r); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
