package compare

import (
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
)

// The words of gates.
const (
	Each      = "each"      // a scope: every task has a verdict of its own
	Identical = "identical" // a metric: the canonical bytes of both sides are equal
	Drop      = "drop"      // base − new
	Rise      = "rise"      // new − base
)

// Gate is a condition that a run has to meet. [ParseGate] reads one, [Judge] holds a comparison against it.
type Gate struct {
	// Scope is a task (queue-hard), a track (queue, desk, tickets) or [Each]; empty for all of what is compared.
	Scope string
	// Metric is a figure that is estimated (score, reward, efficiency, success_rate, floor_margin, a part such as route, or that
	// and _accuracy), one that is counted (see [Counts]), or [Identical], which has no more members.
	Metric string
	// Quoted says that Metric was in quotes: it is a part (a label column) of that name, even where a figure has the name too.
	Quoted bool
	Change string // [Drop], [Rise], or empty: new's own figure
	Op     string // one of [Operators]
	Number float64
}

// Operators lists the operators of gates; the last two are for counts only.
func Operators() []string { return []string{"<=", "<", ">=", ">", "==", "!="} }

// Counts lists the metrics that are counted rather than estimated: cost is in dollars, n the tickets (or episodes) that were
// compared, and flips_fixed and flips_broken those that only one side has right.
func Counts() []string {
	return []string{"errors", "refused", "n", "flips_fixed", "flips_broken", "calls", "reasked", "tokens_in", "tokens_out", "cost"}
}

// estimated are the metrics that are estimated, beside parts.
func estimated() []string {
	return []string{"score", "reward", "efficiency", "success_rate", floorMargin}
}

// floorMargin is the score above the task's floor.
const floorMargin = "floor_margin"

// counted tells whether the gate is about a count.
func (g Gate) counted() bool { return !g.Quoted && slices.Contains(Counts(), g.Metric) }

// identical tells whether the gate is about the bytes.
func (g Gate) identical() bool { return !g.Quoted && g.Metric == Identical }

// upper tells whether the gate limits its figure from above.
func (g Gate) upper() bool { return strings.HasPrefix(g.Op, "<") }

// holds tells whether the gate holds for a figure that is known without doubt.
func (g Gate) holds(value float64) bool {
	switch g.Op {
	case "<=":
		return value <= g.Number
	case "<":
		return value < g.Number
	case ">=":
		return value >= g.Number
	case ">":
		return value > g.Number
	case "==":
		return value == g.Number
	}
	return value != g.Number
}

// String gives the gate in the form that [ParseGate] reads as the same gate.
func (g Gate) String() string {
	var b strings.Builder
	b.WriteString(g.prefix())
	b.WriteString(g.metric())
	if g.identical() {
		return b.String()
	}
	if g.Change != "" {
		b.WriteString(" " + g.Change)
	}
	return b.String() + " " + g.Op + " " + strconv.FormatFloat(g.Number, 'g', -1, 64)
}

// prefix is what stands before the metric.
func (g Gate) prefix() string {
	if g.Scope == "" {
		return ""
	}
	return g.Scope + "."
}

// metric is the metric as it is written.
func (g Gate) metric() string {
	if !g.Quoted {
		return g.Metric
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(g.Metric) + `"`
}

// figure is what the gate is about, in words.
func (g Gate) figure() string {
	if g.Change == "" {
		return printable(g.metric())
	}
	return g.Change + " of " + printable(g.metric())
}

// Outcome is what a gate comes to.
type Outcome string

// The outcomes.
const (
	Pass         Outcome = "pass"
	Regression   Outcome = "regression"
	Inconclusive Outcome = "inconclusive" // these tickets cannot tell
)

// Power is how likely a regression of the size [Verdict.Smallest] is found, and the right verdict with [Verdict.Needed] tickets.
const Power = 0.8

// Verdict is what a gate comes to in one scope.
type Verdict struct {
	Gate    Gate
	Scope   string // the task or track, or "overall"
	Outcome Outcome
	// Value is the figure that the gate is about: new's own, the drop or the rise; of [Identical] the number of tasks that differ.
	// NaN where there is none. Interval is its 95 % interval, or nil.
	Value    float64
	Interval *stats.Interval
	Margin   float64 // the gate's number
	N        int     // how many, by Units: tickets or episodes; of counts and bytes tasks
	Units    string
	// P is that of "the figure is the margin", adjusted by Holm among the tasks of an [Each] gate; NaN where there is no test.
	P float64
	// Smallest is the smallest figure on the wrong side of the margin that would have been called a regression with the chance
	// [Power] at this N: of `drop <= m` the smallest drop. NaN where nothing has to be estimated, or nothing is known of how it
	// varies. It may be more than scores can drop. Among the tasks of an [Each] gate it is that of the strictest of Holm's steps.
	Smallest float64
	// Needed is how many tickets or episodes would settle an inconclusive verdict with the chance [Power], if the figure is what
	// it is here; 0 where no number would (the figure is the margin) or it is not known. NeededUnchanged is how many would if nothing
	// has changed, 0 where that is no question. One more than [MostNeeded] stands for all beyond.
	Needed, NeededUnchanged int
	Changed                 bool   // a regression by bytes: something changed, which may be for the better
	Why                     string // one sentence
	Warnings                []string
}

// Worst is the worst outcome: regression over inconclusive over pass, which it is for none.
func Worst(verdicts []Verdict) Outcome {
	worst := Pass
	for i := range verdicts {
		switch verdicts[i].Outcome {
		case Regression:
			return Regression
		case Inconclusive:
			worst = Inconclusive
		}
	}
	return worst
}
