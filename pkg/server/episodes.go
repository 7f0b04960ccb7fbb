package server

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// episode is one of plain HTTP: a player that is found again by its session id.
type episode struct {
	*player
	caller string // who may not have too many
	// turn lets one step be taken after another; lastRequest names the last one, and lastAnswer is what it got.
	turn        sync.Mutex
	lastRequest string
	lastAnswer  []byte
	used        atomic.Int64
}

// episodes are those of plain HTTP, kept between requests.
type episodes struct {
	mu     sync.Mutex
	max    int
	now    func() time.Time
	byID   map[string]*episode // by session id
	queue  []*episode          // in the order in which they were begun
	latest map[triage.Track]*episode
	closed bool
}

func newEpisodes(limit int, now func() time.Time) *episodes {
	return &episodes{max: limit, now: now, byID: map[string]*episode{}, latest: map[triage.Track]*episode{}}
}

func (e *episodes) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.queue)
}

// restful is how long an episode must have been idle to give way to another caller's.
const restful = time.Minute

// add keeps an episode that was begun, or says why not. Of one caller's the one that was idle longest gives way where there are too
// many; of all, only one that was idle for a while: no caller takes the places of the others.
func (e *episodes) add(x *episode) (refused string) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return "the server is going down"
	}
	x.used.Store(e.now().UnixNano())
	var gone []*episode
	if old := e.oldest(func(y *episode) bool { return y.caller == x.caller }, maxKept); old != nil {
		gone = append(gone, old)
	} else if old := e.oldest(func(*episode) bool { return true }, e.max); old != nil {
		if x.used.Load()-old.used.Load() < int64(restful) {
			e.mu.Unlock()
			return "the server keeps as many HTTP episodes as it can: try again later, or use a WebSocket"
		}
		gone = append(gone, old)
	}
	for _, y := range gone {
		e.drop(y)
	}
	e.byID[x.session], e.latest[x.track] = x, x
	e.queue = append(e.queue, x)
	e.mu.Unlock()
	for _, y := range gone {
		y.close()
	}
	return ""
}

// oldest finds the one of a kind that was idle longest, if there are limit of that kind.
func (e *episodes) oldest(kind func(*episode) bool, limit int) *episode {
	var found *episode
	n := 0
	for _, y := range e.queue {
		if !kind(y) {
			continue
		}
		n++
		if found == nil || y.used.Load() < found.used.Load() {
			found = y
		}
	}
	if n < limit {
		return nil
	}
	return found
}

// drop forgets an episode. The caller holds the lock.
func (e *episodes) drop(x *episode) {
	delete(e.byID, x.session)
	if e.latest[x.track] == x {
		delete(e.latest, x.track)
	}
	e.queue = slices.DeleteFunc(e.queue, func(y *episode) bool { return y == x })
}

// endIdle forgets episodes that were not used for so long.
func (e *episodes) endIdle(timeout time.Duration) {
	e.mu.Lock()
	oldest := e.now().Add(-timeout).UnixNano()
	var gone []*episode
	for _, x := range slices.Clone(e.queue) {
		if x.used.Load() <= oldest {
			e.drop(x)
			gone = append(gone, x)
		}
	}
	e.mu.Unlock()
	for _, x := range gone {
		x.close()
	}
}

// closeAll forgets all episodes and lets none begin.
func (e *episodes) closeAll() {
	e.mu.Lock()
	gone := e.queue
	e.queue, e.closed = nil, true
	e.byID, e.latest = map[string]*episode{}, map[triage.Track]*episode{}
	e.mu.Unlock()
	for _, x := range gone {
		x.close()
	}
}

// The ways in which a request names its episode.
const (
	sessionHeader = "X-Triage-Session"
	sessionCookie = "triage_session"
	threeWays     = "name it by the header " + sessionHeader + " (the reset's answer has it, and metadata.session), by the cookie " +
		sessionCookie + ", or by the episode_id of the reset"
)

func conflict(format string, args ...any) *problem {
	return &problem{status: http.StatusConflict, detail: fmt.Sprintf(format, args...)}
}

// match finds the episode that a request is about: by session, by cookie, by episode id, or, where only one client can be, the
// latest. nil without a problem means that this one client has none.
func (e *episodes) match(r *http.Request, episodeID string, alone bool) (*episode, *problem) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x, p := e.find(r, episodeID, alone)
	if x != nil {
		x.used.Store(e.now().UnixNano())
	}
	return x, p
}

func (e *episodes) find(r *http.Request, episodeID string, alone bool) (*episode, *problem) {
	owner, track := ownerOf(r), trackOf(r)
	mine := func(x *episode) bool { return x != nil && x.owner == owner && x.track == track }
	if id := r.Header.Get(sessionHeader); id != "" {
		if x := e.byID[id]; mine(x) {
			return x, nil
		}
		return nil, conflict("session %s is not known on track %s: it ended, or never was; call reset", shortText(id), track)
	}
	stale := false
	for _, c := range r.CookiesNamed(sessionCookie) {
		x := e.byID[c.Value]
		if mine(x) {
			return x, nil
		}
		stale = stale || x == nil || x.owner != owner // the other track's is another matter
	}
	if episodeID != "" {
		caller := callerName(r) // without tokens an id is shared by nobody but who has the address too
		return e.named(episodeID, func(x *episode) bool { return mine(x) && x.caller == caller })
	}
	if stale {
		return nil, conflict("the session of the cookie %s is not known on track %s: it ended, or never was; call reset", sessionCookie, track)
	}
	if !alone {
		return nil, conflict("which episode? %s", threeWays)
	}
	if x := e.latest[track]; mine(x) {
		return x, nil
	}
	return nil, nil
}

// named finds the only episode with an id.
func (e *episodes) named(id string, mine func(*episode) bool) (*episode, *problem) {
	var found *episode
	for _, x := range e.queue {
		if !mine(x) || x.episodeID() != id {
			continue
		}
		if found != nil {
			return nil, conflict("two live episodes have the id %s: %s", shortText(id), threeWays)
		}
		found = x
	}
	if found == nil {
		return nil, conflict("no live episode has the id %s: %s", shortText(id), threeWays)
	}
	return found, nil
}

// bySession finds an episode of an owner by its session.
func (e *episodes) bySession(id, owner string) (*episode, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x, ok := e.byID[id]
	if !ok || x.owner != owner {
		return nil, false
	}
	x.used.Store(e.now().UnixNano())
	return x, true
}
