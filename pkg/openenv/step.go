package openenv

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Step is the body of POST /step.
type Step struct {
	Action    json.RawMessage // an object
	EpisodeID string          // which of the caller's episodes is meant, or empty
	RequestID string          // a request that repeats the last one's is that one, sent again; or empty
}

// ParseStep reads the body of POST /step. Keys that nobody knows are left out.
func ParseStep(data []byte) (Step, []Detail) {
	var step Step
	if len(data) == 0 {
		return step, []Detail{Missing(Loc("body"), nil)}
	}
	if Crowded(data) {
		return step, []Detail{TooMany(Loc("body"), data)}
	}
	var room [8]triage.Member
	members, err := triage.AppendMembers(room[:0], data)
	if err != nil {
		return step, []Detail{bodyDetail(data, Loc("body"), err)}
	}
	o := options{members: members, prefix: Loc("body")}
	action, found := member(members, "action")
	switch {
	case !found:
		o.refuse(Missing(Loc("body", "action"), data))
	case action[0] != '{':
		o.refuse(NotDict(Loc("body", "action"), action))
	case Crowded(action):
		o.refuse(TooMany(Loc("body", "action"), action))
	}
	step.Action = action
	if raw, loc, ok := o.take("timeout_s"); ok {
		text := string(raw)
		if raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
			text = ""
		}
		if v, err := strconv.ParseFloat(text, 64); err != nil || strings.ContainsAny(text, "_xXpPnN") {
			o.refuse(NotNumber(loc, raw))
		} else if v <= 0 {
			o.refuse(Beyond(loc, raw, "gt", 0))
		}
	}
	step.RequestID = o.text("request_id")
	step.EpisodeID = o.text(OptionEpisodeID)
	return step, o.details
}

// member finds a member, also one that is null.
func member(members []triage.Member, name string) (json.RawMessage, bool) {
	for _, m := range members {
		if string(m.Key) == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Value says in words what is wrong with a body whose fields are well formed.
func Value(message string, body []byte) Detail {
	return Detail{Type: "value_error", Loc: Loc("body"), Msg: message, Input: input(body)}
}

// Query is the body of the requests of the task API.
type Query struct {
	Split       triage.Split
	Index       int64
	Start, Stop *int64
}

// ParseQuery reads the body of a request of the task API that needs a split and may have, or need, the other keys named. Unknown
// keys are refused. An unknown split is left to the caller.
func ParseQuery(data []byte, needs, may []string) (Query, []Detail) {
	var q Query
	if len(data) == 0 {
		return q, []Detail{Missing(Loc("body"), nil)}
	}
	if Crowded(data) {
		return q, []Detail{TooMany(Loc("body"), data)}
	}
	members, err := triage.AppendMembers(nil, data)
	if err != nil {
		return q, []Detail{bodyDetail(data, Loc("body"), err)}
	}
	o := options{members: members, prefix: Loc("body")}
	known := map[string]bool{}
	for _, name := range append(append([]string{"split"}, needs...), may...) {
		known[name] = true
	}
	for _, name := range append([]string{"split"}, needs...) {
		if raw, ok := member(members, name); !ok {
			o.refuse(Missing(Loc("body", name), data))
		} else if string(raw) == "null" && name == "split" {
			o.refuse(NotText(Loc("body", name), raw))
		} else if string(raw) == "null" {
			o.refuse(NotInt(Loc("body", name), raw))
		}
	}
	q.Split = triage.Split(o.text("split"))
	const far = 1 << 53
	if v, ok := o.whole("index", -far, far); ok {
		q.Index = v
	}
	if v, ok := o.whole("start", -far, far); ok {
		q.Start = &v
	}
	if v, ok := o.whole("stop", -far, far); ok {
		q.Stop = &v
	}
	for _, m := range members {
		if !known[string(m.Key)] {
			o.refuse(Extra(Loc("body", string(m.Key)), m.Value))
		}
	}
	return q, o.details
}
