// Package lazyregexp has regular expressions that are compiled where they are first used. Those of package level would else be compiled
// before main, by every command: they took a quarter of the start of the program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression of package regexp, compiled once, by the first method that is called. It may be used by several
// goroutines at once. Each method is the one of regexp.Regexp of that name.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// all is what New has made, for Check.
var all struct {
	sync.Mutex
	list []*Regexp
}

// New gives the regular expression of that text, in the syntax of package regexp. A text that is none is found by the first use, which
// panics, and by Check.
func New(text string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	all.Lock()
	defer all.Unlock()
	all.list = append(all.list, r)
	return r
}

// Check compiles all regular expressions that this program has and gives their number. It panics where a text is none.
func Check() int {
	all.Lock()
	defer all.Unlock()
	for _, r := range all.list {
		r.compiled()
	}
	return len(all.list)
}

// Match reports whether b has a match.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString reports whether s has a match.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindString gives the first match in s, empty without one.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex gives start and end of the first match in s, nil without one.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch gives the first match in s and its groups, nil without one.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindSubmatch gives the first match in b and its groups, nil without one.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// FindAllString gives at most n matches in s, all with a negative n.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringSubmatch gives at most n matches in s with their groups, all with a negative n.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex gives starts and ends of at most n matches in s and of their groups, all with a negative n.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindAllSubmatch gives at most n matches in b with their groups, all with a negative n.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// ReplaceAllString gives s with each match replaced; $1 in with stands for the first group.
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc gives s with each match replaced by what with gives for it.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, with)
}

// FindAllSubmatchIndex gives starts and ends of at most n matches in b and of their groups, all with a negative n.
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllSubmatchIndex(b, n)
}

// String gives the text.
func (r *Regexp) String() string { return r.compiled().String() }
