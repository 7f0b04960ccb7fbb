package handbook

import "github.com/triagebench/triage/pkg/triage"

// KindWord is a word of the vocabulary by which the kind of a recommendation is told.
type KindWord struct {
	Word string
	// Stems are the forms that count as this word, in lower case; one that ends in "*" stands for all that begins so.
	Stems []string
}

var kindWords = map[triage.Category][]KindWord{
	triage.Bug: {
		{"investigate", []string{"investigat*"}}, {"reproduce", []string{"reproduc*", "replicat*"}},
		{"debug", []string{"debug*"}}, {"logs", []string{"log", "logs", "logfile*", "logging"}},
		{"error", []string{"error*"}}, {"failure", []string{"fail", "fails", "failed", "failing", "failure*"}},
		{"fix", []string{"fix", "fixes", "fixed", "fixing", "hotfix*", "patch*"}}, {"diagnose", []string{"diagnos*"}},
		{"trace", []string{"trace*", "tracing"}}, {"regression", []string{"regression*"}},
		{"root cause", []string{"cause", "causes", "caused", "causing"}}, {"bug", []string{"bug", "bugs", "defect*"}},
		{"repair", []string{"repair*"}}, {"fault", []string{"fault*"}},
	},
	triage.FeatureRequest: {
		{"roadmap", []string{"roadmap*", "backlog*"}}, {"evaluate", []string{"evaluat*", "assess*"}},
		{"research", []string{"research*"}}, {"prioritize", []string{"prioriti*"}},
		{"feature", []string{"feature*"}}, {"request", []string{"request*"}}, {"design", []string{"design*", "prototyp*"}},
		{"scope", []string{"scope*", "scoping"}}, {"feasibility", []string{"feasib*"}}, {"demand", []string{"demand*"}},
		{"consider", []string{"consider*"}}, {"estimate", []string{"estimat*"}},
		{"gather requirements", []string{"requirement*"}}, {"develop", []string{"develop*"}},
	},
	triage.Question: {
		{"guide", []string{"guide*", "guidance", "guiding"}}, {"documentation", []string{"document", "documentation", "documenting", "docs"}},
		{"help", []string{"help*"}}, {"walkthrough", []string{"walk", "walks", "walking", "walkthrough*", "step", "steps"}},
		{"explain", []string{"explain*", "explanation*", "clarif*"}}, {"article", []string{"article*", "faq*"}},
		{"instructions", []string{"instruct*"}}, {"show", []string{"show", "shows", "showing"}},
		{"answer", []string{"answer*", "reply", "replies", "replying", "respond*", "response"}},
		{"advise", []string{"advis*", "advice"}}, {"confirm", []string{"confirm*"}}, {"tutorial", []string{"tutorial*"}},
		{"tell", []string{"tell", "tells", "telling"}}, {"describe", []string{"describ*"}},
	},
}

// KindWords is the action vocabulary of a category. No form counts for two categories.
func KindWords(c triage.Category) []KindWord { return kindWords[c] }

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
