package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clocked plays a progress of total steps, each taking the given time.
func clocked(mode string, terminal bool, total int, each time.Duration) string {
	app := newTestApp()
	app.ErrTerminal = terminal
	now := time.Unix(0, 0)
	app.Now = func() time.Time { return now }
	p := newProgress(app.App, mode, "episodes", total)
	for i := range total {
		now = now.Add(each)
		p.step(i + 1)
	}
	p.finish()
	if app.out.Len() > 0 {
		return "STDOUT: " + app.out.String()
	}
	return app.errs.String()
}

func TestProgress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, mode string
		terminal   bool
		total      int
		each       time.Duration
		want       string
	}{
		{"off", "off", true, 5, time.Minute, ""},
		{"a fast run says nothing", "auto", false, 100, time.Millisecond, ""},
		{"a line every three seconds", "plain", false, 4, 2 * time.Second, "episodes: 2 of 4, about 4s left\nepisodes: 4 of 4, about 0s left\n"},
		{"no terminal, no bar", "auto", false, 2, 4 * time.Second, "episodes: 1 of 2, about 4s left\nepisodes: 2 of 2, about 0s left\n"},
		{"a bar on a terminal, cleared at the end", "auto", true, 2, 50 * time.Second,
			"\repisodes ███████████████░░░░░░░░░░░░░░░ 1/2, about 50s left\repisodes ██████████████████████████████ 2/2, about 0s left \r" + strings.Repeat(" ", 58) + "\r"},
		{"plain on a terminal", "plain", true, 1, 3 * time.Second, "episodes: 1 of 1, about 0s left\n"},
		{"nothing to do", "bar", true, 0, time.Second, ""},
	} {
		got := clocked(c.mode, c.terminal, c.total, c.each)
		if c.name == "a bar on a terminal, cleared at the end" {
			if n := strings.LastIndex(got, "\r"); strings.TrimSpace(got[strings.LastIndex(got[:n], "\r"):]) != "" {
				t.Errorf("%s: it is not cleared: %q", c.name, got)
			}
			got, c.want = strings.TrimRight(got, " \r"), strings.TrimRight(c.want, " \r")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBarCoversALongerOne(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	app := newTestApp()
	app.ErrTerminal = true
	app.Now = func() time.Time { return now }
	p := newProgress(app.App, "auto", "episodes", 100)
	screen := []rune(strings.Repeat(" ", 100))
	for i := range 100 {
		app.errs.Reset()
		now = now.Add(7 * time.Second)
		p.step(i + 1)
		at := 0
		for _, r := range app.errs.String() {
			if r == '\r' {
				at = 0
				continue
			}
			screen[at] = r
			at++
		}
		if line := strings.TrimRight(string(screen), " "); !strings.HasSuffix(line, "s left") || strings.Count(line, "left") != 1 {
			t.Fatalf("the terminal shows %q", line)
		}
	}
}

func TestJSONProgressIsALineEach(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(clocked("json", true, 3, 3*time.Second)), "\n")
	if len(lines) != 3 {
		t.Fatalf("lines %q", lines)
	}
	for i, line := range lines {
		var got struct {
			What           string
			Done, Total    int
			ElapsedSeconds float64 `json:"elapsed_seconds"`
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.What != "episodes" || got.Done != i+1 || got.Total != 3 || got.ElapsedSeconds != float64(3*(i+1)) {
			t.Errorf("line %s: %+v, %v", line, got, err)
		}
	}
}

func TestProgressOfACommandGoesToStderr(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	now := time.Unix(0, 0)
	app.Now = func() time.Time { now = now.Add(time.Second); return now }
	out := app.mustRun(t, "run", "--agent", "constant", "--tasks", "desk-easy", "--episodes", "20", "--workers", "1", "--no-floor", "--format", "csv", "--progress", "plain")
	if !strings.Contains(app.errs.String(), "episodes: ") || strings.Contains(out, "episodes: ") {
		t.Errorf("stderr %q, stdout %q", app.errs.String(), out)
	}
	app.errs.Reset()
	app.mustRun(t, "run", "--agent", "constant", "--tasks", "desk-easy", "--episodes", "20", "--workers", "1", "--no-floor", "--progress", "off")
	if app.errs.Len() > 0 {
		t.Errorf("stderr %q", app.errs.String())
	}
	app.mustRun(t, "tickets", "stats", "--tasks", "queue-easy", "queue-medium", "-n", "10", "--split", "train", "--progress", "json")
	if strings.Count(app.errs.String(), "\n") > 2 {
		t.Errorf("stderr %q", app.errs.String())
	}
}

// beaten plays a run that finishes an episode after 14 s and another after 45 s, and tells what it says to people.
func beaten(t *testing.T, mode string, waiting func() string) string {
	t.Helper()
	app := newTestApp()
	synctest.Test(t, func(*testing.T) {
		begun := time.Now()
		app.Now = func() time.Time { return time.Unix(0, 0).Add(time.Since(begun)) }
		p := newProgress(app.App, mode, "episodes", 4)
		p.start(1)
		stop := p.beat(waiting)
		time.Sleep(14 * time.Second)
		p.step(2)
		time.Sleep(31 * time.Second)
		p.step(3)
		stop()
		p.finish()
		time.Sleep(time.Minute)
		synctest.Wait()
	})
	return app.errs.String()
}

// TestTheHeartbeatComesWhereNothingElseIsSaid is lessons D69 and D71.
func TestTheHeartbeatComesWhereNothingElseIsSaid(t *testing.T) {
	t.Parallel()
	waiting := func() string { return "m at http://h: 1 in flight" }
	for name, tt := range map[string]struct {
		mode    string
		waiting func() string
		want    string
	}{
		"off":     {"off", waiting, ""},
		"nobody":  {"plain", nil, "episodes: 2 of 4, about 28s left\nepisodes: 3 of 4, about 23s left\n"},
		"nothing": {"plain", func() string { return "" }, "episodes: 2 of 4, about 28s left\nepisodes: 3 of 4, about 23s left\n"},
		"plain": {"plain", waiting, "episodes: 1 of 4; m at http://h: 1 in flight\nepisodes: 2 of 4, about 28s left\nepisodes: 2 of 4; m at http://h: 1 in flight\n" +
			"episodes: 2 of 4; m at http://h: 1 in flight\nepisodes: 2 of 4; m at http://h: 1 in flight\nepisodes: 3 of 4, about 23s left\n"},
		"json": {"json", waiting, `{"done":1,"elapsed_seconds":10,"total":4,"waiting":"m at http://h: 1 in flight","what":"episodes"}
{"done":2,"elapsed_seconds":14,"total":4,"what":"episodes"}
{"done":2,"elapsed_seconds":20,"total":4,"waiting":"m at http://h: 1 in flight","what":"episodes"}
{"done":2,"elapsed_seconds":30,"total":4,"waiting":"m at http://h: 1 in flight","what":"episodes"}
{"done":2,"elapsed_seconds":40,"total":4,"waiting":"m at http://h: 1 in flight","what":"episodes"}
{"done":3,"elapsed_seconds":45,"total":4,"what":"episodes"}
`},
	} {
		if d := cmp.Diff(tt.want, beaten(t, tt.mode, tt.waiting)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	bar := beaten(t, "bar", waiting)
	if !strings.Contains(bar, "\r\repisodes: 2 of 4; m at http://h: 1 in flight\n") && !strings.Contains(bar, " \repisodes: 2 of 4; m at http://h: 1 in flight\n") {
		t.Errorf("the bar is not cleared before what is said: %q", bar)
	}
	if n := strings.Count(bar, "\n"); n != 4 {
		t.Errorf("%d lines are said beside the bar: %q", n, bar)
	}
}
