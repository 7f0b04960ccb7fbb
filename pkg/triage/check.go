package triage

// Check is one criterion with what was expected and what was seen.
type Check struct {
	ID          string // stable, such as "queue-hard/routes/billing"
	Description string
	Expected    string
	Seen        string
	Passed      bool
	// Skipped says why the check could not be made; Passed means nothing then.
	Skipped string
	// Printed says that nothing is expected: the line only tells what was seen. Passed means nothing then.
	Printed bool
}
