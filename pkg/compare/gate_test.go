package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAGateIsReadAndPrintedAsWhatItIs(t *testing.T) {
	t.Parallel()
	for text, tt := range map[string]struct {
		want  Gate
		print string // empty: as text
	}{
		"score drop <= 0.05":                {Gate{Metric: "score", Change: Drop, Op: "<=", Number: 0.05}, ""},
		"score drop<=5%":                    {Gate{Metric: "score", Change: Drop, Op: "<=", Number: 0.05}, "score drop <= 0.05"},
		"  queue-hard.route_accuracy>=.6\t": {Gate{Scope: "queue-hard", Metric: "route_accuracy", Op: ">=", Number: 0.6}, "queue-hard.route_accuracy >= 0.6"},
		"errors == 0":                       {Gate{Metric: "errors", Op: "=="}, ""},
		"errors rise <= -0":                 {Gate{Metric: "errors", Change: Rise, Op: "<="}, "errors rise <= 0"},
		"each.score drop < 0.3%":            {Gate{Scope: Each, Metric: "score", Change: Drop, Op: "<", Number: 0.003}, "each.score drop < 0.003"},
		"desk.reward rise > 1e-3":           {Gate{Scope: "desk", Metric: "reward", Change: Rise, Op: ">", Number: 0.001}, "desk.reward rise > 0.001"},
		"score drop <= 12.5e-1%":            {Gate{Metric: "score", Change: Drop, Op: "<=", Number: 0.0125}, "score drop <= 0.0125"},
		"score drop <= 1.":                  {Gate{Metric: "score", Change: Drop, Op: "<=", Number: 1}, "score drop <= 1"},
		"cost < 2.50":                       {Gate{Metric: "cost", Op: "<", Number: 2.5}, "cost < 2.5"},
		"tokens_in rise <= 1000000":         {Gate{Metric: "tokens_in", Change: Rise, Op: "<=", Number: 1e6}, "tokens_in rise <= 1e+06"},
		"floor_margin >= -0.1":              {Gate{Metric: "floor_margin", Op: ">=", Number: -0.1}, ""},
		"identical":                         {Gate{Metric: Identical}, ""},
		"queue.identical":                   {Gate{Scope: "queue", Metric: Identical}, ""},
		`tickets."Ticket Type" >= 0.5`:      {Gate{Scope: "tickets", Metric: "Ticket Type", Quoted: true, Op: ">=", Number: 0.5}, ""},
		`"a \"b\" \\ c" drop <= 0.5`:        {Gate{Metric: `a "b" \ c`, Quoted: true, Change: Drop, Op: "<=", Number: 0.5}, ""},
		`"errors" >= 0.5`:                   {Gate{Metric: "errors", Quoted: true, Op: ">=", Number: 0.5}, ""},
		"Priorität >= 0.5":                  {Gate{Metric: "Priorität", Op: ">=", Number: 0.5}, ""},
	} {
		got, err := ParseGate(text)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
		if tt.print == "" {
			tt.print = text
		}
		if got.String() != tt.print {
			t.Errorf("%s is printed as %s", text, got)
		}
	}
}

