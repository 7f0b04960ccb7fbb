package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// greet asks the first question: whether anybody answers at all. Its reply is to be cut by the limit of tokens.
func (d *doctor) greet(ctx context.Context) bool {
	q := question{format: FormatText, room: fewTokens,
		messages: []Message{{Role: User, Content: "Write a story of ten sentences about a dog."}}}
	out := d.ask(ctx, q)
	if out.failed != nil && out.failed.Kind == KindRefused && unfinished.MatchString(strings.ToLower(out.failed.said)) {
		d.note(checkLimit, VerdictOK, renamed(maxTokens, d.learned.Rename)+" is accepted and obeyed: where it is used up by thoughts the call is refused", "")
		d.room = thoughtRoom
		q.room = d.room
		out = d.ask(ctx, q)
	}
	switch {
	case out.failed != nil:
		d.refused(ctx, out.failed)
		return false
	case out.reply == nil:
		return false
	}
	d.reached()
	if e := d.o.Endpoint; e.Key == "" {
		d.note(checkKey, VerdictOK, "none is set ("+d.first.keyName()+") and none is needed", "")
	} else {
		d.note(checkKey, VerdictOK, "the key of "+d.first.keyName()+" is accepted, or not looked at", "")
	}
	d.limit(out.reply)
	if thinks(out.reply) {
		d.room = thoughtRoom
	}
	return true
}

// unfinished is how an endpoint says that a model that thinks has used up the limit.
var unfinished = lazyregexp.New(`could not finish|higher max_(completion_)?tokens`)

// thinks tells whether a reply began with thoughts, so that later ones need room for them.
func thinks(r *Reply) bool {
	return r.Reasoning != "" || r.Usage.Reasoning.N > 0 || inline(r.Text) || strings.TrimSpace(r.Text) == "" && r.Finish == "length"
}

// inline tells whether a text begins with thoughts.
func inline(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "<think") }

// answered gives the text of a reply without thoughts in front of it.
func answered(r *Reply) string {
	if _, rest, ok := strings.Cut(r.Text, "</think>"); ok && inline(r.Text) {
		return rest
	}
	return r.Text
}

// reached notes that somebody answers at the address.
func (d *doctor) reached() {
	e := d.o.Endpoint
	found := e.place() + " answers"
	_, h, _ := d.net.answer()
	if s := h.Get("Server"); s != "" {
		found += " (server " + oneLine(s, 40) + ")"
	}
	if e.BaseURL.Scheme == "http" && e.Key != "" && !private(e.BaseURL.Hostname()) {
		d.note(checkAddress, VerdictWarn, found+"; the key goes there unencrypted", "give an address that begins with https:// as --base-url")
		return
	}
	d.note(checkAddress, VerdictOK, found, "")
}

// private tells whether a host is this machine, in a private network or a name without a dot.
func private(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || !strings.Contains(host, ".")
}

// refused says what is wrong where the first question failed. It may ask for the list of models.
func (d *doctor) refused(ctx context.Context, e *Error) {
	status, h, body := d.net.answer()
	page := isPage(h, body) && status < 500 || status == http.StatusOK && !json.Valid(body)
	switch {
	case e.Kind == KindNetwork:
		advice := hintOf(e)
		if strings.Contains(e.Text, "TLS handshake timeout") {
			advice = "the server may speak http: give a base URL that begins with http://; else " + advice
		}
		d.fail(checkAddress, "no answer: "+e.Text, advice)
	case e.Kind == KindTimeout:
		d.fail(checkAddress, e.URL+" takes the call and does not answer: "+e.Text, hintOf(e))
	case e.Code == "redirect":
		d.fail(checkAddress, e.Text, hintOf(e))
	case page && e.Kind != KindKey:
		d.fail(checkAddress, fmt.Sprintf("what answers is no endpoint of chat completions (status %d%s): %s", status, server(h), e.Text), d.otherAddress())
	case e.Kind == KindKey:
		d.reached()
		d.fail(checkKey, "refused: "+reason(e), hintOf(e))
	case e.Kind == KindQuota:
		d.reached()
		d.fail(checkKey, "without quota: "+reason(e), hintOf(e))
	case e.Kind == KindModel:
		d.missing(ctx, e)
	default:
		d.reached()
		if e.Kind == KindLimited {
			d.retryAfter()
		}
		d.fail(checkModel, "the call failed: "+reason(e), hintOf(e))
	}
}

// fail notes what makes the endpoint unusable, and stops.
func (d *doctor) fail(check, found, advice string) {
	d.note(check, VerdictFail, found, advice)
	d.stopped = "the check of " + check + " failed"
}

// fatal stops after an error that ends a run, later than at the first question.
func (d *doctor) fatal(e *Error) {
	check := checkKey
	switch e.Kind {
	case KindNetwork:
		check = checkAddress
	case KindModel:
		check = checkModel
	case KindLimited:
		check = checkRetryAfter
	}
	delete(d.found, check)
	d.fail(check, "later on: "+reason(e), hintOf(e))
}

// missing tells a wrong path from a wrong model: a path that is right lists models, in most cases.
func (d *doctor) missing(ctx context.Context, e *Error) {
	names, listed := d.models(ctx)
	said := strings.ToLower(e.said)
	switch {
	case listed && !slices.ContainsFunc(names, func(n string) bool { return d.named(n) }):
		d.reached()
		d.fail(checkModel, "there is no "+d.o.Endpoint.Model+": "+reason(e), suggestion(d.o.Endpoint.Model, names))
	case listed:
		d.reached()
		d.fail(checkModel, "it is listed, but not answered by: "+reason(e), hintOf(e))
	case modelWords.MatchString(said), strings.Contains(said, "model") && !strings.Contains(said, "url"), d.o.Endpoint.APIVersion != "":
		d.reached()
		d.fail(checkModel, reason(e), hintOf(e))
	default:
		d.fail(checkAddress, "there are no chat completions: "+reason(e), d.otherAddress())
	}
}

// otherAddress is the advice about an address that is none of chat completions.
func (d *doctor) otherAddress() string {
	place := strings.TrimRight(d.o.Endpoint.place(), "/")
	if strings.HasSuffix(place, "/v1") {
		return "see whether the port is right, and whether the path ends where /chat/completions begins: --base-url"
	}
	if before, _, ok := strings.Cut(place, "/v1/"); ok {
		return "try --base-url " + before + "/v1: a base URL ends where /chat/completions begins"
	}
	return "try --base-url " + place + "/v1, where most servers have chat completions"
}

// isPage tells whether an answer is a web page.
func isPage(h http.Header, body []byte) bool {
	return strings.Contains(h.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

func server(h http.Header) string {
	if s := h.Get("Server"); s != "" {
		return ", server " + oneLine(s, 40)
	}
	return ""
}
