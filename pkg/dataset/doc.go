// Package dataset reads a user's own tickets from CSV or JSON Lines, so that an agent can be judged on them in place of
// the generated bank. Start reading at [Open]; [Options] says which column is what.
//
// It keeps an index of where each good row begins and reads a row when [Set.Case] asks for it, so a file of a million
// tickets costs some 12 bytes a row. What it cannot read, it counts and reports by line, and goes on.
//
// It is not a database, a cleaner or a converter: texts are given as they stand in the file, label values are never
// merged or renamed, and nothing is written. It does not open files either: the caller owns the reader and keeps it open
// as long as the set is used.
package dataset
