package stats

import (
	"fmt"
	"math"
)

// Guarded is a mean of bounded values for who decides by it: its interval allows for what a sample may not have shown yet.
type Guarded struct {
	N    int     // values
	Mean float64 // of the values as they are; NaN for nothing
	// CI95 is the interval, within the bounds, and nil where there is none: Reason says why. Center is its middle before it is kept
	// within the bounds, SE its standard error, DF its degrees of freedom.
	CI95           *Interval
	Center, SE, DF float64
	// Variance is that of Mean as it was seen, and Design how many times larger than of as many independent values. Weight is how many
	// values those count as that were added at each bound, Added the part of SE² that is theirs.
	Variance, Design, Weight, Added float64
	// Alike says that no stratum has values that differ: there is no CI95 then. Independent is how many values, or clusters, there
	// are to have shown a difference.
	Alike       bool
	Independent int
	Reason      string
	Warnings    []string
}

// Guard estimates the weighted mean of the means of strata, as [Stratified], with an interval that does not pass over what is rare.
// Of differences most of which are 0 Student's interval lies too often on the good side of a margin: what makes it wide has not been
// seen. So one value at each bound is added to every stratum, as Bonett and Price (2012, Adjusted Wald confidence interval for a
// difference of binomial proportions based on paired data, JEBS 37) add a pair of each kind of flip: of n values with the two, N = n
// + 2, the interval is m ± t(0.975, df)·√(Σ(x − m)²)/N around their mean m, with the degrees of freedom of the n values. Where values
// come in clusters the added two are clusters of the mean size: a whole one may yet turn out either way. Values are within low and high, those of two samples within 0 and high.
func Guard(strata []Stratum, low, high float64) Guarded {
	g := Guarded{Mean: math.NaN(), Design: 1}
	whole := 0.0
	for _, s := range strata {
		g.N += len(s.Values) + len(s.Against)
		whole += s.Weight
		if !finite(s.Weight) || s.Weight <= 0 {
			g.Reason = "a weight is not above 0: there is no mean"
			return g
		}
	}
	if len(strata) == 0 {
		g.Reason = noValues
		return g
	}
	k := guard{alike: true, independent: math.Inf(1)}
	mean := 0.0
	for _, s := range strata {
		m, reason := k.add(s, s.Weight/whole, low, high)
		if reason != "" {
			g.Reason = reason
			return g
		}
		mean += float64(s.Weight / whole * m)
	}
	g.Mean = mean
	if k.seen.single || k.now.single {
		g.Reason = "a part has one value or cluster: its variation is not known"
		return g
	}
	k.fill(&g, low, high)
	return g
}

// guard gathers what [Guard] needs of each stratum.
type guard struct {
	seen, now   mixture // as it is, and with the weights that the added values leave to what was seen
	extra       float64 // the variance that the added values bring
	center      float64
	weight      float64
	components  []component
	plain       float64 // the variance if all values were independent
	alike       bool
	independent float64
	all         int
}

// add takes a stratum and gives its mean, or why there is none.
func (k *guard) add(s Stratum, share, low, high float64) (mean float64, reason string) {
	if s.Against == nil {
		return k.sample(s, share, low, high, 1)
	}
	other, reason := k.sample(Stratum{Weight: s.Weight, Values: s.Values, Clusters: s.Clusters}, share, 0, high, 1)
	if reason != "" {
		return 0, reason
	}
	base, reason := k.sample(Stratum{Weight: s.Weight, Values: s.Against, Clusters: s.AgainstClusters}, share, 0, high, -1)
	return other - base, reason
}

// sample takes one sample, which counts with the sign.
func (k *guard) sample(s Stratum, share, low, high, sign float64) (mean float64, reason string) {
	v, reason := spreadOf(s.Values, s.Clusters)
	if reason != "" {
		return 0, reason
	}
	n, count := float64(v.n), float64(v.clusters)
	k.all += v.n
	if v.clusters < 2 {
		k.seen.single = true
		return v.mean, ""
	}
	alone, _ := spreadOf(s.Values, nil)
	k.alike = k.alike && alone.variance == 0
	weight := n / count
	k.plain += float64(share * share * alone.variance)
	k.independent = min(k.independent, count/share)
	all := n + float64(2*weight)
	center := (float64(n*v.mean) + float64(weight*(low+high))) / all
	k.center += float64(sign * share * center)
	k.weight += weight
	up, down, moved := high-center, low-center, v.mean-center
	extra := (float64(weight*weight*(float64(up*up)+float64(down*down))) + float64(weight*n*moved*moved)) / float64(all*all)
	k.extra += float64(share * share * extra)
	// Σ(x − m)² of what was seen is its variance without the small-sample factor.
	shrink := float64(n / all * math.Sqrt(1-1/count))
	if _, reason = k.seen.add(s, share); reason != "" {
		return 0, reason
	}
	_, reason = k.now.add(s, float64(share*shrink))
	k.components = append(k.components, component{float64(share * share * (float64(v.variance*shrink*shrink) + extra)), v.df})
	return v.mean, reason
}

// fill makes the interval.
func (k *guard) fill(g *Guarded, low, high float64) {
	g.Center, g.Weight, g.Added = k.center, k.weight, k.extra
	g.Variance = k.seen.variance()
	g.SE = math.Sqrt(k.now.variance() + k.extra)
	g.DF = max(1, min(satterthwaite(k.components), float64(k.seen.distinct()-1)))
	if k.plain > 0 {
		g.Design = max(1, g.Variance/k.plain)
	}
	g.Independent = min(k.seen.distinct(), int(k.independent+1e-9))
	if g.Alike = k.alike; k.alike {
		g.Design = max(1, float64(k.all)/float64(k.seen.distinct()))
		g.Reason = fmt.Sprintf("%d values do not vary", g.N)
		return
	}
	half := float64(student975(g.DF) * g.SE)
	g.CI95 = &Interval{Low: max(low, g.Center-half), High: min(high, g.Center+half)}
	if k.seen.distinct() < fewClusters && k.seen.seen != nil {
		g.Warnings = append(g.Warnings, fmt.Sprintf("%d clusters: the interval is rough", k.seen.distinct()))
	} else if g.DF < 4 {
		g.Warnings = append(g.Warnings, fmt.Sprintf("%.3g degrees of freedom: the interval is rough", g.DF))
	}
}

// Hidden is the largest share of values that may be other than all n alike values that were seen, for who wants to be wrong in at
// most level/2: 1 − (level/2)^(1/n), of which that of Clopper and Pearson (1934) is made where all cases are alike. It is 1 for n
// below 1.
func Hidden(n int, level float64) float64 {
	if n < 1 {
		return 1
	}
	return digits10(1 - math.Pow(level/2, 1/float64(n)))
}

// NeededToShow is how many independent values have to be alike for a share of others to be called smaller than that given, as by
// [Hidden]: log(level/2)/log(1 − share), rounded up. ok is false for a share or a level not within 0 and 1, both excluded, and
// beyond [MostPairs].
func NeededToShow(share, level float64) (n int, ok bool) {
	if !(share > 0 && share < 1) || !(level > 0 && level < 1) {
		return 0, false
	}
	needed := digits10(math.Log(level/2) / math.Log1p(-share))
	if needed > MostPairs {
		return 0, false
	}
	return int(math.Ceil(needed)), true
}
