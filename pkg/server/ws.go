package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// serveWS is WS /ws: a session of its own, or with ?session_id=S one that JSON-RPC made.
func (s *Server) serveWS(w http.ResponseWriter, r *http.Request) {
	track, id := trackOf(r), r.URL.Query().Get("session_id")
	s.accept(w, r, func(k *socket) {
		k.answer = answerFrame
		var refusal *openenv.Refusal
		if id != "" {
			refusal = s.sessions.attach(id, k.owner, k)
		} else {
			_, refusal = s.sessions.open(s.newPlayer(track, k.owner), "", k)
		}
		if refusal != nil {
			s.counts.refusal(refusal.Code)
			k.refuse(openenv.AppendError(nil, refusal))
			return
		}
		k.loop()
	})
}

// answerFrame answers one frame of /ws.
func answerFrame(k *socket, frame, buf []byte) ([]byte, bool) {
	s, p := k.server, k.session.player
	f, refusal := openenv.ParseFrame(frame)
	if refusal != nil {
		s.counts.refusal(refusal.Code)
		return openenv.AppendError(buf, refusal), refusal.End
	}
	switch f.Type {
	case openenv.TypeClose:
		return buf, true
	case openenv.TypeState:
		state := p.state()
		return openenv.AppendStateFrame(buf, &state), false
	case openenv.TypeMCP:
		return s.mcpFrame(buf, f.Data, rpcContext{owner: k.owner, track: p.track, session: k.session}), false
	}
	result, meta, refusal := p.play(&f)
	if refusal != nil {
		s.counts.refusal(refusal.Code)
		return openenv.AppendError(buf, refusal), false
	}
	return openenv.AppendResultFrame(buf, result, &meta), false
}

// mcpFrame answers a call in a frame. Clients wait for a frame, so notifications have an answer too: that of the reference, which
// knows none.
func (s *Server) mcpFrame(buf, call []byte, c rpcContext) []byte {
	buf = append(buf, `{"type":"mcp","data":`...)
	buf, silent := s.rpc(buf, call, c)
	if silent {
		note, _ := openenv.ParseCall(call)
		buf = openenv.AppendRPC(buf, nil, nil, &openenv.RPCError{Code: openenv.RPCNoMethod, Message: "Method not found: " + shortName(note.Method)})
	}
	return append(buf, '}')
}

// play answers a reset or a step.
func (p *player) play(f *openenv.Frame) (triage.StepResult, openenv.Metadata, *openenv.Refusal) {
	var result triage.StepResult
	var meta openenv.Metadata
	var err error
	if f.Type == openenv.TypeReset {
		r, details := openenv.ParseReset(f.Data)
		if len(details) > 0 {
			return result, meta, &openenv.Refusal{Code: openenv.CodeExecution, Message: openenv.Message("reset", details)}
		}
		result, meta, err = p.reset(context.Background(), &r)
	} else {
		var a triage.Action
		if a, err = p.parse(f.Data); err == nil {
			result, meta, err = p.step(context.Background(), a)
		}
	}
	if err != nil {
		return result, meta, refusalOf(err, f.Data)
	}
	return result, meta, nil
}

// members are the fields of actions, between uses.
var members = sync.Pool{New: func() any { list := make([]triage.Member, 0, 8); return &list }}

// mostKept is the longest list of fields that is kept for later.
const mostKept = 64

// parse reads an action, of a text that is known to be JSON. What cannot be read counts as the empty action where the reset asked for
// that.
func (p *player) parse(data []byte) (triage.Action, error) {
	room := members.Get().(*[]triage.Member)
	defer members.Put(room)
	var a triage.Action
	list, err := triage.AppendValidMembers((*room)[:0], data)
	if err != nil {
		a, err = triage.ParseAction(p.track, data, nil) // which says what is wrong with it
	} else {
		if cap(list) <= mostKept {
			*room = list[:0]
		}
		a, err = triage.ParseMembers(p.track, list, nil)
	}
	var fields *triage.FieldErrors
	if errors.As(err, &fields) && p.lenient() {
		return triage.Action{Track: p.track, Raw: refusedRaw(data)}, nil // the environment says that it was refused
	}
	return a, err
}

// mostRaw is how much of an action that cannot be read is kept for the record.
const mostRaw = 1 << 10

// refusedRaw copies an action that cannot be read: the frame's bytes are used again. Of a long one the beginning is kept, as a text,
// which is no action either.
func refusedRaw(data []byte) json.RawMessage {
	if len(data) <= mostRaw {
		return bytes.Clone(data)
	}
	return openenv.Plain(strings.ToValidUTF8(string(data[:mostRaw]), "") + "…")
}

// refusalOf makes the error frame of an error.
func refusalOf(err error, action []byte) *openenv.Refusal {
	var fields *triage.FieldErrors
	if errors.As(err, &fields) {
		return &openenv.Refusal{Code: openenv.CodeValidation, Message: openenv.MessageInvalid + ": " + fields.Error(), Details: openenv.ActionDetails(fields, action)}
	}
	return &openenv.Refusal{Code: openenv.CodeExecution, Message: err.Error()}
}
