package results_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// shard plays the part i of n of the plan, its episodes in some order.
func shard(t testing.TB, i, n int, order []int) *os.Root {
	t.Helper()
	root := folder(t)
	s := results.Settings{}
	for k, v := range settings {
		s[k] = v
	}
	s[results.ShardSetting] = fmt.Sprintf("%d/%d", i, n)
	j := create(t, root, s)
	for _, place := range order {
		if place%n == i-1 {
			appendAll(t, j, place)
		}
	}
	finish(t, j)
	return root
}

func TestMergedShardsEqualAnUnshardedRun(t *testing.T) {
	t.Parallel()
	whole := shard(t, 1, 1, seq(planned))
	for trial := range 12 {
		n := 1 + trial%5
		order := rapid.Permutation(seq(planned)).Example(trial)
		var folders []*os.Root
		for _, i := range rapid.Permutation(seq(n)).Example(trial) {
			folders = append(folders, shard(t, i+1, n, order))
		}
		into := folder(t)
		var got []triage.Key
		s, err := results.Merge(into, folders, nil, func(ep *results.Logged) error {
			got = append(got, ep.Key)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{results.RunFile, results.EpisodesFile} {
			if d := cmp.Diff(read(t, whole, name), read(t, into, name)); d != "" {
				t.Errorf("%s of the whole run (-) and of its %d shards (+):\n%s", name, n, d)
			}
		}
		if d := cmp.Diff(settings, s); d != "" {
			t.Errorf("settings (-want +got):\n%s", d)
		}
		for place, k := range got {
			if k != keyAt(place) {
				t.Errorf("episode %d is %s, want %s", place, k, keyAt(place))
			}
		}
	}
}

func TestMergeRefusesWhatIsNotTheShardsOfOneRun(t *testing.T) {
	t.Parallel()
	part := func(t testing.TB, name string, change func(s results.Settings)) *os.Root {
		root := folder(t)
		s := results.Settings{}
		for k, v := range settings {
			s[k] = v
		}
		s[results.ShardSetting] = name
		if change != nil {
			change(s)
		}
		finish(t, create(t, root, s))
		return root
	}
	for _, tt := range []struct {
		name    string
		folders func(t testing.TB) []*os.Root
		want    string // with #0, #1 … for the folders
	}{
		{"none", func(testing.TB) []*os.Root { return nil }, "there is no run to merge"},
		{"one of two", func(t testing.TB) []*os.Root { return []*os.Root{part(t, "2/2", nil)} }, "these shards are missing: 1/2"},
		{"one of many", func(t testing.TB) []*os.Root { return []*os.Root{part(t, "1/1000000", nil)} },
			"these shards are missing: 2/1000000, 3/1000000, 4/1000000, 5/1000000, 6/1000000, 7/1000000, 8/1000000, 9/1000000, 10/1000000, 11/1000000, and 999989 more"},
		{"one twice", func(t testing.TB) []*os.Root { return []*os.Root{part(t, "1/2", nil), part(t, "1/2", nil)} }, "#0 and #1 are both shard 1/2"},
		{"of other numbers", func(t testing.TB) []*os.Root { return []*os.Root{part(t, "1/2", nil), part(t, "2/3", nil)} },
			`#0 and #1 are not shards of one run: number of shards was "2", is "3"`},
		{"of other numbers, the same part", func(t testing.TB) []*os.Root { return []*os.Root{part(t, "1/2", nil), part(t, "1/3", nil)} },
			`#0 and #1 are not shards of one run: number of shards was "2", is "3"`},
		{"of other programs; interpreters may differ", func(t testing.TB) []*os.Root {
			of := func(hash string) func(results.Settings) {
				return func(s results.Settings) {
					s[results.ProgramSetting+"exec:sh a: a"], s[results.PathSetting+"exec:sh a: sh"] = hash, hash
				}
			}
			return []*os.Root{part(t, "1/2", of("1")), part(t, "2/2", of("2"))}
		}, `#0 and #1 are not shards of one run: program of exec:sh a: a was "1", is "2"`},
		{"of other settings", func(t testing.TB) []*os.Root {
			return []*os.Root{part(t, "1/2", nil), part(t, "2/2", func(s results.Settings) { s["seed"] = "7" })}
		}, `#0 and #1 are not shards of one run: seed was "42", is "7"`},
		{"without a shard", func(t testing.TB) []*os.Root {
			return []*os.Root{part(t, "", func(s results.Settings) { delete(s, results.ShardSetting) })}
		}, `#0: the run's shard "" is not i/n`},
		{"with a shard that is none", func(t testing.TB) []*os.Root { return []*os.Root{part(t, "3/2", nil)} }, `#0: the run's shard "3/2" is not i/n`},
		{"no run", func(t testing.TB) []*os.Root { return []*os.Root{folder(t)} }, "read #0/run.json: no such file or directory"},
		{"without episodes", func(t testing.TB) []*os.Root {
			root := part(t, "1/1", nil)
			if err := root.Remove(results.EpisodesFile); err != nil {
				t.Fatal(err)
			}
			return []*os.Root{root}
		}, "open #0/episodes.jsonl: no such file or directory"},
		{"an episode in two shards", func(t testing.TB) []*os.Root {
			a, b := part(t, "1/2", nil), part(t, "2/2", nil)
			write(t, a, results.EpisodesFile, line(episodeAt(4)))
			write(t, b, results.EpisodesFile, line(episodeAt(1))+line(episodeAt(4)))
			return []*os.Root{a, b}
		}, "episode heuristic/desk-hard/42 is in #0 and in #1"},
		{"a torn episode", func(t testing.TB) []*os.Root {
			a := part(t, "1/1", nil)
			write(t, a, results.EpisodesFile, line(episodeAt(4))+line(episodeAt(5))[:50])
			return []*os.Root{a}
		}, "#0/episodes.jsonl:2: not a whole episode: unexpected end of JSON input"},
		{"an episode without its end", func(t testing.TB) []*os.Root {
			a := part(t, "1/1", nil)
			write(t, a, results.EpisodesFile, strings.TrimSuffix(line(episodeAt(4)), "\n"))
			return []*os.Root{a}
		}, "#0/episodes.jsonl:1: not a whole episode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			into := folder(t)
			folders := tt.folders(t)
			want := tt.want
			for i, f := range folders {
				want = strings.ReplaceAll(want, fmt.Sprintf("#%d", i), f.Name())
			}
			_, err := results.Merge(into, folders, nil, func(*results.Logged) error { return nil })
			wantError(t, err, want)
			if got := names(t, into); got != nil {
				t.Errorf("a refused merge wrote %v", got)
			}
		})
	}
}

func TestMergeDoesNotWriteOverARun(t *testing.T) {
	t.Parallel()
	root := shard(t, 1, 1, seq(3))
	_, err := results.Merge(root, []*os.Root{root}, nil, func(*results.Logged) error { return nil })
	wantError(t, err, root.Name()+" holds a run already: give another --out")
}

func TestMergeStopsAtTheCallersError(t *testing.T) {
	t.Parallel()
	into := folder(t)
	_, err := results.Merge(into, []*os.Root{shard(t, 1, 1, seq(3))}, []string{"constant", "heuristic"}, func(*results.Logged) error { return errFull })
	wantError(t, err, "write "+filepath.Join(into.Name(), "episodes.jsonl")+": disk full")
	if got := names(t, into); got != nil {
		t.Errorf("a merge that failed left %v", got)
	}
}

func TestMergeOrdersPositionsOfOneEpisode(t *testing.T) {
	t.Parallel()
	root := shard(t, 1, 1, nil)
	at := func(p int) *triage.Episode {
		ep := episodeAt(0)
		ep.Key.Position = triage.IntOf(p)
		return ep
	}
	write(t, root, results.EpisodesFile, line(at(3))+line(at(1))+line(episodeAt(1))+line(episodeAt(0)))
	into := folder(t)
	var got []string
	if _, err := results.Merge(into, []*os.Root{root}, nil, func(ep *results.Logged) error { got = append(got, ep.Key.String()); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []string{"heuristic/queue-hard/42", "heuristic/queue-hard/42/1", "heuristic/queue-hard/42/3", "heuristic/queue-hard/43"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}
