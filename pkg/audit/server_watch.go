package audit

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// neverKeys are keys of the truth and of reasons, which no payload of an episode has; sealedKeys are those of gradings, which none
// of a sealed server has.
var (
	neverKeys  = []string{"truth", "facts", "slug", "scenario", "label", "labels", "why", "want", "got", "entities", "secondary", "gold"}
	sealedKeys = []string{"parts", "correct", "rubrics", "mean_reward", "route_accuracy", "breakdown", "seed"}
)

// keyIn gives the first of some keys that JSON holds. In a text between quotes no key stands like this, as quotes are escaped.
func keyIn(data []byte, keys []string) string {
	for _, k := range keys {
		if bytes.Contains(data, []byte(`"`+k+`":`)) {
			return k
		}
	}
	return ""
}

// watch looks at all that a server sends while it is played on.
type watch struct {
	sealed bool
	// sockets is about every frame; the others only about those of a sealed server.
	sockets                         *finding
	early, running, gradings, final *finding
	once                            *finding
	mu                              sync.Mutex
	seen                            map[[3]string]int64 // token, task and text -> episode
}

func newWatch(sealed bool) *watch {
	return &watch{sealed: sealed, seen: map[[3]string]int64{},
		sockets:  claim("endpoints/sockets", "frames of /ws", "fields of the design, none that is or tells a label; the same words for all tickets"),
		early:    claim("sealed/rewards", "rewards before the end of an episode", "0"),
		running:  claim("sealed/stats", "stats and last_result", "null"),
		gradings: claim("sealed/gradings", "payloads with parts, reasons or seeds", "none"),
		final:    claim("sealed/final", "what the end of an episode tells", "score, efficiency and how it ended; reward on the desk track"),
		once:     claim("sealed/once", "tickets that a token is shown in a second episode", "none: not after a reset, a lost connection, or the same episode_id"),
	}
}

// frame looks at a frame that answered an agent.
func (w *watch) frame(data []byte) {
	key := keyIn(data, neverKeys)
	w.sockets.unless(key == "", "a frame of /ws has the key %q: %s", key, around(data, key))
	w.grading("a frame of /ws", data)
}

// around shows where a key stands.
func around(data []byte, key string) string {
	i := max(0, bytes.Index(data, []byte(`"`+key+`":`)))
	return short(data[i:])
}

// grading looks for gradings in a payload of a sealed server.
func (w *watch) grading(place string, data []byte) {
	if !w.sealed {
		return
	}
	key := keyIn(data, sealedKeys)
	w.gradings.unless(key == "", "%s has the key %q: %s", place, key, around(data, key))
}

// finalKeys are what the metadata of the last observation of a sealed server may have.
var finalKeys = map[string]bool{"score": true, "efficiency": true, "ended": true, "reward": true, "session": true}

// envelope looks at the answer to a reset or a step of a sealed server.
func (w *watch) envelope(track triage.Track, place string, e *envelope) {
	if !w.sealed {
		return
	}
	if !e.Done {
		w.early.unless(e.Reward == nil || *e.Reward == 0, "%s pays %v before the end", place, deref(e.Reward))
	}
	w.observation(place, e.Observation)
	if !e.Done {
		return
	}
	var m map[string]any
	_ = json.Unmarshal(e.Metadata, &m) // null and what is no object have no keys
	w.final.saw()
	for _, key := range sortedKeys(m) {
		if !finalKeys[key] || key == "reward" && track != triage.Desk {
			w.final.fault("%s ends with %s %v", place, key, m[key])
		}
	}
}

// observation looks at an observation of a sealed server.
func (w *watch) observation(place string, data []byte) {
	if !w.sealed {
		return
	}
	var o struct {
		Stats any `json:"stats"`
		Last  any `json:"last_result"`
	}
	_ = json.Unmarshal(data, &o) // whoever called has read it
	w.running.unless(o.Stats == nil, "%s has the stats %v", place, o.Stats)
	w.running.unless(o.Last == nil, "%s has the last_result %v", place, o.Last)
}

func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// ticket notes that an episode shows a ticket. On a sealed server no other one of the same token may.
func (w *watch) ticket(token, task string, episode int64, o triage.Observation) {
	text := textOf(o)
	if !w.sealed || text == "" {
		return
	}
	w.mu.Lock()
	key := [3]string{token, task, strconv.FormatUint(wordHash(text), 16)}
	before, ok := w.seen[key]
	if !ok {
		w.seen[key] = episode
	}
	w.mu.Unlock()
	if ok && before == episode {
		return
	}
	w.once.unless(!ok, "the ticket %q of %s, shown in episode %d, comes again in episode %d", short(text), task, before, episode)
}
