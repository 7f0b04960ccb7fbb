package scenario_test

// spoiled is a mistake in a good file; at is a text of the line that is named, want a part of what is said.
type spoiled struct {
	name, file string
	changes    []change
	at, want   string
}

// routeOf gives the route of a good file.
func routeOf(file string) string {
	if r := map[string]string{"bug": "technical", "wish": "feature", "question": "billing"}[file]; r != "" {
		return r
	}
	return file
}

// spoiledScenarios are the mistakes that a scenario is refused for.
func spoiledScenarios() []spoiled {
	return []spoiled{
		{"no title", "bug", []change{{`^title: .*\n`, ""}}, "split:", "title is missing"},
		{"no split", "bug", []change{{`^split: .*\n`, ""}}, "title:", `split "" is not one of train, test`},
		{"wrong split", "bug", []change{{`^split: test`, "split: dev"}}, "split: dev", `split "dev" is not one of train, test`},
		{"wrong desk", "bug", []change{{`^desk: Bug`, "desk: Wish"}}, "desk: Wish", `desk "Wish" is not one of Bug, FeatureRequest, Question`},
		{"wrong tier", "bug", []change{{`^desk:`, "tiers: [gold]\ndesk:"}}, "tiers: [gold]", `tier "gold" is not one of free, pro, business, enterprise`},
		{"tones elsewhere", "bug", []change{{`^desk:`, "tones: [pleased]\ndesk:"}}, "tones:", "tones is for feedback only"},
		{"wrong tone", "feedback", []change{{`^split:`, "tones: [glad]\nsplit:"}}, "tones:", `tone "glad" is not one of furious`},
		{"desk in feedback", "feedback", []change{{`^split:`, "desk: Bug\nsplit:"}}, "desk: Bug", "desk is for billing, technical and feature only"},
		{"secondary in feedback", "feedback", []change{{`^split:`, "secondary: {cosmetic: [x], degraded: [y]}\nsplit:"}}, "secondary:", "secondary is not for feedback: remove it"},
		{"situations in spam", "spam", []change{{`^split:`, "situations: [{severity: cosmetic, impact: one}]\nsplit:"}}, "situations:", "situations is not for spam: remove it"},
		{"desk in spam", "spam", []change{{`^split:`, "desk: Bug\nsplit:"}}, "desk: Bug", "desk is not for spam: remove it"},
		{"unknown key", "bug", []change{{`^desk:`, "colour: red\ndesk:"}}, "colour: red", `there is no key "colour" here: look at its spelling and its indent`},
		{"a key with a slip", "bug", []change{{`^details:`, "detailz:"}}, "detailz:", `there is no key "detailz" here; did you mean details?`},
		{"a key with a slip in a situation", "bug", []change{{`severity: degraded`, "severitx: degraded"}}, "severitx:", `there is no key "severitx" here; did you mean severity?`},
		{"a key too far out", "bug", []change{{`^desk:`, "indirect: [x]\ndesk:"}}, "indirect: [x]", `there is no key "indirect" here: it stands under ask, deadline, effort, situations, statement`},
		{"a key too far in", "bug", []change{{`severity: degraded`, "severity: degraded, resolved: [x]"}}, "resolved: [x]", `there is no key "resolved" here: it stands at the top of the file`},
		{"unknown key in a situation", "bug", []change{{`severity: degraded`, "severity: degraded, when: now"}}, "when: now", `there is no key "when" here`},
		{"a key twice", "bug", []change{{`^split: test`, "split: test\nsplit: train"}}, "split: train", `"split" already defined at line 2`},
		{"a text as a mapping", "bug", []change{{`^details: \[`, "details: [Note: this breaks, "}}, "details:", `expected is a text, here is a key with a value: a text that holds ": " stands in quotes`},
		{"a text for a list", "bug", []change{{`^quoted: .*`, "quoted: some text"}}, "quoted:", "expected is a list, here is a text"},
		{"a list for a text", "bug", []change{{`^title: .*`, "title: [a]"}}, "title:", "expected is a text, here is a list"},
		{"a text for phrasings", "bug", []change{{`^statement: .*`, "statement: x"}}, "statement:", "expected is keys with values, here is a text"},
		{"a text for a switch", "bug", []change{{`workaround: false`, "workaround: perhaps"}}, "perhaps", "expected is true or false, here is a text"},
		{"broken YAML", "bug", []change{{`^desk:`, "desk: [\ndesk:"}}, "", "this does not fit here: near here or above a quote, a bracket or a dash is missing"},
		{"two documents", "bug", []change{{`\z`, "---\ntitle: another\n"}}, "---", "a second document begins here"},
		{"few rows", "bug", []change{{`, \{x: six\}`, ""}}, "params:", "params has 5 rows, needs at least 6"},
		{"a row with another key", "bug", []change{{`\{x: six\}`, "{y: six}"}}, "params:", `params row 6 has a key "y" that the other rows lack: give all rows the same keys; did you mean x?`},
		{"a row with more keys", "bug", []change{{`\{x: six\}`, "{x: six, y: s}"}}, "params:", `params row 6 has a key "y" that the other rows lack: give all rows the same keys`},
		{"a row that lacks a key", "bug", []change{{`\{x: six\}`, "{}"}}, "params:", `params row 6 lacks the key "x" that the other rows have`},
		{"a first row with another key", "bug", []change{{`\{x: one\}`, "{x: one, why: w}"}}, "params:", `params row 1 has a key "why" that the other rows lack`},
		{"a deadline with a slip", "bug", []change{{`, hours: \{plain`, ", hour: {plain"}}, "deadline:", `there is no key "hour" here; did you mean hours?`},
		{"an effort with a slip", "bug", []change{{`effort: \{self_service`, "effort: {self-service"}}, "effort:", `there is no key "self-service" here; did you mean self_service?`},
		{"an empty value", "bug", []change{{`\{x: six\}`, `{x: " "}`}}, "params:", "want a text without braces"},
		{"a brace in a value", "bug", []change{{`\{x: six\}`, `{x: "{ref}"}`}}, "params:", "want a text without braces"},
		{"an unused parameter", "bug", []change{{`\{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}`,
			`{x: $1, y: a}, {x: $2, y: a}, {x: $3, y: a}, {x: $4, y: a}, {x: $5, y: a}, {x: $6, y: a}`}}, "params:", `parameter "y" is used in no text`},
		{"a parameter with a built-in name", "bug", []change{{`\{x: one\}`, "{x: one, ref: a}"}}, "params:", `parameter "ref" has the name of a built-in placeholder`},
		{"an unknown placeholder", "bug", []change{{`A detail of`, "A {nosuch} of"}}, "details:", "placeholder {nosuch} is neither in params nor one of {first}"},
		{"a placeholder with a slip", "bug", []change{{`A detail of`, "{colleagu} of"}}, "details:", "placeholder {colleagu} is neither in params nor one of {first}, {last}, {company}, {colleague}, {ref}, {plan}; did you mean {colleague}?"},
		{"a hidden character", "bug", []change{{`A detail of`, "A \u200e detail of"}}, "details:", "details, text 1 has the character '\\u200e', which is not seen in a mail: take it out"},
		{"a hidden character in a value", "bug", []change{{`\{x: six\}`, `{x: "si` + "\u202e" + `x"}`}}, "params:", "params row 6.x has the character '\\u202e', which is not seen in a mail: take it out"},
		{"few phrasings of a situation", "bug", []change{{`"It is degraded for team, said plainly 0.", `, ""}}, "severity: degraded", "situation 2, plain has 2 texts, needs at least 3: add 1 more"},
		{"a title to be written", "bug", []change{{`^title: .*`, `title: "FILL IN: what the matter is"`}}, "title:", "fill in title: what the matter is"},
		{"an open brace", "bug", []change{{`A detail of`, "A {detail of"}}, "details:", "a brace that is no placeholder"},
		{"a closing brace", "bug", []change{{`A detail of`, "A detail} of"}}, "details:", "a brace that is no placeholder"},
		{"few subjects", "bug", []change{{`"a thing 0", `, ""}}, "subjects:", "subjects.vague has 2 texts, needs at least 3: add 1 more"},
		{"few details", "bug", []change{{`^details: .*`, `details: ["one {x}."]`}}, "details:", "details has 1 text, needs at least 5: add 4 more"},
		{"an empty text", "bug", []change{{`"a thing 0"`, `" "`}}, "subjects:", "subjects.vague has an empty text"},
		{"few entities", "bug", []change{{`, \[wheel\]\]`, "]"}}, "entities:", "entities has 3 groups, needs at least 4"},
		{"an entity that is not named", "bug", []change{{`\[wheel\]\]`, "[spoon]]"}}, "entities:", `entity "spoon" is named in no statement or ask`},
		{"an empty group of entities", "bug", []change{{`\[wheel\]\]`, "[wheel], []]"}}, "entities:", "entities group 5 has no word: write or remove it"},
		{"an empty entity", "bug", []change{{`\[wheel\]\]`, `[spoon, " "]]`}}, "entities:", "entities group 4, text 2 is empty: write or remove it"},
		{"few situations", "bug", []change{{`^  - \{severity: degraded.*\n`, ""}}, "situations:", "situations has 3 entries, needs at least 4"},
		{"an urgency is missing", "bug", []change{{`severity: cosmetic, impact: one`, "severity: degraded, impact: one"}}, "situations:", "no situation gives urgency low"},
		{"a severity is missing", "bug", []change{{`severity: degraded`, "severity: cosmetic"}}, "situations:", "a Bug needs a situation with severity degraded"},
		{"wrong severity", "bug", []change{{`severity: degraded`, "severity: awful"}}, "severity: awful", `severity "awful" is not one of cosmetic, degraded`},
		{"wrong impact", "bug", []change{{`impact: team`, "impact: all"}}, "impact: all", `impact "all" is not one of one, team`},
		{"no workaround", "bug", []change{{`, workaround: false`, ""}}, "severity: blocked", "workaround is said with severity blocked, and only there"},
		{"a stake in a bug", "bug", []change{{`severity: degraded`, "severity: degraded, stake: none"}}, "stake: none", "stake is for feature scenarios only"},
		{"no stake in a wish", "wish", []change{{`, stake: none`, ""}}, "severity: cosmetic", `stake "" is not one of none, daily_work, contract`},
		{"a question without a workaround", "question", []change{{`workaround: true`, "workaround: false"}}, "situations:", "a Question needs a situation with severity blocked and workaround true"},
		{"an unknown deadline", "bug", []change{{`deadline: \{days:`, "deadline: {weeks:"}}, "deadline:", `deadline "weeks" is not one of days, hours`},
		{"no deadline in hours", "bug", []change{{`^deadline: .*`, ""}}, "title:", "deadline.hours has no texts: it needs plain (2 texts or more), indirect (2), buried (1)"},
		{"one effort", "bug", []change{{`^effort: \{.*investigation:`, "effort: {investigation:"}}, "effort:", "effort has 1 values, needs at least 2"},
		{"an unknown effort", "bug", []change{{`investigation:`, "guesswork:"}}, "effort:", `effort "guesswork" is not one of self_service`},
		{"few mentions", "bug", []change{{`^mentions: .*\n`, ""}}, "title:", "mentions.denied has 0 texts"},
		{"empty", "bug", []change{{`(?s).*`, ""}}, "", "the file is empty"},
	}
}
