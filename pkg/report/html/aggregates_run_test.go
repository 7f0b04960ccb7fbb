package html_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// holds demands texts of a page.
func holds(t *testing.T, page string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page lacks %q", w)
		}
	}
}

// lesson B20: what broke and what was refused is counted next to every mean, and a broken episode counts as 0.
func TestAggregatesOfASmallRunAreThoseCountedByHand(t *testing.T) {
	t.Parallel()
	page := structure(pageOf(t, html.Options{}, small(t)))
	holds(t, page,
		// plain: episodes 5/12, 1 and a broken one that counts as 0
		`<td class="number strong">0.472 [0.000, 1.000]</td>`,
		// what broke is in no slice: T-1 twice, T-2, T-3; of better T-1 twice and T-2
		"pro, n 2", "enterprise, n 1", "below 4, n 2", "4 to 12, n 1", "48 and above, n 1", "no trap, n 2 to 3", "shouting, n 1", "3 or more, n 1",
		// plain misses one critical by three levels and gives no answer once, of four; better misses one by one, of three
		"missed 50 %, over 0 %", "missed 33 %, over 0 %",
		// plain, route: billing 2 of 2, technical 0 of 1 given as billing, feedback not answered
		"Route: accuracy 0.500, macro-F1", `<th scope="row">technical</th><td class="number w5">1 (100 %)</td>`,
		// replies of a model
		`<th scope="row">plain</th><td class="tight">queue-hard</td><td class="number">1</td><td class="number">0</td><td class="number">0</td><td class="number">0</td><td class="number">0</td><td class="number">1</td><td>not_json 1</td>`,
		"plain, queue-hard: n=2 of 3: 1 episode broke through no fault of the agent; what broke counts as 0 here, what was scored has 1.4 points of 2.",
		"plain, queue-hard: 1 answer refused or missing, which scores 0.")
}

// lesson B38: trials are told apart, and are no further tickets.
func TestTrialsOfATicketAreOneTicketAndHaveTheirReliability(t *testing.T) {
	t.Parallel()
	page := structure(pageOf(t, html.Options{}, run(t, "r", []*triage.Episode{desk("a", 1, 0, "Low", "Low"), desk("a", 1, 1, "High", "Low"), desk("a", 2, 0, "Low", "Low"),
		desk("a", 2, 1, "Low", "Low")}, results.TrialsSetting, "2")))
	holds(t, page, "desk-medium: pass^k", "k = 2, n 2", "desk-medium: right is correctness of at least 0.70.",
		`<td class="number">2</td><td class="number">2</td><td class="number">0</td><td>as failed</td><td class="number">0.750`, "below 4, n 1", "4 to 12, n 1")
	if strings.Contains(page, "below 4, n 2") {
		t.Error("trials count as tickets of their own")
	}
}

func TestTwoRunsOfOneAgentAreNamedAfterTheirRuns(t *testing.T) {
	t.Parallel()
	first, second := run(t, "x", []*triage.Episode{desk("a", 1, 0, "Low", "Low")}), run(t, "x", []*triage.Episode{desk("a", 1, 0, "High", "Low"), desk("b", 1, 0, "High", "Low")})
	holds(t, structure(pageOf(t, html.Options{Names: []string{"runs/old", "runs/new"}}, first, second)), `<th scope="row">a, runs/old</th>`, `<th scope="row">a, runs/new</th>`, `<th scope="row">b</th>`)
}

func TestMoreAgentsThanMarksStandInTheTables(t *testing.T) {
	t.Parallel()
	var episodes []*triage.Episode
	for i := range 10 {
		episodes = append(episodes, desk(fmt.Sprintf("agent-%02d", i), 1, 0, "Low", "Low"))
	}
	page := structure(pageOf(t, html.Options{}, run(t, "r", episodes)))
	holds(t, page, "The chart shows the first 8 of 10 agents; the table has all.", "<td class=\"tight\">agent-09</td>", "<summary>Desk: agent-09</summary>")
}

func TestImportedTicketsHaveTheirOwnLabels(t *testing.T) {
	t.Parallel()
	ticket := func(seed int64, got, want string) *triage.Episode {
		o := &triage.DatasetObservation{TicketID: fmt.Sprint("row-", seed), Subject: "", Body: "Where is my card?", Fields: map[string]string{"lang": "en"},
			Labels: map[string][]string{"Level & kind": {"low", "mid", "high"}}}
		score := 0.0
		if got == want {
			score = 1
		}
		return &triage.Episode{Key: triage.Key{Agent: "a", Task: "tickets", Seed: seed}, Score: &score, Reward: &score, Ended: triage.EndedComplete, Steps: []triage.Step{{
			Observation: triage.Observation{Dataset: o}, Action: triage.Action{Track: triage.Dataset, Labels: map[string]string{"Level & kind": got}},
			Score: &triage.Score{Total: score, Parts: []triage.Part{part("Level & kind", got, want, score, 1)}}}}}
	}
	f := run(t, "r", []*triage.Episode{ticket(0, "low", "low"), ticket(1, "low", "high"), ticket(2, "high", "high")})
	r := results.Results{Agent: "a", Tasks: []results.TaskSummary{{Task: triage.Task{Name: "tickets", Track: triage.Dataset}, N: 3, Score: stats.Estimate{N: 3, Mean: 2. / 3},
		WithErrors: stats.Estimate{N: 3, Mean: 2. / 3}, Floor: &results.Floor{Agent: "constant", Score: 0.625}}},
		Columns: []results.ColumnSummary{{Column: results.Column{Name: "Level & kind", Ordered: true, Majority: "low"}, N: 3, Accuracy: 2. / 3, MacroF1: 2. / 3, Kappa: 0.4, MajorityShare: 1. / 3}}, Source: &results.SourceFile{Name: "mine.csv"}}
	if err := results.WriteFile(f.Root, "results-a.json", r.Write); err != nil {
		t.Fatal(err)
	}
	page := structure(pageOf(t, html.Options{}, open(t, f.Root)))
	holds(t, page, "Imported tickets: a", "Level &amp; kind: accuracy 0.667, macro-F1 0.667, weighted kappa 0.400, n 3", "tickets of mine.csv",
		`<td>ordered</td><td class="number">3</td><td class="number">0.667</td><td class="number">0.667</td><td class="number">0.400</td><td class="number">0.333</td><td>low</td>`, `<td class="number">0.625</td>`)
	for _, bad := range []string{`id="difficulty"`, `id="efficiency"`, "NaN"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page of imported tickets holds %q", bad)
		}
	}
}

