package schemas_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// spoil changes the value at a place of a document; change gets what stands there, and false with nothing where it is to be taken out.
func spoil(t *testing.T, v any, steps []string, change func(old any) (any, bool)) any {
	t.Helper()
	switch x := v.(type) {
	case map[string]any:
		if len(steps) > 1 {
			x[steps[0]] = spoil(t, x[steps[0]], steps[1:], change)
			return x
		}
		fresh, keep := change(x[steps[0]])
		if delete(x, steps[0]); keep {
			x[steps[0]] = fresh
		}
		return x
	case []any:
		i, err := strconv.Atoi(steps[0])
		if err != nil || i >= len(x) {
			t.Fatalf("there is no element %s", steps[0])
		}
		if len(steps) > 1 {
			x[i] = spoil(t, x[i], steps[1:], change)
		} else {
			x[i], _ = change(x[i])
		}
		return x
	}
	t.Fatalf("there is no %v in %v", steps, v)
	return nil
}

// pathOf are the names of a place.
func pathOf(place string) []string { return strings.Split(place, "/")[1:] }

// to replaces a value.
func to(v any) func(any) (any, bool) { return func(any) (any, bool) { return v, true } }

// missing takes a field out.
func missing(any) (any, bool) { return nil, false }

// times multiplies a number, as one in another unit would be.
func times(n float64) func(any) (any, bool) {
	return func(v any) (any, bool) {
		f, _ := v.(float64)
		return f * n, true
	}
}

