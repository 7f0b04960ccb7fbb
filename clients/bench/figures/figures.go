// Package figures turns what was measured into medians, ratios and bars, and prints them.
package figures

import "slices"

// Spread is the median of some figures with the least and the greatest. The zero Spread is that of none.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"`
}

// SpreadOf gives the spread of figures, which it leaves as they are.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	median := sorted[half]
	if len(sorted)%2 == 0 {
		median = (sorted[half-1] + sorted[half]) / 2
	}
	return Spread{Median: median, Min: sorted[0], Max: sorted[len(sorted)-1], N: len(sorted)}
}

// Server is what was measured on one server. A figure that was not measured is missing or zero.
type Server struct {
	Name  string        `json:"name"`
	Loads map[int]*Load `json:"loads"` // by number of sessions
	// Memory is KiB of resident memory that a session adds, at so many sessions.
	Memory         float64   `json:"memory_kib"`
	MemorySessions int       `json:"memory_sessions"`
	Start          []float64 `json:"start_ms"` // from the start of the process to the first 200 of /health
	Frame          float64   `json:"frame_bytes"`
}

// Load is what was measured at one number of sessions: a figure a round each.
type Load struct {
	Rate      []float64 `json:"steps_per_second"`
	CPU       []float64 `json:"cpu_us"`           // of the server, microseconds a step
	Generator []float64 `json:"generator_cpu_us"` // of the generator, microseconds a step
}

// At gives what was measured at a number of sessions; nothing is a Load without figures.
func (s *Server) At(sessions int) *Load {
	if s != nil && s.Loads[sessions] != nil {
		return s.Loads[sessions]
	}
	return &Load{}
}

// Ratios divides two servers' figures round by round: rounds are played one after the other on both, so what else the machine
// does weighs on the pair alike. Rounds that only one of them has are left out, and those of which the divisor is 0.
func Ratios(dividend, divisor []float64) []float64 {
	var out []float64
	for i := range min(len(dividend), len(divisor)) {
		if divisor[i] != 0 {
			out = append(out, dividend[i]/divisor[i])
		}
	}
	return out
}
