package fakellm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// script reads the whole script.
func (r *reader) script(n *yaml.Node, s *Script) {
	var byModel *yaml.Node
	keys := []key{
		{"key", func(n *yaml.Node) { s.key = r.text(n, "key") }},
		{"models", func(n *yaml.Node) { s.models = r.texts(n, "models") }},
		{"by_model", func(n *yaml.Node) { byModel = n }},
		{"seed", func(n *yaml.Node) { s.seed = r.integer(n, "seed", 0) }},
		{"max_in_flight", func(n *yaml.Node) { s.maxInFlight = int(r.integer(n, "max_in_flight", 1)) }},
		{"faults", func(n *yaml.Node) { s.faults = r.faults(n) }},
	}
	r.object(n, "a script", append(keys, r.behaviour(&s.behaviour)...))
	if byModel == nil {
		return
	}
	s.byModel = map[string]*behaviour{}
	r.pairs(byModel, "by_model", func(name string, value *yaml.Node) {
		b := s.behaviour // what it does not say is as for all models
		s.byModel[name] = &b
		r.object(value, "by_model: "+name, r.behaviour(&b))
	})
}

// behaviour gives the keys that can also stand under a model.
func (r *reader) behaviour(b *behaviour) []key {
	return []key{
		{"answers", func(n *yaml.Node) { b.answers = r.answers(n) }},
		{"fallback", func(n *yaml.Node) { b.fallback, b.hasFallback = r.text(n, "fallback"), true }},
		{"noise", func(n *yaml.Node) { b.noise = r.noise(n) }},
		{"values", func(n *yaml.Node) { b.values = r.values(n) }},
		{"form", func(n *yaml.Node) { b.forms = r.forms(n) }},
		{"usage", func(n *yaml.Node) { b.usage = r.oneOf(n, "usage", usages()) }},
		{"bom", func(n *yaml.Node) { b.bom = r.truth(n, "bom") }},
		{"vary", func(n *yaml.Node) { b.repeat = r.oneOf(n, "vary", []string{"request", "repeat"}) == "repeat" }},
		{"vary_by_in_flight", func(n *yaml.Node) { b.varyInFlight = r.truth(n, "vary_by_in_flight") }},
		{"fingerprint", func(n *yaml.Node) { b.fingerprint = r.text(n, "fingerprint") }},
		{"latency", func(n *yaml.Node) { b.latency = r.span(n, "latency") }},
		{"quirks", func(n *yaml.Node) {
			b.quirks, b.quirkHas = r.texts(n, "quirks"), map[string]bool{}
			for i, q := range b.quirks {
				r.known(n.Content[i], "quirk", q, Quirks())
				b.quirkHas[q] = true
			}
		}},
	}
}

func (r *reader) known(n *yaml.Node, what, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		r.fail(n, "unknown %s %q: allowed are %s", what, value, strings.Join(allowed, ", "))
	}
}

func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, "%s is a text, not %s", what, kindOf(n))
	}
	return n.Value
}

func (r *reader) texts(n *yaml.Node, what string) []string {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s is a list, not %s", what, kindOf(n))
		return nil
	}
	out := make([]string, len(n.Content))
	for i, e := range n.Content {
		out[i] = r.text(deref(e), "an element of "+what)
	}
	return out
}

func (r *reader) oneOf(n *yaml.Node, what string, allowed []string) string {
	if n.Tag == "!!null" && slices.Contains(allowed, n.Value) { // the word null
		return n.Value
	}
	v := r.text(n, what)
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		r.known(n, what, v, allowed)
	}
	return v
}

func (r *reader) truth(n *yaml.Node, what string) bool {
	if n.Tag != "!!bool" {
		r.fail(n, "%s is true or false, not %s", what, kindOf(n))
	}
	return n.Value == "true"
}

func (r *reader) integer(n *yaml.Node, what string, low int64) int64 {
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil || v < low {
		r.fail(n, "%s is an integer of %d and more, not %s", what, low, kindOf(n))
	}
	return v
}

func (r *reader) share(n *yaml.Node, what string, most float64) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(v >= 0 && v <= most) {
		r.fail(n, "%s is a number from 0 to %v, not %s", what, most, kindOf(n))
		return 0
	}
	return v
}

func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
		r.fail(n, "%s is a duration such as 200ms or 3s, not %s", what, kindOf(n))
	}
	return d
}

// span reads "200ms" or "100ms..300ms".
func (r *reader) span(n *yaml.Node, what string) span {
	low, high, two := strings.Cut(n.Value, "..")
	if !two {
		d := r.duration(n, what)
		return span{d, d}
	}
	a, err := time.ParseDuration(low)
	b, err2 := time.ParseDuration(high)
	if n.Kind != yaml.ScalarNode || err != nil || err2 != nil || a < 0 || b < a {
		r.fail(n, "%s is a duration or two such as 100ms..300ms, not %s", what, kindOf(n))
	}
	return span{a, b}
}

// answers reads "right", "fixed: TEXT" or a list of texts.
func (r *reader) answers(n *yaml.Node) []string {
	switch n.Kind {
	case yaml.SequenceNode:
		out := r.texts(n, "answers")
		if len(out) == 0 {
			r.fail(n, "the list of answers is empty")
		}
		return out
	case yaml.MappingNode:
		var fixed *string
		r.object(n, "answers", []key{{"fixed", func(n *yaml.Node) { v := r.text(n, "fixed"); fixed = &v }}})
		if fixed != nil {
			return []string{*fixed}
		}
		return nil
	}
	r.oneOf(n, "answers", []string{"right"})
	return nil
}

func (r *reader) noise(n *yaml.Node) []rate {
	var out []rate
	r.pairs(n, "noise", func(name string, value *yaml.Node) {
		out = append(out, rate{name, r.share(value, "noise of "+name, 1)})
	})
	return out
}

func (r *reader) values(n *yaml.Node) map[string][]string {
	out := map[string][]string{}
	r.pairs(n, "values", func(name string, value *yaml.Node) {
		if value.Kind != yaml.SequenceNode || len(value.Content) < 2 {
			r.fail(value, "values of %s are a list of two and more, not %s", name, kindOf(value))
			return
		}
		for _, e := range value.Content {
			var v any
			if err := e.Decode(&v); err != nil {
				r.yaml(err)
				continue
			}
			data, err := json.Marshal(v)
			if err != nil {
				r.fail(e, "a value of %s cannot be told in JSON: %v", name, err)
			}
			out[name] = append(out[name], string(data))
		}
	})
	return out
}

// forms reads one form, or a mix: form to weight.
func (r *reader) forms(n *yaml.Node) []weight {
	if n.Kind != yaml.MappingNode {
		return []weight{{r.oneOf(n, "form", Forms()), 1}}
	}
	var out []weight
	sum := 0.0
	r.pairs(n, "form", func(name string, value *yaml.Node) {
		r.known(value, "form", name, Forms())
		w := weight{name, r.share(value, "weight of "+name, 1e6)}
		sum += w.share
		out = append(out, w)
	})
	if sum == 0 {
		r.fail(n, "the weights of the forms are all 0")
		return nil
	}
	slices.SortFunc(out, func(a, b weight) int { return cmp.Compare(a.form, b.form) })
	for i := range out {
		out[i].share /= sum
	}
	return out
}
