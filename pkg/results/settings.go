package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Settings are what decides a run, by name; values are rendered as text so that they compare and print. Two runs with
// the same settings give the same episodes.
type Settings map[string]string

type runFile struct {
	Schema   string   `json:"schema"`
	Digest   string   `json:"digest"`
	Settings Settings `json:"settings"`
}

const runSchema = "triage.run/1"

func (s Settings) write(w io.Writer) error {
	data, err := json.MarshalIndent(runFile{Schema: runSchema, Digest: s.Digest(), Settings: s}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// ReadSettings reads run.json of a run folder.
func ReadSettings(root *os.Root) (Settings, error) {
	data, err := readRegular(root, RunFile)
	if err != nil {
		return nil, fileError("read", root, RunFile, err)
	}
	var f runFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: filepath.Join(root.Name(), RunFile) + ": not a run", Err: err}
	}
	if f.Schema != runSchema || f.Settings == nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s: schema %q is not %s",
			filepath.Join(root.Name(), RunFile), f.Schema, runSchema)}
	}
	return f.Settings, nil
}

// Difference is a setting that two runs do not share.
type Difference struct{ Name, Was, Is string }

// Differences lists what differs, by name.
func (s Settings) Differences(other Settings) []Difference {
	names := map[string]bool{}
	for n := range s {
		names[n] = true
	}
	for n := range other {
		names[n] = true
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	sort.Strings(sorted)
	var out []Difference
	for _, n := range sorted {
		if s[n] != other[n] {
			out = append(out, Difference{Name: n, Was: s[n], Is: other[n]})
		}
	}
	return out
}

func joinDifferences(list []Difference) string {
	var b bytes.Buffer
	for i, d := range list {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s was %q, is %q", d.Name, d.Was, d.Is)
	}
	return b.String()
}

// AgentsSetting names the agents of a run, in the order of their rows.
const AgentsSetting = "agents"

// ProgramSetting and PathSetting begin the names of the settings that hold a hash of a file that the command of an agent names, and
// of the program that it names without a folder. "program of AGENT: FILE". Shards that are merged may differ in the latter:
// machines have interpreters of their own.
const (
	ProgramSetting = "program of "
	PathSetting    = "program on PATH of "
)

// TrialsSetting says how often each episode is played; it is missing where that is once.
const TrialsSetting = "trials"

// JoinAgents writes the names of agents into one setting, SplitAgents reads them. Commands may hold commas: the names are a
// JSON list then.
func JoinAgents(names []string) string {
	if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ",") }) {
		return strings.Join(names, ",")
	}
	list, err := json.Marshal(names)
	if err != nil { // texts always are JSON
		return strings.Join(names, ",")
	}
	return string(list)
}

// SplitAgents reads what JoinAgents wrote.
func SplitAgents(text string) []string {
	var list []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	return strings.Split(text, ",")
}
