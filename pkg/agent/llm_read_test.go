package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/reply"
	"github.com/triagebench/triage/pkg/triage"
)

func TestARecordedReplyIsReadAsItWasReadWhenItCame(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		seen    triage.Observation
		replies []any
	}{
		{"exact", queueSeen(), []any{rightAnswer}},
		{"an alias", queueSeen(), []any{`{"route_category":"feature request"}`}},
		{"asked again", queueSeen(), []any{"no", rightAnswer}},
		{"with a confidence", queueSeen(), []any{`{"route_category":"billing","confidence":{"route_category":"80%","urgency_assessment":2}}`}},
		{"never readable", queueSeen(), []any{"no", "still no"}},
		{"desk", deskSeen(triage.Hard, 0), []any{`{"category":"Bug","priority":"High","urgency_days":2,"department":"Engineering","recommendation":"Look at the logs."}`}},
		{"imported", ticketsSeen(), []any{`{"level":"2","team":"Software, web"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, _ := model(t, LLMOptions{Reask: 1}, tt.replies...)
			want, wantErr := a.Act(context.Background(), tt.seen)
			_, kept := a.Told()
			blank := *kept
			blank.Stage, blank.Cause, blank.Coerced = "", "", nil
			task, err := taskOf(tt.seen)
			if err != nil {
				t.Fatal(err)
			}
			var labels map[string][]string
			if tt.seen.Dataset != nil {
				labels = tt.seen.Dataset.Labels
			}
			got, read, gotErr := Read(task, labels, blank)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("action (-want +got):\n%s", d)
			}
			if d := cmp.Diff(*kept, read); d != "" {
				t.Errorf("reply (-want +got):\n%s", d)
			}
			if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
				t.Errorf("error %v, want %v", gotErr, wantErr)
			}
		})
	}
}

func TestReadRefusesATaskThatDoesNotExist(t *testing.T) {
	t.Parallel()
	if _, _, err := Read("queue-absurd", nil, triage.Reply{Text: rightAnswer}); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("error %v", err)
	}
}

// lesson A12: every allowed value is read as itself, and in any case, on every task. lesson A4: one reader for every task.
func TestEveryAllowedValueIsReadOnEveryTask(t *testing.T) {
	t.Parallel()
	for _, task := range triage.Tasks() {
		fields, err := asked(task.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields {
			for _, v := range f.Values {
				text := "{" + quoted(f.Name) + ":" + quoted(v) + "}"
				want, err := triage.ParseAction(task.Track, []byte(text), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, form := range []string{v, strings.ToUpper(v), " " + strings.ToLower(v) + "."} {
					got, read, err := Read(task.Name, nil, triage.Reply{Text: "<think>{}</think>{" + quoted(f.Name) + ":" + quoted(form) + "}"})
					if err != nil {
						t.Errorf("%s, %s: %q: %v", task.Name, f.Name, form, err)
						continue
					}
					if d := cmp.Diff(want, got); d != "" || read.Exact() {
						t.Errorf("%s, %s: %q, exact %v (-want +got):\n%s", task.Name, f.Name, form, read.Exact(), d)
					}
				}
			}
		}
	}
}

// lesson A11: a small documented table of other words, each noted.
func TestAliasesAreLowerCaseWordsForAllowedValuesAndAreNoted(t *testing.T) {
	t.Parallel()
	table, err := aliases()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, task := range []string{"queue-hard", "desk-hard"} {
		fields, err := asked(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields {
			for alias, value := range table[f.Name] {
				used[f.Name] = true
				if alias != strings.ToLower(alias) {
					t.Errorf("%s: alias %q is not in lower case", f.Name, alias)
				}
				_, read, err := Read(task, nil, triage.Reply{Text: "{" + quoted(f.Name) + ":" + quoted(alias) + "}"})
				if err != nil || len(read.Coerced) != 1 || !strings.HasSuffix(read.Coerced[0], " as "+value) {
					t.Errorf("%s: %q is read as %q: %v", f.Name, alias, read.Coerced, err)
				}
			}
		}
	}
	for name := range table {
		if !used[name] {
			t.Errorf("aliases.json has the field %s, which no task asks for", name)
		}
	}
}

func TestColumnsOfImportedTicketsHaveNoAliasesOfValuesThatTheyLack(t *testing.T) {
	t.Parallel()
	shape, err := shapeOf([]promptField{{Name: triage.FieldRoute, Values: []string{"Tech Support", "technical"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := reply.Shape{Fields: []reply.Field{{Name: triage.FieldRoute, Kind: reply.Enum, Allowed: []string{"Tech Support", "technical"},
		Aliases: map[string]string{"technical issue": "technical", "technical support": "technical"}}}, Confidence: triage.FieldConfidence}
	if d := cmp.Diff(want, shape); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	labels := map[string][]string{triage.FieldRoute: {"Tech Support", "technical"}}
	got, _, err := Read("tickets", labels, triage.Reply{Text: `{"route_category":"tech support"}`})
	if err != nil || got.Labels[triage.FieldRoute] != "Tech Support" {
		t.Errorf("an allowed value was taken for the alias of another: %v, %v", got, err)
	}
}
