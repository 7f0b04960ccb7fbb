package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoOpinions is a file of tickets with two opinions and hostile texts.
func twoOpinions(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "own.csv")
	text := "id,subject,body,route,priority\n"
	for i := range 12 {
		text += fmt.Sprintf("T-%d,Subject %d,\"body\x1b[2J <script> | =cmd() %d\",%s,%s\n", i, i, i, []string{"billing", "network", "sales"}[i%3], []string{"low", "medium", "high"}[i/4])
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// answering is a test app whose person types lines.
func answering(lines ...string) *testApp {
	a := newTestApp()
	a.In = strings.NewReader(strings.Join(lines, "\n") + "\n")
	return a
}

func TestPlayRefusesWhatMeansNothing(t *testing.T) {
	t.Parallel()
	own := twoOpinions(t)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"tasks of a file", []string{"--tickets", own, "--tasks", "queue-easy"}, "--tasks does not go with --tickets"},
		{"episodes of a file", []string{"--tickets", own, "--episodes", "2"}, "--episodes does not go with --tickets"},
		{"a sample of tasks", []string{"--sample", "3"}, "--sample goes with --tickets FILE"},
		{"a map of tasks", []string{"--map", "a=b"}, "--map goes with --tickets FILE"},
		{"a sample of nothing", []string{"--tickets", own, "--sample", "0"}, "--sample 0 is not allowed"},
		{"a limit and a sample", []string{"--tickets", own, "--sample", "3", "--limit", "3"}, "--limit does not go with --sample"},
		{"a limit of nothing", []string{"--tickets", own, "--limit", "0"}, "--limit 0 is not allowed"},
		{"a limit of tasks", []string{"--limit", "2"}, "--limit goes with --tickets FILE"},
		{"too large a sample", []string{"--tickets", own, "--sample", "13"}, "has 12 tickets to play"},
		{"no episodes", []string{"--episodes", "0"}, "--episodes 0 is not allowed"},
		{"a negative seed", []string{"--seed", "-1"}, "--seed -1 is not allowed"},
		{"a seed at the end", []string{"--seed", "9223372036854775807", "--episodes", "2"}, "go beyond"},
		{"resume without a folder", []string{"--resume"}, "--resume needs the run's folder"},
		{"an agent's name", []string{"--name", "heuristic"}, "--name heuristic is an agent's"},
		{"a name that is none", []string{"--name", "a\x1bb"}, "is no name"},
		{"a name with a comma", []string{"--name", "a,b"}, "is no name"},
		{"an unknown agent", []string{"--agents", "heuristics"}, "unknown agent"},
		{"a model", []string{"--agents", "llm"}, "a model's answers cost money"},
		{"an argument", []string{"queue-easy"}, "unexpected argument"},
		{"a file that is missing", []string{"--tickets", "nowhere.csv"}, "open nowhere.csv"},
		{"an unknown task", []string{"--tasks", "queue"}, "not one of"},
	} {
		a := newTestApp()
		if code := a.run(t.Context(), append([]string{"play"}, c.args...)...); code != ExitUsage || !strings.Contains(a.errs.String(), c.want) {
			t.Errorf("%s: exit code %d, %s; want %d and %q", c.name, code, a.errs.String(), ExitUsage, c.want)
		}
		if a.out.Len() > 0 {
			t.Errorf("%s: something was printed: %s", c.name, a.out.String())
		}
	}
}

func TestASittingThatIsLeftGoesOnAndGivesTheSameFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, value string
		answers             []string
	}{
		{"queue", "--tasks", "queue-easy", strings.Split(strings.Repeat("billing,high,easy,50,", 8), ",")},
		{"desk", "--tasks", "desk-medium", strings.Split(strings.Repeat("Bug,2,3,", 10), ",")},
		{"own", "--tickets", twoOpinions(t), strings.Split(strings.Repeat("low,sales,", 12), ",")},
	} {
		dir := t.TempDir()
		whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
		args := func(out string, more ...string) []string {
			return append([]string{"play", c.source, c.value, "--no-meta", "--out", out}, more...)
		}
		a := answering(c.answers...)
		want := a.mustRun(t, args(whole)...)
		sitting := answering(c.answers[:9]...)
		if got := sitting.mustRun(t, args(parts)...); got != "" {
			t.Errorf("%s: scores before the end: %s", c.name, got)
		}
		if !strings.Contains(sitting.errs.String(), "go on with the same command and --resume") {
			t.Errorf("%s: %s", c.name, sitting.errs.String())
		}
		// What was answered of the ticket that was left is asked for again.
		fields := map[string]int{"queue": 4, "desk": 3, "own": 2}[c.name]
		later := answering(c.answers[9-9%fields:]...)
		got := later.mustRun(t, args(parts, "--resume")...)
		if diff := cmp.Diff(strings.ReplaceAll(want, whole, parts), got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		for _, file := range []string{"run.json", "episodes.jsonl", "results-human.json"} {
			if diff := cmp.Diff(readFile(t, whole, file), readFile(t, parts, file)); diff != "" {
				t.Errorf("%s: %s: %s", c.name, file, diff)
			}
		}
	}
}

