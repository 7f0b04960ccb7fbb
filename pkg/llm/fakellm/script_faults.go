package fakellm

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// fault is a rule: when it holds, its reply takes the place of the answer.
type fault struct {
	// All conditions that are set must hold.
	calls     [][2]int64 // ranges of call numbers, from 1
	every     int64
	after     int64
	share     float64
	hasShare  bool
	model     string
	on        string // chat, models or all
	reply     string
	status    int
	code      int
	headers   http.Header
	body      *string
	retry     string        // seconds, as they go out
	retryDate time.Duration // Retry-After as a date, so far from now
	wait      time.Duration // before the reply
	hangFor   time.Duration
	location  string
	number    int // place in the list
}

func (r *reader) faults(n *yaml.Node) []*fault {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "faults is a list of rules, not %s", kindOf(n))
		return nil
	}
	out := make([]*fault, len(n.Content))
	for i, e := range n.Content {
		out[i] = r.fault(deref(e), i)
	}
	return out
}

func (r *reader) fault(n *yaml.Node, number int) *fault {
	f := &fault{on: "chat", headers: http.Header{}, number: number}
	r.object(n, "a fault", append(r.conditions(f), r.faultReply(f)...))
	if f.reply == "" && f.status == 0 && n.Kind == yaml.MappingNode {
		r.fail(n, "a fault needs a reply or a status")
	}
	return f
}

func (r *reader) conditions(f *fault) []key {
	return []key{
		{"calls", func(n *yaml.Node) { f.calls = r.ranges(n) }},
		{"every", func(n *yaml.Node) { f.every = r.integer(n, "every", 1) }},
		{"after", func(n *yaml.Node) { f.after = r.integer(n, "after", 0) }},
		{"share", func(n *yaml.Node) { f.share, f.hasShare = r.share(n, "share", 1), true }},
		{"model", func(n *yaml.Node) { f.model = r.text(n, "model") }},
		{"on", func(n *yaml.Node) { f.on = r.oneOf(n, "on", []string{"chat", "models", "all"}) }},
	}
}

func (r *reader) faultReply(f *fault) []key {
	return []key{
		{"reply", func(n *yaml.Node) { f.reply = r.oneOf(n, "reply", Faults()) }},
		{"status", func(n *yaml.Node) {
			if f.status = int(r.integer(n, "status", 200)); f.status > 599 {
				r.fail(n, "status is from 200 to 599, not %d", f.status)
			}
		}},
		{"code", func(n *yaml.Node) { f.code = int(r.integer(n, "code", 1)) }},
		{"headers", func(n *yaml.Node) {
			r.pairs(n, "headers", func(name string, value *yaml.Node) { f.headers.Set(name, r.text(value, "header "+name)) })
		}},
		{"body", func(n *yaml.Node) { v := r.text(n, "body"); f.body = &v }},
		{"retry_after", func(n *yaml.Node) {
			if v, err := strconv.ParseFloat(n.Value, 64); err != nil || v < 0 {
				r.fail(n, "retry_after is a number of seconds, not %s; retry_after_date sends a date", kindOf(n))
			}
			f.retry = n.Value
		}},
		{"retry_after_date", func(n *yaml.Node) { f.retryDate = r.duration(n, "retry_after_date") }},
		{"wait", func(n *yaml.Node) { f.wait = r.duration(n, "wait") }},
		{"hang_for", func(n *yaml.Node) { f.hangFor = r.duration(n, "hang_for") }},
		{"location", func(n *yaml.Node) { f.location = r.text(n, "location") }},
	}
}

// ranges reads "3", "1..20", "5.." or a list of them.
func (r *reader) ranges(n *yaml.Node) [][2]int64 {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	var out [][2]int64
	for _, e := range nodes {
		low, high, two := strings.Cut(e.Value, "..")
		a, err := strconv.ParseInt(low, 10, 64)
		b := a
		var err2 error
		switch {
		case two && high == "":
			b = 1<<63 - 1
		case two:
			b, err2 = strconv.ParseInt(high, 10, 64)
		}
		if e.Kind != yaml.ScalarNode || err != nil || err2 != nil || a < 1 || b < a {
			r.fail(e, "calls are numbers from 1, or ranges of them, such as 3, 1..20 or 5.., not %s", kindOf(e))
		}
		out = append(out, [2]int64{a, b})
	}
	slices.SortFunc(out, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// holds tells whether the rule applies to a call. draw gives a number in [0, 1) for the rule, the same for the same request.
func (f *fault) holds(on string, number int64, model string, draw func() float64) bool {
	if f.on != "all" && f.on != on {
		return false
	}
	if f.calls != nil && !slices.ContainsFunc(f.calls, func(c [2]int64) bool { return c[0] <= number && number <= c[1] }) {
		return false
	}
	return (f.every == 0 || number%f.every == 0) && (f.after == 0 || number > f.after) && (f.model == "" || f.model == model) && (!f.hasShare || draw() < f.share)
}
