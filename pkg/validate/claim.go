package validate

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// claim is a check that is being made: it holds as long as nothing was found against it.
type claim struct {
	check triage.Check
	found []string // the first findings
	more  int      // how many there are beside them
}

func newClaim(id, what, expected string) *claim {
	return &claim{check: triage.Check{ID: id, Description: what, Expected: expected}}
}

// against notes a finding.
func (c *claim) against(format string, args ...any) {
	if len(c.found) == mostTold {
		c.more++
		return
	}
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// unless notes a finding if ok is false.
func (c *claim) unless(ok bool, format string, args ...any) {
	if !ok {
		c.against(format, args...)
	}
}

// mostTold is how many findings a check tells.
const mostTold = 3

// longest is how much of a finding is told.
const longest = 300

// done gives the check: what was found, or what was seen.
func (c *claim) done(format string, args ...any) triage.Check {
	if len(c.found) == 0 {
		c.check.Passed, c.check.Seen = true, fmt.Sprintf(format, args...)
		return c.check
	}
	out := make([]string, len(c.found))
	for i, f := range c.found {
		out[i] = cut(f, longest)
	}
	c.check.Seen = strings.Join(out, "; ")
	if c.more > 0 {
		c.check.Seen += fmt.Sprintf("; and %d more", c.more)
	}
	return c.check
}

// skipped gives the check as one that does not apply.
func (c *claim) skipped(format string, args ...any) triage.Check {
	c.check.Skipped = fmt.Sprintf(format, args...)
	return c.check
}

// cut shortens a text between characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// brief shows JSON that somebody sent.
func brief(data []byte) string { return cut(string(data), 120) }
