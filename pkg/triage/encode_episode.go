package triage

import "strconv"

// Episode appends one line of an episode log, without the line's end.
func (e *Encoder) Episode(ep *Episode) {
	e.open('{')
	e.episodeKey(ep.Key)
	e.Key("steps")
	e.open('[')
	for i := range ep.Steps {
		e.next()
		e.step(&ep.Steps[i])
	}
	e.close(']')
	e.optional("score", ep.Score)
	e.optional("efficiency", ep.Efficiency)
	e.optional("reward", ep.Reward)
	e.str("ended", string(ep.Ended))
	if ep.Error == "" {
		e.Key("error")
		e.null()
	} else {
		e.str("error", ep.Error)
	}
	e.close('}')
}

// Step appends one line of a journal for a step of an episode that is not finished, without the line's end.
func (e *Encoder) Step(key Key, index int, s *Step) {
	e.open('{')
	e.episodeKey(key)
	e.num("index", index)
	e.Key("step")
	e.step(s)
	e.close('}')
}

func (e *Encoder) episodeKey(key Key) {
	e.Key("key")
	e.open('{')
	e.str("agent", key.Agent)
	e.str("task", key.Task)
	e.Key("seed")
	e.Buf = strconv.AppendInt(e.Buf, key.Seed, 10)
	if key.Position.Set {
		e.num("position", key.Position.Value)
	}
	if key.Trial > 0 {
		e.num("trial", key.Trial)
	}
	e.close('}')
}

func (e *Encoder) step(s *Step) {
	e.open('{')
	e.Key("observation")
	e.Observation(s.Observation)
	e.Key("action")
	e.Action(&s.Action)
	e.Key("score")
	if s.Score == nil {
		e.null()
	} else {
		e.Score(s.Score)
	}
	if s.About != nil {
		e.about(s.About)
	}
	e.Key("usage")
	if s.Usage == nil {
		e.null()
	} else {
		e.usage(s.Usage)
	}
	if s.Reply != nil {
		e.Key("reply")
		e.reply(s.Reply)
	}
	if s.Error == "" {
		e.Key("error")
		e.null()
	} else {
		e.str("error", s.Error)
	}
	e.close('}')
}

func (e *Encoder) about(a *About) {
	e.Key("about")
	e.open('{')
	e.str("scenario", a.Scenario)
	if len(a.Traps) > 0 {
		e.strings("traps", a.Traps)
	}
	e.close('}')
}

// strings appends a list of texts.
func (e *Encoder) strings(key string, list []string) {
	e.Key(key)
	e.open('[')
	for _, s := range list {
		e.next()
		e.String(s)
		e.first = false
	}
	e.close(']')
}

func (e *Encoder) usage(u *Usage) {
	e.open('{')
	e.num("calls", u.Calls)
	e.num("reasks", u.Reasks)
	e.whole("tokens_in", u.TokensIn)
	e.whole("tokens_out", u.TokensOut)
	e.whole("tokens_cached", u.TokensCached)
	e.whole("tokens_reasoning", u.TokensReasoning)
	e.whole("cost_nano_usd", u.CostNano)
	e.close('}')
}

func (e *Encoder) reply(r *Reply) {
	e.open('{')
	e.str("stage", r.Stage)
	if r.Cause != "" {
		e.str("cause", r.Cause)
	}
	if len(r.Coerced) > 0 {
		e.strings("coerced", r.Coerced)
	}
	e.str("text", r.Text)
	if r.Refusal != "" {
		e.str("refusal", r.Refusal)
	}
	if r.Tool {
		e.flag("tool", true)
	}
	e.str("finish_reason", r.Finish)
	e.num("reasoning_characters", r.Reasoning)
	if r.Model != "" {
		e.str("model", r.Model)
	}
	if r.Fingerprint != "" {
		e.str("fingerprint", r.Fingerprint)
	}
	if len(r.Before) > 0 {
		e.Key("before")
		e.open('[')
		for i := range r.Before {
			e.next()
			e.reply(&r.Before[i])
		}
		e.close(']')
	}
	e.close('}')
}

// whole appends an integer, or null where it is absent.
func (e *Encoder) whole(key string, v Int) {
	if v.Set {
		e.num(key, v.Value)
		return
	}
	e.Key(key)
	e.null()
}

func (e *Encoder) optional(key string, v *float64) {
	e.Key(key)
	if v == nil {
		e.null()
		return
	}
	e.Float(*v)
}
