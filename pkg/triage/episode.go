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
}

// String renders the key as agent/task/seed or agent/task/seed/position.
func (k Key) String() string {
	out := k.Agent + "/" + k.Task + "/" + strconv.FormatInt(k.Seed, 10)
	if k.Position.Set {
		out += "/" + strconv.Itoa(k.Position.Value)
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

// Usage is what one decision cost. Agents that call no model leave it nil.
type Usage struct {
	TokensIn  int `json:"tokens_in"`
	TokensOut int `json:"tokens_out"`
}

// Step is one decision of an episode.
type Step struct {
	Observation Observation `json:"observation"`
	Action      Action      `json:"action"`
	Score       *Score      `json:"score"`           // null where nothing was graded in this step
	Usage       *Usage      `json:"usage,omitempty"` // null without a model
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
