package results_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

func TestEpisodesStandInThePlansOrderHoweverTheyFinished(t *testing.T) {
	t.Parallel()
	for trial := range 20 {
		order := rapid.Permutation(seq(planned)).Example(trial)
		order = order[:trial*planned/19]
		root := folder(t)
		j := create(t, root, settings)
		appendAll(t, j, order...)
		finish(t, j)
		want, log := "", ""
		done := map[int]bool{}
		for _, p := range order {
			done[p] = true
			log += line(episodeAt(p))
		}
		for p := range planned {
			if done[p] != j.Done(p) {
				t.Errorf("place %d is done: %v, the journal says %v", p, done[p], j.Done(p))
			}
			if done[p] {
				want += line(episodeAt(p))
			}
		}
		if d := cmp.Diff(want, read(t, root, results.EpisodesFile)); d != "" {
			t.Errorf("episodes after %v (-want +got):\n%s", order, d)
		}
		if d := cmp.Diff(log, read(t, root, results.JournalFile)); d != "" {
			t.Errorf("journal after %v (-want +got):\n%s", order, d)
		}
	}
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// lesson D64
func TestAnEpisodeIsInTheFileAsSoonAsItIsAppended(t *testing.T) {
	t.Parallel()
	root := folder(t)
	j := create(t, root, settings)
	want := ""
	for _, p := range []int{3, 0, 7} {
		appendAll(t, j, p)
		want += line(episodeAt(p))
		if d := cmp.Diff(want, read(t, root, results.JournalFile)); d != "" {
			t.Errorf("a process that is killed now loses something (-want +got):\n%s", d)
		}
	}
	finish(t, j)
	if d := cmp.Diff([]string{results.EpisodesFile, results.JournalFile, results.RunFile}, names(t, root)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

func TestARunFolderIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{results.RunFile, results.JournalFile, results.EpisodesFile} {
		root := folder(t)
		write(t, root, name, "mine")
		_, err := results.CreateRun(root, settings, planned, clock())
		wantError(t, err, root.Name()+" holds a run already: go on with --resume, give another --out, or remove the folder")
		if got := read(t, root, name); got != "mine" || len(names(t, root)) != 1 {
			t.Errorf("%s became %q, the folder holds %v", name, got, names(t, root))
		}
	}
}

func TestARunInWhichNothingWasPlayedLeavesNothing(t *testing.T) {
	t.Parallel()
	root := folder(t)
	write(t, root, "notes.txt", "mine")
	j := create(t, root, settings)
	if !j.Empty() {
		t.Error("a journal is not empty at its beginning")
	}
	if err := j.Discard(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"notes.txt"}, names(t, root)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	j = create(t, root, settings)
	appendAll(t, j, 3)
	if j.Empty() {
		t.Error("a journal with an episode is empty")
	}
	finish(t, j)
}

func TestAResumedRunGivesWhatIsDoneAndGoesOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		journal string
		done    []int  // in the order of the file
		kept    string // of the journal after resuming
	}{
		{"nothing yet", "", nil, ""},
		{"some", line(episodeAt(5)) + line(episodeAt(2)), []int{5, 2}, line(episodeAt(5)) + line(episodeAt(2))},
		{"a torn last line", line(episodeAt(5)) + line(episodeAt(2))[:30], []int{5}, line(episodeAt(5))},
		{"a last line without its end", line(episodeAt(5)) + strings.TrimSuffix(line(episodeAt(2)), "\n"), []int{5}, line(episodeAt(5))},
		{"a torn last line that has an end", line(episodeAt(5)) + line(episodeAt(2))[:30] + "\n", []int{5}, line(episodeAt(5))},
		{"zeros after a power cut", line(episodeAt(5)) + strings.Repeat("\x00", 4096), []int{5}, line(episodeAt(5))},
		{"only a torn line", line(episodeAt(5))[:30], nil, ""},
		{"an episode twice: the later counts", line(brokenless(5, 0.125)) + line(episodeAt(2)) + line(episodeAt(5)), []int{2, 5},
			line(brokenless(5, 0.125)) + line(episodeAt(2)) + line(episodeAt(5))},
		{"a broken episode is played again", line(brokenAt(5)) + line(episodeAt(2)), []int{2}, line(brokenAt(5)) + line(episodeAt(2))},
		{"a broken episode that was played again", line(brokenAt(5)) + line(episodeAt(5)), []int{5}, line(brokenAt(5)) + line(episodeAt(5))},
		{"a finished episode that broke later", line(episodeAt(5)) + line(brokenAt(5)), []int{5}, line(episodeAt(5)) + line(brokenAt(5))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			finish(t, create(t, root, settings))
			write(t, root, results.JournalFile, tt.journal)
			j, order, records, err := resume(root)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.done, order); d != "" {
				t.Errorf("done (-want +got):\n%s", d)
			}
			want := map[int]results.Record{}
			for _, p := range tt.done {
				want[p] = results.RecordOf(episodeAt(p))
			}
			if d := cmp.Diff(want, records); d != "" {
				t.Errorf("records (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.kept, read(t, root, results.JournalFile)); d != "" {
				t.Errorf("journal (-want +got):\n%s", d)
			}
			// The rest is played, and the folder is that of a run that was never interrupted.
			whole := ""
			for p := range planned {
				if _, ok := records[p]; ok != j.Done(p) {
					t.Errorf("place %d was given: %v, is done: %v", p, ok, j.Done(p))
				}
				if !j.Done(p) {
					appendAll(t, j, p)
				}
				whole += line(episodeAt(p))
			}
			finish(t, j)
			if d := cmp.Diff(whole, read(t, root, results.EpisodesFile)); d != "" {
				t.Errorf("episodes (-want +got):\n%s", d)
			}
		})
	}
}

