package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Repeats is what gates say of repeats of one agent, between which nothing changed: none may say regression more often than chance
// gives.
type Repeats struct {
	// Sides names the repeats. Every ordered pair of them is compared, and each with itself.
	Sides []string
	Pairs int
	Gates []RepeatedGate
}

// RepeatedGate counts the verdicts of a gate.
type RepeatedGate struct {
	Gate Gate
	// Passes, Inconclusive and Regressions count the verdicts of pairs of two repeats; Self those of a repeat against itself that
	// are a regression.
	Passes, Inconclusive, Regressions, Self int
	// Disjoint are the pairs of which no two share a repeat (the first and the second, the third and the fourth …), Alarms those of
	// them that are a regression in one direction or the other, and Chance how likely so many alarms or more are for a gate that calls
	// 2.5 % of what has not changed a regression in each direction.
	Disjoint, Alarms int
	Chance           float64
	// Worst is the regression with the largest drop, and Base and New the repeats that it is of; nil for none.
	Worst     *Verdict
	Base, New string
	// Skipped says why the gate says nothing of repeats, or is empty.
	Skipped string
}

// Holds tells whether no gate says regression more often than chance gives. Pairs that share a repeat are not independent, so only
// disjoint ones are counted: that a sound gate fails is no likelier than 5 %. A gate on bytes has no chance: any regression fails it.
// Whether a gate says anything at all is told by [RepeatedGate.Settles].
func (r *Repeats) Holds() bool {
	return !slices.ContainsFunc(r.Gates, func(g RepeatedGate) bool { return !g.Holds() })
}

// Holds tells whether the gate says regression no more often than chance gives; see [Repeats.Holds].
func (g *RepeatedGate) Holds() bool {
	if g.Gate.identical() {
		return g.Regressions == 0 && g.Self == 0
	}
	return g.Self == 0 && (g.Alarms == 0 || g.Chance > level+tiny)
}

// Settles tells whether the gate says something other than inconclusive of any pair: one that never does tells nothing of these repeats,
// whatever [RepeatedGate.Holds] says.
func (g *RepeatedGate) Settles() bool { return g.Passes+g.Regressions > 0 }

// Share is the share of the verdicts that are a regression, NaN for none.
func (g *RepeatedGate) Share() float64 {
	return float64(g.Regressions) / float64(g.Passes+g.Inconclusive+g.Regressions)
}

// AA checks gates on repeats of one agent: results files or run folders of the same settings, or a run folder with several
// trials, whose trials are repeats of each other. Only gates that limit a drop or ask for the same bytes say something of repeats;
// others are skipped. It is a *[triage.Error] with CodeUsage where there are not two repeats of one agent; other errors are those of
// [Compare] and [Judge].
func AA(sides []*Side, gates []Gate, o Options, jo JudgeOptions) (*Repeats, error) {
	repeats, err := repeatsOf(sides)
	if err != nil {
		return nil, err
	}
	o.Moved = -1
	gates = distinctGates(gates)
	r := &Repeats{Gates: make([]RepeatedGate, len(gates))}
	var judged []Gate
	for i, g := range gates {
		if r.Gates[i] = (RepeatedGate{Gate: g, Skipped: aside(g)}); r.Gates[i].Skipped == "" {
			judged = append(judged, g)
		}
	}
	if len(judged) == 0 {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: "check gates on repeats: no gate limits a drop or asks for the same bytes, such as score drop <= 0.05"}
	}
	alarms := alarms{pairs: len(repeats) / 2, of: map[[2]int]bool{}}
	for b, base := range repeats {
		r.Sides = append(r.Sides, base.Name)
		for n, now := range repeats {
			c, err := Compare(base, now, o)
			if err != nil {
				return nil, err
			}
			verdicts, err := Judge(c, judged, jo)
			if err != nil {
				return nil, err
			}
			if base != now {
				r.Pairs++
			}
			r.add(verdicts, base, now)
			alarms.add(r, verdicts, b, n)
		}
	}
	alarms.finish(r)
	return r, nil
}

// alarms are the regressions of disjoint pairs: of a gate and a pair of repeats.
type alarms struct {
	pairs int
	of    map[[2]int]bool
}

// add takes the verdicts of one ordered pair of repeats.
func (a *alarms) add(r *Repeats, verdicts []Verdict, base, now int) {
	if base == now || base/2 != now/2 {
		return
	}
	for i := range r.Gates {
		if slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Gate == r.Gates[i].Gate && v.Outcome == Regression }) {
			a.of[[2]int{i, base / 2}] = true
		}
	}
}

