package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/audit"
	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

type auditOptions struct {
	bankOptions
	Tasks            []string
	Episodes         int
	Seed             int64
	Workers          int
	Format, Progress string
	URL, TokenFile   string // of a server; empty for the local environments
}

func newAuditCmd(app *App, run func(context.Context, *auditOptions) error) *cobra.Command {
	o := &auditOptions{bankOptions: bankOptions{app: app}}
	cmd := &cobra.Command{
		Use: "audit [URL]", Short: "Play degenerate agents and fail where one passes its ceiling", Args: oneURL,
		Long: `Plays agents that read nothing, copy a field, stuff or paste a recommendation, send wrong values, remember train, replay a
seed, make the labels again from it, or look sentences up in the bank, against the local environments, and prints what each
earned beside its ceiling (means of episodes ± a standard error). Lines that say "printed" are known and allowed. Exits with
1 if an agent passes its ceiling: then the benchmark measures something else than reading.

With a URL they play on a server of triage, over its sockets, and everything that the server answers is searched for labels: documents, errors,
headers, metrics, tools, pages. Clients try to get into each other's sessions; with two tokens in --token-file also as another one. Whether the
server is sealed, needs tokens or has a secret is found out and printed first. What needs more than the audit has is skipped, with the reason.
Episodes are few, so ceilings have a margin of four standard errors there; --workers is how many sessions play at once. A sealed server
lets a token play each seed once: the audit uses up some 700 of its first token's seeds of a queue task and 1,700 of a desk task, as long as
--episodes is not given, and the server's records grow by 60 MB. Give it tokens of its own. Exits with 4 if the server cannot be
reached or played on.`,
		Example: `  triage audit
  triage audit --tasks queue-hard desk-hard --episodes 1000
  triage audit --bank private/bank --secret-file secret.txt --format json
  triage audit http://127.0.0.1:7860
  triage audit https://triage.example.org --token-file audit-tokens.txt --tasks queue-hard --episodes 50`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.URL = strings.Join(args, "")
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	listFlag(f, &o.Tasks, "tasks", taskNames(), "tasks to play; all by default")
	intFlag(f, &o.Episodes, "episodes", 0, "episodes a task: episode i plays seed SEED+i (default 200 for queue tasks, 2000 for desk tasks, whose episodes are one ticket; on a server 20 and 60)")
	intFlag(f, &o.Seed, "seed", 42, "seed of the first episode, 0 to 9223372036854775807")
	intFlag(f, &o.Workers, "workers", 0, "episodes played at once; results do not depend on it (default: the number of processors)")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to tell how far the audit is")
	f.StringVar(&o.TokenFile, "token-file", "", "`file` of bearer tokens for the server, one a line: the first plays, the second is a stranger")
	o.bind(cmd)
	return cmd
}

// check refuses numbers that mean nothing.
func (o *auditOptions) check(cmd *cobra.Command) error {
	switch {
	case o.Episodes < 0 || cmd.Flags().Changed("episodes") && o.Episodes == 0:
		return usageError("--episodes %d is not allowed; allowed is 1 and more", o.Episodes)
	case o.Seed < 0:
		return usageError("--seed %d is not allowed; allowed is 0 to %d", o.Seed, triage.MaxSeed)
	case o.Seed > triage.MaxSeed-int64(max(o.Episodes, auditDesk)-1):
		return usageError("--seed %d with so many episodes leaves the range 0 to %d", o.Seed, triage.MaxSeed)
	case o.Workers > mostWorkers || o.Episodes > runner.MaxEpisodes:
		return usageError("--workers %d --episodes %d is not allowed; allowed are at most %d and %d", o.Workers, o.Episodes, mostWorkers, runner.MaxEpisodes)
	case o.Workers < 0 || cmd.Flags().Changed("workers") && o.Workers == 0:
		return usageError("--workers %d is not allowed; allowed is 1 and more", o.Workers)
	case o.URL != "" && o.SecretFile != "":
		return usageError("--secret-file does not go with a URL: the audit finds out by itself whether the server has a secret, as an attacker would")
	case o.URL == "" && o.TokenFile != "":
		return usageError("--token-file is for the audit of a server: give its URL")
	}
	return nil
}

// oneURL refuses more than one argument.
func oneURL(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("%sone URL at most, there are %d", place(cmd), len(args))
	}
	if len(args) == 1 {
		if slices.Contains(taskNames(), args[0]) {
			return usageError("%sunexpected argument %q: --tasks chooses tasks", place(cmd), args[0])
		}
		if _, err := client.ParseAddress(args[0]); err != nil {
			return fmt.Errorf("%s%w", place(cmd), err)
		}
	}
	return nil
}

// The episodes of an audit where none are asked for. A desk episode is one ticket: 200 would leave a mean ± 0.02.
const auditQueue, auditDesk = 200, 2000

// Those of an audit of a server. A sealed one has no more seeds than it has.
const auditServerQueue, auditServerDesk = 20, 60

func runAudit(ctx context.Context, o *auditOptions) error {
	if o.URL != "" {
		return auditServer(ctx, o)
	}
	s, err := o.session()
	if err != nil {
		return err
	}
	deps, err := auditDeps(s)
	if err != nil {
		return err
	}
	options := audit.Options{Split: triage.Split(o.Split), Seed: o.Seed, Workers: o.Workers}
	if options.Workers == 0 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	var checks []triage.Check
	for _, track := range triage.Tracks() {
		found, err := o.auditTrack(ctx, track, deps, options)
		if err != nil {
			return err
		}
		checks = append(checks, found...)
	}
	return printChecks(o.app, o.Format, checks)
}

