package audit

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	ours "github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/server/web"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// kind says what kind of server a test plays on.
type kind struct {
	secret, sealed bool
	tokens         []string
	mode           ours.Mode
	noWeb          bool
	// change, if set, puts something between the server and its environments.
	change func(triage.Env) triage.Env
}

var twoTokens = []string{"0123456789abcdef-one", "0123456789abcdef-two"}

// The kinds of servers that there are.
var (
	plain      = kind{}
	withSecret = kind{secret: true}
	tokened    = kind{tokens: twoTokens}
	sealed     = kind{secret: true, sealed: true, tokens: twoTokens}
)

// serve starts a server of ours and gives its address.
func serve(t *testing.T, k kind) string {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var secret []byte
	if k.secret {
		secret = []byte(strings.Repeat("k", synth.MinSecret))
	}
	newEnv := func(task triage.Task, split triage.Split) (triage.Env, error) {
		e, err := env.New(task, split, func(split triage.Split) (env.Source, error) { return source(bank, task, split, secret) })
		if err != nil || k.change == nil {
			return e, err
		}
		return k.change(e), nil
	}
	d := ours.Deps{NewEnv: newEnv, Handbook: "the handbook", Log: slog.New(slog.DiscardHandler), Now: time.Now, Random: rand.Reader}
	if !k.noWeb {
		d.Page = web.Handler(web.Config{Sealed: k.sealed, Tokens: len(k.tokens) > 0})
	}
	if k.sealed {
		d.Ledger = ledger(t, newEnv)
	}
	s := ours.New(d, ours.Options{Mode: k.mode, Sealed: k.sealed, Tokens: k.tokens, Loopback: true})
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Drain(ctx) // sockets that are left are cut off
		h.Close()
	})
	return h.URL
}

// sources are made once for all tests: they are safe for concurrent use.
var sources sync.Map

func source(bank *scenario.Bank, task triage.Task, split triage.Split, secret []byte) (*synth.Source, error) {
	key := fmt.Sprint(task.Name, split, string(secret))
	if s, ok := sources.Load(key); ok {
		return s.(*synth.Source), nil
	}
	s, err := synth.New(bank, task, split, secret)
	if err == nil {
		sources.Store(key, s)
	}
	return s, err
}

func ledger(t *testing.T, newEnv func(triage.Task, triage.Split) (triage.Env, error)) *ours.Ledger {
	t.Helper()
	open := func(name string) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	l, err := ours.OpenLedger(t.Context(), unsynced{open("ledger")}, unsynced{open("episodes")}, ours.LedgerOrigin{Generator: "test"}, newEnv)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// unsynced is a file that no test waits for.
type unsynced struct{ *os.File }

func (unsynced) Sync() error { return nil }

// serverDeps plays on a server as the command line does.
func serverDeps(t *testing.T, address string, tokens ...string) ServerDeps {
	t.Helper()
	at := func(path string) string { return address + path }
	transport := &http.Transport{MaxIdleConnsPerHost: 4}
	t.Cleanup(transport.CloseIdleConnections)
	asker := &http.Client{Transport: transport}
	return ServerDeps{Deps: deps(t), URL: at, HTTP: asker, Tokens: tokens,
		Open: func(ctx context.Context, path, token string) (Socket, error) {
			c, err := client.Open(ctx, "ws"+strings.TrimPrefix(at(path), "http"), client.Options{Token: token})
			if err != nil {
				return nil, err
			}
			return c, nil
		}}
}

// few is an audit of a server that is quick.
func few(t *testing.T, tasks ...string) ServerOptions {
	o := ServerOptions{Split: triage.Test, Seed: 42, Episodes: map[triage.Track]int{triage.Queue: 3, triage.Desk: 4}, Workers: 2, Train: 300, Sample: 300}
	for _, name := range tasks {
		o.Tasks = append(o.Tasks, task(t, name))
	}
	return o
}

// met is a server that the audit has found out about.
func met(t *testing.T, d ServerDeps, o ServerOptions) *server {
	t.Helper()
	s, err := meet(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	s.visits = 2
	return s
}

// failing lists the checks that fail.
func failing(checks []triage.Check) []string {
	var out []string
	for _, c := range checks {
		if !c.Passed && !c.Printed && c.Skipped == "" {
			out = append(out, c.ID)
		}
	}
	return out
}
