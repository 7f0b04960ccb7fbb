package audit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// shown are the paths of an observation of each track; a list's elements stand under [].
var shown = map[triage.Track]string{
	triage.Queue: `task ticket ticket.ticket_id ticket.subject ticket.description ticket.metadata ticket.metadata.channel
		ticket.metadata.customer_tier ticket.metadata.wait_time_hours ticket.metadata.is_escalated ticket.metadata.previous_contacts
		ticket.metadata.selected_category ticket.metadata.language ticket.metadata.attachments position total_tickets remaining stats
		stats.processed stats.mean_reward stats.route_accuracy stats.efficiency last_result last_result.ticket_id last_result.reward
		last_result.correct last_result.parts last_result.parts[] last_result.parts[].name last_result.parts[].value
		last_result.parts[].weight message`,
	triage.Desk: `ticket_id customer_name issue_text issue_type sentiment_score wait_time_hours is_escalated step_count
		task_difficulty message`,
}

// finals are the paths of the metadata of a last observation.
const finals = `score efficiency reward ended rubrics rubrics.route rubrics.urgency rubrics.difficulty rubrics.priority
	rubrics.category rubrics.urgency_days rubrics.department rubrics.recommendation`

// The kinds of documents that show an episode.
const (
	docEnvelope = "envelope" // the answer to a reset or a step
	docState    = "state"
	docRead     = "read"   // the tool read_ticket
	docStatus   = "status" // the tool queue_status
)

// paths lists what a kind of document may have. Figures of the end are in it once the episode is done.
func paths(kind string, track triage.Track, done bool) map[string]bool {
	out := map[string]bool{}
	under := func(prefix, list string) {
		for _, p := range strings.Fields(list) {
			out[prefix+p] = true
		}
	}
	meta := "session handbook"
	if done {
		meta += " " + finals
	}
	switch kind {
	case docEnvelope:
		under("", "reward done metadata")
		under("metadata.", meta)
	case docState:
		under("", "episode_id step_count track task split done seed")
	case docRead:
		under("", "done")
	case docStatus:
		under("", "episode_id task step_count done position total_tickets remaining message stats stats.processed "+
			"stats.mean_reward stats.route_accuracy stats.efficiency")
		return out
	}
	under("", "observation")
	under("observation.", shown[track]+" metadata")
	under("observation.metadata.", meta)
	return out
}

// walk tells the path of every value below v.
func walk(path string, v any, tell func(path string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			next := strings.TrimPrefix(path+"."+key, ".")
			tell(next, v[key])
			walk(next, v[key], tell)
		}
	case []any:
		for _, child := range v {
			tell(path+"[]", child)
			walk(path+"[]", child, tell)
		}
	}
}

// decoded reads JSON; ok is false for what is none.
func decoded(data []byte) (v map[string]any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	return v, d.Decode(&v) == nil
}

// trackOfDocument is the track of a document that shows an episode, by what it shows.
func trackOfDocument(data []byte) triage.Track {
	if bytes.Contains(data, []byte(`"issue_text":`)) {
		return triage.Desk
	}
	return triage.Queue
}

// labelWords are the values of labels as they are on the wire, without those that name a task's difficulty too.
func labelWords() map[string]bool {
	out := map[string]bool{}
	add := func(words ...string) {
		for _, w := range words {
			out[w] = true
		}
	}
	for _, r := range triage.Routes() {
		add(string(r))
	}
	for _, u := range triage.Urgencies() {
		add(string(u))
	}
	for _, c := range triage.Categories() {
		add(string(c))
	}
	for _, p := range triage.Priorities() {
		add(string(p))
	}
	for _, d := range triage.Departments() {
		add(string(d))
	}
	for _, d := range triage.Difficulties() {
		delete(out, string(d))
	}
	return out
}
