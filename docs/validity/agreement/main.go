// Command agreement keeps the study by blind reading (docs/validity/README.md). Run it from the repository's root:
//
//	go run ./docs/validity/agreement                               # prints the table of all rounds
//	go run ./docs/validity/agreement -draw DIR -keys FILE -seed 7200000   # writes tickets for readers: a folder a reader
//	go run ./docs/validity/agreement -join DIR -keys FILE -round 3        # puts their answers beside the labels, as rounds/3.jsonl
//
// A folder for a reader holds handbook.md and tickets.jsonl, and nothing else; the reader adds answers.jsonl. Which ticket of
// which seed it is stands in FILE alone, which no reader sees.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// rounds is the folder of the answers.
const rounds = "docs/validity/rounds"

func main() {
	draw := flag.String("draw", "", "folder to write tickets for readers to")
	join := flag.String("join", "", "folder with the readers' answers")
	keys := flag.String("keys", "", "file that says which ticket a reader's number stands for")
	seed := flag.Int64("seed", 7_000_000, "first seed of the tickets that are drawn")
	round := flag.Int("round", 0, "number of the round that is joined")
	flag.Parse()
	var err error
	switch {
	case (*draw != "" || *join != "") && *keys == "":
		err = errors.New("-keys is missing: the file that says which ticket a reader's number stands for")
	case *join != "" && *round < 1:
		err = fmt.Errorf("-round %d is not allowed; allowed is 1 and more", *round)
	case *draw != "":
		err = drawTickets(*draw, *keys, *seed)
	case *join != "":
		err = joinAnswers(*join, *keys, filepath.Join(rounds, strconv.Itoa(*round)+".jsonl"))
	default:
		err = printTable(os.Stdout, rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agreement:", err)
		os.Exit(1)
	}
}

// batches say what each reader gets: 60 tickets of each hard task and 30 of each other one.
var batches = []struct {
	task  string
	parts int // of 30 tickets
}{{"queue-hard", 2}, {"desk-hard", 2}, {"queue-medium", 1}, {"desk-medium", 1}, {"queue-easy", 1}, {"desk-easy", 1}}

const perReader = 30

// key names a ticket of split test: task/seed/position.
func key(task string, seed int64, position int) string {
	return task + "/" + strconv.FormatInt(seed, 10) + "/" + strconv.Itoa(position)
}

// find makes the ticket of a key again.
func find(bank *scenario.Bank, k string) (triage.Task, triage.Case, error) {
	name, rest, _ := strings.Cut(k, "/")
	s, p, _ := strings.Cut(rest, "/")
	seed, err1 := strconv.ParseInt(s, 10, 64)
	position, err2 := strconv.Atoi(p)
	task, err3 := triage.TaskByName(name)
	if err := errors.Join(err1, err2, err3); err != nil {
		return task, triage.Case{}, fmt.Errorf("key %q: %w", k, err)
	}
	src, err := synth.New(bank, task, triage.Test, nil)
	if err != nil {
		return task, triage.Case{}, err
	}
	return task, *src.Ticket(seed, position), nil
}

// shown is a ticket as a reader sees it: numbered from 1, without its key.
type shown struct {
	N      int `json:"n"`
	Ticket any `json:"ticket"`
}

// drawTickets writes a folder a reader, and the keys of each reader's tickets, in order, to another file.
func drawTickets(dir, keysFile string, seed int64) error {
	keys := map[string][]string{}
	bank, err := scenario.Embedded()
	if err != nil {
		return err
	}
	for _, b := range batches {
		task, err := triage.TaskByName(b.task)
		if err != nil {
			return err
		}
		src, err := synth.New(bank, task, triage.Test, nil)
		if err != nil {
			return err
		}
		for part := range b.parts {
			reader := b.task + "-" + strconv.Itoa(part+1)
			var out bytes.Buffer
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			for i := part * perReader; i < (part+1)*perReader; i++ {
				s, p := seed+int64(i/task.Tickets), i%task.Tickets
				c := src.Ticket(s, p)
				if err := enc.Encode(shown{N: len(keys[reader]) + 1, Ticket: observed(task, c)}); err != nil {
					return err
				}
				keys[reader] = append(keys[reader], key(b.task, s, p))
			}
			folder := filepath.Join(dir, reader)
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			for name, data := range map[string][]byte{"tickets.jsonl": out.Bytes(), "handbook.md": []byte(handbook.Text())} {
				if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
					return err
				}
			}
		}
	}
	data, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(keysFile, data, 0o600)
}

