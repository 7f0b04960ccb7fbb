package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// Runs of words that stand twice are remarked on from these lengths: within a file or in both splits, where whoever learned
// the one text knows part of the other, and in two scenarios of one split, where it only reads badly.
const leakRun, copyRun = 6, 8

// alike is the share of common words (Jaccard) from which two phrasings of one list count as the same.
const alike = 0.6

// fewWords is the number of different words under which a text may be like another: there are only so many short subjects.
const fewWords = 4

// Finds tells whether rules that read texts find the value of a fact in a text, such as "severity", "blocked".
type Finds func(fact, value, text string) bool

// Linter looks for what a bank may hold and should not: phrasings too alike, runs of words that stand elsewhere, copies of another
// scenario, plain phrasings from which no rule reads their fact, texts that contradict the facts of their place, deadlines that a reader
// cannot place, and splits of unlike size.
type Linter struct {
	finds  Finds
	runs   map[string][]*Scenario // a run of words -> the scenarios that have it
	public map[*Scenario]bool     // those of the bank
	equal  map[Problem]bool       // advice of checks on files that are equal to those of the bank
}

// NewLinter gives a linter that knows the texts of a bank, nil for none, and asks finds about plain phrasings; nil
// leaves that out.
func NewLinter(bank *Bank, finds Finds) *Linter {
	l := &Linter{finds: finds, runs: map[string][]*Scenario{}, public: map[*Scenario]bool{}, equal: map[Problem]bool{}}
	if bank != nil {
		for _, s := range bank.Scenarios {
			l.public[s] = true
			l.learn(s)
		}
	}
	return l
}

// learn adds the runs of a scenario; one of the same name is replaced, as a file under work replaces the embedded one.
func (l *Linter) learn(s *Scenario) {
	s.eachText(func(text string, _ ...any) {
		w := wordsOf(text)
		for _, n := range []int{leakRun, copyRun} {
			for _, r := range runsOf(w, n) {
				if !slices.ContainsFunc(l.runs[r], func(o *Scenario) bool { return o.Slug == s.Slug }) {
					l.runs[r] = append(l.runs[r], s)
				}
			}
		}
	})
}

// elsewhere gives another scenario that has one of the runs of a text and should not, with the run.
func (l *Linter) elsewhere(s *Scenario, w []string) (run string, other *Scenario) {
	for _, n := range []int{leakRun, copyRun} {
		for _, r := range runsOf(w, n) {
			for _, o := range l.runs[r] {
				if o.Slug != s.Slug && (n == copyRun || o.Split != s.Split) {
					return r, o
				}
			}
		}
	}
	return "", nil
}

// linted is a scenario with the places of its texts.
type linted struct {
	at *locator
	s  *Scenario
}

// Check reads the .yaml files of a folder that is laid out as a bank is (<route>/<slug>.yaml, voices/…), and gives mistakes, for
// which the bank would not load, and advice. Names of files are relative to the folder.
func (l *Linter) Check(dir fs.FS) (mistakes, advice Problems, scenarios int, err error) {
	var good []linted
	b := &Bank{}
	voices := map[string]bool{}
	mistakes, err = eachFile(dir, func(name string, data []byte) Problems {
		if path.Dir(name) == voicesDir {
			voices[path.Base(name)] = true
			return b.add(name, data)
		}
		scenarios++
		x := linted{s: &Scenario{Slug: strings.TrimSuffix(name, ".yaml"), Route: triage.Route(path.Dir(name))}}
		if !x.s.Route.Valid() {
			return Problems{noRoute(name)}
		}
		found := decodeYAML(name, data, x.s, func(at *locator) Problems {
			x.at = at
			return checkScenario(at, x.s)
		})
		if len(found) == 0 {
			good = append(good, x)
		}
		return found
	})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("check scenarios: %w", err)
	}
	if scenarios > 0 { // who checks a voice alone has the rest elsewhere
		mistakes = append(mistakes, incomplete(voices, len(b.Voices))...)
	}
	for _, x := range good {
		l.learn(x.s)
	}
	advice = append(namesakes(good), uneven(good)...)
	for _, x := range good {
		found := slices.Concat(l.repeats(x), l.unread(x), clashes(x), undated(x), cutOff(x))
		if l.isPublic(x.s) {
			for _, p := range found {
				l.equal[p] = true
			}
		}
		advice = append(advice, found...)
	}
	mistakes.sort()
	advice.sort()
	return mistakes, advice, scenarios, nil
}

// OnPublic tells whether a piece of advice that Check gave is about the texts of a file that says what the one of the same name in the
// linter's bank says: who copied a bank did not write them.
func (l *Linter) OnPublic(p Problem) bool { return l.equal[p] }

// isPublic tells whether a scenario is one of the bank, unchanged.
func (l *Linter) isPublic(s *Scenario) bool {
	for o := range l.public {
		if o.Slug != s.Slug || o.Route != s.Route {
			continue
		}
		a, err := json.Marshal(o)
		b, err2 := json.Marshal(s)
		return err == nil && err2 == nil && bytes.Equal(a, b)
	}
	return false
}

