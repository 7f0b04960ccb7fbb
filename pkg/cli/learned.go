package cli

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// learnedSchema names the form of a file of what endpoints refuse.
const learnedSchema = "triage.learned/1"

type learnedFile struct {
	Schema    string                  `json:"schema"`
	Endpoints map[string]wire.Learned `json:"endpoints"` // by base URL and model
}

// parseLearned reads such a file; name is what errors call it.
func parseLearned(data []byte, name string) (map[string]wire.Learned, error) {
	var f learnedFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: name + ": not a file of triage doctor --write", Err: err}
	}
	if f.Schema != learnedSchema {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: name + ": schema " + strconv.Quote(f.Schema) + " is not " + learnedSchema}
	}
	formats := responseFormats()[1:] // auto is no format that an endpoint can have
	for _, endpoint := range slices.Sorted(maps.Keys(f.Endpoints)) {
		if format := f.Endpoints[endpoint].Format; format != "" && !slices.Contains(formats, format) {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: name + ": endpoint " + endpoint + ": format " + strconv.Quote(format) +
				" is not one of " + strings.Join(formats, ", ")}
		}
	}
	return f.Endpoints, nil
}

func writeLearned(root *os.Root, name string, endpoints map[string]wire.Learned) error {
	return results.WriteFile(root, name, func(w io.Writer) error {
		data, err := json.MarshalIndent(learnedFile{learnedSchema, endpoints}, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(data, '\n'))
		return err
	})
}

// runLearned reads what the models of a run folder were found to refuse; nil where that is nothing.
func runLearned(root *os.Root) (map[string]wire.Learned, error) {
	data, err := root.ReadFile(results.LearnedFile)
	name := filepath.Join(root.Name(), results.LearnedFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fileProblem("read", name, err)
	}
	return parseLearned(data, name)
}

// isNothing tells whether an endpoint has refused nothing.
func isNothing(l wire.Learned) bool {
	return len(l.Drop)+len(l.Rename)+len(l.Notes) == 0 && l.Format == "" && !l.MergeSystem
}

// isThere tells whether there is a file, maybe one that cannot be read.
func isThere(app *App, name string) bool {
	f, err := app.OpenFile(name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	_ = f.Close() // it was only looked for
	return true
}
