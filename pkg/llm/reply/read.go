package reply

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// read is Read that also tells how many bytes were looked at.
func read(in Input, s Shape) (Result, int) {
	switch {
	case strings.TrimSpace(in.Refusal) != "":
		return fail(Refusal, "the model refused", in.Refusal), 0
	case isFilter(in.Finish):
		return fail(Refusal, fmt.Sprintf("the reply was filtered (finish_reason %s)", in.Finish), in.Text), 0
	case len(in.Text) > MaxText:
		return fail(NotJSON, fmt.Sprintf("the text is %d bytes long; at most %d are read", len(in.Text), MaxText), in.Text), 0
	case strings.TrimSpace(in.Text) == "":
		return noText(&in), 0
	}
	text, notes := in.Text, []string(nil)
	if !utf8.ValidString(text) {
		text, notes = strings.ToValidUTF8(text, "\uFFFD"), []string{"text: bytes that are not UTF-8 as \uFFFD"}
	}
	ix := indexOf(&s)
	inner, isString := unquote(text)
	if isString {
		text, notes = inner, append(notes, "text: a JSON string as what it holds")
	}
	sc := scanner{p: parser{text: text, ix: ix}}
	sc.run()
	r := sc.result(&in)
	if r.Stage != None && len(notes) > 0 {
		if r.Stage != Repaired {
			r.Stage = Embedded
		}
		r.Coerced = append(notes, r.Coerced...)
	}
	return r, sc.steps() + len(in.Text)
}

// noText is the result for a message without text.
func noText(in *Input) Result {
	switch thought := strings.TrimSpace(in.Reasoning) != "" || in.ReasoningTokens > 0; {
	case isLength(in.Finish) && in.ReasoningTokens > 0:
		return fail(BudgetExhausted, fmt.Sprintf("no text: %d tokens of reasoning used up the limit of the reply", in.ReasoningTokens), in.Reasoning)
	case isLength(in.Finish):
		return fail(BudgetExhausted, "no text: the limit of the reply was used up", in.Reasoning)
	case thought:
		return fail(NoFinalAnswer, "no text: the reply is reasoning only", in.Reasoning)
	}
	return fail(Empty, "no text", "")
}

// result chooses among what the scanner found.
func (sc *scanner) result(in *Input) Result {
	cut := isLength(in.Finish)
	switch {
	case sc.tangled:
		return fail(NotJSON, "too many objects or brackets", in.Text)
	case sc.openThought || sc.onlyThought():
		if cut {
			return fail(BudgetExhausted, "the reply was cut in its reasoning", in.Text)
		}
		return fail(NoFinalAnswer, "nothing comes after the reasoning", in.Text)
	}
	if sc.best.action != nil {
		return sc.chosen(in)
	}
	switch {
	case sc.unfinished && cut:
		return fail(Truncated, "the reply was cut in its object", in.Text)
	case sc.list:
		return fail(Ambiguous, "a list of several different answers", in.Text)
	case sc.wrong != "":
		return fail(Schema, sc.wrong, in.Text)
	case sc.unfinished:
		return fail(NotJSON, "the object is not closed", in.Text)
	case sc.broken != "":
		return fail(NotJSON, "at "+place(sc.p.text, sc.brokenAt)+": expected "+sc.broken, in.Text)
	case sc.foreign != "":
		return fail(Schema, sc.foreign, in.Text)
	case refuses(sc.p.text[sc.cut:]):
		return fail(Refusal, "the model refused in words", in.Text)
	case cut:
		return fail(Truncated, "the reply was cut before an object", in.Text)
	}
	return fail(NotJSON, "no JSON object", in.Text)
}

// chosen is the result where there is an answer.
func (sc *scanner) chosen(in *Input) Result {
	r := Result{Stage: sc.stage(), Action: sc.best.action, Confidence: sc.best.sure, Coerced: sc.best.notes.all()}
	switch {
	case sc.differ || sc.list:
		r.Cause, r.Detail = Ambiguous, "different answers, of which the last was taken"
	case sc.unfinished && !sc.repeats():
		r.Cause, r.Detail = Ambiguous, "after the answer another one was begun"
	case sc.best.twice != "":
		r.Cause, r.Detail = Ambiguous, fmt.Sprintf("%s: different values, of which the last was taken", sc.best.twice)
	}
	if r.Detail != "" {
		r.Detail += begins(in.Text)
	}
	return r
}

// stage tells how the best answer stands in the text.
func (sc *scanner) stage() Stage {
	if sc.best.repaired {
		return Repaired
	}
	before := strings.TrimSpace(sc.p.text[:sc.best.start])
	after := strings.TrimSpace(sc.p.text[sc.best.end:])
	if before == "" && after == "" {
		return Exact
	}
	mark := strings.TrimRight(before, " \t\r\nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+_-")
	fence := strings.Trim(mark, "`") == "" || strings.Trim(mark, "~") == ""
	if fence && len(mark) >= 3 && !strings.ContainsAny(before, "\r\n") && (after == "" || after == mark) {
		return Fenced
	}
	return Embedded
}

// repeats tells whether what was left unfinished is the best answer begun once more.
func (sc *scanner) repeats() bool {
	return strings.HasPrefix(sc.p.text[sc.best.start:sc.best.end], strings.TrimSpace(sc.p.text[sc.unfinishedAt:]))
}

// isLength tells the finish reasons that say that the limit of tokens was reached.
func isLength(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return true
	}
	return false
}

// isFilter tells the finish reasons that say that the answer was withheld.
func isFilter(finish string) bool {
	switch strings.ToLower(finish) {
	case "content_filter", "refusal", "safety":
		return true
	}
	return false
}

// refuses tells whether a text without an object says that the model will not answer: it begins in the first person, and
// its first 200 bytes say that the writer can or will not. A sentence about what a customer cannot do is no refusal.
func refuses(text string) bool {
	text = strings.TrimSpace(text)
	text = strings.ToLower(strings.ReplaceAll(head(text, 200), "’", "'"))
	opening := false
	for _, o := range openings {
		opening = opening || strings.HasPrefix(text, o)
	}
	if !opening {
		return false
	}
	for _, d := range denials {
		if strings.Contains(text, d) {
			return true
		}
	}
	return false
}

var openings = [...]string{"i'm ", "i am ", "i can", "i won't", "i will not", "i must decline", "i have to decline", "i apologi",
	"sorry", "apologies", "my apologies", "unfortunately, i ", "as an ai", "as a language model"}

var denials = [...]string{"i can't", "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able",
	"i won't", "i will not", "i must decline", "i have to decline", "can't assist", "can't help", "cannot assist", "cannot help",
	"unable to assist", "unable to help", "unable to comply", "can't comply", "cannot comply"}

// fail is a result without an answer.
func fail(c Cause, what, text string) Result {
	return Result{Stage: None, Cause: c, Detail: what + begins(text)}
}

// begins tells how a text begins.
func begins(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("; it begins %q", head(text, 200))
}

// head gives at most n bytes of a text, and no part of a character.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
