package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/llm/fakellm"
	"github.com/triagebench/triage/pkg/triage"
)

type fakeLLMOptions struct {
	bankOptions
	Script, Listen string
	Tasks          []string
	Seed           int64
	Episodes       int
	Log            string
}

func newFakeLLMCmd(app *App, run func(context.Context, *fakeLLMOptions) error) *cobra.Command {
	o := &fakeLLMOptions{bankOptions: bankOptions{app: app}}
	cmd := &cobra.Command{
		Use: "fake-llm", Short: "Serve a chat model made of a script, for tests of agents and clients", Args: noArgs,
		Long: `Serves POST /v1/chat/completions and GET /v1/models as OpenAI-compatible endpoints do. A script (YAML) says how it answers: rightly, with
noise, in which form, and with which quirks, delays, errors and broken replies; docs/fake-llm.md describes it. Without a script it gives
the right answers in plain JSON.

It knows what is right for the tickets that --tasks, --seed, --episodes and --split name: give it those of the run that is to call it. The first
line of standard output is the base URL. SIGTERM or Ctrl-C ends it.`,
		Example: `  triage fake-llm
  triage fake-llm --script flaky.yaml --listen 127.0.0.1:8080 --tasks queue-easy desk-easy --episodes 20
  triage fake-llm --script flaky.yaml --log seen.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Script, "script", "", "YAML `file` that says how the model answers")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:0", "`address` and port to listen on; port 0 picks a free one")
	listFlag(f, &o.Tasks, "tasks", taskNames(), "tasks whose tickets it knows; all by default")
	intFlag(f, &o.Seed, "seed", 42, "seed of the first episode that it knows")
	intFlag(f, &o.Episodes, "episodes", 0, "episodes a task that it knows (default 10 of queue tasks, 100 of desk tasks)")
	f.StringVar(&o.Log, "log", "", "`file` that gets a line of JSON a request, without keys; what is there is kept")
	o.bind(cmd)
	return cmd
}

// mostKnown is how many tickets a fake model may know: they are held in memory.
const mostKnown = 1_000_000

func (o *fakeLLMOptions) check(cmd *cobra.Command) error {
	if o.Episodes < 0 || cmd.Flags().Changed("episodes") && o.Episodes == 0 {
		return usageError("--episodes %d is not allowed; allowed is 1 and more", o.Episodes)
	}
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return usageError("--listen %q is not an address with a port such as 127.0.0.1:8080", o.Listen)
	}
	n := 0
	for _, t := range o.tasks() {
		if o.Seed < 0 || o.Seed > triage.MaxSeed-int64(o.episodes(t))+1 {
			return usageError("--seed %d is not allowed; allowed is 0 to %d for that many episodes", o.Seed, triage.MaxSeed-int64(o.episodes(t))+1)
		}
		if n += min(o.episodes(t), mostKnown) * t.Tickets; n > mostKnown {
			return usageError("--episodes %d are too many: at most %d tickets can be known", o.Episodes, mostKnown)
		}
	}
	return nil
}

func (o *fakeLLMOptions) tasks() []triage.Task {
	var out []triage.Task
	for _, t := range triage.Tasks() {
		if len(o.Tasks) == 0 {
			out = append(out, t)
			continue
		}
		for _, name := range o.Tasks {
			if name == t.Name {
				out = append(out, t)
			}
		}
	}
	return out
}

func (o *fakeLLMOptions) episodes(t triage.Task) int {
	if o.Episodes > 0 {
		return o.Episodes
	}
	return t.Episodes
}

func runFakeLLM(ctx context.Context, o *fakeLLMOptions) error {
	script, err := o.script()
	if err != nil {
		return err
	}
	known, err := o.known(ctx)
	if err != nil {
		return err
	}
	seen, err := o.openLog()
	if err != nil {
		return err
	}
	defer seen.close()
	listener, err := o.app.Listen("tcp", o.Listen)
	if err != nil {
		return usageError("listen on %s: %v; --listen names another address, port 0 picks a free one", o.Listen, cause(err))
	}
	options := fakellm.Options{Keep: -1, Values: fakeValues(), Now: o.app.Now}
	if seen != nil {
		options.Log = seen.write
	}
	model := fakellm.New(script, known.answer, options)
	base := url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/v1"}
	if a, ok := listener.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() { // a client needs one address
		base.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port))
	}
	if _, err := fmt.Fprintf(o.app.Out, "listening on %s\n", &base); err != nil {
		_ = listener.Close() // the first error says more
		return &triage.Error{Code: triage.CodeFiles, Message: "print the address", Err: err}
	}
	web := &http.Server{Handler: model, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(o.app.Err, "triage: ", 0)}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err = <-failed:
		err = &triage.Error{Code: triage.CodeUnavailable, Message: "serve", Err: err}
	case <-ctx.Done():
		model.Close()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if web.Shutdown(limit) != nil {
			_ = web.Close() // what is left is cut off
		}
	}
	if n := model.Unknown(); n > 0 {
		o.app.warn("%d of %d calls were about tickets that it does not know: --tasks, --seed, --episodes and --split name those it does", n, model.Calls())
	}
	return errors.Join(err, seen.failure())
}

// script reads the script; without one the standard is played.
func (o *fakeLLMOptions) script() (*fakellm.Script, error) {
	if o.Script == "" {
		return fakellm.ParseScript(nil, "")
	}
	data, err := o.app.ReadFile(o.Script)
	if err != nil {
		return nil, fileProblem("read script", o.Script, err)
	}
	script, err := fakellm.ParseScript(data, o.Script)
	if err != nil {
		return nil, usageError("script has mistakes:\n%v", err)
	}
	return script, nil
}

// seenLog writes a line a request.
type seenLog struct {
	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	err  error
}

func (o *fakeLLMOptions) openLog() (*seenLog, error) {
	if o.Log == "" {
		return nil, nil
	}
	dir, name := filepath.Split(o.Log)
	if dir == "" {
		dir = "."
	}
	root, err := o.app.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // the file stays open without it
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fileProblem("open log", o.Log, err)
	}
	return &seenLog{file: f, out: bufio.NewWriter(f)}, nil
}

// seenLine is a line of the log.
type seenLine struct {
	Number int64           `json:"number"`
	Call   int64           `json:"call,omitempty"`
	At     string          `json:"at"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Header http.Header     `json:"header"`
	Body   json.RawMessage `json:"body"`
	Model  string          `json:"model,omitempty"`
	Fault  string          `json:"fault,omitempty"`
	Form   string          `json:"form,omitempty"`
	Known  bool            `json:"known"`
	Status int             `json:"status"`
	Reply  json.RawMessage `json:"reply"`
}

func (l *seenLog) write(s fakellm.Seen) {
	line, err := json.Marshal(seenLine{Number: s.Number, Call: s.Call, At: s.At.UTC().Format(time.RFC3339Nano), Method: s.Method, Path: s.Path, Header: s.Header,
		Body: asJSON(s.Body), Model: s.Model, Fault: s.Fault, Form: s.Form, Known: s.Known, Status: s.Status, Reply: asJSON(s.Reply)})
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.out.Write(append(line, '\n'))
	}
	if err == nil {
		err = l.out.Flush()
	}
	if l.err == nil {
		l.err = err
	}
}

// asJSON gives JSON as it stands, and anything else as a text.
func asJSON(data []byte) json.RawMessage {
	if json.Valid(data) {
		return data
	}
	text, err := json.Marshal(strings.ToValidUTF8(string(data), "\uFFFD"))
	if err != nil {
		return nil
	}
	return text
}

func (l *seenLog) failure() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return nil
	}
	return fileProblem("write log", l.file.Name(), l.err)
}

func (l *seenLog) close() {
	if l != nil {
		_ = l.file.Close() // every line was written
	}
}
