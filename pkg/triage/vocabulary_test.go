package triage_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestTasksAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	medium := []string{"category", "priority", "urgency_days"}
	want := []triage.Task{
		{Name: "queue-easy", Track: triage.Queue, Difficulty: triage.Easy, Tickets: 8, MaxSteps: 8, Target: 0.85, Episodes: 10},
		{Name: "queue-medium", Track: triage.Queue, Difficulty: triage.Medium, Tickets: 10, MaxSteps: 10, Target: 0.70, Episodes: 10},
		{Name: "queue-hard", Track: triage.Queue, Difficulty: triage.Hard, Tickets: 12, MaxSteps: 12, Target: 0.50, Episodes: 10},
		{Name: "desk-easy", Track: triage.Desk, Difficulty: triage.Easy, Tickets: 1, MaxSteps: 3, Target: 0.80, Episodes: 100, Asked: medium[:1]},
		{Name: "desk-medium", Track: triage.Desk, Difficulty: triage.Medium, Tickets: 1, MaxSteps: 3, Target: 0.70, Episodes: 100, Asked: medium},
		{Name: "desk-hard", Track: triage.Desk, Difficulty: triage.Hard, Tickets: 1, MaxSteps: 3, Target: 0.60, Episodes: 100,
			Asked: append(slices.Clone(medium), "department", "recommendation")},
	}
	if d := cmp.Diff(want, triage.Tasks()); d != "" {
		t.Errorf("tasks (-want +got):\n%s", d)
	}
	triage.Tasks()[0].Name = "changed"
	if got := triage.Tasks()[0].Name; got != "queue-easy" {
		t.Errorf("a caller changed the table: %s", got)
	}
}

func TestTargetIsExceededOnQueueAndReachedOnDesk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		task  string
		score float64
		pass  bool
	}{
		{"queue-easy", 0.85, false}, {"queue-easy", 0.850001, true}, {"queue-medium", 0.70, false}, {"queue-medium", 0.71, true},
		{"queue-hard", 0.50, false}, {"queue-hard", 0.51, true}, {"desk-easy", 0.80, true}, {"desk-easy", 0.799999, false},
		{"desk-medium", 0.70, true}, {"desk-medium", 0.69, false}, {"desk-hard", 0.60, true}, {"desk-hard", 0.59, false},
	} {
		task, err := triage.TaskByName(tt.task)
		if err != nil {
			t.Fatal(err)
		}
		if got := task.Pass(tt.score); got != tt.pass {
			t.Errorf("%s with score %v: pass %v, want %v", tt.task, tt.score, got, tt.pass)
		}
	}
}

func TestTaskByNameListsTheNamesThatExist(t *testing.T) {
	t.Parallel()
	for _, want := range triage.Tasks() {
		got, err := triage.TaskFor(want.Track, want.Difficulty)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("task %s, error %v (-want +got):\n%s", want.Name, err, d)
		}
	}
	_, err := triage.TaskByName("queue-extreme")
	want := `unknown task "queue-extreme": the tasks are queue-easy, queue-medium, queue-hard, desk-easy, desk-medium, desk-hard`
	if err == nil || err.Error() != want || triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("error %v with code %q, want %s", err, triage.CodeOf(err), want)
	}
}

