package handbook

import (
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// KindWord is a word of the vocabulary by which the kind of a recommendation is told.
type KindWord struct {
	Word string
	// Stems are the forms that count as this word, in lower case; one that ends in "*" stands for all that begins so.
	Stems []string
	// Also are the synonyms among the stems, as the handbook prints them.
	Also []string
}

var kindWords = map[triage.Category][]KindWord{
	triage.Bug: {
		{"investigate", []string{"investigat*"}, nil}, {"reproduce", []string{"reproduc*", "replicat*"}, []string{"replicate"}},
		{"debug", []string{"debug*"}, nil}, {"logs", []string{"log", "logs", "logfile*", "logged", "logging"}, []string{"logfile"}},
		{"error", []string{"error*"}, nil}, {"failure", []string{"fail", "fails", "failed", "failing", "failure*"}, nil},
		{"fix", []string{"fix", "fixes", "fixed", "fixing", "hotfix*", "patch*"}, []string{"patch", "hotfix"}}, {"diagnose", []string{"diagnos*"}, nil},
		{"trace", []string{"trace*", "tracing"}, nil}, {"regression", []string{"regression*"}, nil},
		{"root cause", []string{"cause", "causes", "caused", "causing"}, nil}, {"bug", []string{"bug", "bugs", "defect*"}, []string{"defect"}},
		{"repair", []string{"repair*"}, nil}, {"fault", []string{"fault*"}, nil},
	},
	triage.FeatureRequest: {
		{"roadmap", []string{"roadmap*", "backlog*"}, []string{"backlog"}}, {"evaluate", []string{"evaluat*", "assess*"}, []string{"assess"}},
		{"research", []string{"research*"}, nil}, {"prioritize", []string{"prioriti*"}, nil},
		{"feature", []string{"feature*"}, nil}, {"request", []string{"request*"}, nil}, {"design", []string{"design*", "prototyp*"}, []string{"prototype"}},
		{"scope", []string{"scope*", "scoping"}, nil}, {"feasibility", []string{"feasib*"}, nil}, {"demand", []string{"demand*"}, nil},
		{"consider", []string{"consider*"}, nil}, {"estimate", []string{"estimat*"}, nil},
		{"gather requirements", []string{"requirement*"}, nil}, {"develop", []string{"develop*"}, nil},
	},
	triage.Question: {
		{"guide", []string{"guide*", "guidance", "guiding"}, nil}, {"documentation", []string{"document*", "doc", "docs"}, nil},
		{"help", []string{"help*"}, nil}, {"walkthrough", []string{"walk", "walks", "walked", "walking", "walkthrough*", "step", "steps"}, []string{"steps"}},
		{"explain", []string{"explain*", "explanation*", "clarif*"}, []string{"clarify"}}, {"article", []string{"article*", "faq*"}, []string{"FAQ"}},
		{"instructions", []string{"instruct*"}, nil}, {"show", []string{"show", "shows", "showed", "shown", "showing"}, nil},
		{"answer", []string{"answer*", "reply", "replies", "replied", "replying", "respond*", "response*"}, []string{"reply", "respond"}},
		{"advise", []string{"advis*", "advice"}, nil}, {"confirm", []string{"confirm*"}, nil}, {"tutorial", []string{"tutorial*"}, nil},
		{"tell", []string{"tell", "tells", "telling", "told"}, nil}, {"describe", []string{"describ*"}, nil},
	},
}

// KindWords is the action vocabulary of a category. No form counts for two categories.
func KindWords(c triage.Category) []KindWord { return kindWords[c] }

// IsKindWord tells whether a word in lower case counts as a kind word of any category.
func IsKindWord(word string) bool {
	for _, c := range triage.Categories() {
		for _, k := range kindWords[c] {
			if k.Matches(word) {
				return true
			}
		}
	}
	return false
}

// Matches tells whether a word in lower case is a form of the kind word.
func (k KindWord) Matches(word string) bool {
	for _, s := range k.Stems {
		if prefix, ok := strings.CutSuffix(s, "*"); ok && strings.HasPrefix(word, prefix) || word == s {
			return true
		}
	}
	return false
}

// examples are recommendations that earn the full part for a Bug about failing logins. They stand in the handbook.
var examples = []string{
	"Check authentication service logs for failed login attempts",
	"Investigate authentication service for repeated login failures",
}

// Examples gives the handbook's two sample recommendations.
func Examples() []string { return append([]string(nil), examples...) }

// verbs are base forms with which somebody is told to do something.
var verbs = []string{
	"add", "adjust", "advise", "answer", "apply", "approve", "arrange", "ask", "assess", "assign", "attach", "book", "build",
	"call", "cancel", "change", "charge", "check", "clarify", "clear", "close", "collect", "compare", "confirm", "connect",
	"consider", "contact", "correct", "create", "credit", "debug", "delete", "deliver", "describe", "design", "diagnose", "disable",
	"discuss", "document", "enable", "ensure", "escalate", "estimate", "evaluate", "examine", "exchange", "explain", "explore",
	"extend", "file", "find", "fix", "follow", "forward", "gather", "get", "give", "grant", "guide", "have", "help", "identify", "inform",
	"inspect", "investigate", "invite", "issue", "keep", "let", "link", "log", "look", "make", "measure", "merge", "move", "note",
	"notify", "offer", "open", "pass", "patch", "plan", "point", "prepare", "prioritise", "prioritize", "process", "propose",
	"prototype", "provide", "pull", "put", "raise", "read", "rebuild", "recommend", "reconcile", "record", "recover", "refund",
	"register", "reissue", "remove", "renew", "repair", "replace", "replicate", "reply", "report", "reproduce", "request", "research",
	"resend", "reset", "resolve", "respond", "restart", "restore", "retry", "return", "reverse", "review", "revoke", "roll",
	"rotate", "route", "run", "scope", "send", "set", "share", "ship", "show", "sort", "split", "start", "stop", "submit", "switch", "take",
	"talk", "tell", "test", "trace", "track", "transfer", "try", "turn", "unlock", "update", "upgrade", "use", "validate",
	"verify", "walk", "work", "write",
}

// Verbs lists the verbs, sorted, by which the form of a recommendation is told.
func Verbs() []string { return append([]string(nil), verbs...) }
