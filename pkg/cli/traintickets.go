package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

// quoteNote says which of the figures of a training are worth telling others.
const quoteNote = "Quote the figures of a test side; failing one, the accuracy of --eval, for which every ticket was answered once: held-out accuracy is a by-product of the calibration."

// onTickets trains on a file of tickets, and cross-validates.
func (t *training) onTickets(ctx context.Context) error {
	o := t.options
	opts, err := setOptions(o.app, o.Map, o.LabelsFile)
	if err != nil {
		return err
	}
	opts.Strict, opts.Side, opts.SideIfAny = o.Strict, dataset.TrainSide, true
	file, set, err := openSet(o.app, o.File, opts)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading
	digest, err := digestOf(file, o.File)
	if err != nil {
		return err
	}
	t.tellFile(set)
	var columns []agent.OwnColumn
	for _, c := range set.Columns() {
		columns = append(columns, agent.OwnColumn{Name: c.Name, Values: c.Values, Ordered: c.Ordered})
	}
	told, finish := t.progress()
	defer finish()
	n := min(set.Len(), o.Limit)
	ticket := func(i int) (triage.Case, error) { return set.Case(i * set.Len() / n) }
	s, err := agent.LinearOwnSet(ctx, n, columns, ticket, func(done, total int) { told("tickets", done, total) })
	if err != nil {
		return err
	}
	if err := t.dropEmpty(s); err != nil {
		return err
	}
	if o.Eval {
		if err := t.evaluate(ctx, s, func(done, total int) { told("parts", done, total) }); err != nil {
			return err
		}
	}
	if o.Output == "" {
		return nil
	}
	about := agent.LinearAbout{Source: digest, Side: string(set.Side())}
	model, rep, err := agent.TrainLinearOwn(ctx, s, about, t.linearOptions(func(done, total int) { told("training", done, total) }))
	if err != nil {
		return err
	}
	t.model = model
	side := ""
	if about.Side != "" {
		side = ", side " + about.Side
	}
	t.trained(&rep, fmt.Sprintf("Trained on %s: %d tickets%s", o.app.shownPath(o.File), rep.Examples, side))
	return nil
}

func (t *training) linearOptions(progress func(done, total int)) linear.Options {
	o := t.options
	return linear.Options{Balanced: o.Balanced, Seed: uint64(o.Seed), Workers: o.Workers, Progress: progress}
}

// tellFile says what a user should know of the tickets' file.
func (t *training) tellFile(set *dataset.Set) {
	o := t.options
	tellSide(o.app, set)
	for _, w := range set.Warnings() {
		o.app.warn("%s", w)
	}
	n, first := set.Skipped()
	for i := range min(len(first), shownSkips) {
		o.app.warn("%s: %s: skipped", o.File, first[i].Error())
	}
	if n > shownSkips {
		o.app.warn("%s: %d rows were skipped in all", o.File, n)
	}
	if set.Len() > o.Limit {
		o.app.warn("%s has %d tickets: %d of them, evenly taken, are learned (--limit)", o.File, set.Len(), o.Limit)
	}
	t.values["skipped"] = n
}

// dropEmpty leaves out label columns that no ticket to learn from has.
func (t *training) dropEmpty(s *agent.LinearSet) error {
	s.Labels = slices.DeleteFunc(s.Labels, func(l linear.Labels) bool {
		none := !slices.ContainsFunc(l.Of, func(of int) bool { return of != linear.NoLabel })
		if none {
			t.options.app.warn("label %s: no ticket to learn from has it: it is left out", l.Name)
		}
		return none
	})
	if len(s.Labels) == 0 {
		return usageError("%s: no ticket to learn from has a label", t.options.File)
	}
	return nil
}

