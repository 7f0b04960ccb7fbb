package triage

import "strings"

// Route is the team that a queue ticket belongs to.
type Route string

// The five routes.
const (
	Billing   Route = "billing"
	Technical Route = "technical"
	Feature   Route = "feature"
	Feedback  Route = "feedback"
	Spam      Route = "spam"
)

// Urgency says how soon a queue ticket needs a person.
type Urgency string

// The urgencies, lowest first.
const (
	UrgencyLow      Urgency = "low"
	UrgencyMedium   Urgency = "medium"
	UrgencyHigh     Urgency = "high"
	UrgencyCritical Urgency = "critical"
)

// Resolution says how much work settling a queue ticket takes.
type Resolution string

// The resolution difficulties, least work first.
const (
	ResolutionEasy   Resolution = "easy"
	ResolutionMedium Resolution = "medium"
	ResolutionHard   Resolution = "hard"
)

// Category is the kind of a desk ticket.
type Category string

// The three categories.
const (
	Bug            Category = "Bug"
	FeatureRequest Category = "FeatureRequest"
	Question       Category = "Question"
)

// Priority is the rank of a desk ticket.
type Priority string

// The priorities, lowest first.
const (
	PriorityLow      Priority = "Low"
	PriorityMedium   Priority = "Medium"
	PriorityHigh     Priority = "High"
	PriorityCritical Priority = "Critical"
)

// Department is who has to act on a desk ticket.
type Department string

// The four departments.
const (
	Engineering Department = "Engineering"
	Product     Department = "Product"
	Support     Department = "Support"
	Management  Department = "Management"
)

// Routes lists the routes in the order in which tables print them.
func Routes() []Route { return []Route{Billing, Technical, Feature, Feedback, Spam} }

// Urgencies lists the urgencies, lowest first.
func Urgencies() []Urgency {
	return []Urgency{UrgencyLow, UrgencyMedium, UrgencyHigh, UrgencyCritical}
}

// Resolutions lists the resolution difficulties, least work first.
func Resolutions() []Resolution {
	return []Resolution{ResolutionEasy, ResolutionMedium, ResolutionHard}
}

// Categories lists the desk categories.
func Categories() []Category { return []Category{Bug, FeatureRequest, Question} }

// Priorities lists the desk priorities, lowest first.
func Priorities() []Priority {
	return []Priority{PriorityLow, PriorityMedium, PriorityHigh, PriorityCritical}
}

// Departments lists the desk departments.
func Departments() []Department { return []Department{Engineering, Product, Support, Management} }

// Level is the position of u among [Urgencies], 0 to 3, or -1 if u is not one of them.
func (u Urgency) Level() int {
	switch u {
	case UrgencyLow:
		return 0
	case UrgencyMedium:
		return 1
	case UrgencyHigh:
		return 2
	case UrgencyCritical:
		return 3
	}
	return -1
}

// Level is the position of r among [Resolutions], 0 to 2, or -1 if r is not one of them.
func (r Resolution) Level() int {
	switch r {
	case ResolutionEasy:
		return 0
	case ResolutionMedium:
		return 1
	case ResolutionHard:
		return 2
	}
	return -1
}

// Level is the position of p among [Priorities], 0 to 3, or -1 if p is not one of them.
func (p Priority) Level() int {
	switch p {
	case PriorityLow:
		return 0
	case PriorityMedium:
		return 1
	case PriorityHigh:
		return 2
	case PriorityCritical:
		return 3
	}
	return -1
}

// Valid tells whether r is one of [Routes].
func (r Route) Valid() bool {
	switch r {
	case Billing, Technical, Feature, Feedback, Spam:
		return true
	}
	return false
}

// Valid tells whether c is one of [Categories].
func (c Category) Valid() bool { return c == Bug || c == FeatureRequest || c == Question }

// Index is the position of d among [Departments], 0 to 3, or -1 if d is not one of them.
func (d Department) Index() int {
	switch d {
	case Engineering:
		return 0
	case Product:
		return 1
	case Support:
		return 2
	case Management:
		return 3
	}
	return -1
}

// words renders a list of label values for error messages: "a, b, c".
func words[T ~string](values []T) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}
