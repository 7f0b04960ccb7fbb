package agent

import "sort"

// lists are the numbers of the cue lists that the rules use.
type lists struct {
	severity, impact                 [4]int // in the order of triage.Severities, triage.Impacts
	route                            [5]int // in the order of triage.Routes
	category, effort                 [3]int // in the order of triage.Categories, triage.Efforts
	noWorkaround, workaround         int
	hours, days, noDate              int
	daily, contract                  int
	ask, denied, settled, resolved   int
	order, drop, wait, passing       int
	second                           int
	leadOther, leadTurn, leadSubject int
	noun                             int
}

// numberLists finds the numbers of the lists in a lexicon that has them all.
func numberLists(l *lexicon) lists {
	n := func(name string) int { return sort.SearchStrings(l.lists, name) }
	return lists{
		severity:     [4]int{n("severity.cosmetic"), n("severity.degraded"), n("severity.blocked"), n("severity.data")},
		impact:       [4]int{n("impact.one"), n("impact.team"), n("impact.company"), n("impact.customers")},
		route:        [5]int{n("route.billing"), n("route.technical"), n("route.feature"), n("route.feedback"), n("route.spam")},
		category:     [3]int{n("category.bug"), n("category.feature"), n("category.question")},
		effort:       [3]int{n("effort.self"), n("effort.investigation"), n("effort.cross")},
		noWorkaround: n("workaround.no"), workaround: n("workaround.yes"),
		hours: n("deadline.hours"), days: n("deadline.days"), noDate: n("role.nodate"),
		daily: n("stake.daily"), contract: n("stake.contract"),
		ask: n("role.ask"), denied: n("role.denied"), settled: n("role.settled"), resolved: n("role.resolved"),
		order: n("role.order"), drop: n("role.drop"), wait: n("role.wait"), passing: n("role.passing"),
		second:    n("role.second"),
		leadOther: n("lead.other"), leadTurn: n("lead.turn"), leadSubject: n("lead.subject"), noun: n("noun"),
	}
}

// listNames are the lists that baselines/heuristic must have.
func listNames() []string {
	return []string{
		"severity.cosmetic", "severity.degraded", "severity.blocked", "severity.data",
		"impact.one", "impact.team", "impact.company", "impact.customers",
		"route.billing", "route.technical", "route.feature", "route.feedback", "route.spam",
		"category.bug", "category.feature", "category.question",
		"effort.self", "effort.investigation", "effort.cross",
		"workaround.no", "workaround.yes", "deadline.hours", "deadline.days", "stake.daily", "stake.contract",
		"role.ask", "role.denied", "role.settled", "role.resolved", "role.order", "role.drop", "role.wait", "role.passing",
		"role.nodate", "role.second", "lead.other", "lead.turn", "lead.subject", "noun",
	}
}
