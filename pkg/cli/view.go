package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/view"
)

type viewOptions struct {
	app    *App
	Folder string
	Host   string
	Port   int
}

func newViewCmd(app *App, run func(context.Context, *viewOptions) error) *cobra.Command {
	o := &viewOptions{app: app}
	cmd := &cobra.Command{Use: "view [RUN]", Short: "Show a run in the browser while it goes on, or a leaderboard of all runs",
		Long: `Serves the report of a run folder, or a leaderboard over a folder of runs (results by default) with the report of each run and comparisons
of two. A run that goes on is followed: a bar says how far it is, and the page offers what is new. The first line of standard output is the address.

It answers calls from this machine only, and reads no file outside the folder. Ctrl-C ends it.`,
		Example: `  triage view
  triage view results/first
  triage view --port 8080 results`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%stakes one folder: a run's, or one of runs; see `%s --help`", place(cmd), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Folder = defaultResults
			if len(args) == 1 {
				o.Folder = args[0]
			}
			if filepath.Base(o.Folder) == results.RunFile { // the run that it is the file of
				o.Folder = filepath.Dir(o.Folder)
			}
			if inner, ok := strings.CutPrefix(o.Host, "["); ok { // as addresses have it
				o.Host = strings.TrimSuffix(inner, "]")
			}
			switch {
			case o.Port < 0 || o.Port > 65535:
				return usageError("--port %d is not allowed; allowed is 0 to 65535", o.Port)
			case !server.IsLoopback(o.Host):
				return usageError("--host %s is not this machine: the pages show answers and labels, and anybody could read them; allowed are 127.0.0.1, ::1 and localhost", o.Host)
			}
			return run(cmd.Context(), o)
		}}
	intFlag(cmd.Flags(), &o.Port, "port", 0, "port to listen on; 0 picks a free one")
	cmd.Flags().StringVar(&o.Host, "host", "127.0.0.1", "`address` of this machine to listen on")
	return cmd
}

// stopIn is how long a page that is being sent may take after the signal.
const stopIn = 5 * time.Second

