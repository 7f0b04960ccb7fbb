package triage

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// WholeNumber reads a JSON value as an integer, the way the reference server does: 42, 42.0, "42", " 42 ", true and false are
// integers, 1.5 and "4x" are not. What lies beyond int64 is clamped to its ends: it breaks every limit that there is.
func WholeNumber(raw json.RawMessage) (int64, bool) {
	s := string(raw)
	switch s {
	case "true":
		return 1, true
	case "false":
		return 0, true
	case "":
		return 0, false
	}
	if s[0] == '"' {
		var inner string
		if json.Unmarshal(raw, &inner) != nil {
			return 0, false
		}
		if s = strings.TrimSpace(inner); strings.ContainsAny(s, "eExXpP_nN") {
			return 0, false
		}
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil && !math.IsInf(f, 0), f != math.Trunc(f):
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}
