package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/server/web"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

type serveOptions struct {
	app                  *App
	Host                 string
	Port, AlsoPort       int
	Track, Mode, Rewards string
	CacheSize            int // MiB
	MaxSessions          int
	Timeout, Drain       time.Duration
	TokenFile            string
	Sealed, NoWeb        bool
	Ledger               string
	SecretFile, Bank     string
	Origins              []string
	TLSCert, TLSKey      string
	LogFormat, LogLevel  string
}

func newServeCmd(app *App, run func(context.Context, *serveOptions) error) *cobra.Command {
	o := &serveOptions{app: app}
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the environments over OpenEnv, with a page for people", Args: noArgs,
		Long: `Serves both tracks over the OpenEnv protocol: WebSocket /ws, HTTP, MCP, and a page for people at /. One track is at the root, and each
is always at /queue and /desk too. The first line of standard output is the address; the log goes to standard error.

HTTP /reset, /step and /state keep their episode, so that curl can play. SIGTERM or Ctrl-C drains: no new sessions, running steps
finish, exit 0.

A sealed server (--sealed) hides how well each answer did: it chooses the tickets, lets each token play each of them once, and tells score and
efficiency at the end. It needs --secret-file, --token-file and --ledger.`,
		Example: `  triage serve
  triage serve --track desk --port 8000 --host 0.0.0.0 --token-file tokens.txt
  triage serve --sealed --secret-file secret.txt --token-file tokens.txt --ledger ledger.jsonl --bank private/bank`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPort(cmd, app, &o.Port); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Host, "host", "127.0.0.1", "`address` to listen on; 0.0.0.0 for all")
	intFlag(f, &o.Port, "port", defaultPort, "port to listen on; 0 picks a free one; the variable PORT sets another default")
	intFlag(f, &o.AlsoPort, "also-port", 0, "a second port for the same server; 0 for none")
	choiceFlag(f, &o.Track, "track", string(triage.Queue), names(triage.Tracks()), "track at the root")
	choiceFlag(f, &o.Mode, "mode", string(server.Simulation), names(server.Modes()), "production has no HTTP /reset, /step and /state")
	choiceFlag(f, &o.Rewards, "rewards", string(triage.RewardsDense), names(openenv.RewardModes()), "how the queue's rewards are spread over steps, where a reset does not say")
	intFlag(f, &o.MaxSessions, "max-sessions", server.DefaultMaxSessions, "most sessions at once, sockets and JSON-RPC together")
	intFlag(f, &o.CacheSize, "cache-size", 16, "MiB of tickets that are remembered for seeds that are played again; 0 for none")
	f.DurationVar(&o.Timeout, "session-timeout", server.DefaultTimeout, "close sessions that are idle for so long")
	f.DurationVar(&o.Drain, "drain", 10*time.Second, "how long running steps may take after SIGTERM")
	f.StringVar(&o.TokenFile, "token-file", "", "`file` of bearer tokens, one a line; requests must bear one of them")
	f.BoolVar(&o.Sealed, "sealed", false, "tell nothing of how well an answer did, but the score at the end")
	f.StringVar(&o.Ledger, "ledger", "", "`file` that keeps what each token has played on a sealed server")
	f.StringVar(&o.SecretFile, "secret-file", "", "`file` with a secret that hides which tickets come")
	f.StringVar(&o.Bank, "bank", "", "`folder` with a bank of your own")
	f.StringSliceVar(&o.Origins, "cors-origin", nil, "`origin` of pages whose scripts may call, such as https://example.org; repeatable")
	f.StringVar(&o.TLSCert, "tls-cert", "", "`file` with a certificate in PEM, to serve https")
	f.StringVar(&o.TLSKey, "tls-key", "", "`file` with its key in PEM")
	f.BoolVar(&o.NoWeb, "no-web", false, "serve no page")
	choiceFlag(f, &o.LogFormat, "log-format", "text", []string{"text", "json"}, "form of the log")
	choiceFlag(f, &o.LogLevel, "log-level", "info", []string{"debug", "info", "warn", "error"}, "least important lines that are logged; debug has a line a request")
	return cmd
}

