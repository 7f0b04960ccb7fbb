package server

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/triagebench/triage/pkg/triage"
)

// The names of what the server counts.
const (
	resetsMetric   = "triage_resets_total"
	stepsMetric    = "triage_steps_total"
	refusalsMetric = "triage_refusals_total"
	requestsMetric = "triage_http_requests_total"
	secondsMetric  = "triage_http_request_seconds"
	socketsMetric  = "triage_websockets"
	sessionsMetric = "triage_sessions"
	mostMetric     = "triage_sessions_max"
	episodesMetric = "triage_http_episodes"
)

// helps says what each of them is.
var helps = map[string]string{
	resetsMetric:   "Episodes begun.",
	stepsMetric:    "Steps taken.",
	refusalsMetric: "Frames and calls that were answered with an error.",
	requestsMetric: "HTTP requests, WebSocket handshakes among them.",
	secondsMetric:  "Time to answer HTTP requests.",
	socketsMetric:  "Open WebSockets.",
	sessionsMetric: "Sessions of sockets and of JSON-RPC.",
	mostMetric:     "The most sessions that there can be.",
	episodesMetric: "Episodes of plain HTTP that are kept.",
}

// seconds are the upper bounds of the histogram of times to answer: 0.1 ms to 1.6 s, each four times the one before.
var seconds = metrics.ExponentialBuckets(0.0001, 4, 8)

// counts are what the server counts. None of it depends on an answer's worth: a sealed server's metrics tell nothing of it.
type counts struct {
	set     *metrics.Set
	started map[triage.Track]*metrics.Counter
	stepped map[triage.Track]*metrics.Counter
	sockets *metrics.Gauge
}

func newCounts(s *Server) *counts {
	set := metrics.NewSet()
	c := &counts{set: set, started: map[triage.Track]*metrics.Counter{}, stepped: map[triage.Track]*metrics.Counter{}}
	for _, t := range triage.Tracks() {
		c.started[t] = set.NewCounter(labelled(resetsMetric, "track", string(t)))
		c.stepped[t] = set.NewCounter(labelled(stepsMetric, "track", string(t)))
	}
	c.sockets = set.NewGauge(socketsMetric, nil)
	set.NewGauge(sessionsMetric, func() float64 { return float64(s.sessions.count()) })
	set.NewGauge(mostMetric, func() float64 { return float64(s.options.MaxSessions) })
	set.NewGauge(episodesMetric, func() float64 { return float64(s.episodes.count()) })
	metrics.ExposeMetadata(true) // HELP and TYPE; the library keeps it for the process
	return c
}

func (c *counts) resets(t triage.Track) *metrics.Counter { return c.started[t] }

func (c *counts) steps(t triage.Track) *metrics.Counter { return c.stepped[t] }

func (c *counts) refusal(code string) {
	c.set.GetOrCreateCounter(labelled(refusalsMetric, "code", code)).Inc()
}

// request counts an answered request; route is the pattern that it matched, not its path.
func (c *counts) request(route string, status int, took time.Duration) {
	c.set.GetOrCreateCounter(labelled(requestsMetric, "route", route, "status", strconv.Itoa(status))).Inc()
	c.set.GetOrCreatePrometheusHistogramExt(labelled(secondsMetric, "route", route), seconds).Update(took.Seconds())
}

// serve answers with everything in Prometheus's text format: what the server counts, then the process's own.
func (c *counts) serve(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	c.set.WritePrometheus(&b)
	page := b.Bytes()
	for name, help := range helps { // the library leaves HELP empty; each name is there once at most, so the order does not matter
		page = bytes.Replace(page, []byte("# HELP "+name+"\n"), []byte("# HELP "+name+" "+help+"\n"), 1)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(appendProcess(page)) // who asked may be gone
}

// labelled is the name of one series: name{label="value",…}, of labels and values by turns.
func labelled(name string, labels ...string) string {
	b := []byte(name)
	for i := 0; i+1 < len(labels); i += 2 {
		b = append(b, "{,"[min(i, 1)])
		b = append(b, labels[i]...)
		b = append(b, '=')
		b = strconv.AppendQuote(b, labels[i+1])
	}
	return string(append(b, '}'))
}
