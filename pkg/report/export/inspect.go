package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Inspect writes logs of inspect_ai (its JSON form, version 2), one for each run, agent and task, with a sample a ticket (queue and
// imported tickets) or an episode (desk); trials are epochs. Scores and parts are scores of the log, each with its mean and standard
// error (clustered by scenario, as inspect_ai's stderr(cluster=…) has it). What broke counts as 0 in them, as in the project's
// tables, and makes the log's status "error".
type Inspect struct {
	create CreateLog
	logs   []*inspectLog
	by     map[junitKey]*inspectLog
}

var _ Writer = (*Inspect)(nil)

// CreateLog writes a log: write gives its bytes. name is that of a file, such as 2026-11-30T03-16-48_queue-hard_heuristic.json.
type CreateLog func(name string, write func(io.Writer) error) error

// NewInspect collects logs, which create writes when the writer is closed.
func NewInspect(create CreateLog) *Inspect {
	return &Inspect{create: create, by: map[junitKey]*inspectLog{}}
}

// inspectLog is a log in the making. Its samples are held as JSON: what is counted stands before them in the file.
type inspectLog struct {
	junitKey
	chunks   [][]byte // of samples
	samples  int
	broken   int // episodes
	episodes int
	tally    inspectTally
	epochs   int
	usage    *triage.Usage
	enc      triage.Encoder
}

// Logs is how many logs there are so far.
func (x *Inspect) Logs() int { return len(x.logs) }

// Episode adds the samples of an episode.
func (x *Inspect) Episode(src *Source, ep *results.Logged) error {
	list, err := Tickets(ep)
	if err != nil {
		return err
	}
	key := junitKey{src, ep.Key.Agent, ep.Key.Task}
	l := x.by[key]
	if l == nil {
		l = &inspectLog{junitKey: key, tally: newInspectTally()}
		x.by[key], x.logs = l, append(x.logs, l)
	}
	l.episodes++
	l.epochs = max(l.epochs, ep.Key.Trial+1)
	if ep.Ended == triage.EndedError {
		l.broken++
		l.tally.breaks(ep.Key, list)
	}
	for i := range list {
		t := &list[i]
		if ep.Ended != triage.EndedError {
			l.tally.add(t)
		}
		l.usage = addUsage(l.usage, t.Usage)
		l.sample(t)
	}
	return nil
}

// chunkSize is how much is held in one piece: growing one slice would copy it again and again.
const chunkSize = 1 << 20

// keep moves what is encoded into the log's chunks.
func (l *inspectLog) keep() {
	b := l.enc.Buf
	if n := len(l.chunks); n > 0 && cap(l.chunks[n-1])-len(l.chunks[n-1]) >= len(b) {
		l.chunks[n-1] = append(l.chunks[n-1], b...)
	} else {
		l.chunks = append(l.chunks, append(make([]byte, 0, max(chunkSize, len(b))), b...))
	}
	l.enc.Buf = b[:0]
}

// Close writes the logs, in the order in which they began.
func (x *Inspect) Close() error {
	for _, l := range x.logs {
		if err := x.create(l.fileName(), l.write); err != nil {
			return err
		}
	}
	return nil
}

// created is when the run was finished; the log needs a time, and the beginning of 1970 stands for one that is not known.
func (l *inspectLog) created() string {
	if l.src.Created == "" {
		return "1970-01-01T00:00:00+00:00"
	}
	return strings.Replace(l.src.Created, "Z", "+00:00", 1)
}

// fileName is the log's name as inspect_ai has it: time, task, and an id, with signs that a file name cannot hold replaced.
func (l *inspectLog) fileName() string {
	time, _, _ := strings.Cut(l.created(), "+")
	agent := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, clipped(l.agent, 60))
	return fmt.Sprintf("%s_%s_%s-%s.json", strings.ReplaceAll(time, ":", "-"), l.task, l.id("task")[:8], agent)
}

// clipped cuts a text to a number of bytes, which the caller makes a name of.
func clipped(s string, most int) string { return s[:min(len(s), most)] }

// id is a name that is the same whenever the same run is written.
func (l *inspectLog) id(of string) string {
	h := sha256.New()
	for _, s := range []string{of, l.src.Name, l.src.Generator, l.src.Split, l.src.Created, l.agent, l.task} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:22]
}

// model is what the log calls the agent.
func (l *inspectLog) model() string {
	if m := l.src.Models[l.agent]; m != "" {
		return m
	}
	return "triage/" + l.agent
}

// write writes the whole log.
func (l *inspectLog) write(w io.Writer) error {
	head, err := json.Marshal(l.header())
	if err != nil {
		return err
	}
	if _, err := w.Write(append(head[:len(head)-1], `,"samples":[`...)); err != nil {
		return err
	}
	for _, c := range l.chunks {
		if _, err := w.Write(c); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

// header is everything of the log but its samples. The keys are inspect_ai's.
func (l *inspectLog) header() map[string]any {
	src := l.src
	usage := map[string]any{}
	if u := usageObject(l.usage); u != nil {
		usage[l.model()] = u
	}
	about := map[string]any{"agent": l.agent, "run": src.Name, "generator": src.Generator, "grader": src.Grader, "split": src.Split, "bank": src.Bank}
	out := map[string]any{
		"version": 2, "status": "success",
		"eval": map[string]any{"eval_id": l.id("eval"), "run_id": l.id("run"), "task_id": l.id("task"), "created": l.created(), "task": l.task,
			"task_version": 0, "task_attribs": map[string]any{}, "task_args": map[string]any{}, "model": l.model(), "model_args": map[string]any{},
			"dataset": map[string]any{"name": l.task, "samples": len(l.tally.order), "shuffled": false},
			"config":  map[string]any{"epochs": l.epochs, "epochs_reducer": []string{"mean"}}, "packages": map[string]any{}, "metadata": about},
		"plan":    map[string]any{"name": "plan", "steps": []any{map[string]any{"solver": "triage", "params": map[string]any{"agent": l.agent}}}, "config": map[string]any{}},
		"results": map[string]any{"total_samples": l.tally.planned, "completed_samples": l.tally.completed, "scores": l.tally.scores()},
		"stats":   map[string]any{"started_at": l.created(), "completed_at": l.created(), "model_usage": usage, "role_usage": map[string]any{}},
	}
	if l.broken > 0 { // the key must be missing otherwise
		out["status"] = "error"
		out["error"] = map[string]any{"message": fmt.Sprintf("%d of %d episodes broke through no fault of the agent; they count as 0", l.broken, l.episodes),
			"traceback": "", "traceback_ansi": ""}
	}
	return out
}

// usageObject is what was used, or nil where that is not known.
func usageObject(u *triage.Usage) map[string]any {
	if u == nil || !u.TokensIn.Set || !u.TokensOut.Set {
		return nil
	}
	out := map[string]any{"input_tokens": u.TokensIn.Value, "output_tokens": u.TokensOut.Value, "total_tokens": u.TokensIn.Value + u.TokensOut.Value}
	if u.TokensCached.Set {
		out["input_tokens_cache_read"] = u.TokensCached.Value
	}
	if u.TokensReasoning.Set {
		out["reasoning_tokens"] = u.TokensReasoning.Value
	}
	return out
}
