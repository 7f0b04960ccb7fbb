//go:build unix

package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/cli"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

// TestHelperProcess is no test: it is the program that the tests below start, which is this test binary with the name of what it
// is to do behind --.
func TestHelperProcess(*testing.T) {
	if flag.NArg() == 0 || os.Args[1] != helperFlag {
		return
	}
	how := flag.Arg(0)
	in := bufio.NewReader(os.Stdin)
	tell := func(text string) {
		data, err := json.Marshal(map[string]string{"recommendation": text})
		if err != nil {
			panic(err)
		}
		fmt.Println(string(data))
	}
	for {
		if _, err := in.ReadString('\n'); err != nil {
			break
		}
		switch how {
		case "environment":
			tell(strings.Join(os.Environ(), " "))
		case "crash":
			fmt.Fprintln(os.Stderr, "it is about to crash")
			os.Exit(7)
		case "flood":
			line := strings.Repeat("a log line ", 20) + "\n"
			for range 20000 {
				_, _ = os.Stderr.WriteString(line)
			}
			tell("done")
		case "child", "child that outlives it":
			signal.Ignore(syscall.SIGHUP)
			child := exec.Command(os.Args[0], helperFlag, "--", "stubborn") // it has our output, and is in our group
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			if err := child.Start(); err != nil {
				panic(err)
			}
			tell(strconv.Itoa(child.Process.Pid))
			if how != "child" {
				os.Exit(0)
			}
		case "hang":
			hang()
		default:
			tell("well")
		}
	}
	if how == "stubborn" {
		hang()
	}
	os.Exit(0)
}

const helperFlag = "-test.run=^TestHelperProcess$"

// hang does not end by any signal that can be ignored, nor when its input ends.
func hang() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	select {}
}

// started are the processes that were started, by their numbers.
type started struct {
	mu   sync.Mutex
	pids []int
}

func (s *started) start(ctx context.Context, argv, env []string, stderr io.Writer) (agent.Process, error) {
	p, err := cli.System().Start(ctx, argv, env, stderr)
	if err == nil {
		s.mu.Lock()
		s.pids = append(s.pids, p.(interface{ Pid() int }).Pid())
		s.mu.Unlock()
	}
	return p, err
}