// check refuses settings that contradict each other.
func (o *serveOptions) check() error {
	switch {
	case o.AlsoPort < 0 || o.AlsoPort > 65535:
		return usageError("--also-port %d is not allowed; allowed is 0 to 65535", o.AlsoPort)
	case o.MaxSessions < 1 || o.MaxSessions > 1<<20:
		return usageError("--max-sessions %d is not allowed; allowed is 1 to %d", o.MaxSessions, 1<<20)
	case o.CacheSize < 0 || o.CacheSize > 1<<20:
		return usageError("--cache-size %d is not allowed; allowed is 0 to %d", o.CacheSize, 1<<20)
	case o.Timeout < time.Second:
		return usageError("--session-timeout %s is not allowed; allowed is 1s and more", o.Timeout)
	case o.Drain < 0:
		return usageError("--drain %s is not allowed; allowed is 0s and more", o.Drain)
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return usageError("--tls-cert and --tls-key are needed together")
	case o.Sealed && (o.SecretFile == "" || o.TokenFile == "" || o.Ledger == ""):
		return usageError("--sealed needs --secret-file, --token-file and --ledger: without them a client could learn what it hides")
	case o.Ledger != "" && !o.Sealed:
		return usageError("--ledger is for --sealed: another server keeps no account of what was played")
	}
	for _, origin := range o.Origins {
		if !isOrigin(origin) {
			return usageError("--cors-origin %q is not an origin such as https://example.org; * is not allowed", origin)
		}
	}
	return nil
}

// isOrigin tells whether a text is an origin as browsers send it: scheme, host in small letters, and a port that is not the scheme's own.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.Scheme+"://"+u.Host == text && text == strings.ToLower(text) && !strings.Contains(text, "*") &&
		(u.Scheme != "https" || u.Port() != "443") && (u.Scheme != "http" || u.Port() != "80")
}

func runServe(ctx context.Context, o *serveOptions) error {
	logger := o.logger()
	tokens, err := o.tokens()
	if err != nil {
		return err
	}
	certificate, err := o.certificate()
	if err != nil {
		return err
	}
	secret, err := readSecret(o.app, o.SecretFile)
	if err != nil {
		return err
	}
	// The public bank, which cannot be wrong, is decoded while the server starts to answer.
	open := sync.OnceValues(func() (*session, error) { return openSession(o.app, o.Bank, secret) })
	if o.Bank != "" {
		s, err := open()
		if err == nil {
			err = servable(o.app, s)
		}
		if err != nil {
			return err
		}
	}
	newEnv := cachedEnvs(open, synth.NewCache(o.CacheSize<<20))
	ledger, closeLedger, err := o.openLedger(ctx, open, newEnv)
	if err != nil {
		return err
	}
	defer closeLedger()
	listeners, err := o.listen()
	if err != nil {
		return err
	}
	defer closeListeners(listeners)
	address, _ := listeners[0].Addr().(*net.TCPAddr)
	deps := server.Deps{Handbook: handbook.Text(), Log: logger, Now: o.app.Now, Random: o.app.Random,
		NewEnv: newEnv, Ledger: ledger, Memory: server.GiveBack,
		NewAgent: func() (triage.Agent, error) { return agent.New("heuristic") }}
	options := server.Options{Track: triage.Track(o.Track), Mode: server.Mode(o.Mode), Version: o.app.Version().Number, MaxSessions: o.MaxSessions,
		Timeout: o.Timeout, Rewards: triage.Rewards(o.Rewards), Sealed: o.Sealed, Tokens: tokens, Origins: o.Origins,
		Loopback: address != nil && address.IP.IsLoopback()}
	if !o.NoWeb {
		deps.Page = web.Handler(web.Config{Sealed: o.Sealed, Tokens: len(tokens) > 0, DefaultTrack: options.Track, Mode: o.Mode})
	}
	go func() { _, _ = open() }() // the first reset finds it ready
	o.tell(logger, tokens, options.Loopback)
	srv := server.New(deps, options)
	web := srv.HTTPServer(slog.NewLogLogger(logger.Handler(), slog.LevelDebug))
	web.TLSConfig = certificate
	return o.serve(ctx, srv, web, listeners, address)
}

// episodesSuffix is what the graded episodes of a sealed server are called beside its ledger.
const episodesSuffix = ".episodes.jsonl"