// brokenless is an episode with another score.
func brokenless(place int, score float64) *triage.Episode {
	ep := episodeAt(place)
	ep.Score = pointer(score)
	return ep
}

// lesson D63
func TestResumingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	root := folder(t)
	j := create(t, root, settings)
	appendAll(t, j, 9, 1, 4)
	finish(t, j)
	before := read(t, root, results.JournalFile) + read(t, root, results.EpisodesFile) + read(t, root, results.RunFile)
	for range 2 {
		j, order, _, err := resume(root)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, j)
		if after := read(t, root, results.JournalFile) + read(t, root, results.EpisodesFile) + read(t, root, results.RunFile); after != before || len(order) != 3 {
			t.Errorf("%d episodes done; the folder changed (-before +after):\n%s", len(order), cmp.Diff(before, after))
		}
	}
}

// lessons D59, D60
func TestResumeRefusesWhatIsNotThisRun(t *testing.T) {
	t.Parallel()
	stranger := episodeAt(0)
	stranger.Key.Seed = 7
	whole := read(t, ran(t), results.RunFile)
	for _, tt := range []struct {
		name         string
		run, journal string
		want         string // after the folder's name
	}{
		{"other settings", strings.Replace(whole, `"42"`, `"43"`, 1), "", ` was run with other settings: seed was "43", is "42"; --resume takes the flags of the first run`},
		{"settings that came and went", strings.Replace(whole, `"seed": "42"`, `"split": "train"`, 1), "",
			` was run with other settings: seed was "", is "42"; split was "train", is ""; --resume takes the flags of the first run`},
		{"another schema", strings.Replace(whole, "triage.run/1", "triage.run/2", 1), "", `/run.json: schema "triage.run/2" is not triage.run/1`},
		{"no settings", `{"schema": "triage.run/1"}`, "", `/run.json: schema "triage.run/1" is not triage.run/1`},
		{"no JSON", "settings", "", `/run.json: not a run: invalid character 's' looking for beginning of value`},
		{"an episode of another plan", whole, line(episodeAt(1)) + line(stranger), "/journal.jsonl:2: episode heuristic/queue-hard/7 is not in the plan of this run"},
		{"a torn line in the middle", whole, line(episodeAt(1)) + line(episodeAt(2))[:20] + "\n" + line(episodeAt(3)),
			"/journal.jsonl:2: not an episode: unexpected end of JSON input"},
		{"an empty line in the middle", whole, line(episodeAt(1)) + "\n" + line(episodeAt(3)), "/journal.jsonl:2: not an episode: unexpected end of JSON input"},
		{"a line without an end of the episode", whole, `{"key":{"agent":"a","task":"t","seed":1}}` + "\n" + line(episodeAt(3)), `/journal.jsonl:1: not an episode: "ended" is missing`},
		{"a line without a key", whole, `{"ended":"complete"}` + "\n" + line(episodeAt(3)),
			`/journal.jsonl:1: not an episode: key //0: agent and task must be named and the seed not negative`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			write(t, root, results.RunFile, tt.run)
			write(t, root, results.JournalFile, tt.journal)
			_, _, _, err := resume(root)
			want := root.Name() + tt.want
			if runtime.GOOS == "windows" {
				want = strings.ReplaceAll(want, "/", `\`)
			}
			wantError(t, err, want)
			if d := cmp.Diff(tt.journal, read(t, root, results.JournalFile)); d != "" {
				t.Errorf("a refused journal was changed (-before +after):\n%s", d)
			}
		})
	}
	root := folder(t)
	_, _, _, err := resume(root)
	wantError(t, err, "read "+filepath.Join(root.Name(), "run.json")+": no such file or directory")
}

// ran is the folder of a run of nothing.
func ran(t testing.TB) *os.Root {
	root := folder(t)
	finish(t, create(t, root, settings))
	return root
}

func TestARunThatBrokeBeforeItsJournalResumes(t *testing.T) {
	t.Parallel()
	root := ran(t)
	if err := root.Remove(results.JournalFile); err != nil {
		t.Fatal(err)
	}
	j, order, _, err := resume(root)
	if err != nil || len(order) != 0 {
		t.Fatalf("done %v, error %v", order, err)
	}
	appendAll(t, j, 0)
	finish(t, j)
}

func TestBrokenEpisodesStandInTheLog(t *testing.T) {
	t.Parallel()
	root := folder(t)
	j := create(t, root, settings)
	if err := j.Append(2, brokenAt(2)); err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, 1)
	finish(t, j)
	if d := cmp.Diff(line(episodeAt(1))+line(brokenAt(2)), read(t, root, results.EpisodesFile)); d != "" {
		t.Errorf("episodes (-want +got):\n%s", d)
	}
}

func TestSettingsDigestTellsEveryDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.MapOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00é")), 0, 3, -1), rapid.StringOfN(rapid.SampledFrom([]rune("ab\x01")), 0, 3, -1), 0, 3)
		a, b := results.Settings(draw.Draw(t, "a")), results.Settings(draw.Draw(t, "b"))
		if same := cmp.Equal(a, b); same != (a.Digest() == b.Digest()) {
			t.Errorf("%q and %q have the digests %s and %s", a, b, a.Digest(), b.Digest())
		}
		if d := a.Digest(); len(d) != 16 || strings.Trim(d, "0123456789abcdef") != "" {
			t.Errorf("digest %q", d)
		}
		if diff := a.Differences(a); len(diff) != 0 {
			t.Errorf("settings differ from themselves: %v", diff)
		}
	})
	if d := cmp.Diff([]results.Difference{{Name: "a", Was: "1", Is: "2"}, {Name: "b", Was: "x"}, {Name: "c", Is: "y"}},
		results.Settings{"a": "1", "b": "x", "s": "s"}.Differences(results.Settings{"a": "2", "c": "y", "s": "s"})); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
	root := ran(t)
	got, err := results.ReadSettings(root)
	if d := cmp.Diff(settings, got); d != "" || err != nil {
		t.Errorf("settings, error %v (-want +got):\n%s", err, d)
	}
	if !strings.Contains(read(t, root, results.RunFile), settings.Digest()) {
		t.Errorf("run.json does not hold the digest %s", settings.Digest())
	}
}

func TestReadLogGivesEveryEpisodeWithItsLine(t *testing.T) {
	t.Parallel()
	text := line(episodeAt(1)) + "\n  \n" + line(brokenAt(2)) + strings.TrimSuffix(line(episodeAt(3)), "\n")
	got := map[int]results.Record{}
	var broken *results.Logged
	err := results.ReadLog(strings.NewReader(text), "log", func(line int, ep *results.Logged) error {
		got[line] = results.RecordOf(ep.Episode())
		if ep.Ended == triage.EndedError {
			broken = ep
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]results.Record{1: results.RecordOf(episodeAt(1)), 4: results.RecordOf(brokenAt(2)), 5: results.RecordOf(episodeAt(3))}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("records by line (-want +got):\n%s", d)
	}
	if ep := broken.Episode(); ep.Error != "step: cut" || ep.Score != nil || len(ep.Steps) != 1 {
		t.Errorf("the broken episode is %+v", ep)
	}
	if string(broken.Steps[0].Action) != `{"route_category":"billing"}` {
		t.Errorf("the action is %s", broken.Steps[0].Action)
	}
}

func TestReadLogNamesTheBadLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", line(episodeAt(1)) + "x\n", "log:2: not an episode: invalid character 'x' looking for beginning of value"},
		{"torn", line(episodeAt(1))[:40], "log:1: not an episode: unexpected end of JSON input"},
		{"another object", "{}\n", "log:1: not an episode: key //0: agent and task must be named and the seed not negative"},
		{"a negative seed", `{"key":{"agent":"a","task":"t","seed":-1},"ended":"complete"}`, "log:1: not an episode: key a/t/-1: agent and task must be named and the seed not negative"},
		{"too long", line(episodeAt(1)) + strings.Repeat("x", 64<<20+1), "log:2: bufio.Scanner: token too long"},
	} {
		err := results.ReadLog(strings.NewReader(tt.text), "log", func(int, *results.Logged) error { return nil })
		wantError(t, err, tt.want)
	}
	err := results.ReadLog(strings.NewReader(line(episodeAt(1))), "log", func(int, *results.Logged) error { return fmt.Errorf("stop") })
	if err == nil || err.Error() != "stop" {
		t.Errorf("the caller's error became %v", err)
	}
}

func TestTwoProcessesCannotWriteOneRun(t *testing.T) {
	t.Parallel()
	root := folder(t)
	j := create(t, root, settings)
	appendAll(t, j, 1)
	_, err := results.ResumeRun(root, settings, planned, placeOf, clock(), func(int, *triage.Episode) {})
	if err == nil || !strings.Contains(err.Error(), "another process is writing it") {
		t.Errorf("a run that is being written can be resumed: %v", err)
	}
	if err := j.Finish(); err != nil {
		t.Fatal(err)
	}
	again, err := results.ResumeRun(root, settings, planned, placeOf, clock(), func(int, *triage.Episode) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Finish(); err != nil {
		t.Fatal(err)
	}
}
