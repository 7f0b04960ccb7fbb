package triage

import "context"

// Rewards says how the rewards of an episode are spread over its steps.
type Rewards string

// The reward modes of the queue track.
const (
	RewardsDense   Rewards = "dense"   // each ticket's reward divided by the number of tickets; they sum to the score
	RewardsTicket  Rewards = "ticket"  // each ticket's own reward, 0..1
	RewardsEpisode Rewards = "episode" // 0 until the last step, which carries the whole score
)

// OnInvalid says what an environment does with an action that holds a wrong value.
type OnInvalid string

// The choices.
const (
	InvalidIsError OnInvalid = "error" // refuse it; the state does not change (default)
	InvalidIsEmpty OnInvalid = "empty" // take it for the empty action; the episode goes on
)

// ResetOptions start an episode. The zero value of every field but Seed means its default.
type ResetOptions struct {
	Seed      int64 // 0 … 2^63−1; decides everything after the reset
	EpisodeID string
	Split     Split     // default: the environment's
	Tickets   int       // queue only: fewer tickets than the task has; 0 means all
	Rewards   Rewards   // default dense
	OnInvalid OnInvalid // default error
}

// StepResult is what reset and step give back.
type StepResult struct {
	Observation Observation
	Reward      float64 // 0 after a reset
	Done        bool
}

// State describes a running episode without its labels.
type State struct {
	EpisodeID   string      `json:"episode_id"`
	StepCount   int         `json:"step_count"`
	Track       Track       `json:"track"`
	Task        string      `json:"task"`
	Split       Split       `json:"split"`
	Done        bool        `json:"done"`
	Observation Observation `json:"observation"`
}

// Env is an environment in the sense of the field: reset begins an episode, step answers one observation. It serves one
// caller at a time. An action with a wrong value gives [FieldErrors] and changes nothing; a step before a reset or after
// the end gives an [Error] with CodeNotReset or CodeDone; anything else that goes wrong has CodeUnavailable.
type Env interface {
	Reset(ctx context.Context, opts ResetOptions) (StepResult, error)
	Step(ctx context.Context, action Action) (StepResult, error)
	State() State
}

// Grader is the further ability of an environment that can tell how answers were graded. Local environments have it; a
// sealed server has not.
type Grader interface {
	// LastScore is the grading of the last step with its reasons, or nil where the step graded nothing.
	LastScore() *Score
	// Summary has the figures of the episode; ok is false until it is done.
	Summary() (s Summary, ok bool)
}

// Describer is the ability to tell what is behind the ticket that the last step graded, or nil where it graded none. Only local
// environments of generated tickets have it.
type Describer interface {
	About() *About
}

// Knower is the ability to tell the truth of the ticket that is to be answered now. Only local environments have it, and
// only the oracle asks.
type Knower interface {
	Truth() (Truth, bool)
}

// Agent decides. It never sees more than a remote client would. An error means that the agent could not answer; if it
// wraps an [Error] with CodeUnavailable the episode breaks without a score, otherwise the action counts as empty.
type Agent interface {
	Act(ctx context.Context, o Observation) (Action, error)
}

// Attacher is the ability of an agent to be shown the environment before the first observation (the oracle).
type Attacher interface {
	Attach(env Env) error
}

// Starter is the ability of an agent to be told which episode begins (the random agent draws from its key).
type Starter interface {
	Start(key Key)
}

// Teller is the ability of an agent to tell what its last decision cost and what was answered; either may be nil.
type Teller interface {
	Told() (*Usage, *Reply)
}

// Viewer is the ability of an agent to see observations changed: what View gives is what it acts on and what is recorded.
// It is called once for each observation and does not change the one it is given.
type Viewer interface {
	View(o Observation) Observation
}