// helper makes an agent of this test binary.
func (s *started) helper(t *testing.T, how string, o agent.ExecOptions) *agent.Exec {
	t.Helper()
	if testing.CoverMode() != "" && how != "environment" { // else it complains on standard error
		o.Env = append(o.Env, "GOCOVERDIR="+t.TempDir())
	}
	o.Name, o.Command, o.Start = "helper", fmt.Sprintf("'%s' '%s' -- '%s'", os.Args[0], helperFlag, how), s.start
	e, err := agent.NewExec(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// gone waits until no process of a number runs any more. One that has ended but was not waited for by whoever inherited it
// counts as gone.
func gone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		for range 500 {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err == nil && strings.Contains(string(stat), ") Z ") || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
				pid = 0
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if pid != 0 {
			t.Errorf("process %d is still running", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// recommended is the text that a helper answers, or the error.
func recommended(a *agent.Exec) string {
	got, err := a.Act(context.Background(), ticket)
	if err != nil {
		return err.Error()
	}
	return got.Desk.Recommendation
}

func TestAProcessAnswersUntilItIsClosed(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"well", "stubborn"} { // the stubborn one has to be killed
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := &started{}
			e := s.helper(t, how, agent.ExecOptions{})
			if d := cmp.Diff([]string{"well", "well"}, []string{recommended(e), recommended(e)}); d != "" {
				t.Errorf("answers (-want +got):\n%s", d)
			}
			if err := e.Close(); err != nil || len(s.pids) != 1 {
				t.Errorf("error %v, processes %v", err, s.pids)
			}
			gone(t, s.pids...)
		})
	}
}

func TestAProcessGetsTheEnvironmentThatIsGivenAndNothingElse(t *testing.T) {
	t.Parallel()
	s := &started{}
	env, err := agent.ExecEnv([]string{"HOME=/home/me", "OPENAI_API_KEY=sk-1", "TRIAGE_X=1", "PATH=/bin", "LANG=C", "MINE=a b"}, []string{"MINE"})
	if err != nil {
		t.Fatal(err)
	}
	e := s.helper(t, "environment", agent.ExecOptions{Env: env})
	if d := cmp.Diff("PATH=/bin HOME=/home/me LANG=C MINE=a b", recommended(e)); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
	_ = e.Close()
	empty := s.helper(t, "environment", agent.ExecOptions{})
	if d := cmp.Diff("", recommended(empty)); d != "" {
		t.Errorf("environment of none (-want +got):\n%s", d)
	}
	_ = empty.Close()
	gone(t, s.pids...)
}

func TestAProcessThatCrashesTellsItsExitStatus(t *testing.T) {
	t.Parallel()
	s := &started{}
	var log lockedText
	e := s.helper(t, "crash", agent.ExecOptions{Stderr: &log})
	const lost = "helper: it ended without an answer (exit status 7)"
	if d := cmp.Diff([]string{lost, lost, lost + "; 3 times in a row it did not come to its first answer; it said last: it is about to crash"},
		[]string{recommended(e), recommended(e), recommended(e)}); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	const said = "helper [1]: it is about to crash\n"
	const again = "helper [1]: it ended without an answer (exit status 7); it is started again\n"
	if d := cmp.Diff(said+again+said+again+said, log.String()); d != "" {
		t.Errorf("log (-want +got):\n%s", d)
	}
	gone(t, s.pids...)
}

func TestAProcessThatHangsIsKilledAfterItsTime(t *testing.T) {
	t.Parallel()
	s := &started{}
	e := s.helper(t, "hang", agent.ExecOptions{Timeout: 50 * time.Millisecond})
	if d := cmp.Diff([]string{"helper: no answer came in 50ms (a program must flush its output after each line)", "helper: no answer came in 50ms (a program must flush its output after each line)"}, []string{recommended(e), recommended(e)}); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	if len(s.pids) != 2 {
		t.Errorf("processes %v, want two", s.pids)
	}
	gone(t, s.pids...)
}

func TestAFloodOnStandardErrorNeitherBlocksNorDrowns(t *testing.T) {
	t.Parallel()
	s := &started{}
	var log lockedText
	e := s.helper(t, "flood", agent.ExecOptions{Stderr: &log})
	if d := cmp.Diff("done", recommended(e)); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
	_ = e.Close()
	if lines := strings.Split(log.String(), "\n"); len(lines) != 202 || lines[200] != "helper [1]: … 19800 more lines are left out" {
		t.Errorf("%d lines were passed on, the last one is %q", len(lines)-1, lines[max(0, len(lines)-2)])
	}
	gone(t, s.pids...)
}

func TestWhatAProcessHasStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"child": "", "child that outlives it": "helper: it ended without an answer (exit status 0)"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := &started{}
			e := s.helper(t, how, agent.ExecOptions{})
			child, err := strconv.Atoi(recommended(e))
			if err != nil {
				t.Fatal(err)
			}
			if want != "" {
				if d := cmp.Diff(want, recommended(e)); d != "" {
					t.Errorf("second answer (-want +got):\n%s", d)
				}
			}
			_ = e.Close()
			gone(t, append(s.pids, child)...)
		})
	}
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	e, err := agent.NewExec(agent.ExecOptions{Command: "/no/such/program x", Start: cli.System().Start})
	if err != nil {
		t.Fatal(err)
	}
	want := "exec:/no/such/program x: start the program: fork/exec /no/such/program: no such file or directory"
	if d := cmp.Diff(want, recommended(e)); d != "" {
		t.Errorf("error (-want +got):\n%s", d)
	}
}

func TestNoProcessIsLeftOfAnInterruptedRun(t *testing.T) {
	t.Parallel()
	s := &started{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	plan, err := runner.NewPlan([]runner.Group{{Agent: "helper", Task: "queue-easy", Count: 8}})
	if err != nil {
		t.Fatal(err)
	}
	crashes := &agent.Crashes{}
	r := runner.Runner{Workers: 4,
		NewEnv: func(string, triage.Int) (triage.Env, error) { return triagetest.Queue(3), nil },
		NewAgent: func(string) (triage.Agent, error) {
			return s.helper(t, "hang", agent.ExecOptions{Crashes: crashes}), nil
		}}
	go func() {
		for {
			s.mu.Lock()
			n := len(s.pids)
			s.mu.Unlock()
			if n == 4 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	err = r.Run(ctx, plan, nil, func(int, *triage.Episode) error { return errors.New("no episode can end") })
	if !errors.Is(err, context.Canceled) || len(s.pids) != 4 {
		t.Errorf("error %v, processes %v", err, s.pids)
	}
	gone(t, s.pids...)
}

// lockedText is text that several goroutines write.
type lockedText struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
