package validate

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// wrongValue is an action that has to be refused for one field.
type wrongValue struct{ action, field, problem string }

// wrongValues are actions of a track with every kind of mistake.
func wrongValues(track triage.Track) []wrongValue {
	out := []wrongValue{
		{`{"answer":1}`, "answer", "unknown_field"}, {`[]`, "action", "wrong_type"}, {`"x"`, "action", "wrong_type"}, {`7`, "action", "wrong_type"}, {`{`, "action", "wrong_type"},
	}
	words := []string{triage.FieldRoute, triage.FieldUrgency, triage.FieldDifficulty}
	number, low, high := triage.FieldPriorityScore, "-1", "101"
	if track == triage.Desk {
		words = []string{triage.FieldCategory, triage.FieldPriority, triage.FieldDepartment}
		number, low, high = triage.FieldUrgencyDays, "0", "8"
		out = append(out, wrongValue{`{"recommendation":7}`, triage.FieldRecommendation, "wrong_type"},
			wrongValue{`{"recommendation":"` + strings.Repeat("ü", triage.MaxRecommendation+1) + `"}`, triage.FieldRecommendation, "too_long"})
	}
	for _, w := range words {
		out = append(out, wrongValue{`{"` + w + `":"no such word"}`, w, "not_one_of"}, wrongValue{`{"` + w + `":["x"]}`, w, "wrong_type"}, wrongValue{`{"` + w + `":true}`, w, "wrong_type"})
	}
	for _, v := range []string{low, high, "1e9"} {
		out = append(out, wrongValue{`{"` + number + `":` + v + `}`, number, "out_of_range"})
	}
	for _, v := range []string{"2.5", `"4x"`, "[1]", "{}"} {
		out = append(out, wrongValue{`{"` + number + `":` + v + `}`, number, "wrong_type"})
	}
	return out
}

// checkWrongCalls makes every wrong call and looks that it is refused by its kind and changes nothing.
func checkWrongCalls(ctx context.Context, b *bench) []triage.Check {
	return []triage.Check{checkOutOfTurn(ctx, b), checkWrongValues(ctx, b), checkWrongOptions(ctx, b), checkInvalidIsEmpty(ctx, b)}
}

func checkOutOfTurn(ctx context.Context, b *bench) triage.Check {
	c := b.claim("out-of-turn", "steps before a reset and after the end", "errors not_reset and done; the state does not change")
	e, err := b.NewEnv(b.task, split)
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	refused := func(when string, code triage.Code) {
		before := e.State()
		for _, a := range []triage.Action{{}, b.right(e), {Track: b.task.Track, Raw: json.RawMessage(`[]`)}} {
			_, err := e.Step(ctx, a)
			c.unless(triage.CodeOf(err) == code, "a step %s gives %v", when, err)
		}
		c.unless(reflect.DeepEqual(before, e.State()), "a step %s changes the state", when)
	}
	refused("before a reset", triage.CodeNotReset)
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: b.seed})
	for i := 0; err == nil && !r.Done && i < b.task.MaxSteps; i++ {
		r, err = e.Step(ctx, triage.Action{Track: b.task.Track})
	}
	c.unless(err == nil && r.Done, "an episode of empty answers: done %v, error %v", r.Done, err)
	refused("after the end", triage.CodeDone)
	return c.done("refused")
}

func checkWrongValues(ctx context.Context, b *bench) triage.Check {
	c := b.claim("wrong-values", "unknown words and fields, numbers out of range, wrong types, no object", "errors that name the field; the state does not change")
	e, _, err := b.begun(ctx, triage.ResetOptions{Seed: b.seed})
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	before := e.State()
	list := wrongValues(b.task.Track)
	for _, w := range list {
		_, err := e.Step(ctx, triage.Action{Track: b.task.Track, Raw: json.RawMessage(w.action)})
		f := fieldsOf(err)
		if f == nil {
			c.against("%s gives %v", brief([]byte(w.action)), err)
			continue
		}
		c.unless(len(f.Fields) == 1 && f.Fields[0].Field == w.field && f.Fields[0].Problem == w.problem, "%s gives %v", brief([]byte(w.action)), err)
	}
	all := `{"answer":1,"metadata":{"free":[1]}}`
	_, err = e.Step(ctx, triage.Action{Track: b.task.Track, Raw: json.RawMessage(all)})
	c.unless(fieldsOf(err) != nil && len(fieldsOf(err).Fields) == 1, "%s gives %v, where metadata is free", all, err)
	c.unless(reflect.DeepEqual(before, e.State()), "wrong values change the state")
	if _, err := e.Step(ctx, b.right(e)); err != nil {
		c.against("afterwards a right answer gives %v", err)
	}
	return c.done("%d kinds refused", len(list)+1)
}

func checkWrongOptions(ctx context.Context, b *bench) triage.Check {
	c := b.claim("wrong-options", "resets with options out of range", "errors of the usage; the running episode goes on")
	e, _, err := b.begun(ctx, triage.ResetOptions{Seed: b.seed})
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	before := e.State()
	list := []triage.ResetOptions{{Seed: -1}, {Split: "dev"}, {Tickets: -1}, {Tickets: b.task.Tickets + 1}, {Rewards: "double"}, {OnInvalid: "ignore"}}
	for _, o := range list {
		_, err := e.Reset(ctx, o)
		c.unless(triage.CodeOf(err) == triage.CodeUsage, "reset with %+v gives %v", o, err)
	}
	c.unless(reflect.DeepEqual(before, e.State()), "a refused reset changes the state")
	if _, err := e.Step(ctx, b.right(e)); err != nil {
		c.against("afterwards a step gives %v", err)
	}
	return c.done("%d refused", len(list))
}

func checkInvalidIsEmpty(ctx context.Context, b *bench) triage.Check {
	c := b.claim("on-invalid-empty", "wrong values where the reset asked for on_invalid=empty", "they count as the empty action")
	play := func(opts triage.ResetOptions, raw string) (triage.Summary, int) {
		e, r, err := b.begun(ctx, opts)
		steps := 0
		for err == nil && !r.Done && steps < b.task.MaxSteps {
			steps++
			a := triage.Action{Track: b.task.Track}
			if raw != "" {
				a.Raw = json.RawMessage(raw)
			}
			r, err = e.Step(ctx, a)
		}
		if err != nil {
			c.against("%v", err)
			return triage.Summary{}, 0
		}
		return summaryOf(e), steps
	}
	empty, steps := play(triage.ResetOptions{Seed: b.seed}, "")
	got, n := play(triage.ResetOptions{Seed: b.seed, OnInvalid: triage.InvalidIsEmpty}, `{"answer":1}`)
	c.unless(got == empty && n == steps, "wrong values come to %+v in %d steps, empty actions to %+v in %d", got, n, empty, steps)
	return c.done("score %.3f in %d steps, as empty actions", got.Score, n)
}

// summaryOf is the summary of a finished episode; the zero one where there is none.
func summaryOf(e triage.Env) triage.Summary {
	if g, ok := e.(triage.Grader); ok {
		if s, ok := g.Summary(); ok {
			return s
		}
	}
	return triage.Summary{}
}
