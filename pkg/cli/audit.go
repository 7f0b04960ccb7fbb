package cli

import (
	"context"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/audit"
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
}

func newAuditCmd(app *App, run func(context.Context, *auditOptions) error) *cobra.Command {
	o := &auditOptions{bankOptions: bankOptions{app: app}}
	cmd := &cobra.Command{
		Use: "audit", Short: "Play degenerate agents and fail where one passes its ceiling", Args: noArgs,
		Long: `Plays agents that read nothing, copy a field, stuff or paste a recommendation, send wrong values, remember train, replay a
seed, make the labels again from it, or look sentences up in the bank, against the local environments, and prints what each
earned beside its ceiling (means of episodes ± a standard error). Lines that say "printed" are known and allowed. Exits with
1 if an agent passes its ceiling: then the benchmark measures something else than reading.`,
		Example: `  triage audit
  triage audit --tasks queue-hard desk-hard --episodes 1000
  triage audit --bank private/bank --secret-file secret.txt --format json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	listFlag(f, &o.Tasks, "tasks", taskNames(), "tasks to play; all by default")
	intFlag(f, &o.Episodes, "episodes", 0, "episodes a task: episode i plays seed SEED+i (default 200 for queue tasks, 2000 for desk tasks, whose episodes are one ticket)")
	intFlag(f, &o.Seed, "seed", 42, "seed of the first episode, 0 to 9223372036854775807")
	intFlag(f, &o.Workers, "workers", 0, "episodes played at once; results do not depend on it (default: the number of processors)")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to tell how far the audit is")
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
	}
	return nil
}

// The episodes of an audit where none are asked for. A desk episode is one ticket: 200 would leave a mean ± 0.02.
const auditQueue, auditDesk = 200, 2000

func runAudit(ctx context.Context, o *auditOptions) error {
	s, err := newSession(o.app, o.Bank, o.SecretFile)
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
	list := o.Tasks
	if len(list) == 0 {
		list = taskNames()
	}
	var checks []triage.Check
	for _, track := range triage.Tracks() {
		found, err := o.auditTrack(ctx, track, list, deps, options)
		if err != nil {
			return err
		}
		checks = append(checks, found...)
	}
	return printChecks(o.app, o.Format, checks)
}

// auditTrack audits the chosen tasks of one track.
func (o *auditOptions) auditTrack(ctx context.Context, track triage.Track, list []string, deps audit.Deps, options audit.Options) ([]triage.Check, error) {
	for _, name := range list {
		task, err := triage.TaskByName(name)
		if err != nil {
			return nil, err
		}
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
