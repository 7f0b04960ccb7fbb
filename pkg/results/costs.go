package results

import (
	"maps"
	"math"

	"github.com/triagebench/triage/pkg/stats"
)

// CostFigures say what the answers of an agent on a task cost by a cost matrix.
type CostFigures struct {
	// Matrix is the name of its file, Unit what costs are counted in, if that is known, Labels the fields that have costs.
	Matrix, Unit string
	Labels       []string
	// Tickets are those that have a cost; Cost is their mean.
	Tickets int
	Cost    stats.Estimate
	// Handover says what it costs if unsure answers are left to a person; nil where that was not asked, or the agent gave no confidence.
	Handover *HandoverFigures
}

// HandoverFigures are those of the threshold at which tickets cost least on these very tickets.
type HandoverFigures struct {
	Cost float64 // of a ticket that a person answers
	// Threshold is the least confidence of an answer that is taken, NaN where all tickets are better handed over; Taken how many are.
	Threshold float64
	Taken     int
	Coverage  stats.Estimate // share of tickets whose answer is taken
	Mean      stats.Estimate // cost a ticket, handing over included
}

// object is the form in a results file.
func (c *CostFigures) object() map[string]any {
	out := map[string]any{"matrix": c.Matrix, "labels": c.Labels, "tickets": c.Tickets, "unit": orNull(c.Unit)}
	maps.Copy(out, estimate(c.Cost))
	if h := c.Handover; h != nil {
		out["handover"] = map[string]any{"cost": number(h.Cost), "threshold": number(h.Threshold), "taken": h.Taken, "coverage": estimate(h.Coverage), "expected": estimate(h.Mean)}
	}
	return out
}

type storedCosts struct {
	storedEstimate
	Matrix   string   `json:"matrix"`
	Unit     string   `json:"unit"`
	Labels   []string `json:"labels"`
	Tickets  int      `json:"tickets"`
	Handover *struct {
		Cost      stored         `json:"cost"`
		Threshold stored         `json:"threshold"`
		Taken     int            `json:"taken"`
		Coverage  storedEstimate `json:"coverage"`
		Expected  storedEstimate `json:"expected"`
	} `json:"handover"`
}

func (s *storedCosts) figures() *CostFigures {
	out := &CostFigures{Matrix: s.Matrix, Unit: s.Unit, Labels: s.Labels, Tickets: s.Tickets, Cost: s.estimate(s.Tickets)}
	if h := s.Handover; h != nil {
		out.Handover = &HandoverFigures{Cost: h.Cost.value(), Threshold: h.Threshold.value(), Taken: h.Taken, Coverage: h.Coverage.estimate(s.Tickets), Mean: h.Expected.estimate(s.Tickets)}
		if math.IsNaN(out.Handover.Threshold) {
			out.Handover.Taken = 0
		}
	}
	return out
}
