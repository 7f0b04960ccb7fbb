package baselines

import "embed"

// Scores are the committed results, scores/<agent>.json: what each agent reaches on every task. `triage validate` and the
// tests hold the program against them.
//
//go:embed scores/*.json
var Scores embed.FS
