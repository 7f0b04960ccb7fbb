package openenv

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// golden compares JSON with a committed file, spread over lines so that changes can be read.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, text, "", " "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	testkit.Golden(t, filepath.Join("testdata", filepath.FromSlash(name)), got.Bytes())
}

// resolved reads a schema that may refer to itself only.
func resolved(t testing.TB, text []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("resolve %s: %v", text, err)
	}
	return r
}

// served are the schemas of GET /schema by name.
func served(t testing.TB, track triage.Track) map[string]*jsonschema.Resolved {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(Schemas(track), &body); err != nil {
		t.Fatal(err)
	}
	out := map[string]*jsonschema.Resolved{}
	for name, text := range body {
		out[name] = resolved(t, text)
	}
	return out
}

func decoded(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestSchemasAreFourObjectsThatValidatorsCanTake(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		body := Schemas(track)
		golden(t, "schema/"+string(track)+".json", body)
		if len(body) > 1<<20 {
			t.Errorf("%s: %d bytes; a validator reads at most 1 MiB", track, len(body))
		}
		if bytes.Contains(body, []byte(`"$ref"`)) {
			t.Errorf("%s: a reference; a validator follows only local ones, and none are needed", track)
		}
		names := map[string]bool{}
		for name := range served(t, track) {
			names[name] = true
		}
		if diff := cmp.Diff(map[string]bool{"action": true, "observation": true, "state": true, "reset_observation": true}, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", track, diff)
		}
		if !bytes.Contains(body, []byte("9223372036854775807")) || bytes.Contains(body, []byte("922337203685477600")) {
			t.Errorf("%s: the largest seed is not exact", track)
		}
	}
}

func TestSchemasOfAnUnservedTrackAreAMistakeOfTheProgram(t *testing.T) {
	t.Parallel()
	defer func() {
		if text, ok := recover().(string); !ok || !strings.Contains(text, `"tickets"`) {
			t.Errorf("the panic does not name the track: %v", text)
		}
	}()
	ActionSchema(triage.Dataset)
}

var bank = sync.OnceValues(scenario.Embedded)

