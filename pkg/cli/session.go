package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// publicBank is what results call the embedded bank.
const publicBank = "public"

// session holds the bank and the secret of a command and makes environments and agents from them.
type session struct {
	bank   *scenario.Bank
	secret []byte
	// bankName is "public", or the hash of a private bank.
	bankName string
	mu       sync.Mutex
	sources  map[sourceKey]*synth.Source
}

type sourceKey struct {
	task  string
	split triage.Split
}

// newSession opens the embedded bank or the one in bankDir, and reads the secret where a file is named.
func newSession(app *App, bankDir, secretFile string) (*session, error) {
	secret, err := readSecret(app, secretFile)
	if err != nil {
		return nil, err
	}
	return openSession(app, bankDir, secret)
}

// readSecret reads the secret where a file is named.
func readSecret(app *App, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	data, err := app.ReadFile(name)
	if err != nil {
		return nil, fileProblem("read secret", name, err)
	}
	secret := secretOf(data)
	if len(secret) == 0 {
		return nil, usageError("read secret %s: the file is empty; `triage secret new` makes a secret", name)
	}
	if err := synth.CheckSecret(secret); err != nil {
		return nil, fmt.Errorf("read secret %s: %w", name, err)
	}
	return secret, nil
}

// openSession opens the embedded bank or the one in bankDir.
func openSession(app *App, bankDir string, secret []byte) (*session, error) {
	s := &session{bankName: publicBank, secret: secret, sources: map[sourceKey]*synth.Source{}}
	var err error
	if bankDir == "" {
		s.bank, err = scenario.Embedded()
	} else if s.bank, err = scenario.LoadDir(app.DirFS(bankDir)); err == nil {
		s.bankName = s.bank.Hash
	}
	if err != nil {
		if bankDir != "" {
			return nil, bankProblem(bankDir, err)
		}
		return nil, err
	}
	return s, nil
}

// secretOf takes the secret out of a file: a text without the white space around it, or bytes as they are.
func secretOf(data []byte) []byte {
	trimmed := bytes.TrimSpace(data)
	if bytes.ContainsFunc(trimmed, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		return data
	}
	return trimmed
}

// generator names the generator version that the session plays.
func (s *session) generator() string { return scenario.Version(s.bank.Hash) }

// source gives the ticket source of a task and split; it is made once.
func (s *session) source(task triage.Task, split triage.Split) (*synth.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sourceKey{task.Name, split}
	if src, ok := s.sources[key]; ok {
		return src, nil
	}
	src, err := synth.New(s.bank, task, split, s.secret)
	if err != nil {
		return nil, err
	}
	s.sources[key] = src
	return src, nil
}

// newEnv makes a local environment; with a position it plays only the ticket that stands there.
func (s *session) newEnv(name string, split triage.Split, position triage.Int) (env.Grading, error) {
	task, err := triage.TaskByName(name)
	if err != nil {
		return nil, err
	}
	return env.New(task, split, func(split triage.Split) (env.Source, error) {
		src, err := s.source(task, split)
		if err != nil {
			return nil, err
		}
		if position.Set {
			return shifted{src, position.Value}, nil
		}
		return src, nil
	})
}

// shifted plays an episode from a later position on.
type shifted struct {
	source env.Source
	by     int
}

// Ticket gives the ticket that stands by places later.
func (s shifted) Ticket(seed int64, position int) *triage.Case {
	return s.source.Ticket(seed, position+s.by)
}

// agentNames lists the agents for help and errors.
func agentNames() string {
	var out []string
	for _, a := range agent.List() {
		out = append(out, a.Name)
	}
	return strings.Join(out, ", ")
}

// agentMeant is a hint for a mistyped name of --agent, or empty where no name is near.
func agentMeant(name string) string {
	known := []string{agentLLM, agentLinear}
	for _, a := range agent.List() {
		known = append(known, a.Name)
	}
	before, after, ok := strings.Cut(name, ":")
	if !ok {
		return near.Hint(name, known)
	}
	prefixes := []string{strings.TrimSuffix(prefixLinear, ":"), strings.TrimSuffix(prefixExec, ":"), strings.TrimSuffix(prefixHTTP, ":")}
	if meant := near.Word(before, prefixes); meant != "" {
		return near.Meant(meant + ":" + after)
	}
	return ""
}

// examples are n solved tickets of split train for each task.
func (s *session) examples(tasks []triage.Task, n int) (map[string][]agent.Example, error) {
	if n == 0 {
		return nil, nil
	}
	out := map[string][]agent.Example{}
	for _, t := range tasks {
		e, err := s.newEnv(t.Name, triage.Train, triage.Int{})
		if err != nil {
			return nil, err
		}
		if out[t.Name], err = agent.TrainExamples(context.Background(), e, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}
