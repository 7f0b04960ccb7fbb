package server

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// player is the environments of one client on one track with the episode that is played in them. Calls on it run one after
// another.
type player struct {
	mu     sync.Mutex
	server *Server
	track  triage.Track
	owner  string // whose episodes they are: the name of a token, or empty
	// session is told in the metadata of a reset; only plain HTTP has one.
	session string

	envs    [3]triage.Env // by difficulty, made when first asked for
	task    triage.Task   // of the running episode
	env     triage.Env    // nil before the first reset
	opts    triage.ResetOptions
	seed    *int64 // as the client gave it
	meta    openenv.Metadata
	rubrics rubrics
	graded  []graded   // for the page: only episodes of plain HTTP keep them
	closed  bool       // nothing begins any more
	sealed  *sealedRun // of a sealed server
}

// graded is a ticket that was graded in the running episode.
type graded struct {
	ticket string
	score  *triage.Score
}

func (s *Server) newPlayer(track triage.Track, owner string) *player {
	return &player{server: s, track: track, owner: owner}
}

// reset begins an episode by a client's options.
func (p *player) reset(ctx context.Context, r *openenv.Reset) (triage.StepResult, openenv.Metadata, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	result, err := p.begin(ctx, r)
	return result, p.meta, err
}

// begin is reset without the lock.
func (p *player) begin(ctx context.Context, r *openenv.Reset) (triage.StepResult, error) {
	if p.closed {
		return triage.StepResult{}, &triage.Error{Code: triage.CodeNotReset, Message: "the session has ended: begin another"}
	}
	opts, task, err := p.options(r)
	if err != nil {
		return triage.StepResult{}, err
	}
	env, err := p.environment(task)
	if err != nil {
		return triage.StepResult{}, err
	}
	var run *sealedRun
	if ledger := p.server.deps.Ledger; ledger != nil {
		p.leave(ctx)
		if run, err = ledger.begin(p.owner, task, &opts); err != nil {
			return triage.StepResult{}, err
		}
	}
	result, err := env.Reset(ctx, opts)
	if err != nil {
		return triage.StepResult{}, err
	}
	p.env, p.task, p.opts, p.sealed, p.graded = env, task, opts, run, p.graded[:0]
	p.rubrics = rubrics{sums: p.rubrics.sums[:0]}
	p.seed = nil
	if r.Seed != nil || r.Index != nil {
		seed := opts.Seed
		p.seed = &seed
	}
	p.meta = openenv.Metadata{Session: p.session, Ignored: r.Ignored}
	if r.Handbook {
		p.meta.Handbook = p.server.deps.Handbook
	}
	p.server.counts.resets(p.track).Inc()
	return p.show(result), nil
}

// options turns a client's options into those of an environment.
func (p *player) options(r *openenv.Reset) (triage.ResetOptions, triage.Task, error) {
	o := &p.server.options
	opts := triage.ResetOptions{EpisodeID: r.EpisodeID, Split: r.Split, Tickets: r.Tickets, Rewards: r.Rewards, OnInvalid: r.OnInvalid}
	difficulty := r.Difficulty
	if r.Index != nil {
		at := openenv.TaskAt(p.track, r.Split, *r.Index)
		if difficulty != "" && difficulty != at.Difficulty || r.Seed != nil && *r.Seed != at.Seed {
			return opts, triage.Task{}, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
				"reset: index %d is difficulty %s with seed %d; leave difficulty and seed out, or give these", *r.Index, at.Difficulty, at.Seed)}
		}
		difficulty, opts.Seed = at.Difficulty, at.Seed
	}
	if difficulty == "" {
		difficulty = triage.Easy
	}
	if opts.Split == "" {
		opts.Split = o.split()
	}
	if opts.Rewards == "" {
		opts.Rewards = o.Rewards
	}
	task, err := triage.TaskFor(p.track, difficulty)
	if err != nil {
		return opts, task, err
	}
	if r.Tickets > 0 && p.track != triage.Queue {
		return opts, task, refused("tickets", fmt.Sprint(r.Tickets), "none on this track: an episode is one ticket")
	}
	if r.Tickets > task.Tickets {
		return opts, task, refused("tickets", fmt.Sprint(r.Tickets), fmt.Sprintf("1 to %d in task %s", task.Tickets, task.Name))
	}
	if o.Sealed {
		for _, name := range []string{openenv.OptionSeed, openenv.OptionIndex, openenv.OptionTickets, openenv.OptionRewards} {
			if r.Has(name) {
				return opts, task, &triage.Error{Code: triage.CodeUsage, Message: "reset: " + name + " is not allowed: this server is sealed, and chooses tickets and rewards itself"}
			}
		}
		opts.Rewards = triage.RewardsEpisode
	}
	switch {
	case r.Index != nil:
	case r.Seed != nil:
		opts.Seed = *r.Seed
	case r.EpisodeID != "":
		opts.Seed = SeedOf(r.EpisodeID)
	default:
		if opts.Seed, err = p.server.randomSeed(); err != nil {
			return opts, task, err
		}
	}
	if opts.EpisodeID == "" {
		if opts.EpisodeID, err = p.server.randomID(); err != nil {
			return opts, task, err
		}
	}
	return opts, task, nil
}

// SeedOf derives a seed from an episode id: the first 63 bits of a SHA-256 of "triage episode " and the id. Collections whose
// episodes have the same ids play the same tickets.
func SeedOf(episodeID string) int64 {
	sum := sha256.Sum256([]byte("triage episode " + episodeID))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

func refused(option, value, allowed string) error {
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("reset: %s %s is not allowed; allowed is %s", option, value, allowed)}
}