// TestTheSchemasRefuseWhatIsNotSo: each row spoils a document that the program can write at one place, and is refused there.
func TestTheSchemasRefuseWhatIsNotSo(t *testing.T) {
	t.Parallel()
	const task, model, imported = "/tasks/queue-hard", "/tasks/queue-hard/model", "/tasks/tickets"
	step := "/steps/0"
	for name, c := range map[string]struct {
		of     string // a document of filledDocuments
		place  string // what is spoilt
		change func(any) (any, bool)
		at     string // where it is refused, if it is elsewhere
	}{
		"another form":                           {"results of queue-hard", "/schema", to("triage.results/2"), ""},
		"an unknown field":                       {"results of queue-hard", "/accuracy", to(0.5), "/"},
		"an unknown field of a task":             {"results of queue-hard", task + "/f1", to(0.5), task + "/f1"},
		"an unknown field of a model":            {"results of queue-hard", model + "/calls_in_all", to(1), model},
		"a part of the other track":              {"results of queue-hard", task + "/parts/category", to(1), task + "/parts"},
		"an unknown task":                        {"results of queue-hard", "/tasks/queue-hardest", to(map[string]any{}), "/tasks"},
		"no split":                               {"results of queue-hard", "/split", missing, "/"},
		"another split":                          {"results of queue-hard", "/split", to("validation"), ""},
		"a split that is null":                   {"results of queue-hard", "/split", to(nil), ""},
		"no seeds":                               {"results of queue-hard", task + "/seeds", missing, task},
		"no mean":                                {"results of queue-hard", task + "/score/mean", missing, task + "/score"},
		"no grader":                              {"results of queue-hard", "/grader", missing, "/"},
		"no overall":                             {"results of queue-hard", "/overall", missing, "/"},
		"a score in per cent":                    {"results of queue-hard", task + "/score/mean", times(100), ""},
		"an interval in per cent":                {"results of queue-hard", task + "/score/ci95/1", times(100), ""},
		"an interval of one":                     {"results of queue-hard", task + "/score/ci95", to([]any{0.5}), ""},
		"a target in per cent":                   {"results of queue-hard", task + "/target", times(100), ""},
		"a score as a text":                      {"results of queue-hard", task + "/score/mean", to("0.5"), ""},
		"not a number":                           {"results of queue-hard", task + "/reward", to("NaN"), ""},
		"half an episode":                        {"results of queue-hard", task + "/n", to(1.5), ""},
		"fewer than none":                        {"results of queue-hard", task + "/errors", to(-1), ""},
		"a cost in dollars":                      {"results of queue-hard", model + "/cost_nano_usd", to(0.003), ""},
		"a latency in seconds":                   {"results of queue-hard", "/meta/calls_in_all/latency_ms_p50", to(0.12), ""},
		"a duration with its unit":               {"results of queue-hard", "/meta/wall_seconds", to("0.2s"), ""},
		"a time that is local":                   {"results of queue-hard", "/meta/finished", to("2026-01-02 03:04:05"), ""},
		"a confidence in per cent":               {"results of queue-hard", task + "/confidence/answer/mean_confidence", times(100), ""},
		"the secret itself":                      {"results of queue-hard", "/secret", to("correct horse battery staple"), ""},
		"a floor and why there is none":          {"results of queue-hard", task + "/floor_reason", to("it was not played"), task + "/floor"},
		"errors that are in no score":            {"results of queue-hard", task + "/score_with_errors", missing, task},
		"a score with errors of none":            {"results of queue-hard", task + "/errors", to(0), task + "/score_with_errors"},
		"one trial":                              {"results of queue-hard", task + "/reliability/trials", to(1), ""},
		"imported tickets of a split":            {"results of tickets", "/split", to("test"), ""},
		"imported tickets without labels":        {"results of tickets", "/columns", missing, "/"},
		"imported tickets with a target":         {"results of tickets", imported + "/target", to(0.5), imported + "/target"},
		"a kappa in per cent":                    {"results of tickets", "/columns/x/weighted_kappa", to(45), ""},
		"an episode without a key":               {"an episode of queue", "/key", missing, "/"},
		"an episode of no agent":                 {"an episode of queue", "/key/agent", to(""), ""},
		"a negative seed":                        {"an episode of queue", "/key/seed", to(-1), ""},
		"an episode that broke and has a score":  {"an episode of queue", "/ended", to("error"), "/score"},
		"an episode without a score":             {"an episode of queue", "/score", to(nil), ""},
		"a step without an observation":          {"an episode of queue", step + "/observation", missing, step},
		"a step that tells the truth":            {"an episode of queue", step + "/observation/ticket/truth", to("billing"), step + "/observation/ticket"},
		"an observation that says why":           {"an episode of queue", step + "/observation/last_result/parts/0/why", to("billing is right"), step + "/observation/last_result/parts/0"},
		"a part that does not say why":           {"an episode of queue", step + "/score/parts/0/why", missing, step + "/score/parts/0"},
		"an unknown route":                       {"an episode of queue", step + "/action/route_category", to("sales"), ""},
		"a route of the desk":                    {"an episode of desk", step + "/action/route_category", to("billing"), step + "/action"},
		"a priority of 101":                      {"an episode of queue", step + "/action/priority_score", to(101), ""},
		"days as a text":                         {"an episode of desk", step + "/action/urgency_days", to("2"), ""},
		"eight days":                             {"an episode of desk", step + "/action/urgency_days", to(8), ""},
		"a tone in per cent":                     {"an episode of desk", step + "/observation/sentiment_score", to(-45), ""},
		"a wait of less than nothing":            {"an episode of desk", step + "/observation/wait_time_hours", to(-1), ""},
		"a wait with its unit":                   {"an episode of desk", step + "/observation/wait_time_hours", to("3 h"), ""},
		"half a token":                           {"an episode of queue", step + "/usage/tokens_in", to(0.5), ""},
		"an unknown stage":                       {"an episode of queue", step + "/reply/stage", to("guessed"), ""},
		"a label that is a number":               {"an episode of tickets", step + "/action/x", to(3), ""},
		"a step of a journal without its number": {"a step of desk", "/index", missing, "/"},
		"a step of a journal with a score":       {"a step of desk", "/ended", to("complete"), "/"},
		"a step of a journal of another track":   {"a step of desk", "/key/task", to("queue-hard"), "/step/observation"},
		"a header of another form":               {"a header", "/schema", to("triage.tickets/9"), ""},
		"a header without labels":                {"a header", "/labels", to(map[string]any{}), ""},
		"a label of a value twice":               {"a header", "/labels/x/values", to([]any{"a", "a"}), ""},
		"a ticket without an id":                 {"a ticket of a file", "/id", missing, "/"},
		"a ticket of a third side":               {"a ticket of a file", "/split", to("dev"), ""},
		"a ticket with a label in a list":        {"a ticket of a file", "/labels/x", to([]any{"a"}), ""},
		"a date without a time":                  {"a ticket of a file", "/created", to("2026-01-02"), ""},
		"a generated ticket with facts alone":    {"a generated ticket", "/truth", missing, "/"},
		"a call with a latency in seconds":       {"a call", "/attempts/0/latency_ms", to(0.2), ""},
		"a call with a cost in dollars":          {"a call", "/cost_nano_usd", to(0.000012), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := documentNamed(t, filledDocuments(t), c.of)
			refusedAt(t, d, c.place, c.change, c.at)
		})
	}
}

