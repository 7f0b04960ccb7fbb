// Package baselines holds what the agents know, as data: word lists, rules and constants that change without code, and the committed
// results. Package agent reads the former. The binary has them packed in packed.txt, which go generate writes.
package baselines

import (
	_ "embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/packed"
)

//go:generate go run ./pack

//go:embed packed.txt
var text []byte

//go:embed names.txt
var names string

// ScoreNames are the names of the committed results, in their order. Nothing is unpacked for it: every help names them.
func ScoreNames() []string { return strings.Fields(names) }

// Patterns are what packed.txt holds of this folder: the agents' data files, by agent, and the committed results.
func Patterns() []string {
	return []string{"constant/*.json", "floor/*.json", "keyword/*.json", "heuristic/*.json", "linear/*.txt", "llm/*.json", "llm/*.tmpl", "scores/*.json"}
}

// Files are the agents' data files, by agent, and the committed results scores/<name>.json: what each agent reaches on every task,
// and a language model on some. `triage validate` and the tests hold the program against them, `triage compare` and
// `triage baseline --against` know them by name. They are unpacked when the first one is read.
var Files fs.FS = lazy{sync.OnceValues(func() (fs.FS, error) { return packed.Files(text) })}

// lazy opens its files when they are first asked for.
type lazy struct{ files func() (fs.FS, error) }

// Open opens a file or folder by its name.
func (l lazy) Open(name string) (fs.File, error) {
	files, err := l.files()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return files.Open(name)
}
