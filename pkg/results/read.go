package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// maxResults is the longest results file that is read: 256 MiB.
const maxResults = 256 << 20

// stored is a number of a results file, NaN where it is null.
type stored struct{ v *float64 }

// UnmarshalJSON reads a number or null.
func (s *stored) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &s.v) }

func (s stored) value() float64 {
	if s.v == nil {
		return math.NaN()
	}
	return *s.v
}

func storedValues(m map[string]stored) map[string]float64 {
	out := make(map[string]float64, len(m))
	for k, v := range m {
		out[k] = v.value()
	}
	return out
}

// storedEstimate is an estimate of a results file.
type storedEstimate struct {
	Mean     stored    `json:"mean"`
	CI95     []float64 `json:"ci95"`
	Warnings []string  `json:"warnings"`
}

func (e *storedEstimate) estimate(n int) stats.Estimate {
	out := stats.Estimate{N: n, Mean: e.Mean.value(), Warnings: e.Warnings}
	if len(e.CI95) == 2 {
		out.CI95 = &stats.Interval{Low: e.CI95[0], High: e.CI95[1]}
	}
	return out
}

type storedFile struct {
	Schema    string `json:"schema"`
	Generator string `json:"generator"`
	Grader    string `json:"grader"`
	Seed      int64  `json:"seed"`
	Split     string `json:"split"`
	Secret    string `json:"secret"`
	Bank      string `json:"bank"`
	Agent     struct {
		Name     string            `json:"name"`
		Settings map[string]string `json:"settings"`
	} `json:"agent"`
	Tasks   map[string]json.RawMessage `json:"tasks"`
	Source  *storedSource              `json:"source"`
	Columns map[string]*storedColumn   `json:"columns"`
	Limit   string                     `json:"limit"`
	Only    string                     `json:"only"`
	Meta    *storedMeta                `json:"meta"`
}

type storedMeta struct {
	Finished    string  `json:"finished"`
	WallSeconds float64 `json:"wall_seconds"`
	Version     string  `json:"version"`
	Workers     int     `json:"workers"`
}

type storedSource struct {
	Name     string   `json:"name"`
	Format   string   `json:"format"`
	Encoding string   `json:"encoding"`
	Tickets  int      `json:"tickets"`
	Skipped  int      `json:"skipped"`
	First    []string `json:"skipped_first"`
}

type storedColumn struct {
	N        int    `json:"n"`
	Accuracy stored `json:"accuracy"`
	MacroF1  stored `json:"macro_f1"`
	Ordered  bool   `json:"ordered"`
	Kappa    stored `json:"weighted_kappa"`
	Majority struct {
		Label    string `json:"label"`
		Of       string `json:"of"`
		Accuracy stored `json:"accuracy"`
	} `json:"majority"`
}

// ReadResults reads a results file; name is what messages call it. What the file holds of trials (reliability) and of single
// calls is left out. It is an error with CodeFiles if the file is none, is of another schema, or contradicts itself: it names the task,
// the value and what is allowed.
func ReadResults(r io.Reader, name string) (*Results, error) {
	refuse := func(err error) (*Results, error) {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: name + ": not a results file", Err: err}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxResults+1))
	if err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "read " + name, Err: err}
	}
	if len(data) > maxResults {
		return refuse(fmt.Errorf("it is longer than %d MiB", maxResults>>20))
	}
	var f storedFile
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &f); err != nil {
		return refuse(err)
	}
	switch {
	case f.Schema != Schema:
		return refuse(fmt.Errorf("schema %q is not %s", f.Schema, Schema))
	case f.Agent.Name == "":
		return refuse(errors.New("agent.name is missing"))
	case len(f.Tasks) == 0:
		return refuse(errors.New("it has no tasks"))
	}
	out := &Results{Generator: f.Generator, Grader: f.Grader, Seed: f.Seed, Split: triage.Split(f.Split), Secret: f.Secret, Bank: f.Bank,
		Agent: f.Agent.Name, Settings: f.Agent.Settings, Limit: f.Limit, Only: f.Only}
	if f.Meta != nil {
		out.Meta = &Meta{Finished: f.Meta.Finished, WallSeconds: f.Meta.WallSeconds, Version: f.Meta.Version, Workers: f.Meta.Workers}
	}
	for _, task := range slices.Sorted(maps.Keys(f.Tasks)) {
		if strings.ContainsFunc(task, unicode.IsControl) {
			return refuse(fmt.Errorf("task %q: the name of a task has no control characters", task))
		}
		s, err := readTask(task, f.Tasks[task], f.Source != nil)
		if err != nil {
			return refuse(fmt.Errorf("task %s: %w", task, err))
		}
		out.Tasks = append(out.Tasks, s)
	}
	SortTasks(out.Tasks)
	f.imported(out)
	return out, nil
}

// imported reads what only files of imported tickets have.
func (f *storedFile) imported(out *Results) {
	if f.Source == nil {
		return
	}
	out.Source = &SourceFile{Name: f.Source.Name, Format: f.Source.Format, Encoding: f.Source.Encoding, Tickets: f.Source.Tickets,
		Skipped: f.Source.Skipped, Errors: f.Source.First}
	for _, name := range slices.Sorted(maps.Keys(f.Columns)) {
		c := f.Columns[name]
		if c == nil {
			continue
		}
		out.Columns = append(out.Columns, ColumnSummary{Column: Column{Name: name, Ordered: c.Ordered, Majority: c.Majority.Label,
			MajorityOf: c.Majority.Of}, N: c.N, Accuracy: c.Accuracy.value(), MacroF1: c.MacroF1.value(), Kappa: c.Kappa.value(),
			MajorityShare: c.Majority.Accuracy.value()})
	}
}
