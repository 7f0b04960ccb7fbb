package audit

import (
	"fmt"

	"github.com/triagebench/triage/pkg/triage"
)

const nameKeyword, nameHeuristic, nameOracle = "keyword", "heuristic", "oracle"

const (
	keywordEasy = 0.70 // the word lists are no straw man: they must reach this on queue-easy
	keywordHard = 0.50
	lead        = 0.08 // of heuristic over keyword on queue-hard
)

// enterReaders enters the agents that read, and the one that knows: a benchmark on which reading does not pay, or the
// truth does not win, is as broken as one that a constant passes.
func enterReaders(a *arena) ([]contender, error) {
	return []contender{a.named(nameKeyword), a.named(nameHeuristic), a.named(nameOracle)}, nil
}

func judgeReaders(a *arena) ([]triage.Check, error) {
	const words, rules = "word lists, no structure, no negation", "rules over subject, body and metadata"
	var out []triage.Check
	switch a.task.Name {
	case "queue-easy":
		m, se := a.mean(nameKeyword, score)
		out = append(out, a.check(nameKeyword, words, fmt.Sprintf("at least %.2f", keywordEasy), told(m, se), m >= keywordEasy))
	case "queue-hard":
		out = append(out, a.under(nameKeyword, words, keywordHard))
	default:
		out = append(out, a.tell(nameKeyword, words))
	}
	out = append(out, a.passes(nameHeuristic, rules))
	if a.task.Name == "queue-hard" {
		d, se := a.difference(nameHeuristic, nameKeyword)
		out = append(out, a.check(nameHeuristic+":lead", "what the rules gain over the word lists",
			fmt.Sprintf("at least %.2f", lead), told(d, se), d >= lead))
	}
	return append(out, a.equals(nameOracle, "the truth", 1)), nil
}
