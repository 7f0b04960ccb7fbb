package export_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/report/export"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// hostile holds what breaks careless outputs.
const hostile = "=cmd|' /C calc'!A0\t;=1+1 \x00\x1b[31m\ufffe \u202e</script><img src=x onerror=alert(1)> ]]> | `x` \u2028 \xff\xfe 'q' \"q\"\r\n-2+3"

// source is the run of the fixtures.
func source() *export.Source {
	return &export.Source{Name: "results/first", Generator: "2-abc", Grader: "1-def", Split: "train", Bank: "public", Created: "2026-11-30T03:16:48Z",
		Models: map[string]string{"llamacpp:tiny": "tiny"}}
}

func part(name string, value, weight float64, code triage.WhyCode, got, want string) triage.Part {
	return triage.Part{Name: name, Value: value, Weight: weight, Why: triage.Why{Code: code, Got: got, Want: want}}
}

func queueStep(position int, subject, body string, total float64, route string) triage.Step {
	code, value := triage.WhyExact, 1.0
	if route != "billing" {
		code, value = triage.WhyWrong, 0
	}
	return triage.Step{Observation: triage.Observation{Queue: &triage.QueueObservation{Task: "queue-hard", Position: position, TotalTickets: 2, Remaining: 2 - position,
		Stats: &triage.QueueStats{Processed: position, MeanReward: total}, Message: "Triage this ticket.",
		Ticket: &triage.QueueTicket{ID: "TKT-1", Subject: subject, Description: body, Metadata: triage.Metadata{Channel: "email", CustomerTier: "pro", WaitTimeHours: 21.5, Language: "en"}}}},
		Action: triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Route(route), Priority: triage.IntOf(7)}},
		Score:  &triage.Score{Total: total, Parts: []triage.Part{part("route", value, 0.4, code, route, "billing"), part("urgency", 0, 0.25, triage.WhyAbsent, "", "low")}},
		About:  &triage.About{Scenario: "billing/refund", Traps: []string{"negation", "thread"}}}
}

func deskStep(count int, action triage.DeskAction, score *triage.Score) triage.Step {
	return triage.Step{Observation: triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-7", CustomerName: "Eve =1", IssueText: "It broke\n\nSince noon.", IssueType: "unclassified",
		SentimentScore: -0.5, WaitTimeHours: 3, StepCount: count, TaskDifficulty: triage.Medium, Message: "Answer."}}, Action: triage.Action{Track: triage.Desk, Desk: action}, Score: score}
}

func value(v float64) *float64 { return &v }

// queueRun has two agents on two tickets; one of them is a model in two trials.
func queueRun() []*triage.Episode {
	first := &triage.Episode{Key: triage.Key{Agent: "heuristic", Task: "queue-hard", Seed: 42}, Ended: triage.EndedComplete, Score: value(0.7), Efficiency: value(0.5), Reward: value(0.7),
		Steps: []triage.Step{queueStep(0, "Refund", "Where is it?", 1, "billing"), queueStep(1, hostile, hostile, 0.4, "spam")}}
	first.Steps[0].Score.Parts[1] = part("urgency", 1, 0.25, triage.WhyExact, "low", "low")
	model := func(trial int, total float64, route string) *triage.Episode {
		s := queueStep(0, "Refund", "Where is it?", total, route)
		s.Observation.Queue.Stats.MeanReward = 0.25 // another agent has other figures
		s.Usage = &triage.Usage{Calls: 1, TokensIn: triage.IntOf(1500), TokensOut: triage.IntOf(40), CostNano: triage.IntOf(1_250_000_001)}
		s.Reply = &triage.Reply{Stage: "fenced", Text: "```json\n{\"route_category\":\"" + route + "\"}\n```", Finish: "length", Model: "tiny-2"}
		bad := queueStep(1, hostile, hostile, 0, "")
		bad.Action = triage.Action{Raw: []byte("not json " + hostile)}
		bad.Error = "no readable answer: truncated " + hostile
		bad.Usage, bad.Reply = &triage.Usage{Calls: 2, Reasks: 1}, &triage.Reply{Stage: "none", Cause: "truncated", Text: hostile, Finish: "odd"}
		return &triage.Episode{Key: triage.Key{Agent: "llamacpp:tiny", Task: "queue-hard", Seed: 42, Trial: trial}, Ended: triage.EndedComplete,
			Score: value(total / 2), Efficiency: value(0.5), Reward: value(total / 2), Steps: []triage.Step{s, bad}}
	}
	broke := &triage.Episode{Key: triage.Key{Agent: "heuristic", Task: "queue-hard", Seed: 43}, Ended: triage.EndedError, Error: "connection refused " + hostile,
		Steps: []triage.Step{queueStep(0, "Invoice", "Which one?", 1, "billing")}}
	return []*triage.Episode{first, broke, model(0, 0.6, "billing"), model(1, 0.2, "technical")}
}

// deskRun has an answer in two steps, a broken episode and one that nobody graded.
func deskRun() []*triage.Episode {
	score := &triage.Score{Total: 0.75, Parts: []triage.Part{part("category", 1, 0.5, triage.WhyExact, "Bug", "Bug"), part("priority", 0.5, 0.5, triage.WhyOneOff, "High", "Low")}}
	return []*triage.Episode{
		{Key: triage.Key{Agent: "heuristic", Task: "desk-medium", Seed: 42}, Ended: triage.EndedComplete, Score: value(0.75), Efficiency: value(0.666667), Reward: value(0.725),
			Steps: []triage.Step{deskStep(0, triage.DeskAction{Category: "Question", Priority: "High"}, nil), deskStep(1, triage.DeskAction{Category: "Bug"}, score)}},
		{Key: triage.Key{Agent: "heuristic", Task: "desk-medium", Seed: 43}, Ended: triage.EndedError, Error: "timeout"},
		{Key: triage.Key{Agent: "heuristic", Task: "desk-medium", Seed: 44}, Ended: triage.EndedTruncated, Score: value(0.25), Steps: []triage.Step{deskStep(0, triage.DeskAction{}, nil)}},
	}
}

