package baselines

import "embed"

// Scores are the committed results, scores/<name>.json: what each agent reaches on every task, and a language model on some.
// `triage validate` and the tests hold the program against them, `triage compare` and `triage baseline --against` know them by
// name.
//
//go:embed scores/*.json
var Scores embed.FS
