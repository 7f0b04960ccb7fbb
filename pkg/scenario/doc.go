// Package scenario is the bank: the situations that tickets are made of, with the sentences that tell their facts.
//
// A scenario is a YAML file in bank/<route>/<slug>.yaml that people who write no Go can add to (docs/scenarios.md says how).
// go generate turns the files into JSON lines that are embedded, packed, and decoded when first used; [Embedded] gives that bank and
// [LoadDir] reads the YAML of another one. The package picks nothing and draws nothing: that is package synth's work.
package scenario

//go:generate go run ./bankgen
