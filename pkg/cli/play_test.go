package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

// signalAfter makes the clock send a signal at its nth reading: the journal and the progress read it with each episode.
func signalAfter(app *testApp, n int, code int) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	var mu sync.Mutex
	app.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		if n--; n == 0 {
			cancel(Interrupted{Code: code})
		}
		return time.Unix(1_000_000, 0)
	}
	return ctx
}

func TestInterruptedRunKeepsWhatWasFinished(t *testing.T) {
	t.Parallel()
	for _, code := range []int{ExitInterrupted, ExitTerminated} {
		for _, workers := range []string{"1", "4"} {
			t.Run(fmt.Sprint(code, " with ", workers), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				args := func(folder string, more ...string) []string {
					return append([]string{"run", "--agent", "random", "--tasks", "queue-easy", "desk-hard", "--episodes", "60", "--workers", workers,
						"--no-meta", "--no-floor", "--format", "csv", "--out", filepath.Join(dir, folder)}, more...)
				}
				app := newTestApp()
				if got := app.run(signalAfter(app, 80, code), args("cut", "--format", "table")...); got != code {
					t.Errorf("it exits with %d: %s", got, app.errs.String())
				}
				var done int
				out := app.out.String()
				if _, err := fmt.Sscanf(out[strings.Index(out, "Interrupted:"):], "Interrupted: %d of 120 episodes were finished.", &done); err != nil || done < 10 || done >= 120 {
					t.Fatalf("it prints %s", out)
				}
				if !strings.Contains(out, "They are kept in "+filepath.Join(dir, "cut")+"; go on with the same command and --resume.") || app.errs.String() != "triage: interrupted\n" {
					t.Errorf("it prints %s and says %q", out, app.errs.String())
				}
				episodes := readFile(t, dir, "cut", "episodes.jsonl")
				if n := strings.Count(episodes, "\n"); n != done {
					t.Errorf("%d episodes are kept, %d were finished", n, done)
				}
				newTestApp().mustRun(t, args("whole")...)
				newTestApp().mustRun(t, args("cut", "--resume")...)
				for _, name := range []string{"episodes.jsonl", "results-random.json", "run.json"} {
					if readFile(t, dir, "cut", name) != readFile(t, dir, "whole", name) {
						t.Errorf("%s differs from that of a run without interruption", name)
					}
				}
			})
		}
	}
}

