package figures

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

// Report is all that a run has found.
type Report struct {
	Machine  string    `json:"machine"`
	Rounds   int       `json:"rounds"` // that were played
	Seconds  float64   `json:"seconds"`
	Sessions []int     `json:"sessions"`
	Servers  []*Server `json:"servers"`
	Seeds    int       `json:"seeds"`   // that were played over and over; 0: none was played twice
	Against  string    `json:"against"` // the name of the server that the bars call the reference
	Bars     []Bar     `json:"bars"`
}

// The names of the servers that bars speak of, beside the reference's.
const (
	Echo = "echo"
	Ours = "ours"
)

// Named gives the server of a name, or nil where it was not measured.
func (r *Report) Named(name string) *Server {
	for _, s := range r.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Judge sets the bars.
func (r *Report) Judge() { r.Bars = Bars(r.Named(r.Against), r.Named(Echo), r.Named(Ours)) }

// WriteJSON writes the report as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	t := &table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	seeds := "no seed twice"
	if r.Seeds > 0 {
		seeds = fmt.Sprintf("%d seeds over and over", r.Seeds)
	}
	t.row("%s; %d rounds of %s s, %s, median (min..max)\f", r.Machine, r.Rounds, number(r.Seconds), seeds)
	for _, s := range r.Servers {
		t.row("\t%s", s.Name)
	}
	t.row("\n")
	for _, n := range r.Sessions {
		r.line(t, "steps/s, "+sessions(n), func(s *Server) string { return spread(SpreadOf(s.At(n).Rate), "") })
	}
	for _, n := range r.Sessions {
		r.line(t, "server CPU µs a step, "+sessions(n), func(s *Server) string { return spread(SpreadOf(s.At(n).CPU), "") })
	}
	for _, n := range r.Sessions {
		r.line(t, "generator CPU µs a step, "+sessions(n), func(s *Server) string { return spread(SpreadOf(s.At(n).Generator), "") })
	}
	r.line(t, "memory KiB a session", func(s *Server) string {
		if s.MemorySessions == 0 {
			return "-"
		}
		return fmt.Sprintf("%s (at %d)", number(s.Memory), s.MemorySessions)
	})
	r.line(t, "start to /health, ms", func(s *Server) string { return spread(SpreadOf(s.Start), "") })
	r.line(t, "bytes of a step's answer", func(s *Server) string { return number(s.Frame) })
	t.row("\f")
	r.ratios(t)
	t.row("\f")
	t.row("bar\twanted\tgot\t\n")
	for i := range r.Bars {
		b := &r.Bars[i]
		sign := "≥ "
		if b.Most {
			sign = "< "
		}
		t.row("%s\t%s%s%s\t%s\t%s\n", b.Name, sign, number(b.Limit), b.Unit, spread(b.Got, b.Unit), b.Verdict())
	}
	return t.Flush()
}

// ratios writes ours against each of the others.
func (r *Report) ratios(t *table) {
	ours := r.Named(Ours)
	for _, other := range r.Servers {
		if ours == nil || other == ours {
			continue
		}
		for _, n := range r.Sessions {
			rate := SpreadOf(Ratios(ours.At(n).Rate, other.At(n).Rate))
			cpu := SpreadOf(Ratios(ours.At(n).CPU, other.At(n).CPU))
			t.row("ours / %s, %s\tsteps/s %s\tCPU a step %s\n", other.Name, sessions(n), spread(rate, "x"), spread(cpu, "x"))
		}
	}
}

// line writes a row with a cell for each server.
func (r *Report) line(t *table, name string, cell func(*Server) string) {
	t.row("%s", name)
	for _, s := range r.Servers {
		t.row("\t%s", cell(s))
	}
	t.row("\n")
}

type table struct{ *tabwriter.Writer }

// row writes to a buffer; Flush tells of errors.
func (t *table) row(format string, args ...any) { _, _ = fmt.Fprintf(t, format, args...) }

func sessions(n int) string {
	if n == 1 {
		return "1 session"
	}
	return strconv.Itoa(n) + " sessions"
}

func spread(s Spread, unit string) string {
	switch s.N {
	case 0:
		return "-"
	case 1:
		return number(s.Median) + unit
	}
	return fmt.Sprintf("%s%s (%s..%s)", number(s.Median), unit, number(s.Min), number(s.Max))
}

// number writes three digits, or all before the point.
func number(x float64) string {
	const digits = 3
	if x == 0 {
		return "0"
	}
	before := int(math.Floor(math.Log10(math.Abs(x)))) + 1
	text := strconv.FormatFloat(x, 'f', max(0, digits-before), 64)
	if math.Abs(x) < 1 || !isWhole(text) {
		return text
	}
	return thousands(text)
}

func isWhole(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// thousands puts a comma before each three digits.
func thousands(text string) string {
	const group = 3
	for i := len(text) - group; i > 0 && text[i-1] != '-'; i -= group {
		text = text[:i] + "," + text[i:]
	}
	return text
}
