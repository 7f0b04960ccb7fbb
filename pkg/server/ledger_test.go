package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/server"
)

// memoryFile is a ledger's file in memory.
type memoryFile struct {
	mu    sync.Mutex
	data  []byte
	at    int64
	fails error // what writing gives
}

func (f *memoryFile) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[f.at:])
	f.at += int64(n)
	return n, nil
}

func (f *memoryFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fails != nil {
		return 0, f.fails
	}
	f.data = append(f.data[:f.at], p...)
	f.at += int64(len(p))
	return len(p), nil
}

func (f *memoryFile) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if whence != io.SeekStart {
		return 0, errors.New("only from the start")
	}
	f.at = offset
	return offset, nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data = f.data[:size]
	return nil
}

func (f *memoryFile) Sync() error { return nil }

func (f *memoryFile) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.data)
}

var testOrigin = server.LedgerOrigin{Generator: "g", Bank: "public", Secret: "01234567"}

const aliceToken, bobToken = "token-of-alice-01", "token-of-bob-0123"

// vault is a sealed server with its files.
type vault struct {
	*rig
	ledger, episodes *memoryFile
}

func openVault(t *testing.T, ledger, episodes *memoryFile) *vault {
	t.Helper()
	l, err := server.OpenLedger(t.Context(), ledger, episodes, testOrigin, newEnv)
	if err != nil {
		t.Fatal(err)
	}
	return &vault{start(t, func(d *server.Deps, o *server.Options) {
		d.Ledger, o.Sealed, o.Tokens = l, true, []string{aliceToken, bobToken}
	}), ledger, episodes}
}

// ask sends a request of a token's bearer in a session.
func (v *vault) ask(token, session, path, body string) answer {
	headers := []string{"Authorization", "Bearer " + token}
	if session != "" {
		headers = append(headers, "X-Triage-Session", session)
	}
	return v.do("POST", path, body, headers...)
}

func sessionOf(a answer) string { return a.Header.Get("X-Triage-Session") }

