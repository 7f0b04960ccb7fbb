// Package compare holds runs against each other, ticket by ticket: what the scores differ by, with intervals; which tickets
// were fixed and broken; and, for a gate, whether that is a regression, a pass, or more than these tickets can tell. It reads
// results files and run folders, plays nothing and prints nothing.
package compare

import (
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Side is one agent of one results file or run folder.
type Side struct {
	// Name is what tables call it: the agent or, where two sides have one name, the agent and From.
	Name  string
	Agent string
	From  string // the file or folder, as it was given
	// Identity is what two sides must share to be compared ("generator", "grader", "split", "secret", "bank", "tickets" of an
	// imported file), Settings what decides the agent's answers. Both by name.
	Identity, Settings map[string]string
	// Deterministic says that the agent's answers depend on nothing but the ticket: the same program gives the same bytes.
	Deterministic bool
	// Whole says that there are single tickets below the episodes (a run folder); a results file has episodes only.
	Whole bool
	Tasks []TaskSide // in the order of tables
	// Warnings are doubts about what was read, such as a torn last line.
	Warnings []string

	folder *results.Folder // to look up single tickets again; nil for a results file
	played played
}

// played says which part of its tasks' episodes a side was asked to play.
type played struct{ limit, only, shard string }

// TaskSide are the episodes of one side on one task.
type TaskSide struct {
	Task     triage.Task
	Episodes []Episode // by seed, position and trial, each once
	// Counts are what is counted rather than estimated: errors, refused, and of models calls, reasked, tokens_in, tokens_out,
	// cost_nano_usd. What is unknown is missing.
	Counts map[string]int64
	Floor  float64 // NaN for none
	// Figures are means that a results file tells and its episodes do not: those of parts, by name and with _accuracy. Nil where
	// there are single tickets.
	Figures map[string]float64
	// Digest is the SHA-256 of the task's canonical bytes, in hex: of what a results file says of it, without its answers and the
	// names of what broke. Answers is the digest of these ([results.TaskSummary.Answers]), empty where it is not known.
	Digest, Answers string
	// Incomplete says what is missing of the task, such as "2 of 400 planned episodes are there"; it is empty where nothing is.
	Incomplete string
}

// Place names an episode: the same on every side that has the same identity.
type Place struct {
	Seed     int64
	Position int32 // -1 for a whole episode
}

// Episode is one played episode, as small as comparing allows.
type Episode struct {
	Place
	Trial  int16
	Scored bool // false where it broke, which counts as 0
	// Score, Efficiency and Reward are 0..1; NaN where they are not known.
	Score, Efficiency, Reward float64
	Tickets                   []Ticket // in the order of the episode; nil without single tickets
}

// Ticket is one graded ticket.
type Ticket struct {
	ID string
	// Text is a hash of what the agent saw of the ticket itself: two sides that differ in it played other tickets.
	Text     uint64
	Scenario string // or empty
	// Answer is a hash of the answers that were given, 0 where it is not known.
	Answer uint64
	Score  float64
	Parts  []triage.Part // with got and want, and why where it is short; free texts are cut
}

// Difference is one figure of new against base.
type Difference struct {
	// Metric is score, reward, efficiency, success_rate, the name of a part, or that and _accuracy.
	Metric    string
	Base, New float64 // means over what was paired, with what broke as 0
	// Delta is new − base with its 95 % interval: how the difference would vary if other scenarios, and tickets of them, had been
	// drawn. It covers both which tickets were drawn and how the agents vary from play to play, and does not tell the two apart:
	// trials do, and make it narrower. Delta.N are the units. P is the two-sided P of "no difference": of the paired t test by cluster,
	// whose interval Delta has; of the sign flips where all differences are the same; 1 where no pair differs; of Welch's test where
	// nothing is paired; NaN where there is none. Holm is P among the scores of the comparison's tasks, NaN for other metrics.
	Delta   stats.Estimate
	P, Holm float64
	// SE is the standard error of Delta and DF its degrees of freedom; 0 where Delta has no interval or nothing varies.
	SE, DF float64
	Reason string // why there is no P, or why it is 1, or empty
	Paired bool   // by ticket or episode; false: two independent samples
	// Strata are what Delta is of: the differences of a task's pairs or its two samples, with their scenarios, and overall those of
	// every task with its weight.
	Strata []stats.Stratum
}

// Flips are tickets (or episodes where there are none) that only one side has right. [results.Right] says when a ticket is; an episode is
// with a score that reaches the task's target; with several trials, where more than half of them are. Where exactly half are, on either
// side, it is undecided and in no other count. What broke is wrong. Where nothing is paired (Pairs is 0) nothing is known of flips.
type Flips struct {
	Fixed, Broken, BothRight, BothWrong, Undecided int
	Test                                           stats.Flips
	// P is the two-sided P of "as many are fixed as broken", and By the test that it is of: McNemar's exact one or, where tickets come
	// from known scenarios, the sign flips of each scenario's fixed − broken, as those of one scenario flip together.
	P  float64
	By string
}

// The tests of [Flips.By].
const (
	ByMcNemar   = "McNemar"
	ByScenarios = "sign flips by scenario"
)

// Moved is a ticket whose score moved, or an episode where there are no single tickets. With several trials it is the one of them
// that both sides have and that moved most in the direction of their mean; Trials is how many they share.
type Moved struct {
	Task string
	Place
	Trial     int16
	Trials    int
	Index     int // of the ticket in its episode, from 0; -1 for an episode
	ID        string
	Subject   string
	Scenario  string   // or empty
	Traps     []string // what makes the ticket's text hard
	Text      string   // what the agent read of the ticket below its subject; empty without single tickets
	Base, New MovedSide
}

// MovedSide is what one side made of a moved ticket.
type MovedSide struct {
	Score  float64
	Answer string        // as JSON
	Parts  []triage.Part // with why
	Error  string        // why the answer was refused, or the episode broke
}

// TaskComparison is new against base on one task.
type TaskComparison struct {
	Task triage.Task
	// Units is what was paired: "tickets" or "episodes". Pairs is how many, each counted once however many trials it has, and 0
	// where two samples are compared (Score.Paired is false then); Clusters how many scenarios they come from, 0 where that is not
	// known.
	Units           string
	Pairs, Clusters int
	// BaseOnly and NewOnly are units that only one side has, OtherTickets those whose ticket is another one, Broke the pairs of which
	// one side or both broke (they count as 0 there), BaseBroke and NewBroke those of which that side broke, Differ the pairs whose
	// scores, parts or answers are not the same in the trials that both sides have. Where nothing is paired what broke are units.
	BaseOnly, NewOnly, OtherTickets, Broke, BaseBroke, NewBroke, Differ int
	// Incomplete says what a side lacks of the task, such as "new: 2 of 400 planned episodes are there"; it is empty where nothing is
	// missing. What was not played may have been worse.
	Incomplete string
	Score      Difference
	Others     []Difference // in a fixed order: the parts, then what is known of efficiency, reward and success
	Flips      Flips
	Moved      []Moved // those that moved most, first
	MovedInAll int
	// SameBytes says that the canonical bytes of both sides are equal, and all answers too; where the sides have other trials, that this
	// holds of those that both have. BytesUnknown says why nothing differs as far as is known, and yet nobody can tell whether they are
	// the same; SameBytes is false then, and BytesUnknown is empty otherwise.
	SameBytes    bool
	BytesUnknown string
	Deltas       []float64 // new − base of the score, one a unit, in the order of places
	ClusterOf    []int     // the scenario's number of each, the same in all tasks, or nil
	Warnings     []string
}

// Comparison is new against base.
type Comparison struct {
	Base, New *Side
	Tasks     []TaskComparison
	// Overall is the mean over each track's tasks and then the tracks that both sides have.
	Overall Difference
	// Allowed are the keys that differ and were allowed to; Noted what differs and may (settings of two agents, seeds).
	Allowed, Noted []Mismatch
	BaseOnly       []string // tasks of which new holds no episode
	NewOnly        []string // tasks of which base holds no episode
	Apart          []string // tasks that both have and of which nothing could be paired, with the reason
	Warnings       []string
}

// Mismatch is a key that two sides do not share.
type Mismatch struct{ Key, Base, New string }

// Standing is a place in a ranking.
type Standing struct {
	Side *Side
	Rank int // from 1; sides that cannot be told apart from the one above have Tied set
	// Score is over the units that all sides share, with its interval.
	Score stats.Estimate
	// Below is this side minus the one above it, zero for the first; Tied says that the two cannot be told apart. Tied neighbours do not
	// make first and last equal: FromBest is this side minus the best, zero for the first, with its Holm among all sides but the best,
	// and TiedWithBest says that these two cannot be told apart. For the second the two comparisons are one, but for their Holm.
	Below, FromBest    Difference
	Tied, TiedWithBest bool
}
