package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// rater is somebody who gave labels to tickets: a person, an agent, a column of a file, or the truth.
type rater struct {
	name   string // in tables
	source string // where the labels come from, for messages
	// units are the tickets in the order in which they came; answers has by field and ticket what was answered, "" for no answer.
	units   []string
	seen    map[string]bool
	names   map[string]string // of tickets, where people call them otherwise
	fields  []string
	answers map[string]map[string]string
}

func newRater(name, source string) *rater {
	return &rater{name: name, source: source, seen: map[string]bool{}, names: map[string]string{}, answers: map[string]map[string]string{}}
}

// put notes the answer to a field of a ticket.
func (r *rater) put(unit, field, answer string) {
	if !r.seen[unit] {
		r.seen[unit] = true
		r.units = append(r.units, unit)
	}
	if r.answers[field] == nil {
		r.answers[field] = map[string]string{}
		r.fields = append(r.fields, field)
	}
	r.answers[field][unit] = answer
}

// fieldText is a part that is a text: nobody agrees on one.
const fieldText = "recommendation"

// unitOf names a ticket of an episode.
func unitOf(k triage.Key, step int) string {
	t, err := triage.TaskByName(k.Task)
	if err != nil || t.Track != triage.Queue {
		step = 0
	}
	return k.Task + ":" + strconv.FormatInt(k.Seed, 10) + ":" + strconv.Itoa(step+k.Position.Value)
}

// fieldOf names a part of a task: parts of both tracks may have one name.
func fieldOf(k triage.Key, part string) string {
	if t, err := triage.TaskByName(k.Task); err == nil {
		return string(t.Track) + " " + part
	}
	return part
}

// episode notes the answers of an episode, unless it broke.
func (r *rater) episode(ep *triage.Episode) {
	r.each(ep, func(i int, unit string) {
		s := &ep.Steps[i]
		if s.Score != nil {
			for _, p := range s.Score.Parts {
				if p.Name != fieldText {
					r.put(unit, fieldOf(ep.Key, p.Name), p.Why.Got)
				}
			}
		}
		if ep.Key.Task != env.TicketsTask {
			return
		}
		if d := s.Observation.Dataset; d != nil {
			r.names[unit] = d.TicketID
		}
		labels := labelsOf(&s.Action)
		for _, name := range slices.Sorted(maps.Keys(labels)) { // a ticket without a label is not graded, and was answered all the same
			r.put(unit, name, labels[name])
		}
	})
}

// truths notes what would have been right.
func (r *rater) truths(ep *triage.Episode) {
	r.each(ep, func(i int, unit string) {
		if s := ep.Steps[i].Score; s != nil {
			for _, p := range s.Parts {
				if p.Name != fieldText {
					r.put(unit, fieldOf(ep.Key, p.Name), p.Why.Want)
				}
			}
		}
	})
}

func (r *rater) each(ep *triage.Episode, f func(i int, unit string)) {
	if ep.Ended == triage.EndedError || ep.Key.Trial > 0 {
		return
	}
	for i := range ep.Steps {
		f(i, unitOf(ep.Key, i))
	}
}

// labelsOf are the labels of an action to an imported ticket, also of one that is kept as it was written.
func labelsOf(a *triage.Action) map[string]string {
	if a.Labels != nil || a.Raw == nil {
		return a.Labels
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(a.Raw, &members) != nil {
		return nil
	}
	out := map[string]string{}
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) == nil && name != triage.FieldMetadata && name != triage.FieldConfidence {
			out[name] = text
		}
	}
	return out
}

// logged notes the answers of an episode of a log. Imported tickets go by their own ids, so that files and runs of other files fit.
func (r *rater) logged(l *results.Logged, truth bool) error {
	ep := l.Episode()
	if l.Key.Task != env.TicketsTask {
		if truth {
			r.truths(ep)
		} else {
			r.episode(ep)
		}
		return nil
	}
	own := newRater("", "")
	if truth {
		own.truths(ep)
	} else {
		own.episode(ep)
	}
	for i := range l.Steps {
		var o struct {
			ID string `json:"ticket_id"`
		}
		if err := json.Unmarshal(l.Steps[i].Observation, &o); err != nil {
			return fmt.Errorf("episode %s: step %d: %w", l.Key, i, err)
		}
		for _, field := range own.fields {
			if v, ok := own.answers[field][unitOf(l.Key, i)]; ok {
				r.put(o.ID, field, v)
			}
		}
	}
	return nil
}

// scale is the values of a field in their order.
type scale struct {
	values  []string
	ordered bool
}

// scales has what is known of fields.
type scales struct{ known map[string]scale }

func newScales() *scales {
	s := &scales{known: map[string]scale{}}
	put := func(name string, values []string, ordered bool) { s.known[name] = scale{values, ordered} }
	put("queue route", names(triage.Routes()), false)
	put("queue urgency", names(triage.Urgencies()), true)
	put("queue difficulty", names(triage.Resolutions()), true)
	put("desk category", names(triage.Categories()), false)
	put("desk priority", names(triage.Priorities()), true)
	put("desk department", names(triage.Departments()), false)
	return s
}

// add takes over what a results file or a set of tickets knows of columns.
func (s *scales) add(columns []results.Column) {
	for _, c := range columns {
		s.known[c.Name] = scale{c.Values, c.Ordered}
	}
}

// shown takes over the labels that an agent was shown with an imported ticket (an episode of one step or more), in their order: the first run that has a label counts, and
// what a file says of it counts more. Whether they ascend is among the settings of the run.
func (s *scales) shown(l *results.Logged, settings map[string]string) error {
	if l.Key.Task != env.TicketsTask {
		return nil
	}
	var o struct {
		Labels map[string][]string `json:"labels"`
	}
	if err := json.Unmarshal(l.Steps[0].Observation, &o); err != nil {
		return fmt.Errorf("episode %s: step 0: %w", l.Key, err)
	}
	for name, values := range o.Labels {
		if _, ok := s.known[name]; !ok {
			s.known[name] = scale{values, ascends(settings, name)}
		}
	}
	return nil
}

// ascends tells by the settings of a run whether the labels of a column ascend in seriousness.
func ascends(settings map[string]string, column string) bool {
	return strings.Contains(settings[columnSetting+column], " values ascending, ")
}

// mostNumbers is how many whole numbers a scale of numbers has at most.
const mostNumbers = 1000

// of gives the scale of a field with the values that occur: the known one with what else occurs behind it, the whole numbers from
// the least to the largest, or what dataset makes of the values.
func (s *scales) of(field string, seen []string) scale {
	known, ok := s.known[field]
	if !ok {
		return guess(seen)
	}
	out := scale{slices.Clone(known.values), known.ordered}
	for _, v := range seen {
		if !slices.Contains(out.values, v) {
			out.values, out.ordered = append(out.values, v), false // beyond the scale there is no order
		}
	}
	return out
}

func guess(seen []string) scale {
	low, high := 0, 0
	for i, v := range seen {
		n, err := strconv.Atoi(v)
		if err != nil {
			values, ordered := dataset.Arrange(seen)
			return scale{values, ordered}
		}
		if i == 0 {
			low, high = n, n
		}
		low, high = min(low, n), max(high, n)
	}
	if high-low >= mostNumbers || len(seen) == 0 {
		values, ordered := dataset.Arrange(seen)
		return scale{values, ordered}
	}
	out := scale{ordered: true}
	for n := low; n <= high; n++ {
		out.values = append(out.values, strconv.Itoa(n))
	}
	return out
}
