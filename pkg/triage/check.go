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
}
