package env

import (
	"context"
	"strings"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

var _ Grading = (*DeskEnv)(nil)

// issueType is a placeholder: it never tells the category.
const issueType = "unclassified"

const (
	messageDesk     = "Answer with "
	messageMissing  = "Still missing: "
	messageComplete = "The ticket is answered."
	messageTooMany  = "The ticket is closed after the third step."
)

// DeskEnv is the environment of the desk track: one ticket, at most three submissions that add up.
type DeskEnv struct {
	base
	ticket  *triage.Case
	text    string
	answer  triage.DeskAction
	summary triage.Summary
}

// Reset begins an episode.
func (e *DeskEnv) Reset(_ context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	source, err := e.begin(opts)
	if err != nil {
		return triage.StepResult{}, err
	}
	e.ticket = source.Ticket(opts.Seed, 0)
	e.text = e.ticket.Truth.Desk.Text
	e.answer, e.summary = triage.DeskAction{}, triage.Summary{}
	e.current = triage.StepResult{Observation: e.observe(messageDesk + strings.Join(e.task.Asked, ", ") + ".")}
	return e.current, nil
}

// Step adds a submission to the answer. The episode ends at the first complete answer or after the third step, graded as
// it stands; only then is there a reward.
func (e *DeskEnv) Step(_ context.Context, a triage.Action) (triage.StepResult, error) {
	refused, err := e.check(&a)
	if err != nil {
		return triage.StepResult{}, err
	}
	merge(&e.answer, &a.Desk)
	e.steps++
	e.last = nil
	missing := e.missing()
	message := messageComplete
	if len(missing) > 0 {
		message = messageMissing + strings.Join(missing, ", ") + "."
		if e.steps == e.task.MaxSteps {
			message = messageTooMany
		}
	}
	if refused {
		message = messageRefused + message
	}
	e.done = len(missing) == 0 || e.steps == e.task.MaxSteps
	reward := 0.0
	if e.done {
		reward = e.finish()
		e.summary.Truncated = len(missing) > 0
	}
	e.current = triage.StepResult{Observation: e.observe(message), Reward: reward, Done: e.done}
	return e.current, nil
}

// merge lets later values replace earlier ones.
func merge(into, from *triage.DeskAction) {
	if from.Category != "" {
		into.Category = from.Category
	}
	if from.Priority != "" {
		into.Priority = from.Priority
	}
	if from.UrgencyDays.Set {
		into.UrgencyDays = from.UrgencyDays
	}
	if from.Department != "" {
		into.Department = from.Department
	}
	if from.Recommendation != "" {
		into.Recommendation = from.Recommendation
	}
}

// missing names the fields that are asked for and not answered yet.
func (e *DeskEnv) missing() []string {
	var out []string
	for _, field := range e.task.Asked {
		var there bool
		switch field {
		case triage.FieldCategory:
			there = e.answer.Category != ""
		case triage.FieldPriority:
			there = e.answer.Priority != ""
		case triage.FieldUrgencyDays:
			there = e.answer.UrgencyDays.Set
		case triage.FieldDepartment:
			there = e.answer.Department != ""
		case triage.FieldRecommendation:
			there = e.answer.Recommendation != ""
		}
		if !there {
			out = append(out, field)
		}
	}
	return out
}

// finish grades the answer and gives the reward.
func (e *DeskEnv) finish() float64 {
	truth := e.ticket.Truth.Desk
	score := grade.Desk(e.task.Difficulty, truth, &e.answer)
	efficiency := grade.DeskEfficiency(truth, &e.answer, e.steps)
	e.last = &score
	e.summary = triage.Summary{Score: score.Total, Efficiency: efficiency, Reward: grade.DeskReward(score.Total, efficiency)}
	return e.summary.Reward
}

func (e *DeskEnv) observe(message string) triage.Observation {
	t := &e.ticket.Ticket
	return triage.Observation{Desk: &triage.DeskObservation{
		TicketID: t.ID, CustomerName: t.CustomerName, IssueText: e.text, IssueType: issueType, SentimentScore: t.Sentiment,
		WaitTimeHours: t.Metadata.WaitTimeHours, IsEscalated: t.Metadata.IsEscalated, StepCount: e.steps,
		TaskDifficulty: e.task.Difficulty, Message: message,
	}}
}

// About tells what is behind the ticket once it is graded.
func (e *DeskEnv) About() *triage.About {
	if e.last == nil {
		return nil
	}
	return aboutOf(e.ticket)
}

// Summary has the figures of the episode once it is done.
func (e *DeskEnv) Summary() (triage.Summary, bool) { return e.summary, e.started && e.done }

// Truth is the right answer of the ticket.
func (e *DeskEnv) Truth() (triage.Truth, bool) {
	if !e.started || e.done {
		return triage.Truth{}, false
	}
	return triage.Truth{Desk: e.ticket.Truth.Desk}, true
}
