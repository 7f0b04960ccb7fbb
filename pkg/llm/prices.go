package llm

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// Price is what tokens cost, in pico-dollars a token (10^-12 US dollars): a price of 1 US dollar for a million tokens is
// 1,000,000. Integers, so that every machine computes the same cost.
type Price struct {
	In, Out int64
	// Cached is the price of prompt tokens that the endpoint had cached. Not known: they count as In.
	Cached Count
}

// Cost gives what the tokens of one reply cost, in nano-dollars, rounded to the nearest: unknown where the tokens are.
// Cached tokens that the endpoint does not tell are none.
func (p Price) Cost(u Usage) Count {
	if !u.In.Known || !u.Out.Known {
		return Count{}
	}
	in, cached := u.In.N, int64(0)
	if p.Cached.Known && u.Cached.Known {
		cached = min(max(u.Cached.N, 0), in)
	}
	return Count{N: p.nano(in-cached, cached, u.Out.N), Known: true}
}

// Estimate gives the highest cost of so many tokens, in nano-dollars: none of them cached.
func (p Price) Estimate(in, out int64) int64 { return p.nano(in, 0, out) }

func (p Price) nano(in, cached, out int64) int64 {
	return (in*p.In + cached*p.Cached.N + out*p.Out + 500) / 1000
}

// Prices is a dated list of prices. The zero value knows none. Make one with [ParsePrices].
type Prices struct {
	// AsOf is the day the list is from, such as 2026-11-29.
	AsOf   string
	models map[string]map[string]Price // by provider and model
}

// AnyProvider is the section of a price list that holds for every endpoint.
const AnyProvider = "any"

type priceFile struct {
	AsOf      string                  `yaml:"as_of"`
	Providers map[string]priceSection `yaml:"providers"`
}

type priceSection struct {
	Source string               `yaml:"source"`
	Models map[string]priceLine `yaml:"models"`
}

type priceLine struct {
	In     *decimal `yaml:"in"`
	Cached *decimal `yaml:"cached_in"`
	Out    *decimal `yaml:"out"`
}

// decimal is an amount of US dollars for a million tokens, read digit by digit into pico-dollars a token.
type decimal int64

var decimalForm = lazyregexp.New(`^([0-9]{1,6})(?:\.([0-9]{1,6}))?$`)

// UnmarshalYAML reads a plain decimal number.
func (d *decimal) UnmarshalYAML(n *yaml.Node) error {
	m := decimalForm.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || m == nil {
		return fmt.Errorf("line %d: price %q is not allowed; allowed are US dollars for a million tokens, at most six places after the point", n.Line, n.Value)
	}
	for _, digit := range m[1] + (m[2] + "000000")[:6] {
		*d = *d*10 + decimal(digit-'0')
	}
	return nil
}

// ParsePrices reads a price list in YAML (configs/prices.yaml shows the form). Name is the file's, for errors. Unknown
// members, prices that are none and models without a price are errors.
func ParsePrices(data []byte, name string) (*Prices, error) {
	var f priceFile
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading prices of %s: %w", name, err)
	}
	out := &Prices{AsOf: f.AsOf, models: map[string]map[string]Price{}}
	for _, provider := range slices.Sorted(maps.Keys(f.Providers)) {
		if provider != AnyProvider && !knownProvider(provider) {
			return nil, fmt.Errorf("reading prices of %s: provider %q is not known; known are %s and %s",
				name, provider, strings.Join(Providers(), ", "), AnyProvider)
		}
		out.models[provider] = map[string]Price{}
		for _, model := range slices.Sorted(maps.Keys(f.Providers[provider].Models)) {
			line := f.Providers[provider].Models[model]
			if line.In == nil || line.Out == nil {
				return nil, fmt.Errorf("reading prices of %s: %s model %q: both in and out are needed", name, provider, model)
			}
			p := Price{In: int64(*line.In), Out: int64(*line.Out)}
			if line.Cached != nil {
				p.Cached = Count{N: int64(*line.Cached), Known: true}
			}
			out.models[provider][model] = p
		}
	}
	return out, nil
}

// Over gives a list in which the prices of p replace those of base.
func (p *Prices) Over(base *Prices) *Prices {
	out := &Prices{AsOf: base.AsOf, models: map[string]map[string]Price{}}
	if p.AsOf != "" {
		out.AsOf = p.AsOf
	}
	for _, from := range []*Prices{base, p} {
		for provider, models := range from.models {
			if out.models[provider] == nil {
				out.models[provider] = map[string]Price{}
			}
			maps.Copy(out.models[provider], models)
		}
	}
	return out
}

// versionForm is what may follow a listed name. A short number may not: claude-sonnet-5-9 is no version of claude-sonnet-5.
var versionForm = lazyregexp.New(`^[-@](latest|v[0-9]+|[0-9]{3,4}|[0-9]{6}|[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}-[0-9]{4}|[0-9]{2}-[0-9]{2})$`)

// Find gives the price of a model at a provider (the name in front of the colon, or empty): of that name, else of the
// longest listed name that it continues with a date or version. False: not known.
func (p *Prices) Find(provider, model string) (Price, bool) {
	if p == nil {
		return Price{}, false
	}
	for _, section := range []string{provider, AnyProvider} {
		models := p.models[section]
		if price, ok := models[model]; ok {
			return price, true
		}
		best := ""
		for name := range models {
			if rest, ok := strings.CutPrefix(model, name); ok && versionForm.MatchString(rest) && len(name) > len(best) {
				best = name
			}
		}
		if best != "" {
			return models[best], true
		}
	}
	return Price{}, false
}

// EstimateTokens is a careful guess at the tokens of so many bytes of a request, a third of them: more than most tokenizers
// make of English text, so that a limit errs on the safe side.
func EstimateTokens(bytes int64) int64 { return (min(bytes, math.MaxInt32) + 2) / 3 }
