// Command make trains the model that agent linear has embedded, on split train, and writes it as text: base64 in lines, in files
// baselines/linear/weights-N.txt of less than 1 MiB. Run it from the repository's root: go run ./baselines/linear/make
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func main() {
	if err := run(context.Background(), filepath.Join("baselines", "linear"), agent.LinearBankTickets); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

// run trains on n tickets of each task and writes the files into a folder.
func run(ctx context.Context, dir string, n int) error {
	bank, err := scenario.Embedded()
	if err != nil {
		return err
	}
	m, _, err := agent.TrainLinearBank(ctx, envs(bank), scenario.Version(bank.Hash), n, 0, nil)
	if err != nil {
		return err
	}
	var model bytes.Buffer
	if err := m.Write(&model); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "weights-*.txt"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for i, text := range inFiles(model.Bytes()) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("weights-%d.txt", i+1)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// envs makes the environments of train.
func envs(bank *scenario.Bank) func(task string) (triage.Env, error) {
	return func(name string) (triage.Env, error) {
		task, err := triage.TaskByName(name)
		if err != nil {
			return nil, err
		}
		return env.New(task, triage.Train, func(split triage.Split) (env.Source, error) { return synth.New(bank, task, split, nil) })
	}
}

// The bytes of a line of base64, and the lines of a file.
const lineBytes, fileLines = 96, 7000

// inFiles gives the texts of the files.
func inFiles(model []byte) [][]byte {
	var out [][]byte
	for n := 0; len(model) > 0; n++ {
		if n%fileLines == 0 {
			out = append(out, nil)
		}
		line := model[:min(len(model), lineBytes)]
		model = model[len(line):]
		last := &out[len(out)-1]
		*last = append(base64.StdEncoding.AppendEncode(*last, line), '\n')
	}
	return out
}