// environment makes a real environment of a task.
func environment(t testing.TB, task triage.Task) env.Grading {
	t.Helper()
	b, err := bank()
	if err != nil {
		t.Fatal(err)
	}
	e, err := env.New(task, triage.Train, func(split triage.Split) (env.Source, error) { return synth.New(b, task, split, nil) })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answers are a right, an empty and a half answer, one after another.
func answers(t *testing.T, e env.Grading, task triage.Task, step int) triage.Action {
	t.Helper()
	truth, ok := e.Truth()
	a := triage.Action{Track: task.Track}
	switch {
	case !ok:
		t.Fatal("no truth")
	case step%3 == 1:
	case truth.Queue != nil:
		a.Queue = triage.QueueAction{Route: truth.Queue.Route, Urgency: triage.UrgencyLow, Difficulty: truth.Queue.Difficulty, Priority: triage.IntOf(truth.Queue.Priority)}
	case truth.Desk != nil && step == 0:
		a.Desk.Category = truth.Desk.Category
	case truth.Desk != nil:
		a.Desk = triage.DeskAction{Category: truth.Desk.Category, Priority: truth.Desk.Priority, UrgencyDays: triage.IntOf(1), Department: truth.Desk.Department,
			Recommendation: "Look at it."}
	}
	return a
}

// wire is what was sent: the envelope, and the state beside it.
type wire struct {
	first           bool
	envelope, state []byte
}

// played plays an episode and gives what a server would send, over HTTP and in frames, sealed or not.
func played(t *testing.T, task triage.Task, seed int64, sealed bool) []wire {
	t.Helper()
	e := environment(t, task)
	var out []wire
	send := func(r triage.StepResult, m *Metadata) {
		s := State{State: e.State(), Metadata: m, Seed: &seed}
		if o := r.Observation.Queue; sealed && o != nil {
			hidden := *o
			hidden.Stats, hidden.LastResult = nil, nil
			r.Observation.Queue, s.Observation.Queue = &hidden, &hidden
		}
		for _, http := range []bool{true, false} {
			out = append(out, wire{len(out) < 2, AppendResult(nil, r, m, http), AppendState(nil, &s)})
		}
	}
	r, err := e.Reset(t.Context(), triage.ResetOptions{Seed: seed, EpisodeID: "episode"})
	if err != nil {
		t.Fatal(err)
	}
	send(r, &Metadata{Session: strings.Repeat("0f", 16), Handbook: "# Handbook"})
	for step := 0; !r.Done; step++ {
		if r, err = e.Step(t.Context(), answers(t, e, task, step)); err != nil {
			t.Fatal(err)
		}
		m := &Metadata{}
		if summary, ok := e.Summary(); ok {
			m.Final = &Final{Score: summary.Score, Efficiency: summary.Efficiency, Ended: triage.EndedComplete}
			if summary.Truncated {
				m.Final.Ended = triage.EndedTruncated
			}
			if !sealed {
				m.Final.Reward, m.Final.Rubrics = &summary.Reward, map[string]float64{"route": 0.5}
			}
		}
		send(r, m)
	}
	return out
}

// merged puts reward and done into an observation, as validators do.
func merged(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var in struct {
		Observation map[string]any `json:"observation"`
		Reward      any            `json:"reward"`
		Done        any            `json:"done"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	in.Observation["reward"], in.Observation["done"] = in.Reward, in.Done
	return in.Observation
}

func TestWhatEnvironmentsSendSatisfiesTheSchemas(t *testing.T) {
	t.Parallel()
	for _, task := range triage.Tasks() {
		for _, sealed := range []bool{false, true} {
			t.Run(task.Name, func(t *testing.T) {
				t.Parallel()
				schemas := served(t, task.Track)
				for seed := range int64(3) {
					for _, w := range played(t, task, seed, sealed) {
						for name, value := range map[string]any{"observation": merged(t, w.envelope), "state": decoded(t, w.state)} {
							if w.first && name == "observation" {
								name = "reset_observation"
							}
							if err := schemas[name].Validate(value); err != nil {
								t.Fatalf("%s: %v in %s", name, err, w.envelope)
							}
						}
					}
				}
			})
		}
	}
}

// strict decodes a value into a type that describes the wire and encodes it again: what the type does not know is an error, and
// what it knows beyond the wire shows in the comparison.
func strict(t *testing.T, text []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%T: %v in %s", into, err, text)
	}
	if diff := cmp.Diff(decoded(t, text), decoded(t, Plain(into))); diff != "" {
		t.Errorf("%T (-sent +described):\n%s", into, diff)
	}
}

func TestTheDescribedTypesAreTheWire(t *testing.T) {
	t.Parallel()
	for _, task := range triage.Tasks() {
		for _, w := range played(t, task, 42, false) {
			one := Plain(merged(t, w.envelope))
			switch {
			case task.Track == triage.Queue && w.first:
				strict(t, one, new(queueFirst))
			case task.Track == triage.Queue:
				strict(t, one, new(queueMerged))
			case w.first:
				strict(t, one, new(deskFirst))
			default:
				strict(t, one, new(deskMerged))
			}
			if task.Track == triage.Queue {
				strict(t, w.state, new(stateOf[queueShown]))
			} else {
				strict(t, w.state, new(stateOf[deskShown]))
			}
		}
	}
}

func TestAStateBeforeAResetSatisfiesItsSchema(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		blank := AppendState(nil, &State{State: triage.State{Track: track}})
		if err := served(t, track)["state"].Validate(decoded(t, blank)); err != nil {
			t.Errorf("%s: %v in %s", track, err, blank)
		}
	}
}

func TestSchemasRefuseWhatIsNoObservation(t *testing.T) {
	t.Parallel()
	task, err := triage.TaskFor(triage.Queue, triage.Easy)
	if err != nil {
		t.Fatal(err)
	}
	sent := played(t, task, 1, false)
	schema := served(t, triage.Queue)["observation"]
	for name, spoil := range map[string]func(o map[string]any){
		"a leak beside the fields":  func(o map[string]any) { o["truth"] = "spam" },
		"a leak inside the ticket":  func(o map[string]any) { o["ticket"].(map[string]any)["route_category"] = "spam" },
		"a leak inside the result":  func(o map[string]any) { o["last_result"].(map[string]any)["why"] = "spam is right" },
		"a missing field":           func(o map[string]any) { delete(o, "remaining") },
		"a missing reward":          func(o map[string]any) { delete(o, "reward") },
		"a word that is none":       func(o map[string]any) { o["task"] = "queue-harder" },
		"a number out of its range": func(o map[string]any) { o["stats"].(map[string]any)["mean_reward"] = 1.5 },
		"a number of another kind":  func(o map[string]any) { o["position"] = 0.5 },
		"null for a text":           func(o map[string]any) { o["message"] = nil },
		"an id that tells":          func(o map[string]any) { o["ticket"].(map[string]any)["ticket_id"] = "TKT-spam-1" },
	} {
		o := merged(t, sent[2].envelope)
		if err := schema.Validate(o); err != nil {
			t.Fatal(err)
		}
		if spoil(o); schema.Validate(o) == nil {
			t.Errorf("%s is allowed", name)
		}
	}
}

func TestTheFieldsOfActionsAreTheirNamesInThePackageTriage(t *testing.T) {
	t.Parallel()
	for track, want := range map[triage.Track][]string{
		triage.Queue: {triage.FieldRoute, triage.FieldUrgency, triage.FieldDifficulty, triage.FieldPriorityScore, triage.FieldConfidence, "metadata"},
		triage.Desk: {triage.FieldCategory, triage.FieldPriority, triage.FieldUrgencyDays, triage.FieldDepartment, triage.FieldRecommendation,
			triage.FieldConfidence, "metadata"},
	} {
		if diff := cmp.Diff(want, schemasOf(track).action.PropertyOrder); diff != "" {
			t.Errorf("%s (-want +got):\n%s", track, diff)
		}
	}
}

func TestWordsComeFromThePackageTriage(t *testing.T) {
	t.Parallel()
	v := words(triage.Desk)
	for kind, want := range map[reflect.Type]int{
		reflect.TypeFor[triage.Route](): len(triage.Routes()), reflect.TypeFor[triage.Urgency](): len(triage.Urgencies()),
		reflect.TypeFor[triage.Resolution](): len(triage.Resolutions()), reflect.TypeFor[triage.Category](): len(triage.Categories()),
		reflect.TypeFor[triage.Priority](): len(triage.Priorities()), reflect.TypeFor[triage.Department](): len(triage.Departments()),
		reflect.TypeFor[triage.Tier](): len(triage.Tiers()), reflect.TypeFor[triage.Difficulty](): len(triage.Difficulties()),
		reflect.TypeFor[triage.Split](): len(triage.Splits()), reflect.TypeFor[picked](): len(triage.Routes()) + 1, reflect.TypeFor[taskName](): 3,
	} {
		if s := v[kind]; s == nil || len(s.Enum) != want {
			t.Errorf("%s: %v, want %d words", kind, s, want)
		}
	}
}

func TestToolsTakeTheirArgumentsAndNoOthers(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		schemas := ToolSchemas(track)
		if len(schemas) != len(Tools()) {
			t.Errorf("%s: %d schemas for %d tools", track, len(schemas), len(Tools()))
		}
		for _, name := range Tools() {
			s := resolved(t, schemas[name])
			if err := s.Validate(map[string]any{}); err != nil {
				t.Errorf("%s %s: no arguments are refused: %v", track, name, err)
			}
			if s.Validate(map[string]any{"seed": 1.0}) == nil {
				t.Errorf("%s %s: an unknown argument is allowed", track, name)
			}
			if s.Schema().Type != "object" {
				t.Errorf("%s %s: the schema does not say that arguments are an object", track, name)
			}
		}
		var submit, action jsonschema.Schema
		if err := json.Unmarshal(schemas[ToolSubmit], &submit); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(ActionSchema(track), &action); err != nil {
			t.Fatal(err)
		}
		delete(action.Properties, "metadata")
		if diff := cmp.Diff(decoded(t, Plain(action.Properties)), decoded(t, Plain(submit.Properties))); diff != "" {
			t.Errorf("%s: submit_triage does not take an action (-want +got):\n%s", track, diff)
		}
	}
}
