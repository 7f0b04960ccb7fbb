package triage

import (
	"fmt"
	"strconv"
)

// Key names one episode of a run. Keys of a run are unique.
type Key struct {
	Agent string `json:"agent"`
	Task  string `json:"task"`
	Seed  int64  `json:"seed"`
	// Position is set where only one ticket of the episode was played: its position, from 0.
	Position Int `json:"position"`
	// Trial counts the times that the same agent plays the same episode, from 0.
	Trial int `json:"trial,omitempty"`
}

// String renders the key as agent/task/seed, then /position and #trial where they are set.
func (k Key) String() string {
	out := k.Agent + "/" + k.Task + "/" + strconv.FormatInt(k.Seed, 10)
	if k.Position.Set {
		out += "/" + strconv.Itoa(k.Position.Value)
	}
	if k.Trial > 0 {
		out += "#" + strconv.Itoa(k.Trial)
	}
	return out
}

// Ended says how an episode came to its end.
type Ended string

// The ends.
const (
	EndedComplete  Ended = "complete"  // every ticket answered, or all that was asked for given
	EndedTruncated Ended = "truncated" // the step limit came first
	EndedError     Ended = "error"     // network or environment broke; there is no score
)

// Usage is what one decision cost: the sum over its calls. Agents that call no model leave it nil. What an endpoint did
// not tell is absent, which is not 0. Nothing here depends on time: an answer from a cache has the usage of the call
// that it was kept from.
type Usage struct {
	Calls  int `json:"calls"`  // replies that the decision rests on: 1, and 1 for each re-ask
	Reasks int `json:"reasks"` // of them asked again because the reply before could not be read
	// TokensCached are part of TokensIn, TokensReasoning of TokensOut.
	TokensIn        Int `json:"tokens_in"`
	TokensOut       Int `json:"tokens_out"`
	TokensCached    Int `json:"tokens_cached"`
	TokensReasoning Int `json:"tokens_reasoning"`
	CostNano        Int `json:"cost_nano_usd"` // 10^-9 US dollars
}

// Reply is what a model answered to one observation, and how it was read. It is enough to read the answer again.
type Reply struct {
	// Stage is how the action was found in the text: exact, fenced, embedded, repaired or none.
	Stage string `json:"stage"`
	// Cause is why there is no action where Stage is none: truncated, refusal, empty, no_final_answer, not_json, schema,
	// ambiguous or budget_exhausted. An ambiguous reply of which an action was taken all the same has it too.
	Cause string `json:"cause,omitempty"`
	// Coerced lists what was taken for another value, such as `route_category: "Technical" as technical`.
	Coerced   []string `json:"coerced,omitempty"`
	Text      string   `json:"text"`                 // of the message, as it came
	Refusal   string   `json:"refusal,omitempty"`    // of the message's own field
	Tool      bool     `json:"tool,omitempty"`       // Text is the arguments of a tool call
	Finish    string   `json:"finish_reason"`        // as it came, or empty
	Reasoning int      `json:"reasoning_characters"` // length of the reasoning that came beside the text
	// Model and Fingerprint are what the endpoint says of itself: which model answered, and its system_fingerprint.
	Model       string `json:"model,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// Before are the replies that could not be read and were asked again, in their order.
	Before []Reply `json:"before,omitempty"`
}

// Exact tells whether the reply was read without any leniency: the whole text is one valid action, at the first asking.
func (r *Reply) Exact() bool {
	return r.Stage == "exact" && r.Cause == "" && len(r.Coerced) == 0 && len(r.Before) == 0
}

// About says what is behind a generated ticket beside its right answer. It names the truth's source, so it stands in result
// files and reports, never in an observation.
type About struct {
	// Scenario is the slug of the scenario that the ticket comes from: tickets of one resemble each other.
	Scenario string `json:"scenario"`
	// Traps names what makes the text hard, such as "thread", sorted.
	Traps []string `json:"traps,omitempty"`
}

// Step is one decision of an episode.
type Step struct {
	Observation Observation `json:"observation"`
	Action      Action      `json:"action"`
	Score       *Score      `json:"score"`           // null where nothing was graded in this step
	About       *About      `json:"about,omitempty"` // of the ticket that was graded; nil where the environment does not tell
	Usage       *Usage      `json:"usage,omitempty"` // null without a model
	Reply       *Reply      `json:"reply,omitempty"` // nil without a model
	// Error is why the agent's action was refused (it then counted as empty), or empty.
	Error string `json:"error,omitempty"`
}

// Episode is the record of one played episode: the seam between playing and everything after it.
type Episode struct {
	Key   Key    `json:"key"`
	Steps []Step `json:"steps"`
	// Score, Efficiency and Reward are nil where the episode broke (Ended is "error"): no score is not a score of 0.
	Score      *float64 `json:"score"`
	Efficiency *float64 `json:"efficiency"`
	Reward     *float64 `json:"reward"`
	Ended      Ended    `json:"ended"`
	Error      string   `json:"error,omitempty"`
}

// Summary are the figures of an episode that has ended.
type Summary struct {
	Score      float64 // queue: mean ticket reward; desk: correctness; 0..1
	Efficiency float64 // 0..1
	Reward     float64 // queue: as Score; desk: 0.7·correctness + 0.3·efficiency
	// Truncated says that the step limit came before a complete answer.
	Truncated bool
}

// Validate says what is wrong with a key, if anything.
func (k Key) Validate() error {
	if k.Agent == "" || k.Task == "" || k.Seed < 0 {
		return fmt.Errorf("key %s: agent and task must be named and the seed not negative", k)
	}
	return nil
}
