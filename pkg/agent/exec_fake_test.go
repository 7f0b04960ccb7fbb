package agent_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/triage"
)

// program is a program that lives in this process. It gives how it ends.
type program func(p *fakeProcess, in *bufio.Reader, out, errs io.Writer) string

// fakeProcess is a process of a program.
type fakeProcess struct {
	in     *io.PipeReader
	input  *io.PipeWriter
	out    *io.PipeReader
	output *io.PipeWriter
	kill   chan struct{} // closed: it is to end
	ended  chan string
	once   sync.Once
}

func (p *fakeProcess) Input() io.WriteCloser { return p.input }

func (p *fakeProcess) Output() io.ReadCloser { return p.out }

func (p *fakeProcess) Wait() string { return <-p.ended }

func (p *fakeProcess) Kill() {
	p.once.Do(func() {
		close(p.kill)
		_ = p.in.Close()
		_ = p.output.Close()
	})
}

// hang waits until it is killed.
func (p *fakeProcess) hang() string {
	<-p.kill
	return "signal: killed"
}

// starter starts programs one after the other, the last one again and again, and remembers their processes.
type starter struct {
	mu        sync.Mutex
	programs  []program
	processes []*fakeProcess
}

func (s *starter) start(_ context.Context, argv, env []string, stderr io.Writer) (agent.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := cmp.Diff([]string{"python", "a b.py"}, argv); d != "" {
		return nil, errors.New("words (-want +got):\n" + d)
	}
	if d := cmp.Diff([]string{"PATH=/bin"}, env); d != "" {
		return nil, errors.New("environment (-want +got):\n" + d)
	}
	run := s.programs[min(len(s.processes), len(s.programs)-1)]
	if run == nil {
		return nil, errors.New(`"python": executable file not found`)
	}
	p := &fakeProcess{kill: make(chan struct{}), ended: make(chan string, 1)}
	p.in, p.input = io.Pipe()
	p.out, p.output = io.Pipe()
	s.processes = append(s.processes, p)
	go func() {
		how := run(p, bufio.NewReader(p.in), p.output, stderr)
		p.Kill()
		p.ended <- how
	}()
	return p, nil
}

// new makes an agent of the programs.
func (s *starter) new(t *testing.T, o agent.ExecOptions) *agent.Exec {
	t.Helper()
	o.Command, o.Start, o.Env = "python 'a b.py'", s.start, []string{"PATH=/bin"}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	e, err := agent.NewExec(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answering answers each line with a line.
func answering(answer string) program {
	return func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
		for {
			if _, err := in.ReadString('\n'); err != nil {
				return "exit status 0"
			}
			_, _ = io.WriteString(out, answer)
		}
	}
}

// once answers the first observation alone, and then does something else.
func once(then program) program {
	return func(p *fakeProcess, in *bufio.Reader, out, errs io.Writer) string {
		if _, err := in.ReadString('\n'); err != nil {
			return "exit status 0"
		}
		_, _ = io.WriteString(out, right)
		return then(p, in, out, errs)
	}
}

const right = `{"category": "Bug"}` + "\n"

var (
	ticket = triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-1", IssueText: "It's <broken>\nщ", TaskDifficulty: triage.Easy}}
	bug    = triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug}}
)

// act is one call of Act, in short: the answer or the error with its code.
func act(ctx context.Context, a triage.Agent) string {
	got, err := a.Act(ctx, ticket)
	switch {
	case err != nil && triage.CodeOf(err) != "":
		return fmt.Sprintf("%s: %v", triage.CodeOf(err), err)
	case err != nil:
		return err.Error()
	case got.Raw != nil:
		return fmt.Sprintf("raw %s %s", got.Track, got.Raw)
	case cmp.Equal(bug, got):
		return "bug"
	}
	return fmt.Sprintf("%+v", got)
}

func TestAProgramReadsAnObservationALineAndAnswersALine(t *testing.T) {
	t.Parallel()
	var read string
	s := &starter{programs: []program{func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
		read, _ = in.ReadString('\n')
		_, _ = io.WriteString(out, "  {\"category\": \"Bug\"} \r\n")
		rest, _ := io.ReadAll(in)
		return "exit status " + fmt.Sprint(len(rest))
	}}}
	e := s.new(t, agent.ExecOptions{})
	got, err := e.Act(t.Context(), ticket)
	if d := cmp.Diff(bug, got); d != "" || err != nil {
		t.Errorf("error %v, action (-want +got):\n%s", err, d)
	}
	want, err := ticket.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want)+"\n", read); d != "" {
		t.Errorf("line that the program read (-want +got):\n%s", d)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestAProgramSeesTheFieldsInTheOrderOfTheObservation(t *testing.T) {
	t.Parallel()
	var read string
	s := &starter{programs: []program{func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
		read, _ = in.ReadString('\n')
		_, _ = io.WriteString(out, right)
		return "exit status 0"
	}}}
	e := s.new(t, agent.ExecOptions{})
	other := ticket
	other.Order = 5
	if _, err := e.Act(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	usual, err := ticket.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(triage.ShuffleMembers(usual, 5))+"\n", read); d != "" || read == string(usual)+"\n" {
		t.Errorf("line that the program read (-want +got):\n%s", d)
	}
	_ = e.Close()
}

