package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/report/export"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// planned is how many episodes the run is to have; 0 where that is not known.
func (r *reportRun) planned() int {
	if r.folder == nil {
		return 0
	}
	total, err := strconv.Atoi(r.folder.Settings[settingEpisodes])
	if err != nil {
		return 0
	}
	if s, err := parseShard(r.folder.Settings[results.ShardSetting]); err == nil && s.N > 1 {
		total = (total - s.I + s.N) / s.N
	}
	return total
}

// complete tells whether all episodes that were read are all that there are to be, as far as that is known.
func (r *reportRun) complete() bool { return r.read >= r.planned() }

// tell says on the side how far the run is, if it is not over.
func (r *reportRun) tell(app *App) {
	switch {
	case r.folder == nil:
	case r.options.Format == formatHTML: // it reads the run itself
		if !r.folder.Complete {
			app.warn("%s is not complete: it goes on or was interrupted (--resume)", r.name)
		}
	case !r.complete():
		app.warn("%s is not complete: %d of %d episodes are finished; it goes on or was interrupted (--resume)", r.name, r.read, r.planned())
	}
}

// parts are the parts of answers, for formats with columns of them: of the tasks and label columns that the runs name.
func (o *reportOptions) parts(runs []*reportRun) []string {
	var tasks []triage.Task
	var columns []string
	for _, t := range triage.Tasks() {
		if slices.ContainsFunc(runs, func(r *reportRun) bool { return r.mayHave(t.Name) }) && o.keepsTask(t.Name) {
			tasks = append(tasks, t)
		}
	}
	for _, r := range runs {
		for _, c := range r.labelColumns() {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	return export.PartsOf(tasks, columns)
}

// keepsTask tells whether episodes of a task are asked for.
func (o *reportOptions) keepsTask(name string) bool {
	only := reportOptions{Tasks: o.Tasks, Difficulties: o.Difficulties, Tracks: o.Tracks}
	return only.keeps(triage.Key{Task: name})
}

// mayHave tells whether the run may have episodes of a generated task: it is in its plan, or there is no plan.
func (r *reportRun) mayHave(task string) bool {
	if r.folder == nil {
		return r.labels == nil
	}
	for name := range r.folder.Settings {
		if name == "episodes of "+task || strings.HasPrefix(name, "episodes of "+task+" ") {
			return true
		}
	}
	return false
}

// columnSetting begins the names of the settings of label columns.
const columnSetting = "column "

// labelColumns are the label columns of imported tickets, sorted.
func (r *reportRun) labelColumns() []string {
	var out []string
	if r.folder == nil {
		out = slices.Clone(r.labels)
	} else if r.folder.Settings[settingFile] != "" {
		for name := range r.folder.Settings {
			if c, ok := strings.CutPrefix(name, columnSetting); ok {
				out = append(out, c)
			}
		}
	}
	slices.Sort(out)
	return out
}

// groups is how many logs the plans have, for the format with a file each: agents times tasks.
func (o *reportOptions) groups(runs []*reportRun) int {
	n := 0
	for _, r := range runs {
		if r.folder == nil {
			continue
		}
		tasks := 0
		for _, t := range triage.Tasks() {
			if r.mayHave(t.Name) && o.keepsTask(t.Name) {
				tasks++
			}
		}
		if r.folder.Settings[settingFile] != "" && o.keepsTask(string(triage.Dataset)) {
			tasks++
		}
		for _, a := range r.folder.Agents() {
			if len(o.Agents) == 0 || slices.Contains(o.Agents, a) {
				n += tasks
			}
		}
	}
	return n
}
