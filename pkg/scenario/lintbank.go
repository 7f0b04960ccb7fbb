package scenario

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// A scenario counts as a copy of another from this share of its texts, and this number, that have a run of words in common with it.
const (
	copyShare = 1.0 / 3
	copyTexts = 8
)

// copied says how many texts of a scenario, of those long enough to tell, have a run of words in common with another; of is nil where
// that is no sign of a copy.
type copied struct {
	of          *Scenario
	common, all int
}

// original looks for the scenario that another was copied from.
func (l *Linter) original(x linted) copied {
	counts := map[*Scenario]int{}
	all := 0
	x.s.eachText(func(text string, _ ...any) {
		runs := runsOf(wordsOf(text), leakRun)
		if len(runs) == 0 {
			return
		}
		all++
		here := map[*Scenario]bool{}
		for _, r := range runs {
			for _, o := range l.runs[r] {
				here[o] = o.Slug != x.s.Slug
			}
		}
		for o, other := range here {
			if other {
				counts[o]++
			}
		}
	})
	out := copied{all: all}
	for o, n := range counts {
		if float64(n) >= copyShare*float64(all) && n >= copyTexts && (n > out.common || n == out.common && o.Slug < out.of.Slug) {
			out.of, out.common = o, n
		}
	}
	return out
}

func (c *copied) message(l *Linter) string {
	where := ""
	if l.public[c.of] {
		where = " of the public bank"
	}
	return fmt.Sprintf("%d of %d texts share six words in a row and more with %s%s: this reads as a copy, so whoever learned the one knows the other; write it anew",
		c.common, c.all, c.of.Slug, where)
}

// repeats remarks on phrasings that are too alike within a list, and on runs of words that stand in another scenario.
func (l *Linter) repeats(x linted) Problems {
	var out Problems
	original := l.original(x)
	if original.of != nil {
		out = append(out, x.at.problem(original.message(l), "title"))
	}
	list, before := "", []map[string]bool{}
	seen := map[string]bool{} // runs of this scenario
	x.s.eachText(func(text string, place ...any) {
		if at := where(place[:len(place)-1]); at != list {
			list, before = at, nil
		}
		words := map[string]bool{}
		for _, w := range wordsOf(text) {
			words[w] = true
		}
		for i, other := range before {
			if len(words) >= fewWords && jaccard(words, other) >= alike {
				out = append(out, x.at.problem(fmt.Sprintf("%q is too like text %d of %s: say it as somebody else would", text, i+1, list), place...))
				break
			}
		}
		before = append(before, words)
		w := wordsOf(text)
		if r, other := l.elsewhere(x.s, w); other != nil && other != original.of {
			out = append(out, x.at.problem(fmt.Sprintf("the words %q stand in %s (split %s) too: write them differently", r, other.Slug, other.Split), place...))
		}
		runs := runsOf(w, leakRun)
		if i := slices.IndexFunc(runs, func(r string) bool { return seen[r] }); i >= 0 {
			out = append(out, x.at.problem(fmt.Sprintf("the words %q stand twice in this file: write one of them differently", runs[i]), place...))
		}
		for _, r := range runs {
			seen[r] = true
		}
	})
	return out
}

var plainName = lazyregexp.New(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// ValidName tells whether a scenario's file may be named so, without its folder and ending: small letters, digits, and hyphens between
// them.
func ValidName(name string) bool { return plainName.MatchString(name) }

// namesakes remarks on names of files that are hard to type or that two scenarios share, and on titles that stand twice.
func namesakes(list []linted) Problems {
	var out Problems
	names, titles := map[string]string{}, map[string]string{}
	list = slices.SortedFunc(slices.Values(list), func(a, b linted) int { return cmp.Compare(a.s.Slug, b.s.Slug) })
	for _, x := range list {
		name := path.Base(x.s.Slug)
		if !ValidName(name) {
			out = append(out, x.at.problem(fmt.Sprintf("the file's name %q goes into tables and commands: use small letters, digits and hyphens, such as late-invoice.yaml", name+".yaml")))
		}
		if other, ok := names[strings.ToLower(name)]; ok {
			out = append(out, x.at.problem(fmt.Sprintf("%s has the same name: tables are read wrongly so; give one of the two another", other)))
		} else {
			names[strings.ToLower(name)] = x.s.Slug
		}
		title := strings.ToLower(strings.TrimSpace(x.s.Title))
		if other, ok := titles[title]; ok {
			out = append(out, x.at.problem(fmt.Sprintf("%s has the same title: if it is the same situation, make one file of both", other), "title"))
		} else {
			titles[title] = x.s.Slug
		}
	}
	return out
}

// fewScenarios is the number of scenarios of a kind under which nothing is said of their halves.
const fewScenarios = 4

// uneven remarks on routes and desk categories of which one half has more than 55 of a hundred scenarios, where the number allows less.
func uneven(list []linted) Problems {
	var out Problems
	count := func(kind, file string, of func(*Scenario) bool) {
		train, all := 0, 0
		for _, x := range list {
			if of(x.s) {
				all++
				if x.s.Split == triage.Train {
					train++
				}
			}
		}
		if off := max(2*train-all, all-2*train); all >= fewScenarios && off > max(1, all/10) {
			more, other, n := triage.Train, triage.Test, train-all/2
			if 2*train < all {
				more, other, n = triage.Test, triage.Train, all-train-all/2
			}
			out = append(out, Problem{File: file, Message: fmt.Sprintf("of %d %s scenarios %d are in train and %d in test: change the split of %d from %s to %s, so that each half has about as many",
				all, kind, train, all-train, n, more, other)})
		}
	}
	for _, r := range triage.Routes() {
		count(string(r), string(r), func(s *Scenario) bool { return s.Route == r })
	}
	for _, c := range triage.Categories() {
		count(string(c), ".", func(s *Scenario) bool { return s.Desk == c })
	}
	return out
}
