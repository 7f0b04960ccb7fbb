package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// The types of frames on /ws.
const (
	TypeReset       = "reset"
	TypeStep        = "step"
	TypeState       = "state"
	TypeMCP         = "mcp"
	TypeClose       = "close"
	TypeObservation = "observation"
	TypeError       = "error"
)

// Frame is what a client sends on /ws. Data is part of the frame's bytes, and nil for frames that have none.
type Frame struct {
	Type string
	Data json.RawMessage
}

// Refusal is why a frame is refused. End says that the session ends with it.
type Refusal struct {
	Code, Message string
	Details       []Detail
	// Active and Max are the sessions that there are, with [CodeCapacity].
	Active, Max int
	End         bool
}

// Error gives the message.
func (r *Refusal) Error() string { return r.Message + " (" + r.Code + ")" }

// hasData says which types of frames have data; reset's may be left out.
var hasData = map[string]bool{TypeReset: true, TypeStep: true, TypeMCP: true, TypeState: false, TypeClose: false}

// ParseFrame reads a client's frame; a refusal says which answer it gets.
func ParseFrame(data []byte) (Frame, *Refusal) {
	if Crowded(data) {
		return Frame{}, &Refusal{Code: CodeValidation, Message: MessageInvalid, Details: []Detail{TooMany(Loc(), data)}}
	}
	var room [4]triage.Member
	members, err := triage.AppendMembers(room[:0], data)
	if err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return Frame{}, &Refusal{Code: CodeInvalidJSON, Message: messageBadJSON + plainSyntax(syntax)}
		}
		return Frame{}, &Refusal{Code: CodeSession, Message: messageNotObject, End: true}
	}
	var f Frame
	for _, m := range members {
		if string(m.Key) == "type" {
			f.Type = wordOf(m.Value)
		}
	}
	wants, known := hasData[f.Type]
	if !known {
		return Frame{}, &Refusal{Code: CodeUnknownType, Message: messageUnknown + f.Type}
	}
	var details []Detail
	there := false
	for _, m := range members {
		switch {
		case string(m.Key) == "type":
		case string(m.Key) == "data" && wants:
			there = true
			if m.Value[0] != '{' {
				details = append([]Detail{NotDict(Loc("data"), m.Value)}, details...)
			} else if Crowded(m.Value) {
				details = append([]Detail{TooMany(Loc("data"), m.Value)}, details...)
			}
			f.Data = m.Value
		default:
			details = append(details, Extra(Loc(string(m.Key)), m.Value))
		}
	}
	if wants && !there && f.Type != TypeReset {
		details = append([]Detail{Missing(Loc("data"), data)}, details...)
	}
	if len(details) > 0 {
		return Frame{}, &Refusal{Code: CodeValidation, Message: MessageInvalid, Details: details}
	}
	if f.Data == nil {
		f.Data = json.RawMessage("{}")
	}
	return f, nil
}

// wordOf reads a frame's type without an allocation where it is one of the known ones. What is no string is shown as it is.
func wordOf(raw json.RawMessage) string {
	if raw[0] != '"' {
		return string(input(raw))
	}
	switch string(raw) {
	case `"step"`:
		return TypeStep
	case `"state"`:
		return TypeState
	case `"reset"`:
		return TypeReset
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(input(raw))
	}
	if len(s) > longestInput {
		s = string(bytes.ToValidUTF8([]byte(s[:longestInput]), nil))
	}
	return s
}

// AppendError appends an error frame.
func AppendError(buf []byte, r *Refusal) []byte {
	e := triage.Encoder{Buf: append(buf, `{"type":"error","data":{"message":`...)}
	e.String(r.Message)
	e.Buf = append(e.Buf, `,"code":"`...)
	e.Buf = append(e.Buf, r.Code...)
	e.Buf = append(e.Buf, '"')
	if r.Details != nil {
		e.Buf = append(append(e.Buf, `,"errors":`...), Plain(r.Details)...)
	}
	if r.Code == CodeCapacity {
		e.Buf = strconv.AppendInt(append(e.Buf, `,"active_sessions":`...), int64(r.Active), 10)
		e.Buf = strconv.AppendInt(append(e.Buf, `,"max_sessions":`...), int64(r.Max), 10)
	}
	return append(e.Buf, "}}"...)
}

// Plain encodes a value as JSON without escaping for HTML. A value that cannot be encoded, which ours never are, is null.
func Plain(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
