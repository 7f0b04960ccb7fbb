package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/report/export"
	"github.com/triagebench/triage/pkg/results"
)

// standardInput is what messages call it.
const standardInput = "standard input"

// reportRun is a run that is reported: a folder, a results file, or a log of episodes.
type reportRun struct {
	name    string
	options *reportOptions
	folder  *results.Folder  // or
	stored  *results.Results // or
	log     io.Reader
	labels  []string  // of imported tickets: what the first episode of a log asks for
	closer  io.Closer // or nil
	source  *export.Source
	// What reading found: episodes that there are, and that are kept; whether the last line was torn; agents, by appearance.
	read, kept int
	torn       bool
	agents     []string
}

// close closes what was opened for reading.
func (r *reportRun) close() {
	if r.closer != nil {
		_ = r.closer.Close() // nothing is lost
	}
}

// open opens the runs. Those that are open are given with an error too.
func (o *reportOptions) open() ([]*reportRun, error) {
	var out []*reportRun
	for _, name := range o.Runs {
		r, err := o.openRun(name)
		if r != nil {
			out = append(out, r)
		}
		if err != nil {
			return out, err
		}
		if r.stored != nil && !sumsUp(o.Format) {
			return out, usageError("%s is a results file, which has no single tickets: --format %s needs the run folder (triage run --out DIR); "+
				"for results files there are table, markdown, json and github", r.name, o.Format)
		}
		if r.stored != nil && o.costs.Matrix != "" {
			return out, usageError("%s is a results file, which has no single tickets: --cost-matrix needs the run folder (triage run --out DIR)", r.name)
		}
		if r.folder == nil && o.Format == formatHTML {
			return out, usageError("--format html needs run folders (triage run --out DIR), which %s is not", r.name)
		}
	}
	return out, nil
}

// openRun opens what stands under a name: - is standard input, results of the program's own have the name of their file.
func (o *reportOptions) openRun(name string) (*reportRun, error) {
	r := &reportRun{name: name, options: o, source: &export.Source{Name: name}}
	if name == "-" {
		r.name, r.source.Name = standardInput, standardInput
		return r, r.sniff(o.app.In)
	}
	f, err := o.app.OpenFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if data, embedded := fs.ReadFile(baselines.Files, "scores/"+filepath.Base(strings.TrimSuffix(name, ".json"))+".json"); embedded == nil &&
			slices.Contains([]string{".", "scores", storedFolder}, filepath.ToSlash(filepath.Dir(name))) {
			return r, r.sniff(bytes.NewReader(data))
		}
		return nil, noSource(name)
	}
	if err != nil {
		return nil, fileProblem("open run", name, err)
	}
	r.closer = f
	info, err := f.Stat()
	switch {
	case err != nil:
		return r, fileProblem("read", name, err)
	case info.IsDir():
		r.close()
		return r, r.openFolder()
	}
	return r, r.sniff(f)
}

// openFolder opens a run folder.
func (r *reportRun) openFolder() error {
	root, err := r.options.app.OpenExisting(r.name)
	if err != nil {
		return fileProblem("open run", r.name, err)
	}
	r.closer = root
	if !exists(root, results.RunFile) {
		return noRun(root, r.name)
	}
	if r.folder, err = results.OpenFolder(root); err != nil {
		return err
	}
	s := r.folder.Settings
	r.source = &export.Source{Name: r.name, Generator: s[settingGenerator], Grader: s[settingGrader], Split: s[settingSplit], Bank: s[settingBank], Models: map[string]string{}}
	for _, a := range r.folder.Agents() {
		if m := r.folder.AgentSettings(a)["model"]; m != "" {
			r.source.Models[a] = m
		}
		if f := r.folder.ResultsOf(a); f != nil && f.Meta != nil {
			r.source.Created = max(r.source.Created, f.Meta.Finished)
		}
	}
	return nil
}

// sniff finds out whether a file is a log of episodes or a results file.
func (r *reportRun) sniff(in io.Reader) error {
	b := bufio.NewReaderSize(in, 1<<16)
	head, err := b.Peek(len(logHead))
	if err != nil && !errors.Is(err, io.EOF) {
		return fileProblem("read", r.name, err)
	}
	switch {
	case len(head) == 0:
		return usageError("%s is empty: it is neither an episodes.jsonl nor a results file", r.name)
	case string(head) == logHead:
		return r.begin(b)
	}
	r.stored, err = results.ReadResults(b, r.name)
	return err
}

// mostFirst is the longest first line of a log that is looked at: 64 MiB.
const mostFirst = 64 << 20

// begin reads the first line of a log, to find out whether its tickets are imported, and puts it back.
func (r *reportRun) begin(b *bufio.Reader) error {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if err == nil || errors.Is(err, io.EOF) || len(line) > mostFirst {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return fileProblem("read", r.name, err)
		}
	}
	r.log = io.MultiReader(bytes.NewReader(line), b)
	var first struct {
		Steps []struct {
			Observation struct {
				Labels map[string]json.RawMessage `json:"labels"`
			} `json:"observation"`
		} `json:"steps"`
	}
	if json.Unmarshal(line, &first) != nil || len(first.Steps) == 0 { // reading the log says what is wrong
		return nil
	}
	for name := range first.Steps[0].Observation.Labels {
		r.labels = append(r.labels, name)
	}
	return nil
}

// logHead begins every line of a log of episodes.
const logHead = `{"key":`

// episodes calls each for every episode that is asked for, in the order of the run or log.
func (r *reportRun) episodes(ctx context.Context, each func(*results.Logged) error) error {
	r.read, r.kept, r.agents = 0, 0, nil
	take := func(ep *results.Logged) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		r.read++
		if !slices.Contains(r.agents, ep.Key.Agent) {
			r.agents = append(r.agents, ep.Key.Agent)
		}
		if !r.options.keeps(ep.Key) {
			return nil
		}
		r.kept++
		return each(ep)
	}
	var err error
	if r.folder != nil {
		r.torn, err = r.folder.Episodes(take)
	} else {
		err = results.ReadLog(r.log, r.name, func(_ int, ep *results.Logged) error { return take(ep) })
	}
	return err
}

// knownAgents refuses an agent of --agent that is in none of the runs, as far as these say which they have before they are read.
func (o *reportOptions) knownAgents(runs []*reportRun) error {
	var known []string
	for _, r := range runs {
		switch {
		case r.folder != nil:
			known = append(known, r.folder.Agents()...)
		case r.stored != nil:
			known = append(known, r.stored.Agent)
		default: // a log
			return nil
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, a := range o.Agents {
		if !slices.Contains(known, a) {
			return usageError("--agent %s is in none of %s: their agents are %s%s", a, joinNames(runs), strings.Join(known, ", "), near.Hint(a, known))
		}
	}
	return nil
}

// empty is the error of runs of which nothing is left.
func (o *reportOptions) empty(runs []*reportRun) error {
	read, agents := 0, []string{}
	for _, r := range runs {
		read += r.read
		for _, a := range r.agents {
			if !slices.Contains(agents, a) {
				agents = append(agents, a)
			}
		}
	}
	switch {
	case read == 0:
		return usageError("%s: no episode is finished yet: there is nothing to report", joinNames(runs))
	case o.filters() != "":
		return usageError("no episode of %s is left by %s: its agents are %s", joinNames(runs), o.filters(), strings.Join(agents, ", "))
	}
	return usageError("%s: there is nothing to report", joinNames(runs))
}

func joinNames(runs []*reportRun) string {
	out := make([]string, len(runs))
	for i, r := range runs {
		out[i] = r.name
	}
	return join(out)
}
