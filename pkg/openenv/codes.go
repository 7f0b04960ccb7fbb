package openenv

import (
	"net/http"

	"github.com/triagebench/triage/pkg/triage"
)

// The codes of error frames.
const (
	CodeInvalidJSON  = "INVALID_JSON"
	CodeUnknownType  = "UNKNOWN_TYPE"
	CodeValidation   = "VALIDATION_ERROR"
	CodeExecution    = "EXECUTION_ERROR"
	CodeSession      = "SESSION_ERROR"
	CodeCapacity     = "CAPACITY_REACHED"
	CodeFactory      = "FACTORY_ERROR"
	MessageInvalid   = "Invalid message"
	messageBadJSON   = "Invalid JSON: "
	messageUnknown   = "Unknown message type: "
	messageNotObject = "a frame is one JSON object"
)

// The codes of JSON-RPC errors.
const (
	RPCParse      = -32700
	RPCInvalid    = -32600
	RPCNoMethod   = -32601
	RPCBadParams  = -32602
	RPCInternal   = -32603
	RPCNoCapacity = -32000
)

// Status maps the code of an error to the status of the HTTP answer that tells of it. Errors without a code are the
// environment's: it is broken.
func Status(code triage.Code) int {
	switch code {
	case triage.CodeUsage, triage.CodeInvalid:
		return http.StatusUnprocessableEntity
	case triage.CodeNotReset, triage.CodeDone:
		return http.StatusConflict
	}
	return http.StatusServiceUnavailable
}
