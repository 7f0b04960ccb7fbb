package results_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// advised are episodes of desk-hard with these recommendations.
func advised(texts ...string) []*triage.Episode {
	var out []*triage.Episode
	for i, text := range texts {
		out = append(out, &triage.Episode{Key: triage.Key{Agent: "a", Task: "desk-hard", Seed: int64(42 + i)}, Score: pointer(0.5), Ended: triage.EndedComplete,
			Steps: []triage.Step{{Action: triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: "Bug", Recommendation: text}}}}})
	}
	return out
}

func digest(t testing.TB, list []*triage.Episode) string {
	t.Helper()
	var records []results.Record
	for _, ep := range list {
		records = append(records, results.RecordOf(ep))
	}
	return results.Summarize(task(t, "desk-hard"), records).Answers
}

func TestADigestOfAnswersTellsWhetherAnyChangedThoughNoScoreDid(t *testing.T) {
	t.Parallel()
	base := digest(t, advised("wait", "write", "call"))
	if len(base) != 16 {
		t.Fatalf("%q", base)
	}
	changed := func(change func([]*triage.Episode) []*triage.Episode) string {
		return digest(t, change(advised("wait", "write", "call")))
	}
	for name, other := range map[string]string{
		"another text":        digest(t, advised("wait", "write", "call them")),
		"two that change":     digest(t, advised("write", "wait", "call")),
		"one less":            digest(t, advised("wait", "write")),
		"one that broke":      changed(func(l []*triage.Episode) []*triage.Episode { l[1].Score, l[1].Ended = nil, triage.EndedError; return l }),
		"one that is refused": changed(func(l []*triage.Episode) []*triage.Episode { l[1].Steps[0].Error = "no"; return l }),
		"another trial":       changed(func(l []*triage.Episode) []*triage.Episode { l[1].Key.Trial = 1; return l }),
		"another step":        changed(func(l []*triage.Episode) []*triage.Episode { l[1].Steps = append(l[1].Steps, triage.Step{}); return l }),
	} {
		if other == base {
			t.Errorf("%s gives the same digest", name)
		}
	}
	for name, same := range map[string]string{
		"another order": changed(func(l []*triage.Episode) []*triage.Episode { return []*triage.Episode{l[2], l[0], l[1]} }),
		"another score": changed(func(l []*triage.Episode) []*triage.Episode { l[1].Score = pointer(1); return l }),
		"raw, and other escapes": changed(func(l []*triage.Episode) []*triage.Episode {
			l[1].Steps[0].Action = triage.Action{Raw: []byte(`{ "recommendation" : "\u0077rite", "category" : "Bug" }`)}
			return l
		}),
	} {
		if same != base {
			t.Errorf("%s gives another digest", name)
		}
	}
	refused := func(why string) string {
		return changed(func(l []*triage.Episode) []*triage.Episode { l[1].Steps[0].Error = why; return l })
	}
	broken := func(why string) string {
		return changed(func(l []*triage.Episode) []*triage.Episode {
			l[1].Score, l[1].Ended, l[1].Error, l[1].Steps = nil, triage.EndedError, why, l[1].Steps[:len(why)%2]
			return l
		})
	}
	if refused("no") != refused("not so") || broken("port 1") != broken("port 77") {
		t.Error("the words of an error are no answer")
	}
	if results.Summarize(task(t, "desk-hard"), nil).Answers != "" {
		t.Error("nothing was answered")
	}
}

// Actions that are no JSON, too deep or no text are the same from memory and from a log, also one that was written again.
func TestAnswersOfAnyFormHaveTheSameDigestFromALog(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"no JSON", "\xff\xfe", strings.Repeat("[", 3000) + strings.Repeat("]", 3000), `"text"`, `{"a":1.0,"a":[]}`, "null", "\"\u2028\ufffd\""} {
		list := advised("wait")
		list[0].Steps[0].Action = triage.Action{Raw: []byte(raw)}
		list[0].Efficiency, list[0].Reward = pointer(1), pointer(1)
		want := digest(t, list)
		for range 2 {
			enc := triage.Encoder{Round: true}
			enc.Episode(list[0])
			l := new(results.Logged)
			if err := json.Unmarshal(enc.Buf, l); err != nil {
				t.Fatal(err)
			}
			list[0] = l.Episode()
			if got := digest(t, list); got != want {
				t.Errorf("%.20q: %s in memory and %s on disk", raw, want, got)
			}
		}
	}
}

func TestAResultsFileNamesWhatBrokeAndKeepsTheDigest(t *testing.T) {
	t.Parallel()
	list := []results.Record{{Seed: 44, Position: -1, Trial: 1}, {Seed: 42, Position: -1, Scored: true, Score: 1}, {Seed: 44, Position: -1}, {Seed: 43, Position: 2}}
	r := &results.Results{Agent: "a", Tasks: []results.TaskSummary{results.Summarize(task(t, "queue-hard"), list)}}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := results.ReadResults(&b, "x")
	if err != nil {
		t.Fatal(err)
	}
	want := []results.Playing{{Seed: 43, Position: 2}, {Seed: 44, Position: -1}, {Seed: 44, Position: -1, Trial: 1}}
	if diff := cmp.Diff(want, back.Tasks[0].Broken); diff != "" || back.Tasks[0].Answers != r.Tasks[0].Answers || r.Tasks[0].Answers == "" {
		t.Errorf("%s: %q and %q", diff, r.Tasks[0].Answers, back.Tasks[0].Answers)
	}
	if got := want[2].String() + "; " + want[0].String(); got != "seed 44, trial 1; seed 43, position 2" {
		t.Error(got)
	}
}

func BenchmarkRecordOf(b *testing.B) {
	ep := advised(strings.Repeat("Wait for the next invoice. ", 8))[0]
	b.ReportAllocs()
	for b.Loop() {
		results.RecordOf(ep)
	}
}