// TestTheSchemasOfRunsAndComparisonsRefuseWhatIsNotSo is the same of what was played.
func TestTheSchemasOfRunsAndComparisonsRefuseWhatIsNotSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of, place string
		change    func(any) (any, bool)
		at        string
	}{
		"a digest that is none":               {"only/run.json", "/digest", to("x"), ""},
		"a setting that is a number":          {"only/run.json", "/settings/seed", to(42), ""},
		"a run of no agents":                  {"only/run.json", "/settings/agents", missing, "/settings"},
		"a run of another form":               {"only/run.json", "/schema", to("triage.run/2"), ""},
		"an unknown field of a run":           {"only/run.json", "/host", to("here"), "/"},
		"a comparison of nothing":             {"trials", "/comparisons", to([]any{}), ""},
		"a comparison without its warnings":   {"trials", "/comparisons/0/warnings", missing, "/comparisons/0"},
		"a difference in points":              {"trials", "/tasks/0/difference", to(12.5), ""},
		"a task without its interval":         {"trials", "/tasks/0/difference_ci95", missing, "/tasks/0"},
		"a p over 1":                          {"trials", "/tasks/0/p", to(1.5), ""},
		"an unknown verdict":                  {"noise, with gates", "/verdicts/0/verdict", to("maybe"), ""},
		"a verdict without a reason":          {"noise, with gates", "/verdicts/0/why", missing, "/verdicts/0"},
		"a ticket that moved and lacks a why": {"noise, with gates", "/moved/0/new_why", missing, "/moved/0"},
		"a place of a ranking from 0":         {"several", "/ranking/0/rank", to(0), ""},
		"repeats that have a difference":      {"repeats", "/tasks", to([]any{}), "/"},
		"half a pair":                         {"repeats", "/pairs", to(1.5), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedAt(t, documentNamed(t, written(t), c.of), c.place, c.change, c.at)
		})
	}
}

func documentNamed(t *testing.T, list []document, name string) document {
	t.Helper()
	for _, d := range list {
		if d.name == name {
			return d
		}
	}
	t.Fatalf("there is no document %q", name)
	return document{}
}

// refusedAt spoils a document at a place, and demands that it is refused at another, or there.
func refusedAt(t *testing.T, d document, place string, change func(any) (any, bool), at string) {
	t.Helper()
	if err := refused(t, d.kind, d.data); err != nil {
		t.Fatalf("%s is refused before it is spoilt: %v", d.name, err)
	}
	var v any
	if err := json.Unmarshal(d.data, &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(spoil(t, v, pathOf(place), change))
	if err != nil {
		t.Fatal(err)
	}
	if at == "" {
		at = place
	}
	list := refusals(t, d.kind, data)
	if _, ok := list[at]; !ok {
		t.Errorf("it is not refused at %s, but at %v", at, list)
	}
}
