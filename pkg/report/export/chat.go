package export

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Chat writes conversations for training: a line an episode, with a message for each observation as the agent saw it, one for each
// answer, and the rewards.
type Chat struct {
	w   io.Writer
	enc triage.Encoder
	// Replies takes a model's own text for its answers, where there is one, instead of the action that was read from it.
	Replies bool
	// Left counts episodes that are left out: they broke and have no reward.
	Left int
}

var _ Writer = (*Chat)(nil)

// NewChat writes conversations.
func NewChat(w io.Writer) *Chat { return &Chat{w: w} }

// System is what tells a model of its task: what it is to answer, and how. It does not depend on the ticket.
func System(task triage.Task) string {
	switch task.Track {
	case triage.Queue:
		return fmt.Sprintf("You triage support tickets. Each message shows one ticket as JSON. Answer with one JSON object: %s (one of %s), %s (one of %s), %s (one of %s), %s (an integer from 0 to 100).",
			triage.FieldRoute, words(triage.Routes()), triage.FieldUrgency, words(triage.Urgencies()), triage.FieldDifficulty, words(triage.Resolutions()), triage.FieldPriorityScore)
	case triage.Desk:
		var fields []string
		for _, f := range task.Asked {
			fields = append(fields, f+" ("+deskField(f)+")")
		}
		return "You triage a support ticket, which a message shows as JSON. Answer with one JSON object: " + strings.Join(fields, ", ") + "."
	}
	return `You label a support ticket, which a message shows as JSON. Answer with one JSON object that gives each name in "labels" one of its values.`
}

func deskField(name string) string {
	switch name {
	case triage.FieldCategory:
		return "one of " + words(triage.Categories())
	case triage.FieldPriority:
		return "one of " + words(triage.Priorities())
	case triage.FieldUrgencyDays:
		return "an integer from 1 to 7"
	case triage.FieldDepartment:
		return "one of " + words(triage.Departments())
	}
	return "what to do, in a sentence"
}

func words[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

// Episode writes the line of an episode; one that broke is left out and counted.
func (c *Chat) Episode(src *Source, ep *results.Logged) error {
	if ep.Ended == triage.EndedError || ep.Score == nil {
		c.Left++
		return nil
	}
	e := &c.enc
	e.Buf = append(e.Buf[:0], `{"messages":[`...)
	message(e, "system", System(taskOf(ep.Key)))
	for i := range ep.Steps {
		s := &ep.Steps[i]
		e.Buf = append(e.Buf, ',')
		message(e, "user", string(compact(s.Observation)))
		e.Buf = append(e.Buf, ',')
		message(e, "assistant", c.said(s))
	}
	e.Buf = append(e.Buf, `],"reward":`...)
	rewards := stepRewards(ep)
	e.Buf = triage.AppendRounded(e.Buf, rewardOf(ep))
	e.Buf = append(e.Buf, `,"step_rewards":[`...)
	for i, r := range rewards {
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.Buf = triage.AppendRounded(e.Buf, r)
	}
	e.Buf = append(e.Buf, `],"score":`...)
	e.Buf = triage.AppendRounded(e.Buf, *ep.Score)
	e.Buf = append(e.Buf, `,"key":`...)
	appendKey(e, ep.Key)
	provenance(e, "agent", ep.Key.Agent)
	provenance(e, "run", src.Name)
	provenance(e, "split", src.Split)
	provenance(e, "generator", src.Generator)
	e.Buf = append(e.Buf, '}', '\n')
	_, err := c.w.Write(e.Buf)
	return err
}

// Close does nothing: the last line is complete.
func (c *Chat) Close() error { return nil }

// said is what the agent answered: its action, and where that was refused the text that it gave.
func (c *Chat) said(s *results.LoggedStep) string {
	if s.Reply != nil && (c.Replies || s.Error != nil) {
		return s.Reply.Text
	}
	return string(compact(s.Action))
}

func message(e *triage.Encoder, role, content string) {
	e.Buf = append(e.Buf, `{"role":"`+role+`","content":`...)
	e.String(content)
	e.Buf = append(e.Buf, '}')
}

// provenance appends a text, or null where it is empty.
func provenance(e *triage.Encoder, key, value string) {
	e.Buf = append(e.Buf, `,"`+key+`":`...)
	if value == "" {
		e.Buf = append(e.Buf, "null"...)
		return
	}
	e.String(value)
}

func appendKey(e *triage.Encoder, k triage.Key) {
	e.Buf = append(e.Buf, `{"agent":`...)
	e.String(k.Agent)
	e.Buf = append(e.Buf, `,"task":`...)
	e.String(k.Task)
	e.Buf = append(e.Buf, `,"seed":`...)
	e.Buf = strconv.AppendInt(e.Buf, k.Seed, 10)
	e.Buf = append(e.Buf, `,"position":`...)
	if k.Position.Set {
		e.Buf = strconv.AppendInt(e.Buf, int64(k.Position.Value), 10)
	} else {
		e.Buf = append(e.Buf, "null"...)
	}
	e.Buf = append(e.Buf, `,"trial":`...)
	e.Buf = strconv.AppendInt(e.Buf, int64(k.Trial), 10)
	e.Buf = append(e.Buf, '}')
}

// rewardOf is what an episode earned in all: its reward, or its score where the environment tells no reward.
func rewardOf(ep *results.Logged) float64 {
	if ep.Reward != nil {
		return *ep.Reward
	}
	return *ep.Score
}

// millionths are the units of rewards in files.
const millionths = 1e6

// stepRewards spreads the reward of an episode over its steps: on the queue track by what each ticket earned, elsewhere all of it
// stands in the last step. In millionths, as they are written, they sum to the reward.
func stepRewards(ep *results.Logged) []float64 {
	out := make([]float64, len(ep.Steps))
	whole := math.Round(rewardOf(ep) * millionths)
	sum := 0.0
	for i := range ep.Steps {
		if s := ep.Steps[i].Score; s != nil {
			sum += s.Total
		}
	}
	if taskOf(ep.Key).Track != triage.Queue || sum == 0 {
		out[len(out)-1] = whole / millionths
		return out
	}
	soFar, before := 0.0, 0.0
	for i := range ep.Steps {
		if s := ep.Steps[i].Score; s != nil {
			soFar += s.Total
		}
		to := math.Round(whole * (soFar / sum))
		out[i] = (to - before) / millionths
		before = to
	}
	return out
}