func TestInterruptionOfOtherCommands(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupted{Code: ExitTerminated})
	for _, args := range [][]string{
		{"tickets", "generate", "-n", "10"}, {"tickets", "stats", "-n", "10"}, {"run", "--agent", "constant", "--tasks", "desk-easy"},
		{"baseline", "--agent", "constant", "--output", filepath.Join(t.TempDir(), "b.json")},
	} {
		app := newTestApp()
		if code := app.run(ctx, args...); code != ExitTerminated {
			t.Errorf("triage %s exits with %d: %s", strings.Join(args, " "), code, app.errs.String())
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	app := newTestApp()
	if code := app.run(stopped, "run", "--agent", "constant", "--tasks", "desk-easy"); code != ExitInterrupted || !strings.Contains(app.out.String(), "Interrupted: 0 of 100") {
		t.Errorf("it exits with %d: %s", code, app.out.String())
	}
}

// lateContext is done only for those who ask it directly: the runner's workers, which listen to its channel, go on.
type lateContext struct{ context.Context }

func (lateContext) Err() error { return context.Canceled }

func TestInterruptionWhileFloorsArePlayedKeepsTheScores(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	o := &playOptions{app: app.App, Agents: []string{"constant"}, Tasks: []string{"desk-easy"}, Episodes: 3, Seed: 1, Split: "test", Format: "table", Progress: "off"}
	p, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	floors, err := p.generated.floors(lateContext{t.Context()}, p.engine.plan, runner.Shard{}, "constant")
	if !errors.Is(err, context.Canceled) || floors != nil {
		t.Fatalf("floors %v: %v", floors, err)
	}
	p.engine.game = &gameThenStop{game: p.engine.game}
	err = p.run(lateContext{t.Context()}, func(*playResult) error { t.Error("results are written"); return nil })
	if exitCode(t.Context(), err) != ExitInterrupted || !strings.Contains(app.out.String(), "Overall score") || strings.Contains(app.out.String(), floorNote) {
		t.Errorf("it gives %v and prints %s", err, app.out.String())
	}
}

// gameThenStop plays with contexts that are not done.
type gameThenStop struct{ game }

func (g *gameThenStop) newEnv(string, triage.Int) (triage.Env, error) {
	return triagetest.Queue(1), nil
}

func (g *gameThenStop) newAgent(string) (triage.Agent, error) { return &triagetest.Agent{}, nil }

// brokenGame plays small queues; the episodes at some seeds break through no fault of the agent.
type brokenGame struct {
	broken func(seed int64) bool
	taken  map[int]bool
}

var _ game = (*brokenGame)(nil)

func (g *brokenGame) newEnv(string, triage.Int) (triage.Env, error) {
	e := triagetest.Queue(2)
	reset := e.ResetFunc
	e.ResetFunc = func(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
		if g.broken(opts.Seed) {
			return triage.StepResult{}, triagetest.Unavailable("connection lost")
		}
		return reset(ctx, opts)
	}
	return e, nil
}

func (g *brokenGame) newAgent(string) (triage.Agent, error) {
	return &triagetest.Agent{Script: triagetest.Answers(triagetest.Route(triage.Billing))}, nil
}

func (g *brokenGame) settings() results.Settings { return results.Settings{settingGenerator: "fake"} }

func (g *brokenGame) take(place int, _ *triage.Episode) { g.taken[place] = true }

// bareCast are agents of which nothing is counted.
func bareCast() *cast { return &cast{models: results.NewModels(), calls: results.NewCalls()} }

func playBroken(t *testing.T, app *testApp, out string, maxErrors int, resume bool, broken func(int64) bool) error {
	t.Helper()
	o := &playOptions{app: app.App, Agents: []string{"a"}, Split: "test", Format: "table", Progress: "off", Out: out, Resume: resume, MaxErrors: maxErrors, NoMeta: true, NoFloor: true, cast: bareCast()}
	plan, err := runner.NewPlan([]runner.Group{{Agent: "a", Task: "queue-easy", First: 10, Count: 6}})
	if err != nil {
		t.Fatal(err)
	}
	g := &brokenGame{broken: broken, taken: map[int]bool{}}
	p := &play{options: o, engine: engine{app: app.App, game: g, plan: plan, out: out, resume: resume, settings: o.settings(plan, runner.Shard{}, g), records: true, workers: 2}}
	err = p.run(t.Context(), func(r *playResult) error { return r.writeFolder() })
	if len(g.taken) != 6 {
		t.Errorf("the game took %d of 6 episodes", len(g.taken))
	}
	return err
}

func TestBrokenEpisodesAreCountedApart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	some := func(seed int64) bool { return seed%3 == 0 } // 12 and 15
	app := newTestApp()
	err := playBroken(t, app, dir, 1, false, some)
	if want := (episodesError{2, 1}); !errors.Is(err, want) || exitCode(t.Context(), err) != ExitEpisodes {
		t.Errorf("it gives %v, want %v", err, want)
	}
	out := app.out.String()
	for _, want := range []string{"│ easy       │ 4 │      2 │ 0.667", "n=4 of 6: 2 episodes broke through no fault of the agent; what broke counts as 0 here, what was scored has 4.0 points of 4."} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
	var file struct {
		Tasks map[string]struct {
			N, Errors int
			Score     struct{ Mean float64 }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, dir, "results-a.json")), &file); err != nil {
		t.Fatal(err)
	}
	if k := file.Tasks["queue-easy"]; k.N != 4 || k.Errors != 2 || k.Score.Mean != 1 {
		t.Errorf("results %+v", k)
	}
	log := readFile(t, dir, "episodes.jsonl")
	if strings.Count(log, "\n") != 6 || strings.Count(log, `"ended":"error"`) != 2 || !strings.Contains(log, "connection lost") {
		t.Errorf("the log is %s", log)
	}

	// as many as are allowed are no failure; what broke is played again
	if err := playBroken(t, newTestApp(), filepath.Join(t.TempDir(), "run"), 2, false, some); err != nil {
		t.Errorf("two broken episodes of two that are allowed: %v", err)
	}
	app = newTestApp()
	if err := playBroken(t, app, dir, 0, true, func(int64) bool { return false }); err != nil {
		t.Errorf("resumed, it gives %v", err)
	}
	if out := app.out.String(); !strings.Contains(out, "│ easy       │ 6 │ 1.000") || strings.Contains(out, "broke") {
		t.Errorf("resumed, it prints %s", out)
	}

	// all broken: no score at all
	app = newTestApp()
	if err := playBroken(t, app, "", 0, false, func(int64) bool { return true }); exitCode(t.Context(), err) != ExitEpisodes {
		t.Errorf("all broken: %v", err)
	}
	if strings.Contains(app.out.String(), "NaN") || !strings.Contains(app.out.String(), "│ easy       │ 0 │      6 │") {
		t.Errorf("all broken: it prints %s", app.out.String())
	}
}

func TestAFullDiskEndsTheRun(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	o := &playOptions{app: app.App, Agents: []string{"constant"}, Tasks: []string{"desk-easy"}, Episodes: 3, Seed: 1, Split: "test", Format: "table", Progress: "off", NoFloor: true}
	p, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	err = p.run(t.Context(), func(*playResult) error { return errBroken })
	if !errors.Is(err, errBroken) || !strings.Contains(app.out.String(), "Overall score") {
		t.Errorf("it gives %v and prints %s", err, app.out.String())
	}
}

func TestResultFileNamesAreSafe(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"heuristic": "results-heuristic.json", "../x y:z": "results-.._x_y_z.json", "ä": "results-_.json"} {
		if got := resultsFile(name); got != want {
			t.Errorf("%s is written to %s, want %s", name, got, want)
		}
	}
	if r := (&playResult{options: &playOptions{}, values: map[string]report.Cell{}}); r.writeFolder() != nil {
		t.Error("no folder is an error")
	}
}
