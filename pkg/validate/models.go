package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// recorded are played episodes of a task: the random agent's, and one of right answers.
func (b *bench) recorded(ctx context.Context, episodes int) ([]*triage.Episode, error) {
	var out []*triage.Episode
	for _, name := range []string{"random", "oracle"} {
		for i := range episodes {
			ep, err := b.episode(ctx, name, b.seed+int64(i), triage.ResetOptions{})
			if err != nil {
				return out, err
			}
			out = append(out, ep)
		}
	}
	return out, nil
}

// episode plays an episode with an agent in an environment of its own.
func (b *bench) episode(ctx context.Context, agent string, seed int64, opts triage.ResetOptions) (*triage.Episode, error) {
	e, err := b.NewEnv(b.task, split)
	if err != nil {
		return nil, err
	}
	a, err := b.NewAgent(agent)
	if err != nil {
		return nil, err
	}
	ep, err := b.Play(ctx, e, a, triage.Key{Agent: agent, Task: b.task.Name, Seed: seed}, opts)
	if err == nil && ep.Score == nil {
		err = errors.New(ep.Error)
	}
	return ep, err
}

// modelEpisodes is how many episodes of an agent the models are held against.
const modelEpisodes = 3

// checkModels sends observations and actions through JSON and back, and holds them against the schemas.
func checkModels(ctx context.Context, b *bench) []triage.Check {
	trip := b.claim("round-trip", "observations and actions through JSON and back", "the same value and the same bytes, no unknown field")
	episodes, err := b.recorded(ctx, modelEpisodes)
	if err != nil {
		trip.against("%v", err)
	}
	values := 0
	for _, ep := range episodes {
		for _, s := range ep.Steps {
			values += 2
			if err := b.observationTrip(s.Observation); err != nil {
				trip.against("an observation: %v", err)
			}
			if err := b.actionTrip(s.Action); err != nil {
				trip.against("an action: %v", err)
			}
		}
	}
	return []triage.Check{trip.done("%d values", values), b.checkSchemas(ctx)}
}

var (
	errOtherValue = errors.New("another value comes back")
	errOtherBytes = errors.New("other bytes come back")
)

func (b *bench) observationTrip(o triage.Observation) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	back, err := triage.DecodeObservation(b.task.Track, data)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(o, back) {
		return errOtherValue
	}
	again, err := json.Marshal(back)
	if err != nil {
		return err
	}
	if !bytes.Equal(data, again) {
		return errOtherBytes
	}
	var strict any = &triage.QueueObservation{}
	if b.task.Track == triage.Desk {
		strict = &triage.DeskObservation{}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(strict)
}

func (b *bench) actionTrip(a triage.Action) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	back, err := triage.ParseAction(b.task.Track, data, nil)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(a, back) {
		return errOtherValue
	}
	return nil
}

// shown are the schemas of a track by name.
func shownSchemas(track triage.Track) (map[string]*schema, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(openenv.Schemas(track), &raw); err != nil {
		return nil, err
	}
	out := map[string]*schema{}
	for name, text := range raw {
		s, err := compileSchema(text)
		if err != nil {
			return nil, err
		}
		out[name] = s
	}
	return out, nil
}

// checkSchemas holds what goes over the wire against the schemas that a server publishes.
func (b *bench) checkSchemas(ctx context.Context) triage.Check {
	c := b.claim("schemas", "envelopes, states and actions as they are sent", "valid by the published schemas of draft 2020-12")
	schemas, err := shownSchemas(b.task.Track)
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	values := 0
	hold := func(name string, data []byte) {
		values++
		v, err := decode(data)
		if err == nil && schemas[name] == nil {
			err = errors.New("there is no such schema")
		}
		if err == nil {
			err = schemas[name].problems(merged(v))
		}
		if err != nil {
			c.against("%s: %v", name, err)
		}
	}
	for seed := b.seed; seed < b.seed+modelEpisodes; seed++ {
		if err := b.sent(ctx, seed, hold); err != nil {
			c.against("seed %d: %v", seed, err)
		}
	}
	return c.done("%d values", values)
}

// sent plays an episode of the random agent and gives all that a server would send and be sent, by the schema's name.
func (b *bench) sent(ctx context.Context, seed int64, hold func(schema string, data []byte)) error {
	a, err := b.NewAgent("random")
	if err != nil {
		return err
	}
	e, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed})
	if err != nil {
		return err
	}
	state := func(m *openenv.Metadata) {
		hold("state", openenv.AppendState(nil, &openenv.State{State: e.State(), Seed: &seed, Metadata: m}))
	}
	meta := &openenv.Metadata{Handbook: b.Handbook}
	hold("reset_observation", openenv.AppendResult(nil, r, meta, false))
	state(meta)
	for i := 0; !r.Done && i < b.task.MaxSteps; i++ {
		act, err := a.Act(ctx, r.Observation)
		if err != nil {
			return err
		}
		data, err := json.Marshal(act)
		if err != nil {
			return err
		}
		hold("action", data)
		if r, err = e.Step(ctx, act); err != nil {
			return err
		}
		meta = &openenv.Metadata{}
		if r.Done {
			meta.Final = finalOf(e)
		}
		hold("observation", openenv.AppendResult(nil, r, meta, false))
		state(meta)
	}
	return nil
}

// finalOf are the figures of a finished episode as a server sends them.
func finalOf(e triage.Env) *openenv.Final {
	s := summaryOf(e)
	f := &openenv.Final{Score: s.Score, Efficiency: s.Efficiency, Reward: &s.Reward, Ended: triage.EndedComplete, Rubrics: map[string]float64{}}
	if s.Truncated {
		f.Ended = triage.EndedTruncated
	}
	if g, ok := e.(triage.Grader); ok && g.LastScore() != nil {
		for _, p := range g.LastScore().Parts {
			f.Rubrics[p.Name] = p.Value
		}
	}
	return f
}

// merged puts reward and done of an envelope into its observation, as the schemas describe it. Other values stay as they are.
func merged(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	o, ok := m["observation"].(map[string]any)
	_, envelope := m["done"]
	_, paid := m["reward"]
	if !ok || !envelope || !paid {
		return v
	}
	out := make(map[string]any, len(o)+2)
	for key, value := range o {
		out[key] = value
	}
	out["reward"], out["done"] = m["reward"], m["done"]
	return out
}
