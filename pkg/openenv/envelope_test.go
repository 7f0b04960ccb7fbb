package openenv_test

import (
	"math"
	"testing"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

var deskShown = triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-1", IssueText: "<a>\n\nb", SentimentScore: -0.25, TaskDifficulty: triage.Easy}}

const deskFields = `"ticket_id":"TKT-1","customer_name":"","issue_text":"<a>\n\nb","issue_type":"","sentiment_score":-0.25,"wait_time_hours":0,` +
	`"is_escalated":false,"step_count":0,"task_difficulty":"easy","message":""}`

func TestAnEnvelopeSplitsTheObservation(t *testing.T) {
	t.Parallel()
	reward := 0.5
	full := openenv.Metadata{Session: "s", Handbook: "# <h>\n", Final: &openenv.Final{Score: 1, Efficiency: 0.75, Reward: &reward, Ended: triage.EndedTruncated,
		Rubrics: map[string]float64{"route": 1, "priority": 0.25}}}
	const fullText = `{"session":"s","handbook":"# <h>\n","score":1,"efficiency":0.75,"reward":0.5,"ended":"truncated","rubrics":{"priority":0.25,"route":1}}`
	sealed := openenv.Metadata{Final: &openenv.Final{Score: 0.1, Efficiency: 1, Ended: triage.EndedComplete}}
	const sealedText = `{"score":0.1,"efficiency":1,"ended":"complete"}`
	none := openenv.Metadata{Final: &openenv.Final{Ended: triage.EndedComplete, Rubrics: map[string]float64{}}}
	for _, x := range []struct {
		name string
		r    triage.StepResult
		meta openenv.Metadata
		http bool
		want string
	}{
		{"a frame without metadata", triage.StepResult{Observation: deskShown}, openenv.Metadata{}, false, `{"observation":{"metadata":{},` + deskFields + `,"reward":0,"done":false}`},
		{"HTTP without metadata", triage.StepResult{Observation: deskShown, Reward: 1}, openenv.Metadata{}, true, `{"observation":{"metadata":{},` + deskFields + `,"reward":1,"done":false,"metadata":null}`},
		{"all metadata", triage.StepResult{Observation: deskShown, Reward: 0.1, Done: true}, full, false, `{"observation":{"metadata":` + fullText + `,` + deskFields + `,"reward":0.1,"done":true,"metadata":` + fullText + `}`},
		{"sealed", triage.StepResult{Observation: deskShown, Done: true}, sealed, true, `{"observation":{"metadata":` + sealedText + `,` + deskFields + `,"reward":0,"done":true,"metadata":` + sealedText + `}`},
		{"no rubrics", triage.StepResult{Done: true}, none, false, `{"observation":null,"reward":0,"done":true,"metadata":{"score":0,"efficiency":0,"ended":"complete","rubrics":{}}}`},
		{"a reward that is no number", triage.StepResult{Observation: deskShown, Reward: math.NaN()}, openenv.Metadata{}, false, `{"observation":{"metadata":{},` + deskFields + `,"reward":null,"done":false}`},
	} {
		equal(t, x.name, "x"+x.want, string(openenv.AppendResult([]byte("x"), x.r, &x.meta, x.http)))
		if !x.http {
			equal(t, x.name, `x{"type":"observation","data":`+x.want+`}`, string(openenv.AppendResultFrame([]byte("x"), x.r, &x.meta)))
		}
	}
}

func TestAStateIsWholeBeforeAndAfterAReset(t *testing.T) {
	t.Parallel()
	seed := triage.MaxSeed
	for _, x := range []struct {
		name string
		s    openenv.State
		want string
	}{
		{"before", openenv.State{State: triage.State{Track: triage.Desk}},
			`{"episode_id":null,"step_count":0,"track":"desk","task":null,"split":null,"done":false,"observation":null}`},
		{"after", openenv.State{State: triage.State{EpisodeID: "<e>", StepCount: 2, Track: triage.Desk, Task: "desk-easy", Split: triage.Test, Done: true, Observation: deskShown},
			Seed: &seed, Metadata: &openenv.Metadata{Session: "s"}},
			`{"episode_id":"<e>","step_count":2,"track":"desk","task":"desk-easy","split":"test","done":true,"seed":9223372036854775807,"observation":{"metadata":{"session":"s"},` + deskFields + `}`},
		{"without metadata", openenv.State{State: triage.State{EpisodeID: "e", Track: triage.Desk, Task: "desk-easy", Split: triage.Train, Observation: deskShown}},
			`{"episode_id":"e","step_count":0,"track":"desk","task":"desk-easy","split":"train","done":false,"observation":{"metadata":{},` + deskFields + `}`},
	} {
		equal(t, x.name, x.want, string(openenv.AppendState(nil, &x.s)))
		equal(t, x.name, `{"type":"state","data":`+x.want+`}`, string(openenv.AppendStateFrame(nil, &x.s)))
	}
}
