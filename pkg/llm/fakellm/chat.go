package fakellm

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call is one request on its way.
type call struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	entry *Seen

	ask      *Ask
	kit      *kit
	key      [32]byte // of model and messages, and of how often they came where chance varies with it
	number   int64    // among chat requests, from 1
	inFlight int64    // chat requests that are there, with this one
}

// chat answers a chat request. The order is that of real servers: key, what breaks on the way, body, model, parameters,
// limits, answer.
func (c *call) chat(body []byte) {
	s := c.s
	c.number = s.calls.Add(1)
	c.inFlight = s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	for most := s.most.Load(); c.inFlight > most && !s.most.CompareAndSwap(most, c.inFlight); {
		most = s.most.Load()
	}
	if !c.keyIsRight() {
		c.send(wrongKey())
		return
	}
	c.record(func(e *Seen) { e.Call = c.number })
	ask, err := readAsk(c.r.URL.Path, body)
	if err != nil {
		c.send(oops(http.StatusBadRequest, err.Error(), invalid, "null", "null"))
		return
	}
	c.ask, c.kit = ask, s.kit(ask.Model)
	c.identify()
	c.record(func(e *Seen) { e.Model = ask.Model })
	if f := c.fault("chat", c.number, ask.Model); f != nil {
		sc := scene{model: ask.Model, path: c.r.URL.Path, code: f.code}
		if f.reply == "cut_body" || f.reply == "slow_body" {
			sc.right = c.complete().body
		}
		c.strike(f, sc)
		return
	}
	if refused, ok := c.refuse(); ok {
		c.send(refused)
		return
	}
	if l := c.kit.latency; l.high > 0 {
		d := l.low + time.Duration(c.chance("latency")*float64(l.high-l.low))
		if !c.wait(d) {
			c.abort()
		}
	}
	c.send(c.complete())
}

// refuse gives what the server refuses the request with, if it does.
func (c *call) refuse() (answer, bool) {
	s := c.s
	if s.script.models != nil && !slices.Contains(s.script.models, c.ask.Model) {
		return noModel(c.ask.Model), true
	}
	if v := find(c.ask.members, "stream"); string(v) == "true" {
		return oops(http.StatusBadRequest, "this server does not stream", invalid, `"stream"`, `"unsupported_value"`), true
	}
	for _, f := range c.kit.refusals {
		if a, ok := f(c.ask); ok {
			return a, true
		}
	}
	if s.script.maxInFlight > 0 && c.inFlight > int64(s.script.maxInFlight) {
		return oops(http.StatusTooManyRequests, "Too many requests at once: at most "+strconv.Itoa(s.script.maxInFlight)+" are served.", "requests", "null", `"rate_limit_exceeded"`), true
	}
	return answer{}, false
}

// keyIsRight tells whether the request bears the script's key, as Authorization: Bearer or as api-key.
func (c *call) keyIsRight() bool {
	key := c.s.script.key
	return key == "" || c.r.Header.Get("Authorization") == "Bearer "+key || c.r.Header.Get("Api-Key") == key
}

// identify hashes what chance depends on.
func (c *call) identify() {
	h := sha256.New()
	h.Write([]byte(c.ask.Model))
	h.Write([]byte{0})
	h.Write(c.ask.messages)
	h.Sum(c.key[:0])
	if c.kit.repeat {
		c.key = sha256.Sum256(binary.LittleEndian.AppendUint64(c.key[:], uint64(c.s.times.next(c.key))))
	}
}

// chance draws a number in [0, 1) for a purpose: the same for the same request and script.
func (c *call) chance(purpose string) float64 {
	buf := make([]byte, 0, 96)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(c.s.script.seed))
	if c.ask.Seed != nil {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(*c.ask.Seed))
	}
	buf = append(append(buf, c.key[:]...), purpose...)
	sum := sha256.Sum256(buf)
	return float64(binary.LittleEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// fault gives the first rule that holds, or nil.
func (c *call) fault(on string, number int64, model string) *fault {
	for _, f := range c.s.script.faults {
		if f.holds(on, number, model, func() float64 {
			if c.ask == nil {
				return 0
			}
			return c.chance("fault " + strconv.Itoa(f.number))
		}) {
			return f
		}
	}
	return nil
}

// strike replies as a fault says.
func (c *call) strike(f *fault, sc scene) {
	name := f.reply
	if name == "" {
		name = strconv.Itoa(f.number + 1)
	}
	c.record(func(e *Seen) { e.Fault = name })
	if f.wait > 0 && !c.wait(f.wait) {
		c.abort()
	}
	a := f.play(sc, func() string { return c.s.o.Now().Add(f.retryDate).UTC().Format(http.TimeFormat) })
	switch a.how {
	case hang:
		d := f.hangFor
		if d == 0 {
			d = -1
		}
		c.wait(d)
		c.abort()
	case reset:
		c.reset()
	case cut:
		c.cut(a)
	case slow:
		d := f.hangFor
		if d == 0 {
			d = time.Second
		}
		c.slowly(a, d)
	default:
		c.send(a)
	}
}

// finish logs the call.
func (c *call) finish() {
	s := c.s
	if s.o.Log == nil {
		return
	}
	s.seen.mu.Lock()
	e := *c.entry
	s.seen.mu.Unlock()
	s.o.Log(e)
}

// stopped cuts a text at the first of the texts that end it.
func stopped(text string, stops []string) string {
	for _, s := range stops {
		if i := strings.Index(text, s); i >= 0 {
			text = text[:i]
		}
	}
	return text
}
