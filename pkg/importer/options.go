package importer

import (
	"io"

	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/split"
)

// Options say what to import and how.
type Options struct {
	// Sources are read one after the other; all must be of one format.
	Sources []Source
	// From is the name of their format; empty to find it from the content.
	From string
	// Map and Sheet are as in [Input].
	Map   map[string]string
	Sheet string
	// Dates is the order of day and month in dates of figures, [DayFirst] or [MonthFirst]; empty to find it from the dates.
	Dates string
	// Bodies is a second file that has the bodies of tickets, joined by id; nil where there is none. BodiesMap is its Map.
	Bodies    *Source
	BodiesMap map[string]string
	// Labels says which columns are labels.
	Labels LabelOptions
	// Redact replaces personal texts; nil leaves them.
	Redact *redact.Redactor
	// Split makes sides; nil makes none.
	Split *SplitOptions
	// Strict makes the first bad row an error.
	Strict bool
	// Temp makes a temporary file, which goes away when its maker wants; several are used.
	Temp func() (TempFile, error)
	// Write is called once, when all is read, to write the file of tickets: write gives its bytes. Nothing is written before.
	Write func(write func(io.Writer) error) error
	// Progress may be nil.
	Progress Progress
	Limits   Limits
}

// SplitOptions say how sides are made.
type SplitOptions struct {
	// By is the rule; nil for by time where 9 of 10 tickets have a date, else at random.
	By *split.By
	// Test and Seed are as in [split.Options].
	Test float64
	Seed int64
}