func TestASittingWithoutAnAnswerLeavesNoRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "me")
	a := answering(":quit")
	a.mustRun(t, "play", "--out", out)
	if _, err := os.Stat(filepath.Join(out, "run.json")); err == nil || !strings.Contains(a.errs.String(), "Nothing was answered") {
		t.Errorf("%v, %s", err, a.errs.String())
	}
}

func TestAPersonIsAnAgentInEveryTable(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "me")
	a := answering(strings.Split(strings.Repeat("billing,high,easy,50,", 8), ",")...)
	a.mustRun(t, "play", "--tasks", "queue-easy", "--out", out, "--agents", "heuristic,keyword", "--name", "ann")
	if text := a.out.String(); !strings.Contains(text, "agent ann") || !strings.Contains(text, "Where they differ") {
		t.Errorf("printed was\n%s", text)
	}
	b := newTestApp()
	if text := b.mustRun(t, "report", out); !strings.Contains(text, "ann") {
		t.Errorf("report prints\n%s", text)
	}
}

func TestASampleIsTheSameForASeedAndHasEachTicketOnce(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{1, 1}, {10, 3}, {10, 10}, {1000, 999}} {
		got := sampled(c[0], c[1], 7)
		if diff := cmp.Diff(sampled(c[0], c[1], 7), got); diff != "" || len(got) != c[1] {
			t.Errorf("%v: %d, %s", c, len(got), diff)
		}
		for i, v := range got {
			if v < 0 || v >= c[0] || i > 0 && v <= got[i-1] {
				t.Errorf("%v: %v", c, got)
				break
			}
		}
	}
	if cmp.Equal(sampled(1000, 10, 7), sampled(1000, 10, 8)) {
		t.Error("two seeds draw the same")
	}
}

func TestASampleIsResumedAsItWasDrawn(t *testing.T) {
	t.Parallel()
	own, out := twoOpinions(t), filepath.Join(t.TempDir(), "me")
	a := answering("low", "sales")
	a.mustRun(t, "play", "--tickets", own, "--sample", "3", "--out", out)
	b := answering("low", "sales", "low", "sales")
	if code := b.run(t.Context(), "play", "--tickets", own, "--sample", "3", "--seed", "43", "--out", out, "--resume"); code != ExitUsage {
		t.Errorf("another seed goes on with exit code %d", code)
	}
	b.errs.Reset()
	b.mustRun(t, "play", "--tickets", own, "--sample", "3", "--out", out, "--resume", "--agents", "constant")
	if n := strings.Count(readFile(t, out, "episodes.jsonl"), "\n"); n != 3 {
		t.Errorf("%d episodes, want 3", n)
	}
}

func TestABrokenInputIsAnError(t *testing.T) {
	t.Parallel()
	a := newTestApp()
	a.In = failing{}
	if code := a.run(t.Context(), "play"); code != ExitUsage || !strings.Contains(a.errs.String(), "reading an answer to route_category") {
		t.Errorf("exit code %d, %s", code, a.errs.String())
	}
	b := answering(strings.Split(strings.Repeat("1,1,1,50,", 8), ",")...)
	b.Out = failing{}
	if code := b.run(t.Context(), "play"); code != ExitUsage {
		t.Errorf("a broken output gives exit code %d", code)
	}
}

func TestPlaySaysWhichAgentKnowsNoneOfTheLabels(t *testing.T) {
	t.Parallel()
	a := answering(strings.Split(strings.Repeat("low,billing,", 12), ",")...)
	got := a.mustRun(t, "play", "--tickets", twoOpinions(t), "--out", filepath.Join(t.TempDir(), "me"), "--agents", "heuristic,constant")
	if want := "heuristic answered no route: it knows none of the column's labels."; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
	if strings.Contains(got, "constant answered no") || strings.Contains(got, "heuristic answered no priority") {
		t.Errorf("it says too much:\n%s", got)
	}
}
