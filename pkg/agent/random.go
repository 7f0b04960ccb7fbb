package agent

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"sort"

	"github.com/triagebench/triage/pkg/triage"
)

// Random answers uniformly at random. Its draws come from the episode's key and its own name, never from the
// environment's streams.
type Random struct{ draws *rand.Rand }

var (
	_ triage.Agent   = (*Random)(nil)
	_ triage.Starter = (*Random)(nil)
)

func newRandom() (triage.Agent, error) {
	r := &Random{}
	r.Start(triage.Key{})
	return r, nil
}

// Start seeds the agent's draws from the key.
func (r *Random) Start(key triage.Key) {
	b := []byte("agent random")
	for _, f := range [...]string{key.Agent, key.Task} {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(key.Seed))
	b = binary.BigEndian.AppendUint64(b, uint64(key.Position.Value))
	if key.Trial > 0 {
		b = binary.BigEndian.AppendUint64(b, uint64(key.Trial))
	}
	r.draws = rand.New(rand.NewChaCha8(sha256.Sum256(b)))
}

// Act draws every field.
func (r *Random) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	d := r.draws
	switch {
	case o.Queue != nil:
		return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{
			Route: one(d, triage.Routes()), Urgency: one(d, triage.Urgencies()), Difficulty: one(d, triage.Resolutions()),
			Priority: triage.IntOf(d.IntN(101))}}, nil
	case o.Desk != nil:
		return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{
			Category: one(d, triage.Categories()), Priority: one(d, triage.Priorities()), UrgencyDays: triage.IntOf(1 + d.IntN(7)),
			Department: one(d, triage.Departments()), Recommendation: one(d, recommendations)}}, nil
	}
	labels := map[string]string{}
	if o.Dataset != nil {
		columns := make([]string, 0, len(o.Dataset.Labels))
		for c := range o.Dataset.Labels {
			columns = append(columns, c)
		}
		sort.Strings(columns)
		for _, c := range columns {
			if values := o.Dataset.Labels[c]; len(values) > 0 {
				labels[c] = one(d, values)
			}
		}
	}
	return triage.Action{Track: triage.Dataset, Labels: labels}, nil
}

// recommendations is what an agent says that knows nothing of the ticket.
var recommendations = []string{
	"Investigate the logs and fix the error that the customer reports.",
	"Evaluate the request and put it on the roadmap for the next quarter.",
	"Guide the customer through the documentation of the settings.",
	"Escalate the ticket to a manager and call the customer back today.",
}

func one[T any](d *rand.Rand, values []T) T { return values[d.IntN(len(values))] }
