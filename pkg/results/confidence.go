package results

import (
	"maps"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/triage"
)

// Confidences collects how sure agents were, and whether they were right. Answers without a confidence are counted; an agent that never
// gave one has no figures. Confidences are rounded as in files. The zero value is empty; it is not for concurrent use.
type Confidences struct{ tallies map[Pair]*sureTally }

// sureTally is what is kept of an agent on a task.
type sureTally struct {
	task   triage.Task
	answer sureAnswers
	fields map[string]*sureAnswers // by field on the wire
}

// sureAnswers are answers with their confidence: millionths of it, shifted by one, and whether the answer was right. graded are all, also
// those without one.
type sureAnswers struct {
	list   []uint32
	graded int
}

const sureScale = 1e6

func (s *sureAnswers) add(confidence triage.Share, right bool) {
	s.graded++
	if !confidence.Set {
		return
	}
	v := uint32(math.Round(float64(triage.Rounded(confidence.Value)*sureScale))) << 1
	if right {
		v |= 1
	}
	s.list = append(s.list, v)
}

// values are the confidences and whether the answers were right.
func (s *sureAnswers) values() (confidences []float64, right []bool) {
	list := slices.Clone(s.list)
	slices.Sort(list) // sums do not depend on the order in which episodes came
	confidences, right = make([]float64, len(list)), make([]bool, len(list))
	for i, v := range list {
		confidences[i], right[i] = float64(v>>1)/sureScale, v&1 == 1
	}
	return confidences, right
}

// FieldOfPart is the action's field that a graded part of a track is about.
func FieldOfPart(track triage.Track, part string) string {
	if track == triage.Queue {
		switch part {
		case "route":
			return triage.FieldRoute
		case "urgency":
			return triage.FieldUrgency
		case "difficulty":
			return triage.FieldDifficulty
		case "priority":
			return triage.FieldPriorityScore
		}
	}
	return part
}

// ConfidenceOf is the confidence of the answer of a step; nil where it has none or was refused. It may be in memory or from a log.
func ConfidenceOf(s *triage.Step) *triage.Confidence {
	switch {
	case s.Error != "":
		return nil
	case s.Action.Raw != nil:
		return triage.LoggedConfidence(s.Action.Raw)
	}
	return s.Action.Confidence
}

// Sure joins the confidences of steps that answer one ticket together: later ones replace earlier ones, field by field. It gives nil where
// there is none.
func Sure(steps []triage.Step) *triage.Confidence {
	if len(steps) == 1 {
		return ConfidenceOf(&steps[0])
	}
	var out *triage.Confidence
	for i := range steps {
		c := ConfidenceOf(&steps[i])
		switch {
		case c == nil:
		case out == nil || c.Answer.Set:
			out = c
		default:
			fields := maps.Clone(out.Fields)
			if fields == nil {
				fields = map[string]float64{}
			}
			maps.Copy(fields, c.Fields)
			out = triage.SureOfFields(fields)
		}
	}
	return out
}

// Add takes an episode. One that broke is left out.
func (c *Confidences) Add(ep *triage.Episode) {
	if ep.Score == nil || ep.Ended == triage.EndedError {
		return
	}
	pair := Pair{ep.Key.Agent, ep.Key.Task}
	t := c.tallies[pair]
	if t == nil {
		if c.tallies == nil {
			c.tallies = map[Pair]*sureTally{}
		}
		t = &sureTally{task: taskNamed(ep.Key.Task), fields: map[string]*sureAnswers{}}
		c.tallies[pair] = t
	}
	if t.task.Track == triage.Desk {
		if n := len(ep.Steps); n > 0 && ep.Steps[n-1].Score != nil {
			t.ticket(Sure(ep.Steps), ep.Steps[n-1].Score, triage.Rounded(*ep.Score))
		}
		return
	}
	for i := range ep.Steps {
		if s := ep.Steps[i].Score; s != nil && len(s.Parts) > 0 {
			t.ticket(ConfidenceOf(&ep.Steps[i]), s, triage.Rounded(s.Total))
		}
	}
}

// ticket adds a graded ticket.
func (t *sureTally) ticket(c *triage.Confidence, s *triage.Score, total float64) {
	t.answer.add(c.Least(), Right(t.task, total))
	for i := range s.Parts {
		name := FieldOfPart(t.task.Track, s.Parts[i].Name)
		f := t.fields[name]
		if f == nil {
			f = &sureAnswers{}
			t.fields[name] = f
		}
		var own triage.Share
		if c != nil {
			if v, ok := c.Fields[name]; ok {
				own = triage.ShareOf(v)
			}
		}
		f.add(own, triage.Rounded(s.Parts[i].Value) == 1)
	}
}

// Of gives the figures of an agent on a task; nil where it gave no confidence.
func (c *Confidences) Of(agent, task string) *TaskConfidence {
	t := c.tallies[Pair{agent, task}]
	if t == nil || len(t.answer.list) == 0 {
		return nil
	}
	out := &TaskConfidence{Answer: confidenceFigures(&t.answer)}
	for name, f := range t.fields {
		if len(f.list) > 0 {
			if out.Fields == nil {
				out.Fields = map[string]ConfidenceFigures{}
			}
			out.Fields[name] = confidenceFigures(f)
		}
	}
	return out
}
