package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/triagebench/triage/pkg/openenv"
)

// socket is one WebSocket with its session. Frames are answered one at a time, in their order.
type socket struct {
	server  *Server
	conn    *websocket.Conn
	line    net.Conn // below it; nil in tests
	session *session
	// answer appends what is said to a frame to buf; end says that the socket is closed after it, freed that its session's place is
	// free already.
	answer func(k *socket, frame, buf []byte) (out []byte, end bool)
	idle   chan struct{} // holds a token while no frame is being answered
	busy   atomic.Int64  // since when the goroutine that reads answers a frame, in nanoseconds of Unix time; 0 or relieved
	seen   atomic.Int64  // when the peer last gave a sign of life, in nanoseconds of Unix time
	writes atomic.Int64  // since when an answer is being written, or 0
	begun  atomic.Int64  // when the frame began that has not ended, or 0
	asked  atomic.Int64  // when it was asked for one that it has not given yet, or 0
	ending atomic.Bool   // end was called
	ended  atomic.Bool   // what comes now is not answered any more
	owner  string
}

// buffers are the bytes of frames, between uses.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

// largestKept is the largest buffer that is kept for later.
const largestKept = 64 << 10

func takeBuffer() *[]byte {
	b := buffers.Get().(*[]byte)
	*b = (*b)[:0]
	return b
}

func giveBuffer(b *[]byte) {
	if cap(*b) <= largestKept {
		buffers.Put(b)
	}
}

// accept upgrades a request. Its loop, which begins in a goroutine of its own, opens the session: the handler returns, so that
// the memory of the request is free while the socket lives.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, loop func(k *socket)) {
	if !s.enter() {
		writeDetail(w, http.StatusServiceUnavailable, "the server is going down")
		return
	}
	k := &socket{server: s, idle: make(chan struct{}, 1), owner: ownerOf(r)}
	k.idle <- struct{}{}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the guard has looked at the origin
		OnPongReceived:     func(context.Context, []byte) { k.alive() },
		OnPingReceived:     func(context.Context, []byte) bool { k.alive(); return true },
	})
	if err != nil {
		s.running.Done()
		return // the library has answered
	}
	conn.SetReadLimit(maxFrame)
	k.conn = conn
	if rec, ok := w.(*recorder); ok {
		k.line = rec.line
	}
	k.alive()
	s.counts.sockets.Inc()
	go func() {
		defer s.running.Done()
		loop(k)
	}()
}

// alive notes a sign of life.
func (k *socket) alive() {
	k.seen.Store(k.server.deps.Now().UnixNano())
	k.asked.Store(0)
}

// read takes the next frame into a buffer. It closes the socket where a text is no UTF-8.
func (k *socket) read() (frame *[]byte, text bool, err error) {
	kind, r, err := k.conn.Reader(context.Background())
	if err != nil {
		return nil, false, err
	}
	b := takeBuffer()
	if err := k.readAll(b, r); err != nil {
		k.giveFrame(b)
		if errors.Is(err, errTooMuch) {
			k.server.sessions.leave(k.session, k)
			k.close(websocket.StatusTryAgainLater, err.Error())
		}
		return nil, false, err
	}
	k.alive()
	k.session.used.Store(k.seen.Load())
	if kind == websocket.MessageText && !utf8.Valid(*b) {
		k.giveFrame(b)
		k.server.sessions.leave(k.session, k)
		k.close(websocket.StatusInvalidFramePayloadData, "a text frame is not UTF-8")
		return nil, false, net.ErrClosed
	}
	return b, kind == websocket.MessageText, nil
}

// Frames over middleFrame bytes are rare, and those over largeFrame more so. So many of them may be under way at once: without a limit,
// those of a few thousand sockets would take all memory.
const (
	middleFrame = 64 << 10
	mostMiddle  = 256
	largeFrame  = 1 << 20
	mostLarge   = 32
)

var errTooMuch = errors.New("too many large frames at once")

