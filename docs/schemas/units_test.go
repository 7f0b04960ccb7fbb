package schemas_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// gone stands for a value that is taken out.
type gone struct{}

// spot is a place of a document: what stands there, and how to put something else there.
type spot struct {
	place string
	value any
	put   func(v any)
}

// spots calls f with every place inside of a document. What f puts there it has to take away again.
func spots(v any, place string, f func(spot)) {
	each := func(place string, old any, put func(any)) {
		f(spot{place, old, put})
		spots(old, place, f)
	}
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			each(place+"/"+k, x[k], func(v any) {
				x[k] = v
				if v == (gone{}) {
					delete(x, k)
				}
			})
		}
	case []any:
		for i := range min(1, len(x)) { // the others are alike
			each(place+"/"+strconv.Itoa(i), x[i], func(v any) { x[i] = v })
		}
	}
}

// samples are documents in which every field occurs.
func samples(t *testing.T) []document {
	t.Helper()
	var out []document
	for _, d := range filledDocuments(t) {
		if d.kind == "results" && d.name != "results of queue-hard" && d.name != "results of tickets" || d.kind == "journal" && d.name != "a step of desk" {
			continue // they differ in the names of the parts only
		}
		out = append(out, d)
	}
	for _, name := range []string{"only/run.json", "noise, with gates", "several", "repeats"} {
		out = append(out, documentNamed(t, written(t), name))
	}
	return out
}

// eachSpot calls f with every value of the samples, and a function that tells whether the document is taken with another value there; f says
// what is wrong, if anything. A place may be exempt: exempt has regular expressions with the reason, and one that exempts nothing is an error.
func eachSpot(t *testing.T, exempt map[string]string, f func(v any, taken func(other any) bool) (wrong string)) {
	t.Helper()
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	used, patterns := map[string]bool{}, map[string]*regexp.Regexp{}
	for pattern := range exempt {
		patterns[pattern] = regexp.MustCompile(pattern)
	}
	for _, d := range samples(t) {
		var doc any
		if err := json.Unmarshal(d.data, &doc); err != nil {
			t.Fatal(err)
		}
		spots(doc, "", func(s spot) {
			wrong := f(s.value, func(other any) bool {
				s.put(other)
				defer s.put(s.value)
				return all[d.kind].Validate(doc) == nil
			})
			excused := wrong == ""
			for pattern, r := range patterns {
				if wrong != "" && r.MatchString(d.kind+s.place) {
					used[pattern], excused = true, true
				}
			}
			if !excused {
				t.Errorf("%s: %s%s: %s", d.name, d.kind, s.place, wrong)
			}
		})
	}
	for pattern, reason := range exempt {
		if !used[pattern] {
			t.Errorf("%s (%s) exempts nothing: take it off the list", pattern, reason)
		}
	}
}

func TestEveryShareIsRefusedInPerCent(t *testing.T) {
	t.Parallel()
	eachSpot(t, map[string]string{
		`/(wait_time_hours|wait_hours|wall_seconds)$`:                    "hours and seconds have no upper bound",
		`/cost(/handover)?/(cost|mean|ci95/\d|expected/(mean|ci95/\d))$`: "costs are in the unit of the matrix",
	}, func(v any, taken func(any) bool) string {
		if n, ok := v.(float64); ok && n > 0.05 && n < 1 && taken(n*100) {
			return "it is taken times 100"
		}
		return ""
	})
}

func TestEveryCountIsRefusedInPartsAndBelowNothing(t *testing.T) {
	t.Parallel()
	eachSpot(t, map[string]string{
		`comparison/moved/0/\w+_answer/`: "an answer is whatever the agent gave",
		`comparison/verdicts/0/value$`:   "a rise is a drop below 0",
	}, func(v any, taken func(any) bool) string {
		n, ok := v.(float64)
		switch {
		case !ok || n != float64(int(n)):
			return ""
		case taken(-7.0):
			return "it is taken below 0"
		case n > 1 && taken(n+0.5):
			return "half a one is taken"
		}
		return ""
	})
}

func TestEveryFieldThatIsAlwaysWrittenIsDemanded(t *testing.T) {
	t.Parallel()
	eachSpot(t, map[string]string{
		`/(meta|limit|only|model|reliability|confidence|cost|handover|warnings|reason|about|traps|reply|error|created)$`: "not of every run",
		`/(answers|broken|fields|score_with_errors|position|trial)$`:                                                     "not of every task or episode",
		`/(cause|coerced|before|refusal|tool|fingerprint)$`:                                                              "of replies of which there is such a thing to tell",
		`/(secondary|category|stake|entities|distractors|follow_up|queue|desk)$`:                                         "of requests and tracks that have them",
		`/action/|/\w+_answer/`:                      "an answer may lack anything",
		`run/settings/`:                              "settings are those of the run",
		`comparison/(\w+|.*/(compared|value_ci95))$`: "tables without rows are left out, and columns of several comparisons",
		`/x$`:            "a name that is somebody's own",
		`tickets/split$`: "a file without sides",
	}, func(_ any, taken func(any) bool) string {
		if taken(gone{}) {
			return "it may be missing"
		}
		return ""
	})
}

func TestEveryValueOfAnotherTypeIsRefused(t *testing.T) {
	t.Parallel()
	eachSpot(t, map[string]string{
		`comparison/moved/0/\w+_answer`: "an answer is whatever the agent gave",
		`/action/confidence$`:           "one number, or one a field",
	}, func(v any, taken func(any) bool) string {
		if v == nil {
			return ""
		}
		_, text := v.(string)
		_, number := v.(float64)
		for _, other := range []struct {
			same  bool
			value any
		}{{text, "another"}, {number, 17.0}, {false, []any{map[string]any{}}}} {
			if !other.same && taken(other.value) {
				return "another type is taken"
			}
		}
		return ""
	})
}
