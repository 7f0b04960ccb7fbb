package llm_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/configs"
	"github.com/triagebench/triage/pkg/llm"
)

func known(n int64) llm.Count { return llm.Count{N: n, Known: true} }

func builtIn(t *testing.T) *llm.Prices {
	t.Helper()
	p, err := llm.ParsePrices(configs.Prices, "prices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lesson E96
func TestCostsAreIntegers(t *testing.T) {
	t.Parallel()
	p, ok := builtIn(t).Find("openai", "gpt-4.1-mini")
	if diff := cmp.Diff(llm.Price{In: 400_000, Out: 1_600_000, Cached: known(100_000)}, p); diff != "" || !ok {
		t.Error(diff)
	}
	for name, c := range map[string]struct {
		price llm.Price
		usage llm.Usage
		want  llm.Count
	}{
		"one million of each":          {p, llm.Usage{In: known(1_000_000), Out: known(1_000_000), Cached: known(0)}, known(2_000_000_000)},
		"cached":                       {p, llm.Usage{In: known(1000), Out: known(0), Cached: known(400)}, known(600*400 + 400*100)},
		"cached, not told":             {p, llm.Usage{In: known(1000), Out: known(0)}, known(400_000)},
		"cached, price not known":      {llm.Price{In: 400_000}, llm.Usage{In: known(1000), Out: known(0), Cached: known(400)}, known(400_000)},
		"more cached than there are":   {p, llm.Usage{In: known(10), Out: known(0), Cached: known(400)}, known(1000)},
		"part of a nano-dollar":        {llm.Price{In: 18_750}, llm.Usage{In: known(3), Out: known(0)}, known(56)},
		"tokens unknown, lesson E94":   {p, llm.Usage{In: known(1000)}, llm.Count{}},
		"nothing known":                {p, llm.Usage{}, llm.Count{}},
		"reasoning is part of the out": {p, llm.Usage{In: known(0), Out: known(50), Reasoning: known(40)}, known(80_000)},
	} {
		if diff := cmp.Diff(c.want, c.price.Cost(c.usage)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPricesAreFoundByNameAndVersion(t *testing.T) {
	t.Parallel()
	p := builtIn(t)
	for model, want := range map[string]string{
		"openai gpt-4.1-mini":                  "400000",
		"openai gpt-4.1-mini-2025-04-14":       "400000",
		"openai gpt-4.1-2025-04-14":            "2000000",
		"openai gpt-4o-2024-05-13":             "5000000",
		"openai gpt-4o-2024-08-06":             "2500000",
		"openai gpt-4.1-mini-fine-tuned":       "none",
		"openai gpt-4.1-huge":                  "none",
		"openai gpt-5-7":                       "none",
		"openai GPT-4.1-MINI":                  "none",
		"anthropic claude-haiku-4-5-20251001":  "1000000",
		"anthropic claude-sonnet-5-9":          "none",
		"anthropic claude-sonnet-4-6-latest":   "3000000",
		"openrouter gpt-4.1-mini":              "none",
		" gpt-4.1-mini":                        "none",
		"ollama qwen3:8b":                      "none",
		"groq openai/gpt-oss-20b":              "75000",
		"gemini gemini-2.5-pro-preview-05-06x": "none",
	} {
		provider, name, _ := strings.Cut(model, " ")
		got := "none"
		if price, ok := p.Find(provider, name); ok {
			got = itoa(price.In)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
	var none *llm.Prices
	if _, ok := none.Find("openai", "gpt-5"); ok {
		t.Error("no list has a price")
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestOwnPricesReplaceSingleModels(t *testing.T) {
	t.Parallel()
	own, err := llm.ParsePrices([]byte("as_of: 2027-01-01\nproviders:\n  openai: {models: {gpt-5: {in: 9, out: 10}}}\n  any: {models: {mine: {in: 0, out: 0}}}\n"), "own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := own.Over(builtIn(t))
	five, _ := p.Find("openai", "gpt-5")
	mini, _ := p.Find("openai", "gpt-5-mini")
	mine, ok := p.Find("ollama", "mine")
	got := []any{p.AsOf, five.In, five.Cached.Known, mini.In, mine.In, ok}
	if diff := cmp.Diff([]any{"2027-01-01", int64(9_000_000), false, int64(250_000), int64(0), true}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPriceListThatIsWrongSaysWhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no number":        {"providers: {openai: {models: {m: {in: cheap, out: 1}}}}", `line 1: price "cheap" is not allowed`},
		"negative":         {"providers: {openai: {models: {m: {in: -1, out: 1}}}}", `price "-1" is not allowed`},
		"too fine":         {"providers: {openai: {models: {m: {in: 0.0000001, out: 1}}}}", `price "0.0000001" is not allowed`},
		"scientific":       {"providers: {openai: {models: {m: {in: 1e-3, out: 1}}}}", `price "1e-3" is not allowed`},
		"no out":           {"providers: {openai: {models: {m: {in: 1}}}}", `openai model "m": both in and out are needed`},
		"unknown member":   {"providers: {openai: {models: {m: {input: 1, out: 1}}}}", "field input not found"},
		"unknown provider": {"providers: {opneai: {models: {}}}", `provider "opneai" is not known; known are anthropic, `},
		"no YAML":          {"{", "reading prices of x.yaml: yaml: "},
	} {
		if _, err := llm.ParsePrices([]byte(c.text), "x.yaml"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add(configs.Prices)
	f.Add([]byte("providers: {any: {models: {m: {in: 0.5, cached_in: 0.000001, out: 999999.999999}}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := llm.ParsePrices(data, "f")
		if err != nil {
			return
		}
		if price, ok := p.Find("any", "m"); ok && (price.In < 0 || price.Out < 0 || price.Cached.N < 0) {
			t.Errorf("%+v", price)
		}
	})
}
