package grade

import (
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// The names of the parts of a queue ticket, in their order.
const (
	PartRoute      = "route"
	PartUrgency    = "urgency"
	PartDifficulty = "difficulty"
	PartPriority   = "priority"
)

// The weights of a queue ticket's parts.
const (
	weightRoute      = 0.4
	weightUrgency    = 0.25
	weightDifficulty = 0.15
	weightPriority   = 0.20
)

// Credit for a route: the right team, the secondary request's team; and what the other parts are worth after it.
const (
	secondaryRoute             = 0.3
	gateRight, gateSecond      = 1.0, 0.5
	gateWrong                  = 0.25
	priorityExact, priorityOff = 2, 15 // within 2 points full credit, none from 15 points off
)

// QueueParts is the number of parts that [Queue] gives.
const QueueParts = 4

// Queue grades an answer to a queue ticket. The reward, 0..1, is
//
//	0.4·route + g·(0.25·urgency + 0.15·difficulty + 0.20·priority)
//
// where g is 1 after the right route, 0.5 after the secondary request's team and 0.25 after a wrong one. The parts'
// values are the answers' own merits, before g. buf is used for the parts if it has room for [QueueParts] more.
func Queue(buf []triage.Part, truth *triage.QueueTruth, a *triage.QueueAction) triage.Score {
	route := gradeRoute(truth, a.Route)
	urgency := gradeLevel(PartUrgency, weightUrgency, string(a.Urgency), string(truth.Urgency), a.Urgency.Level(), truth.Urgency.Level())
	difficulty := gradeLevel(PartDifficulty, weightDifficulty, string(a.Difficulty), string(truth.Difficulty),
		a.Difficulty.Level(), truth.Difficulty.Level())
	priority := gradePriorityScore(truth.Priority, a.Priority)
	gate := gateWrong
	switch {
	case a.Route == truth.Route:
		gate = gateRight
	case a.Route != "" && a.Route == truth.Secondary:
		gate = gateSecond
	}
	rest := float64(urgency.Weight*urgency.Value) + float64(difficulty.Weight*difficulty.Value)
	rest += float64(priority.Weight * priority.Value)
	total := float64(route.Weight*route.Value) + float64(gate*rest)
	parts := append(buf, route, urgency, difficulty, priority)
	if route.Value == 1 && urgency.Value == 1 && difficulty.Value == 1 && priority.Value == 1 {
		total = 1 // the weights sum to 1 only up to rounding
	}
	return triage.Score{Total: total, Parts: parts[len(buf):]}
}

func gradeRoute(truth *triage.QueueTruth, got triage.Route) triage.Part {
	p := triage.Part{Name: PartRoute, Weight: weightRoute, Why: triage.Why{Got: string(got), Want: string(truth.Route)}}
	switch got {
	case truth.Route:
		p.Value, p.Why.Code = 1, triage.WhyExact
	case "":
		p.Why.Code = triage.WhyAbsent
	case truth.Secondary:
		p.Value, p.Why.Code = secondaryRoute, triage.WhySecondary
	default:
		p.Why.Code = triage.WhyWrong
	}
	return p
}

// gradeLevel grades an ordered label: 1 exact, 0.5 one level off, else 0.
func gradeLevel(name string, weight float64, got, want string, gotLevel, wantLevel int) triage.Part {
	p := triage.Part{Name: name, Weight: weight, Why: triage.Why{Got: got, Want: want}}
	switch d := gotLevel - wantLevel; {
	case gotLevel < 0:
		p.Why.Code = triage.WhyAbsent
	case d == 0:
		p.Value, p.Why.Code = 1, triage.WhyExact
	case d == 1 || d == -1:
		p.Value, p.Why.Code = 0.5, triage.WhyOneOff
	default:
		p.Why.Code = triage.WhyFar
	}
	return p
}

// smallInts are the decimal forms of 0..100, so that grading a number allocates nothing.
var smallInts = func() (out [101]string) {
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}()

func decimal(v int) string {
	if v >= 0 && v < len(smallInts) {
		return smallInts[v]
	}
	return strconv.Itoa(v)
}

// gradePriorityScore gives 1 within 2 points, then falls linearly to 0 at 15 points off.
func gradePriorityScore(want int, got triage.Int) triage.Part {
	p := triage.Part{Name: PartPriority, Weight: weightPriority, Why: triage.Why{Want: decimal(want)}}
	if !got.Set {
		p.Why.Code = triage.WhyAbsent
		return p
	}
	p.Why.Got = decimal(got.Value)
	off := got.Value - want
	if off < 0 {
		off = -off
	}
	switch {
	case off <= priorityExact:
		p.Value, p.Why.Code = 1, triage.WhyExact
		if off > 0 {
			p.Why.Code = triage.WhyNear
		}
	case off < priorityOff:
		p.Value, p.Why.Code = float64(priorityOff-off)/float64(priorityOff-priorityExact), triage.WhyNear
	default:
		p.Why.Code = triage.WhyFar
	}
	return p
}

// The touches that wrong answers cost.
const (
	touchMisroute, touchSecondary       = 1.0, 0.5
	touchUrgencyUnder, touchUrgencyOver = 0.5, 0.25 // a level
	touchDifficultyUnder                = 0.25      // a level
	touchEmpty                          = 2.0
	urgencyFarthest, resolutionFarthest = 3, 2 // levels
)

// Touches is how many times people have to handle a ticket that was answered like this: 1 if all is right. An efficient
// queue has as many touches as tickets. An absent urgency or difficulty counts as the farthest under-call that the scale
// has; an empty action costs 2 more touches in all.
func Touches(truth *triage.QueueTruth, a *triage.QueueAction) float64 {
	if a.Route == "" && a.Urgency == "" && a.Difficulty == "" && !a.Priority.Set {
		return 1 + touchEmpty
	}
	touches := 1.0
	switch a.Route {
	case truth.Route:
	case truth.Secondary:
		if a.Route == "" {
			touches += touchMisroute
		} else {
			touches += touchSecondary
		}
	default:
		touches += touchMisroute
	}
	under := urgencyFarthest
	if a.Urgency != "" {
		under = truth.Urgency.Level() - a.Urgency.Level()
	}
	if under >= 0 {
		touches += float64(touchUrgencyUnder * float64(under))
	} else {
		touches += float64(touchUrgencyOver * float64(-under))
	}
	under = resolutionFarthest
	if a.Difficulty != "" {
		under = truth.Difficulty.Level() - a.Difficulty.Level()
	}
	if under > 0 {
		touches += float64(touchDifficultyUnder * float64(under))
	}
	return touches
}
