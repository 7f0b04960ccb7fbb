package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// ShardSetting is the setting of a run that says which part of a plan it played, as i/n.
const ShardSetting = "shard"

// entry is where an episode stands in the folders that are merged.
type entry struct {
	key    triage.Key
	folder int
	offset int64
	size   int
}

// Merge writes the episodes of several shards of one run into one run folder, in the plan's order: agents as the run names
// them, tasks as tables print them, then seeds and positions. The folders must be the shards 1/n to n/n of runs with equal
// settings. take is called with every episode, in that order.
func Merge(into *os.Root, folders []*os.Root, agents []string, take func(*Logged) error) (Settings, error) {
	settings, err := shardsOf(folders)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{RunFile, JournalFile, EpisodesFile} {
		if _, err := into.Lstat(name); err == nil {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: into.Name() + " holds a run already: give another --out"}
		}
	}
	files := make([]*os.File, len(folders))
	defer func() {
		for _, f := range files {
			if f != nil {
				_ = f.Close() // opened for reading
			}
		}
	}()
	var entries []entry
	for i, root := range folders {
		if files[i], err = OpenRegular(root, EpisodesFile); err != nil {
			return nil, fileError("open", root, EpisodesFile, err)
		}
		found, err := index(files[i], filepath.Join(root.Name(), EpisodesFile), i)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found...)
	}
	if len(agents) == 0 {
		agents = SplitAgents(settings[AgentsSetting])
	}
	sortEntries(entries, agents)
	for i := 1; i < len(entries); i++ {
		if entries[i].key == entries[i-1].key {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("episode %s is in %s and in %s", entries[i].key,
				folders[entries[i-1].folder].Name(), folders[entries[i].folder].Name())}
		}
	}
	for _, e := range entries {
		if !settings.Plans(e.key) {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("episode %s in %s is not in the plan of the run", e.key, folders[e.folder].Name())}
		}
	}
	return settings, writeMerged(into, settings, entries, files, take)
}

// writeMerged writes the episodes, and run.json last: without it the folder holds no run, and a second try may use it.
func writeMerged(into *os.Root, settings Settings, entries []entry, files []*os.File, take func(*Logged) error) error {
	err := WriteFile(into, EpisodesFile, func(w io.Writer) error {
		for _, e := range entries {
			line := make([]byte, e.size)
			if _, err := files[e.folder].ReadAt(line, e.offset); err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
			ep, err := parseLogged(line)
			if err != nil {
				return err
			}
			if err := take(ep); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = WriteFile(into, RunFile, settings.write)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(into.Remove(EpisodesFile)))
	}
	return nil
}

// planned reads what [Settings] say of the episodes of a task.
const planned = "seeds %d to %d"

// Plans tells whether an episode belongs to the run that the settings describe. Settings that describe no episodes plan
// every one.
func (s Settings) Plans(k triage.Key) bool {
	if trials, err := strconv.Atoi(s[TrialsSetting]); k.Trial < 0 || k.Trial > 0 && (err != nil || k.Trial >= trials) {
		return false
	}
	if agents, ok := s[AgentsSetting]; ok && !slices.Contains(SplitAgents(agents), k.Agent) {
		return false
	}
	described := false
	for name, value := range s {
		task, ok := strings.CutPrefix(name, "episodes of ")
		if !ok {
			continue
		}
		described = true
		task, _, _ = strings.Cut(task, " (")
		var first, last int64
		if n, err := fmt.Sscanf(value, planned, &first, &last); n == 2 && err == nil && task == k.Task && k.Seed >= first && k.Seed <= last {
			return true
		}
	}
	return !described
}

// shardsOf checks that the folders are all shards of one run, and gives the settings of the whole.
func shardsOf(folders []*os.Root) (Settings, error) {
	refuse := func(format string, args ...any) (Settings, error) {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf(format, args...)}
	}
	var first Settings
	total := 0
	seen := map[int]string{}
	for _, root := range folders {
		s, err := ReadSettings(root)
		if err != nil {
			return nil, err
		}
		i, n, ok := parseShard(s[ShardSetting])
		if !ok {
			return refuse("%s: the run's shard %q is not i/n", root.Name(), s[ShardSetting])
		}
		if had, ok := seen[i]; ok && n == total {
			return refuse("%s and %s are both shard %s", had, root.Name(), s[ShardSetting])
		}
		seen[i] = root.Name()
		s[ShardSetting] = "1/1"
		maps.DeleteFunc(s, func(name, _ string) bool { return strings.HasPrefix(name, PathSetting) })
		if first == nil {
			first, total = s, n
			continue
		}
		diff := first.Differences(s)
		if n != total {
			diff = append(diff, Difference{Name: "number of shards", Was: strconv.Itoa(total), Is: strconv.Itoa(n)})
		}
		if len(diff) > 0 {
			return refuse("%s and %s are not shards of one run: %s", folders[0].Name(), root.Name(), joinDifferences(diff))
		}
	}
	if first == nil {
		return refuse("there is no run to merge")
	}
	const most = 10 // that are named
	var missing []string
	for i := 1; i <= total && len(missing) < most; i++ {
		if seen[i] == "" {
			missing = append(missing, fmt.Sprintf("%d/%d", i, total))
		}
	}
	if absent := total - len(seen); absent > 0 {
		if absent > len(missing) {
			missing = append(missing, fmt.Sprintf("and %d more", absent-len(missing)))
		}
		return refuse("these shards are missing: %s", strings.Join(missing, ", "))
	}
	return first, nil
}

// parseShard reads i/n with 1 ≤ i ≤ n.
func parseShard(text string) (i, n int, ok bool) {
	a, b, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	return i, n, err1 == nil && err2 == nil && i >= 1 && i <= n
}

// index finds the episodes of a log.
func index(f *os.File, name string, folder int) ([]entry, error) {
	r := bufio.NewReaderSize(f, 1<<16)
	var out []entry
	offset := int64(0)
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if len(data) > 0 {
			ep, perr := parseLogged(bytes.TrimSpace(data))
			if perr != nil || data[len(data)-1] != '\n' {
				return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: not a whole episode", name, line), Err: perr}
			}
			out = append(out, entry{key: ep.Key, folder: folder, offset: offset, size: len(data)})
			offset += int64(len(data))
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d", name, line), Err: err}
		}
	}
}

func sortEntries(list []entry, agents []string) {
	agentRank, taskRank := map[string]int{}, map[string]int{}
	for i, a := range agents {
		agentRank[a] = i
	}
	for i, t := range triage.Tasks() {
		taskRank[t.Name] = i
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i].key, &list[j].key
		switch {
		case agentRank[a.Agent] != agentRank[b.Agent]:
			return agentRank[a.Agent] < agentRank[b.Agent]
		case taskRank[a.Task] != taskRank[b.Task]:
			return taskRank[a.Task] < taskRank[b.Task]
		case a.Trial != b.Trial:
			return a.Trial < b.Trial
		case a.Seed != b.Seed:
			return a.Seed < b.Seed
		}
		return a.Position.Value < b.Position.Value
	})
}