// giveFrame gives the buffer of a frame back.
func (k *socket) giveFrame(b *[]byte) {
	k.server.weights(cap(*b), func(c chan struct{}) { <-c })
	giveBuffer(b)
}

// weights calls f with what limits buffers of a size.
func (s *Server) weights(size int, f func(c chan struct{})) {
	if size > middleFrame {
		f(s.middle)
	}
	if size > largeFrame {
		f(s.large)
	}
}

// readAll reads into a buffer that grows as bytes come, not as they are announced.
func (k *socket) readAll(b *[]byte, r io.Reader) error {
	k.begun.Store(k.server.deps.Now().UnixNano())
	defer k.begun.Store(0)
	for {
		if size := cap(*b); len(*b) == size {
			next := 2 * size
			for _, limit := range []int{middleFrame, largeFrame} {
				if size < limit && next > limit {
					next = limit
				}
			}
			if size == middleFrame && !taken(k.server.middle) || size == largeFrame && !taken(k.server.large) {
				return errTooMuch
			}
			grown := make([]byte, size, next)
			copy(grown, *b)
			*b = grown
		}
		n, err := r.Read((*b)[len(*b):cap(*b)])
		*b = (*b)[:len(*b)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// taken takes a place of a limit, if there is one.
func taken(c chan struct{}) bool {
	select {
	case c <- struct{}{}:
		return true
	default:
		return false
	}
}

// patience is how long the goroutine that reads may be busy with an answer before another takes over the reading, so that pings,
// closes and lost connections are seen while a slow step runs. Most answers take a thousandth of it, and cost no change of
// goroutines. A lookout watches over all sockets: a timer for each would have the runtime woken with every frame.
const patience = 50 * time.Millisecond

// relieved marks the time of an answer after which another goroutine reads.
const relieved = -1

// watch is the lookout: it relieves readers that are busy for long.
func (s *Server) watch() {
	const calm = time.Second // between looks while there is no socket
	ticker := time.NewTicker(calm)
	defer ticker.Stop()
	for quick := false; ; {
		select {
		case <-s.ended:
			return
		case <-ticker.C:
		}
		if some := s.sessions.size.Load() > 0; some != quick {
			if quick = some; quick {
				ticker.Reset(patience / 2)
			} else {
				ticker.Reset(calm)
			}
		}
		now := s.deps.Now().UnixNano()
		for _, k := range s.sessions.sockets() {
			k.relieve(now)
		}
	}
}

// relieve lets another goroutine read where an answer takes long.
func (k *socket) relieve(now int64) {
	since := k.busy.Load()
	if since <= 0 || now-since < int64(patience) {
		return
	}
	k.server.running.Add(1) // while the one that is busy still counts
	if !k.busy.CompareAndSwap(since, relieved) {
		k.server.running.Done()
		return
	}
	go func() {
		defer k.server.running.Done()
		k.loop()
	}()
}

// loop is the reading of a socket, which goes over to another goroutine where an answer takes long.
func (k *socket) loop() {
	for {
		frame, text, err := k.read()
		if err != nil {
			<-k.idle // the last answer may still be under way
			k.ended.Store(true)
			k.server.sessions.leave(k.session, k)
			k.idle <- struct{}{} // for one that waits to end the socket
			k.gone()
			return
		}
		<-k.idle
		if k.ended.Load() { // only the closing handshake is awaited
			k.giveFrame(frame)
			k.idle <- struct{}{}
			continue
		}
		if k.server.sessions.size.Load() > fewSockets {
			k.server.hand(job{k, frame, text})
			continue
		}
		since := k.seen.Load()
		k.busy.Store(since)
		k.respond(frame, text)
		reads := k.busy.CompareAndSwap(since, 0)
		k.busy.Store(0)
		k.idle <- struct{}{}
		if !reads {
			return // another goroutine does
		}
	}
}

// respond answers one frame.
func (k *socket) respond(frame *[]byte, text bool) {
	out := takeBuffer()
	defer giveBuffer(out)
	defer k.giveFrame(frame)
	defer k.recovered()
	var end bool
	if !text {
		*out, end = openenv.AppendError(*out, &openenv.Refusal{Code: openenv.CodeSession, Message: "frames are text, this one is binary"}), true
	} else {
		*out, end = k.answer(k, *frame, *out)
	}
	if len(*out) > 0 {
		k.writes.Store(k.server.deps.Now().UnixNano())
		end = k.conn.Write(context.Background(), websocket.MessageText, *out) != nil || end
		k.writes.Store(0)
	}
	if end {
		k.ended.Store(true)
		k.server.sessions.leave(k.session, k) // before the handshake: a client may come back at once
		go k.close(websocket.StatusNormalClosure, "")
	}
}

// recovered ends the session of a frame whose answer panicked: the others go on.
func (k *socket) recovered() {
	if p := recover(); p != nil {
		k.server.deps.Log.Error("frame panicked", slog.Any("panic", p))
		k.ended.Store(true)
		k.server.sessions.leave(k.session, k)
		go k.close(websocket.StatusInternalError, "the server made a mistake; its log has the reason")
	}
}

// refuse says why a session does not begin, and closes.
func (k *socket) refuse(answer []byte) {
	if k.conn.Write(context.Background(), websocket.MessageText, answer) == nil {
		k.close(websocket.StatusNormalClosure, "")
	}
	k.gone()
}

// gone ends what is left of the connection.
func (k *socket) gone() {
	_ = k.conn.CloseNow()
	k.server.counts.sockets.Dec()
}

// closeLimit is how long the closing handshake may take: the library gives the peer 5 s to take our goodbye and 5 s to send its own, but
// waits without end for the rest of a frame that was begun.
const closeLimit = 12 * time.Second

// close does the closing handshake; the reader takes part in it.
func (k *socket) close(code websocket.StatusCode, reason string) {
	const longest = 123 // bytes of a reason in a frame
	if len(reason) > longest {
		reason = reason[:longest]
	}
	if k.line != nil {
		cut := time.AfterFunc(closeLimit, func() { _ = k.line.Close() })
		defer cut.Stop()
	}
	_ = k.conn.Close(code, reason) // the peer may be gone
}

// end closes the socket from outside, when no frame is being answered, with a reason.
func (k *socket) end(reason string) {
	if k.ending.Swap(true) {
		return
	}
	k.server.running.Go(func() {
		<-k.idle
		k.ended.Store(true)
		k.idle <- struct{}{}
		k.server.sessions.leave(k.session, k)
		k.close(websocket.StatusGoingAway, reason)
	})
}

// silent is how many intervals a peer may leave a ping unanswered: at the default one of 20 s it is 12 minutes, since a client may think
// for ten without reading its socket. The operating system finds out sooner where the other machine is gone.
const silent = 36

// frameTime is how long a frame may take to come once it has begun, and an answer to be taken.
const frameTime = 60 * time.Second

// longSince tells whether something has been under way for longer than a frame may take.
func longSince(start *atomic.Int64, now time.Time) bool {
	at := start.Load()
	return at != 0 && now.Sub(time.Unix(0, at)) >= frameTime
}

// check asks a quiet peer for a sign of life, and drops one that has long not given it, or whose frame does not end.
func (k *socket) check(now time.Time, interval time.Duration) {
	switch asked := k.asked.Load(); {
	case asked != 0 && now.Sub(time.Unix(0, asked)) >= silent*interval:
		go func() { _ = k.conn.CloseNow() }() // its loop sees it and leaves
	case longSince(&k.begun, now), longSince(&k.writes, now):
		go func() { _ = k.conn.CloseNow() }()
	case asked == 0 && now.Sub(time.Unix(0, k.seen.Load())) >= interval:
		k.asked.Store(now.UnixNano())
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), interval)
			defer cancel()
			_ = k.conn.Ping(ctx) // a peer that does not answer is dropped by a later check
		}()
	}
}
