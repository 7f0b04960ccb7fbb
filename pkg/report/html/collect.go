package html

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// runInfo is what the page says of a run.
type runInfo struct {
	name     string
	settings results.Settings
	agents   []string
	complete bool
	episodes int
	meta     *results.Meta
	source   *results.SourceFile
}

// names numbers texts in the order in which they come.
type names struct {
	list   []string
	places map[string]int
}

func newNames() *names { return &names{places: map[string]int{}} }

func (n *names) of(text string) int {
	if i, ok := n.places[text]; ok {
		return i
	}
	i := len(n.list)
	n.list, n.places[text] = append(n.list, text), i
	return i
}

// place is an agent of a run on a task.
type place struct {
	run         int
	agent, task string
}

// collector fills a page.
type collector struct {
	page      *Page
	tallies   map[place]*tally
	scenarios *names
	run       int
}

func newCollector(p *Page) *collector {
	return &collector{page: p, tallies: map[place]*tally{}, scenarios: newNames()}
}

// folder reads a run.
func (c *collector) folder(ctx context.Context, i int, name string, f *results.Folder) error {
	info := runInfo{name: clean(name), settings: f.Settings, agents: f.Agents(), complete: f.Complete}
	for _, r := range f.Results {
		if info.meta == nil {
			info.meta = r.Meta
		}
		if info.source == nil {
			info.source = r.Source
		}
	}
	c.run = i
	models, reliability := results.NewModels(), &results.Reliability{}
	confidences := &results.Confidences{}
	trials := f.Settings[results.TrialsSetting] != ""
	_, err := f.Episodes(func(l *results.Logged) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.page.options.Keep != nil && !c.page.options.Keep(l.Key) {
			return nil
		}
		info.episodes++
		ep := l.Episode()
		models.Add(info.episodes, ep)
		confidences.Add(ep)
		if trials {
			reliability.Add(ep)
		}
		t := c.tally(l.Key)
		list := ticketsOf(t.task.Track, l)
		t.add(l, ep, list)
		c.page.tickets.add(t, l, list)
		return nil
	})
	if err != nil && (ctx.Err() != nil || !c.nothingYet(f)) {
		return err
	}
	calls, err := readCalls(f)
	if err != nil {
		return err
	}
	c.missing(&info, f)
	for _, t := range c.tallies {
		if t.run == i {
			t.sumUp(f, models, reliability, calls)
			t.summary.Confidence = confidences.Of(t.agent, t.place.task)
			if cost := c.page.options.Cost; cost != nil {
				t.summary.Cost = cost(i, t.agent, t.place.task)
			}
		}
	}
	c.page.runs = append(c.page.runs, info)
	return nil
}

// missing notes what a run that was summed up lacks of its episodes: its page shows what is left. Of a run that goes on, or of a part that
// was chosen, nothing is missing.
func (c *collector) missing(info *runInfo, f *results.Folder) {
	if c.page.options.Keep != nil || c.page.options.Live != nil {
		return
	}
	for _, r := range f.Results {
		for i := range r.Tasks {
			name, logged := r.Tasks[i].Task.Name, 0
			if t := c.tallies[place{c.run, r.Agent, name}]; t != nil {
				logged = len(t.records)
			}
			if text := f.Missing(r.Agent, name, logged); text != "" {
				info.complete = false
				c.page.notes = append(c.page.notes, clean(fmt.Sprintf("%s is damaged: of %s on %s, %s.", info.name, r.Agent, name, text)))
			}
		}
	}
}

// nothingYet tells whether a run that is followed has just begun: it has no file of episodes.
func (c *collector) nothingYet(f *results.Folder) bool {
	_, episodes := f.Root.Lstat(results.EpisodesFile)
	_, journal := f.Root.Lstat(results.JournalFile)
	return c.page.options.Live != nil && errors.Is(episodes, fs.ErrNotExist) && errors.Is(journal, fs.ErrNotExist)
}

// tally finds what counts for an episode.
func (c *collector) tally(k triage.Key) *tally {
	at := place{c.run, k.Agent, k.Task}
	t := c.tallies[at]
	if t == nil {
		t = newTally(c, at)
		c.tallies[at] = t
	}
	return t
}

// finish puts the tallies into the order of tables: runs as they were given, agents as their run names them, then tasks.
func (c *collector) finish() {
	p := c.page
	for _, t := range c.tallies {
		p.tallies = append(p.tallies, t)
	}
	rank := func(t *tally) int {
		if i := slices.Index(p.runs[t.run].agents, t.agent); i >= 0 {
			return i
		}
		return len(p.runs[t.run].agents)
	}
	slices.SortFunc(p.tallies, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.agent, b.agent), compareTasks(a.task, b.task))
	})
	p.scenarios = c.scenarios.list
	p.nameSeries()
}

// compareTasks orders tasks as tables print them.
func compareTasks(a, b triage.Task) int {
	place := func(t triage.Task) int {
		tasks := triage.Tasks()
		if i := slices.IndexFunc(tasks, func(x triage.Task) bool { return x.Name == t.Name }); i >= 0 {
			return i
		}
		return len(tasks)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Name, b.Name))
}

// series is an agent of a run, as charts and tables name it.
type series struct {
	run   int
	agent string
	name  string
}

// nameSeries gives every agent a name: its own or, where two runs have it, with the run's.
func (p *Page) nameSeries() {
	runs := map[string]map[int]bool{}
	for _, t := range p.tallies {
		if runs[t.agent] == nil {
			runs[t.agent] = map[int]bool{}
		}
		runs[t.agent][t.run] = true
	}
	for _, t := range p.tallies {
		t.name = t.agent
		if len(runs[t.agent]) > 1 {
			t.name = t.agent + ", " + p.runs[t.run].name
		}
	}
}

// series lists the agents in the order of tables.
func (p *Page) series() []series {
	var out []series
	for _, t := range p.tallies {
		s := series{t.run, t.agent, t.name}
		if n := len(out); n == 0 || out[n-1] != s {
			out = append(out, s)
		}
	}
	return out
}

// readCalls counts the calls of a run's models; nil where it made none. A torn last line is left out.
func readCalls(f *results.Folder) (calls *results.Calls, err error) {
	file, err := results.OpenRegular(f.Root, results.CallsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	name := filepath.Join(f.Root.Name(), results.CallsFile)
	if err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "open " + name, Err: err}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	calls = results.NewCalls()
	r := bufio.NewReader(file)
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return calls, nil // what is left is a torn line
		}
		if err != nil {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: "read " + name, Err: err}
		}
		var call results.Call
		if err := json.Unmarshal(data, &call); err != nil {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: not a call", name, line), Err: err}
		}
		calls.Add(&call)
	}
}
