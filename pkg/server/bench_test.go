package server

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// benchServer has the real environments.
func benchServer(b *testing.B) *Server {
	b.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		b.Fatal(err)
	}
	sources := map[string]env.Source{}
	cache := synth.NewCache(16 << 20)
	for _, task := range triage.Tasks() {
		for _, split := range triage.Splits() {
			source, err := synth.New(bank, task, split, nil)
			if err != nil {
				b.Fatal(err)
			}
			sources[task.Name+string(split)] = cache.Source(source)
		}
	}
	s := New(Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now, Random: rand.Reader,
		NewEnv: func(task triage.Task, split triage.Split) (triage.Env, error) {
			return env.New(task, split, func(split triage.Split) (env.Source, error) { return sources[task.Name+string(split)], nil })
		}}, Options{})
	b.Cleanup(func() { _ = s.Drain(b.Context()) })
	return s
}

// benchAnswer answers frames without a network: what a step costs beside the socket. Every eighth frame is a reset with the
// next seed.
func benchAnswer(b *testing.B, resets bool, seeds int) {
	s := benchServer(b)
	x, refusal := s.sessions.open(s.newPlayer(triage.Queue, ""), "x", nil)
	if refusal != nil {
		b.Fatal(refusal)
	}
	k := &socket{server: s, session: x}
	step := []byte(`{"type":"step","data":{"route_category":"billing","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":12}}`)
	var buf []byte
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%8 == 0 && (resets || i == 0) {
			buf, _ = answerFrame(k, fmt.Appendf(nil, `{"type":"reset","data":{"seed":%d}}`, i/8%seeds), buf[:0])
		}
		if !resets && i%8 == 0 && i > 0 {
			b.StopTimer()
			buf, _ = answerFrame(k, fmt.Appendf(nil, `{"type":"reset","data":{"seed":%d}}`, i/8%seeds), buf[:0])
			b.StartTimer()
		}
		if buf, _ = answerFrame(k, step, buf[:0]); !bytes.HasPrefix(buf, []byte(`{"type":"observation"`)) {
			b.Fatalf("%s", buf)
		}
		i++
	}
}

// Seeds that come again are remembered; in BenchmarkStepOfNewSeeds none does.
func BenchmarkStepWithResets(b *testing.B) { benchAnswer(b, true, 500) }

func BenchmarkStepOfNewSeeds(b *testing.B) { benchAnswer(b, true, 1<<40) }

func BenchmarkStep(b *testing.B) { benchAnswer(b, false, 500) }
