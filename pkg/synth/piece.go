package synth

import (
	"fmt"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// Role says what a piece of a mail is for.
type Role string

// The roles.
const (
	RoleSubject   Role = "subject"
	RoleGreeting  Role = "greeting"
	RoleOpening   Role = "opening"
	RoleStatement Role = "statement"
	RoleSituation Role = "situation"
	RoleEffort    Role = "effort"
	RoleDeadline  Role = "deadline"
	RoleAsk       Role = "ask"
	RoleDetail    Role = "detail"
	RoleTone      Role = "tone"
	RoleWait      Role = "wait"
	RoleSecondary Role = "secondary"
	RoleMention   Role = "mention"
	RoleSettled   Role = "settled"
	RoleQuote     Role = "quote"
	RoleResolved  Role = "resolved"
	RoleLead      Role = "lead"
	RoleOrder     Role = "order"
	RoleClosing   Role = "closing"
	RoleSignature Role = "signature"
	RoleNoise     Role = "noise"
)

// Sentence is a piece of a mail with what it carries, for people who look behind a ticket.
type Sentence struct {
	Text     string `json:"text"`
	Role     Role   `json:"role"`
	Scenario string `json:"scenario,omitempty"` // where the words come from
	Level    string `json:"level,omitempty"`    // plain, indirect or buried
	Carries  string `json:"carries,omitempty"`  // the facts that it tells, as name=value
}

// level says how plainly a phrasing tells its fact.
type level int

const (
	levelPlain level = iota
	levelIndirect
	levelBuried
)

func (l level) String() string { return [...]string{"plain", "indirect", "buried"}[l] }

// of gives the phrasings of a level, or of the nearest plainer one that there is.
func (l level) of(x *scenario.Levels) []string {
	switch {
	case l == levelBuried && len(x.Buried) > 0:
		return x.Buried
	case l >= levelIndirect && len(x.Indirect) > 0:
		return x.Indirect
	}
	return x.Plain
}

// source is where a piece's placeholders are filled from.
type fill struct {
	scenario *candidate
	row      map[string]string
	ref      int
}

// piece is one part of a mail before it is written out.
type piece struct {
	text  string
	role  Role
	level level
	fill  *fill
	// newParagraph begins a paragraph; raw is written as it stands, untouched by the voice's habits.
	newParagraph, raw bool
	// forwarded: its {colleague} is who wrote a forwarded mail, and not the one whom that mail names.
	forwarded bool
}

// carries names the facts that a piece of the primary request tells.
func carries(p *piece, r *triage.Request) string {
	switch p.role {
	case RoleStatement:
		return "the matter"
	case RoleAsk:
		return "route=" + string(r.Route)
	case RoleEffort:
		return "effort=" + string(r.Effort)
	case RoleDeadline:
		return "deadline=" + string(r.Deadline)
	case RoleSituation:
		out := fmt.Sprintf("severity=%s impact=%s", r.Severity, r.Impact)
		if r.Severity == triage.Blocked {
			out += fmt.Sprintf(" workaround=%t", r.Workaround)
		}
		if r.Stake != "" {
			out += " stake=" + string(r.Stake)
		}
		return out
	case RoleResolved:
		return "the matter; severity=cosmetic effort=self_service: settled"
	}
	return ""
}
