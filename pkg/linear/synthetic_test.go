package linear_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/linear"
)

// subjects are words that decide, fillers words that do not.
var (
	subjects = [][]string{{"invoice", "refund", "charged"}, {"crash", "error", "freezes"}, {"idea", "wish", "feature"}}
	fillers  = strings.Fields("please the a my I we since yesterday again could you help with this account today thanks hello team")
)

// synthetic are n examples of the three routes with a share of labels drawn anew, and of an urgency that only a field tells.
func synthetic(n int, noise float64, seed uint64) ([]linear.Example, linear.Labels, linear.Labels) {
	r := rand.New(rand.NewPCG(seed, 9))
	route := linear.Labels{Name: "route", Values: []string{"billing", "technical", "feature"}}
	urgency := linear.Labels{Name: "urgency", Values: []string{"low", "medium", "high", "critical"}, Ordered: true}
	var examples []linear.Example
	for range n {
		of, urgent := r.IntN(3), r.IntN(4)
		var words []string
		for range 6 {
			words = append(words, fillers[r.IntN(len(fillers))])
		}
		words = append(words, subjects[of][r.IntN(3)])
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		if r.Float64() < noise {
			of = r.IntN(3)
		}
		examples = append(examples, linear.Example{
			Texts:  []linear.Text{{Name: "subject", Text: words[0]}, {Name: "body", Text: strings.Join(words[1:], " ")}},
			Fields: []string{fmt.Sprint("impact=", urgent), "channel=email"},
		})
		route.Of, urgency.Of = append(route.Of, of), append(urgency.Of, urgent)
	}
	return examples, route, urgency
}

func trained(t testing.TB, examples []linear.Example, o linear.Options, columns ...linear.Labels) (*linear.Bundle, linear.Report) {
	t.Helper()
	b, report, err := linear.Train(context.Background(), examples, columns, o)
	if err != nil {
		t.Fatal(err)
	}
	return b, report
}

func model(t testing.TB, b *linear.Bundle, name string) *linear.Model {
	t.Helper()
	m, err := b.Model(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// answer is the value that a model answers, and its probabilities.
func answer(b *linear.Bundle, m *linear.Model, e linear.Example) (string, []float64) {
	p := m.Probabilities(b.Vector(e))
	return m.Values()[m.Decide(p)], p
}

func body(text string) linear.Example {
	return linear.Example{Texts: []linear.Text{{Name: "body", Text: text}}}
}
