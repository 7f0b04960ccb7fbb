package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// bankOptions are the flags that choose where tickets come from.
type bankOptions struct {
	app              *App
	Split            string
	SecretFile, Bank string
}

func (o *bankOptions) bind(cmd *cobra.Command) {
	choiceFlag(cmd.Flags(), &o.Split, "split", string(triage.Test), names(triage.Splits()), "half of the bank that tickets come from")
	cmd.Flags().StringVar(&o.SecretFile, "secret-file", "", "`file` with a secret that hides which tickets come")
	cmd.Flags().StringVar(&o.Bank, "bank", "", "`folder` of YAML scenarios to use in place of the public bank")
}

func (o *bankOptions) source(task string) (*synth.Source, error) {
	t, err := triage.TaskByName(task)
	if err != nil {
		return nil, err
	}
	s, err := o.session()
	if err != nil {
		return nil, err
	}
	return s.source(t, triage.Split(o.Split))
}

func newTicketsCmd(app *App) *cobra.Command {
	cmd := &cobra.Command{Use: "tickets", Short: "Make, show and measure tickets; write and check scenarios", RunE: subcommands,
		Example: "  triage tickets generate --task queue-hard --seed 42 -n 100 --labels --format jsonl\n  triage tickets show queue-hard 42 3\n  triage tickets stats --tasks desk-hard --check\n  triage tickets check mybank"}
	cmd.AddCommand(newTicketsGenerateCmd(app, runTicketsGenerate), newTicketsShowCmd(app, runTicketsShow), newTicketsStatsCmd(app, runTicketsStats),
		newTicketsCheckCmd(app, runTicketsCheck), newTicketsNewScenarioCmd(app, runTicketsNewScenario), newTicketsSchemaCmd(app, runTicketsSchema))
	return cmd
}

type generateOptions struct {
	bankOptions
	Task   string
	Seed   int64
	N      int
	Labels bool
	Format string
}

