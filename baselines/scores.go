package baselines

import "embed"

// Scores are the committed results, scores/<agent>.json: what each agent reaches on every task. `triage validate` and the
// tests hold the program against them.
//
//go:embed scores/constant.json scores/heuristic.json scores/keyword.json scores/oracle.json
var Scores embed.FS