func TestCallsAreCountedAndATornLastLineIsLeftOut(t *testing.T) {
	t.Parallel()
	m := mail{id: "T", subject: "s", body: "b", route: "billing", wantRoute: "billing", urgency: "low", wantUrgency: "low", difficulty: "easy", wantEffort: "easy", scenario: "billing/x",
		reply: &triage.Reply{Stage: "exact", Text: "{}"}, usage: &triage.Usage{Calls: 1, TokensIn: triage.IntOf(10), TokensOut: triage.IntOf(2), CostNano: triage.IntOf(1_500_000)}}
	f := run(t, "r", []*triage.Episode{queue("llm", "queue-easy", 1, m, m)})
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(f.Root.Name(), results.CallsFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const call = `{"agent":"llm","task":"queue-easy","scope":"x","kept":false,"attempts":[{"status":200,"latency_ms":%d}],"cost_nano_usd":1500000}` + "\n"
	write(fmt.Sprintf(call, 120) + fmt.Sprintf(call, 480) + `{"agent":"llm","ta`)
	holds(t, structure(pageOf(t, html.Options{}, f)), `<td class="number">2</td><td class="number">0</td><td class="number">0</td><td class="number">0</td><td class="number">20</td>`,
		`<td class="number">0.0030</td><td class="number">0.0030</td><td class="number">120</td><td class="number">480</td><td class="number">480</td>`)
	write("{}\nno call\n")
	if _, err := html.Collect(t.Context(), []*results.Folder{f}, html.Options{}); err == nil || !strings.Contains(err.Error(), "calls.jsonl:2: not a call") {
		t.Errorf("a line that is no call gives %v", err)
	}
}

// BenchmarkPage makes the page of 20,400 tickets: what a person waits for. It reports the file's size.
func BenchmarkPage(b *testing.B) {
	var mails [12]mail
	var episodes []*triage.Episode
	for seed := range int64(1700) {
		for i := range mails {
			mails[i] = mail{id: fmt.Sprintf("T-%d-%d", seed, i), subject: fmt.Sprint("Invoice ", seed*7919%1000), body: strings.Repeat(fmt.Sprintf("Line %d of the letter, %x. ", i, seed*104729+int64(i)), 25),
				tier: triage.Pro, wait: float64(i), route: "billing", wantRoute: "billing", urgency: "low", wantUrgency: "high", difficulty: "easy", wantEffort: "easy",
				scenario: fmt.Sprintf("billing/%d", i), traps: []string{"thread"}}
		}
		episodes = append(episodes, queue("a", "queue-hard", seed, mails[:]...))
	}
	f := run(b, "r", episodes)
	var size counting
	for b.Loop() {
		p, err := html.Collect(b.Context(), []*results.Folder{f}, html.Options{})
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		if err := p.Write(&size); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size)/1e6, "MB/page")
}

type counting int

func (c *counting) Write(p []byte) (int, error) { *c += counting(len(p)); return len(p), nil }

// Each trap that is shown costs a look at every ticket: a hundred thousand of them would take minutes.
func TestOfManyTrapsTheMostFrequentAreShown(t *testing.T) {
	t.Parallel()
	m := mail{id: "T", subject: "s", body: "b", route: "billing", wantRoute: "billing", urgency: "low", wantUrgency: "low", difficulty: "easy", wantEffort: "easy", scenario: "billing/x"}
	plain, often := m, m
	for i := range 40_000 {
		m.traps = append(m.traps, fmt.Sprintf("trap%d", i))
	}
	m.traps = append(m.traps, "often")
	often.traps = []string{"often"}
	page := structure(pageOf(t, html.Options{}, run(t, "r", []*triage.Episode{queue("a", "queue-easy", 1, m, plain, often)})))
	holds(t, page, "Traps in the text: the 60 most frequent of 40001", `<th scope="row">often</th>`, `<th scope="row">trap0</th>`)
	if strings.Contains(page, `<th scope="row">trap9999</th>`) {
		t.Error("all traps are shown")
	}
}

func TestCollectingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("somebody pressed Ctrl-C")
	cancel(why)
	if _, err := html.Collect(ctx, []*results.Folder{small(t)}, html.Options{}); !errors.Is(err, why) {
		t.Errorf("it gives %v", err)
	}
}
