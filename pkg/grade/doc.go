// Package grade scores answers: pure functions from the truth of a ticket and an action to a [triage.Score]. The
// environments, the validator and imported tickets share them; the package holds no state and knows no texts but the
// one a recommendation is compared with.
package grade
