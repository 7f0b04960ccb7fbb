package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	bankOptions
	Agent           string
	Task            string
	Seed            int64
	Position        int
	Tickets, ID     string
	Map, LabelsFile string
	Top             int
	Format          string
}

// mostTop is how many words a label can have.
const mostTop = 1000

func newExplainCmd(app *App, run func(context.Context, *explainOptions) error) *cobra.Command {
	o := &explainOptions{bankOptions: bankOptions{app: app}}
	cmd := &cobra.Command{
		Use: "explain TASK SEED [POSITION]", Short: "Show the words by which the linear agent decides a ticket",
		Long: `Shows what the linear agent answers to a ticket of the bank, or of a file (--tickets FILE --id ID), how sure it is, what it would
have answered next, and which words and fields of the ticket spoke for the one or the other. A weight is what a word adds to the
logarithm of the odds: 0.7 makes the answer twice as likely against the other one.`,
		Example: `  triage explain queue-hard 42 3
  triage explain desk-hard 7 --top 10 --format json
  triage explain --agent linear:model.bin --tickets tickets.jsonl --id 4711`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().Changed("tickets") {
				return nil
			}
			if len(args) < 2 || len(args) > 3 {
				return usageError("%stakes TASK SEED [POSITION], such as queue-hard 42 3, or --tickets FILE --id ID; got %d arguments", place(cmd), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", agentLinear, "`agent`: linear, or linear:FILE with a model of triage train, which --tickets needs")
	f.StringVar(&o.Tickets, "tickets", "", "`file` of your own tickets")
	f.StringVar(&o.ID, "id", "", "`id` of the ticket in that file")
	f.StringVar(&o.Map, "map", "", "which column is what, such as body=text,route=category; names other than id, subject and body are labels")
	f.StringVar(&o.LabelsFile, "labels-file", "", "YAML or JSON `file` with the allowed values of label columns and their order")
	intFlag(f, &o.Top, "top", 6, "words a label, for and against")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	o.bind(cmd)
	return cmd
}

// check reads the arguments, and refuses flags that do not go together.
func (o *explainOptions) check(cmd *cobra.Command, args []string) error {
	refuse := func(with string, names ...string) error {
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				return usageError("--%s does not go with %s", name, with)
			}
		}
		return nil
	}
	switch {
	case !isLinear(o.Agent):
		return usageError("agent %q does not explain itself: linear and linear:FILE do", o.Agent)
	case o.Top < 1 || o.Top > mostTop:
		return usageError("--top %d is not allowed; allowed is 1 to %d", o.Top, mostTop)
	case o.Tickets != "" && len(args) > 0:
		return usageError("%s: TASK and SEED do not go with --tickets, which needs --id ID", args[0])
	case o.Tickets != "" && o.ID == "":
		return usageError("--tickets needs --id ID: which ticket of the file is meant")
	case o.Tickets != "" && !cmd.Flags().Changed("agent"):
		return usageError("--tickets needs --agent linear:FILE, a model that `triage train %s --output FILE` makes: the built-in one learned the tickets of the bank (--agent linear asks it all the same)", o.app.shownPath(o.Tickets))
	case o.Tickets != "":
		return refuse("--tickets: the ticket is the file's", "split", "bank", "secret-file")
	}
	if err := refuse("TASK and SEED: name a file with --tickets", "id", "map", "labels-file"); err != nil {
		return err
	}
	var err error
	o.Task, o.Seed, o.Position, err = ticketPlace(args)
	return err
}

// ticketPlace reads TASK SEED [POSITION].
func ticketPlace(args []string) (name string, seed int64, position int, err error) {
	task, err := triage.TaskByName(args[0])
	if err != nil {
		return "", 0, 0, err
	}
	if seed, err = strconv.ParseInt(args[1], 10, 64); err != nil || seed < 0 {
		return "", 0, 0, usageError("SEED %q is not an integer from 0 to %d", args[1], triage.MaxSeed)
	}
	if len(args) == 3 {
		if position, err = strconv.Atoi(args[2]); err != nil || position < 0 || position >= task.Tickets {
			return "", 0, 0, usageError("POSITION %q is not an integer from 0 to %d, the positions of %s", args[2], task.Tickets-1, task.Name)
		}
	}
	return task.Name, seed, position, nil
}

func runExplain(ctx context.Context, o *explainOptions) error {
	model, err := openLinear(o.app, o.Agent)
	if err != nil {
		return err
	}
	var seen triage.Observation
	var right map[string]string
	var title string
	if o.Tickets != "" {
		seen, right, err = o.fromFile(model)
		title = fmt.Sprintf("Ticket %s of %s", plainLine(o.ID), o.app.shownPath(o.Tickets))
	} else {
		seen, right, err = o.fromBank(ctx)
		title = fmt.Sprintf("%s %d %d, split %s", o.Task, o.Seed, o.Position, o.Split)
	}
	if err != nil {
		return err
	}
	list, err := model.Explain(seen)
	if err != nil {
		return usageError("agent %s: %v", o.Agent, err)
	}
	rep := o.report(title, list, right, model.About.Bank)
	if err := report.Formats()[o.Format](o.app.Out, rep); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print explanation", Err: err}
	}
	return nil
}

