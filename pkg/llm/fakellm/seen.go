package fakellm

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Seen is a request and what was done with it.
type Seen struct {
	// Number counts all requests from 1; Call counts chat requests from 1 and is 0 for others.
	Number, Call int64
	At           time.Time
	Method       string
	Path         string // with the query, where there is one
	// Header is the request's, with *** in place of keys.
	Header http.Header
	Body   []byte
	Model  string
	// Fault is the name or the number (from 1) of the fault that struck, Form the form of the answer; empty where there is none.
	Fault, Form string
	// Known tells that the [Answerer] knew what is right.
	Known bool
	// Status and Reply are what went out; 0 where nothing did.
	Status int
	Reply  []byte
}

// knownHeaders hold nothing that is secret. Any other may: people name headers that bear keys as they like.
var knownHeaders = []string{"Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Host", "User-Agent", "X-Triage-Episode"}

// keeper keeps the last requests.
type keeper struct {
	keep   int
	mu     sync.Mutex
	number int64
	ring   []*Seen
}

// add begins the entry of a request. Where nothing is kept or logged it has no copies of the request.
func (k *keeper) add(s *Server, r *http.Request, body []byte) *Seen {
	e := &Seen{}
	if k.keep > 0 || s.o.Log != nil {
		e.At, e.Method, e.Path, e.Header, e.Body = s.o.Now(), r.Method, r.URL.RequestURI(), r.Header.Clone(), body
		for name := range e.Header {
			if !slices.Contains(knownHeaders, name) {
				e.Header[name] = []string{"***"}
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.number++
	e.Number = k.number
	if k.keep > 0 {
		if len(k.ring) < k.keep {
			k.ring = append(k.ring, e)
		} else {
			k.ring[(k.number-1)%int64(k.keep)] = e
		}
	}
	return e
}

// record changes the call's entry, at which others may look, if anybody may.
func (c *call) record(f func(e *Seen)) {
	if c.s.o.Keep <= 0 && c.s.o.Log == nil {
		return
	}
	c.s.seen.mu.Lock()
	defer c.s.seen.mu.Unlock()
	f(c.entry)
}

func (k *keeper) list() []Seen {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]Seen, len(k.ring))
	for i, e := range k.ring {
		out[i] = *e
	}
	slices.SortFunc(out, func(a, b Seen) int { return int(a.Number - b.Number) })
	return out
}

// repeats counts how often the same request came.
type repeats struct {
	mu    sync.Mutex
	count map[[32]byte]int
}

// mostRepeats is how many different requests are counted; those beyond it count as new.
const mostRepeats = 1 << 20

// next gives 0 for the first time, then 1 …
func (r *repeats) next(key [32]byte) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[[32]byte]int{}
	}
	n, ok := r.count[key]
	if ok || len(r.count) < mostRepeats {
		r.count[key] = n + 1
	}
	return n
}
