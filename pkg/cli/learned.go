package cli

import (
	"encoding/json"
	"io"
	"os"
	"strconv"

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

func parseLearned(data []byte, name string) (map[string]wire.Learned, error) {
	var f learnedFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: name + ": not a file of triage doctor --write", Err: err}
	}
	if f.Schema != learnedSchema {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: name + ": schema " + strconv.Quote(f.Schema) + " is not " + learnedSchema}
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
