package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheStudyHoldsTheTableThatItsAnswersGive compares the table in README.md with what the command prints.
func TestTheStudyHoldsTheTableThatItsAnswersGive(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := printTable(&out, filepath.Join("..", "rounds")); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), out.String()) {
		t.Errorf("docs/validity/README.md does not hold the table of `go run ./docs/validity/agreement`:\n%s", out.String())
	}
}

// TestTheMethodologyPageHoldsTheStudysTables compares docs/benchmark.md with the last round and with words.md.
func TestTheMethodologyPageHoldsTheStudysTables(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	page, words := read(filepath.Join("..", "benchmark.md")), read("words.md")
	_, table, found := strings.Cut(words, "\n\n")
	if !found || !strings.Contains(page, strings.TrimSpace(table)) {
		t.Errorf("docs/benchmark.md does not hold the table of docs/validity/words.md:\n%s", table)
	}
	var out bytes.Buffer
	if err := printTable(&out, filepath.Join("..", "rounds")); err != nil {
		t.Fatal(err)
	}
	rounds, err := filepath.Glob(filepath.Join("..", "rounds", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, fmt.Sprintf("| %d | ", len(rounds))) {
			last++
			if !strings.Contains(page, line) {
				t.Errorf("docs/benchmark.md lacks the line of the last round %s", line)
			}
		}
	}
	if last != 6 {
		t.Errorf("the last round has %d lines, want one a task", last)
	}
}

func TestAnswersAreComparedByLabel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := `{"key":"queue-hard/5/0","generator":"0-old","answer":{"route_category":"billing","urgency_assessment":"high","resolution_difficulty":"easy","priority_score":52},"truth":{"route_category":"billing","urgency_assessment":"high","resolution_difficulty":"medium","priority_score":54}}
{"key":"queue-hard/5/1","generator":"0-old","answer":{"route_category":"spam","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":0},"truth":{"route_category":"billing","urgency_assessment":"medium","resolution_difficulty":"easy","priority_score":25}}
{"key":"desk-hard/5/0","generator":"0-old","answer":{"category":"Bug","priority":"Low","urgency_days":7,"department":"Engineering","recommendation":"x"},"truth":{"category":"Bug","priority":"Low","urgency_days":6,"department":"Engineering"},"recommendation":0.5}
`
	if err := os.WriteFile(filepath.Join(dir, "1.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printTable(&out, dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 1 | queue-hard | 2 | 1/2 | 1/2 | 1/2 | 1/1 |\n", "| 1 | desk-hard | 1 | 1/1 | 1/1 | 0/1 | 1/1 | 0.500 |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}

func TestDrawnTicketsCarryNoLabelAndJoinAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := drawTickets(dir, keys, 31); err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(folders) != 8 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, f := range folders {
		tickets, err := readLines[shown](filepath.Join(f, "tickets.jsonl"))
		if err != nil || len(tickets) != perReader {
			t.Fatalf("%s: %d tickets, %v", f, len(tickets), err)
		}
		data, err := os.ReadFile(filepath.Join(f, "tickets.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"key", "seed", "route_category", "truth", "facts", "scenario", "priority_score"} {
			if bytes.Contains(data, []byte(`"`+word+`"`)) {
				t.Errorf("%s: tickets hold %q", f, word)
			}
		}
	}
	answer := `{"n":2,"answer":{"route_category":"billing"},"doubt":"none"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "queue-hard-1", "answers.jsonl"), []byte(answer), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "1.jsonl")
	if err := joinAnswers(t.TempDir(), keys, to); err == nil || !strings.Contains(err.Error(), "no folder with answers.jsonl") {
		t.Errorf("a folder without answers is joined: %v", err)
	}
	if err := joinAnswers(dir, keys, to); err != nil {
		t.Fatal(err)
	}
	lines, err := readLines[line](to)
	if err != nil || len(lines) != 1 || lines[0].Reader != "queue-hard-1" || lines[0].Key != "queue-hard/31/1" || !bytes.Contains(lines[0].Truth, []byte("route_category")) {
		t.Fatalf("%+v, %v", lines, err)
	}
	spoiled := bytes.Replace(lines[0].Truth, []byte(`"route_category":"`), []byte(`"route_category":"x`), 1)
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, bytes.Replace(data, lines[0].Truth, spoiled, 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := printTable(&bytes.Buffer{}, dir); err == nil || !strings.Contains(err.Error(), "the program") {
		t.Errorf("a label that was changed in the file goes unnoticed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "queue-hard-1", "answers.jsonl"), []byte(strings.Replace(answer, "billing", "sales", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := joinAnswers(dir, keys, to); err == nil || !strings.Contains(err.Error(), "queue-hard/31/1") {
		t.Errorf("a value that is no route is taken: %v", err)
	}
}
