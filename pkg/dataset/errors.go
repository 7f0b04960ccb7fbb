package dataset

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// RowError says why one row of a file could not be used.
type RowError struct {
	Line   int // the physical line on which the record begins, counted from 1
	Reason string
}

// Error gives the line and the reason.
func (e RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// usage is an error that the user can mend: in the file, the mapping or the labels file that place names.
func usage(place, format string, args ...any) error {
	return &triage.Error{Code: triage.CodeUsage, Message: place + ": " + fmt.Sprintf(format, args...)}
}

// badRow is why a record is not a ticket.
type badRow string

func (e badRow) Error() string { return string(e) }

func bad(format string, args ...any) error { return badRow(fmt.Sprintf(format, args...)) }

// listed renders names for a message, the first ones only where there are many.
func listed(names []string) string {
	const most = 30
	short := make([]string, 0, min(len(names), most)+1)
	for i, n := range names {
		if i == most {
			short = append(short, fmt.Sprintf("… (%d in all)", len(names)))
			break
		}
		short = append(short, shorten(n))
	}
	return strings.Join(short, ", ")
}

// shorten cuts a value for a message at 60 characters.
func shorten(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
