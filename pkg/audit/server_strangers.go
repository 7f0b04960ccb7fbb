package audit

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// sharedID begins two episodes with one id.
func (p *prowler) sharedID(ctx context.Context, f *finding) error {
	if len(p.control) == 0 {
		return nil
	}
	const episode = "audit-shared"
	for range 2 {
		if _, err := p.reset(ctx, episode); err != nil {
			return err
		}
	}
	for _, under := range p.control {
		for _, x := range []request{{path: p.at(under + "/state?episode_id=" + episode)}, {path: p.at(under + "/step"), body: `{"episode_id":"` + episode + `","action":{}}`}} {
			x.token = p.token()
			r, err := p.ask(ctx, x)
			if err != nil {
				return err
			}
			f.unless(r.refused(), "%s answers %d: %s", x.name(), r.status, short(r.body))
		}
	}
	return nil
}

// wrongTrack names a session under the prefix of the other track.
func (p *prowler) wrongTrack(ctx context.Context, f *finding) error {
	other := triage.Queue
	if p.track == triage.Queue {
		other = triage.Desk
	}
	for _, under := range p.control {
		for _, x := range []request{{path: "/" + string(other) + under + "/state"}, {path: "/" + string(other) + under + "/step", body: `{"action":{}}`}} {
			x.token = p.token()
			r, err := p.ask(ctx, x.with(sessionHeader, p.own))
			if err != nil {
				return err
			}
			f.unless(r.refused(), "%s with a session of track %s answers %d: %s", x.name(), p.track, r.status, short(r.body))
		}
	}
	return nil
}

// player is one of two that play by turns.
type player struct {
	*remote
	alone []string // the tickets that the seed shows when it is played alone; nil where seeds cannot be chosen
	shown []string
	seed  int64
}

// turns is how many answers each of two players gives.
const turns = 2

// byTurns plays two sessions by turns and compares them with the same ones played alone.
func (p *prowler) byTurns(ctx context.Context, f *finding) error {
	task, err := triage.TaskFor(p.track, triage.Hard)
	if err != nil {
		return err
	}
	var two []*player
	for i := range 2 {
		x := &player{remote: p.env(task), seed: learnSeed(p.options.Seed) + 100 + int64(i)}
		defer func() { _ = x.Close() }() // it only closes a socket
		if !p.sealed {
			if err := x.play(ctx); err != nil {
				return err
			}
			x.alone, x.shown = x.shown, nil
		}
		two = append(two, x)
	}
	for n := range turns + 1 {
		for _, x := range two {
			if err := x.turn(ctx, n); err != nil {
				return err
			}
		}
	}
	for i, x := range two {
		for n := range x.shown {
			f.saw()
			if x.alone != nil && x.alone[n] != x.shown[n] {
				f.fault("%s: session %d sees %q at step %d, alone it sees %q", task.Name, i+1, short(x.shown[n]), n, short(x.alone[n]))
			}
		}
		a, raw, err := exchange(ctx, x.socket, frame(openenv.TypeState, nil))
		if err != nil {
			return err
		}
		var state struct {
			Steps int `json:"step_count"`
		}
		f.unless(json.Unmarshal(a.Data, &state) == nil && state.Steps == turns, "%s: after %d steps of each, session %d is %s", task.Name, turns, i+1, short(raw))
	}
	f.unless(two[0].shown[0] != two[1].shown[0], "%s: both sessions see %q", task.Name, short(two[0].shown[0]))
	return nil
}

// play plays the beginning of the seed alone.
func (x *player) play(ctx context.Context) error {
	for n := range turns + 1 {
		if err := x.turn(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// turn resets at first and answers nothing then.
func (x *player) turn(ctx context.Context, n int) error {
	r, err := triage.StepResult{}, error(nil)
	if n == 0 {
		r, err = x.Reset(ctx, triage.ResetOptions{Seed: x.seed})
	} else {
		r, err = x.Step(ctx, triage.Action{Track: x.task.Track})
	}
	x.shown = append(x.shown, textOf(r.Observation))
	return err
}

// stranger tries to get into the sessions of the first token with the second one.
func (p *prowler) stranger(ctx context.Context, f *finding) error {
	if !p.tokened || len(p.Tokens) < 2 {
		return nil
	}
	session := p.own
	if session == "" {
		session = p.rpc
	}
	if err := p.intrude(ctx, f, p.Tokens[1], "another token's session", session, p.episode, p.rpc); err != nil {
		return err
	}
	if p.own != "" {
		r, err := p.ask(ctx, request{path: p.at(p.control[0] + "/state"), token: p.token()}.with(sessionHeader, p.own))
		if err != nil {
			return err
		}
		var state struct {
			Steps *int `json:"step_count"`
		}
		f.unless(r.status == http.StatusOK && json.Unmarshal(r.body, &state) == nil && state.Steps != nil && *state.Steps == 0,
			"afterwards the owner's episode is %d %s", r.status, short(r.body))
	}
	f.unless(!p.shut(ctx, wsPath(p.track)+"?session_id="+p.rpc, p.token()), "afterwards the owner cannot attach to the session")
	return nil
}
