package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// slice is a property of tickets that scores are shown against.
type slice struct {
	key, title string
	bins       []string
	of         func(s *seen, about *triage.About) int // the bin's place, -1 where the property is not known
}

// sliceList are the properties in the order of the page. Traps, of which a ticket may have several, come besides.
func sliceList() []slice {
	return []slice{
		{"route", "Scenario's route", routeBins(), routeOf},
		{"wait", "Hours waited", binNames([]float64{4, 12, 24, 48}, "%g", ""), func(s *seen, _ *triage.About) int {
			return binOf(s.Wait, 4, 12, 24, 48)
		}},
		{"tier", "Customer's tier", tierBins(), func(s *seen, _ *triage.About) int { return slices.Index(tierBins(), s.Tier) }},
		{"sentiment", "Sentiment", []string{"below −0.5", "−0.5 to −0.1", "−0.1 to 0.1", "0.1 to 0.5", "0.5 and above"},
			func(s *seen, _ *triage.About) int { return binOf(s.Sentiment, -0.5, -0.1, 0.1, 0.5) }},
		{"length", "Characters of the text", binNames([]float64{250, 500, 1000, 2000}, "%.0f", ""), func(s *seen, _ *triage.About) int {
			if s.Length < 0 {
				return -1
			}
			v := float64(s.Length)
			return binOf(&v, 250, 500, 1000, 2000)
		}},
		{"escalated", "Escalated", []string{"no", "yes"}, func(s *seen, _ *triage.About) int { return yesBin(s.Escalated) }},
		{"contacts", "Earlier contacts", []string{"0", "1", "2", "3 or more"}, func(s *seen, _ *triage.About) int {
			if s.Contacts == nil || *s.Contacts < 0 {
				return -1
			}
			return min(*s.Contacts, 3)
		}},
		{"form", "Category picked in the form", []string{"the scenario's route", "another one", "none"}, formOf},
	}
}

// binNames are the names of the bins that bounds make: below the first, from each to the next, and the last and above.
func binNames(bounds []float64, format, unit string) []string {
	text := func(v float64) string { return fmt.Sprintf(format, v) }
	out := []string{"below " + text(bounds[0]) + unit}
	for i := 1; i < len(bounds); i++ {
		out = append(out, text(bounds[i-1])+" to "+text(bounds[i])+unit)
	}
	return append(out, text(bounds[len(bounds)-1])+unit+" and above")
}

// binOf finds the bin of a value: bounds belong to the bin above them.
func binOf(v *float64, bounds ...float64) int {
	if v == nil {
		return -1
	}
	i := 0
	for i < len(bounds) && *v >= bounds[i] {
		i++
	}
	return i
}

func yesBin(v *bool) int {
	switch {
	case v == nil:
		return -1
	case *v:
		return 1
	}
	return 0
}

func tierBins() []string { return texts(triage.Tiers()) }

func routeBins() []string { return texts(triage.Routes()) }

// routeOf is the route that a scenario's slug begins with.
func routeOf(_ *seen, about *triage.About) int {
	if about == nil {
		return -1
	}
	route, _, _ := strings.Cut(about.Scenario, "/")
	return slices.Index(routeBins(), route)
}

// formOf tells whether what the customer picked in the form is the scenario's route.
func formOf(s *seen, about *triage.About) int {
	route := routeOf(s, about)
	switch {
	case s.Selected == nil || route < 0:
		return -1
	case *s.Selected == "":
		return 2
	case *s.Selected == routeBins()[route]:
		return 0
	}
	return 1
}

// texts are the words of a vocabulary as texts.
func texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
