package results

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Schema names the form of a results file.
const Schema = "triage.results/1"

// Results is everything that a results file holds of one agent.
type Results struct {
	Generator   string // the generator version, such as 1-9f3c2a…
	Grader      string // the version of the rules of grading, such as 1-5f0c2a91
	Seed        int64
	Split       triage.Split
	Secret      string // fingerprint, or empty
	Bank        string // "public", or the hash of a private one
	Agent       string
	Settings    map[string]string
	Tasks       []TaskSummary
	Columns     []ColumnSummary // imported tickets only
	Source      *SourceFile     // imported tickets only
	Limit, Only string          // what was left out of the tasks' episodes, as it was asked for
	Meta        *Meta           // nil leaves the block out
}

// SourceFile describes a file of imported tickets.
type SourceFile struct {
	Name, Format, Encoding string
	Tickets, Skipped       int
	Errors                 []string // the first of the skipped rows, with line and reason
}

// Meta is what differs between two runs of the same command.
type Meta struct {
	Finished    string // RFC 3339, UTC
	WallSeconds float64
	Version     string
	Workers     int
	Calls       map[string]*CallFigures // by task, of a model's calls; nil without a model
}

// number is a float in a results file: 6 decimals, null where it is not finite.
type number float64

// MarshalJSON renders the number.
func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return triage.AppendRounded(nil, v), nil
}

func notANumber() float64 { return math.NaN() }

