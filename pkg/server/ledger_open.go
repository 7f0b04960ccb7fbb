package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// OpenLedger reads a ledger, or begins one in an empty file, and closes the episodes that were left open in it. newEnv makes the
// environments that those are played in.
func OpenLedger(ctx context.Context, file, episodes LedgerFile, origin LedgerOrigin, newEnv func(triage.Task, triage.Split) (triage.Env, error)) (*Ledger, error) {
	l := &Ledger{file: file, episodes: episodes, next: map[ledgerKey]int64{}, kept: map[string]bool{}}
	r := &reader{ledger: l, origin: origin, open: map[sealedID]*openRun{}}
	first := &ledgerLine{Event: eventOrigin, Schema: ledgerSchema, Origin: &origin}
	head, err := json.Marshal(first)
	if err != nil {
		return nil, err
	}
	lines, err := cutTorn(file, string(head), r.take)
	if err != nil {
		return nil, err
	}
	if _, err := cutTorn(episodes, `{"key":`, r.takeEpisode); err != nil {
		return nil, fmt.Errorf("episodes: %w", err)
	}
	if lines == 0 {
		if err := l.write(first, true); err != nil {
			return nil, err
		}
	}
	return l, r.close(ctx, newEnv)
}

// cutTorn reads the lines of a file, cuts off a last one that was not written whole, and leaves the file at its end. A file without a
// whole line is one of ours only if it is empty or begins as our first line does: another's is left as it is.
func cutTorn(f LedgerFile, head string, take func(line int, data []byte) error) (lines int, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	in := bufio.NewReader(f)
	size := int64(0)
	for {
		data, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if lines == 0 && !strings.HasPrefix(head, string(data)) && !strings.HasPrefix(string(data), head) {
				return 0, errors.New("not a file of this kind: it was left as it is")
			}
			break
		}
		if err != nil {
			return lines, err
		}
		lines++
		size += int64(len(data))
		if err := take(lines, bytes.TrimSpace(data)); err != nil {
			return lines, fmt.Errorf("line %d: %w", lines, err)
		}
	}
	if err := f.Truncate(size); err != nil {
		return lines, err
	}
	_, err = f.Seek(size, io.SeekStart)
	return lines, err
}

// sealedID names one episode of a ledger.
type sealedID struct {
	key  ledgerKey
	seed int64
}

// openRun is an episode that has not ended yet.
type openRun struct {
	run     *sealedRun
	actions []json.RawMessage
}

// reader takes the lines of a ledger.
type reader struct {
	ledger *Ledger
	origin LedgerOrigin
	open   map[sealedID]*openRun
}

// take reads one line.
func (r *reader) take(line int, data []byte) error {
	var x ledgerLine
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	if line == 1 {
		return r.check(&x)
	}
	id := sealedID{ledgerKey{x.Token, x.Task, x.Split}, x.Seed}
	run := r.open[id]
	if run == nil && (x.Event == eventStep || x.Event == eventEnd) {
		return fmt.Errorf("%s of %s seed %d, which was not begun", x.Event, x.Task, x.Seed)
	}
	switch x.Event {
	case eventBegin:
		opts := triage.ResetOptions{Seed: x.Seed, Split: x.Split, EpisodeID: x.EpisodeID, OnInvalid: x.OnInvalid, Rewards: triage.RewardsEpisode}
		r.open[id] = &openRun{run: &sealedRun{ledger: r.ledger, key: id.key, opts: opts}}
		r.ledger.next[id.key] = max(r.ledger.next[id.key], x.Seed+1)
	case eventStep:
		run.actions = append(run.actions, x.Action)
	case eventEnd:
		delete(r.open, id)
	default:
		return fmt.Errorf("unknown event %q", x.Event)
	}
	return nil
}

// takeEpisode notes the key of a graded episode that is kept already.
func (r *reader) takeEpisode(_ int, data []byte) error {
	var x struct {
		Key *triage.Key `json:"key"`
	}
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	if x.Key == nil {
		return errors.New("no episode: it has no key")
	}
	r.ledger.kept[x.Key.String()] = true
	return nil
}

// check holds the first line against what this server plays.
func (r *reader) check(x *ledgerLine) error {
	if x.Event != eventOrigin || x.Schema != ledgerSchema || x.Origin == nil {
		return fmt.Errorf("not a ledger: the first line has not the schema %s", ledgerSchema)
	}
	if *x.Origin != r.origin {
		return fmt.Errorf("the ledger is of other tickets (%s) than this server plays (%s): begin another", x.Origin, &r.origin)
	}
	return nil
}

// close plays what was left open to its end.
func (r *reader) close(ctx context.Context, newEnv func(triage.Task, triage.Split) (triage.Env, error)) error {
	ids := make([]sealedID, 0, len(r.open))
	for id := range r.open {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return fmt.Sprint(ids[i]) < fmt.Sprint(ids[j]) })
	for _, id := range ids {
		x := r.open[id]
		task, err := triage.TaskByName(id.key.task)
		if err != nil {
			return err
		}
		env, err := newEnv(task, id.key.split)
		if err != nil {
			return err
		}
		if err := x.run.replay(ctx, env, x.actions); err != nil {
			return fmt.Errorf("close %s seed %d of token %s: %w", id.key.task, id.seed, id.key.token, err)
		}
	}
	return nil
}
