package client

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// refused makes an error of the details with which a server refuses an action. Where the action's own check finds fault
// with the same fields, its words are used: they are those of a local environment.
func refused(track triage.Track, a *triage.Action, f *Failure) error {
	said := &triage.FieldErrors{}
	for _, d := range f.Details {
		said.Fields = append(said.Fields, fieldError(d))
	}
	if len(said.Fields) == 0 {
		return &triage.Error{Code: triage.CodeInvalid, Message: "the server refuses the action", Err: f}
	}
	if own, ok := a.Validate(track, nil).(*triage.FieldErrors); ok && sameFields(own, said) { //nolint:errorlint // it gives nothing else
		return own
	}
	return said
}

func sameFields(a, b *triage.FieldErrors) bool {
	if len(a.Fields) != len(b.Fields) {
		return false
	}
	for i := range a.Fields {
		if a.Fields[i].Field != b.Fields[i].Field {
			return false
		}
	}
	return true
}

// fieldError reads one detail.
func fieldError(d openenv.Detail) triage.FieldError {
	out := triage.FieldError{Field: place(d.Loc), Value: cut(string(d.Input)), Allowed: allowed(d)}
	switch kind := d.Type; {
	case kind == "extra_forbidden":
		out.Problem = "unknown_field"
	case kind == "literal_error" || kind == "enum":
		out.Problem = "not_one_of"
	case kind == "string_too_long":
		out.Problem = "too_long"
	case strings.HasPrefix(kind, "greater_than") || strings.HasPrefix(kind, "less_than"):
		out.Problem = "out_of_range"
	default:
		out.Problem = "wrong_type"
	}
	return out
}

// place names a field. A detail about the whole action, which a frame holds as its data, is about the action.
func place(loc []any) string {
	parts := make([]string, 0, len(loc))
	for _, key := range loc {
		parts = append(parts, fmt.Sprint(key))
	}
	if len(parts) == 0 || len(parts) == 1 && parts[0] == "data" {
		return "action"
	}
	return strings.Join(parts, ".")
}

// allowed says what is allowed in the words of the server: "Input should be 'low' or 'high'" becomes "'low' or 'high'".
func allowed(d openenv.Detail) string {
	if d.Type == "extra_forbidden" {
		return "those of the server's schema"
	}
	out := strings.TrimPrefix(d.Msg, "Input should be ")
	return strings.TrimPrefix(out, "String should have ")
}

// cut shortens a value that a server sent back.
func cut(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
