// Package synth makes tickets: from a seed and a position to a case with text, facts and labels.
//
// [Source] is a pure function of (stream number, split, task, seed, position, secret) and the bank. Facts are drawn first,
// for the balance that balance.go states; then a scenario that allows them; then the text that tells them. The streams of
// facts, text, form fields and ids are apart, so that a change to one leaves the others as they were.
package synth