// observed gives what an agent sees of a ticket.
func observed(task triage.Task, c *triage.Case) any {
	t := &c.Ticket
	if task.Track == triage.Queue {
		return t.Queue()
	}
	return map[string]any{"customer_name": t.CustomerName, "issue_text": t.IssueText(), "sentiment_score": t.Sentiment,
		"wait_time_hours": t.Metadata.WaitTimeHours, "is_escalated": t.Metadata.IsEscalated}
}

// line is one ticket of a round: the answer beside the label as it was then.
type line struct {
	Key       string          `json:"key"`
	Generator string          `json:"generator"`
	Reader    string          `json:"reader"`
	Answer    json.RawMessage `json:"answer"`
	Truth     json.RawMessage `json:"truth"`
	// Recommendation is what the written recommendation earned with the grader of then, 0..1; queue tickets have none.
	Recommendation *float64 `json:"recommendation,omitempty"`
	// Doubt is what the reader noted about the ticket.
	Doubt string `json:"doubt,omitempty"`
	// Scenario is where the ticket came from, for those who mend it.
	Scenario string `json:"scenario"`
}

// answered is a line of a reader's answers.
type answered struct {
	N      int             `json:"n"`
	Answer json.RawMessage `json:"answer"`
	Doubt  string          `json:"doubt"`
}

func joinAnswers(dir, keysFile, to string) error {
	data, err := os.ReadFile(keysFile)
	if err != nil {
		return err
	}
	keys := map[string][]string{}
	if err := json.Unmarshal(data, &keys); err != nil {
		return fmt.Errorf("%s: %w", keysFile, err)
	}
	bank, err := scenario.Embedded()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "answers.jsonl"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no folder with answers.jsonl", dir)
	}
	sort.Strings(files)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, f := range files {
		given, err := readLines[answered](f)
		if err != nil {
			return err
		}
		reader := filepath.Base(filepath.Dir(f))
		for _, a := range given {
			if a.N < 1 || a.N > len(keys[reader]) {
				return fmt.Errorf("%s: ticket %d was not given to this reader", f, a.N)
			}
			l, err := judge(bank, keys[reader][a.N-1], &a)
			if err != nil {
				return fmt.Errorf("%s: ticket %d: %w", f, a.N, err)
			}
			l.Reader = reader
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

// judge puts an answer beside the label of the ticket with the key.
func judge(bank *scenario.Bank, k string, a *answered) (line, error) {
	task, c, err := find(bank, k)
	if err != nil {
		return line{}, err
	}
	act, err := triage.ParseAction(task.Track, a.Answer, nil)
	if err != nil {
		return line{}, fmt.Errorf("%s: %w", k, err)
	}
	l := line{Key: k, Generator: scenario.Version(bank.Hash), Answer: a.Answer, Doubt: a.Doubt, Scenario: c.Facts.Primary.Scenario}
	if task.Track == triage.Queue {
		l.Truth, err = json.Marshal(c.Truth.Queue)
		return l, err
	}
	if l.Truth, err = json.Marshal(c.Truth.Desk); err != nil {
		return line{}, err
	}
	v := triage.Rounded(grade.Recommendation(c.Truth.Desk, act.Desk.Recommendation).Value)
	l.Recommendation = &v
	return l, nil
}

func readLines[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, v)
	}
	return out, sc.Err()
}

// tally counts the tickets of one task in one round.
type tally struct {
	n      int
	agreed map[string]int // by label
	asked  map[string]int // of how many; the priority score counts where the urgency agreed
	recs   float64
}

func (t *tally) add(label string, same bool) {
	t.asked[label]++
	if same {
		t.agreed[label]++
	}
}