// ticketIn cuts the first ticket id out of an answer.
func ticketIn(a answer) string {
	_, rest, _ := strings.Cut(a.Body, `"ticket_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestEachTokenPlaysEachSeedOnce(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	var alice, bob []string
	for range 3 {
		alice = append(alice, ticketIn(v.ask(aliceToken, "", "/reset", "")))
		bob = append(bob, ticketIn(v.ask(bobToken, "", "/reset", `{"split":null}`)))
	}
	if d := cmp.Diff(alice, bob); d != "" {
		t.Errorf("two tokens play other tickets:\n%s", d)
	}
	if alice[0] == alice[1] || alice[1] == alice[2] || alice[0] == "" {
		t.Errorf("a token got the same tickets again: %q", alice)
	}
	if again := ticketIn(v.ask(aliceToken, "", "/reset", `{"difficulty":"hard"}`)); again == alice[0] {
		t.Error("another task has the same tickets")
	}
}

func TestASealedServerRefusesWhatWouldChooseTicketsOrRewards(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	for _, body := range []string{`{"seed":1}`, `{"index":0}`, `{"tickets":1}`, `{"rewards":"ticket"}`} {
		if a := v.ask(aliceToken, "", "/reset", body); a.Status != 422 || !strings.Contains(a.Body, "sealed") {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	if got := v.ledger.String(); strings.Count(got, "\n") != 1 {
		t.Errorf("a refused reset was noted:\n%s", got)
	}
	if a := v.do("GET", "/web/review", "", "Authorization", "Bearer "+aliceToken); a.Status != 404 {
		t.Errorf("review: %d %s", a.Status, a.Body)
	}
}

func TestASealedEpisodeTellsOnlyScoreAndEfficiencyAtItsEnd(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	first := v.ask(aliceToken, "", "/reset", "")
	session := sessionOf(first)
	var last answer
	for i := range 8 {
		last = v.ask(aliceToken, session, "/step", `{"action":{"route_category":"billing"}}`)
		if last.Status != 200 || !strings.Contains(last.Body, `"stats":null,"last_result":null`) || strings.Contains(last.Body, `"parts"`) {
			t.Fatalf("step %d: %d %s", i, last.Status, last.Body)
		}
		if i < 7 && (!strings.Contains(last.Body, `"reward":0,"done":false`) || strings.Contains(last.Body, `"score"`)) {
			t.Fatalf("step %d tells of its worth: %s", i, last.Body)
		}
	}
	if !strings.Contains(last.Body, `"efficiency"`) || strings.Contains(last.Body, `"rubrics"`) {
		t.Errorf("the end: %s", last.Body)
	}
	var got []string
	err := results.ReadLog(strings.NewReader(v.episodes.String()), "episodes", func(_ int, ep *results.Logged) error {
		got = append(got, fmt.Sprintf("%s %d steps, parts %d, %s", ep.Key.Task, len(ep.Steps), len(ep.Steps[0].Score.Parts), ep.Ended))
		return nil
	})
	if d := cmp.Diff([]string{"queue-easy 8 steps, parts 4, complete"}, got); err != nil || d != "" {
		t.Errorf("the server's own episodes: %v\n%s", err, d)
	}
}

func TestWhatALeavingClientDidNotAnswerScoresZero(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	session := sessionOf(v.ask(aliceToken, "", "/desk/reset", `{"difficulty":"medium"}`))
	v.ask(aliceToken, session, "/desk/step", `{"action":{"category":"Bug"}}`)
	for range 33 { // the oldest gives way
		v.ask(aliceToken, "", "/desk/reset", "")
	}
	if got := v.ledger.String(); !strings.Contains(got, `"event":"end","token":"`+server.TokenName(aliceToken)+`","task":"desk-medium"`) {
		t.Errorf("the episode was not closed:\n%s", got)
	}
	if a := v.ask(aliceToken, session, "/desk/step", `{"action":{}}`); a.Status != 409 {
		t.Errorf("a closed episode was played on: %d %s", a.Status, a.Body)
	}
}

func TestARestartClosesWhatWasOpenAndGivesNoSeedAgain(t *testing.T) {
	t.Parallel()
	ledger, episodes := &memoryFile{}, &memoryFile{}
	v := openVault(t, ledger, episodes)
	first := v.ask(aliceToken, "", "/reset", `{"on_invalid":"empty"}`)
	for _, action := range []string{`{"route_category":"billing"}`, `{"route_category":"sales"}`, `{"route_category":"technical","priority_score":"7"}`} {
		if a := v.ask(aliceToken, sessionOf(first), "/step", `{"action":`+action+`}`); a.Status != 200 {
			t.Fatalf("%s: %s", action, a.Body)
		}
	}
	crashed := &memoryFile{data: []byte(ledger.String() + `{"event":"step","tok`)} // the power went
	kept := &memoryFile{data: []byte(`{"key":{"agent":"torn`)}
	w := openVault(t, crashed, kept)
	if next := ticketIn(w.ask(aliceToken, "", "/reset", "")); next == ticketIn(first) {
		t.Error("the token got the tickets again that it had before the restart")
	}
	if got := crashed.String(); strings.Contains(got, `"tok{`) || strings.Count(got, `"event":"end"`) != 1 {
		t.Errorf("ledger:\n%s", got)
	}
	// What the restart made of the episode is what leaving it makes.
	_ = v.srv.Drain(context.Background())
	if d := cmp.Diff(episodes.String(), kept.String()); d != "" {
		t.Errorf("the episode that a drain closed (-) and a restart closed (+):\n%s", d)
	}
}

func TestALedgerOfOtherTicketsIsRefused(t *testing.T) {
	t.Parallel()
	whole := func(lines ...string) *memoryFile { return &memoryFile{data: []byte(strings.Join(lines, "\n") + "\n")} }
	head := `{"event":"ledger","schema":"triage.ledger/1","origin":{"generator":"g","bank":"public","secret":"01234567"},"seed":0}`
	for name, tt := range map[string]struct {
		file *memoryFile
		want string
	}{
		"other secret": {whole(strings.Replace(head, "01234567", "ffffffff", 1)), "of other tickets"},
		"no ledger":    {whole(`{"key":{}}`), "not a ledger"},
		"no JSON":      {whole("hello"), "line 1"},
		"no line":      {&memoryFile{data: []byte("the secret, without a line's end")}, "left as it is"},
		"bad line":     {whole(head, "{}"), `line 2: unknown event ""`},
		"end of none":  {whole(head, `{"event":"end","token":"a","task":"queue-easy","split":"test","seed":3}`), "line 2: end of queue-easy seed 3, which was not begun"},
		"unknown task": {whole(head, `{"event":"begin","token":"a","task":"queue-mild","split":"test","seed":3}`), `unknown task "queue-mild"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := tt.file.String()
			_, err := server.OpenLedger(t.Context(), tt.file, &memoryFile{}, testOrigin, newEnv)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if tt.file.String() != before {
				t.Errorf("the file was changed:\n%s", tt.file)
			}
		})
	}
}

// TestAnEpisodeThatIsKeptIsNotKeptTwice cuts the ledger's last line, as a crash between the two files does.
func TestAnEpisodeThatIsKeptIsNotKeptTwice(t *testing.T) {
	t.Parallel()
	ledger, episodes := &memoryFile{}, &memoryFile{}
	v := openVault(t, ledger, episodes)
	session := sessionOf(v.ask(aliceToken, "", "/desk/reset", ""))
	if a := v.ask(aliceToken, session, "/desk/step", `{"action":{"category":"Bug"}}`); !strings.Contains(a.Body, `"done":true`) {
		t.Fatal(a.Body)
	}
	text := strings.TrimSuffix(ledger.String(), "\n")
	cut := &memoryFile{data: []byte(text[:strings.LastIndex(text, "\n")+10])}
	kept := &memoryFile{data: []byte(episodes.String())}
	openVault(t, cut, kept)
	if d := cmp.Diff(episodes.String(), kept.String()); d != "" {
		t.Errorf("episodes after the restart:\n%s", d)
	}
	if n := strings.Count(cut.String(), `"event":"end"`); n != 1 {
		t.Errorf("%d ends, want 1", n)
	}
}

// TestARefusedAnswerIsKeptAsItWas: the bytes of a frame are used again for the next one.
func TestARefusedAnswerIsKeptAsItWas(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	w := v.ws("/desk/ws", "Authorization", "Bearer "+aliceToken)
	w.ask(`{"type":"reset","data":{"on_invalid":"empty"}}`)
	long := strings.Repeat("x", 1<<20)
	for i, action := range []string{`{"category":"first"}`, `{"category":"other"}`, `{"category":"` + long + `"}`} {
		if got := w.ask(`{"type":"step","data":` + action + `}`); strings.Contains(got, `"error"`) {
			t.Fatalf("step %d: %.200s", i, got)
		}
	}
	got := v.episodes.String()
	if !strings.Contains(got, `"action":{"category":"first"}`) || !strings.Contains(got, `"action":{"category":"other"}`) || len(got) > 20<<10 || len(v.ledger.String()) > 20<<10 {
		t.Errorf("%d and %d bytes: %.600s", len(got), len(v.ledger.String()), got)
	}
}

func TestNothingIsPlayedThatCannotBeNoted(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	session := sessionOf(v.ask(aliceToken, "", "/reset", ""))
	v.ledger.mu.Lock()
	v.ledger.fails = errors.New("disk full")
	v.ledger.mu.Unlock()
	for _, a := range []answer{v.ask(aliceToken, session, "/step", `{"action":{}}`), v.ask(bobToken, "", "/reset", "")} {
		if a.Status != 503 || !strings.Contains(a.Body, "cannot keep its record") || strings.Contains(a.Body, "disk") {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
}

func TestConcurrentSessionsOfATokenPlayDifferentSeeds(t *testing.T) {
	t.Parallel()
	v := openVault(t, &memoryFile{}, &memoryFile{})
	got := make([]string, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = ticketIn(v.ask(aliceToken, "", "/reset", "")) })
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, id := range got {
		seen[id] = true
	}
	if len(seen) != len(got) {
		t.Errorf("%d different first tickets of %d sessions: %q", len(seen), len(got), got)
	}
	if n := bytes.Count([]byte(v.ledger.String()), []byte(`"event":"begin"`)); n != len(got) {
		t.Errorf("%d begins, want %d", n, len(got))
	}
}
