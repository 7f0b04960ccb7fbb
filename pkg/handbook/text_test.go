package handbook_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

func TestTextIsTheGolden(t *testing.T) {
	t.Parallel()
	got := handbook.Text()
	testkit.Golden(t, filepath.Join("testdata", "handbook.md"), got)
	if handbook.Text() != got {
		t.Error("the handbook differs from call to call")
	}
}

func TestEveryNumberOfTheTablesStandsInTheText(t *testing.T) {
	t.Parallel()
	text := handbook.Text()
	for _, line := range []string{
		"| critical | data or security is at risk for more than one person |",
		"| critical | work is blocked for the whole company or for its customers, and there is no workaround |",
		"| high | data or security is at risk for one person |",
		"| high | work is blocked for a person or a team, and there is no workaround |",
		"| high | the deadline is hours away |",
		"| medium | work is blocked, but a workaround is in use |",
		"| medium | work goes on, degraded |",
		"| medium | the deadline is days away |",
		"| low | anything else |",
		"| urgency low | 0 |", "| urgency medium | 25 |", "| urgency high | 50 |", "| urgency critical | 75 |",
		"| tier free | 0 |", "| tier pro | 4 |", "| tier business | 8 |", "| tier enterprise | 12 |",
		"| wait under 4 hours | 0 |", "| wait under 24 hours | 3 |", "| wait of 24 hours or more | 6 |", "| escalated | 4 |",
		"| 2 or more previous contacts | 3 |", "at most 100; spam is 0",
		"| Bug | 6 | data at risk |", "| Bug | 4 | blocked |", "| Bug | 2 | degraded |", "| Bug | 0 | cosmetic |",
		"| Question | 4 | work is blocked until it is answered |", "| Question | 2 | a deadline within days or hours |", "| Question | 0 | anything else |",
		"| FeatureRequest | 4 | a contract, renewal or launch depends on it |", "| FeatureRequest | 2 | wanted for a team's or the company's daily work |",
		"| FeatureRequest | 0 | anything else |",
		"| sentiment at or under −0.8 | 2 |", "| else sentiment at or under −0.4 | 1 |", "| wait of 48 hours or more | 2 |",
		"| else wait of 24 hours or more | 1 |", "| escalated | 1 |",
		"0–1 Low, 2–3 Medium, 4–5 High, 6 and more Critical.",
		"A Bug with sentiment at or under −0.8, and anything with sentiment at or under −0.9, is Critical.",
		"Critical 1, High 2, Medium 4, Low 7; one day less from 24 hours of waiting on, never under 1.",
		"An escalated ticket with sentiment at or under −0.6 or a wait\nof 48 hours or more goes to Management",
		"(0.3)", "(0.5)", "(0.2)", "6 to 80 words", "at most 0.2",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the handbook does not say %q", line)
		}
	}
}

// The printed points are what the code gives, so a change of one without the other shows.
func TestPrintedPointsAreThoseThatTheCodeGives(t *testing.T) {
	t.Parallel()
	text := handbook.Text()
	says := func(format string, args ...any) {
		t.Helper()
		if line := fmt.Sprintf(format, args...); !strings.Contains(text, line) {
			t.Errorf("the handbook does not say %q, which is what the code does", line)
		}
	}
	for _, u := range triage.Urgencies() {
		says("| urgency %s | %d |", u, handbook.PriorityScore(u, triage.Free, 0, false, 0))
	}
	for _, tier := range triage.Tiers() {
		says("| tier %s | %d |", tier, handbook.PriorityScore(triage.UrgencyLow, tier, 0, false, 0))
	}
	for _, p := range triage.Priorities() {
		says("%s %d", p, handbook.UrgencyDays(p, 0))
	}
	for _, d := range triage.Departments()[:3] {
		for _, c := range triage.Categories() {
			if got, _ := handbook.Department(c, 0, 0, false); got == d {
				says("%s: %s.", c, d)
			}
		}
	}
}

func TestTextHasNoLeftoversOfItsTemplate(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"{{", "}}", "<no value>", "%!", "\t", " \n", "NaN"} {
		if strings.Contains(handbook.Text(), bad) {
			t.Errorf("the handbook holds %q", bad)
		}
	}
}

func TestNoKindWordCountsForTwo(t *testing.T) {
	t.Parallel()
	type owned struct{ stem, owner string }
	var all []owned
	for _, c := range triage.Categories() {
		for _, k := range handbook.KindWords(c) {
			for _, s := range k.Stems {
				all = append(all, owned{s, string(c) + "/" + k.Word})
			}
		}
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.owner == b.owner {
				continue
			}
			x, openX := strings.CutSuffix(a.stem, "*")
			y, openY := strings.CutSuffix(b.stem, "*")
			if x == y || openX && strings.HasPrefix(y, x) || openY && strings.HasPrefix(x, y) {
				t.Errorf("%s of %s and %s of %s share a form", a.stem, a.owner, b.stem, b.owner)
			}
		}
	}
}

