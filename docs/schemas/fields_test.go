package schemas_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// usual are values for types and fields of which not every value is allowed.
var usual = map[string]any{
	"triage.Task":            triage.Task{Name: "queue-hard", Track: triage.Queue, Difficulty: triage.Hard, Target: 0.5},
	"triage.Int":             triage.IntOf(3),
	"triage.Split":           triage.Train,
	"triage.Difficulty":      triage.Hard,
	"triage.Ended":           triage.EndedComplete,
	"triage.Route":           triage.Billing,
	"triage.Urgency":         triage.UrgencyHigh,
	"triage.Resolution":      triage.ResolutionEasy,
	"triage.Category":        triage.Bug,
	"triage.Priority":        triage.PriorityHigh,
	"triage.Department":      triage.Product,
	"triage.Severity":        triage.Blocked,
	"triage.Impact":          triage.Team,
	"triage.Deadline":        triage.Days,
	"triage.Effort":          triage.CrossTeam,
	"triage.Stake":           triage.Contract,
	"triage.Tier":            triage.Pro,
	"triage.Why":             triage.Why{Code: triage.WhyExact, Got: "billing", Want: "billing"},
	"triage.Confidence":      triage.Confidence{Answer: triage.ShareOf(0.5)},
	"Results.Generator":      "2-0123456789ab",
	"Results.Grader":         "1-01234567",
	"Results.Secret":         "01234567",
	"Results.Bank":           "public",
	"Meta.Finished":          "2026-01-02T03:04:05Z",
	"Total.Unknown":          0,
	"Column.MajorityOf":      "train",
	"TaskSummary.Answers":    "0123456789abcdef",
	"TaskReliability.Trials": 2,
	"Reply.Stage":            "exact",
	"Reply.Cause":            "truncated",
	"Reply.Before":           []triage.Reply{{Stage: "none", Cause: "schema", Text: "x"}},
	"Step.Error":             "",
	"Episode.Error":          "",
	"Action.Raw":             json.RawMessage(nil),
	"Header.Schema":          importer.SchemaTickets,
	"Header.Split":           "time",
	"Line.Split":             "test",
	"Line.Created":           "2026-01-02T03:04:05Z",
	"Metadata.Channel":       "email",
	"QueueTruth.Secondary":   triage.Feature,
	"DeskTruth.UrgencyDays":  2,
	"DeskAction.UrgencyDays": triage.IntOf(2),
	"QueueResult.Parts":      []triage.Part{{Name: "route", Value: 0.5, Weight: 0.4}},
	"stats.Interval":         stats.Interval{Low: 0.25, High: 0.75},
}

// filler gives every exported field a value that is not its zero, so that all that can be written is.
type filler struct {
	t    *testing.T
	used map[string]bool // of usual
}

func (f *filler) fill(v reflect.Value, name string) {
	for _, key := range []string{name, v.Type().String()} {
		if x, ok := usual[key]; ok {
			f.used[key] = true
			v.Set(reflect.ValueOf(x))
			return
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				f.fill(v.Field(i), v.Type().Name()+"."+field.Name)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), "")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), "")
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, "")
		f.fill(value, "")
		v.SetMapIndex(key, value)
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), "")
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint64:
		v.Set(reflect.ValueOf(1).Convert(v.Type()))
	default:
		f.t.Fatalf("%s, a %s, cannot be filled: say how", name, v.Type())
	}
}

func filled[T any](f *filler) *T {
	f.t.Helper()
	out := new(T)
	f.fill(reflect.ValueOf(out).Elem(), "")
	return out
}

// TestAFieldThatIsAddedToAStructAndWrittenIsInTheSchema: everything that the structs of results can hold is set and written; the schemas
// take no field that they do not have.
func TestAFieldThatIsAddedToAStructAndWrittenIsInTheSchema(t *testing.T) {
	t.Parallel()
	for _, d := range filledDocuments(t) {
		takes(t, d.kind, d.name, d.data)
	}
}

func filledDocuments(t *testing.T) []document {
	t.Helper()
	f := &filler{t, map[string]bool{}}
	out := append(filledResults(t, f), filledEpisodes(f)...)
	marshal := func(kind, name string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, document{kind, name, data})
	}
	marshal("calls", "a call", filled[results.Call](f))
	marshal("tickets", "a header", filled[importer.Header](f))
	marshal("tickets", "a ticket of a file", filled[importer.Line](f))
	truth := filled[triage.Truth](f)
	truth.Labels = nil // of imported tickets
	marshal("generated", "a generated ticket", map[string]any{"ticket": filled[triage.QueueTicket](f), "truth": truth, "facts": filled[triage.Facts](f)})
	for key := range usual {
		if !f.used[key] {
			t.Errorf("%s is not needed any more: take it off the list", key)
		}
	}
	return out
}

func filledResults(t *testing.T, f *filler) []document {
	t.Helper()
	var out []document
	for _, task := range append(triage.Tasks(), triage.Task{Name: "tickets", Track: triage.Dataset}) {
		r := filled[results.Results](f)
		s := &r.Tasks[0]
		s.Task, s.Parts, s.Exact = task, map[string]float64{}, map[string]float64{}
		for _, p := range results.PartNames(task) {
			s.Parts[p], s.Exact[p] = 0.5, 0.25
		}
		if task.Track != triage.Dataset {
			r.Source, r.Columns = nil, nil
		}
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		out = append(out, document{"results", "results of " + task.Name, b.Bytes()})
	}
	return out
}

func filledEpisodes(f *filler) []document {
	var out []document
	for _, track := range []triage.Track{triage.Queue, triage.Desk, triage.Dataset} {
		ep := filled[triage.Episode](f)
		s := &ep.Steps[0]
		s.Action.Track = track
		ep.Key.Task = string(track)
		switch track {
		case triage.Queue:
			ep.Key.Task, s.Observation.Desk, s.Observation.Dataset = "queue-hard", nil, nil
		case triage.Desk:
			ep.Key.Task, s.Observation.Queue, s.Observation.Dataset = "desk-hard", nil, nil
		case triage.Dataset:
			s.Observation.Queue, s.Observation.Desk = nil, nil
		}
		e := triage.Encoder{Round: true}
		e.Episode(ep)
		step := triage.Encoder{Round: true}
		step.Step(ep.Key, 1, s)
		out = append(out, document{"episode", "an episode of " + string(track), e.Buf}, document{"journal", "a step of " + string(track), step.Buf})
	}
	return out
}

// TestEveryPropertyOfTheSchemasIsWritten: a schema that has fields that nobody writes says too much.
func TestEveryPropertyOfTheSchemasIsWritten(t *testing.T) {
	t.Parallel()
	roots, seen := map[string]any{}, map[string]bool{}
	for _, kind := range kinds(t) {
		roots[kind] = read(t, kind)
	}
	w := walker{roots: roots, seen: seen}
	for _, d := range slices.Concat(written(t), filledDocuments(t)) {
		var v any
		if err := json.Unmarshal(d.data, &v); err != nil {
			t.Fatal(err)
		}
		w.walk(d.kind, d.kind, v)
	}
	for _, kind := range kinds(t) {
		walkObjects(kind, roots[kind], func(place string, o map[string]any) {
			properties, _ := o["properties"].(map[string]any)
			if strings.Contains(place, "/then") || strings.Contains(place, "/else") || strings.Contains(place, "/if") || strings.Contains(place, "allOf") {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(properties)) {
				if !seen[place+"/properties/"+name] {
					t.Errorf("nothing that was written has %s of %s", name, place)
				}
			}
		})
	}
}
