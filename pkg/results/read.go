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
	Tasks   map[string]*storedTask   `json:"tasks"`
	Source  *storedSource            `json:"source"`
	Columns map[string]*storedColumn `json:"columns"`
	Limit   string                   `json:"limit"`
	Only    string                   `json:"only"`
	Meta    *storedMeta              `json:"meta"`
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

type storedTask struct {
	N           int               `json:"n"`
	Errors      int               `json:"errors"`
	Refused     int               `json:"refused"`
	Score       storedEstimate    `json:"score"`
	WithErrors  *storedEstimate   `json:"score_with_errors"`
	Reward      stored            `json:"reward"`
	Efficiency  stored            `json:"efficiency"`
	SuccessRate stored            `json:"success_rate"`
	Parts       map[string]stored `json:"parts"`
	Exact       map[string]stored `json:"accuracy"`
	Pass        bool              `json:"pass"`
	Floor       *struct {
		Agent string `json:"agent"`
		Score stored `json:"score"`
	} `json:"floor"`
	FloorReason string       `json:"floor_reason"`
	Model       *storedModel `json:"model"`
	Seeds       []struct {
		Seed       int64  `json:"seed"`
		Position   *int32 `json:"position"`
		Trial      int16  `json:"trial"`
		Score      stored `json:"score"`
		Efficiency stored `json:"efficiency"`
	} `json:"seeds"`
}

type storedModel struct {
	Decisions    int            `json:"decisions"`
	Stages       map[string]int `json:"stages"`
	Causes       map[string]int `json:"causes"`
	Coerced      int            `json:"coerced"`
	Reasked      int            `json:"reasked"`
	Calls        int            `json:"calls"`
	In           *int64         `json:"tokens_in"`
	Out          *int64         `json:"tokens_out"`
	Cached       *int64         `json:"tokens_cached"`
	Reasoning    *int64         `json:"tokens_reasoning"`
	Cost         *int64         `json:"cost_nano_usd"`
	Strict       storedEstimate `json:"strict_score"`
	Served       map[string]int `json:"served"`
	Fingerprints map[string]int `json:"fingerprints"`
}

// ReadResults reads a results file; name is what messages call it. What the file holds of trials (reliability) and of single
// calls is left out. It is an error with CodeFiles if the file is none, or is of another schema.
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
		if f.Tasks[task] == nil {
			return refuse(fmt.Errorf("task %s is null", task))
		}
		s, err := f.Tasks[task].summary(task)
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

func (s *storedTask) summary(name string) (TaskSummary, error) {
	if s.N < 0 || s.Errors < 0 || s.Refused < 0 {
		return TaskSummary{}, errors.New("n, errors and refused cannot be negative")
	}
	out := TaskSummary{Task: taskNamed(name), N: s.N, Errors: s.Errors, Refused: s.Refused, Score: s.Score.estimate(s.N), Reward: s.Reward.value(),
		Efficiency: s.Efficiency.value(), SuccessRate: s.SuccessRate.value(), Parts: storedValues(s.Parts), Exact: storedValues(s.Exact), Pass: s.Pass}
	out.WithErrors = out.Score
	if s.WithErrors != nil {
		out.WithErrors = s.WithErrors.estimate(s.N + s.Errors)
	}
	switch {
	case s.Floor != nil:
		out.Floor = &Floor{Agent: s.Floor.Agent, Score: s.Floor.Score.value()}
	case s.FloorReason != "":
		out.Floor = &Floor{Reason: s.FloorReason}
	}
	if s.Model != nil {
		out.Model = s.Model.figures()
	}
	for _, x := range s.Seeds {
		v := x.Score.value()
		if !(v >= 0 && v <= 1) {
			return out, fmt.Errorf("seed %d: score %v is not from 0 to 1", x.Seed, v)
		}
		seed := Seed{Seed: x.Seed, Position: -1, Trial: x.Trial, Score: v, Efficiency: x.Efficiency.value()}
		if x.Position != nil {
			seed.Position = *x.Position
		}
		out.Seeds = append(out.Seeds, seed)
	}
	return out, nil
}

func (m *storedModel) figures() *ModelFigures {
	total := func(v *int64) Total {
		if v == nil {
			return Total{Unknown: 1}
		}
		return Total{Sum: *v}
	}
	return &ModelFigures{Decisions: m.Decisions, Stages: m.Stages, Causes: m.Causes, Coerced: m.Coerced, Reasked: m.Reasked, Calls: m.Calls,
		Served: m.Served, Fingerprints: m.Fingerprints, In: total(m.In), Out: total(m.Out), Cached: total(m.Cached), Reasoning: total(m.Reasoning),
		Cost: total(m.Cost), Strict: m.Strict.estimate(m.Decisions)}
}
