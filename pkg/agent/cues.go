package agent

import "github.com/triagebench/triage/pkg/triage"

// CueReader tells which facts the rules of the heuristic find in a text. People who write scenarios ask it whether a plain
// phrasing says its fact in words that a rule can know. It must not be shared by goroutines.
type CueReader struct{ h *Heuristic }

// NewCueReader gives a reader with the rules in baselines/heuristic; the error says what is wrong with them.
func NewCueReader() (*CueReader, error) {
	l, err := heuristicRules()
	if err != nil {
		return nil, err
	}
	return &CueReader{h: newHeuristicFrom(l)}, nil
}

// Finds tells whether some cue of the fact's value stands in the text. Facts and their values: severity, impact, deadline,
// effort and stake as in [triage.Request], and workaround "yes" or "no". Of any other fact nothing is found.
func (c *CueReader) Finds(fact, value, text string) bool {
	list, ok := c.list(fact, value)
	if !ok {
		return false
	}
	r := c.h.reader
	r.reset()
	r.read(text, 0)
	r.findCues()
	for i := range r.sentences {
		if r.sentences[i].scores[list] > 0 {
			return true
		}
	}
	return false
}

// list gives the number of the list that holds the cues of a fact's value.
func (c *CueReader) list(fact, value string) (int, bool) {
	l := &c.h.lists
	switch fact {
	case "severity":
		return listOf(triage.Severities(), l.severity[:], value)
	case "impact":
		return listOf(triage.Impacts(), l.impact[:], value)
	case "effort":
		return listOf(triage.Efforts(), l.effort[:], value)
	case "deadline":
		return listOf([]triage.Deadline{triage.Days, triage.Hours}, []int{l.days, l.hours}, value)
	case "stake":
		return listOf([]triage.Stake{triage.DailyWork, triage.Contract}, []int{l.daily, l.contract}, value)
	case "workaround":
		return listOf([]string{"yes", "no"}, []int{l.workaround, l.noWorkaround}, value)
	}
	return 0, false
}

// listOf gives the list at the place of the value among the values.
func listOf[T ~string](values []T, lists []int, value string) (int, bool) {
	for i, v := range values {
		if string(v) == value {
			return lists[i], true
		}
	}
	return 0, false
}