// scale checks the order of a list of labels against the level of each.
func scale[T ~string](t *testing.T, list []T, level func(T) int, want ...string) {
	t.Helper()
	var got []string
	for i, v := range list {
		got = append(got, string(v))
		if l := level(v); l != i {
			t.Errorf("%s has level %d, want %d", v, l, i)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	for _, no := range []T{"", "none such", T(want[0]) + " "} {
		if l := level(no); l != -1 {
			t.Errorf("%q has level %d, want -1", no, l)
		}
	}
}

func TestScalesRunFromTheLeastToTheMost(t *testing.T) {
	t.Parallel()
	scale(t, triage.Urgencies(), triage.Urgency.Level, "low", "medium", "high", "critical")
	scale(t, triage.Resolutions(), triage.Resolution.Level, "easy", "medium", "hard")
	scale(t, triage.Priorities(), triage.Priority.Level, "Low", "Medium", "High", "Critical")
	scale(t, triage.Departments(), triage.Department.Index, "Engineering", "Product", "Support", "Management")
	find := func(list []string) func(string) int { return func(s string) int { return slices.Index(list, s) } }
	for _, tt := range []struct{ got, want []string }{
		{of(triage.Tracks()), []string{"queue", "desk"}}, {of(triage.Difficulties()), []string{"easy", "medium", "hard"}},
		{of(triage.Splits()), []string{"train", "test"}}, {of(triage.Severities()), []string{"cosmetic", "degraded", "blocked", "data_at_risk"}},
		{of(triage.Impacts()), []string{"one", "team", "company", "customers"}}, {of(triage.Deadlines()), []string{"none", "days", "hours"}},
		{of(triage.Efforts()), []string{"self_service", "investigation", "cross_team"}}, {of(triage.Stakes()), []string{"none", "daily_work", "contract"}},
		{of(triage.Tiers()), []string{"free", "pro", "business", "enterprise"}},
	} {
		scale(t, tt.got, find(tt.want), tt.want...)
	}
}

func of[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func TestNominalLabelsKnowWhetherTheyAreValid(t *testing.T) {
	t.Parallel()
	for _, r := range triage.Routes() {
		if !r.Valid() {
			t.Errorf("route %s is not valid", r)
		}
	}
	for _, c := range triage.Categories() {
		if !c.Valid() {
			t.Errorf("category %s is not valid", c)
		}
	}
	if triage.Route("").Valid() || triage.Route("Billing").Valid() || triage.Category("").Valid() || triage.Category("bug").Valid() {
		t.Error("a label that does not exist is valid")
	}
	if d := cmp.Diff([]string{"billing", "technical", "feature", "feedback", "spam"}, of(triage.Routes())); d != "" {
		t.Errorf("routes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"Bug", "FeatureRequest", "Question"}, of(triage.Categories())); d != "" {
		t.Errorf("categories (-want +got):\n%s", d)
	}
}

func TestKeysRenderAndValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key    triage.Key
		text   string
		valid  bool
		encode string
	}{
		{triage.Key{Agent: "a", Task: "t"}, "a/t/0", true, `{"agent":"a","task":"t","seed":0,"position":null}`},
		{triage.Key{Agent: "a", Task: "t", Seed: triage.MaxSeed, Position: triage.IntOf(0)}, "a/t/9223372036854775807/0", true,
			`{"agent":"a","task":"t","seed":9223372036854775807,"position":0}`},
		{triage.Key{Task: "t"}, "/t/0", false, ""}, {triage.Key{Agent: "a"}, "a//0", false, ""},
		{triage.Key{Agent: "a", Task: "t", Seed: -1}, "a/t/-1", false, ""},
	} {
		if got := tt.key.String(); got != tt.text {
			t.Errorf("key %+v renders as %s, want %s", tt.key, got, tt.text)
		}
		if err := tt.key.Validate(); (err == nil) != tt.valid {
			t.Errorf("key %s: error %v, want valid %v", tt.text, err, tt.valid)
		}
		if !tt.valid {
			continue
		}
		data, err := json.Marshal(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		var back triage.Key
		if err := json.Unmarshal(data, &back); err != nil || back != tt.key || string(data) != tt.encode {
			t.Errorf("key %s is written as %s, want %s, and read as %+v, error %v", tt.text, data, tt.encode, back, err)
		}
	}
}

func TestErrorsKeepTheirCodeThroughWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	coded := &triage.Error{Code: triage.CodeFiles, Message: "write x", Err: cause}
	for _, tt := range []struct {
		err  error
		text string
		code triage.Code
	}{
		{coded, "write x: disk full", triage.CodeFiles},
		{fmt.Errorf("run: %w", coded), "run: write x: disk full", triage.CodeFiles},
		{errors.Join(errors.New("a"), coded), "a\nwrite x: disk full", triage.CodeFiles},
		{&triage.Error{Code: triage.CodeDone, Message: "over"}, "over", triage.CodeDone},
		{fmt.Errorf("step: %w", &triage.FieldErrors{Fields: []triage.FieldError{{Field: "f", Value: "v", Allowed: "a"}}}),
			"step: invalid action: f: v is not allowed; allowed is a", triage.CodeInvalid},
		{cause, "disk full", ""},
	} {
		if got := tt.err.Error(); got != tt.text {
			t.Errorf("message %q, want %q", got, tt.text)
		}
		if got := triage.CodeOf(tt.err); got != tt.code {
			t.Errorf("%v has code %q, want %q", tt.err, got, tt.code)
		}
	}
	if !errors.Is(coded, cause) {
		t.Error("the cause is not found")
	}
	if c := triage.CodeOf(nil); c != "" {
		t.Errorf("no error has code %q", c)
	}
}
