// Package baselines holds what the agents know, as data: word lists, rules and constants that change without code.
// Package agent reads them.
package baselines

import "embed"

// Files are the agents' data files, by agent.
//
//go:embed constant/*.json floor/*.json keyword/*.json heuristic/*.json linear/*.txt llm/*.json llm/*.tmpl
var Files embed.FS
