package html_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }

// run writes a run folder that is interrupted: it has episodes and no results files. Further settings come in pairs.
func run(t testing.TB, name string, episodes []*triage.Episode, settings ...string) *results.Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	var agents []string
	seen := map[string]bool{}
	for _, ep := range episodes {
		if !seen[ep.Key.Agent] {
			seen[ep.Key.Agent] = true
			agents = append(agents, ep.Key.Agent)
		}
	}
	s := results.Settings{results.AgentsSetting: results.JoinAgents(agents), "seed": "1", "split": "test", "bank": "public", "generator": "2-abc", "grader": "1-def", "secret": ""}
	for i := 0; i+1 < len(settings); i += 2 {
		s[settings[i]] = settings[i+1]
	}
	j, err := results.CreateRun(root, s, len(episodes), noon)
	if err != nil {
		t.Fatal(err)
	}
	for i, ep := range episodes {
		if err := j.Append(i, ep); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Finish(); err != nil {
		t.Fatal(err)
	}
	return open(t, root)
}

func open(t testing.TB, root *os.Root) *results.Folder {
	t.Helper()
	f, err := results.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// part makes a graded part.
func part(name, got, want string, value, weight float64) triage.Part {
	why := triage.Why{Got: got, Want: want, Code: triage.WhyWrong}
	switch got {
	case want:
		why.Code = triage.WhyExact
	case "":
		why.Code = triage.WhyAbsent
	}
	return triage.Part{Name: name, Value: value, Weight: weight, Why: why}
}

// mail is a queue ticket with its answer.
type mail struct {
	id, subject, body                  string
	tier                               triage.Tier
	wait                               float64
	selected                           triage.Route
	escalated                          bool
	contacts                           int
	route, urgency, difficulty         string // given
	wantRoute, wantUrgency, wantEffort string
	scenario                           string
	traps                              []string
	refused                            string
	reply                              *triage.Reply
	usage                              *triage.Usage
}

func (m *mail) step(task string, position int) triage.Step {
	o := &triage.QueueObservation{Task: task, Position: position, TotalTickets: 3, Message: "Triage this ticket.", Ticket: &triage.QueueTicket{ID: m.id, Subject: m.subject,
		Description: m.body, Metadata: triage.Metadata{Channel: "email", CustomerTier: m.tier, WaitTimeHours: m.wait, SelectedCategory: m.selected, IsEscalated: m.escalated,
			PreviousContacts: m.contacts, Language: "en"}}}
	value := func(got, want string) float64 {
		if got == want {
			return 1
		}
		return 0
	}
	parts := []triage.Part{part("route", m.route, m.wantRoute, value(m.route, m.wantRoute), 0.5), part("urgency", m.urgency, m.wantUrgency, value(m.urgency, m.wantUrgency), 0.25),
		part("difficulty", m.difficulty, m.wantEffort, value(m.difficulty, m.wantEffort), 0.25)}
	total := 0.0
	for _, p := range parts {
		total += p.Value * p.Weight
	}
	return triage.Step{Observation: triage.Observation{Queue: o}, Action: triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Route(m.route),
		Urgency: triage.Urgency(m.urgency), Difficulty: triage.Resolution(m.difficulty)}}, Score: &triage.Score{Total: total, Parts: parts},
		About: &triage.About{Scenario: m.scenario, Traps: m.traps}, Error: m.refused, Reply: m.reply, Usage: m.usage}
}

// queue makes an episode of a queue task.
func queue(agent, task string, seed int64, mails ...mail) *triage.Episode {
	ep := &triage.Episode{Key: triage.Key{Agent: agent, Task: task, Seed: seed}, Ended: triage.EndedComplete}
	sum := 0.0
	for i := range mails {
		s := mails[i].step(task, i)
		ep.Steps = append(ep.Steps, s)
		sum += s.Score.Total
	}
	score, efficiency := sum/float64(len(mails)), 0.5
	ep.Score, ep.Reward, ep.Efficiency = &score, &score, &efficiency
	return ep
}