// Write writes the results as JSON with sorted keys and floats of 6 decimals.
func (r *Results) Write(w io.Writer) error {
	tasks := map[string]any{}
	for i := range r.Tasks {
		tasks[r.Tasks[i].Task.Name] = r.Tasks[i].object()
	}
	o := OverallOf(r.Tasks)
	out := map[string]any{
		"schema": Schema, "generator": r.Generator, "grader": r.Grader, "seed": r.Seed, "split": r.Split, "secret": orNull(r.Secret), "bank": r.Bank,
		"agent": map[string]any{"name": r.Agent, "settings": orEmpty(r.Settings)},
		"tasks": tasks, "overall": map[string]any{"queue": number(o.Queue), "desk": number(o.Desk), "all": number(o.All)},
	}
	if r.Source != nil {
		out["source"] = map[string]any{"name": r.Source.Name, "format": r.Source.Format, "encoding": r.Source.Encoding,
			"tickets": r.Source.Tickets, "skipped": r.Source.Skipped, "skipped_first": append([]string{}, r.Source.Errors...)}
		out["columns"] = columnObjects(r.Columns)
		delete(out, "overall")
		out["generator"], out["grader"], out["split"], out["bank"], out["seed"] = nil, nil, nil, nil, nil
	}
	if r.Limit != "" {
		out["limit"] = r.Limit
	}
	if r.Only != "" {
		out["only"] = r.Only
	}
	if r.Meta != nil {
		out["meta"] = r.Meta.object()
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	return nil
}

func (m *Meta) object() map[string]any {
	out := map[string]any{"finished": m.Finished, "wall_seconds": number(m.WallSeconds), "version": m.Version, "workers": m.Workers}
	if len(m.Calls) > 0 {
		calls, all := map[string]any{}, CallFigures{}
		for _, task := range slices.Sorted(maps.Keys(m.Calls)) {
			calls[task] = m.Calls[task].object()
			all.Join(m.Calls[task])
		}
		out["calls"], out["calls_in_all"] = calls, all.object()
	}
	return out
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// object is the form of a task in the file.
func (s *TaskSummary) object() map[string]any {
	out := map[string]any{
		"n": s.N, "errors": s.Errors, "refused": s.Refused, "score": estimate(s.Score), "reward": number(s.Reward),
		"efficiency": number(s.Efficiency), "success_rate": number(s.SuccessRate), "parts": numbers(s.Parts),
		"accuracy": numbers(s.Exact), "target": number(s.Task.Target), "pass": s.Pass, "floor": nil,
	}
	if s.Errors > 0 {
		out["score_with_errors"] = estimate(s.WithErrors)
	}
	if s.Model != nil {
		out["model"] = s.Model.object()
	}
	if s.Reliability != nil {
		out["reliability"] = s.Reliability
	}
	if s.Cost != nil {
		out["cost"] = s.Cost.object()
	}
	if s.Confidence != nil {
		out["confidence"] = s.Confidence.object()
	}
	if s.Task.Track == triage.Queue {
		out["route_accuracy"] = number(s.Exact["route"])
	}
	if s.Task.Track == triage.Dataset {
		for _, k := range []string{"target", "pass", "efficiency", "success_rate", "parts", "accuracy"} {
			delete(out, k)
		}
	}
	if f := s.Floor; f != nil {
		out["floor"] = map[string]any{"agent": f.Agent, "score": number(f.Score)}
		if f.Agent == "" {
			out["floor"] = nil
			out["floor_reason"] = f.Reason
		}
	}
	if s.Task.Track != triage.Dataset {
		seeds := make([]seedObject, len(s.Seeds))
		for i, x := range s.Seeds {
			seeds[i] = seedObject{Efficiency: number(x.Efficiency), Score: number(x.Score), Seed: x.Seed, Trial: x.Trial}
			if x.Position >= 0 {
				seeds[i].Position = &s.Seeds[i].Position
			}
		}
		out["seeds"] = seeds
		if s.Answers != "" {
			out["answers"] = s.Answers
		}
		if s.Broken != nil {
			out["broken"] = brokenObjects(s.Broken)
		}
	}
	return out
}

// playingObject has its fields in the order of their names.
type playingObject struct {
	Position *int32 `json:"position,omitempty"`
	Seed     int64  `json:"seed"`
	Trial    int16  `json:"trial,omitempty"`
}

func brokenObjects(list []Playing) []playingObject {
	out := make([]playingObject, len(list))
	for i, p := range list {
		out[i] = playingObject{Seed: p.Seed, Trial: p.Trial}
		if p.Position >= 0 {
			out[i].Position = &list[i].Position
		}
	}
	return out
}

// seedObject has its fields in the order of their names, as everything in the file.
type seedObject struct {
	Efficiency number `json:"efficiency"`
	Position   *int32 `json:"position,omitempty"`
	Score      number `json:"score"`
	Seed       int64  `json:"seed"`
	Trial      int16  `json:"trial,omitempty"`
}

func estimate(e stats.Estimate) map[string]any {
	out := map[string]any{"mean": number(e.Mean), "ci95": nil}
	if e.CI95 != nil {
		out["ci95"] = []number{number(e.CI95.Low), number(e.CI95.High)}
	}
	if len(e.Warnings) > 0 {
		out["warnings"] = e.Warnings
	}
	return out
}

func numbers(m map[string]float64) map[string]number {
	out := make(map[string]number, len(m))
	for k, v := range m {
		out[k] = number(v)
	}
	return out
}

func columnObjects(list []ColumnSummary) map[string]any {
	out := map[string]any{}
	for i := range list {
		c := &list[i]
		o := map[string]any{"n": c.N, "accuracy": number(c.Accuracy), "macro_f1": number(c.MacroF1), "ordered": c.Ordered,
			"values": len(c.Values), "weighted_kappa": number(c.Kappa),
			"majority": map[string]any{"label": c.Majority, "of": c.MajorityOf, "accuracy": number(c.MajorityShare)}}
		out[c.Name] = o
	}
	return out
}

// SortTasks puts summaries into the order in which tables print tasks.
func SortTasks(list []TaskSummary) {
	rank := map[string]int{}
	for i, t := range triage.Tasks() {
		rank[t.Name] = i
	}
	sort.SliceStable(list, func(i, j int) bool { return rank[list[i].Task.Name] < rank[list[j].Task.Name] })
}