// Every refusal shows the text with a caret under the place, the value, what is allowed and, where one is near, what was meant.
func TestAGateThatIsNoneIsRefusedAtItsPlace(t *testing.T) {
	t.Parallel()
	const ops = "allowed are <=, <, >=, >, ==, !="
	const counts = "errors, refused, n, flips_fixed, flips_broken, calls, reasked, tokens_in, tokens_out, cost"
	for text, want := range map[string]string{
		"":                       "it is empty; a gate is such as score drop <= 0.05, queue-hard.route_accuracy >= 60%, errors == 0 or identical\n  \n  ^",
		"  ":                     "it is empty; a gate is such as score drop <= 0.05, queue-hard.route_accuracy >= 60%, errors == 0 or identical\n    \n    ^",
		"score":                  "an operator and a number are missing, such as <= 0.05\n  score\n       ^",
		"score rise":             "an operator and a number are missing, such as >= 0.05\n  score rise\n            ^",
		"score drop <=":          "a number is missing after <=\n  score drop <=\n               ^",
		"score drop =< 0.05":     `"=<" is no operator; ` + ops + "; did you mean <=?\n  score drop =< 0.05\n             ^",
		"score drop = 0.05":      `"=" is no operator; ` + ops + "; did you mean ==?\n  score drop = 0.05\n             ^",
		"score drop ≤ 0.05":      `"≤" is no operator; ` + ops + "; did you mean <=?\n  score drop ≤ 0.05\n             ^",
		"score drop <= >= 0.05":  `">=" is no number; allowed are such as 0.05, 5%, .5 and 1e-3` + "\n  score drop <= >= 0.05\n                ^",
		"score drop <=>= 0.05":   `"<=>=" is no operator; ` + ops + "\n  score drop <=>= 0.05\n             ^",
		"score drop 0.05":        `"0.05" is no operator; ` + ops + "\n  score drop 0.05\n             ^",
		"score 0.05":             `"0" after the metric; allowed are drop (base − new), rise (new − base) or an operator; a name with spaces is put in quotes` + "\n  score 0.05\n        ^",
		"score dorp <= 0.05":     `"dorp" after the metric; allowed are drop (base − new), rise (new − base) or an operator; did you mean drop?; a name with spaces is put in quotes` + "\n  score dorp <= 0.05\n        ^",
		"score == 0.5":           "== is for counts (" + counts + "); score is estimated: use <= or >=\n  score == 0.5\n        ^",
		"erors == 0":             "== is for counts (" + counts + "); erors is estimated: use <= or >=; did you mean errors?\n  erors == 0\n        ^",
		"drop <= 0.05":           "a metric is missing before drop, such as score\n  drop <= 0.05\n  ^",
		"queue.drop <= 0.05":     "a metric is missing before drop, such as score\n  queue.drop <= 0.05\n        ^",
		"queue. score <= 0.05":   `"" where a name should be: a metric such as score, or a scope such as queue-hard and a dot before it` + "\n  queue. score <= 0.05\n        ^",
		"<= 0.05":                `"<=" where a name should be: a metric such as score, or a scope such as queue-hard and a dot before it` + "\n  <= 0.05\n  ^",
		"score drop <= NaN":      `"NaN" is no number; allowed are such as 0.05, 5%, .5 and 1e-3` + "\n  score drop <= NaN\n                ^",
		"score drop <= inf":      `"inf" is no number; allowed are such as 0.05, 5%, .5 and 1e-3` + "\n  score drop <= inf\n                ^",
		"score drop <= -":        `"-" is no number; allowed are such as 0.05, 5%, .5 and 1e-3` + "\n  score drop <= -\n                ^",
		"score drop <= .":        `"." is no number; allowed are such as 0.05, 5%, .5 and 1e-3` + "\n  score drop <= .\n                ^",
		"score drop <= 0x1p-4":   `"x1p-4" after the number, where the gate should end; each --gate has one condition` + "\n  score drop <= 0x1p-4\n                 ^",
		"score drop <= 1e":       `"1e" is no number; its exponent has to be within -400 and 400` + "\n  score drop <= 1e\n                ^",
		"score drop <= 1e999999": `"1e999999" is no number; its exponent has to be within -400 and 400` + "\n  score drop <= 1e999999\n                ^",
		"cost <= 1e399":          `"1e399" is too large a number` + "\n  cost <= 1e399\n          ^",
		"score drop <= 0.05 x":   `"x" after the number, where the gate should end; each --gate has one condition` + "\n  score drop <= 0.05 x\n                     ^",
		"score >= 5 %":           `"%" after the number, where the gate should end; write 5% without a space` + "\n  score >= 5 %\n             ^",
		"score >= 85":            "85 is out of range; the score is within 0 and 1; did you mean 85%?\n  score >= 85\n           ^",
		"score >= -0.1":          "-0.1 is out of range; the score is within 0 and 1\n  score >= -0.1\n           ^",
		"score drop <= 101%":     "101% is out of range; the drop of score is within -1 and 1\n  score drop <= 101%\n                ^",
		"errors == 0.5":          "0.5 is no whole number; errors is a count\n  errors == 0.5\n            ^",
		"errors <= 5%":           "5% is a share; errors is a count\n  errors <= 5%\n            ^",
		"errors <= -1":           "-1 is below 0; errors is a count\n  errors <= -1\n            ^",
		"identical == 1":         `"==" after identical, which stands alone` + "\n  identical == 1\n            ^",
		"floor_margin drop <= 0": "floor_margin has no drop, as both sides have the same floor; use score drop\n  floor_margin drop <= 0\n               ^",
		`"score drop <= 0.05`:    `a quote is not closed; a quote within a name is written \"` + "\n  \"score drop <= 0.05\n  ^",
		`"" >= 0.5`:              "a name in quotes is empty\n  \"\" >= 0.5\n  ^",
		`"queue".score >= 0.5`:   `the scope "queue" is in quotes; a task, a track or each is written without them` + "\n  \"queue\".score >= 0.5\n  ^",
		"\"\xff\" >= 0.5":        "a name is not valid UTF-8\n  \"?\" >= 0.5\n  ^",
		"a\x1b[31mb <= 0.5":      `"\x1b[31mb" where an operator should be; allowed are <=, <, >=, >, ==, !=` + "\n  a?[31mb <= 0.5\n   ^",
	} {
		_, err := ParseGate(text)
		var s *SyntaxError
		if !errors.As(err, &s) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff("gate: "+want, err.Error()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestALongGateIsShownAroundThePlace(t *testing.T) {
	t.Parallel()
	_, err := ParseGate(`"` + strings.Repeat("ä", 200) + `" dorp ` + strings.Repeat("x", 200))
	want := `gate: "dorp" after the metric; allowed are drop (base − new), rise (new − base) or an operator; did you mean drop?; a name with spaces is put in quotes
  …` + strings.Repeat("ä", 58) + `" dorp ` + strings.Repeat("x", 35) + `…
  ` + strings.Repeat(" ", 61) + `^`
	if err == nil || cmp.Diff(want, err.Error()) != "" {
		t.Error(cmp.Diff(want, err.Error()))
	}
	_, err = ParseGate(strings.Repeat("x", 1<<20))
	if err == nil || !strings.HasPrefix(err.Error(), "gate: it has 1048576 bytes; at most 1000 are allowed\n") || len(err.Error()) > 300 {
		t.Error(err)
	}
}

func FuzzParseGate(f *testing.F) {
	for _, s := range []string{"score drop <= 0.05", "queue-hard.route_accuracy >= 60%", "errors == 0", "identical", `t."a \"b" rise > -.5e-1`, "a.b.c<1", "≤", "\xff", "score<=1e400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGate(text)
		if err != nil {
			var s *SyntaxError
			if !errors.As(err, &s) || s.Offset < 0 || s.Offset > len(text) || s.Text != text {
				t.Fatalf("%q: %#v", text, err)
			}
			if m := err.Error(); !utf8.ValidString(m) || strings.Count(m, "\n") != 2 || len(m) > 2000 {
				t.Fatalf("%q: %q", text, m)
			}
			return
		}
		again, err := ParseGate(g.String())
		if err != nil || again != g {
			t.Fatalf("%q is printed as %s, which is %#v: %v", text, g, again, err)
		}
	})
}

func TestWhatIsPrintedIsReadAsTheSameGate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := Gate{
			Scope:  rapid.SampledFrom([]string{"", "each", "queue", "desk-hard", "tickets"}).Draw(t, "scope"),
			Metric: rapid.SampledFrom([]string{"score", "errors", "cost", "route_accuracy", "drop", "a b", `q"\.`, "identical"}).Draw(t, "metric"),
			Change: rapid.SampledFrom([]string{"", Drop, Rise}).Draw(t, "change"),
			Op:     rapid.SampledFrom(Operators()).Draw(t, "op"),
		}
		g.Quoted = slices.Contains([]string{"drop", "a b", `q"\.`, "identical"}, g.Metric) || rapid.Bool().Draw(t, "quoted")
		if g.Number = rapid.Float64Range(0.001, 0.999).Draw(t, "number"); g.counted() && g.Metric != "cost" {
			g.Number = float64(int(100 * g.Number))
		}
		if !g.counted() && strings.HasSuffix(g.Op, "=") && len(g.Op) == 2 && g.Op[0] != '<' && g.Op[0] != '>' {
			g.Op = "<="
		}
		got, err := ParseGate(g.String())
		if diff := cmp.Diff(g, got); diff != "" || err != nil {
			t.Fatalf("%s: %v %s", g, err, diff)
		}
	})
}

func TestTheWorstOutcomeIsTheVerdictOfAll(t *testing.T) {
	t.Parallel()
	of := func(list ...Outcome) []Verdict {
		out := make([]Verdict, len(list))
		for i, o := range list {
			out[i].Outcome = o
		}
		return out
	}
	for _, tt := range []struct {
		list []Verdict
		want Outcome
	}{{nil, Pass}, {of(Pass, Pass), Pass}, {of(Pass, Inconclusive, Pass), Inconclusive}, {of(Inconclusive, Regression, Pass), Regression}} {
		if got := Worst(tt.list); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.list, got, tt.want)
		}
	}
}
