// Command make writes the export that docs/own-tickets.md works with, as a help desk would give it: tickets.csv has what a view exports,
// without texts, and bodies.json has the texts. The tickets are made from the bank; no person or company in them exists.
// Run it from the repository's root: go run ./examples/own-tickets/make
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/cli"
)

// tickets are made of each split, so that the desk has some of everything.
const tickets = 240

func main() {
	if err := run(filepath.Join("examples", "own-tickets")); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	table, bodies, err := export()
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"tickets.csv": table, "bodies.json": bodies} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ticket is what `triage tickets generate --labels` prints, as far as it is used.
type ticket struct {
	Ticket struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
		Metadata    struct {
			Channel string `json:"channel"`
			Tier    string `json:"customer_tier"`
		} `json:"metadata"`
	} `json:"ticket"`
	Truth struct {
		Queue struct {
			Route   string `json:"route_category"`
			Urgency string `json:"urgency_assessment"`
		} `json:"queue"`
	} `json:"truth"`
}

// generated gives tickets of a split.
func generated(split string) ([]ticket, error) {
	var out, errs bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	args := []string{"tickets", "generate", "--task", "queue-medium", "--split", split, "--seed", "2025", "-n", fmt.Sprint(tickets), "--labels", "--format", "jsonl"}
	if code := cli.Main(context.Background(), app, args); code != 0 {
		return nil, fmt.Errorf("triage %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
	}
	var list []ticket
	for line := range bytes.Lines(out.Bytes()) {
		var t ticket
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// What the desk calls things. Its group "Billing" was called "Invoices" until June, and one agent writes it in small letters.
var (
	groups     = map[string]string{"billing": "Billing", "technical": "Technical Support", "feature": "Product Ideas", "feedback": "Feedback", "spam": "Suspended"}
	priorities = map[string]string{"low": "Low", "medium": "Normal", "high": "High", "critical": "Urgent"}
)

var header = []string{"Summation column", "Id", "Requester", "Requester id", "Requester email", "Assignee", "Group", "Subject", "Tags", "Status", "Priority", "Via", "Created at", "Solved at",
	"Resolution time", "Satisfaction Score", "Replies", "Plan [list]"}

// export gives the table and the texts.
func export() (table, bodies []byte, err error) {
	var list []ticket
	for _, split := range []string{"train", "test"} {
		part, err := generated(split)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, part...)
	}
	r := rand.New(rand.NewPCG(2025, 1))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var t bytes.Buffer
	w := csv.NewWriter(&t)
	w.UseCRLF = true
	if err := w.Write(header); err != nil {
		return nil, nil, err
	}
	type body struct {
		ID          int    `json:"id"`
		Description string `json:"description"`
	}
	texts := struct {
		Tickets []body `json:"tickets"`
	}{}
	at := time.Date(2025, 1, 6, 8, 0, 0, 0, time.UTC)
	for i, x := range list {
		at = at.Add(time.Duration(6+r.IntN(26)) * time.Hour / 2).Add(time.Duration(r.IntN(60)) * time.Minute)
		id := 35_000 + 3*i
		if err := w.Write(row(x, id, at, r)); err != nil {
			return nil, nil, err
		}
		if i%97 != 96 { // a few were deleted before the texts were exported
			texts.Tickets = append(texts.Tickets, body{id, x.Ticket.Description})
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, nil, err
	}
	bodies, err = json.MarshalIndent(texts, "", " ")
	return t.Bytes(), append(bodies, '\n'), err
}

// row is one line of the table. Group and priority are what the desk decided in the end, which is not always what it should have.
func row(x ticket, id int, at time.Time, r *rand.Rand) []string {
	group := groups[x.Truth.Queue.Route]
	switch {
	case group == "Billing" && at.Month() < time.June:
		group = "Invoices"
	case group == "Billing" && r.IntN(6) == 0:
		group = "billing"
	case r.IntN(40) == 0:
		group = ""
	}
	priority := priorities[x.Truth.Queue.Urgency]
	if r.IntN(12) == 0 {
		priority = "Normal" // nobody changed it
	}
	customer := r.IntN(160)
	hours := 1 + r.IntN(90)
	score := []string{"Unoffered", "Unoffered", "Good", "Bad", "Offered"}[r.IntN(5)]
	return []string{"1", fmt.Sprint(id), fmt.Sprintf("Customer %03d", customer), fmt.Sprint(70_000 + customer), fmt.Sprintf("customer%03d@example.org", customer), fmt.Sprintf("Agent %d", 1+r.IntN(7)), group,
		x.Ticket.Subject, strings.ToLower(strings.ReplaceAll(group, " ", "_")) + " solved_2025", "Solved", priority, x.Ticket.Metadata.Channel, at.Format("2006-01-02 15:04:05 +0000"),
		at.Add(time.Duration(hours) * time.Hour).Format("2006-01-02 15:04:05 +0000"), fmt.Sprint(hours), score, fmt.Sprint(r.IntN(6)), x.Ticket.Metadata.Tier}
}
