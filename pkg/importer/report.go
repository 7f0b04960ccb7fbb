package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/split"
)

// Result is what an import did.
type Result struct {
	// Format and Title name the form of the input, and Files how many files were read, those of archives counted one by one.
	Format, Title string
	Files         int
	// Rows counts the records that were found, and Tickets those that were written.
	Rows, Tickets int
	// Skipped are the records that were not, by reason, the most frequent first.
	Skipped []Skip
	// Passed are files of archives that were not read.
	Passed []PassedFile
	// Labels says which labels were found, which columns agents see, and which were held back.
	Labels LabelReport
	// Redacted counts what was replaced, by kind.
	Redacted []redact.Count
	// Split is how the sides were made; nil where there are none. SplitWhy says why by that rule, where none was asked for.
	Split    *split.Result
	SplitWhy string
	// Largest name a ticket of each of the largest groups of near-duplicates.
	Largest []LargeGroup
	// Bodies says what the second file gave; nil without one.
	Bodies *BodiesReport
	// Dated counts the tickets with a date, and NoID those that were named by their row.
	Dated, NoID int
	// NoBody counts the tickets that are a subject only.
	NoBody int
	// Warnings are doubts, a sentence each.
	Warnings []string
}

// Skip is a reason for which records were skipped.
type Skip struct {
	Reason string
	Count  int
	// File and Line are the first of them, and Detail says more of that one.
	File   string
	Line   int
	Detail string
	// NoTicket says that they are sound, but other than tickets.
	NoTicket bool
}

// PassedFile is a file of an archive that was not read.
type PassedFile struct{ Name, Why string }

// LargeGroup is a group of near-duplicates: the id of its first ticket and how many it has.
type LargeGroup struct {
	ID   string
	Size int
}

// skips counts skipped records by reason.
type skips struct {
	all  []Skip
	rows int
}

func (s *skips) add(file string, e *RowError) {
	s.rows++
	for i := range s.all {
		if s.all[i].Reason == e.Reason {
			s.all[i].Count++
			return
		}
	}
	s.all = append(s.all, Skip{Reason: e.Reason, Count: 1, File: file, Line: e.Line, Detail: e.Detail, NoTicket: e.NoTicket})
}

// sorted gives the reasons, the most frequent first.
func (s *skips) sorted() []Skip {
	slices.SortStableFunc(s.all, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Reason, b.Reason))
	})
	return s.all
}

// nothing is the error of an import without a ticket: it says what was there.
func (r *Result) nothing() error {
	if r.Rows == 0 {
		return fmt.Errorf("no ticket: there is no row in the %s that was read as %s; --from says it otherwise", plural(r.Files, "file"), r.Format)
	}
	parts := make([]string, len(r.Skipped))
	for i, s := range r.Skipped {
		parts[i] = fmt.Sprintf("%d: %s (the first in line %d of %s)", s.Count, s.Reason, s.Line, s.File)
		if s.Detail != "" {
			parts[i] = fmt.Sprintf("%d: %s (the first in line %d of %s: %s)", s.Count, s.Reason, s.Line, s.File, s.Detail)
		}
	}
	return fmt.Errorf("no ticket came out of %s of %s: %s", plural(r.Rows, "row"), r.Format, strings.Join(parts, "; "))
}

// plural counts things in words.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// doubts counts the readers' warnings by reason.
type doubts struct{ all []Warning }

func (d *doubts) add(w Warning) {
	for i := range d.all {
		if d.all[i].Reason == w.Reason {
			d.all[i].Count += w.Count
			return
		}
	}
	d.all = append(d.all, w)
}

// texts gives the warnings as sentences.
func (d *doubts) texts() []string {
	var out []string
	for _, w := range d.all {
		text := w.Reason
		if w.Detail != "" {
			text += ", " + w.Detail
		}
		switch {
		case w.Count > 1:
			text += fmt.Sprintf(" (%d rows, the first in line %d)", w.Count, w.Line)
		case w.Line > 0:
			text += fmt.Sprintf(" (line %d)", w.Line)
		}
		out = append(out, text)
	}
	return out
}
