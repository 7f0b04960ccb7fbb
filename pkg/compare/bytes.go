package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// bytes counts what differs, and tells whether all bytes of both sides are the same.
func (w *working) bytes(p *part, t *TaskComparison) {
	if !p.units.paired || t.Pairs == 0 {
		t.BytesUnknown = "nothing is paired"
		return
	}
	units, trials := p.units, false
	if base, new := p.base.without(p.new), p.new.without(p.base); base != p.base || new != p.new {
		// Where one side played some tickets more often, what both played is compared.
		q := &part{task: p.task, base: base, new: new, whole: p.whole, names: p.names}
		units, trials = w.unitsOf(q), true
	}
	if !units.paired || len(units.base) == 0 {
		t.BytesUnknown = "the sides share no trial"
		return
	}
	for i := range units.base {
		if differ(units.base[i], units.new[i]) {
			t.Differ++
		}
	}
	switch {
	case t.Differ > 0, !trials && p.base.Digest != p.new.Digest, p.base.Digest == "":
	case p.whole: // every answer was compared
		t.SameBytes = t.BaseOnly+t.NewOnly+t.OtherTickets == 0 && (trials || answersAgree(p.base, p.new))
	case trials || t.BaseOnly+t.NewOnly+t.OtherTickets > 0:
		t.BytesUnknown = "the sides do not have the same episodes, and results files do not tell the answers to single ones"
	case p.base.Answers == "" || p.new.Answers == "":
		t.BytesUnknown = fmt.Sprintf("the answers of %s are not known: a results file of an earlier version does not tell them", unknownAnswers(p.base, p.new))
	default:
		t.SameBytes = p.base.Answers == p.new.Answers
	}
}

// answersAgree tells whether two digests of answers are not known to differ.
func answersAgree(a, b *TaskSide) bool {
	return a.Answers == b.Answers || a.Answers == "" || b.Answers == ""
}

func unknownAnswers(base, new *TaskSide) string {
	switch {
	case base.Answers != "":
		return "new"
	case new.Answers != "":
		return "base"
	}
	return "both"
}

// without leaves out the further trials of places that both sides have, where one has not all of the other's; it is the side itself
// where there are none such.
func (s *TaskSide) without(other *TaskSide) *TaskSide {
	type playing struct {
		Place
		trial int16
	}
	places, playings := map[Place]bool{}, map[playing]bool{}
	if !hasTrials(s) && !hasTrials(other) {
		return s
	}
	for i := range other.Episodes {
		e := &other.Episodes[i]
		places[e.Place], playings[playing{e.Place, e.Trial}] = true, true
	}
	out := *s
	out.Episodes = slices.DeleteFunc(slices.Clone(s.Episodes), func(e Episode) bool { return places[e.Place] && !playings[playing{e.Place, e.Trial}] })
	if len(out.Episodes) == len(s.Episodes) {
		return s
	}
	return &out
}

func hasTrials(s *TaskSide) bool {
	return slices.ContainsFunc(s.Episodes, func(e Episode) bool { return e.Trial > 0 })
}

// broke counts what broke of either side, of base and of new.
func (a *aligned) broke() (either, base, new int) {
	for _, x := range a.base {
		if x.broke {
			base++
		}
	}
	for i, x := range a.new {
		if x.broke {
			new++
			if a.paired && a.base[i].broke {
				either--
			}
		}
	}
	return either + base + new, base, new
}

// incomplete joins what both sides lack.
func incomplete(base, new *TaskSide) string {
	var list []string
	if base.Incomplete != "" {
		list = append(list, "base: "+base.Incomplete)
	}
	if new.Incomplete != "" {
		list = append(list, "new: "+new.Incomplete)
	}
	return strings.Join(list, "; ")
}

// differ tells whether two units are not the same in all that is known of both.
func differ(a, b *unit) bool {
	return a.score != b.score || a.broke != b.broke || a.answer != 0 && b.answer != 0 && a.answer != b.answer ||
		a.parts != nil && b.parts != nil && !slices.EqualFunc(a.parts, b.parts, sameFigure) || apart(a.efficiency, b.efficiency) || apart(a.reward, b.reward)
}

// sameFigure tells whether two figures are the same; what was asked for on neither side is.
func sameFigure(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// apart tells two known figures apart.
func apart(a, b float64) bool { return a != b && !math.IsNaN(a) && !math.IsNaN(b) }