// importedRun has label columns whose names are those of other columns.
func importedRun() []*triage.Episode {
	step := triage.Step{Observation: triage.Observation{Dataset: &triage.DatasetObservation{TicketID: "00123", Subject: "-5", Body: "x", Fields: map[string]string{"a": "b"},
		Labels: map[string][]string{"score": {"1", "2"}, "tea\"m": {"billing", "spam"}}}},
		Action: triage.Action{Track: triage.Dataset, Labels: map[string]string{"score": "1", "tea\"m": "spam"}},
		Score:  &triage.Score{Total: 0.5, Parts: []triage.Part{part("score", 1, 0.5, triage.WhyExact, "1", "1"), part("tea\"m", 0, 0.5, triage.WhyWrong, "spam", "billing")}}}
	return []*triage.Episode{{Key: triage.Key{Agent: "constant", Task: "tickets", Seed: 3}, Ended: triage.EndedComplete, Score: value(0.5), Efficiency: value(1), Reward: value(0.5), Steps: []triage.Step{step}}}
}

// fixtures are the runs with the parts of their answers.
func fixtures() map[string]struct {
	episodes []*triage.Episode
	parts    []string
} {
	return map[string]struct {
		episodes []*triage.Episode
		parts    []string
	}{
		"queue":    {queueRun(), []string{"route", "urgency", "difficulty", "priority"}},
		"desk":     {deskRun(), []string{"category", "priority", "urgency_days"}},
		"imported": {importedRun(), []string{"score", "tea\"m"}},
	}
}

// logged gives episodes as they are read from a log.
func logged(t testing.TB, episodes []*triage.Episode) []*results.Logged {
	t.Helper()
	e := triage.Encoder{Round: true}
	for _, ep := range episodes {
		e.Episode(ep)
		e.Buf = append(e.Buf, '\n')
	}
	var out []*results.Logged
	if err := results.ReadLog(bytes.NewReader(e.Buf), "log", func(_ int, ep *results.Logged) error {
		out = append(out, ep)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// writers makes the writer of each format.
func writers(parts []string) map[string]func(w io.Writer) export.Writer {
	return map[string]func(w io.Writer) export.Writer{
		"csv":         func(w io.Writer) export.Writer { return export.NewCSV(w, parts) },
		"jsonl":       func(w io.Writer) export.Writer { return export.NewJSONL(w, parts) },
		"junit.xml":   func(w io.Writer) export.Writer { return export.NewJUnit(w, 0) },
		"chat.jsonl":  func(w io.Writer) export.Writer { return export.NewChat(w) },
		"pairs.jsonl": func(w io.Writer) export.Writer { return export.NewPairs(w, export.PairOptions{}) },
		"inspect.json": func(w io.Writer) export.Writer {
			return export.NewInspect(func(_ string, write func(io.Writer) error) error { return write(w) })
		},
	}
}

// write writes episodes in a format.
func write(w export.Writer, src *export.Source, episodes []*results.Logged) error {
	for _, ep := range episodes {
		if err := w.Episode(src, ep); err != nil {
			return err
		}
	}
	return w.Close()
}

// written is what a format gives.
func written(t testing.TB, episodes []*triage.Episode, make func(w io.Writer) export.Writer) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(make(&b), source(), logged(t, episodes)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryFormatIsItsGolden(t *testing.T) {
	t.Parallel()
	for run, f := range fixtures() {
		for format, make := range writers(f.parts) {
			if format != "inspect.json" && format != "pairs.jsonl" || run == "queue" && format == "pairs.jsonl" {
				testkit.Golden(t, filepath.Join("testdata", run+"."+format), written(t, f.episodes, make))
			}
		}
	}
	// logs of inspect_ai, one by one
	for run, f := range fixtures() {
		var names []string
		x := export.NewInspect(func(name string, write func(io.Writer) error) error {
			names = append(names, name)
			var b bytes.Buffer
			if err := write(&b); err != nil {
				return err
			}
			_, agent, _ := strings.Cut(strings.Split(name, "_")[2], "-") // after the id
			testkit.Golden(t, filepath.Join("testdata", run+"."+strings.TrimSuffix(agent, ".json")+".inspect.json"), b.String())
			return nil
		})
		if err := write(x, source(), logged(t, f.episodes)); err != nil {
			t.Fatal(err)
		}
		if len(names) != x.Logs() || !strings.HasPrefix(names[0], "2026-11-30T03-16-48_") {
			t.Errorf("the logs are %q", names)
		}
	}
}

func TestAWriterThatFailsAtAnyPointIsAnError(t *testing.T) {
	t.Parallel()
	for run, f := range fixtures() {
		episodes := logged(t, f.episodes)
		for format, make := range writers(f.parts) {
			whole := written(t, f.episodes, make)
			for left := 0; left < len(whole); left += 1 + len(whole)/100 {
				if err := write(make(&testkit.Full{Room: left}), source(), episodes); !errors.Is(err, testkit.ErrFull) {
					t.Fatalf("%s, %s: a writer that is full after %d of %d bytes gives %v", run, format, left, len(whole), err)
				}
			}
			if err := write(make(&testkit.Full{Room: len(whole)}), source(), episodes); err != nil {
				t.Errorf("%s, %s: a writer with room for all gives %v", run, format, err)
			}
		}
	}
}
