package scenario

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// SchemaFile is the name under which the files of a [Skeleton] look for [JSONSchema]: in the folder above their own, so beside the
// folders of the routes.
const SchemaFile = "scenario.schema.json"

// Skeleton gives a scenario file to fill in: all keys of the route with a word on each, and as many texts as are needed at least, each
// beginning with [FillIn]. slug is the file's name without folder and ending. While a text is not filled in, checks refuse the file and
// say what is wanted there; filled in by the words beside it, it passes. The route must be valid.
func Skeleton(route triage.Route, slug string) []byte {
	w := &skeleton{route: route}
	w.head(slug)
	if route != triage.Spam {
		w.entities()
	}
	w.params()
	w.matter()
	if route != triage.Spam {
		w.situations()
		w.deadline()
		w.effort()
	}
	w.note("5 or more sentences of colour: what was tried, when it began, who noticed. None says how bad it is, for whom, until when or who must act.")
	w.list("", "details", minDetails, "colour that states no fact")
	w.others()
	return w.Bytes()
}

// skeleton writes YAML with comments.
type skeleton struct {
	bytes.Buffer
	route triage.Route
}

func (w *skeleton) line(format string, args ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", args...) // a buffer takes everything
}

// note writes a comment above what follows, in lines that fit a screen.
func (w *skeleton) note(text string) {
	const width = 110
	w.line("")
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width {
			w.line("%s", line)
			line = "#"
		}
		line += " " + word
	}
	w.line("%s", line)
}

// list writes n texts to fill in.
func (w *skeleton) list(indent, key string, n int, want string) {
	w.line("%s%s:", indent, key)
	for range n {
		w.line(`%s  - "%s: %s"`, indent, FillIn, want)
	}
}

// levels writes phrasings of one fact.
func (w *skeleton) levels(indent string, plain, indirect, buried int, what string) {
	w.list(indent, "plain", plain, what+", in so many words")
	w.list(indent, "indirect", indirect, what+", so that the reader concludes it")
	if buried > 0 {
		w.list(indent, "buried", buried, "(An aside that shows that "+what+".)")
	}
}

func (w *skeleton) head(slug string) {
	w.line("# yaml-language-server: $schema=../%s", SchemaFile)
	w.line("# %s/%s.yaml: put it into the folder %s of your bank. Editors complete it by the schema that", w.route, slug, w.route)
	w.line("# `triage tickets schema` prints; docs/scenarios.md explains every key; `triage tickets check FILE` says what is missing.")
	w.line("# Write over every %q. Keep the quotes around texts. A text is one or two whole sentences.", FillIn)
	w.line("")
	w.line(`title: "%s: the situation in a line, for your colleagues; agents never see it"`, FillIn)
	w.line("split: train # train or test, never both; half of the scenarios of a route go into each")
	switch w.route {
	case triage.Technical:
		w.line("desk: Bug # something that should work does not; or Question: nothing is broken (then see situations)")
	case triage.Billing:
		w.line("desk: Question # nothing is broken; or Bug: something that should work does not (then see situations)")
	case triage.Feature:
		w.line("desk: FeatureRequest # as far as the mail tells, it does not exist")
	case triage.Feedback:
		w.line("# tones: [neutral, pleased] # only if some tone contradicts it: furious, annoyed, neutral, pleased")
	case triage.Spam: // neither
	}
	w.line("# tiers: [pro, business] # only if some customers cannot write this: free, pro, business, enterprise")
}

func (w *skeleton) entities() {
	w.note("4 to 7 things that this is about, each with its other names: lower case, singular. A statement or an ask below must name each.")
	w.line("entities:")
	for range minEntities {
		w.line(`  - ["%s: a noun that a statement or ask has"]`, FillIn)
	}
}

func (w *skeleton) params() {
	w.note("6 or more rows of values that belong together. A mail takes one row: {thing} in a text becomes its value. Rename thing and " +
		"number, add keys or remove one, but alike in every row. {first}, {last}, {company}, {colleague}, {ref} and {plan} are always there.")
	w.line("params:")
	for range minParams {
		w.line(`  - {thing: "%s: a value of this row", number: "%s: a value of this row"}`, FillIn, FillIn)
	}
}

func (w *skeleton) matter() {
	w.line("")
	w.line("subjects:")
	w.list("  ", "plain", minPlainSubjects, "a subject line that says what it is about, such as one with {thing}")
	w.list("  ", "vague", minVagueSubjects, "a subject line that says little")
	statement, ask, n := "what happened, or what is missing, with {thing} or {number}", "what the sender wants done", minStatements
	switch w.route {
	case triage.Spam:
		w.note("plain: anyone sees that it is spam. indirect: it poses as an invoice, an alert, a partner. No account, order or asset stands behind it.")
		statement, ask, n = "what the sender tells, with {thing} or {number}", "the click, money, password or attention that the sender wants", minSpamTexts
	case triage.Feedback:
		w.note("What happened. It leaves room for all situations: it does not say how bad, for whom, until when.")
		ask = "that nothing is asked for"
	case triage.Billing, triage.Technical, triage.Feature:
		w.note("What happened, or what is missing. It leaves room for all situations: it does not say how bad, for whom, until when.")
	}
	w.line("statement:")
	w.levels("  ", n, n, 0, statement)
	if w.route != triage.Spam {
		w.note(askNotes[w.route])
	}
	w.line("ask:")
	w.levels("  ", n, n, 0, ask)
}

// askNotes say what an ask must be.
var askNotes = map[triage.Route]string{
	triage.Billing:   "What the sender wants done. It makes the route: something about money or contracts, never a repair.",
	triage.Technical: "What the sender wants done. It makes the route: something about the product's working, never money.",
	triage.Feature:   "What the sender wants done. It makes the route: something that does not exist yet, as far as the mail tells.",
	triage.Feedback:  "It makes the route: praise or complaint without a request, such as \"No reply needed.\"",
}

// others writes what other mails borrow of the scenario.
func (w *skeleton) others() {
	if w.route != triage.Spam && w.route != triage.Feedback {
		w.note("This request as the lesser one in a mail that is mainly about something else.")
		w.line("secondary:")
		w.list("  ", "cosmetic", 2, "the request by the way, as a small nuisance")
		w.list("  ", "degraded", 2, "the request by the way, as something that slows work and does not stop it")
	}
	w.note("This matter named in a mail about something else, without asking for anything.")
	w.line("mentions:")
	w.list("  ", "passing", 2, "(The matter named in passing, as in order.)")
	w.list("  ", "denied", 2, "that the mail is not about this matter")
	if w.route == triage.Spam {
		return
	}
	w.note("Answers of support that settled the matter, as a thread quotes them, without \">\".")
	w.list("", "quoted", 2, "an answer of support that settled the matter")
	w.note("The customer's word that the matter is done.")
	w.list("", "settled", 2, "thanks, it is done")
	if w.route != triage.Feedback {
		w.note("A whole follow-up of two or three sentences: what it was about, that it is fine now, that nothing is to be done.")
		w.list("", "resolved", 3, "what it was about, fine now, nothing to do")
	}
}
