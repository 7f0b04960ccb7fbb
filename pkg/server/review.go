package server

import (
	"context"
	"net/http"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// reviewed is how a ticket was graded, with the reasons, and what the agent that people are compared with makes of it.
type reviewed struct {
	TicketID  string         `json:"ticket_id"`
	Total     float64        `json:"total"`
	Parts     []reviewedPart `json:"parts"`
	Heuristic *compared      `json:"heuristic"`
}

type reviewedPart struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Got    string  `json:"got"`
	Want   string  `json:"want"`
	Why    string  `json:"why"`
}

type compared struct {
	Total  float64       `json:"total"`
	Answer triage.Action `json:"answer"`
}

// running is the mean over the tickets so far.
type running struct {
	Tickets int     `json:"tickets"`
	Mean    float64 `json:"mean"`
}

// review is GET /web/review: the page shows people how their answers were graded, after each. It tells the truth of answered
// tickets, so a sealed server has none.
func (s *Server) review(w http.ResponseWriter, r *http.Request) {
	if s.options.Sealed {
		writeDetail(w, http.StatusNotFound, "a sealed server tells no gradings")
		return
	}
	x, p := s.episodes.match(r, r.URL.Query().Get("episode_id"), s.alone(r))
	if p == nil && x == nil {
		p = conflict("review before reset: call reset first")
	}
	if p != nil {
		p.write(w)
		return
	}
	graded, agent := x.review(r.Context())
	out := make([]reviewed, len(graded))
	var you, they running
	for i, g := range graded {
		out[i] = reviewed{TicketID: g.ticket, Total: g.score.Total, Parts: partsOf(g.score)}
		you.add(g.score.Total)
		if i < len(agent) {
			out[i].Heuristic = &agent[i]
			they.add(agent[i].Total)
		}
	}
	writeJSON(w, http.StatusOK, openenv.Plain(map[string]any{"session": x.session, "graded": out, "you": you, "heuristic": they}))
}

func (m *running) add(v float64) {
	m.Mean = (m.Mean*float64(m.Tickets) + v) / float64(m.Tickets+1)
	m.Tickets++
}

func partsOf(s *triage.Score) []reviewedPart {
	out := make([]reviewedPart, len(s.Parts))
	for i, p := range s.Parts {
		out[i] = reviewedPart{p.Name, p.Value, p.Weight, p.Why.Got, p.Why.Want, p.Why.String()}
		if p.Why.Code == triage.WhyText {
			out[i].Want = "" // there is no one right text
		}
	}
	return out
}

// review gives the graded tickets of the running episode, and what the agent makes of the same ones: it plays the same seed on
// an environment of its own.
func (p *player) review(ctx context.Context) ([]graded, []compared) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := append([]graded(nil), p.graded...)
	if len(list) == 0 || p.server.deps.NewAgent == nil {
		return list, nil
	}
	agent, err := p.server.deps.NewAgent()
	if err != nil {
		p.server.deps.Log.Error("make the agent to compare with", "error", err)
		return list, nil
	}
	env, err := p.server.deps.NewEnv(p.task, p.server.options.split())
	if err != nil {
		p.server.deps.Log.Error("make an environment", "error", err)
		return list, nil
	}
	played, err := playAlong(ctx, env, agent, p.opts, len(list))
	if err != nil {
		p.server.deps.Log.Error("play along", "error", err)
	}
	return list, played
}

// playAlong lets an agent answer the first n graded tickets of an episode.
func playAlong(ctx context.Context, env triage.Env, agent triage.Agent, opts triage.ResetOptions, n int) ([]compared, error) {
	grader, ok := env.(triage.Grader)
	if !ok {
		return nil, nil
	}
	r, err := env.Reset(ctx, opts)
	var out []compared
	for err == nil && !r.Done && len(out) < n {
		var a triage.Action
		if a, err = agent.Act(ctx, r.Observation); err != nil {
			break
		}
		if r, err = env.Step(ctx, a); err != nil {
			break
		}
		if score := grader.LastScore(); score != nil {
			out = append(out, compared{score.Total, a})
		}
	}
	return out, err
}
