package grade

import (
	"github.com/triagebench/triage/pkg/triage"
)

// The names of the parts of a desk ticket beside [PartPriority].
const (
	PartCategory       = "category"
	PartUrgencyDays    = "urgency_days"
	PartDepartment     = "department"
	PartRecommendation = "recommendation"
)

// DeskMaxSteps is the number of submissions after which a desk episode ends.
const DeskMaxSteps = 3

// Desk grades what was submitted for a desk ticket of the given difficulty: easy asks for the category; medium for
// category, priority and urgency days; hard for category, priority, department and recommendation (urgency days are asked
// for and not graded). The total, the correctness, is the plain mean of the parts, 0..1.
func Desk(d triage.Difficulty, truth *triage.DeskTruth, a *triage.DeskAction) triage.Score {
	var parts []triage.Part
	switch d {
	case triage.Medium:
		parts = []triage.Part{gradeCategory(truth, a), gradePriority(truth, a), gradeDays(truth, a)}
	case triage.Hard:
		parts = []triage.Part{gradeCategory(truth, a), gradePriority(truth, a), gradeDepartment(truth, a),
			Recommendation(truth, a.Recommendation)}
	default:
		parts = []triage.Part{gradeCategory(truth, a)}
	}
	return mean(parts)
}

// mean weighs the parts alike and sums them up.
func mean(parts []triage.Part) triage.Score {
	sum := 0.0
	for i := range parts {
		parts[i].Weight = 1 / float64(len(parts))
		sum += parts[i].Value
	}
	if len(parts) == 0 {
		return triage.Score{}
	}
	return triage.Score{Total: sum / float64(len(parts)), Parts: parts}
}

func gradeCategory(truth *triage.DeskTruth, a *triage.DeskAction) triage.Part {
	return nominal(PartCategory, string(a.Category), string(truth.Category))
}

// nominal grades a label without an order: 1 exact, else 0.
func nominal(name, got, want string) triage.Part {
	p := triage.Part{Name: name, Why: triage.Why{Got: got, Want: want}}
	switch got {
	case want:
		p.Value, p.Why.Code = 1, triage.WhyExact
	case "":
		p.Why.Code = triage.WhyAbsent
	default:
		p.Why.Code = triage.WhyWrong
	}
	return p
}

func gradePriority(truth *triage.DeskTruth, a *triage.DeskAction) triage.Part {
	return gradeLevel(PartPriority, 0, string(a.Priority), string(truth.Priority), a.Priority.Level(), truth.Priority.Level())
}

// gradeDays gives 1 exact, 0.5 one day off, 0.25 two days off, else 0.
func gradeDays(truth *triage.DeskTruth, a *triage.DeskAction) triage.Part {
	p := triage.Part{Name: PartUrgencyDays, Why: triage.Why{Want: decimal(truth.UrgencyDays)}}
	if !a.UrgencyDays.Set {
		p.Why.Code = triage.WhyAbsent
		return p
	}
	p.Why.Got = decimal(a.UrgencyDays.Value)
	switch a.UrgencyDays.Value - truth.UrgencyDays {
	case 0:
		p.Value, p.Why.Code = 1, triage.WhyExact
	case 1, -1:
		p.Value, p.Why.Code = 0.5, triage.WhyOneOff
	case 2, -2:
		p.Value, p.Why.Code = 0.25, triage.WhyTwoOff
	default:
		p.Why.Code = triage.WhyFar
	}
	return p
}

func gradeDepartment(truth *triage.DeskTruth, a *triage.DeskAction) triage.Part {
	p := triage.Part{Name: PartDepartment, Why: triage.Why{Got: string(a.Department), Want: string(truth.Department)}}
	i := a.Department.Index()
	if i < 0 {
		p.Why.Code = triage.WhyAbsent
		return p
	}
	p.Value = truth.Credit[i]
	switch {
	case p.Value == 1:
		p.Why.Code, p.Why.Want = triage.WhyExact, string(a.Department)
	case p.Value > 0:
		p.Why.Code = triage.WhyPartial
	default:
		p.Why.Code = triage.WhyWrong
	}
	return p
}

// DeskEfficiency is 1 − (steps−1)/3 if the category is right, else 0; steps is 1..3.
func DeskEfficiency(truth *triage.DeskTruth, a *triage.DeskAction, steps int) float64 {
	if a.Category != truth.Category || steps < 1 {
		return 0
	}
	return 1 - float64(steps-1)/DeskMaxSteps
}

// The shares of correctness and efficiency in the desk's reward.
const shareCorrectness, shareEfficiency = 0.7, 0.3

// DeskReward is 0.7·correctness + 0.3·efficiency, 0..1.
func DeskReward(correctness, efficiency float64) float64 {
	if correctness == 1 && efficiency == 1 {
		return 1
	}
	return float64(shareCorrectness*correctness) + float64(shareEfficiency*efficiency)
}

// Labels grades an answer to an imported ticket: each column's label counts alike, 1 if it is right. Columns whose truth
// is unknown drop out.
func Labels(columns []string, truth, got map[string]string) triage.Score {
	parts := make([]triage.Part, 0, len(columns))
	for _, c := range columns {
		if want := truth[c]; want != "" {
			parts = append(parts, nominal(c, got[c], want))
		}
	}
	return mean(parts)
}
