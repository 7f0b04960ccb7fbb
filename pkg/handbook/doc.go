// Package handbook is the written policy of the desk: how the facts of a ticket become its labels on both tracks.
//
// The rules are tables in code; [Text] prints the same tables as Markdown for people and models, so that what is graded
// and what is written cannot differ. It knows nothing of texts or of how tickets are made. Start at [Queue] and [Desk].
package handbook
