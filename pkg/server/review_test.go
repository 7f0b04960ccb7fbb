package server_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// gradedBy plays answers on an environment and gives what a review says of each graded ticket.
func gradedBy(t *testing.T, task triage.Task, answer func(o triage.Observation) triage.Action, seed int64, most int) (list []map[string]any, answers []triage.Action) {
	t.Helper()
	e := direct(t, task)
	r, err := e.Reset(t.Context(), triage.ResetOptions{Seed: seed})
	for err == nil && !r.Done && len(list) < most {
		id := ""
		if r.Observation.Desk != nil {
			id = r.Observation.Desk.TicketID
		} else {
			id = r.Observation.Queue.Ticket.ID
		}
		a := answer(r.Observation)
		if r, err = e.Step(t.Context(), a); err != nil {
			break
		}
		if s := e.LastScore(); s != nil {
			text, err := json.Marshal(s) // as in result files
			if err != nil {
				t.Fatal(err)
			}
			item := object(t, string(text))
			item["ticket_id"] = id
			list, answers = append(list, item), append(answers, a)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, answers
}

// TestAReviewTellsHowEachTicketWasGraded holds it against the environment and the agent, played directly.
func TestAReviewTellsHowEachTicketWasGraded(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, task := range triage.Tasks() {
		path := "/" + string(task.Track)
		session := r.reset(path+"/web/reset", `{"seed":5,"difficulty":"`+string(task.Difficulty)+`"}`)
		none := map[string]any{"tickets": 0, "mean": 0}
		same(t, task.Name+" before the first step", map[string]any{"session": session, "graded": []any{}, "you": none, "heuristic": none},
			r.do("GET", path+"/web/review", "", "X-Triage-Session", session).Body)
		list := actions(task.Track)
		n := 0
		mine, _ := gradedBy(t, task, func(triage.Observation) triage.Action {
			n++
			return parsed(t, task.Track, list[(n-1)%len(list)])
		}, 5, 3)
		for i := range n {
			r.ok("POST", path+"/web/step", `{"action":`+list[i%len(list)]+`}`, "X-Triage-Session", session)
		}
		heuristic, err := agent.New("heuristic")
		if err != nil {
			t.Fatal(err)
		}
		theirs, answers := gradedBy(t, task, func(o triage.Observation) triage.Action {
			a, err := heuristic.Act(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}, 5, len(mine))
		sums := [2]float64{}
		for i, x := range mine {
			sums[0] += x["total"].(float64)
			sums[1] += theirs[i]["total"].(float64)
			x["heuristic"] = map[string]any{"total": theirs[i]["total"], "answer": answers[i]}
		}
		got := r.ok("GET", path+"/web/review", "", "X-Triage-Session", session)
		for i, name := range []string{"you", "heuristic"} {
			mean := got[name].(map[string]any)
			if d := mean["mean"].(float64) - sums[i]/float64(len(mine)); d > 1e-9 || d < -1e-9 || mean["tickets"] != float64(len(mine)) {
				t.Errorf("%s: %s is %v, the sum of %d tickets is %v", task.Name, name, mean, len(mine), sums[i])
			}
		}
		same(t, task.Name, []any{session, mine}, []any{got["session"], got["graded"]})
	}
}

func TestAReviewWithoutAnAgentHasNobodyToCompareWith(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func() (triage.Agent, error){"none": nil, "broken": func() (triage.Agent, error) { return nil, errors.New("no weights") }} {
		r := start(t, func(d *server.Deps, _ *server.Options) { d.NewAgent = make })
		a := r.do("GET", "/web/review", "")
		same(t, name, []any{409, detail("review before reset: call reset first")}, []any{a.Status, plain(t, a.Body)})
		r.reset("/web/reset", `{"seed":1}`)
		r.ok("POST", "/web/step", `{"action":{}}`)
		got := r.ok("GET", "/web/review", "")
		same(t, name, []any{nil, 1, 0}, []any{got["graded"].([]any)[0].(map[string]any)["heuristic"], len(got["graded"].([]any)), got["heuristic"].(map[string]any)["tickets"]})
	}
}
