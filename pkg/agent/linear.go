package agent

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/triage"
)

// Linear is a text classifier that was trained on solved tickets: n-grams of words and characters and the metadata, a weight each.
// It knows no rules but the handbook's arithmetic, no word lists but the names of things that a recommendation is about, and not
// what a sentence means. Ordered labels are answered by the highest expected credit, not by the likeliest value. What it decided
// by, [LinearModel.Explain] tells.
type Linear struct {
	model *LinearModel
	nouns *Keyword // reads what a recommendation is about
}

var _ triage.Agent = (*Linear)(nil)

// EmbeddedLinear is the model of the bank that the program has; it is decoded when it is first asked for.
var EmbeddedLinear = sync.OnceValues(func() (*LinearModel, error) { return decodeLinear(baselines.Files) })

// decodeLinear reads the model that lies in baselines/linear: base64 in lines, over several files in the order of their names.
func decodeLinear(files fs.FS) (*LinearModel, error) {
	names, err := fs.Glob(files, "linear/weights-*.txt")
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	var text strings.Builder
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("linear: %w", err)
		}
		text.Write(data)
	}
	m, err := ReadLinear(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text.String())))
	if err != nil {
		return nil, fmt.Errorf("linear: the embedded model: %w", err)
	}
	return m, nil
}

func newLinear() (triage.Agent, error) {
	m, err := EmbeddedLinear()
	if err != nil {
		return nil, err
	}
	return NewLinear(m)
}

// NewLinear makes the agent of a model. One of the bank plays the bank's tasks, and of imported tickets the columns whose values are
// words of the bank; any other plays imported tickets only.
func NewLinear(m *LinearModel) (*Linear, error) {
	k, err := newKeyword()
	if err != nil {
		return nil, err
	}
	return &Linear{model: m, nouns: k.(*Keyword)}, nil
}

// Act answers one ticket.
func (l *Linear) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	bank := l.model.About.Bank
	switch {
	case o.Dataset != nil && !bank:
		return l.model.own(o).action(), nil
	case !bank:
		return triage.Action{}, &triage.Error{Code: triage.CodeUsage, Message: "the model was trained on imported tickets: it cannot play the tasks of the bank"}
	case o.Queue != nil:
		return l.queue(o)
	case o.Desk != nil:
		return l.desk(o)
	case o.Dataset != nil:
		guess, err := l.guess(o)
		return triage.Action{Track: triage.Dataset, Labels: guess}, err
	}
	return triage.Action{}, nil
}

// beliefs are the probabilities that a model of the bank gives to the values of some labels.
func (m *LinearModel) beliefs(x linear.Example, labels ...string) ([][]float64, error) {
	v := m.Bundle.Vector(x)
	out := make([][]float64, len(labels))
	for i, name := range labels {
		model, err := m.Bundle.Model(name)
		if err != nil {
			return nil, err
		}
		out[i] = model.Probabilities(v)
	}
	return out, nil
}

func (l *Linear) queue(o triage.Observation) (triage.Action, error) {
	if o.Queue.Ticket == nil {
		return triage.Action{Track: triage.Queue}, nil
	}
	p, err := l.model.beliefs(LinearFeatures(o), bankRoute, bankUrgency, bankDifficulty)
	if err != nil {
		return triage.Action{}, err
	}
	b, m := queueBelief{p[0], p[1], p[2]}, &o.Queue.Ticket.Metadata
	a := b.act(m)
	return triage.Action{Track: triage.Queue, Queue: a, Confidence: b.sure(&a, m)}, nil
}

func (l *Linear) desk(o triage.Observation) (triage.Action, error) {
	p, err := l.model.beliefs(LinearFeatures(o), bankKind)
	if err != nil {
		return triage.Action{}, err
	}
	b := deskBelief{p[0]}
	a := b.act(o.Desk)
	l.nouns.count(o.Desk.IssueText, "")
	a.Recommendation = recommendation(a.Category, join(l.nouns.nouns()))
	return triage.Action{Track: triage.Desk, Desk: a, Confidence: b.sure(&a, o.Desk)}, nil
}

// guess answers imported tickets with a model of the bank, as the rules do.
func (l *Linear) guess(o triage.Observation) (map[string]string, error) {
	p, err := l.model.beliefs(linear.Example{Texts: texts(o.Dataset.Subject, o.Dataset.Body)}, bankRoute, bankUrgency, bankDifficulty, bankKind)
	if err != nil {
		return nil, err
	}
	q := queueBelief{p[0], p[1], p[2]}
	queue := q.act(&triage.Metadata{})
	d := deskBelief{p[3]}
	desk := d.act(&triage.DeskObservation{})
	return matchColumns(o.Dataset.Labels, []string{string(queue.Route), string(queue.Urgency), string(queue.Difficulty), string(desk.Category),
		string(desk.Priority), string(desk.Department)}), nil
}

// ownAnswers are a model's answers to an imported ticket, by column.
type ownAnswers map[string]ownAnswer

// ownAnswer is the value that is answered, how probable it is, 0..1, and the one that would have come second; second is -1 where no
// other is allowed. The values are given as places in the model's.
type ownAnswer struct {
	model         *linear.Model
	first, second int
	probabilities []float64
}

// own answers the columns that the model knows with values that the ticket allows.
func (m *LinearModel) own(o triage.Observation) ownAnswers {
	v := m.Bundle.Vector(LinearFeatures(o))
	out := ownAnswers{}
	for _, model := range m.Bundle.Models() {
		if allowed, ok := o.Dataset.Labels[model.Name()]; ok {
			if a, ok := answerAmong(model, model.Probabilities(v), allowed); ok {
				out[model.Name()] = a
			}
		}
	}
	return out
}

// answerAmong chooses among the allowed values, as if no other existed; ok is false where the model knows none of them.
func answerAmong(model *linear.Model, p []float64, allowed []string) (ownAnswer, bool) {
	var may []int
	sum := 0.0
	for i, value := range model.Values() {
		if !slices.Contains(allowed, value) || model.Seen()[i] == 0 {
			p[i] = 0
			continue
		}
		may = append(may, i)
		sum += p[i]
	}
	if len(may) == 0 || sum <= 0 {
		return ownAnswer{}, false
	}
	for i := range p {
		p[i] /= sum
	}
	// The least expected distance on a scale, the likeliest elsewhere.
	credit := exactCredit
	if model.Ordered() {
		credit = func(answer, truth int) float64 { return float64(len(p) - distance(answer, truth)) }
	}
	a := ownAnswer{model: model, probabilities: p, first: surest(may, places(len(p)), p, credit), second: -1}
	for _, i := range may {
		if i != a.first && (a.second < 0 || p[i] > p[a.second]) {
			a.second = i
		}
	}
	return a, true
}

func (a ownAnswers) action() triage.Action {
	out := triage.Action{Track: triage.Dataset, Labels: map[string]string{}, Confidence: a.sure()}
	for _, name := range sortedKeys(a) {
		out.Labels[name] = a[name].model.Values()[a[name].first]
	}
	return out
}
