package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/triage"
)

// Completer asks a chat model for one reply; [llm.Client] is one. An error is a call that finally failed.
type Completer interface {
	Complete(ctx context.Context, r llm.Request) (*llm.Reply, error)
}

// LLMOptions say how a model plays.
type LLMOptions struct {
	Completer Completer
	Prompt    *Prompt // nil: [BuiltinPrompt]
	// NoHandbook leaves the handbook out of the prompt; the fields with their allowed values stay.
	NoHandbook bool
	// Examples are shown before the ticket, by task, as questions and answers of the same form. They must not come from
	// what is played: [TrainExamples] makes them from train.
	Examples map[string][]Example
	// Reask is how often a model is asked again after a reply that cannot be read, 0 or more.
	Reask int
}

// LLM is a chat model as an agent. It tells the model nothing of earlier tickets, so that its calls do not depend on each
// other. A reply that cannot be read, also after the re-asks, is an error without a code, so that the action counts as empty;
// a failed call has CodeUnavailable, or CodeUnusable where no later call can do better.
type LLM struct {
	options LLMOptions
	prompt  *Prompt
	scope   string
	usage   *triage.Usage
	reply   *triage.Reply
}

var (
	_ triage.Agent   = (*LLM)(nil)
	_ triage.Starter = (*LLM)(nil)
	_ triage.Teller  = (*LLM)(nil)
)

// NewLLM makes the agent. An error has CodeUsage.
func NewLLM(o LLMOptions) (*LLM, error) {
	if o.Completer == nil {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: "llm agent: there is no model to ask"}
	}
	if o.Reask < 0 {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("llm agent: %d re-asks: allowed is 0 or more", o.Reask)}
	}
	a := &LLM{options: o, prompt: o.Prompt}
	if a.prompt == nil {
		p, err := BuiltinPrompt()
		if err != nil {
			return nil, err
		}
		a.prompt = p
	}
	return a, nil
}

// Start takes the episode as the scope of what is kept of the calls: task, seed and trial. Without the agent's name and the
// position, equal requests of two runs share an answer.
func (a *LLM) Start(key triage.Key) {
	a.scope = key.Task + "/" + strconv.FormatInt(key.Seed, 10) + "/#" + strconv.Itoa(key.Trial)
	a.usage, a.reply = nil, nil
}

// Told gives usage and reply of the last Act; both are nil where its call failed.
func (a *LLM) Told() (*triage.Usage, *triage.Reply) { return a.usage, a.reply }

// Request is the first call that Act makes for an observation.
func (a *LLM) Request(o triage.Observation) (llm.Request, error) {
	r, _, err := a.request(o)
	return r, err
}

func (a *LLM) request(o triage.Observation) (llm.Request, *kit, error) {
	k, err := kitOf(o, !a.options.NoHandbook)
	if err != nil {
		return llm.Request{}, nil, err
	}
	system, user, err := a.prompt.render(k.data(o, len(a.options.Examples[k.task])))
	if err != nil {
		return llm.Request{}, nil, err
	}
	r := llm.Request{Schema: schemaOf(k.fields), SchemaName: "triage_answer", Scope: a.scope}
	if o.Desk != nil && o.Desk.StepCount > 0 {
		// A later step asks anew, also where it asks with the same words.
		r.Scope += "/step " + strconv.Itoa(o.Desk.StepCount)
	}
	if system != "" {
		r.Messages = append(r.Messages, llm.Message{Role: llm.System, Content: system})
	}
	pairs, err := a.pairs(k.task)
	if err != nil {
		return llm.Request{}, nil, err
	}
	r.Messages = append(r.Messages, pairs...)
	r.Messages = append(r.Messages, llm.Message{Role: llm.User, Content: user})
	return r, k, nil
}

