package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/validate"
)

type validateOptions struct {
	app              *App
	Target           string // an address, a folder, or empty for this program
	Actions, Headers []string
	TokenFile        string
	Timeout          time.Duration
	Seed             int64
	Format, Progress string
	// Fingerprint asks for what another process compares: TASK/SEED.
	Fingerprint string
}

// junit is the format of test reports; only checks can be printed in it.
const junit = "junit"

// mostPatience is the longest --timeout.
const mostPatience = 10 * time.Minute

func newValidateCmd(app *App, run func(context.Context, *validateOptions) error) *cobra.Command {
	o := &validateOptions{app: app}
	cmd := &cobra.Command{
		Use: "validate [URL|DIR]", Short: "Check the environments of this program, an OpenEnv server, or the folder of a package",
		Long: `Without an argument it checks the environments of this program: the contract of reset, step and state, determinism (also at once and in
another process), models and schemas, graders and rewards computed again, the committed scores, leaks, agents that do not read, and the
handbook against the graders.

With the address of any OpenEnv server, ours or another's, it makes the six checks of "openenv validate --url" with the same ids, and plays
episodes over /ws: rewards, observations against the published schema, states, wrong frames, two sessions at once, seeds. Actions are made
from the server's schema, or given with --action. At most 8 MiB are read. On a sealed server the episodes count as played.

With a folder it checks the package in it as "openenv validate --level static" does, the runtime plan, and the catalog's entries in envs/.

What does not apply is skipped, with the reason. Exits with 1 if a check does not hold, with 4 if nobody answers at the address.`,
		Example: `  triage validate
  triage validate http://127.0.0.1:7860
  triage validate https://example.org/desk --token-file token.txt --format junit
  triage validate http://127.0.0.1:8000 --action '{"message":"hi"}' --action '{"message":"again"}' --header X-Team:blue
  triage validate . --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.Actions, "action", nil, "an action as a `JSON` object that the server takes (repeatable: episodes send them in turn)")
	f.StringArrayVar(&o.Headers, "header", nil, "a header of every request, `Name:value` (repeatable)")
	f.StringVar(&o.TokenFile, "token-file", "", "`file` whose first line is sent as a bearer token")
	f.DurationVar(&o.Timeout, "timeout", 5*time.Second, "how long to wait for a connection and for each answer")
	intFlag(f, &o.Seed, "seed", 42, "seed of the first episodes, 0 to "+strconv.FormatInt(mostSeed, 10))
	choiceFlag(f, &o.Format, "format", "table", append(report.FormatNames(), junit), "how to print")
	choiceFlag(f, &o.Progress, "progress", "auto", progressModes(), "how to tell how far the checks of this program are")
	f.StringVar(&o.Fingerprint, "fingerprint", "", "")
	f.Lookup("fingerprint").Hidden = true
	return cmd
}

// mostSeed leaves room for the seeds after the first one.
const mostSeed = triage.MaxSeed / 2

// check refuses what means nothing.
func (o *validateOptions) check(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("validate: %q and %q: one address or folder at a time", args[0], args[1])
	}
	if len(args) == 1 {
		if o.Target = args[0]; o.Target == "" {
			return usageError("validate: the address or folder is empty")
		}
	}
	switch {
	case o.Seed < 0 || o.Seed > mostSeed:
		return usageError("--seed %d is not allowed; allowed is 0 to %d", o.Seed, mostSeed)
	case o.Timeout < 100*time.Millisecond || o.Timeout > mostPatience:
		return usageError("--timeout %s is not allowed; allowed is 100ms to %s", o.Timeout, mostPatience)
	}
	for _, a := range o.Actions {
		var m map[string]json.RawMessage
		if json.Unmarshal([]byte(a), &m) != nil || m == nil {
			return usageError("--action %s is no JSON object", a)
		}
	}
	if isAddress(o.Target) {
		return nil
	}
	for _, name := range []string{"action", "header", "token-file", "timeout"} {
		if cmd.Flags().Changed(name) {
			return usageError("validate: --%s is for the address of a server", name)
		}
	}
	if o.Target != "" && cmd.Flags().Changed("seed") {
		return usageError("validate: --seed means nothing for a folder")
	}
	return nil
}

// hostAndPort is an address without a scheme.
var hostAndPort = lazyregexp.New(`^[A-Za-z0-9.-]+:[0-9]+(/|$)`)

// isAddress tells an address from a folder.
func isAddress(target string) bool {
	return strings.Contains(target, "://") || hostAndPort.MatchString(target)
}

func runValidate(ctx context.Context, o *validateOptions) error {
	if o.Fingerprint != "" {
		return o.fingerprint(ctx)
	}
	var checks []triage.Check
	var err error
	switch {
	case isAddress(o.Target):
		checks, err = o.server(ctx)
	case o.Target != "":
		checks, err = o.folder(ctx)
	default:
		checks, err = o.local(ctx)
	}
	if err != nil {
		return err
	}
	if isAddress(o.Target) && !slices.ContainsFunc(checks, func(c triage.Check) bool { return c.Passed }) {
		o.app.warn("nothing at %s answers as an OpenEnv server does: is the address right, and does the server need a token (--token-file)?", o.Target)
	}
	if o.Format != junit {
		return printChecks(o.app, o.Format, checks)
	}
	if err := report.JUnit(o.app.Out, "triage validate", checks); err != nil {
		return err
	}
	return verdict(checks)
}

// verdict is an error of the check's kind if a check does not hold.
func verdict(checks []triage.Check) error {
	return printChecks(&App{Out: io.Discard}, "csv", checks)
}

// server checks the server at an address.
func (o *validateOptions) server(ctx context.Context) ([]triage.Check, error) {
	options := validate.ServerOptions{Header: http.Header{}, Seed: o.Seed, Timeout: o.Timeout}
	for _, h := range o.Headers {
		name, value, ok := strings.Cut(h, ":")
		if name = strings.TrimSpace(name); !ok || !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, usageError("--header %q is not allowed; allowed is Name:value", h)
		}
		options.Header.Add(name, strings.TrimSpace(value))
	}
	for _, a := range o.Actions {
		options.Actions = append(options.Actions, json.RawMessage(a))
	}
	if o.TokenFile != "" {
		data, err := o.app.ReadFile(o.TokenFile)
		if err != nil {
			return nil, fileProblem("read token", o.TokenFile, err)
		}
		if options.Token, err = firstToken(data); err != nil {
			return nil, usageError("read token %s: %v", o.TokenFile, err)
		}
	}
	return validate.URL(ctx, o.Target, options)
}

var headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// firstToken is the first line of a file of tokens.
func firstToken(data []byte) (string, error) {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	token := string(bytes.TrimSpace(line))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("its first line is no token")
	}
	return token, nil
}

// folder checks the package in a folder.
func (o *validateOptions) folder(ctx context.Context) ([]triage.Check, error) {
	root := o.app.DirFS(o.Target)
	if _, err := fs.Stat(root, "."); err != nil {
		return nil, fileProblem("neither an address such as http://127.0.0.1:7860 nor a folder:", o.Target, err)
	}
	return validate.Dir(ctx, root)
}

// local checks the environments of this program.
func (o *validateOptions) local(ctx context.Context) ([]triage.Check, error) {
	s, err := newSession(o.app, "", "")
	if err != nil {
		return nil, err
	}
	scores, err := fs.Sub(baselines.Files, "scores")
	if err != nil {
		return nil, err
	}
	d := validate.Deps{
		NewEnv: func(task triage.Task, split triage.Split) (triage.Env, error) {
			return s.newEnv(task.Name, split, triage.Int{})
		},
		NewRemembering: func(task triage.Task, split triage.Split) (triage.Env, error) {
			return s.newRememberingEnv(task, split)
		},
		NewAgent: agent.NewFloor, Floors: agent.Floors, Play: runner.Play, Scores: scores, Generator: s.generator(), Handbook: handbook.Text(),
		Workers: runtime.GOMAXPROCS(0),
	}
	if o.app.Self != nil {
		d.Elsewhere = o.elsewhere
	}
	bar := newProgress(o.app, o.Progress, "groups of checks", 1)
	defer bar.finish()
	d.Step = func(done, total int) {
		bar.total = total
		bar.step(done)
	}
	return validate.Local(ctx, d, o.Seed)
}

// elsewhere plays an episode in another process of this program.
func (o *validateOptions) elsewhere(ctx context.Context, task triage.Task, seed int64) (string, error) {
	out, err := o.app.Self(ctx, "validate", "--fingerprint", task.Name+"/"+strconv.FormatInt(seed, 10))
	return strings.TrimSpace(string(out)), err
}

// fingerprint prints what the process that started this one compares.
func (o *validateOptions) fingerprint(ctx context.Context) error {
	name, text, _ := strings.Cut(o.Fingerprint, "/")
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seed < 0 || !slices.Contains(taskNames(), name) {
		return usageError("--fingerprint %q is not allowed; allowed is TASK/SEED", o.Fingerprint)
	}
	s, err := newSession(o.app, "", "")
	if err != nil {
		return err
	}
	e, err := s.newEnv(name, triage.Test, triage.Int{})
	if err != nil {
		return err
	}
	a, err := agent.New("random")
	if err != nil {
		return err
	}
	task, err := triage.TaskByName(name)
	if err != nil {
		return err
	}
	digits, err := validate.Fingerprint(ctx, e, a, task, seed)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.app.Out, digits)
	return err
}
