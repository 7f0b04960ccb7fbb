package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/synth"
)

type mergeOptions struct {
	app              *App
	Folders          []string
	Out              string
	SecretFile, Bank string
	NoFloor          bool
	MaxErrors        int
	Format           string
}

func newMergeCmd(app *App, run func(context.Context, *mergeOptions) error) *cobra.Command {
	o := &mergeOptions{app: app}
	cmd := &cobra.Command{Use: "merge DIR...", Short: "Put the shards of a run together",
		Long: `Takes the run folders of all shards (triage run --shard i/n --out DIR) and writes one with the episodes in the plan's
order: the same bytes as those of a run without shards and with --no-meta. Floors are played here; that takes the bank and
the secret of the shards.`,
		Example: `  triage run --agent heuristic --shard 1/2 --no-floor --out results/one
  triage run --agent heuristic --shard 2/2 --no-floor --out results/two
  triage merge results/one results/two --out results/whole`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%stakes the run folders of all shards; see `%s --help`", place(cmd), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Folders = args
			if o.Out == "" {
				return usageError("--out DIR is missing: where to write the whole run")
			}
			return run(cmd.Context(), o)
		}}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "", "`folder` to write the whole run to")
	f.StringVar(&o.SecretFile, "secret-file", "", "`file` with the secret of the shards, to play the floors")
	f.StringVar(&o.Bank, "bank", "", "`folder` with the bank of the shards, to play the floors")
	f.BoolVar(&o.NoFloor, "no-floor", false, "do not play the degenerate agents that give a score its floor")
	intFlag(f, &o.MaxErrors, "max-errors", 0, "episodes that may have broken before the exit code is 3")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	return cmd
}

func runMerge(ctx context.Context, o *mergeOptions) error {
	session, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return err
	}
	folders, err := openShards(o)
	defer func() {
		for _, f := range folders {
			_ = f.Close() // handles of folders: nothing is lost
		}
	}()
	if err != nil {
		return err
	}
	into, err := o.app.OpenRoot(o.Out)
	if err != nil {
		return err
	}
	defer func() { _ = into.Close() }() // a handle of a folder: nothing is lost
	m := merged{records: map[string]map[string][]results.Record{}, models: results.NewModels()}
	settings, err := results.Merge(into, folders, nil, m.take)
	if err != nil {
		return err
	}
	learned, err := mergeLearned(into, folders)
	if err != nil {
		return err
	}
	r, err := m.result(o, &storedRun{app: o.app, session: session, folder: o.Folders[0], settings: settings, learned: learned})
	if err != nil {
		return err
	}
	if err := r.mergeFloors(ctx, o.NoFloor); err != nil {
		return err
	}
	if err := errors.Join(r.writeFolder(), r.print()); err != nil {
		return err
	}
	return brokenEpisodes(r.agents, o.MaxErrors)
}

// mergeLearned puts together what the models of all shards were found to refuse.
func mergeLearned(into *os.Root, folders []*os.Root) (map[string]wire.Learned, error) {
	out := map[string]wire.Learned{}
	for _, f := range folders {
		learned, err := runLearned(f)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, learned)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, writeLearned(into, results.LearnedFile, out)
}

// openShards opens the folders and checks, before anything is written, that they hold whole shards of generated tickets.
func openShards(o *mergeOptions) (folders []*os.Root, err error) {
	for _, name := range o.Folders {
		if _, err := o.app.ReadFile(filepath.Join(name, results.RunFile)); err != nil {
			return folders, fileProblem("read run", filepath.Join(name, results.RunFile), err)
		}
		root, err := o.app.OpenRoot(name)
		if err != nil {
			return folders, err
		}
		folders = append(folders, root)
		s, err := results.ReadSettings(root)
		if err != nil {
			return folders, err
		}
		if s[settingFile] != "" {
			return folders, usageError("%s: shards of imported tickets cannot be merged: their labels are in the tickets' file", name)
		}
		n, err := countLines(root, results.EpisodesFile)
		if err != nil {
			return folders, err
		}
		shard, err := parseShard(s[results.ShardSetting])
		if err != nil {
			return folders, usageError("%s: %v", filepath.Join(name, results.RunFile), err)
		}
		total, err := strconv.Atoi(s[settingEpisodes])
		if err != nil {
			return folders, usageError("%s: it does not say how many episodes the run has", filepath.Join(name, results.RunFile))
		}
		if want := (total - shard.I + shard.N) / shard.N; n != want {
			return folders, usageError("%s holds %d of the %d episodes of its shard: finish it with --resume", name, n, want)
		}
	}
	return folders, nil
}

func countLines(root *os.Root, name string) (int, error) {
	f, err := root.Open(name)
	if err != nil {
		return 0, fileProblem("open", filepath.Join(root.Name(), name), err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	n, buf := 0, make([]byte, 1<<16)
	for {
		k, err := f.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, fileProblem("read", filepath.Join(root.Name(), name), err)
		}
	}
}

// merged collects what results need of the episodes, which come in the plan's order.
type merged struct {
	records     map[string]map[string][]results.Record
	groups      []runner.Group
	models      *results.Models
	reliability results.Reliability
	taken       int
}

func (m *merged) take(ep *results.Logged) error {
	k := ep.Key
	if m.records[k.Agent] == nil {
		m.records[k.Agent] = map[string][]results.Record{}
	}
	whole := ep.Episode()
	m.records[k.Agent][k.Task] = append(m.records[k.Agent][k.Task], results.RecordOf(whole))
	m.models.Add(m.taken, whole)
	m.reliability.Add(whole)
	m.taken++
	m.groups = appendEpisode(m.groups, k)
	return nil
}

// result makes of the episodes what a run without shards has at its end.
func (m *merged) result(o *mergeOptions, run *storedRun) (*playResult, error) {
	r, err := run.result(m.groups)
	if err != nil {
		return nil, err
	}
	options := r.options
	options.Out, options.NoMeta, options.Format = o.Out, true, o.Format
	options.cast.models = m.models
	if options.cast.reliability != nil {
		options.cast.reliability = &m.reliability
	}
	r.records = m.records
	r.summarize(m.records)
	r.setModels()
	return r, nil
}

// mergeFloors plays the floors, where bank and secret are those of the shards.
func (r *playResult) mergeFloors(ctx context.Context, without bool) error {
	if without {
		return nil
	}
	s, g := r.play.engine.settings, r.play.generated
	reason := ""
	switch {
	case s[settingGenerator] != g.session.generator():
		reason = fmt.Sprintf("the shards were played with generator %s, not %s: floors need their --bank and program", s[settingGenerator], g.session.generator())
	case s[settingSecret] != synth.Fingerprint(g.session.secret):
		reason = "the shards were played with another secret: floors need their --secret-file"
	}
	if reason == "" {
		floors, err := g.floors(ctx, r.play.engine.plan, runner.Shard{}, r.options.Agents[0])
		r.setFloors(floors)
		return err
	}
	r.say("No floors: %s.", reason)
	for i := range r.agents {
		for j := range r.agents[i].Tasks {
			r.agents[i].Tasks[j].Floor = &results.Floor{Reason: reason, Score: math.NaN()}
		}
	}
	return nil
}