func runView(ctx context.Context, o *viewOptions) error {
	root, err := o.app.OpenExisting(o.Folder)
	if errors.Is(err, fs.ErrNotExist) && o.Folder == defaultResults {
		return usageError("there is no folder %s: name a run, or a folder of runs", defaultResults)
	}
	if err != nil {
		return fileProblem("open the folder of runs", o.Folder, err)
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	listener, err := o.app.Listen("tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port)))
	if err != nil {
		return usageError("listen on %s port %d: %v; --port names another, 0 picks a free one", o.Host, o.Port, cause(err))
	}
	defer func() { _ = listener.Close() }() // it is closed already when all went well
	v := &viewed{app: o.app, root: root, name: o.Folder}
	single := exists(root, results.RunFile) || exists(root, results.JournalFile) || exists(root, results.EpisodesFile)
	if !single {
		v.home = "./"
	}
	s := view.New(view.Deps{Root: root, Name: o.Folder, Single: single, Local: server.IsLoopback, Now: o.app.Now, Run: v.run, Compare: v.compare})
	return o.serve(ctx, s.HTTPServer(log.New(io.Discard, "", 0)), listener)
}

// serve answers until the context ends.
func (o *viewOptions) serve(ctx context.Context, s *http.Server, listener net.Listener) error {
	if _, err := fmt.Fprintf(o.app.Out, "Listening on http://%s\n", listener.Addr()); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print the address", Err: err}
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(listener) }()
	select {
	case err := <-failed:
		return &triage.Error{Code: triage.CodeUnavailable, Message: "serve", Err: err}
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
	defer cancel()
	if s.Shutdown(limit) != nil {
		_ = s.Close() // what is left is cut off
	}
	return nil
}

// viewed makes the pages of what lies in a folder.
type viewed struct {
	app  *App
	root *os.Root
	name string // as it was given
	home string // the address of the leaderboard, where there is one
}

// called is how pages name what lies at a path below the folder.
func (v *viewed) called(path string) string { return filepath.Join(v.name, filepath.FromSlash(path)) }

// run writes the report of a run.
func (v *viewed) run(w io.Writer, e *history.Entry, progress string) (err error) {
	sub, err := v.root.OpenRoot(filepath.FromSlash(e.Path))
	if err != nil {
		return fileProblem("open run", v.called(e.Path), err)
	}
	defer func() { err = errors.Join(err, sub.Close()) }()
	f, err := results.OpenFolder(sub)
	if err != nil {
		return err
	}
	o := html.Options{Title: v.called(e.Path), Names: []string{v.called(e.Path)}, Home: v.home}
	if progress != "" {
		p := view.ProgressOf(e)
		o.Live = &html.Live{Address: progress, Progress: html.Progress{Done: p.Done, Planned: p.Planned, Ended: p.Ended, Version: p.Version}}
	}
	page, err := html.Collect(context.Background(), []*results.Folder{f}, o)
	if err != nil {
		return err
	}
	return page.Write(w)
}

// compare writes the page of one side against another.
func (v *viewed) compare(w io.Writer, base, other view.Choice, allow []string) error {
	s := &sources{app: v.app}
	defer s.close()
	sides := make([]*compare.Side, 2)
	for i, c := range []view.Choice{base, other} {
		side, err := v.side(s, c)
		if err != nil {
			return err
		}
		sides[i] = side
	}
	compare.Label(sides)
	o := s.options()
	o.Allow = allow
	c, err := compare.Compare(sides[0], sides[1], o)
	if err != nil {
		return notAlike(sides, o, err)
	}
	return html.FromComparison(c, html.Options{Home: v.home}).Write(w)
}

// notAlike is the error of a comparison with what the two do not share, where they are compared once that is allowed to differ.
func notAlike(sides []*compare.Side, o compare.Options, err error) error {
	was := o.Allow
	o.Allow = append(slices.Clone(was), compare.Keys()...)
	c, other := compare.Compare(sides[0], sides[1], o)
	if other != nil {
		return err
	}
	r := &view.Refusal{Err: err}
	for _, m := range c.Allowed {
		if !slices.Contains(was, m.Key) {
			r.Unlike = append(r.Unlike, view.Unlike{Key: m.Key, Base: m.Base, New: m.New})
		}
	}
	return r
}

// side reads a side from below the folder, and from nowhere else.
func (v *viewed) side(s *sources, c view.Choice) (*compare.Side, error) {
	name := filepath.FromSlash(c.Path)
	info, err := v.root.Lstat(name)
	if err != nil {
		return nil, fileProblem("open", v.called(c.Path), err)
	}
	var sides []*compare.Side
	switch {
	case info.IsDir():
		var sub *os.Root
		if sub, err = v.root.OpenRoot(name); err != nil {
			return nil, fileProblem("open", v.called(c.Path), err)
		}
		s.closers = append(s.closers, sub.Close)
		folder, err := results.OpenFolder(sub)
		if err != nil {
			return nil, err
		}
		if sides, err = compare.FromFolder(v.called(c.Path), folder, s.options()); err != nil {
			return nil, err
		}
	case info.Mode().IsRegular():
		f, err := results.OpenRegular(v.root, name)
		if err != nil {
			return nil, fileProblem("open", v.called(c.Path), err)
		}
		s.closers = append(s.closers, f.Close)
		if sides, err = s.file(f, v.called(c.Path)); err != nil {
			return nil, err
		}
	default:
		return nil, usageError("%s is neither a folder nor a file", v.called(c.Path))
	}
	for _, side := range sides {
		if c.Agent == "" || side.Agent == c.Agent {
			return side, nil
		}
	}
	return nil, usageError("%s has no agent %s: it has %s", v.called(c.Path), c.Agent, agentsOf(sides))
}
