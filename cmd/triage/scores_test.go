package main_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/cli"
)

// TestScoresInTheDocsAreThoseOfTheAgents plays README's table of scores again, and holds the table of docs/benchmark.md, the
// same without intervals, against it.
func TestScoresInTheDocsAreThoseOfTheAgents(t *testing.T) {
	t.Parallel()
	cells := playedScores(t, "test", "random", "constant", "keyword", "heuristic", "linear")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	readme, benchmark := read("README.md"), read(filepath.Join("docs", "benchmark.md"))
	for _, agent := range []string{"random", "constant", "keyword", "heuristic", "linear"} {
		whole, means := "| "+agent+" |", "| "+agent+" |"
		for _, task := range []string{"queue-easy", "queue-medium", "queue-hard", "desk-easy", "desk-medium", "desk-hard"} {
			c := cells[agent+"/"+task]
			whole += fmt.Sprintf(" %s [%s, %s] |", c[0], c[1], c[2])
			means += " " + c[0] + " |"
		}
		if !strings.Contains(readme, whole) {
			t.Errorf("README does not have the line\n%s", whole)
		}
		if !strings.Contains(benchmark, means) {
			t.Errorf("docs/benchmark.md does not have the line\n%s", means)
		}
	}
	memory(t, readme, cells, playedScores(t, "train", "constant", "linear")) // a table of one agent has no column for it
}

// memory holds what README says of what linear remembers: its scores on both splits, the gap, and where hard mails go.
func memory(t *testing.T, readme string, test, train map[string][3]string) {
	t.Helper()
	row := func(name string, cells map[string][3]string) string {
		for _, task := range []string{"queue-easy", "queue-medium", "queue-hard", "desk-easy", "desk-medium", "desk-hard"} {
			name += " | " + cells["linear/"+task][0]
		}
		return name + " |"
	}
	routes := fmt.Sprintf("route accuracy on queue-hard test is %s (train %s)", test["linear/queue-hard/route"][0], train["linear/queue-hard/route"][0])
	for _, want := range []string{row("of scenarios that it was)", train), row("| test", test), routes} {
		if !strings.Contains(readme, want) {
			t.Errorf("README does not have\n%s", want)
		}
	}
	if got := test["linear/queue-hard/route"][0]; got > "0.700" {
		t.Errorf("words alone tell where %s of hard mails go: the bank gives words away", got)
	}
	_, gaps, _ := strings.Cut(readme, "\n| train − test |")
	gaps, _, _ = strings.Cut(gaps, "|\n")
	for i, task := range []string{"queue-easy", "queue-medium", "queue-hard", "desk-easy", "desk-medium", "desk-hard"} {
		cells := strings.Split(gaps, "|")
		if len(cells) != 6 {
			t.Fatalf("README has gaps of %d tasks", len(cells))
		}
		var gap, a, b float64
		if _, err := fmt.Sscan(cells[i]+" "+train["linear/"+task][0]+" "+test["linear/"+task][0], &gap, &a, &b); err != nil || math.Abs(a-b-gap) > 0.0011 { // all three are rounded
			t.Errorf("%s: the gap is %.3f and not %s (%v)", task, a-b, cells[i], err)
		}
	}
}

// playedScores gives mean and interval, with three decimals, by agent/task, and of the queue the route accuracy by agent/task/route.
func playedScores(t *testing.T, split string, agents ...string) map[string][3]string {
	t.Helper()
	var out, errs bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	args := strings.Fields("run --episodes 200 --format markdown --progress off --split " + split)
	for _, agent := range agents {
		args = append(args, "--agent", agent)
	}
	if code := cli.Main(context.Background(), app, args); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	cells := map[string][3]string{}
	track, column := "", 0
	for _, line := range strings.Split(out.String(), "\n") {
		fields := strings.Split(strings.Trim(line, "| "), " | ")
		if fields[0] == "Agent" {
			track, column = "queue", 3
			if strings.Contains(line, "Correctness") {
				track, column = "desk", 4
			}
			continue
		}
		if len(fields) < 6 || strings.HasPrefix(fields[0], "-") || strings.HasPrefix(fields[0], ":") {
			continue
		}
		mean, rest, _ := strings.Cut(fields[column], " [")
		low, high, _ := strings.Cut(strings.TrimSuffix(rest, "]"), ", ")
		task := fields[0] + "/" + track + "-" + fields[1]
		cells[task] = [3]string{mean, low, high}
		if track == "queue" {
			cells[task+"/route"] = [3]string{fields[4]}
		}
	}
	return cells
}