// finish reckons the chance of so many alarms.
func (a *alarms) finish(r *Repeats) {
	for i := range r.Gates {
		g := &r.Gates[i]
		if g.Skipped != "" {
			continue
		}
		for k := range a.pairs {
			if a.of[[2]int{i, k}] {
				g.Alarms++
			}
		}
		g.Disjoint = a.pairs
		g.Chance = stats.BinomialAtLeast(g.Alarms, g.Disjoint, level)
	}
}

// distinctGates leaves out gates that are there before.
func distinctGates(gates []Gate) []Gate {
	var out []Gate
	for _, g := range gates {
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// aside says why a gate says nothing of repeats.
func aside(g Gate) string {
	switch {
	case g.identical(), g.Change == Drop && g.upper():
		return ""
	case g.Change == "":
		return "it is about new's own figure, not about a change"
	}
	return "it asks for a change, and between repeats there is none"
}

// add counts verdicts.
func (r *Repeats) add(verdicts []Verdict, base, now *Side) {
	for i := range r.Gates {
		g := &r.Gates[i]
		for k := range verdicts {
			v := &verdicts[k]
			switch {
			case g.Skipped != "" || v.Gate != g.Gate:
			case base == now:
				if v.Outcome == Regression {
					g.Self++
				}
			case v.Outcome == Pass:
				g.Passes++
			case v.Outcome == Inconclusive:
				g.Inconclusive++
			default:
				g.Regressions++
				if g.Worst == nil || v.Value > g.Worst.Value {
					g.Worst, g.Base, g.New = v, base.Name, now.Name
				}
			}
		}
	}
}

// repeatsOf gives the repeats: the sides themselves or, of a single one, its trials.
func repeatsOf(sides []*Side) ([]*Side, error) {
	fail := func(format string, args ...any) ([]*Side, error) {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: "check gates on repeats: " + fmt.Sprintf(format, args...)}
	}
	switch len(sides) {
	case 0:
		return fail("no run was given")
	case 1:
		out := trialsApart(sides[0])
		if len(out) < 2 {
			return fail("%s has one trial: give two runs of one agent or more, or one that was played with --trials 2 or more", shown(sides[0].Name))
		}
		return out, nil
	}
	for _, s := range sides {
		if s.Agent != sides[0].Agent {
			return fail("%s and %s are two agents: repeats are runs of one", shown(sides[0].Agent), shown(s.Agent))
		}
	}
	return sides, nil
}

// trialsApart makes a side of each trial.
func trialsApart(s *Side) []*Side {
	trials := map[int16]bool{}
	for i := range s.Tasks {
		for k := range s.Tasks[i].Episodes {
			trials[s.Tasks[i].Episodes[k].Trial] = true
		}
	}
	numbers := make([]int16, 0, len(trials))
	for n := range trials {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	out := make([]*Side, len(numbers))
	for i, n := range numbers {
		out[i] = s.trial(n)
		// Where draws are seeded by the trial, what is deterministic may still differ from trial to trial.
		out[i].Deterministic = s.Deterministic && len(numbers) == 1
	}
	return out
}

// trial is the side as if only one of its trials had been played.
func (s *Side) trial(number int16) *Side {
	out := *s
	out.Name = fmt.Sprintf("%s, trial %d", s.Name, number)
	out.folder = nil
	out.Tasks = make([]TaskSide, 0, len(s.Tasks))
	for i := range s.Tasks {
		t := s.Tasks[i]
		t.Counts, t.Episodes = nil, nil // counts are of all trials together
		for _, e := range s.Tasks[i].Episodes {
			if e.Trial == number {
				e.Trial = 0
				t.Episodes = append(t.Episodes, e)
			}
		}
		if t.Digest = digestOfEpisodes(t.Episodes); len(t.Episodes) > 0 {
			out.Tasks = append(out.Tasks, t)
		}
	}
	return &out
}

// digestOfEpisodes is the SHA-256 of what is known of episodes, in hex: it stands in for that of a results file, which a single
// trial does not have.
func digestOfEpisodes(list []Episode) string {
	h := sha256.New()
	hex6 := func(v float64) string {
		if math.IsNaN(v) {
			return "null"
		}
		return string(triage.AppendRounded(nil, v))
	}
	for i := range list {
		e := &list[i]
		var b strings.Builder
		fmt.Fprintf(&b, "%d %d %t %s %s %s\n", e.Seed, e.Position, e.Scored, hex6(e.Score), hex6(e.Efficiency), hex6(e.Reward))
		for k := range e.Tickets {
			t := &e.Tickets[k]
			fmt.Fprintf(&b, "%q %d %s", t.ID, t.Answer, hex6(t.Score))
			for _, p := range t.Parts {
				fmt.Fprintf(&b, " %q %s", p.Name, hex6(p.Value))
			}
			b.WriteByte('\n')
		}
		_, _ = h.Write([]byte(b.String())) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}