// tasks are those that are chosen.
func (o *auditOptions) tasks() ([]triage.Task, error) {
	if len(o.Tasks) == 0 {
		return triage.Tasks(), nil
	}
	var out []triage.Task
	for _, name := range o.Tasks {
		task, err := triage.TaskByName(name)
		if err != nil {
			return nil, err
		}
		out = append(out, task)
	}
	return out, nil
}

// auditTrack audits the chosen tasks of one track.
func (o *auditOptions) auditTrack(ctx context.Context, track triage.Track, deps audit.Deps, options audit.Options) ([]triage.Check, error) {
	list, err := o.tasks()
	if err != nil {
		return nil, err
	}
	for _, task := range list {
		if task.Track == track {
			options.Tasks = append(options.Tasks, task)
		}
	}
	if len(options.Tasks) == 0 {
		return nil, nil
	}
	options.Episodes = o.Episodes
	if options.Episodes == 0 {
		options.Episodes = auditQueue
		if track == triage.Desk {
			options.Episodes = auditDesk
		}
	}
	bar := newProgress(o.app, o.Progress, string(track)+" episodes", len(options.Tasks)*options.Episodes)
	defer bar.finish()
	options.Step = func(done, _ int) { bar.step(done) }
	return audit.Run(ctx, deps, options)
}

// auditServer audits a server.
func auditServer(ctx context.Context, o *auditOptions) error {
	address, err := client.ParseAddress(o.URL)
	if err != nil {
		return err
	}
	tokens, err := (&serveOptions{app: o.app, TokenFile: o.TokenFile}).tokens()
	if err != nil {
		return err
	}
	s, err := newSession(o.app, o.Bank, "")
	if err != nil {
		return err
	}
	deps, err := auditDeps(s)
	if err != nil {
		return err
	}
	options := audit.ServerOptions{Split: triage.Split(o.Split), Seed: o.Seed, Workers: o.Workers,
		Episodes: map[triage.Track]int{triage.Queue: auditServerQueue, triage.Desk: auditServerDesk}}
	if options.Tasks, err = o.tasks(); err != nil {
		return err
	}
	if options.Workers == 0 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	total := 0
	for _, t := range options.Tasks {
		if o.Episodes > 0 {
			options.Episodes[t.Track] = o.Episodes
		}
		total += options.Episodes[t.Track]
	}
	bar := newProgress(o.app, o.Progress, "episodes", total)
	options.Step = func(done, _ int) { bar.step(done) }
	checks, err := audit.RunServer(ctx, audit.ServerDeps{Deps: deps, HTTP: o.app.HTTP, Tokens: tokens,
		URL: func(path string) string { return withQuery(address.HTTP, path) },
		Open: func(ctx context.Context, path, token string) (audit.Socket, error) {
			conn, err := client.Open(ctx, withQuery(address.WebSocket, path), client.Options{Token: token, HTTPClient: o.app.HTTP})
			if err != nil {
				return nil, err
			}
			return conn, nil
		}}, options)
	bar.finish()
	if err != nil {
		return fmt.Errorf("audit %s: %w", address, err)
	}
	return printChecks(o.app, o.Format, checks)
}

// withQuery gives the address of a path that may have a query.
func withQuery(address func(path string) string, path string) string {
	path, query, asked := strings.Cut(path, "?")
	if !asked {
		return address(path)
	}
	return address(path) + "?" + query
}

// auditDeps are environments, agents and tickets from the session's bank. Environments remember the tickets of their last
// episode, so that all attacks play it at the price of one.
func auditDeps(s *session) (audit.Deps, error) {
	h := &hiding{session: s, by: map[string]*session{string(s.secret): s}}
	d := audit.Deps{NewAgent: agent.NewFloor, Play: runner.Play, Bank: s.bank.Scenarios, Secret: s.secret,
		NewEnv: func(task triage.Task, split triage.Split, secret []byte) (triage.Env, error) {
			return h.of(secret).newRememberingEnv(task, split)
		},
		Source: func(task triage.Task, split triage.Split) (audit.Tickets, error) {
			src, err := h.of(nil).source(task, split)
			if err != nil {
				return nil, err
			}
			return src.Ticket, nil
		}}
	if s.bankName != publicBank {
		public, err := scenario.Embedded()
		if err != nil {
			return d, err
		}
		d.Outside = public.Scenarios
	}
	return d, nil
}

// hiding has a session for each secret, on the same bank.
type hiding struct {
	*session
	mu sync.Mutex
	by map[string]*session
}

func (h *hiding) of(secret []byte) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.by[string(secret)]
	if !ok {
		s = &session{bank: h.bank, bankName: h.bankName, secret: secret, sources: map[sourceKey]*synth.Source{}}
		h.by[string(secret)] = s
	}
	return s
}

// newRememberingEnv makes a local environment that makes the tickets of an episode once, however often it is played in a
// row.
func (s *session) newRememberingEnv(task triage.Task, split triage.Split) (env.Grading, error) {
	memo := &memory{}
	return env.New(task, split, func(split triage.Split) (env.Source, error) {
		src, err := s.source(task, split)
		memo.source = src
		return memo, err
	})
}
