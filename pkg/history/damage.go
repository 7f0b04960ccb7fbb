package history

import (
	"errors"
	"fmt"
	"os"

	"github.com/triagebench/triage/pkg/results"
)

// damage holds the results files of a run against the episodes that are there: a run that was summed up from episodes that are gone, cut
// off or others is Damaged. What cannot be read of the episodes is damage too. A run without results files has none.
func (k *known) damage(root *os.Root, has map[string]bool, e *Entry) error {
	if len(e.Results) == 0 || e.State == Running {
		return nil
	}
	name := results.EpisodesFile
	if e.State != Complete && has[results.JournalFile] {
		name = results.JournalFile // progress counted it
	} else if err := k.episodes(root, has); err != nil {
		e.State, e.Problem = Damaged, err.Error()
		return nil
	}
	for _, r := range e.Results {
		for i := range r.Tasks {
			t := &r.Tasks[i]
			told, there := plus(t.N, t.Errors), k.count.of[share{r.Agent, t.Task.Name}]
			if told != there {
				e.State, e.Problem = Damaged, fmt.Sprintf("the results of %s tell of %s of %s, %s holds %d", r.Agent, counted(told, "episode"), t.Task.Name, name, there)
				e.Done, e.Broke = k.count.done(), k.count.broke
				return nil
			}
		}
	}
	if e.State == Complete && e.Done != k.count.done() {
		e.State, e.Problem = Damaged, fmt.Sprintf("the results tell of %s, %s holds %d", counted(e.Done, "episode"), name, k.count.done())
		e.Done, e.Broke = k.count.done(), k.count.broke
	}
	return nil
}

// episodes counts the file of episodes of a run that was summed up.
func (k *known) episodes(root *os.Root, has map[string]bool) (err error) {
	if !has[results.EpisodesFile] {
		k.count = counter{}
		return fmt.Errorf("it has results and no %s", results.EpisodesFile)
	}
	f, err := results.OpenRegular(root, results.EpisodesFile)
	if err != nil {
		return fmt.Errorf("%s: %w", results.EpisodesFile, cause(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := k.count.read(f); err != nil {
		return fmt.Errorf("%s: %w", results.EpisodesFile, err)
	}
	return nil
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
