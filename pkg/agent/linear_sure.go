package agent

import (
	"slices"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// The confidence of a field is the probability that its answer gets the full credit, as the model sees it.

// probability keeps a sum of probabilities within 0..1, which rounding may leave by a hair.
func probability(v float64) float64 { return min(max(v, 0), 1) }

// chance is how probable it is that one of the places for which right holds is the true one.
func chance(p []float64, right func(i int) bool) float64 {
	sum := 0.0
	for i := range p {
		if right(i) {
			sum += p[i]
		}
	}
	return probability(sum)
}

// sure says how sure the model is of each field of an answer. Urgency and difficulty are believed of tickets that are no spam; those
// of spam follow from the handbook.
func (b *queueBelief) sure(a *triage.QueueAction, m *triage.Metadata) *triage.Confidence {
	spam := b.route[slices.Index(triage.Routes(), triage.Spam)]
	either := func(ifSpam bool, otherwise float64) float64 {
		v := float64((1 - spam) * otherwise)
		if ifSpam {
			v += spam
		}
		return probability(v)
	}
	near := func(i int) bool {
		u := triage.Urgencies()[i]
		return distance(handbook.PriorityScore(u, m.CustomerTier, finite(m.WaitTimeHours), m.IsEscalated, m.PreviousContacts), a.Priority.Value) <= scoreExact
	}
	return triage.SureOfFields(map[string]float64{
		triage.FieldRoute:         probability(b.route[slices.Index(triage.Routes(), a.Route)]),
		triage.FieldUrgency:       either(a.Urgency == triage.UrgencyLow, b.urgency[a.Urgency.Level()]),
		triage.FieldDifficulty:    either(a.Difficulty == triage.ResolutionEasy, b.difficulty[a.Difficulty.Level()]),
		triage.FieldPriorityScore: either(a.Priority.Value <= scoreExact, chance(b.urgency, near)),
	})
}

// sure says how sure the model is of each field of an answer but the recommendation, of which it knows nothing.
func (b *deskBelief) sure(a *triage.DeskAction, o *triage.DeskObservation) *triage.Confidence {
	tone, wait := finite(o.SentimentScore), finite(o.WaitTimeHours)
	kinds := deskKinds()
	priority := func(i int) triage.Priority {
		return handbook.DeskPriority(kinds[i].category, kinds[i].points, tone, wait, o.IsEscalated)
	}
	return triage.SureOfFields(map[string]float64{
		triage.FieldCategory:    chance(b.kinds, func(i int) bool { return kinds[i].category == a.Category }),
		triage.FieldPriority:    chance(b.kinds, func(i int) bool { return priority(i) == a.Priority }),
		triage.FieldUrgencyDays: chance(b.kinds, func(i int) bool { return handbook.UrgencyDays(priority(i), wait) == a.UrgencyDays.Value }),
		triage.FieldDepartment: chance(b.kinds, func(i int) bool {
			_, credit := handbook.Department(kinds[i].category, tone, wait, o.IsEscalated)
			return credit[a.Department.Index()] == 1
		}),
	})
}

// sure says how sure the model is of each column that it answers.
func (a ownAnswers) sure() *triage.Confidence {
	fields := make(map[string]float64, len(a))
	for name, x := range a {
		fields[name] = probability(x.probabilities[x.first])
	}
	return triage.SureOfFields(fields)
}