// Act asks the model.
func (a *LLM) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	a.usage, a.reply = nil, nil
	r, k, err := a.request(o)
	if err != nil {
		return triage.Action{}, err
	}
	var usage triage.Usage
	var before []triage.Reply
	for {
		got, err := a.options.Completer.Complete(ctx, r)
		refused := filtered(err)
		if err != nil && refused == nil {
			return triage.Action{}, failedCall(ctx, err)
		}
		count(&usage, got)
		usage.Reasks = usage.Calls - 1
		kept := keep(got)
		if refused != nil {
			kept = *refused
		}
		action, detail, err := k.read(&kept)
		if err != nil {
			return triage.Action{}, err
		}
		if kept.Stage != stageNone || refused != nil || len(before) == a.options.Reask {
			told := usage
			kept.Before = before
			a.usage, a.reply = &told, &kept
			if kept.Stage == stageNone {
				return triage.Action{}, unreadable(&kept, detail)
			}
			return action, nil
		}
		before = append(before, kept)
		r.Messages = append(r.Messages, askAgain(&r, &kept, detail, string(schemaOf(k.fields)))...)
	}
}

// failedCall says whether a failed call breaks the episode only or stops the run.
func failedCall(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code := triage.CodeUnavailable
	var fatal interface{ Fatal() bool }
	if errors.As(err, &fatal) && fatal.Fatal() {
		code = triage.CodeUnusable
	}
	return &triage.Error{Code: code, Message: "ask the model", Err: err}
}

// filtered gives the reply that a failed call stands for if a content filter of the endpoint did not let the messages through:
// a refusal. The ticket was asked for and the endpoint would not decide it, which a desk that runs on that endpoint would live
// with too; as a failed call, the tickets that an endpoint cannot take would vanish from its score. It is not asked again:
// the filter would see the same text. Messages too long for the model are a failed call: the prompt is the harness's choice.
func filtered(err error) *triage.Reply {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindContentFilter {
		return nil
	}
	return &triage.Reply{Refusal: e.Text, Finish: "content_filter"}
}

// keep is what is recorded of a reply.
func keep(r *llm.Reply) triage.Reply {
	if r == nil {
		return triage.Reply{}
	}
	return triage.Reply{Text: r.Text, Refusal: r.Refusal, Tool: r.Tool, Finish: r.Finish, Reasoning: utf8.RuneCountInString(r.Reasoning),
		Model: r.Model, Fingerprint: r.Fingerprint}
}

// count adds what a reply cost. What one reply does not tell, nobody knows of the sum.
func count(u *triage.Usage, r *llm.Reply) {
	var cost llm.Count
	var tokens llm.Usage
	if r != nil {
		cost, tokens = r.Cost, r.Usage
	}
	for _, c := range []struct {
		sum  *triage.Int
		more llm.Count
	}{{&u.TokensIn, tokens.In}, {&u.TokensOut, tokens.Out}, {&u.TokensCached, tokens.Cached}, {&u.TokensReasoning, tokens.Reasoning}, {&u.CostNano, cost}} {
		switch {
		case !c.more.Known || u.Calls > 0 && !c.sum.Set:
			*c.sum = triage.Int{}
		default:
			*c.sum = triage.IntOf(c.sum.Value + int(c.more.N))
		}
	}
	u.Calls++
}

// PromptHash is what results name the prompt by: 16 hex digits of the SHA-256 of all that decides what a model is asked apart
// from the ticket: templates, handbook, the schemas of the generated tasks, examples, and the words of re-asks. Schemas of
// imported tickets are not in it: they follow from the tickets.
func (a *LLM) PromptHash() (string, error) {
	var all strings.Builder
	add := func(s string) { all.WriteString(strconv.Itoa(len(s)) + ":" + s) }
	add(a.prompt.source)
	if !a.options.NoHandbook {
		for _, t := range []triage.Track{triage.Queue, triage.Desk, triage.Dataset} {
			add(handbookFor(t))
		}
	}
	for _, t := range triage.Tasks() {
		fields, err := asked(t.Name, nil)
		if err != nil {
			return "", err
		}
		add(string(schemaOf(fields)))
	}
	tasks := make([]string, 0, len(a.options.Examples))
	for t := range a.options.Examples {
		tasks = append(tasks, t)
	}
	sort.Strings(tasks)
	for _, t := range tasks {
		pairs, err := a.pairs(t)
		if err != nil {
			return "", err
		}
		add(t)
		for _, m := range pairs {
			add(m.Content)
		}
	}
	add(strings.Join(reaskWords(), "\n"))
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:8]), nil
}
