package linear_test

import (
	"math"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/linear"
)

func TestContributionsAddUpToTheLogOdds(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(300, 0.1, 1)
	b, _ := trained(t, examples, linear.Options{}, route, urgency)
	fresh, _, _ := synthetic(30, 0, 2)
	fresh = append(fresh, body(""), body("crash crash; crashed refund"))
	for _, m := range b.Models() {
		for _, e := range fresh {
			p := m.Probabilities(b.Vector(e))
			list, err := b.Explain(m, e, 0, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, some := range [][]linear.Contribution{list, linear.ByWord(list)} {
				sum := 0.0
				for i, c := range some {
					sum += c.Weight
					if i > 0 && math.Abs(c.Weight) > math.Abs(some[i-1].Weight) {
						t.Fatalf("%+v after %+v", c, some[i-1])
					}
				}
				if want := math.Log(p[0] / p[2]); math.Abs(sum-want) > 1e-9 {
					t.Fatalf("%s of %v: sum %v, log odds %v", m.Name(), e, sum, want)
				}
			}
		}
	}
}

func TestTheWordThatDecidesComesFirst(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(600, 0, 1)
	b, _ := trained(t, examples, linear.Options{}, route, urgency)
	e := linear.Example{Texts: []linear.Text{{Name: "subject", Text: "hello"}, {Name: "body", Text: "Please help, the app FREEZES!"}}, Fields: []string{"impact=3"}}
	list, err := b.Explain(model(t, b, "route"), e, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if first := linear.ByWord(list)[0]; first.Words != "freezes" || first.Name != "body" || first.Kind != "word" || first.Weight <= 0 {
		t.Errorf("%+v", first)
	}
	for _, c := range list {
		if c.Kind == "char" && c.Words == "freezes" && !strings.Contains(" freezes! ", c.Text) {
			t.Errorf("%+v", c)
		}
	}
	list, err = b.Explain(model(t, b, "urgency"), e, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if first := list[0]; first.Kind != "field" || first.Text != "impact=3" || first.Weight <= 0 {
		t.Errorf("%+v", first)
	}
}

func TestWhatCannotBeExplainedIsNamed(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(100, 0, 1)
	route.Values = append(route.Values, "nobody")
	b, _ := trained(t, examples, linear.Options{}, route)
	other, _ := trained(t, examples, linear.Options{}, urgency)
	m := b.Models()[0]
	for name, c := range map[string]struct {
		model          *linear.Model
		class, against int
		want           string
	}{
		"too high":       {m, 4, 0, `explaining labels "route": value 4 is none of the 4, or no example had it`},
		"below 0":        {m, 0, -1, `explaining labels "route": value -1 is none of the 4, or no example had it`},
		"never seen":     {m, 3, 0, `explaining labels "route": value 3 is none of the 4, or no example had it`},
		"itself":         {m, 1, 1, `explaining labels "route": value 1 against itself`},
		"another bundle": {other.Models()[0], 1, 0, `explaining labels "urgency": the model is of another bundle`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := b.Explain(c.model, examples[0], c.class, c.against); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