func newTicketsGenerateCmd(app *App, run func(context.Context, *generateOptions) error) *cobra.Command {
	o := &generateOptions{bankOptions: bankOptions{app: app}}
	cmd := &cobra.Command{Use: "generate", Short: "Print tickets of a task", Args: noArgs,
		Long: `Prints n tickets of a task: those of the episode at the seed, then those of the next seeds. jsonl has a ticket a line
as an agent sees it, with --labels also the right actions and the facts; chat has messages with handbook, ticket and right
action, for fine-tuning (its tickets come from the split that --split says: train on train).`,
		Example: `  triage tickets generate --task queue-hard --seed 42 -n 100
  triage tickets generate --task desk-hard -n 1000 --labels --format jsonl > tickets.jsonl
  triage tickets generate --task queue-medium --split train -n 5000 --format chat > chat.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.N < 1 {
				return usageError("-n %d is not allowed; allowed is 1 and more", o.N)
			}
			if err := checkSeeds(o.Seed, o.N, o.Task); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		}}
	choiceFlag(cmd.Flags(), &o.Task, "task", "queue-easy", taskNames(), "task whose tickets are made")
	intFlag(cmd.Flags(), &o.Seed, "seed", 42, "seed of the first episode")
	o.N = 10
	cmd.Flags().VarP(&number[int]{&o.N}, "number", "n", "number of tickets")
	cmd.Flags().BoolVar(&o.Labels, "labels", false, "print the right actions and the facts too")
	choiceFlag(cmd.Flags(), &o.Format, "format", "table", append(report.FormatNames(), "jsonl", "chat"), "how to print")
	o.bind(cmd)
	return cmd
}

// checkSeeds refuses seeds that leave the range before all n tickets of the tasks are made.
func checkSeeds(seed int64, n int, tasks ...string) error {
	episodes := int64(0)
	for _, name := range tasks {
		t, err := triage.TaskByName(name)
		if err != nil {
			return err
		}
		episodes = max(episodes, int64((n-1)/t.Tickets))
	}
	if seed < 0 || seed > triage.MaxSeed-episodes {
		return usageError("--seed %d is not allowed; allowed is 0 to %d for that many tickets", seed, triage.MaxSeed-episodes)
	}
	return nil
}

func runTicketsGenerate(ctx context.Context, o *generateOptions) error {
	src, err := o.source(o.Task)
	if err != nil {
		return err
	}
	per := src.Task().Tickets
	format, isTable := report.Formats()[o.Format]
	whole := o.Format == "csv" || o.Format == "json" // machines get whole texts
	t := ticketTable(src.Task(), o.Labels, whole)
	for i := range o.N {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c := src.Ticket(o.Seed+int64(i/per), i%per)
		switch o.Format {
		case "jsonl":
			err = writeTicketLine(o.app.Out, src.Task(), c, o.Labels)
		case "chat":
			err = writeChatLine(o.app.Out, src.Task(), c)
		default:
			t.Rows = append(t.Rows, ticketRow(src.Task(), c, o.Labels, whole))
		}
		if err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: "print tickets", Err: err}
		}
	}
	if !isTable {
		return nil
	}
	return format(o.app.Out, &report.Report{Tables: []report.Table{*t}})
}

// ticketTable has the columns of tickets; whole texts only for machines.
func ticketTable(task triage.Task, labels, whole bool) *report.Table {
	t := &report.Table{Name: "tickets"}
	add := func(title, key string, text bool) {
		t.Columns = append(t.Columns, report.Column{Title: title, Key: key, Text: text})
	}
	add("Ticket", "ticket_id", true)
	add("Subject", "subject", true)
	if whole {
		add("Text", "body", true)
	}
	if task.Track == triage.Queue {
		add("Form", "selected_category", true)
		add("Tier", "customer_tier", true)
	} else {
		add("Customer", "customer_name", true)
		t.Columns = append(t.Columns, report.Column{Title: "Sentiment", Key: "sentiment_score", Places: 2})
	}
	t.Columns = append(t.Columns, report.Column{Title: "Wait h", Key: "wait_time_hours", Places: 1})
	add("Escalated", "is_escalated", true)
	if !labels {
		return t
	}
	if task.Track == triage.Queue {
		add("Route", "route_category", true)
		add("Urgency", "urgency_assessment", true)
		add("Difficulty", "resolution_difficulty", true)
		add("Score", "priority_score", false)
	} else {
		add("Category", "category", true)
		add("Priority", "priority", true)
		add("Days", "urgency_days", false)
		add("Department", "department", true)
	}
	add("Scenario", "scenario", true)
	return t
}

func ticketRow(task triage.Task, c *triage.Case, labels, whole bool) []report.Cell {
	m := &c.Ticket.Metadata
	row := []report.Cell{c.Ticket.ID, cut(c.Ticket.Subject, 44, whole)}
	if whole {
		row = append(row, c.Ticket.Body)
	}
	if task.Track == triage.Queue {
		row = append(row, string(m.SelectedCategory), string(m.CustomerTier))
	} else {
		row = append(row, c.Ticket.CustomerName, c.Ticket.Sentiment)
	}
	row = append(row, m.WaitTimeHours, m.IsEscalated)
	if !labels {
		return row
	}
	if task.Track == triage.Queue {
		q := c.Truth.Queue
		row = append(row, string(q.Route), string(q.Urgency), string(q.Difficulty), q.Priority)
	} else {
		d := c.Truth.Desk
		row = append(row, string(d.Category), string(d.Priority), d.UrgencyDays, string(d.Department))
	}
	return append(row, c.Facts.Primary.Scenario)
}

// cut shortens a text for a table.
func cut(s string, n int, whole bool) string {
	r := []rune(s)
	if whole || len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

type showOptions struct {
	bankOptions
	Task     string
	Seed     int64
	Position int
	JSON     bool
}

func newTicketsShowCmd(app *App, run func(context.Context, *showOptions) error) *cobra.Command {
	o := &showOptions{bankOptions: bankOptions{app: app}}
	var format string
	cmd := &cobra.Command{Use: "show TASK SEED [POSITION]", Short: "Show a ticket with facts, labels, and which sentence carries which fact",
		Example: "  triage tickets show queue-hard 42\n  triage tickets show queue-hard 42 3 --split train\n  triage tickets show desk-hard 7 --format json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return usageError("%stakes TASK SEED [POSITION], such as queue-hard 42 3; got %d arguments", place(cmd), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := triage.TaskByName(args[0])
			if err != nil {
				return err
			}
			o.Task, o.JSON = task.Name, format == "json"
			if o.Seed, err = strconv.ParseInt(args[1], 10, 64); err != nil || o.Seed < 0 {
				return usageError("SEED %q is not an integer from 0 to %d", args[1], triage.MaxSeed)
			}
			if len(args) == 3 {
				o.Position, err = strconv.Atoi(args[2])
				switch {
				case err == nil && o.Position >= 0 && o.Position < task.Tickets:
				case task.Tickets == 1:
					return usageError("%s has one ticket an episode: POSITION %q is not 0", task.Name, args[2])
				default:
					return usageError("POSITION %q is not an integer from 0 to %d, the positions of %s", args[2], task.Tickets-1, task.Name)
				}
			}
			return run(cmd.Context(), o)
		}}
	choiceFlag(cmd.Flags(), &format, "format", "table", []string{"table", "json"}, "how to print")
	o.bind(cmd)
	return cmd
}

func runTicketsShow(_ context.Context, o *showOptions) error {
	src, err := o.source(o.Task)
	if err != nil {
		return err
	}
	c, sentences := src.Explain(o.Seed, o.Position)
	if o.JSON {
		return writeTicketDetail(o.app.Out, src.Task(), c, sentences)
	}
	var b strings.Builder
	showTicket(&b, src.Task(), c)
	showFacts(&b, src.Task(), c)
	b.WriteString("\nSentences\n")
	for _, s := range sentences {
		what := string(s.Role)
		if s.Level != "" {
			what += ", " + s.Level
		}
		fmt.Fprintf(&b, "  [%s] %s\n", what, strings.ReplaceAll(s.Text, "\n", " / "))
		if s.Carries != "" {
			fmt.Fprintf(&b, "      carries %s (%s)\n", s.Carries, s.Scenario)
		}
	}
	_, err = io.WriteString(o.app.Out, b.String())
	return err
}

func showTicket(b *strings.Builder, task triage.Task, c *triage.Case) {
	t, m := &c.Ticket, &c.Ticket.Metadata
	fmt.Fprintf(b, "%s, task %s\nFrom: %s\nSubject: %s\n\n%s\n\n", t.ID, task.Name, t.CustomerName, t.Subject, t.Body)
	if task.Track == triage.Queue {
		selected := string(m.SelectedCategory)
		if selected == "" {
			selected = "nothing"
		}
		fmt.Fprintf(b, "Metadata: tier %s, waited %.1f h, escalated %s, %d previous contacts, form says %s, channel %s, language %s, %d attachments\n\n",
			m.CustomerTier, m.WaitTimeHours, yes(m.IsEscalated), m.PreviousContacts, selected, m.Channel, m.Language, m.Attachments)
		return
	}
	fmt.Fprintf(b, "Metadata: sentiment %.2f, waited %.1f h, escalated %s\n\n", t.Sentiment, m.WaitTimeHours, yes(m.IsEscalated))
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func showFacts(b *strings.Builder, task triage.Task, c *triage.Case) {
	b.WriteString("Facts\n")
	request := func(name string, r *triage.Request) {
		fmt.Fprintf(b, "  %s: %s, severity %s, impact %s, workaround %s, deadline %s, effort %s", name, r.Scenario, r.Severity, r.Impact,
			yes(r.Workaround), r.Deadline, r.Effort)
		if r.Stake != "" {
			fmt.Fprintf(b, ", stake %s", r.Stake)
		}
		b.WriteByte('\n')
	}
	request("primary request", &c.Facts.Primary)
	if c.Facts.Secondary != nil {
		request("secondary request", c.Facts.Secondary)
	}
	if len(c.Facts.Traps) > 0 {
		fmt.Fprintf(b, "  traps: %s\n", strings.Join(c.Facts.Traps, ", "))
	}
	b.WriteString("Right action\n")
	if task.Track == triage.Queue {
		q := c.Truth.Queue
		fmt.Fprintf(b, "  route_category %s, urgency_assessment %s, resolution_difficulty %s, priority_score %d\n", q.Route, q.Urgency, q.Difficulty, q.Priority)
		return
	}
	d := c.Truth.Desk
	fmt.Fprintf(b, "  category %s, priority %s, urgency_days %d, department %s\n", d.Category, d.Priority, d.UrgencyDays, d.Department)
	groups := make([]string, len(d.Entities))
	for i, g := range d.Entities {
		groups[i] = strings.Join(g, "/")
	}
	fmt.Fprintf(b, "  a recommendation names two of: %s\n", strings.Join(groups, "; "))
	if len(d.Distractors) > 0 {
		fmt.Fprintf(b, "  and none of: %s\n", strings.Join(d.Distractors, ", "))
	}
}