// unread remarks on plain phrasings from which the rules do not read the fact that they tell.
func (l *Linter) unread(x linted) Problems {
	var out Problems
	if l.finds == nil {
		return nil
	}
	ask := func(fact, value string, texts []string, place ...any) {
		for i, text := range texts {
			if !l.finds(fact, value, text) {
				out = append(out, x.at.problem(fmt.Sprintf("no rule reads %s %s from the plain phrasing %q: use the handbook's words for it, or move it to indirect",
					fact, value, text), append(place, "plain", i)...))
			}
		}
	}
	for i := range x.s.Situations {
		v := &x.s.Situations[i]
		at := func() []any { return []any{"situations", i} }
		ask("severity", string(v.Severity), v.Plain, at()...)
		// A trifle is nobody else's unless the text says so, and only standstill and risk depend on who is hit.
		if v.Severity == triage.Blocked || v.Severity == triage.DataAtRisk {
			ask("impact", string(v.Impact), v.Plain, at()...)
		}
		if v.Workaround != nil {
			ask("workaround", map[bool]string{true: "yes", false: "no"}[*v.Workaround], v.Plain, at()...)
		}
		if v.Stake == triage.DailyWork || v.Stake == triage.Contract {
			ask("stake", string(v.Stake), v.Plain, at()...)
		}
	}
	for _, d := range []triage.Deadline{triage.Days, triage.Hours} {
		ask("deadline", string(d), x.s.Deadline[d].Plain, "deadline", string(d))
	}
	for _, e := range triage.Efforts() {
		if v, ok := x.s.Effort[e]; ok && x.s.Route != triage.Feedback {
			ask("effort", string(e), v.Plain, "effort", string(e))
		}
	}
	return out
}

var (
	weekday = lazyregexp.New(`(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b`)
	date    = lazyregexp.New(`(?i)\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\bthe (?:\d+|first|second|third|fourth|fifth|tenth|twentieth)(?:st|nd|rd|th)? of\b|\b\d{1,2}[./]\d{1,2}[./]`)
	far     = lazyregexp.New(`(?i)\b(?:in|within) (?:(?:two|three|four|five|six|several|a few|\d+) (?:weeks|months)|a month|(?:[89]|[1-9]\d|eight|nine|ten|eleven|twelve|fourteen) days)\b|\bnext month\b`)
)

// undated remarks on deadlines that name a weekday or a date, which a reader cannot place, or that are too far off.
func undated(x linted) Problems {
	var out Problems
	for _, d := range []triage.Deadline{triage.Days, triage.Hours} {
		v := x.s.Deadline[d]
		for _, level := range []struct {
			name  string
			texts []string
		}{{"plain", v.Plain}, {"indirect", v.Indirect}, {"buried", v.Buried}} {
			for i, text := range level.texts {
				place := []any{"deadline", string(d), level.name, i}
				if m := weekday.FindString(text); m != "" {
					out = append(out, x.at.problem(fmt.Sprintf("a reader does not know how far off %q is: say it from the day of the mail (\"tomorrow at noon\", \"in four days\")", m), place...))
				} else if m := date.FindString(text); m != "" {
					out = append(out, x.at.problem(fmt.Sprintf("a reader does not know today's date, so %q tells nothing: say it from the day of the mail (\"tomorrow at noon\", \"in four days\")", m), place...))
				}
				if m := far.FindString(text); m != "" {
					out = append(out, x.at.problem(fmt.Sprintf("%q is more than seven days off, which the handbook counts as no deadline", m), place...))
				}
			}
		}
	}
	return out
}

// cutOff remarks on texts that end at a "#", where YAML begins a comment, and on sentences without a beginning or an end.
func cutOff(x linted) Problems {
	var out Problems
	x.s.eachText(func(text string, place ...any) {
		if n := x.at.node(place...); n != nil && n.Style == 0 && strings.HasPrefix(n.LineComment, "#") {
			out = append(out, x.at.problem(fmt.Sprintf("YAML ends the text %q at %q: put the whole text in quotes", text, n.LineComment), place...))
		}
		if place[0] == "subjects" {
			return
		}
		end := strings.TrimRight(text, ")\"'”’ ")
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "(\"'“‘")); unicode.IsLower(first) {
			out = append(out, x.at.problem(fmt.Sprintf("%q begins with a small letter: write whole sentences", text), place...))
		} else if end != "" && !strings.ContainsRune(".!?…:", rune(end[len(end)-1])) && !strings.HasSuffix(end, "…") {
			out = append(out, x.at.problem(fmt.Sprintf("%q does not end as a sentence does: write whole sentences", text), place...))
		}
	})
	return out
}

// wordsOf gives the words of a text in lower case, a placeholder as "{}".
func wordsOf(text string) []string {
	return word.FindAllString(strings.ToLower(placeholder.ReplaceAllString(text, "{}")), -1)
}

var word = lazyregexp.New(`\{\}|[\p{L}\p{N}'’]+`)

// runsOf gives the runs of n words, without those with two placeholders and more.
func runsOf(w []string, n int) []string {
	var out []string
	for i := 0; i+n <= len(w); i++ {
		holes := 0
		for _, x := range w[i : i+n] {
			if x == "{}" {
				holes++
			}
		}
		if holes < 2 {
			out = append(out, strings.Join(w[i:i+n], " "))
		}
	}
	return out
}

// jaccard gives the share of common elements, 0 for two empty sets.
func jaccard(a, b map[string]bool) float64 {
	common := 0
	for k := range a {
		if b[k] {
			common++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}
