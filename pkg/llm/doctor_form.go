package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
)

// colourSchema is the schema of the questions about forms: an answer of it is short, and no sentence.
const colourSchema = `{"type":"object","properties":{"colour":{"type":"string","enum":["red","green","blue"]},"sure":{"type":"boolean"}},"required":["colour","sure"],"additionalProperties":false}`

// obedience says what an endpoint does with a response format.
type obedience int

const (
	notSeen obedience = iota
	obeyed
	ignored
	refusedForm
)

// formats asks for a sentence in each response format: what is not a sentence then was made by the endpoint.
func (d *doctor) formats(ctx context.Context) {
	if _, ok := d.o.ExtraBody[responseFormat]; ok {
		for _, check := range []string{checkSchema, checkObject, checkTools} {
			d.note(check, VerdictUnknown, "not asked, since --extra-body gives "+responseFormat, "")
		}
		d.note(checkFormat, VerdictOK, "--extra-body gives it, and the endpoint takes it", "")
		return
	}
	does := map[Format]obedience{FormatText: obeyed}
	for _, f := range []Format{FormatJSONSchema, FormatJSONObject, FormatTools} {
		does[f] = d.format(ctx, f)
	}
	d.chosen(does)
}

// format asks in one format. Of auto it is part where it is the one that auto asks for now: so it is learned.
func (d *doctor) format(ctx context.Context, f Format) obedience {
	q := question{format: f, room: max(d.room, usualRoom), messages: []Message{{Role: User, Content: "Which colour has a clear sky at noon: red, green or blue? " +
		"Answer with one plain English sentence of at least six words. Write no JSON and no lists."}}}
	auto := f == FormatJSONSchema && d.learned.Format == "" || f != FormatTools && d.learned.Format == string(f)
	if auto {
		q.format = FormatAuto
	}
	out := d.ask(ctx, q)
	check := string(f)
	avoid := "do not give --response-format " + string(f)
	if f == FormatJSONSchema {
		avoid += "; auto goes on without it"
	}
	found, advice, none := out.verdict()
	switch {
	case auto && out.learned.Format != "" && out.learned.Format != string(f):
		d.note(check, VerdictWarn, "refused", avoid)
		return refusedForm
	case out.failed != nil && out.failed.Kind == KindRefused:
		d.note(check, VerdictWarn, "refused: "+reason(out.failed), avoid)
		return refusedForm
	case none:
		d.note(check, VerdictUnknown, found, advice)
		return notSeen
	}
	return d.form(f, out.reply)
}

// form judges a reply that was asked for in a format.
func (d *doctor) form(f Format, r *Reply) obedience {
	check := string(f)
	keeps := fits(f, r)
	switch {
	case keeps:
		d.note(check, VerdictOK, "accepted and obeyed", "")
		return obeyed
	case len(r.Attempts) > 0 && r.Attempts[len(r.Attempts)-1].Status == 400:
		d.note(check, VerdictWarn, "accepted and checked afterwards; the model did not keep to it: "+sample(r.Text), "expect empty answers, or give another --response-format")
		return ignored
	case r.Finish == "length" && (strings.TrimSpace(r.Text) == "" || strings.HasPrefix(strings.TrimSpace(r.Text), "{")):
		d.note(check, VerdictUnknown, "accepted; the reply was cut before it could be judged", "")
		return notSeen
	case f == FormatTools:
		d.note(check, VerdictWarn, "accepted and ignored: no tool is called, the reply is "+sample(r.Text), "do not give --response-format tools")
	default:
		d.note(check, VerdictWarn, "accepted and ignored: the reply is "+sample(r.Text), "")
	}
	return ignored
}

// fits tells whether a reply has the form that was asked for.
func fits(f Format, r *Reply) bool {
	if f == FormatTools && !r.Tool {
		return false
	}
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(answered(r)), &m) != nil || m == nil {
		return false
	}
	if f == FormatJSONObject {
		return true
	}
	var colour string
	var sure *bool
	if len(m) != 2 || json.Unmarshal(m["colour"], &colour) != nil || json.Unmarshal(m["sure"], &sure) != nil {
		return false
	}
	return sure != nil && (colour == "red" || colour == "green" || colour == "blue")
}

// chosen says which format a run will ask for, and which one would be better.
func (d *doctor) chosen(does map[Format]obedience) {
	f, by := d.o.Format, "--response-format"
	if f == FormatAuto {
		if f = FormatJSONSchema; d.learned.Format != "" {
			f = Format(d.learned.Format)
		}
		by = "auto"
	}
	best := FormatText
	for _, x := range []Format{FormatTools, FormatJSONObject, FormatJSONSchema} {
		if does[x] == obeyed {
			best = x
		}
	}
	found, advice := string(f)+", by "+by, ""
	switch {
	case f == best && f != FormatText:
		d.note(checkFormat, VerdictOK, found, "")
		return
	case best == FormatText:
		advice = "--response-format text asks for none: the schema stands in the prompt, and replies are read leniently"
	default:
		advice = "give --response-format " + string(best) + ", which is obeyed"
	}
	switch {
	case does[f] == refusedForm:
		d.note(checkFormat, VerdictFail, found+", which is refused", advice)
	case does[f] == ignored:
		d.note(checkFormat, VerdictWarn, found+", which is ignored", advice)
	case f == FormatText && best == FormatText:
		d.note(checkFormat, VerdictOK, found+": the schema stands in the prompt", "")
	case f == FormatText:
		d.note(checkFormat, VerdictWarn, found+": the schema stands in the prompt", advice)
	case does[f] == obeyed:
		d.note(checkFormat, VerdictOK, found, "")
	default:
		d.note(checkFormat, VerdictUnknown, found+"; whether it is obeyed was not seen", "")
	}
}

const stopField = "stop"

// stop asks for a sentence that ends before its first e: one is in every English sentence, whoever wrote it.
func (d *doctor) stop(ctx context.Context) {
	if d.byHand(checkStop, stopField) {
		return
	}
	out := d.ask(ctx, question{format: FormatText, room: d.room, stop: "e",
		messages: []Message{{Role: User, Content: "Write a sentence about the weather at sea."}}})
	found, advice, none := out.verdict()
	const leave = "leave stop out of --extra-body; this program sends none itself"
	switch {
	case out.failed != nil && out.failed.Kind == KindRefused:
		d.note(checkStop, VerdictWarn, "refused: "+reason(out.failed), leave)
	case none:
		d.note(checkStop, VerdictUnknown, found, advice)
	case strings.Contains(answered(out.reply), "e"):
		d.note(checkStop, VerdictWarn, "accepted and ignored", leave)
	case out.reply.Finish == "length":
		d.note(checkStop, VerdictUnknown, "accepted; the reply was cut before there was anything to stop at", "")
	default:
		d.note(checkStop, VerdictOK, "accepted and obeyed", "")
	}
}

// rawUsage gives the usage of an answer as it stands, and whether there is one.
func rawUsage(body []byte) (string, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return "", false
	}
	raw, ok := m["usage"]
	return string(bytes.TrimSpace(raw)), ok
}
