package scenario

import (
	"slices"

	"github.com/triagebench/triage/pkg/triage"
)

// sketch is a situation of a skeleton.
type sketch struct {
	severity   triage.Severity
	impact     triage.Impact
	workaround string // "", "true" or "false"
	stake      triage.Stake
}

// sketches are situations that give each route what its checks ask for.
var sketches = map[triage.Route][]sketch{
	triage.Billing: {{triage.Cosmetic, triage.One, "", ""}, {triage.Degraded, triage.Team, "", ""}, {triage.Blocked, triage.Team, "true", ""},
		{triage.Blocked, triage.One, "false", ""}, {triage.Blocked, triage.Company, "false", ""}},
	triage.Technical: {{triage.Cosmetic, triage.One, "", ""}, {triage.Degraded, triage.Team, "", ""}, {triage.Blocked, triage.Team, "true", ""},
		{triage.Blocked, triage.One, "false", ""}, {triage.Blocked, triage.Company, "false", ""}, {triage.DataAtRisk, triage.Team, "", ""}},
	triage.Feature: {{triage.Cosmetic, triage.One, "", triage.NoStake}, {triage.Degraded, triage.Team, "", triage.DailyWork},
		{triage.Degraded, triage.Company, "", triage.Contract}, {triage.Blocked, triage.Team, "false", triage.DailyWork}, {triage.Blocked, triage.Customers, "false", triage.Contract}},
	triage.Feedback: {{triage.Cosmetic, triage.One, "", ""}, {triage.Cosmetic, triage.Customers, "", ""}, {triage.Degraded, triage.One, "", ""}, {triage.Degraded, triage.Team, "", ""}},
}

// The values of facts in words, as a text has to tell them.
var (
	severityWords = map[triage.Severity]string{
		triage.Cosmetic:   "everything works, it is a small nuisance or a wish",
		triage.Degraded:   "it works, but slower, partly or with more effort",
		triage.Blocked:    "a piece of work cannot be done at all",
		triage.DataAtRisk: "data is lost, overwritten or seen by strangers",
	}
	impactWords = map[triage.Impact]string{
		triage.One: "for one person", triage.Team: "for several people, not all", triage.Company: "for all who work there", triage.Customers: "for the sender's own customers",
	}
	workaroundWords = map[string]string{"": "", "true": "; another way is in use", "false": "; there is no other way"}
	stakeWords      = map[triage.Stake]string{"": "", triage.NoStake: "; a personal wish", triage.DailyWork: "; needed in the daily work", triage.Contract: "; a contract, renewal or launch depends on it"}
	deadlineWords   = map[triage.Deadline]string{triage.Days: "it must be done within two to seven days", triage.Hours: "it must be done within 24 hours"}
)

func (w *skeleton) situations() {
	w.note("One of them is drawn for a mail. Each text tells severity, impact and, if blocked, whether there is a workaround: so each must " +
		"be possible with every statement, ask, deadline, effort and detail.")
	w.more("severity: cosmetic, degraded, blocked, data_at_risk; impact: one, team, company, customers; workaround: true or false, only with blocked")
	switch w.route {
	case triage.Feature:
		w.more("stake: none, daily_work, contract. All three are needed, and the urgencies low, medium, high and critical.")
	case triage.Billing, triage.Technical:
		w.more("A Bug needs each severity. A Question needs cosmetic, degraded, and blocked both with and without a workaround. Both need a " +
			"situation of urgency low (cosmetic), medium (degraded), high (blocked without a workaround for one or a team) and critical (the same for the " +
			"company or customers, or data_at_risk for more than one).")
	case triage.Feedback, triage.Spam: // nothing more is asked
	}
	w.line("situations:")
	for _, x := range sketches[w.route] {
		w.line("  - severity: %s", x.severity)
		w.line("    impact: %s", x.impact)
		if x.workaround != "" {
			w.line("    workaround: %s", x.workaround)
		}
		if x.stake != "" {
			w.line("    stake: %s", x.stake)
		}
		w.levels("    ", 3, 3, 2, severityWords[x.severity]+", "+impactWords[x.impact]+workaroundWords[x.workaround]+stakeWords[x.stake])
	}
}

// more goes on with a comment.
func (w *skeleton) more(text string) {
	before := w.Len()
	w.note(text)
	written := slices.Clone(w.Bytes()[before+1:]) // without the empty line
	w.Truncate(before)
	w.Write(written)
}

func (w *skeleton) deadline() {
	w.note("When the sender needs it, told from the day of the mail (\"tomorrow at noon\", \"in four days\"), never by weekday or date. Nothing is said in a mail without one.")
	w.line("deadline:")
	for _, d := range []triage.Deadline{triage.Days, triage.Hours} {
		w.line("  %s:", d)
		w.levels("    ", 2, 2, 1, deadlineWords[d])
	}
}

// effortWords say who has to act, by route.
func effortWords(r triage.Route) map[triage.Effort]string {
	switch r {
	case triage.Feature:
		return map[triage.Effort]string{triage.SelfService: "support can switch it on, as the sender was told",
			triage.Investigation: "a limit or a beta that its team must look at", triage.CrossTeam: "nothing like it exists, it must be built"}
	case triage.Feedback:
		return map[triage.Effort]string{triage.SelfService: "a thank-you or a note is all", triage.Investigation: "someone must find out what happened",
			triage.CrossTeam: "two departments must each say something"}
	case triage.Billing, triage.Technical, triage.Spam:
	}
	return map[triage.Effort]string{triage.SelfService: "a setting, an article or a switch is enough",
		triage.Investigation: "someone of one team must look into this account, order or log", triage.CrossTeam: "two departments must act, or code must change"}
}

func (w *skeleton) effort() {
	w.note("Who has to act for it to be settled. Two are needed at least: remove one that is not natural here.")
	w.line("effort:")
	words := effortWords(w.route)
	for _, e := range triage.Efforts() {
		w.line("  %s:", e)
		w.levels("    ", 2, 2, 1, words[e])
	}
}