// broken makes an episode that broke after some tickets.
func broken(agent, task string, seed int64, mails ...mail) *triage.Episode {
	ep := &triage.Episode{Key: triage.Key{Agent: agent, Task: task, Seed: seed}, Ended: triage.EndedError, Error: "the server is gone"}
	for i := range mails {
		ep.Steps = append(ep.Steps, mails[i].step(task, i))
	}
	return ep
}

// desk makes an episode of desk-medium in two steps, graded in the last.
func desk(agent string, seed int64, trial int, priority, want string) *triage.Episode {
	o := &triage.DeskObservation{TicketID: fmt.Sprintf("DSK-%d", seed), CustomerName: "Ada Quist", IssueText: "It is slow\n\nThe list takes a minute.", IssueType: "unclassified",
		SentimentScore: -0.5, WaitTimeHours: float64(3 * (seed % 100)), TaskDifficulty: triage.Medium, Message: "Answer."}
	score := 1.0
	if priority != want {
		score = 0.5
	}
	first := triage.Step{Observation: triage.Observation{Desk: o}, Action: triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug}}}
	more := *o
	more.StepCount, more.Message = 1, "Still missing: priority."
	last := triage.Step{Observation: triage.Observation{Desk: &more}, Action: triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Priority: triage.Priority(priority)}},
		Score: &triage.Score{Total: score, Parts: []triage.Part{part("category", "Bug", "Bug", 1, 0.5), part("priority", priority, want, 2*score-1, 0.5)}},
		About: &triage.About{Scenario: "technical/slow-list"}}
	return &triage.Episode{Key: triage.Key{Agent: agent, Task: "desk-medium", Seed: seed, Trial: trial}, Steps: []triage.Step{first, last}, Score: &score, Reward: &score,
		Efficiency: &score, Ended: triage.EndedComplete}
}

// small is a run of two agents on one queue task: seven graded tickets, one refused answer and one broken episode.
func small(t testing.TB) *results.Folder {
	t.Helper()
	a := mail{id: "T-1", subject: "Invoice twice", body: "We were billed twice.", tier: triage.Pro, wait: 3.9, selected: triage.Billing, route: "billing", wantRoute: "billing",
		urgency: "low", wantUrgency: "low", difficulty: "easy", wantEffort: "easy", scenario: "billing/twice"}
	b := mail{id: "T-2", subject: "Printer on fire", body: "Smoke everywhere.", tier: triage.Enterprise, wait: 4, selected: triage.Feedback, escalated: true, contacts: 5, route: "billing",
		wantRoute: "technical", urgency: "low", wantUrgency: "critical", difficulty: "hard", wantEffort: "hard", scenario: "technical/fire", traps: []string{"shouting", "thread"}}
	c := mail{id: "T-3", subject: "Nice work", body: "Thank you all.", tier: triage.Free, wait: 60, route: "", wantRoute: "feedback", urgency: "", wantUrgency: "low",
		difficulty: "", wantEffort: "easy", scenario: "feedback/praise", refused: "no JSON in the reply",
		reply: &triage.Reply{Stage: "none", Cause: "not_json", Text: "I would rather not.", Finish: "stop"}, usage: &triage.Usage{Calls: 1, TokensIn: triage.IntOf(100), TokensOut: triage.IntOf(5)}}
	right := b
	right.route, right.urgency = "technical", "high"
	return run(t, "small", []*triage.Episode{queue("plain", "queue-hard", 1, a, b, c), queue("plain", "queue-hard", 2, a), broken("plain", "queue-hard", 3, b),
		queue("better", "queue-hard", 1, a, right), queue("better", "queue-hard", 2, a)})
}

// pageOf writes a page of folders.
func pageOf(t testing.TB, o html.Options, folders ...*results.Folder) string {
	t.Helper()
	p, err := html.Collect(t.Context(), folders, o)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, p)
}

func written(t testing.TB, p *html.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// without cuts everything between two marks out of a text, each time.
func without(text, from, to string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, from)
		if i < 0 {
			return b.String() + text
		}
		j := strings.Index(text[i:], to)
		if j < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		text = text[i+j+len(to):]
	}
}