// fromBank gives a ticket of the bank as an agent sees it, and its right answer.
func (o *explainOptions) fromBank(ctx context.Context) (triage.Observation, map[string]string, error) {
	s, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return triage.Observation{}, nil, err
	}
	e, err := s.newEnv(o.Task, triage.Split(o.Split), triage.IntOf(o.Position))
	if err != nil {
		return triage.Observation{}, nil, err
	}
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: o.Seed})
	if err != nil {
		return triage.Observation{}, nil, err
	}
	right := map[string]string{}
	switch t, _ := e.Truth(); {
	case t.Queue != nil:
		right["route"], right["urgency"], right["difficulty"] = string(t.Queue.Route), string(t.Queue.Urgency), string(t.Queue.Difficulty)
	case t.Desk != nil:
		right[triage.FieldCategory] = string(t.Desk.Category)
	}
	return r.Observation, right, nil
}

// fromFile gives a ticket of a file as an agent sees it, and its labels.
func (o *explainOptions) fromFile(model *agent.LinearModel) (seen triage.Observation, right map[string]string, err error) {
	opts, err := setOptions(o.app, o.Map, o.LabelsFile)
	if err != nil {
		return seen, nil, err
	}
	file, set, err := openSet(o.app, o.Tickets, opts)
	if err != nil {
		return seen, nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	c, err := findTicket(set, o.Tickets, o.ID)
	if err != nil {
		return seen, nil, err
	}
	warnings, err := model.Fit(set.Allowed())
	if err != nil {
		return seen, nil, usageError("agent %s: %s: %v", o.Agent, o.Tickets, err)
	}
	for _, w := range warnings {
		o.app.warn("%s: %s", o.Agent, w)
	}
	return triage.Observation{Dataset: &triage.DatasetObservation{TicketID: c.Ticket.ID, Subject: c.Ticket.Subject, Body: c.Ticket.Body,
		Fields: c.Ticket.Fields, Labels: set.Allowed()}}, c.Truth.Labels, nil
}

// findTicket finds a ticket by its id.
func findTicket(set *dataset.Set, name, id string) (triage.Case, error) {
	for i := range set.Len() {
		c, err := set.Case(i)
		if err != nil || c.Ticket.ID == id {
			return c, err
		}
	}
	return triage.Case{}, usageError("%s has no ticket with the id %q among its %d", name, id, set.Len())
}

// because says why an answer was given. On a scale it may be less sure than another value: the models of own tickets take the value with the
// least expected distance, those of the bank the one with the highest expected credit, which a neighbour earns too.
func because(e *agent.Explanation, bank bool) string {
	switch {
	case e.Rule != "":
		return e.Rule
	case e.SecondConfidence <= e.Confidence:
		return "the words below"
	case bank:
		return fmt.Sprintf("the highest expected credit; %s alone is likelier", e.Second)
	}
	return fmt.Sprintf("the least expected distance; %s alone is likelier", e.Second)
}

// report has a table of answers and one of words; bank tells whether the model is one of the bank.
func (o *explainOptions) report(title string, list []agent.Explanation, right map[string]string, bank bool) *report.Report {
	answers := report.Table{Name: "answers", Title: title, Columns: []report.Column{{Title: "Label", Key: "label", Text: true}, {Title: "Answer", Key: "answer", Text: true},
		{Title: "Confidence", Key: "confidence", Places: 3}, {Title: "Second", Key: "second", Text: true}, {Title: "Confidence", Key: "second_confidence", Places: 3},
		{Title: "Right is", Key: "right", Text: true}, {Title: "Because", Key: "because", Text: true}}}
	words := report.Table{Name: "words", Title: "What spoke for the answer, or for the second", Columns: []report.Column{{Title: "Label", Key: "label", Text: true},
		{Title: "For", Key: "for", Text: true}, {Title: "Where", Key: "where", Text: true}, {Title: "Words", Key: "words", Text: true}, {Title: "Weight", Key: "weight", Places: 3}}}
	for i := range list {
		e := &list[i]
		var second, p report.Cell
		if e.Second != "" {
			second, p = e.Second, e.SecondConfidence
		}
		answers.Rows = append(answers.Rows, []report.Cell{e.Label, e.Answer, e.Confidence, second, p, right[e.Label], because(e, bank)})
		words.Rows = append(words.Rows, o.wordRows(e)...)
	}
	return &report.Report{Tables: []report.Table{answers, words}}
}

// wordRows has the heaviest words for the answer, then those for the second.
func (o *explainOptions) wordRows(e *agent.Explanation) [][]report.Cell {
	var rows [][]report.Cell
	for _, side := range []float64{1, -1} {
		value, n := e.Answer, 0
		if side < 0 {
			value = e.Second
		}
		for _, w := range e.Words {
			if weight := w.Weight * side; weight > 0 && n < o.Top {
				n++
				where, text := w.Name, w.Text
				switch w.Kind {
				case "field":
					where = "field"
				case "bias":
					where, text = "bias", "(how frequent the values are)"
				}
				rows = append(rows, []report.Cell{e.Label, value, where, strings.TrimSpace(plainLine(text)), weight})
			}
		}
	}
	return rows
}
