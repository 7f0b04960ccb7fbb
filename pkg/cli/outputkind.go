package cli

import (
	"bytes"
	"encoding/json"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// mostRecognised is how much of a file is read to tell whether it is a report of ours: 64 MiB.
const mostRecognised = 64 << 20

// reportHeads are how reports begin, a pattern a format: tables, step summaries, pages, JUnit, CSV, JSONL, conversations, pairs, logs.
var reportHeads = lazyregexp.New(`^(?:` +
	`[^\n]{0,400}\n?┌─` +
	`|\*\*[^\n]{1,400}\*\*\n\n\| ` +
	`|\| Run \| Agent \| ` +
	`|## (?:\S{1,8} )?triage` +
	`|<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-` +
	`|<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites? name="triage` +
	`|(?:\xEF\xBB\xBF|\x{FEFF})?(?:table,|run,agent,task,seed,)` +
	`|\{"run":"` +
	`|\{"(?:messages|prompt)":\[\{"role":"system","content":"You triage ` +
	`|\{"eval":\{"config":\{"epochs":` +
	`)`)

// isReport tells whether a file begins as a report of this program does.
func isReport(data []byte) bool {
	return reportHeads.Match(data) || isJSONReport(data)
}

// isJSONReport tells whether a file is a report of tables as JSON, by the names of the tables.
func isJSONReport(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("{\n  \"")) {
		return false
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return false
	}
	has := func(names ...string) bool {
		for _, n := range names {
			if all[n] == nil {
				return false
			}
		}
		return true
	}
	if has("comparisons", "sides") || has("gates", "holds", "pairs") || has("history", "runs") {
		return true
	}
	for _, table := range []string{"queue", "desk", "tickets"} { // a row an agent, difficulty or label
		var rows []struct {
			Agent      string `json:"agent"`
			Difficulty string `json:"difficulty"`
			Label      string `json:"label"`
		}
		if has(table) && json.Unmarshal(all[table], &rows) == nil && len(rows) > 0 && rows[0].Agent+rows[0].Difficulty+rows[0].Label != "" {
			return true
		}
	}
	return false
}