// count compares the answers of a round, by task. Lines of the present generator must have the label that it gives now.
func (c *counter) count(name string) (map[string]*tally, error) {
	lines, err := readLines[line](name)
	if err != nil {
		return nil, err
	}
	out := map[string]*tally{}
	for i, l := range lines {
		if err := c.compare(&l, out); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return out, nil
}

// earned renders what a recommendation earned.
func earned(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// counter compares answers and counts how many labels the present generator still gives.
type counter struct {
	bank       *scenario.Bank
	held, seen int
}

func (c *counter) compare(l *line, out map[string]*tally) error {
	c.seen++
	bank := c.bank
	if l.Generator == scenario.Version(bank.Hash) {
		again, err := judge(bank, l.Key, &answered{Answer: l.Answer})
		if err != nil {
			return err
		}
		if !bytes.Equal(again.Truth, l.Truth) {
			return fmt.Errorf("%s: the file says %s, the program %s", l.Key, l.Truth, again.Truth)
		}
		if (l.Recommendation == nil) != (again.Recommendation == nil) || l.Recommendation != nil && *l.Recommendation != *again.Recommendation {
			return fmt.Errorf("%s: the file says that the recommendation earned %s, the program %s", l.Key, earned(l.Recommendation), earned(again.Recommendation))
		}
		if l.Scenario != again.Scenario {
			return fmt.Errorf("%s: the file says scenario %s, the program %s", l.Key, l.Scenario, again.Scenario)
		}
		c.held++
	}
	name, _, _ := strings.Cut(l.Key, "/")
	task, err := triage.TaskByName(name)
	if err != nil {
		return err
	}
	t := out[name]
	if t == nil {
		t = &tally{agreed: map[string]int{}, asked: map[string]int{}}
		out[name] = t
	}
	t.n++
	a, err := triage.ParseAction(task.Track, l.Answer, nil)
	if err != nil {
		return err
	}
	if task.Track == triage.Queue {
		var w triage.QueueTruth
		if err := json.Unmarshal(l.Truth, &w); err != nil {
			return err
		}
		t.add("route", a.Queue.Route == w.Route)
		t.add("urgency", a.Queue.Urgency == w.Urgency)
		t.add("difficulty", a.Queue.Difficulty == w.Difficulty)
		if a.Queue.Urgency == w.Urgency {
			d := a.Queue.Priority.Value - w.Priority
			t.add("priority", a.Queue.Priority.Set && d >= -2 && d <= 2)
		}
		return nil
	}
	var w triage.DeskTruth
	if err := json.Unmarshal(l.Truth, &w); err != nil {
		return err
	}
	t.add("category", a.Desk.Category == w.Category)
	t.add("priority", a.Desk.Priority == w.Priority)
	t.add("days", a.Desk.UrgencyDays.Set && a.Desk.UrgencyDays.Value == w.UrgencyDays)
	t.add("department", a.Desk.Department == w.Department)
	if l.Recommendation != nil {
		t.recs += *l.Recommendation
	}
	return nil
}

// printTable prints a line a round and task.
func printTable(w io.Writer, dir string) error {
	bank, err := scenario.Embedded()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return err
	}
	sort.Strings(files)
	var b strings.Builder
	c := &counter{bank: bank}
	counted := make([]map[string]*tally, len(files))
	for i, f := range files {
		if counted[i], err = c.count(f); err != nil {
			return err
		}
	}
	for _, track := range triage.Tracks() {
		labels := []string{"route", "urgency", "difficulty", "priority"}
		head := "| round | task | tickets | route | urgency | difficulty | priority within 2, urgency given |\n|--:|---|--:|--:|--:|--:|--:|\n"
		if track == triage.Desk {
			labels = []string{"category", "priority", "days", "department"}
			head = "\n| round | task | tickets | category | priority | urgency days | department | recommendation, mean |\n|--:|---|--:|--:|--:|--:|--:|--:|\n"
		}
		b.WriteString(head)
		for i, f := range files {
			for _, task := range triage.Tasks() {
				t := counted[i][task.Name]
				if task.Track != track || t == nil {
					continue
				}
				fmt.Fprintf(&b, "| %s | %s | %d |", strings.TrimSuffix(filepath.Base(f), ".jsonl"), task.Name, t.n)
				for _, l := range labels {
					fmt.Fprintf(&b, " %d/%d |", t.agreed[l], t.asked[l])
				}
				if track == triage.Desk {
					fmt.Fprintf(&b, " %.3f |", t.recs/float64(t.n))
				}
				b.WriteString("\n")
			}
		}
	}
	fmt.Fprintf(&b, "\n%d of %d labels are of the present generator, %s, and were made again.\n", c.held, c.seen, scenario.Version(bank.Hash))
	_, err = io.WriteString(w, b.String())
	return err
}
