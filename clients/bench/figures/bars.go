package figures

import "strconv"

// Bar is a figure that must reach a limit.
type Bar struct {
	Name   string  `json:"name"`
	Limit  float64 `json:"limit"`
	Most   bool    `json:"most,omitempty"` // the figure may be at most the limit; else it must be at least that
	Got    Spread  `json:"got"`
	Unit   string  `json:"unit"`
	Passed bool    `json:"passed"`
}

// Verdict is "pass", "miss" or, without a figure, "not measured".
func (b *Bar) Verdict() string {
	switch {
	case b.Got.N == 0:
		return "not measured"
	case b.Passed:
		return "pass"
	}
	return "miss"
}

// judge sets whether the bar is passed: by the median, and never without a figure.
func (b *Bar) judge() {
	b.Passed = b.Got.N > 0 && (b.Most && b.Got.Median < b.Limit || !b.Most && b.Got.Median >= b.Limit)
}

// Numbers of sessions that the bars speak of.
const (
	Few  = 16
	Many = 256
	Idle = 2000
)

// Bars holds ours against the reference and the echo. Any of them may be nil: not measured.
func Bars(reference, echo, ours *Server) []Bar {
	few, many := ours.At(Few), ours.At(Many)
	bars := []Bar{
		{Name: "steps/s against the reference, 16 sessions", Limit: 9, Unit: "x", Got: SpreadOf(Ratios(few.Rate, reference.At(Few).Rate))},
		{Name: "CPU a step of the reference against ours, 16 sessions", Limit: 10, Unit: "x", Got: SpreadOf(Ratios(reference.At(Few).CPU, few.CPU))},
		{Name: "steps/s against the echo, 16 sessions (aim 0.75)", Limit: 0.6, Unit: "x", Got: SpreadOf(Ratios(few.Rate, echo.At(Few).Rate))},
		{Name: "steps/s against the reference, 256 sessions", Limit: 15, Unit: "x", Got: SpreadOf(Ratios(many.Rate, reference.At(Many).Rate))},
	}
	var memory, start Spread
	name := "memory a session"
	if ours != nil {
		start = SpreadOf(ours.Start)
		if ours.MemorySessions > 0 {
			memory = SpreadOf([]float64{ours.Memory})
			name += ", " + strconv.Itoa(ours.MemorySessions) + " sessions"
		}
	}
	bars = append(bars,
		Bar{Name: name, Limit: 40, Unit: " KiB", Most: true, Got: memory},
		Bar{Name: "start to the first /health", Limit: 100, Unit: " ms", Most: true, Got: start})
	for i := range bars {
		bars[i].judge()
	}
	return bars
}

// AllPassed tells whether every bar is passed; one that was not measured is not.
func AllPassed(bars []Bar) bool {
	for i := range bars {
		if !bars[i].Passed {
			return false
		}
	}
	return true
}
