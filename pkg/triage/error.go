package triage

import (
	"errors"
	"fmt"
	"strings"
)

// Code classifies an error for whoever has to react to it: the server maps it to a status, the command line to an exit
// code.
type Code string

// The codes.
const (
	CodeUsage       Code = "usage"       // the caller asked for something that does not exist
	CodeInvalid     Code = "invalid"     // an action holds a wrong value; the state has not changed
	CodeNotReset    Code = "not_reset"   // a step before any reset
	CodeDone        Code = "done"        // a step after the end of the episode
	CodeFiles       Code = "files"       // an input or output file cannot be read or written
	CodeCheck       Code = "check"       // a check or target that was asked for did not hold
	CodeUnavailable Code = "unavailable" // environment or network is broken: no fault of the agent
	CodeUnusable    Code = "unusable"    // the endpoint of an agent can serve no call (key, quota, model …): the run stops
)

// Error is an error with a code.
type Error struct {
	Code    Code
	Message string
	Err     error // optional cause
}

// Error gives the message and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf finds the code of an error, or empty.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	var f *FieldErrors
	if errors.As(err, &f) {
		return CodeInvalid
	}
	return ""
}

// FieldError says what is wrong with one field of an action.
type FieldError struct {
	Field   string // its name as on the wire
	Value   string // the value as it was given, shortened
	Allowed string // what is allowed
	Problem string // a short code: unknown_field, not_one_of, out_of_range, wrong_type, too_long
}

// Error names the field, the value and what is allowed.
func (e FieldError) Error() string {
	if e.Problem == "unknown_field" {
		return fmt.Sprintf("%s: there is no such field (its value is %s); the fields are %s", e.Field, e.Value, e.Allowed)
	}
	return fmt.Sprintf("%s: %s is not allowed; allowed is %s", e.Field, e.Value, e.Allowed)
}

// FieldErrors are all wrong fields of one action: declared fields in their order, then unknown ones by name.
type FieldErrors struct{ Fields []FieldError }

// Error joins the messages of all fields.
func (e *FieldErrors) Error() string {
	out := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		out[i] = f.Error()
	}
	return "invalid action: " + strings.Join(out, "; ")
}
