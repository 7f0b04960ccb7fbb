package agent

import (
	"sort"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// fields are the words of each field that an agent can answer, in the order of the guesses that [matchColumns] takes.
func fields() [][]string {
	return [][]string{words(triage.Routes()), words(triage.Urgencies()), words(triage.Resolutions()), words(triage.Categories()),
		words(triage.Priorities()), words(triage.Departments())}
}

func words[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// matchColumns answers the columns of imported tickets whose allowed values are words of one of the agent's own fields,
// whatever their case. guess has the agent's answer of each field in the order of [fields]. Where two fields fit, as
// urgency and priority do, the first one answers; a column that no field fits is left out.
func matchColumns(columns map[string][]string, guess []string) map[string]string {
	names := make([]string, 0, len(columns))
	for c := range columns {
		names = append(names, c)
	}
	sort.Strings(names)
	out := map[string]string{}
	for _, c := range names {
		for i, field := range fields() {
			if !fits(columns[c], field) {
				continue
			}
			if v, ok := fold(columns[c], guess[i]); ok {
				out[c] = v
			}
			break
		}
	}
	return out
}

// fits tells whether all allowed values are words of a field.
func fits(allowed, field []string) bool {
	for _, v := range allowed {
		if _, ok := fold(field, v); !ok {
			return false
		}
	}
	return len(allowed) > 0
}

// fold finds a word without regard to case.
func fold(values []string, word string) (string, bool) {
	for _, v := range values {
		if strings.EqualFold(strings.TrimSpace(v), strings.TrimSpace(word)) {
			return v, true
		}
	}
	return "", false
}
