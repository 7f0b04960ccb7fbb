package audit

import (
	"fmt"
	"math"

	"github.com/triagebench/triage/pkg/triage"
)

// exact is how far a score may be off what it is expected to equal: the rounding of sums.
const exact = 1e-9

// mean estimates what a contender earns an episode, with the standard error of that mean.
func (a *arena) mean(name string, of func(*outcome) float64) (mean, se float64) {
	list := a.results[name]
	return estimate(len(list), func(i int) float64 { return of(&list[i]) })
}

// difference estimates how much more one contender earns than another on the same seeds.
func (a *arena) difference(name, than string) (mean, se float64) {
	x, y := a.results[name], a.results[than]
	return estimate(len(x), func(i int) float64 { return x[i].score - y[i].score })
}

// estimate gives the mean of n values and its standard error, 0 where there is none.
func estimate(n int, value func(int) float64) (mean, se float64) {
	if n == 0 {
		return math.NaN(), 0
	}
	for i := range n {
		mean += value(i)
	}
	mean /= float64(n)
	if n == 1 {
		return mean, 0
	}
	squares := 0.0
	for i := range n {
		d := value(i) - mean
		squares += float64(d * d)
	}
	return mean, math.Sqrt(squares / float64(n-1) / float64(n))
}

func score(o *outcome) float64          { return o.score }
func recommendation(o *outcome) float64 { return o.recommendation }

// check makes the check of a contender. Its id is task/name.
func (a *arena) check(name, what, expected, seen string, ok bool) triage.Check {
	return triage.Check{ID: a.task.Name + "/" + name, Description: what, Expected: expected, Seen: seen, Passed: ok}
}

// told renders a mean with its standard error.
func told(mean, se float64) string { return fmt.Sprintf("%.3f ± %.3f", mean, se) }

// slack is by how much a mean may pass its ceiling, with the words that say so. The local environments play many episodes,
// always the same ones, and have none; on a server a few may happen to be easy.
func (a *arena) slack(se float64, episodes int) (float64, string) {
	if a.server == nil {
		return 0, ""
	}
	if episodes < leastEpisodes {
		se = max(se, 0.5/math.Sqrt(float64(max(1, episodes)))) // so few do not tell how much they vary
	}
	s := float64(serverSampling * se)
	return s, fmt.Sprintf(" + %.3f (%d s.e.)", s, serverSampling)
}

// leastEpisodes is how many episodes tell by themselves how much episodes vary. serverSampling is how many standard errors a mean
// may pass its ceiling by on a server: a secret makes other tickets on each, and an audit has a hundred such checks.
const leastEpisodes, serverSampling = 8, 4

// atMost expects a mean score at or under a ceiling.
func (a *arena) atMost(name, what string, ceiling float64) triage.Check {
	m, se := a.mean(name, score)
	s, said := a.slack(se, len(a.results[name]))
	return a.check(name, what, fmt.Sprintf("at most %.2f", ceiling)+said, told(m, se), m <= ceiling+s+exact)
}

// under expects a mean score under a ceiling.
func (a *arena) under(name, what string, ceiling float64) triage.Check {
	m, se := a.mean(name, score)
	s, said := a.slack(se, len(a.results[name]))
	return a.check(name, what, fmt.Sprintf("under %.2f", ceiling)+said, told(m, se), m < ceiling+s)
}

// fails expects a mean score that misses the task's target.
func (a *arena) fails(name, what string) triage.Check {
	m, se := a.mean(name, score)
	s, said := a.slack(se, len(a.results[name]))
	return a.check(name, what, "misses the target, "+a.target()+said, told(m, se), !a.task.Pass(m-s))
}

// passes expects a mean score that reaches the task's target.
func (a *arena) passes(name, what string) triage.Check {
	m, se := a.mean(name, score)
	return a.check(name, what, "reaches the target, "+a.target(), told(m, se), a.task.Pass(m))
}

func (a *arena) target() string {
	if a.task.Track == triage.Desk {
		return fmt.Sprintf("≥ %.2f", a.task.Target)
	}
	return fmt.Sprintf("> %.2f", a.task.Target)
}

// equals expects the same score of every episode.
func (a *arena) equals(name, what string, want float64) triage.Check {
	m, se := a.mean(name, score)
	ok := true
	for i := range a.results[name] {
		ok = ok && math.Abs(a.results[name][i].score-want) <= exact
	}
	return a.check(name, what, fmt.Sprintf("%.3f in every episode", want), told(m, se), ok)
}

// noBetter expects that a contender gains nothing over another on the same seeds, or, where the server chooses them, on others.
func (a *arena) noBetter(name, what, than string) triage.Check {
	return a.atMostAs(name, what, than, true)
}

// atMostAs is [arena.noBetter]; lenient says that chance may make a difference on a server.
func (a *arena) atMostAs(name, what, than string, lenient bool) triage.Check {
	m, se := a.mean(name, score)
	bar, barSE := a.mean(than, score)
	d, dse := a.difference(name, than)
	if a.isSealed() {
		dse = math.Hypot(se, barSE)
	}
	s, said := a.slack(dse, len(a.results[name]))
	if !lenient {
		s, said = 0, ""
	}
	return a.check(name, what, fmt.Sprintf("at most %.3f, as %s", bar, than)+said, told(m, se), d <= s+exact)
}

// tell only prints a mean score.
func (a *arena) tell(name, what string) triage.Check {
	m, se := a.mean(name, score)
	c := a.check(name, what, "printed", told(m, se), true)
	c.Printed = true
	return c
}
