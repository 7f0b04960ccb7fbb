package llm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// counted writes a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// hintOf is an error's hint without the advice to call for a doctor.
func hintOf(e *Error) string {
	hint, _, _ := strings.Cut(e.Hint, "; `triage doctor")
	return hint
}

// limit judges the reply that was to be cut.
func (d *doctor) limit(r *Reply) {
	if d.byHand(checkLimit, maxTokens, maxCompletionTokens) {
		return
	}
	name := renamed(maxTokens, d.learned.Rename)
	tokens := "an unknown number of tokens"
	if r.Usage.Out.Known {
		tokens = counted(int(r.Usage.Out.N), "token", "tokens")
	}
	switch {
	case slices.Contains(d.learned.Drop, maxTokens):
		d.note(checkLimit, VerdictWarn, "refused as max_tokens and as max_completion_tokens, and left out", "give no --max-output-tokens; the length of replies has no limit of ours")
	case r.Usage.Out.Known && r.Usage.Out.N > 2*fewTokens, !r.Usage.Out.Known && r.Finish != "length" && len(r.Text) > 10*fewTokens:
		d.note(checkLimit, VerdictWarn, fmt.Sprintf("%s is accepted and ignored: %d tokens were allowed, %s came", name, fewTokens, tokens),
			"replies may be longer and dearer than --max-output-tokens says")
	case r.Finish == "length":
		d.note(checkLimit, VerdictOK, name+" is accepted and obeyed", "")
	default:
		d.note(checkLimit, VerdictUnknown, fmt.Sprintf("%s is accepted; the reply ended by itself after %s (finish reason %s)", name, tokens, said(r.Finish)), "")
	}
}

// usage says which tokens replies tell.
func (d *doctor) usage() {
	if len(d.replies) == 0 {
		return
	}
	var u Usage
	for _, r := range d.replies {
		u.In.Known = u.In.Known || r.Usage.In.Known
		u.Out.Known = u.Out.Known || r.Usage.Out.Known
		u.Cached.Known = u.Cached.Known || r.Usage.Cached.Known
		u.Reasoning.Known = u.Reasoning.Known || r.Usage.Reasoning.Known
	}
	told := func(c Count) string {
		if c.Known {
			return "told"
		}
		return "not told"
	}
	if u.In.Known && u.Out.Known {
		d.note(checkUsage, VerdictOK, "tokens in and out are told; cached ones "+told(u.Cached)+", reasoning "+told(u.Reasoning), "")
		return
	}
	const advice = "tokens and costs of a run will be unknown (–), and --max-cost goes by estimates: turn usage on in the server if it can tell it"
	raw, there := rawUsage(d.net.good())
	switch {
	case u.In.Known || u.Out.Known:
		d.note(checkUsage, VerdictWarn, "tokens in "+told(u.In)+", tokens out "+told(u.Out), advice)
	case !there:
		d.note(checkUsage, VerdictWarn, "missing", advice)
	case raw == "null" || raw == "{}":
		d.note(checkUsage, VerdictWarn, raw, advice)
	default:
		d.note(checkUsage, VerdictWarn, "zeros, or no counts: "+oneLine(raw, 100), advice)
	}
}

// reasoning says where thoughts come, and whether they leave room for an answer.
func (d *doctor) reasoning() {
	if len(d.replies) == 0 {
		return
	}
	var ways []string
	way := func(name string, is func(*Reply) bool) {
		if slices.ContainsFunc(d.replies, is) {
			ways = append(ways, name)
		}
	}
	way("beside the text", func(r *Reply) bool { return r.Reasoning != "" })
	way("in <think> inside the text", func(r *Reply) bool { return inline(r.Text) })
	way("counted in the usage", func(r *Reply) bool { return r.Usage.Reasoning.N > 0 })
	found := "none seen"
	if len(ways) > 0 {
		found = "thoughts come " + strings.Join(ways, " and ")
	}
	const room = "give --max-output-tokens 4096 or more, or none; or less --reasoning-effort"
	starved := slices.ContainsFunc(d.replies[1:], func(r *Reply) bool {
		return r.Finish == "length" && (strings.TrimSpace(r.Text) == "" || inline(r.Text) && !strings.Contains(r.Text, "</think>"))
	})
	switch most := d.o.MaxOutputTokens; {
	case starved:
		d.note(checkReasoning, VerdictWarn, fmt.Sprintf("%s; %d tokens were used up before there was an answer", found, d.room), room)
	case len(ways) > 0 && most > 0 && most < thoughtRoom:
		d.note(checkReasoning, VerdictWarn, fmt.Sprintf("%s, inside the %d of --max-output-tokens", found, most), room)
	default:
		d.note(checkReasoning, VerdictOK, found, "")
	}
}

// retryAfter says what a 429 told about the wait, if there was one.
func (d *doctor) retryAfter() {
	d.net.mu.Lock()
	limits := slices.Clone(d.net.limits)
	d.net.mu.Unlock()
	if len(limits) == 0 {
		d.note(checkRetryAfter, VerdictUnknown, "no 429 was seen", "")
		return
	}
	for _, l := range limits {
		wait, ok := wire.Wait(429, l.header, l.at)
		if !ok {
			d.note(checkRetryAfter, VerdictWarn, counted(len(limits), "429 came", "times 429 came")+", without a word about the wait", "ask less often with --rpm, --tpm or --concurrency")
			return
		}
		if wait > d.o.MaxWait {
			d.note(checkRetryAfter, VerdictWarn, "a 429 asks to wait "+wait.Round(time.Second).String(), "allow longer waits with --max-wait, or come back later")
			return
		}
	}
	wait, _ := wire.Wait(429, limits[len(limits)-1].header, limits[len(limits)-1].at)
	d.note(checkRetryAfter, VerdictOK, counted(len(limits), "429 came", "times 429 came")+" and said how long to wait, "+short(wait)+" at last; that was done", "")
}
