package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// looker looks at what a server answers while different tickets are open. What has nothing to do with the ticket must be the same
// for all of them, what shows it may have the fields of the design only.
type looker struct {
	*server
	static, errors, headers, observations, tools, metrics, review, ids *finding
	needles                                                            map[string]bool // label words, and the names of the bank's scenarios
	mu                                                                 sync.Mutex
	first                                                              map[string]string // what was answered first, by where
	volatile                                                           map[string]bool   // headers that are new in each answer
	episodes                                                           map[string]int64  // ids -> episode
}

func (s *server) looker() *looker {
	l := &looker{server: s, needles: labelWords(), first: map[string]string{}, episodes: map[string]int64{},
		volatile: map[string]bool{"Date": true, "Content-Length": true, "Set-Cookie": true, "X-Triage-Session": true},
		static:   claim("endpoints/static", "documents, listings and pages", "the same for all tickets; no path of a program's insides"),
		errors:   claim("endpoints/errors", "errors", "the same for all tickets"),
		headers:  claim("endpoints/headers", "headers", "none holds a label, and the same for all tickets"),
		observations: claim("endpoints/observations", "what HTTP resets, steps and states show",
			"fields of the design, none that is or tells a label; the same words for all tickets"),
		tools:   claim("endpoints/tools", "tools and their answers", "fields of the design, none that is or tells a label; the same words for all tickets"),
		metrics: claim("endpoints/metrics", "metrics", "none holds a label"),
		review:  claim("endpoints/review", "the page's review of gradings", "of answered tickets only"),
		ids:     claim("endpoints/ids", "ids of tickets, episodes and sessions", "TKT- and digits, each once an episode; ids of episodes and sessions each once, without words of labels")}
	for _, x := range s.Bank {
		l.needles[x.Slug] = true
		if name := path.Base(x.Slug); strings.Contains(name, "-") { // a single word may stand anywhere
			l.needles[name] = true
		}
	}
	return l
}

// needle gives a label or a scenario's name that a text holds as a word of its own.
func (l *looker) needle(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;:=\"'(){}[]<>", r) }) {
		if l.needles[word] {
			return word
		}
	}
	return ""
}

// same notes that something must be the same whatever ticket is open.
func (l *looker) same(f *finding, where, text string) {
	key := f.id + " " + where
	l.mu.Lock()
	before, ok := l.first[key]
	if !ok {
		l.first[key] = text
	}
	l.mu.Unlock()
	f.saw()
	if ok && before != text {
		i := 0
		for i < min(len(before), len(text)) && before[i] == text[i] {
			i++
		}
		i = max(0, i-20)
		f.fault("%s differs from ticket to ticket: %q, then %q", where, short(before[i:]), short(text[i:]))
	}
}

// header looks at the headers of an answer.
func (l *looker) header(where string, h http.Header) {
	for _, name := range sortedKeys(h) {
		value := strings.Join(h[name], ", ")
		if word := l.needle(name + " " + value); word != "" {
			l.headers.fault("%s has the header %s: %s", where, name, short(value))
			continue
		}
		if !l.volatile[name] {
			l.same(l.headers, where+" "+name, value)
		}
	}
}

// findVolatile finds headers that are new in each answer to one request, such as the ids that proxies give to requests.
func (l *looker) findVolatile(ctx context.Context) error {
	first := map[string]string{}
	for i := range 3 {
		r, err := l.ask(ctx, request{path: "/health", token: l.token()})
		if err != nil {
			return err
		}
		for name, values := range r.header {
			value := strings.Join(values, ", ")
			if before, ok := first[name]; i > 0 && (!ok || before != value) {
				l.volatile[name] = true
			}
			first[name] = value
		}
	}
	return nil
}

var ticketID = lazyregexp.New(`^TKT-[0-9]+$`)

// id notes the id of an episode or a session, which belongs to one episode only.
func (l *looker) id(id string, episode int64) {
	l.mu.Lock()
	before, ok := l.episodes[id]
	l.episodes[id] = episode
	l.mu.Unlock()
	l.ids.unless(!ok || before == episode, "two episodes have the id %q", short(id))
	if word := l.needle(strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(id)); word != "" {
		l.ids.fault("the id %q holds the word %s", short(id), word)
	}
}

// visit is one episode that the looker plays.
type visit struct {
	*looker
	prefix, control string // of the paths: the track's and that of the page
	track           triage.Track
	task            triage.Task
	episode         int64
	session         string
	stage           string // what has happened: open, answered, done
	tickets         []string
	current         string // the id of the ticket that is to be answered
	done            bool
}

// shows looks at a document that shows the episode.
func (v *visit) shows(f *finding, kind, where string, data []byte) {
	doc, ok := decoded(data)
	if !ok {
		f.fault("%s is no JSON object: %q", where, short(data))
		return
	}
	done, _ := doc["done"].(bool)
	allowed := paths(kind, v.track, done)
	f.saw()
	walk("", doc, func(at string, x any) {
		if !allowed[at] {
			f.fault("%s has %s: %s", where, at, short(encoded(x)))
			return
		}
		switch name := at[strings.LastIndexByte(at, '.')+1:]; name {
		case "message", "issue_type", "ended":
			v.same(f, fmt.Sprintf("the %s of track %s in stage %q", name, v.track, v.stage), short(encoded(x)))
		case "ticket_id":
			v.ticketID(at, x)
		case "episode_id", "session":
			if id, ok := x.(string); ok {
				v.id(id, v.episode)
			}
		}
	})
	v.watch.grading(where, data)
	if kind == docEnvelope {
		var env envelope
		_ = json.Unmarshal(data, &env) // it is an object
		v.watch.envelope(v.track, where, &env)
		if o, err := triage.DecodeObservation(v.track, env.Observation); err == nil {
			v.watch.ticket(v.token(), v.task.Name, v.episode, o)
		}
		return
	}
	v.watch.observation(where, data)
	if o, ok := doc["observation"]; ok {
		v.watch.observation(where, encoded(o))
	}
}

// ticketID looks at the id of a ticket.
func (v *visit) ticketID(at string, x any) {
	id, _ := x.(string)
	v.ids.unless(ticketID.MatchString(id), "a ticket has the id %q", short(id))
	if strings.Contains(at, "last_result") {
		return
	}
	v.current = id
	for i, before := range v.tickets {
		if before == id {
			if i < len(v.tickets)-1 {
				v.ids.fault("the id %s comes twice in an episode", id)
			}
			return
		}
	}
	v.tickets = append(v.tickets, id)
}
