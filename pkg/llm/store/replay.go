package store

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// Player answers from a cassette, and from nowhere else.
type Player struct {
	folder   string
	answers  map[string]*taped
	order    []*kept // by scope and key
	learned  map[string]wire.Learned
	settings []map[string]string
	now      map[string]string
	redact   Redact
}

type taped struct {
	*kept
	used atomic.Bool
}

// Replay reads the cassette of a folder, also one whose recording was killed.
func Replay(root *os.Root, o CassetteOptions) (*Player, error) {
	t, _, err := load(root)
	if err != nil {
		return nil, err
	}
	if !t.found {
		return nil, fmt.Errorf("read %s: there is no cassette: make one with --record", place(root, CassetteFile))
	}
	p := &Player{folder: root.Name(), answers: make(map[string]*taped, len(t.answers)), order: t.sorted(),
		learned: t.learned, now: o.Settings, redact: o.Redact}
	for _, a := range p.order {
		p.answers[a.Key] = &taped{kept: a}
	}
	if p.settings, err = distinct(t.settings); err != nil {
		return nil, err
	}
	return p, nil
}

// Settings gives the settings of the recordings that made the cassette, each once.
func (p *Player) Settings() []map[string]string { return p.settings }

// Len is the number of answers.
func (p *Player) Len() int { return len(p.answers) }

// Unused is the number of answers that nobody has asked for yet.
func (p *Player) Unused() int {
	n := 0
	for _, a := range p.answers {
		if !a.used.Load() {
			n++
		}
	}
	return n
}

// Get gives the recorded body. Where there is none it gives a [*MissError], never false without an error.
func (p *Player) Get(k wire.Key) ([]byte, bool, error) {
	id := identify(k, p.redact)
	a, ok := p.answers[id.Key]
	if !ok {
		return nil, false, p.miss(&id)
	}
	body, err := a.body()
	if err != nil {
		return nil, false, fmt.Errorf("replay %s: %w", p.folder, err)
	}
	a.used.Store(true)
	return body, true, nil
}

// Put is an error: a replay has no answer to keep, since it calls nobody.
func (p *Player) Put(k wire.Key, _ []byte) error {
	return fmt.Errorf("keep an answer of scope %q: a replay keeps nothing", k.Scope)
}

// Learned gives what was known of the endpoint when the recording ended.
func (p *Player) Learned(endpoint string) (wire.Learned, bool) {
	l, ok := p.learned[p.redact.text(endpoint)]
	return l, ok
}

// SetLearned is an error: nothing is learned where nobody is called.
func (*Player) SetLearned(endpoint string, _ wire.Learned) error {
	return errors.New("keep what was learned of " + endpoint + ": a replay keeps nothing")
}

// Difference is a setting that the recording does not share with the present run. What one of them lacks is empty.
type Difference struct{ Name, Recorded, Present string }

// MissError says that a cassette has no answer for a call.
type MissError struct {
	Folder string
	Scope  string
	// InScope is how many answers are recorded for the scope.
	InScope int
	// Differences are the settings that differ, by name, from the recording that has the fewest.
	Differences []Difference
	// Elsewhere says under which other URL or scope the very same request is recorded, or is empty.
	Elsewhere string
}

// Error says all of it in one line.
func (e *MissError) Error() string {
	var b strings.Builder
	answers := "answers are"
	if e.InScope == 1 {
		answers = "answer is"
	}
	if e.InScope == 0 {
		fmt.Fprintf(&b, "replay %s: nothing is recorded for %q: that episode was not recorded, or all its calls failed", e.Folder, e.Scope)
	} else {
		fmt.Fprintf(&b, "replay %s: no recorded answer fits this call: %d %s recorded for scope %q", e.Folder, e.InScope, answers, e.Scope)
	}
	if e.Elsewhere != "" {
		b.WriteString("; " + e.Elsewhere)
	}
	for i, d := range e.Differences {
		sep := "; settings that differ: "
		if i > 0 {
			sep = ", "
		}
		fmt.Fprintf(&b, "%s%s was %q, is %q", sep, d.Name, d.Recorded, d.Present)
	}
	if len(e.Differences) == 0 && e.Elsewhere == "" && e.InScope > 0 {
		b.WriteString("; no setting differs: the call failed in the recording, or the request itself differs by tickets, prompt or the version of this program")
	}
	return b.String()
}

func (p *Player) miss(id *kept) *MissError {
	e := &MissError{Folder: p.folder, Scope: id.Scope, Differences: p.differences()}
	for _, a := range p.order {
		if a.Scope == id.Scope {
			e.InScope++
		}
		if a.RequestSHA256 != id.RequestSHA256 || e.Elsewhere != "" {
			continue
		}
		switch {
		case a.Scope == id.Scope:
			e.Elsewhere = fmt.Sprintf("the same request is recorded for the URL %q, not %q", a.URL, id.URL)
		case a.URL == id.URL:
			e.Elsewhere = fmt.Sprintf("the same request is recorded for scope %q", a.Scope)
		}
	}
	return e
}

// differences compares with the recording that has the fewest.
func (p *Player) differences() []Difference {
	var best []Difference
	for i, s := range p.settings {
		if d := differences(s, p.now, p.redact); i == 0 || len(d) < len(best) {
			best = d
		}
	}
	return best
}

func differences(was, is map[string]string, redact Redact) []Difference {
	var out []Difference
	for _, name := range names(was, is) {
		w, hadIt := was[name]
		i, hasIt := is[name]
		if i = redact.text(i); w != i || hadIt != hasIt {
			out = append(out, Difference{Name: name, Recorded: w, Present: i})
		}
	}
	return out
}

// names gives the names of both, sorted.
func names(a, b map[string]string) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
