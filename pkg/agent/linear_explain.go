package agent

import (
	"context"
	"strconv"

	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/triage"
)

// Explanation is why the linear agent gives an answer to one label.
type Explanation struct {
	// Label is the label's name, Answer what is answered and Second what would have come next; it is empty where no other value can be.
	Label, Answer, Second string
	// Confidence and SecondConfidence are the probabilities that the model gives them, 0..1.
	Confidence, SecondConfidence float64
	// Words are what spoke for the answer (weight above 0) or for the second (below 0), the heaviest first: words as the ticket has
	// them, in lower case, and fields. The weights are parts of the logarithm of the odds of one against the other.
	Words []linear.Contribution
	// Rule says where an answer does not come from words, as the urgency of spam; it is empty elsewhere.
	Rule string
}

// Explain says what the linear agent with this model answers to a ticket, and by which words. A desk ticket has the labels category
// and points, from which the rest follows by the handbook's arithmetic.
func (m *LinearModel) Explain(o triage.Observation) ([]Explanation, error) {
	switch {
	case o.Dataset != nil && !m.About.Bank:
		return m.explainOwn(o)
	case !m.About.Bank:
		return nil, modelError("the model was trained on imported tickets: it cannot explain the tasks of the bank")
	case o.Desk != nil:
		return m.explainDesk(LinearFeatures(o))
	case o.Queue != nil:
		return m.explainQueue(LinearFeatures(o))
	case o.Dataset != nil:
		return m.explainQueue(linear.Example{Texts: texts(o.Dataset.Subject, o.Dataset.Body)})
	}
	return nil, nil
}

func (m *LinearModel) explainOwn(o triage.Observation) ([]Explanation, error) {
	x, answers := LinearFeatures(o), m.own(o)
	var out []Explanation
	for _, name := range sortedKeys(answers) {
		a := answers[name]
		e, err := m.explain(x, a.model, name, a.probabilities, a.first, a.second)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// explain explains the value at place first against that at second, or -1.
func (m *LinearModel) explain(x linear.Example, model *linear.Model, label string, p []float64, first, second int) (Explanation, error) {
	values := model.Values()
	e := Explanation{Label: label, Answer: values[first], Confidence: p[first]}
	if second < 0 {
		e.Rule = "it knows no other value"
		return e, nil
	}
	e.Second, e.SecondConfidence = values[second], p[second]
	list, err := m.Bundle.Explain(model, x, first, second)
	e.Words = linear.ByWord(list)
	return e, err
}

func (m *LinearModel) explainQueue(x linear.Example) ([]Explanation, error) {
	var out []Explanation
	spam := false
	for _, label := range []string{bankRoute, bankUrgency, bankDifficulty} {
		if spam {
			out = append(out, Explanation{Label: label, Answer: linearBankValues(label)[0], Confidence: out[0].Confidence, Rule: "spam has no other"})
			continue
		}
		model, err := m.Bundle.Model(label)
		if err != nil {
			return nil, err
		}
		p := model.Probabilities(m.Bundle.Vector(x))
		first := decide(p, label != bankRoute)
		e, err := m.explain(x, model, label, p, first, likeliest(p, func(i int) bool { return i != first }))
		if err != nil {
			return nil, err
		}
		spam = e.Answer == string(triage.Spam)
		out = append(out, e)
	}
	return out, nil
}

// explainDesk explains the category by the likeliest kinds of the two likeliest categories, and the points by those within it.
func (m *LinearModel) explainDesk(x linear.Example) ([]Explanation, error) {
	model, err := m.Bundle.Model(bankKind)
	if err != nil {
		return nil, err
	}
	p := model.Probabilities(m.Bundle.Vector(x))
	kinds := deskKinds()
	categories := (&deskBelief{p}).categories()
	first := decide(categories, false)
	second := likeliest(categories, func(i int) bool { return i != first })
	in := func(c int) func(i int) bool {
		return func(i int) bool { return kinds[i].category == triage.Categories()[c] }
	}
	best, other := likeliest(p, in(first)), likeliest(p, in(second))
	category, err := m.explain(x, model, triage.FieldCategory, p, best, other)
	if err != nil {
		return nil, err
	}
	category.Answer, category.Second = string(kinds[best].category), string(kinds[other].category)
	category.Confidence, category.SecondConfidence = categories[first], categories[second]
	next := likeliest(p, func(i int) bool { return in(first)(i) && i != best })
	points, err := m.explain(x, model, "points", p, best, next)
	if err != nil {
		return nil, err
	}
	points.Answer, points.Second = strconv.Itoa(kinds[best].points), strconv.Itoa(kinds[next].points)
	// They are points of this category: the probabilities are those given that it is right.
	points.Confidence, points.SecondConfidence = p[best]/categories[first], p[next]/categories[first]
	return []Explanation{category, points}, nil
}

// likeliest gives the place with the highest probability among those that may be, or -1.
func likeliest(p []float64, may func(i int) bool) int {
	best := -1
	for i := range p {
		if may(i) && (best < 0 || p[i] > p[best]) {
			best = i
		}
	}
	return best
}

// Answer gives what the linear agent answers.
func (m *LinearModel) Answer(ctx context.Context, o triage.Observation) (triage.Action, error) {
	l, err := NewLinear(m)
	if err != nil {
		return triage.Action{}, err
	}
	return l.Act(ctx, o)
}
