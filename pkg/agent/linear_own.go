package agent

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/triage"
)

// OwnColumn is a label column of imported tickets that is learned.
type OwnColumn struct {
	Name    string
	Values  []string
	Ordered bool // Values ascend in seriousness
}

// LinearOwnSet collects n imported tickets with their labels, as an agent sees them. ticket gives the i-th one. A ticket without a
// label of a column is left out of that column. Tickets with the same text, but for case and space, are a group. progress, if any, is
// told how many tickets are there of how many.
func LinearOwnSet(ctx context.Context, n int, columns []OwnColumn, ticket func(i int) (triage.Case, error), progress func(done, total int)) (*LinearSet, error) {
	s := &LinearSet{}
	for _, c := range columns {
		s.Labels = append(s.Labels, linear.Labels{Name: c.Name, Values: c.Values, Ordered: c.Ordered})
	}
	for i := range n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c, err := ticket(i)
		if err != nil {
			return nil, err
		}
		t := &c.Ticket
		x := LinearFeatures(triage.Observation{Dataset: &triage.DatasetObservation{Subject: t.Subject, Body: t.Body, Fields: t.Fields}})
		digest := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(t.Subject+" "+t.Body), " "))))
		x.Group = string(digest[:8])
		s.Examples = append(s.Examples, x)
		for j := range s.Labels {
			l := &s.Labels[j]
			place := linear.NoLabel
			if v, ok := c.Truth.Labels[l.Name]; ok {
				place = slices.Index(l.Values, v) // -1 is NoLabel
			}
			l.Of = append(l.Of, place)
		}
		if progress != nil {
			progress(i+1, n)
		}
	}
	return s, nil
}

// TrainLinearOwn trains a model for imported tickets. Equal sets and options give equal models, whatever the number of workers.
func TrainLinearOwn(ctx context.Context, s *LinearSet, about LinearAbout, opt linear.Options) (*LinearModel, linear.Report, error) {
	b, report, err := linear.Train(ctx, s.Examples, s.Labels, opt)
	if err != nil {
		return nil, report, err
	}
	about.Bank, about.Tickets = false, len(s.Examples)
	return &LinearModel{Bundle: b, About: about}, report, nil
}

// Fit compares what a model of imported tickets knows with the label columns that are to be played: warnings name columns and values
// that only one side has. It is an error that the user can mend ([triage.CodeUsage]) if they have no column, or in no column a value,
// in common. columns gives the values of each column.
func (m *LinearModel) Fit(columns map[string][]string) (warnings []string, err error) {
	if m.About.Bank {
		return nil, nil
	}
	played := sortedKeys(columns)
	var learned []string
	common := 0
	for _, model := range m.Bundle.Models() {
		name := model.Name()
		learned = append(learned, name)
		values, ok := columns[name]
		if !ok {
			continue
		}
		known := seenValues(model)
		both := slices.DeleteFunc(slices.Clone(known), func(v string) bool { return !slices.Contains(values, v) })
		if len(both) == 0 {
			warnings = append(warnings, "label "+name+": the model knows none of the values, so it answers nothing: it knows "+listWords(known)+"; the file has "+listWords(values))
			continue
		}
		common++
		warnings = append(warnings, differences(name, known, values)...)
	}
	if common == 0 {
		return nil, modelError("the model was trained for other labels: it knows %s; the tickets have %s", listWords(learned), listWords(played))
	}
	for _, name := range played {
		if !slices.Contains(learned, name) {
			warnings = append(warnings, "label "+name+" is unknown to the model, so it answers nothing: it knows "+listWords(learned))
		}
	}
	return warnings, nil
}

// differences names the values of a label that only the model or only the file has.
func differences(name string, known, values []string) []string {
	var out []string
	only := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return slices.Contains(b, v) })
	}
	if list := only(values, known); len(list) > 0 {
		out = append(out, "label "+name+": the model never saw "+listWords(list)+", so it never answers that")
	}
	if list := only(known, values); len(list) > 0 {
		out = append(out, "label "+name+": the tickets do not allow "+listWords(list)+", which the model knows")
	}
	return out
}

// seenValues are the values that a model was trained on and so can answer.
func seenValues(m *linear.Model) []string {
	var out []string
	for i, v := range m.Values() {
		if m.Seen()[i] > 0 {
			out = append(out, v)
		}
	}
	return out
}

// listWords lists names for a message, the first ones where there are many.
func listWords(list []string) string {
	const most = 8
	if len(list) > most {
		return strings.Join(list[:most], ", ") + " …"
	}
	return strings.Join(list, ", ")
}
