package fakellm

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MaxBody is the longest request that is read, in bytes: 16 MiB. Longer ones are answered with 413.
const MaxBody = 16 << 20

// Options are what a server is given beside its script. The zero value is usable.
type Options struct {
	// Keep is how many of the last requests [Server.Seen] gives: 0 is 1,000, less than 0 is none.
	Keep int
	// Log is called after each request with what was seen and replied, also with Keep below 0; calls may be at the same time.
	Log func(Seen)
	// Values are the JSON values that fields can have, for noise, where the script names none.
	Values map[string][]string
	// Now is the clock; nil: it stands still at 1970. After waits; nil is [time.After].
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// Server answers as its script says. It is an [http.Handler] and safe for several goroutines; see also [Server.Transport].
type Server struct {
	script *Script
	answer Answerer
	o      Options
	kits   map[string]*kit // by model; "": all others
	done   chan struct{}
	close  sync.Once

	seen     keeper
	calls    atomic.Int64
	unknown  atomic.Int64
	inFlight atomic.Int64
	most     atomic.Int64
	times    repeats
}

// kit is a behaviour with what is looked up once.
type kit struct {
	*behaviour
	refusals []refusal
}

// New makes a server. A nil answer knows nothing: every answer is then the script's fallback.
func New(script *Script, answer Answerer, o Options) *Server {
	if answer == nil {
		answer = func(Ask) (string, bool) { return "", false }
	}
	if o.Keep == 0 {
		o.Keep = 1000
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Unix(0, 0).UTC() }
	}
	s := &Server{script: script, answer: answer, o: o, kits: map[string]*kit{"": newKit(&script.behaviour)}, done: make(chan struct{})}
	for name, b := range script.byModel {
		s.kits[name] = newKit(b)
	}
	s.seen.keep = o.Keep
	return s
}

func newKit(b *behaviour) *kit {
	k := &kit{behaviour: b}
	all := refusals()
	for _, q := range b.quirks {
		if f, ok := all[q]; ok {
			k.refusals = append(k.refusals, f)
		}
	}
	return k
}

func (s *Server) kit(model string) *kit {
	if k, ok := s.kits[model]; ok {
		return k
	}
	return s.kits[""]
}

// Calls is the number of chat requests that came, also of those that were refused.
func (s *Server) Calls() int { return int(s.calls.Load()) }

// Unknown is the number of answers for which the [Answerer] did not know what is right.
func (s *Server) Unknown() int { return int(s.unknown.Load()) }

// MostInFlight is the largest number of chat requests that were there at once.
func (s *Server) MostInFlight() int { return int(s.most.Load()) }

// Seen gives the last requests, as many as are kept, in the order in which they came; those that are not answered yet have
// the status 0.
func (s *Server) Seen() []Seen { return s.seen.list() }

// Close lets everything that waits or hangs end. The server still answers after it.
func (s *Server) Close() { s.close.Do(func() { close(s.done) }) }

// ServeHTTP answers POST …/chat/completions GET …/models and GET …/health under any prefix.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		return // the client is gone
	}
	c := &call{s: s, w: w, r: r, entry: s.seen.add(s, r, body)}
	defer c.finish()
	path := r.URL.Path
	switch {
	case len(body) > MaxBody:
		c.send(page(http.StatusRequestEntityTooLarge, "413 Request Entity Too Large", "fake-llm"))
	case strings.HasSuffix(path, "/health"):
		c.send(answer{status: http.StatusOK, body: `{"status":"healthy"}`}) // as `triage health` wants it
	case strings.HasSuffix(path, "/chat/completions"):
		if r.Method != http.MethodPost {
			c.send(header(oops(http.StatusMethodNotAllowed, "Not allowed to "+r.Method+" on "+path+".", invalid, "null", "null"), "Allow", http.MethodPost))
			return
		}
		c.chat(body)
	case strings.HasSuffix(path, "/models"), strings.Contains(path, "/models/"):
		if r.Method != http.MethodGet {
			c.send(header(oops(http.StatusMethodNotAllowed, "Not allowed to "+r.Method+" on "+path+".", invalid, "null", "null"), "Allow", http.MethodGet))
			return
		}
		c.models(path)
	default:
		c.send(oops(http.StatusNotFound, "Invalid URL ("+r.Method+" "+path+")", invalid, "null", "null"))
	}
}

// readBody reads at most one byte more than is allowed.
func readBody(r *http.Request) ([]byte, error) {
	if n := r.ContentLength; n >= 0 && n <= 1<<20 {
		body := make([]byte, n)
		_, err := io.ReadFull(r.Body, body)
		return body, err
	}
	return io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
}

// models answers the list of models, or one of them.
func (c *call) models(path string) {
	if !c.keyIsRight() {
		c.send(wrongKey())
		return
	}
	if f := c.fault("models", 0, ""); f != nil {
		c.strike(f, scene{path: path})
		return
	}
	list := c.s.script.models
	if list == nil {
		list = []string{"fake-model"}
	}
	one := func(name string) string {
		return `{"id":` + quoted(name) + `,"object":"model","created":1735689600,"owned_by":"fake"}`
	}
	if _, name, ok := strings.Cut(path, "/models/"); ok {
		if !slices.Contains(list, name) && c.s.script.models != nil {
			c.send(noModel(name))
			return
		}
		c.send(answer{status: http.StatusOK, body: one(name)})
		return
	}
	texts := make([]string, len(list))
	for i, name := range list {
		texts[i] = one(name)
	}
	c.send(answer{status: http.StatusOK, body: `{"object":"list","data":[` + strings.Join(texts, ",") + `]}`})
}
