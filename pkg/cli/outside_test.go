package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// programs is an app that can start programs.
func programs() *testApp {
	a := newTestApp()
	a.Start = startProcess
	a.env["PATH"], a.env["SECRET"], a.env["EXTRA"] = "/usr/bin:/bin", "sk-0123456789", "bug"
	return a
}

func TestAProgramPlaysAndItsCrashesAreCounted(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	script := r.file(t, "agent.sh", `[ -n "$SECRET" ] && exit 3
n=0
while read -r line; do
	n=$((n+1))
	if [ $n = 3 ]; then echo "out of paper" >&2; exit 7; fi
	if [ "$EXTRA" = bug ]; then echo '{"category":"Bug"}'; else echo '{"category":"Question"}'; fi
done
`)
	name := "exec:sh " + script
	args := func(out string, more ...string) []string {
		return append([]string{"run", "--agent", name, "--tasks", "desk-easy", "--episodes", "6", "--workers", "1", "--no-floor", "--progress", "off", "--no-meta", "--out", r.file(t, out, "")}, more...)
	}
	out, errs := r.playIn(t, programs(), ExitOK, args("run", "--exec-env", "EXTRA", "--timeout", "20s")...)
	if !strings.Contains(out, "exec:sh DIR/agent.sh: 2 crashes; each counts as no answer, and the program was started again.") {
		t.Errorf("it prints %s", out)
	}
	if !strings.Contains(errs, "exec:sh DIR/agent.sh [1]: out of paper") {
		t.Errorf("it says %s", errs)
	}
	names, err := filepath.Glob(filepath.Join(r.dir, "run", "results-exec_*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	f := readResults(t, names[0])
	if d := cmp.Diff(map[string]string{"exec_env": "EXTRA"}, f.Agent.Settings); d != "" || f.Tasks["desk-easy"].N != 6 || f.Tasks["desk-easy"].Refused == 0 {
		t.Errorf("results %+v", f)
	}
	// the same for machines, with perturbed tickets
	var got struct {
		Crashes       map[string]struct{ Crashes, Timeouts, Garbled int }
		Perturbations []struct {
			Agent, Perturbation string
			N                   int
		}
	}
	out, _ = r.playIn(t, programs(), ExitOK, args("json", "--perturb", "upper", "--format", "json")...)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Crashes) != 1 || got.Crashes["exec:sh DIR/agent.sh"].Crashes < 4 || len(got.Perturbations) != 1 || got.Perturbations[0].N != 6 {
		t.Errorf("it prints %+v", got)
	}
	for what, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a command that does not end": {[]string{"run", "--agent", "exec:sh 'x"}, ExitUsage, "quote"},
		"no command":                  {[]string{"run", "--agent", "exec:"}, ExitUsage, "command"},
		"no program":                  {[]string{"run", "--agent", "exec:" + filepath.Join(r.dir, "none"), "--no-floor", "--limit", "1", "--progress", "off"}, ExitUnavailable, "start the program"},
		"an odd variable":             {[]string{"run", "--agent", "exec:sh", "--exec-env", "TRIAGE_SECRET"}, ExitUsage, "TRIAGE_SECRET"},
		"imported":                    {[]string{"run", "--agent", "exec:sh " + script, "--tickets", r.file(t, "t.csv", ownTickets), "--exec-env", "EXTRA", "--progress", "off"}, ExitOK, ""},
	} {
		if _, errs := r.playIn(t, programs(), tt.code, tt.args...); !strings.Contains(errs, tt.want) {
			t.Errorf("%s: it says %s", what, errs)
		}
	}
}

func TestAnAddressPlays(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	episodes, broken := map[string]int{}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		episodes[req.Header.Get("X-Triage-Episode")]++
		if _, err := io.Copy(io.Discard, req.Body); err != nil || req.Header.Get("X-Team") != "sk-0123456789" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if broken > 0 {
			broken--
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		_, _ = io.WriteString(w, `{"category":"Bug"}`)
	}))
	defer server.Close()
	r := newModelRig(t, "")
	args := func(out string, more ...string) []string {
		return append([]string{"run", "--agent", server.URL + "/act", "--header", "X-Team: ${SECRET}", "--tasks", "desk-easy", "--episodes", "3", "--no-floor", "--progress", "off", "--out", r.file(t, out, "")}, more...)
	}
	out, errs := r.playIn(t, programs(), ExitOK, args("run", "--trials", "2", "--no-meta")...)
	if len(episodes) != 6 || episodes["desk-easy/43#1"] != 1 || strings.Contains(out+errs, "0123456789") || !strings.Contains(out, "Reliability over trials") {
		t.Errorf("episodes %v; it says %s and prints %s", episodes, errs, out)
	}
	broken = 1
	if out, errs := r.playIn(t, programs(), ExitEpisodes, args("broken", "--workers", "1")...); !strings.Contains(out, "n=2 of 3") || !strings.Contains(errs, "1 episode failed") {
		t.Errorf("it says %s and prints %s", errs, out)
	}
	r.playIn(t, programs(), ExitOK, args("broken", "--workers", "1", "--resume")...)
	if n := strings.Count(readFile(t, r.dir, "broken", "episodes.jsonl"), `"ended":"complete"`); n != 3 {
		t.Errorf("%d episodes are complete", n)
	}
	for what, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no host":     {[]string{"run", "--agent", "http:"}, ExitUsage, "it names no host"},
		"no variable": {[]string{"run", "--agent", server.URL, "--header", "X: ${NONE}"}, ExitUsage, "header X: the variable NONE is not set"},
		"certificate": {[]string{"run", "--agent", server.URL, "--ca-cert", filepath.Join(r.dir, "none")}, ExitUsage, "none"},
		"no password": {[]string{"run", "--agent", strings.Replace(server.URL, "//", "//me:pass0123@", 1) + "/act", "--limit", "1", "--tasks", "desk-easy", "--no-floor", "--progress", "off"}, ExitUnavailable, "401"},
		"https":       {[]string{"run", "--agent", "https://127.0.0.1:1/act", "--insecure", "--limit", "1", "--dry-run"}, ExitOK, ""},
	} {
		if out, errs := r.playIn(t, programs(), tt.code, tt.args...); !strings.Contains(errs, tt.want) || strings.Contains(out+errs, "pass0123") {
			t.Errorf("%s: it says %s", what, errs)
		}
	}
}

