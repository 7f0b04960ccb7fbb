package scenario

import (
	"sort"

	"github.com/triagebench/triage/pkg/triage"
)

// The keys that scenarios of some routes need; a file shows its route by desk (billing, technical, feature) or, without it, by
// situations (feedback).
var (
	factKeys = []string{"entities", "situations", "deadline", "effort", "mentions", "quoted", "settled"}
	deskKeys = []string{"secondary", "resolved"}
)

func sortedAny(m object) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func has(keys ...string) object { return object{"required": keys} }

func not(x any) object { return object{"not": x} }

func all(x ...any) object { return object{"allOf": x} }

// ifThen is a condition with what it asks for.
func ifThen(condition object, then ...any) object {
	return object{"if": condition, "then": all(then...)}
}

// mentioned asks for two mentions of each kind.
func mentioned() object {
	return object{"properties": object{"mentions": object{"required": []string{"passing", "denied"},
		"properties": object{"passing": object{"minItems": 2}, "denied": object{"minItems": 2}}}}}
}

func withDesk() object {
	return ifThen(has("desk"), has(append(append([]string{}, factKeys...), deskKeys...)...), absent("tones"), mentioned(), urgenciesNeeded())
}

func feedbackLike() object {
	return ifThen(all(not(has("desk")), has("situations")), has(factKeys...), absent(deskKeys...), mentioned(),
		object{"properties": object{"situations": object{"items": absent("stake")}}})
}

func spamLike() object {
	six := object{"properties": object{"plain": object{"minItems": minSpamTexts}, "indirect": object{"minItems": minSpamTexts}}}
	return ifThen(all(not(has("desk")), not(has("situations"))), object{"properties": object{"statement": six, "ask": six}},
		absent("entities", "deadline", "effort", "quoted", "settled", "secondary", "resolved", "tones"))
}

// needs asks for a situation that one of the conditions fits.
func needs(conditions ...object) object {
	contains := object{"anyOf": conditions}
	if len(conditions) == 1 {
		contains = conditions[0]
	}
	return object{"properties": object{"situations": object{"contains": contains}}}
}

// urgenciesNeeded asks for a situation of each urgency, by the handbook's table without a deadline.
func urgenciesNeeded() object {
	stuck := func(i triage.Impact) object {
		return with(object{"severity": triage.Blocked, "workaround": false, "impact": i})
	}
	risk := func(i triage.Impact) object { return with(object{"severity": triage.DataAtRisk, "impact": i}) }
	return all(
		needs(with(object{"severity": triage.Cosmetic})),
		needs(with(object{"severity": triage.Degraded}), with(object{"severity": triage.Blocked, "workaround": true})),
		needs(stuck(triage.One), stuck(triage.Team), risk(triage.One)),
		needs(stuck(triage.Company), stuck(triage.Customers), risk(triage.Team), risk(triage.Company), risk(triage.Customers)))
}

// deskNeeds asks for what the priorities of a category are drawn from, and for a stake in each situation or in none.
func deskNeeds() object {
	of := func(c triage.Category, conditions ...any) object {
		return ifThen(with(object{"desk": c}), conditions...)
	}
	each := func(key string, values ...any) []any {
		out := make([]any, len(values))
		for i, v := range values {
			out[i] = needs(with(object{key: v}))
		}
		return out
	}
	items := func(x object) object { return object{"properties": object{"situations": object{"items": x}}} }
	question := append(each("severity", triage.Cosmetic, triage.Degraded),
		needs(with(object{"severity": triage.Blocked, "workaround": true})), needs(with(object{"severity": triage.Blocked, "workaround": false})))
	feature := append(each("stake", triage.NoStake, triage.DailyWork, triage.Contract), items(has("stake")))
	return all(
		of(triage.Bug, each("severity", triage.Cosmetic, triage.Degraded, triage.Blocked, triage.DataAtRisk)...),
		of(triage.Question, question...),
		of(triage.FeatureRequest, feature...),
		object{"anyOf": []any{items(has("stake")), items(absent("stake"))}})
}