func TestEveryKindWordIsPrintedAndCounts(t *testing.T) {
	t.Parallel()
	text := handbook.Text()
	for _, c := range triage.Categories() {
		words := handbook.KindWords(c)
		if len(words) < 10 {
			t.Errorf("%s has %d words only", c, len(words))
		}
		for _, k := range words {
			for _, printed := range append([]string{k.Word}, k.Also...) {
				if !strings.Contains(text, printed) {
					t.Errorf("%s: %q is not in the handbook", c, printed)
				}
				if !slices.ContainsFunc(strings.Fields(strings.ToLower(printed)), func(w string) bool { return k.Matches(w) }) {
					t.Errorf("%s: the printed %q does not count", c, printed)
				}
			}
			// A form that counts must be one of a printed word: a reader could not know it otherwise.
			for _, stem := range k.Stems {
				if !slices.ContainsFunc(append([]string{k.Word}, k.Also...), func(printed string) bool {
					return slices.ContainsFunc(strings.Fields(strings.ToLower(printed)), func(w string) bool { return w[0] == stem[0] })
				}) {
					t.Errorf("%s: %q counts as %q, which the handbook does not print", c, stem, k.Word)
				}
			}
		}
	}
}

func TestInflectionsOfKindWordsCount(t *testing.T) {
	t.Parallel()
	for c, forms := range map[triage.Category]map[string]string{
		triage.Bug: {"investigate": "investigated investigating investigation", "reproduce": "reproduced reproducible replicating",
			"debug": "debugged debugging", "logs": "log logged logging", "error": "errors", "failure": "fail fails failed failing failures",
			"fix": "fixes fixed fixing", "diagnose": "diagnosed diagnosis diagnostics", "trace": "traced traces tracing", "regression": "regressions",
			"root cause": "cause causes caused causing", "bug": "bugs defects", "repair": "repaired repairing", "fault": "faults faulty"},
		triage.FeatureRequest: {"roadmap": "roadmaps backlog", "evaluate": "evaluated evaluation assessment", "research": "researched",
			"prioritize": "prioritise prioritized prioritisation", "feature": "features", "request": "requests requested", "design": "designed designs",
			"scope": "scoped scoping scopes", "feasibility": "feasible", "demand": "demands", "consider": "considered consideration",
			"estimate": "estimates estimated estimating", "gather requirements": "requirement requirements", "develop": "developed development"},
		triage.Question: {"guide": "guides guided guiding guidance", "documentation": "document documents documented docs", "help": "helps helped helping",
			"walkthrough": "walk walks walked walking steps", "explain": "explained explanation clarify clarified", "article": "articles faq",
			"instructions": "instruct instructed instruction", "show": "shows showed shown showing", "answer": "answered reply replied replies respond response responses",
			"advise": "advice advised", "confirm": "confirmed confirmation", "tutorial": "tutorials", "tell": "tells telling told", "describe": "described describing"},
	} {
		for _, k := range handbook.KindWords(c) {
			list, ok := forms[k.Word]
			if !ok {
				t.Errorf("%s: %q has no line in this test", c, k.Word)
			}
			for _, w := range strings.Fields(list) {
				if !k.Matches(w) || !handbook.IsKindWord(w) {
					t.Errorf("%s: %q does not count as %q", c, w, k.Word)
				}
			}
		}
	}
}

func TestOtherWordsAreNoKindWords(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"", "invoice", "login", "the", "tellers", "Investigate", "shower", "stepmother", "undocumented"} {
		if handbook.IsKindWord(w) {
			t.Errorf("%q counts as a kind word", w)
		}
	}
}

func TestVerbsAreSortedUniqueAndNotShared(t *testing.T) {
	t.Parallel()
	verbs := handbook.Verbs()
	if !slices.IsSorted(verbs) {
		t.Error("the verbs are not sorted")
	}
	if got := slices.Compact(slices.Clone(verbs)); len(got) != len(verbs) {
		t.Errorf("%d of the verbs stand twice", len(verbs)-len(got))
	}
	for _, v := range verbs {
		if v != strings.ToLower(v) || strings.ContainsAny(v, " -") {
			t.Errorf("verb %q is no single word in lower case", v)
		}
	}
	verbs[0] = "changed"
	if handbook.Verbs()[0] == "changed" {
		t.Error("a caller changed the verbs")
	}
	handbook.Examples()[0] = "changed"
	if handbook.Examples()[0] == "changed" {
		t.Error("a caller changed the examples")
	}
}

func TestSampleRecommendationNamesTwoEntities(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		category triage.Category
		entities [][]string
		want     string
	}{
		{triage.Bug, [][]string{{"invoice", "bill"}, {"seats"}, {"plan"}}, "Investigate and reproduce what goes wrong here with invoice and seats."},
		{triage.FeatureRequest, [][]string{{"invoice"}, {"seats"}}, "Evaluate this for the roadmap and gather what is needed: invoice together with seats."},
		{triage.Question, [][]string{{"invoice"}, {"seats"}}, "Guide the customer and explain how invoice and seats go together."},
		{triage.Question, nil, "Guide the customer and explain how matter and ticket go together."},
		{triage.Bug, [][]string{{"invoice"}}, "Investigate and reproduce what goes wrong here with matter and ticket."},
	} {
		if d := cmp.Diff(tt.want, handbook.SampleRecommendation(&triage.DeskTruth{Category: tt.category, Entities: tt.entities})); d != "" {
			t.Errorf("%s with %v (-want +got):\n%s", tt.category, tt.entities, d)
		}
	}
}