// slow is an agent that takes its time.
type slow struct{ closed, started bool }

func (s *slow) Act(ctx context.Context, _ triage.Observation) (triage.Action, error) {
	select {
	case <-time.After(time.Minute):
		return triage.Action{}, nil
	case <-ctx.Done():
		return triage.Action{}, context.Cause(ctx)
	}
}

func (s *slow) Start(triage.Key) { s.started = true }
func (s *slow) Close() error     { s.closed = true; return errBroken }

// TestTheHeartbeatNamesWhatIsWaitedFor is lesson D71: a run never sits there without a word.
func TestTheHeartbeatNamesWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &waits{name: "exec:x", now: time.Now, since: map[*awaited]time.Time{}}
		inner := &slow{}
		one, two := &awaited{inner: inner, waits: w}, &awaited{inner: &slow{}, waits: w}
		one.Start(triage.Key{})
		c := &cast{members: []*member{{name: "exec:x", waits: w}, {name: "exec:x+typos", waits: w}, {name: "heuristic"}}}
		if got := c.waiting(); got != "" {
			t.Errorf("before, it waits for %q", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		act := func(a *awaited) {
			wg.Go(func() {
				if _, err := a.Act(ctx, triage.Observation{}); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		act(one)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := c.waiting(); got != "exec:x: 1 answer is waited for, for 20s" {
			t.Errorf("it waits for %q", got)
		}
		act(two)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := c.waiting(); got != "exec:x: 2 answers are waited for, the oldest for 25s" {
			t.Errorf("it waits for %q", got)
		}
		time.Sleep(40 * time.Second) // the first has come
		synctest.Wait()
		if got := c.waiting(); got != "exec:x: 1 answer is waited for, for 45s" {
			t.Errorf("it waits for %q", got)
		}
		cancel()
		wg.Wait()
		if got := c.waiting(); got != "" || !inner.started {
			t.Errorf("after, it waits for %q", got)
		}
		if err := one.Close(); !errors.Is(err, errBroken) || !inner.closed {
			t.Errorf("closing gives %v", err)
		}
	})
}

// TestAModelThatNeverAnswersIsNamed has a model that hangs; the run says so, and what was finished is on disk (lesson D64).
func TestAModelThatNeverAnswersIsNamed(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "faults:\n  - {after: 2, reply: hang}\n", "desk-easy")
	ctx, cancel := context.WithCancelCause(t.Context())
	a := newTestApp()
	var o *playOptions
	cmd := newRunCmd(a.App, func(_ context.Context, got *playOptions) error { o = got; return nil })
	args := r.args("run", "--tasks", "desk-easy", "--episodes", "4", "--workers", "1", "--out", r.file(t, "run", ""))
	cmd.SetArgs(args[1:])
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Fatal(err)
	}
	p, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.portless(o.cast.waiting()); got != "fake at http://host/v1: idle" {
		t.Errorf("before, it waits for %q", got)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx, func(*playResult) error { return nil }) }()
	for r.server.Calls() < 3 || !strings.Contains(o.cast.waiting(), "in flight") {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	if got := r.portless(o.cast.waiting()); got != "fake at http://host/v1: 1 in flight, the oldest for 0s" {
		t.Errorf("it waits for %q", got)
	}
	if n := strings.Count(readFile(t, r.dir, "run", "journal.jsonl"), `"ended":"complete"`); n != 2 {
		t.Errorf("%d episodes are on disk", n)
	}
	cancel(Interrupted{Code: ExitInterrupted})
	if err := <-ended; exitCode(ctx, err) != ExitInterrupted {
		t.Errorf("it ends with %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "run", "calls.jsonl")); err != nil || o.cast.closers != nil {
		t.Errorf("%v; %d are open", err, len(o.cast.closers))
	}
}
