package openenv

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Call is a JSON-RPC 2.0 request.
type Call struct {
	Method string
	Params json.RawMessage // an object; {} where there is none
	ID     json.RawMessage // a string, an integer or null; nil where there is no id at all
}

// RPCError is the error of a JSON-RPC answer.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// Error gives the message.
func (e *RPCError) Error() string { return e.Message + " (" + strconv.Itoa(e.Code) + ")" }

// Notification tells whether a call wants no answer: it has no id, and its method is one of the notifications of the Model
// Context Protocol. The reference answers other calls without an id, and so do we.
func (c *Call) Notification() bool {
	return c.ID == nil && strings.HasPrefix(c.Method, "notifications/")
}

// ParseCall reads a JSON-RPC request. The call of an error has the id that could be read.
func ParseCall(data []byte) (Call, *RPCError) {
	if Crowded(data) {
		return Call{}, &RPCError{Code: RPCInvalid, Message: fmt.Sprintf("Invalid request: more than %d keys", mostMembers)}
	}
	var room [4]triage.Member
	members, err := triage.AppendMembers(room[:0], data)
	if err != nil {
		reason := "Parse error"
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && len(data) > 0 {
			reason += ": " + plainSyntax(syntax)
		}
		return Call{}, &RPCError{Code: RPCParse, Message: reason}
	}
	c := Call{Params: json.RawMessage("{}")}
	var wrong []string
	version := false
	for _, m := range members {
		switch string(m.Key) {
		case "jsonrpc":
			version = string(m.Value) == `"2.0"`
		case "method":
			if m.Value[0] != '"' || json.Unmarshal(m.Value, &c.Method) != nil {
				wrong = append(wrong, "method must be a string")
			}
		case "params":
			if c.Params = m.Value; m.Value[0] != '{' {
				wrong = append(wrong, "params must be an object")
			}
		case "id":
			if !isID(m.Value) {
				wrong = append(wrong, "id must be a string, an integer or null")
				break
			}
			c.ID = m.Value
		default:
			wrong = append(wrong, "unknown key "+strconv.Quote(shorten(string(m.Key))))
		}
	}
	if !version {
		wrong = append(wrong, `jsonrpc must be "2.0"`)
	}
	if c.Method == "" && !mentions(wrong, "method") {
		wrong = append(wrong, "method is missing")
	}
	if len(wrong) > 0 {
		return c, &RPCError{Code: RPCInvalid, Message: "Invalid request: " + strings.Join(wrong, "; ")}
	}
	return c, nil
}

// isID tells whether a value can be the id of a call.
func isID(raw json.RawMessage) bool {
	if len(raw) > longestInput {
		return false
	}
	if raw[0] == '"' || string(raw) == "null" {
		return true
	}
	_, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil
}

func mentions(list []string, word string) bool {
	for _, s := range list {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return false
}

func shorten(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// AppendRPC appends the answer to a call: its result as it stands, or the error.
func AppendRPC(buf []byte, id, result json.RawMessage, err *RPCError) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	buf = append(append(buf, `{"jsonrpc":"2.0","id":`...), id...)
	if err != nil {
		return append(append(append(buf, `,"error":`...), Plain(err)...), '}')
	}
	return append(append(append(buf, `,"result":`...), result...), '}')
}
