package openenv

import (
	"sort"
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// Metadata is what stands beside an observation: in most steps nothing.
type Metadata struct {
	Session  string // of an HTTP episode
	Handbook string // with the first observation, where the reset asked for it
	// Ignored are keys of the reset that are no options, with the first observation.
	Ignored []string
	Final   *Final // with the last observation
}

// Final are the figures of a finished episode. Rubrics are nil where the server is sealed.
type Final struct {
	Score, Efficiency float64
	Reward            *float64
	Ended             triage.Ended
	// Rubrics maps each graded part to its mean over the episode: the wire form of a tree of rubrics.
	Rubrics map[string]float64
}

// empty tells whether there is nothing to say.
func (m *Metadata) empty() bool {
	return m.Session == "" && m.Handbook == "" && len(m.Ignored) == 0 && m.Final == nil
}

// append writes the metadata as one object.
func (m *Metadata) append(e *triage.Encoder) {
	e.Buf = append(e.Buf, '{')
	comma := ""
	key := func(name string) {
		e.Buf = append(append(append(append(e.Buf, comma...), '"'), name...), `":`...)
		comma = ","
	}
	if m.Session != "" {
		key("session")
		e.String(m.Session)
	}
	if m.Handbook != "" {
		key("handbook")
		e.String(m.Handbook)
	}
	if len(m.Ignored) > 0 {
		key("ignored_options")
		e.Buf = append(e.Buf, Plain(m.Ignored)...)
	}
	if f := m.Final; f != nil {
		key("score")
		e.Float(f.Score)
		key("efficiency")
		e.Float(f.Efficiency)
		if f.Reward != nil {
			key("reward")
			e.Float(*f.Reward)
		}
		key("ended")
		e.String(string(f.Ended))
		if f.Rubrics != nil {
			key("rubrics")
			appendRubrics(e, f.Rubrics)
		}
	}
	e.Buf = append(e.Buf, '}')
}

func appendRubrics(e *triage.Encoder, rubrics map[string]float64) {
	names := make([]string, 0, len(rubrics))
	for name := range rubrics {
		names = append(names, name)
	}
	sort.Strings(names)
	e.Buf = append(e.Buf, '{')
	for i, name := range names {
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.String(name)
		e.Buf = append(e.Buf, ':')
		e.Float(rubrics[name])
	}
	e.Buf = append(e.Buf, '}')
}

// AppendObservation appends an observation with its metadata in front, as an envelope and a state hold it. Before a reset
// it is null.
func AppendObservation(buf []byte, o triage.Observation, m *Metadata) []byte {
	if o == (triage.Observation{}) {
		return append(buf, "null"...)
	}
	e := triage.Encoder{Buf: append(buf, `{"metadata":`...)}
	m.append(&e)
	at := len(e.Buf)
	e.Observation(o)
	e.Buf[at] = ',' // the brace that opens the observation's own fields
	return e.Buf
}

// AppendResult appends the envelope of a step or a reset. HTTP says "metadata": null where there is none, and a frame
// leaves the key out.
func AppendResult(buf []byte, r triage.StepResult, m *Metadata, http bool) []byte {
	buf = AppendObservation(append(buf, `{"observation":`...), r.Observation, m)
	e := triage.Encoder{Buf: append(buf, `,"reward":`...)}
	e.Float(r.Reward)
	e.Buf = strconv.AppendBool(append(e.Buf, `,"done":`...), r.Done)
	switch {
	case !m.empty():
		e.Buf = append(e.Buf, `,"metadata":`...)
		m.append(&e)
	case http:
		e.Buf = append(e.Buf, `,"metadata":null`...)
	}
	return append(e.Buf, '}')
}

// AppendResultFrame appends the frame that answers a step or a reset.
func AppendResultFrame(buf []byte, r triage.StepResult, m *Metadata) []byte {
	buf = append(buf, `{"type":"observation","data":`...)
	return append(AppendResult(buf, r, m, false), '}')
}

// State is a running episode as the wire shows it.
type State struct {
	triage.State
	Seed     *int64 // only if the client gave it
	Metadata *Metadata
}

// AppendState appends a state. Before a reset it has no episode, task, split and observation.
func AppendState(buf []byte, s *State) []byte {
	e := triage.Encoder{Buf: append(buf, `{"episode_id":`...)}
	orNull := func(v string) {
		if v == "" {
			e.Buf = append(e.Buf, "null"...)
		} else {
			e.String(v)
		}
	}
	orNull(s.EpisodeID)
	e.Buf = strconv.AppendInt(append(e.Buf, `,"step_count":`...), int64(s.StepCount), 10)
	e.Buf = append(e.Buf, `,"track":`...)
	e.String(string(s.Track))
	e.Buf = append(e.Buf, `,"task":`...)
	orNull(s.Task)
	e.Buf = append(e.Buf, `,"split":`...)
	orNull(string(s.Split))
	e.Buf = strconv.AppendBool(append(e.Buf, `,"done":`...), s.Done)
	if s.Seed != nil {
		e.Buf = strconv.AppendInt(append(e.Buf, `,"seed":`...), *s.Seed, 10)
	}
	e.Buf = append(e.Buf, `,"observation":`...)
	m := s.Metadata
	if m == nil {
		m = &Metadata{}
	}
	return append(AppendObservation(e.Buf, s.Observation, m), '}')
}

// AppendStateFrame appends the frame that answers a state request.
func AppendStateFrame(buf []byte, s *State) []byte {
	buf = append(buf, `{"type":"state","data":`...)
	return append(AppendState(buf, s), '}')
}