// evaluate cross-validates each label column.
func (t *training) evaluate(ctx context.Context, s *agent.LinearSet, progress func(done, total int)) error {
	o := t.options
	labels := report.Table{Name: "evaluated", Title: fmt.Sprintf("Cross-validation in %d parts: %d tickets of %s", o.Folds, len(s.Examples), o.app.shownPath(o.File)),
		Columns: []report.Column{{Title: "Label", Key: "label", Text: true}, {Title: "Kind", Key: "kind", Text: true}, {Title: "Values", Key: "values"}, {Title: "n", Key: "n"},
			{Title: "Accuracy", Key: "accuracy", Places: 3}, {Title: "Macro-F1", Key: "macro_f1", Places: 3}, {Title: "Floor", Key: "floor", Places: 3},
			{Title: "Log loss", Key: "log_loss", Places: 3}, {Title: "Calibration error", Key: "calibration_error", Places: 3}}}
	values := report.Table{Name: "values", Title: "Each value, those that are found worst first",
		Columns: []report.Column{{Title: "Label", Key: "label", Text: true}, {Title: "Value", Key: "value", Text: true}, {Title: "n", Key: "n"},
			{Title: "Precision", Key: "precision", Places: 3}, {Title: "Recall", Key: "recall", Places: 3}, {Title: "F1", Key: "f1", Places: 3},
			{Title: "Taken most often for", Key: "taken_for", Text: true}}}
	for i := range s.Labels {
		l := s.Labels[i]
		e, err := t.crossValidate(ctx, s, i, func(done, total int) { progress(i*total+done, len(s.Labels)*total) })
		if err != nil {
			return err
		}
		kind := "nominal"
		if l.Ordered {
			kind = "ordered"
		}
		labels.Rows = append(labels.Rows, []report.Cell{l.Name, kind, len(l.Values), e.N, e.Accuracy, e.MacroF1, e.Majority, e.LogLoss, e.ECE})
		values.Rows = append(values.Rows, valueRows(l, &e, o.Format == "table" || o.Format == "markdown", &values.Notes)...)
	}
	labels.Notes = append(labels.Notes, "Floor: always the most frequent value. Tickets with the same text are in one part; nearly equal ones are what triage import --split keeps together.")
	if t.options.Output == "" { // the table of the model has it too
		labels.Notes = append(labels.Notes, quoteNote)
	}
	t.tables = append(t.tables, labels, values)
	return nil
}

// crossValidate cross-validates one label column; where there are fewer tickets than parts, in fewer parts.
func (t *training) crossValidate(ctx context.Context, s *agent.LinearSet, column int, progress func(done, total int)) (linear.Evaluation, error) {
	l := s.Labels[column]
	groups := map[string]bool{}
	for i, of := range l.Of {
		if of != linear.NoLabel {
			groups[s.Examples[i].Group] = true
		}
	}
	folds := min(t.options.Folds, len(groups))
	if folds < 2 {
		return linear.Evaluation{}, usageError("%s: label %s: %d different texts have it: cross-validation needs 2 and more", t.options.File, l.Name, len(groups))
	}
	return linear.CrossValidate(ctx, s.Examples, l, folds, t.linearOptions(progress))
}

// worstShown is how many values of a label are shown to people.
const worstShown = 20

// valueRows has a row a value, the worst F1 first. For people it is cut where there are many, and notes say so.
func valueRows(l linear.Labels, e *linear.Evaluation, cut bool, notes *[]string) [][]report.Cell {
	order := make([]int, len(e.Classes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := e.Classes[a].F1, e.Classes[b].F1; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	if cut && len(order) > worstShown {
		*notes = append(*notes, fmt.Sprintf("%s: the %d worst of %d values; --format csv has all.", l.Name, worstShown, len(order)))
		order = order[:worstShown]
	}
	var rows [][]report.Cell
	for _, i := range order {
		c := &e.Classes[i]
		taken, most := "", 0
		for j, n := range e.Confusion[i] {
			if j != i && n > most {
				taken, most = fmt.Sprintf("%s (%d, %s)", l.Values[j], n, share(n, c.N)), n
			}
		}
		rows = append(rows, []report.Cell{l.Name, c.Value, c.N, c.Precision, c.Recall, c.F1, taken})
	}
	return rows
}
