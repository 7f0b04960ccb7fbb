package fakellm

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkServerOverLoopback is how fast the server answers: it must not be what a measurement of a client measures.
func BenchmarkServerOverLoopback(b *testing.B) {
	long := strings.Repeat("The handbook says what to do with each ticket.\\n", 200)
	for name, text := range map[string]string{"short": "hello", "long": long} {
		for _, answers := range []string{"bare", "fixed", "right"} { // bare: net/http alone, with an answer of the same length
			b.Run(answers+"/"+name, func(b *testing.B) {
				script := "answers: {fixed: '{\"category\":\"Bug\"}'}"
				if answers == "right" {
					script = ""
				}
				s, err := ParseScript([]byte(script), "script.yaml")
				if err != nil {
					b.Fatal(err)
				}
				var handler http.Handler = New(s, func(Ask) (string, bool) { return `{"category":"Bug"}`, true }, Options{Keep: -1})
				if answers == "bare" {
					handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						_, _ = io.Copy(io.Discard, r.Body)
						_, _ = io.WriteString(w, strings.Repeat("x", 430))
					})
				}
				server := httptest.NewServer(handler)
				defer server.Close()
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
				body := `{"model":"m","temperature":0,"messages":[{"role":"system","content":"` + text + `"},{"role":"user","content":"a ticket"}]}`
				b.SetParallelism(16)
				b.ReportAllocs()
				b.ResetTimer()
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						resp, err := client.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
						if err != nil {
							b.Error(err)
							return
						}
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			})
		}
	}
}