// openLedger opens the ledger of a sealed server and, beside it, the file of its graded episodes.
func (o *serveOptions) openLedger(ctx context.Context, open func() (*session, error), newEnv func(triage.Task, triage.Split) (triage.Env, error)) (*server.Ledger, func(), error) {
	if !o.Sealed {
		return nil, func() {}, nil
	}
	s, err := open()
	if err != nil {
		return nil, nil, err
	}
	dir, name := filepath.Split(o.Ledger)
	if dir == "" {
		dir = "."
	}
	root, err := o.app.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			_ = f.Close() // every line was written and synced
		}
		_ = root.Close()
	}
	for _, n := range []string{name, strings.TrimSuffix(name, ".jsonl") + episodesSuffix} {
		if info, err := root.Stat(n); err == nil && !info.Mode().IsRegular() {
			closeAll()
			return nil, nil, fileProblem("open", filepath.Join(dir, n), errNotRegular)
		}
		f, err := root.OpenFile(n, os.O_RDWR|os.O_CREATE, 0o600)
		if err == nil {
			files = append(files, f)
			err = results.Lock(f)
		}
		if err != nil {
			closeAll()
			return nil, nil, fileProblem("open", filepath.Join(dir, n), err)
		}
	}
	origin := server.LedgerOrigin{Generator: s.generator(), Bank: s.bankName, Secret: synth.Fingerprint(s.secret)}
	ledger, err := server.OpenLedger(ctx, files[0], files[1], origin, newEnv)
	if err != nil {
		closeAll()
		return nil, nil, fileProblem("read the ledger", o.Ledger, err)
	}
	return ledger, closeAll, nil
}

// cachedEnvs gives a function that makes environments whose tickets are remembered, for all of them together.
func cachedEnvs(open func() (*session, error), cache *synth.Cache) func(triage.Task, triage.Split) (triage.Env, error) {
	var mu sync.Mutex
	sources := map[sourceKey]env.Source{}
	return func(task triage.Task, split triage.Split) (triage.Env, error) {
		return env.New(task, split, func(split triage.Split) (env.Source, error) {
			mu.Lock()
			defer mu.Unlock()
			key := sourceKey{task.Name, split}
			if src, ok := sources[key]; ok {
				return src, nil
			}
			s, err := open()
			if err != nil {
				return nil, err
			}
			src, err := s.source(task, split)
			if err != nil {
				return nil, err
			}
			sources[key] = cache.Source(src)
			return sources[key], nil
		})
	}
}

// certificate reads what https is served with, if it is.
func (o *serveOptions) certificate() (*tls.Config, error) {
	if o.TLSCert == "" {
		return nil, nil
	}
	var pem [2][]byte
	for i, name := range []string{o.TLSCert, o.TLSKey} {
		var err error
		if pem[i], err = o.app.ReadFile(name); err != nil {
			return nil, fileProblem("read", name, err)
		}
	}
	pair, err := tls.X509KeyPair(pem[0], pem[1])
	if err != nil {
		return nil, usageError("certificate %s and key %s: %v", o.TLSCert, o.TLSKey, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func (o *serveOptions) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.LogLevel)) // the flag allows nothing else
	options := &slog.HandlerOptions{Level: level}
	if o.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(o.app.Err, options))
	}
	return slog.New(slog.NewTextHandler(o.app.Err, options))
}

// tell logs what whoever runs the server should know.
func (o *serveOptions) tell(logger *slog.Logger, tokens []string, loopback bool) {
	for i, t := range tokens {
		logger.Info("token", "number", i+1, "name", server.TokenName(t))
	}
	if len(tokens) == 0 && !loopback {
		logger.Warn("other machines can reach this server, and need no token: --token-file names some")
	}
}

// shortestToken is the least length of a token: shorter ones can be guessed.
const shortestToken = 16

// tokens reads the file of bearer tokens: one a line; empty lines and those that begin with # are left out.
func (o *serveOptions) tokens() ([]string, error) {
	if o.TokenFile == "" {
		return nil, nil
	}
	data, err := o.app.ReadFile(o.TokenFile)
	if err != nil {
		return nil, fileProblem("read tokens", o.TokenFile, err)
	}
	var out []string
	sc := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	for line := 1; sc.Scan(); line++ {
		token := strings.TrimSpace(sc.Text())
		switch {
		case token == "" || strings.HasPrefix(token, "#"):
		case len(token) < shortestToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, usageError("read tokens %s:%d: a token is one word of at least %d characters of ASCII", o.TokenFile, line, shortestToken)
		default:
			out = append(out, token)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fileProblem("read tokens", o.TokenFile, err)
	}
	if len(out) == 0 {
		return nil, usageError("read tokens %s: there is none", o.TokenFile)
	}
	return out, nil
}