// TestWhatAProgramDoesWrongCostsThatObservationAlone has lessons C48 (a broken program is loud, and no pass) and D64 (a hang).
func TestWhatAProgramDoesWrongCostsThatObservationAlone(t *testing.T) {
	t.Parallel()
	hang := func(p *fakeProcess, _ *bufio.Reader, _, _ io.Writer) string { return p.hang() }
	const logs = ": standard output is for answers, one JSON object a line; logs go to standard error"
	for name, tt := range map[string]struct {
		first  program // the program of the first process; the second one does well
		want   []string
		counts agent.CrashCounts
	}{
		"nothing": {first: answering(right), want: []string{"bug", "bug", "bug"}},
		"a crash after an answer": {first: once(func(_ *fakeProcess, in *bufio.Reader, _, _ io.Writer) string {
			_, _ = in.ReadString('\n')
			return "exit status 3"
		}), want: []string{"bug", "it ended without an answer (exit status 3)", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"a crash between two observations": {first: once(func(*fakeProcess, *bufio.Reader, io.Writer, io.Writer) string { return "exit status 0" }),
			want: []string{"bug", "it ended without an answer (exit status 0)", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"a crash before the first answer": {first: func(*fakeProcess, *bufio.Reader, io.Writer, io.Writer) string { return "exit status 1" },
			want: []string{"it ended without an answer (exit status 1)", "bug", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"a crash in an answer": {first: func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
			_, _ = in.ReadString('\n')
			_, _ = io.WriteString(out, `{"category": "Bug"`)
			return "exit status 2"
		}, want: []string{"it ended without an answer (exit status 2)", "bug", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"a last answer without a line end": {first: func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
			_, _ = in.ReadString('\n')
			_, _ = io.WriteString(out, strings.TrimSpace(right))
			return "exit status 0"
		}, want: []string{"bug", "it ended without an answer (exit status 0)", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"it closes its output": {first: func(p *fakeProcess, in *bufio.Reader, _, _ io.Writer) string {
			_, _ = in.ReadString('\n')
			_ = p.output.Close()
			return p.hang()
		}, want: []string{"it ended without an answer (it closed its input or output and had to be killed)", "bug", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"it closes its input": {first: once(func(p *fakeProcess, _ *bufio.Reader, _, _ io.Writer) string {
			_ = p.in.Close()
			return p.hang()
		}), want: []string{"bug", "it ended without an answer (it closed its input or output and had to be killed)", "bug"}, counts: agent.CrashCounts{Crashes: 1}},
		"it hangs":              {first: once(hang), want: []string{"bug", "no answer came in 10s (a program must flush its output after each line)", "bug"}, counts: agent.CrashCounts{Timeouts: 1}},
		"it never reads":        {first: hang, want: []string{"no answer came in 10s (a program must flush its output after each line)", "bug", "bug"}, counts: agent.CrashCounts{Timeouts: 1}},
		"an answer without end": {first: endless(`{`), want: []string{"its answer is longer than 1 MiB", "bug", "bug"}, counts: agent.CrashCounts{Garbled: 1}},
		"a log line": {first: answering("loading the model\n" + right),
			want: []string{`it wrote "loading the model"` + logs, "bug", "bug"}, counts: agent.CrashCounts{Garbled: 1}},
		"an empty line": {first: answering("\n"), want: []string{"it wrote an empty line" + logs, "bug", "bug"}, counts: agent.CrashCounts{Garbled: 1}},
		"two answers": {first: answering(right + right), want: []string{"bug",
			`it wrote "{\"category\": \"Bug\"}", which nobody asked for: an answer is one line of JSON, without indentation and with nothing after it`, "bug"}, counts: agent.CrashCounts{Garbled: 1}},
		"an answer, then no end": {first: once(endless("x")),
			want: []string{"bug", "it wrote more than 1 MiB that nobody asked for: one line answers one observation", "bug"}, counts: agent.CrashCounts{Garbled: 1}},
		"no action": {first: answering("{\"category\": \"Bgu\"}\n"),
			want: []string{`raw desk {"category": "Bgu"}`, `raw desk {"category": "Bgu"}`, `raw desk {"category": "Bgu"}`}},
		"no JSON": {first: answering("{category: Bug}\n"), want: []string{`raw desk {category: Bug}`, `raw desk {category: Bug}`, `raw desk {category: Bug}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var said bytes.Buffer
				crashes := &agent.Crashes{}
				s := &starter{programs: []program{tt.first, answering(right)}}
				e := s.new(t, agent.ExecOptions{Name: "mine", Crashes: crashes, Stderr: &said})
				var got, want []string
				for range 3 {
					got = append(got, act(t.Context(), e))
					synctest.Wait() // the program is as far as it goes
				}
				log := ""
				for _, w := range tt.want {
					if w != "bug" && !strings.HasPrefix(w, "raw ") {
						log += "mine [1]: " + w + "; it is started again\n"
						w = "mine: " + w
					}
					want = append(want, w)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("answers (-want +got):\n%s", d)
				}
				if d := cmp.Diff(log, said.String()); d != "" {
					t.Errorf("log (-want +got):\n%s", d)
				}
				if d := cmp.Diff(tt.counts, crashes.Counts()); d != "" {
					t.Errorf("counts (-want +got):\n%s", d)
				}
				if err := e.Close(); err != nil {
					t.Error(err)
				}
				if want := 1 + tt.counts.Total(); len(s.processes) != want {
					t.Errorf("%d processes were started, want %d", len(s.processes), want)
				}
			})
		})
	}
}

// endless writes the text, then x for ever.
func endless(text string) program {
	return func(p *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
		go func() { _, _ = io.Copy(io.Discard, in) }()
		_, err := io.WriteString(out, text)
		for chunk := strings.Repeat("x", 1<<16); err == nil; {
			_, err = io.WriteString(out, chunk)
		}
		return p.hang()
	}
}

func TestAnAnswerThatComesTooLateIsNeverTakenForTheNextOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
			_, _ = in.ReadString('\n')
			time.Sleep(11 * time.Second)
			_, _ = io.WriteString(out, `{"category": "Question"}`+"\n")
			return "exit status 0"
		}
		s := &starter{programs: []program{late, func(_ *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
			_, _ = in.ReadString('\n')
			time.Sleep(9 * time.Second)
			_, _ = io.WriteString(out, right)
			return "exit status 0"
		}}}
		e := s.new(t, agent.ExecOptions{Name: "mine"})
		got := []string{act(t.Context(), e), act(t.Context(), e)}
		if d := cmp.Diff([]string{"mine: no answer came in 10s (a program must flush its output after each line)", "bug"}, got); d != "" {
			t.Errorf("answers (-want +got):\n%s", d)
		}
		_ = e.Close()
	})
}

// TestAProgramThatIsOfNoUseStopsTheRun has lesson C50.
func TestAProgramThatIsOfNoUseStopsTheRun(t *testing.T) {
	t.Parallel()
	fails := func(_ *fakeProcess, in *bufio.Reader, _, errs io.Writer) string {
		_, _ = in.ReadString('\n')
		_, _ = io.WriteString(errs, "1\n2\n3\n4\nTraceback\nModuleNotFoundError: no module named 'torch'")
		return "exit status 1"
	}
	for name, tt := range map[string]struct {
		programs []program
		want     []string
	}{
		"it cannot be started": {programs: []program{nil}, want: []string{`unusable: mine: start the program: "python": executable file not found`}},
		"three crashes before the first answer": {programs: []program{fails}, want: []string{
			"mine: it ended without an answer (exit status 1)", "mine: it ended without an answer (exit status 1)",
			"unusable: mine: it ended without an answer (exit status 1); 3 times in a row it did not come to its first answer; " +
				"it said last: 2 | 3 | 4 | Traceback | ModuleNotFoundError: no module named 'torch'"}},
		"always too slow": {programs: []program{func(p *fakeProcess, _ *bufio.Reader, _, _ io.Writer) string { return p.hang() }}, want: []string{
			"mine: no answer came in 10s (a program must flush its output after each line)", "mine: no answer came in 10s (a program must flush its output after each line)",
			"unusable: mine: no answer came in 10s (a program must flush its output after each line); 3 times in a row it did not come to its first answer"}},
		"an answer between": {programs: []program{fails, fails, once(fails), fails, fails, answering(right)}, want: []string{
			"mine: it ended without an answer (exit status 1)", "mine: it ended without an answer (exit status 1)", "bug",
			"mine: it ended without an answer (exit status 1)", "mine: it ended without an answer (exit status 1)",
			"mine: it ended without an answer (exit status 1)", "bug"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &starter{programs: tt.programs}
				e := s.new(t, agent.ExecOptions{Name: "mine"})
				var got []string
				for range tt.want {
					got = append(got, act(t.Context(), e))
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("answers (-want +got):\n%s", d)
				}
				_ = e.Close()
			})
		})
	}
}

func TestFaultsInARowAreCountedOverAllWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		crashes := &agent.Crashes{}
		var agents []*agent.Exec
		good := true
		for range 4 {
			s := &starter{programs: []program{func(p *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
				for {
					if _, err := in.ReadString('\n'); err != nil {
						return "exit status 0"
					}
					if !good {
						return p.hang()
					}
					_, _ = io.WriteString(out, right)
				}
			}}}
			agents = append(agents, s.new(t, agent.ExecOptions{Name: "mine", Crashes: crashes, MaxConsecutive: 4}))
		}
		var got []string
		for _, e := range agents {
			got = append(got, act(t.Context(), e))
		}
		good = false
		for _, e := range agents {
			got = append(got, act(t.Context(), e))
			_ = e.Close()
		}
		if d := cmp.Diff([]string{"bug", "bug", "bug", "bug", "mine: no answer came in 10s (a program must flush its output after each line)", "mine: no answer came in 10s (a program must flush its output after each line)",
			"mine: no answer came in 10s (a program must flush its output after each line)", "unusable: mine: no answer came in 10s (a program must flush its output after each line); that was fault 4 in a row"}, got); d != "" {
			t.Errorf("answers (-want +got):\n%s", d)
		}
	})
}

func TestAnInterruptedProgramIsKilledAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &starter{programs: []program{func(p *fakeProcess, _ *bufio.Reader, _, _ io.Writer) string { return p.hang() }}}
		crashes := &agent.Crashes{}
		e := s.new(t, agent.ExecOptions{Crashes: crashes})
		ctx, cancel := context.WithCancelCause(t.Context())
		begin := time.Now()
		time.AfterFunc(time.Second, func() { cancel(errors.New("interrupted")) })
		if d := cmp.Diff([]string{"interrupted", "interrupted"}, []string{act(ctx, e), act(ctx, e)}); d != "" {
			t.Errorf("answers (-want +got):\n%s", d)
		}
		<-s.processes[0].kill
		if took := time.Since(begin); took != time.Second || len(s.processes) != 1 || crashes.Counts().Total() != 0 {
			t.Errorf("it took %s and %d processes, counted %s", took, len(s.processes), crashes.Counts())
		}
		_ = e.Close()
	})
}

func TestCloseWaitsTwoSecondsForTheEndAndThenKills(t *testing.T) {
	t.Parallel()
	ends := func(after time.Duration) program {
		return once(func(p *fakeProcess, in *bufio.Reader, out, _ io.Writer) string {
			_, _ = io.Copy(io.Discard, in)
			_, _ = io.WriteString(out, strings.Repeat("and this is nobody's business\n", 10000))
			select {
			case <-time.After(after):
				return "exit status 0"
			case <-p.kill:
				return "signal: killed"
			}
		})
	}
	for name, tt := range map[string]struct{ ends, want time.Duration }{
		"at once": {0, 0}, "after a while": {time.Second, time.Second}, "never": {time.Hour, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &starter{programs: []program{ends(tt.ends)}}
				e := s.new(t, agent.ExecOptions{})
				if got := act(t.Context(), e); got != "bug" {
					t.Error(got)
				}
				begin := time.Now()
				for range 2 {
					if err := e.Close(); err != nil {
						t.Error(err)
					}
				}
				if took := time.Since(begin); took != tt.want {
					t.Errorf("Close took %s, want %s", took, tt.want)
				}
			})
		})
	}
}

func TestAProgramAnswersTheColumnsOfImportedTickets(t *testing.T) {
	t.Parallel()
	s := &starter{programs: []program{answering(`{"queue": "sales"}` + "\n")}}
	e := s.new(t, agent.ExecOptions{})
	for allowed, want := range map[string]triage.Action{
		"sales":   {Track: triage.Dataset, Labels: map[string]string{"queue": "sales"}},
		"support": {Track: triage.Dataset, Raw: []byte(`{"queue": "sales"}`)},
	} {
		got, err := e.Act(t.Context(), triage.Observation{Dataset: &triage.DatasetObservation{Labels: map[string][]string{"queue": {allowed}}}})
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: error %v, action (-want +got):\n%s", allowed, err, d)
		}
	}
	_ = e.Close()
}
