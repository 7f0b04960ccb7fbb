package main_test

import (
	"bytes"
	"context"
	"fmt"
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
	cells := playedScores(t)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	readme, benchmark := read("README.md"), read(filepath.Join("docs", "benchmark.md"))
	for _, agent := range []string{"random", "constant", "keyword", "heuristic"} {
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
}

// playedScores gives mean and interval, with three decimals, by agent/task.
func playedScores(t *testing.T) map[string][3]string {
	t.Helper()
	var out, errs bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	args := strings.Fields("run --agent random --agent constant --agent keyword --agent heuristic --episodes 200 --format markdown --progress off")
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
		cells[fields[0]+"/"+track+"-"+fields[1]] = [3]string{mean, low, high}
	}
	return cells
}