// environment gives the environment of a task.
func (p *player) environment(task triage.Task) (triage.Env, error) {
	for i, d := range triage.Difficulties() {
		if d != task.Difficulty {
			continue
		}
		if p.envs[i] == nil {
			env, err := p.server.deps.NewEnv(task, p.server.options.split())
			if err != nil {
				return nil, err
			}
			p.envs[i] = env
		}
		return p.envs[i], nil
	}
	return nil, refused("difficulty", string(task.Difficulty), "easy, medium, hard")
}

// step answers the current observation.
func (p *player) step(ctx context.Context, a triage.Action) (triage.StepResult, openenv.Metadata, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	result, err := p.advance(ctx, a)
	return result, p.meta, err
}

// lenient tells whether a wrong value counts as the empty action.
func (p *player) lenient() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opts.OnInvalid == triage.InvalidIsEmpty
}

// advance is step without the lock.
func (p *player) advance(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if p.env == nil {
		return triage.StepResult{}, &triage.Error{Code: triage.CodeNotReset, Message: "step before reset: call reset first"}
	}
	shown := p.env.State().Observation
	result, err := p.env.Step(ctx, a)
	if err != nil {
		return triage.StepResult{}, err
	}
	p.meta = openenv.Metadata{}
	grader, _ := p.env.(triage.Grader)
	var score *triage.Score
	if grader != nil {
		if score = grader.LastScore(); score != nil {
			p.rubrics.add(score)
			if p.session != "" {
				p.graded = append(p.graded, graded{ticketOf(shown), score.Clone()})
			}
		}
	}
	if p.sealed != nil {
		if err := p.sealed.answered(shown, &a, score); err != nil {
			return triage.StepResult{}, err
		}
	}
	if result.Done && grader != nil {
		if err := p.finish(grader); err != nil {
			return triage.StepResult{}, err
		}
	}
	p.server.counts.steps(p.track).Inc()
	return p.show(result), nil
}

// ticketOf is the id of the ticket that an observation shows.
func ticketOf(o triage.Observation) string {
	switch {
	case o.Desk != nil:
		return o.Desk.TicketID
	case o.Queue != nil && o.Queue.Ticket != nil:
		return o.Queue.Ticket.ID
	}
	return ""
}

// finish puts the figures of the episode into the metadata of the last observation.
func (p *player) finish(grader triage.Grader) error {
	s, ok := grader.Summary()
	if !ok {
		return nil
	}
	final := &openenv.Final{Score: s.Score, Efficiency: s.Efficiency, Ended: triage.EndedComplete}
	if s.Truncated {
		final.Ended = triage.EndedTruncated
	}
	if sealed := p.server.options.Sealed; !sealed || p.track == triage.Desk {
		final.Reward = &s.Reward
	}
	if !p.server.options.Sealed {
		final.Rubrics = p.rubrics.means()
	}
	p.meta.Final = final
	if run := p.sealed; run != nil {
		p.sealed = nil
		return run.finish(s)
	}
	return nil
}

// rubrics sum up the parts of the graded tickets of an episode.
type rubrics struct {
	tickets int
	sums    []triage.Part // by name
}

func (r *rubrics) add(score *triage.Score) {
	r.tickets++
	for _, part := range score.Parts {
		i := slices.IndexFunc(r.sums, func(x triage.Part) bool { return x.Name == part.Name })
		if i < 0 {
			i = len(r.sums)
			r.sums = append(r.sums, triage.Part{Name: part.Name})
		}
		r.sums[i].Value += part.Value
	}
}

// means is the mean of each part over the graded tickets.
func (r *rubrics) means() map[string]float64 {
	out := map[string]float64{}
	for _, x := range r.sums {
		out[x.Name] = x.Value / float64(r.tickets)
	}
	return out
}

// show takes out of a result what a sealed server does not tell.
func (p *player) show(r triage.StepResult) triage.StepResult {
	if p.server.options.Sealed && r.Observation.Queue != nil {
		o := *r.Observation.Queue
		o.Stats, o.LastResult = nil, nil
		r.Observation.Queue = &o
	}
	return r
}

// state describes the running episode.
func (p *player) state() openenv.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.env == nil {
		return openenv.State{State: triage.State{Track: p.track}}
	}
	s := p.env.State()
	s.Observation = p.show(triage.StepResult{Observation: s.Observation}).Observation
	meta := p.meta
	meta.Handbook, meta.Ignored = "", nil // they were told once
	return openenv.State{State: s, Seed: p.seed, Metadata: &meta}
}

// leave closes an episode of a sealed server that its client left open: what was not answered scores 0. The caller holds the
// lock.
func (p *player) leave(ctx context.Context) {
	for p.sealed != nil && p.env != nil {
		if _, err := p.advance(ctx, triage.Action{Track: p.track}); err != nil {
			p.server.deps.Log.Error("close an episode that was left open", "task", p.task.Name, "error", err)
			return
		}
	}
}

// close ends the player's last episode.
func (p *player) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.leave(context.Background())
}

// randomID makes an id of 128 random bits.
func (s *Server) randomID() (string, error) {
	var b [16]byte
	if err := s.random(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

func (s *Server) randomSeed() (int64, error) {
	var b [8]byte
	if err := s.random(b[:]); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b[:]) >> 1), nil
}

// episodeID is the id of the running episode.
func (p *player) episodeID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opts.EpisodeID
}
