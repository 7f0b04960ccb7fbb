package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/triagebench/triage/pkg/triage"
)

// metrics count what the server does. None of them depends on an answer's worth: a sealed server's metrics tell nothing of it.
type metrics struct {
	handler  http.Handler
	started  map[triage.Track]prometheus.Counter
	stepped  map[triage.Track]prometheus.Counter
	refusals *prometheus.CounterVec
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	sockets  prometheus.Gauge
}

func newMetrics(s *Server) *metrics {
	reg := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		reg.MustRegister(c)
		return c
	}
	m := &metrics{started: map[triage.Track]prometheus.Counter{}, stepped: map[triage.Track]prometheus.Counter{}}
	resets := counter("triage_resets_total", "Episodes begun.", "track")
	steps := counter("triage_steps_total", "Steps taken.", "track")
	for _, t := range triage.Tracks() {
		m.started[t], m.stepped[t] = resets.WithLabelValues(string(t)), steps.WithLabelValues(string(t))
	}
	m.refusals = counter("triage_refusals_total", "Frames and calls that were answered with an error.", "code")
	m.requests = counter("triage_http_requests_total", "HTTP requests, WebSocket handshakes among them.", "route", "status")
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "triage_http_request_seconds", Help: "Time to answer HTTP requests.",
		Buckets: prometheus.ExponentialBuckets(0.0001, 4, 8)}, []string{"route"})
	m.sockets = prometheus.NewGauge(prometheus.GaugeOpts{Name: "triage_websockets", Help: "Open WebSockets."})
	gauge := func(name, help string, value func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("triage_sessions", "Sessions of sockets and of JSON-RPC.", func() float64 { return float64(s.sessions.count()) })
	gauge("triage_sessions_max", "The most sessions that there can be.", func() float64 { return float64(s.options.MaxSessions) })
	gauge("triage_http_episodes", "Episodes of plain HTTP that are kept.", func() float64 { return float64(s.episodes.count()) })
	reg.MustRegister(m.seconds, m.sockets, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(reg, promhttp.HandlerOpts{DisableCompression: true})
	return m
}

func (m *metrics) resets(t triage.Track) prometheus.Counter { return m.started[t] }

func (m *metrics) steps(t triage.Track) prometheus.Counter { return m.stepped[t] }

func (m *metrics) refusal(code string) { m.refusals.WithLabelValues(code).Inc() }

// request counts an answered request; route is the pattern that it matched, not its path.
func (m *metrics) request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
