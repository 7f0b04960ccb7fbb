package html_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// structure is a page without style, script and what is packed: what a reader of the markup sees.
func structure(page string) string {
	page = without(page, "<style>", "</style>")
	page = without(page, "<script", "</script>")
	page = without(page, `<meta http-equiv`, ">")
	return regexp.MustCompile(`\n{2,}`).ReplaceAllString(page, "\n")
}

func TestThePageOfASmallRunIsAsItWas(t *testing.T) {
	t.Parallel()
	testkit.Golden(t, filepath.Join("testdata", "small.html"), structure(pageOf(t, html.Options{}, small(t))))
}

func TestWritingTwiceGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	f := small(t)
	p, err := html.Collect(t.Context(), []*results.Folder{f}, html.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := written(t, p)
	if second := written(t, p); first != second {
		t.Error("the second writing gave other bytes")
	}
	if again := pageOf(t, html.Options{}, f); first != again {
		t.Error("collecting the same folder again gave other bytes")
	}
	if strings.Contains(first, f.Root.Name()) {
		t.Error("the page names the folder's path")
	}
}

func TestThePolicyAllowsTheStyleAndTheScriptThatArePresentAndNothingElse(t *testing.T) {
	t.Parallel()
	p, err := html.Collect(t.Context(), []*results.Folder{small(t)}, html.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := written(t, p)
	policy, err := p.Policy()
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"style", "script"} {
		_, rest, _ := strings.Cut(page, "<"+tag+">")
		text, _, _ := strings.Cut(rest, "</"+tag+">")
		sum := sha256.Sum256([]byte(text))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if want := `content="` + strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(policy) + `"`; !strings.Contains(page, want) {
		t.Errorf("the page's meta element lacks %s", want)
	}
	for _, forbidden := range []string{" style=", "unsafe", "http://", "https://", "<img", "onclick="} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page holds %q", forbidden)
		}
	}
	if strings.Contains(policy, "connect-src") {
		t.Error("a page that is a file may ask a server")
	}
	live, err := html.New(html.Options{Live: &html.Live{Address: "x.json"}}).Policy()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(live, "connect-src 'self'") {
		t.Errorf("the policy of a live page is %q", live)
	}
}

// unpacked reads what the page holds of tickets.
func unpacked(t *testing.T, page, id string, into any) {
	t.Helper()
	_, rest, found := strings.Cut(page, `id="`+id+`">`)
	text, _, _ := strings.Cut(rest, "</script>")
	if !found {
		t.Fatalf("the page has no %s", id)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
}

type index struct {
	ID, Subject, Seed, Scenario, Traps                      []string
	Tally, Score, Right, State, Length, Wait, Chunks, Trial []int
	Position                                                []int
}

type row struct {
	Steps []results.LoggedStep
	Ended string
	Error string
}

func TestTheListHoldsEveryTicketWithEverything(t *testing.T) {
	t.Parallel()
	page := pageOf(t, html.Options{}, small(t))
	var x index
	unpacked(t, page, "index", &x)
	want := index{ID: []string{"T-1", "T-2", "T-3", "T-1", "T-2", "T-1", "T-2", "T-1"},
		Subject: []string{"Invoice twice", "Printer on fire", "Nice work", "Invoice twice", "Printer on fire", "Invoice twice", "Printer on fire", "Invoice twice"},
		Seed:    []string{"1", "1", "1", "2", "3", "1", "1", "2"}, Position: []int{0, 1, 2, 0, 0, 0, 1, 0}, Trial: make([]int, 8),
		Scenario: []string{"billing/twice", "technical/fire", "feedback/praise", "billing/twice", "technical/fire", "billing/twice", "technical/fire", "billing/twice"},
		Traps:    []string{"", "shouting thread", "", "", "shouting thread", "", "shouting thread", ""},
		Tally:    []int{0, 0, 0, 0, 0, 1, 1, 1}, Score: []int{1000000, 250000, 0, 1000000, 0, 1000000, 750000, 1000000}, Right: []int{1, 0, 0, 1, 0, 1, 0, 1}, State: []int{0, 0, 1, 0, 2, 0, 0, 0},
		Length: []int{34, 32, 23, 34, 32, 34, 32, 34}, Wait: []int{39, 40, 600, 39, 40, 39, 40, 39}, Chunks: []int{8}}
	if diff := cmp.Diff(want, x); diff != "" {
		t.Errorf("the index (-want +got):\n%s", diff)
	}
	var rows []row
	unpacked(t, page, "chunk-0", &rows)
	if len(rows) != 8 {
		t.Fatalf("%d rows, want 8", len(rows))
	}
	s := rows[2].Steps[0]
	if *s.Error != "no JSON in the reply" || s.Reply.Text != "I would rather not." || s.Usage.TokensIn.Value != 100 || s.Usage.CostNano.Set {
		t.Errorf("the refused answer is %+v", s)
	}
	if why := rows[1].Steps[0].Score.Parts[0].Why.String(); why != "billing is wrong; right is technical" {
		t.Errorf("the part's why is %q", why)
	}
	if rows[4].Ended != "error" || rows[4].Error != "the server is gone" {
		t.Errorf("the broken episode is %+v", rows[4])
	}
}

// Right means one thing: of the desk that the target is reached (0.70 on desk-medium).
func TestATicketOfTheDeskIsRightWhereItReachesTheTarget(t *testing.T) {
	t.Parallel()
	good, enough, bad := desk("a", 1, 0, "Low", "Low"), desk("a", 2, 0, "Low", "Low"), desk("a", 3, 0, "Low", "High")
	score := 0.7
	enough.Score, enough.Steps[1].Score.Total = &score, score
	var x index
	unpacked(t, pageOf(t, html.Options{}, run(t, "r", []*triage.Episode{good, enough, bad})), "index", &x)
	if diff := cmp.Diff([]int{1, 1, 0}, x.Right); diff != "" {
		t.Error(diff)
	}
}

func TestAPageOfARunThatLacksEpisodesSaysSo(t *testing.T) {
	t.Parallel()
	hard, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	f := small(t)
	for agent, n := range map[string]int{"plain": 3, "better": 2} {
		var records []results.Record
		for i := range n {
			records = append(records, results.Record{Seed: int64(i + 1), Position: -1, Scored: true, Score: 0.5, Efficiency: 0.5, Reward: 0.5})
		}
		r := results.Results{Generator: "2-abc", Grader: "1-def", Seed: 1, Split: triage.Test, Bank: "public", Agent: agent, Tasks: []results.TaskSummary{results.Summarize(hard, records)}}
		if err := results.WriteFile(f.Root, "results-"+agent+".json", r.Write); err != nil {
			t.Fatal(err)
		}
	}
	f = open(t, f.Root)
	if page := pageOf(t, html.Options{}, f); strings.Contains(page, "is damaged") {
		t.Error("a whole run is called damaged")
	}
	data, err := f.Root.ReadFile(results.EpisodesFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Root.WriteFile(results.EpisodesFile, data[:bytes.IndexByte(data, '\n')+1], 0o644); err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, html.Options{}, f)
	for _, want := range []string{"small is damaged: of plain on queue-hard, episodes.jsonl holds 1 episodes, the results file tells of 3.", "small is damaged: of better on queue-hard,", "not complete: shown as far as it is"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := pageOf(t, html.Options{Keep: func(k triage.Key) bool { return k.Agent == "plain" }}, f); strings.Contains(page, "is damaged") {
		t.Error("a part that was chosen is called damaged")
	}
}

func TestSeedsBeyondJavaScriptsNumbersAreTexts(t *testing.T) {
	t.Parallel()
	ep := desk("a", triage.MaxSeed, 0, "Low", "Low")
	var x index
	unpacked(t, pageOf(t, html.Options{}, run(t, "r", []*triage.Episode{ep})), "index", &x)
	if diff := cmp.Diff([]string{"9223372036854775807"}, x.Seed); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyChosenEpisodesAreShown(t *testing.T) {
	t.Parallel()
	page := pageOf(t, html.Options{Keep: func(k triage.Key) bool { return k.Agent == "better" }}, small(t))
	var x index
	unpacked(t, page, "index", &x)
	if len(x.ID) != 3 || strings.Contains(structure(page), `<th scope="row">plain</th>`) {
		t.Errorf("%d tickets, want the 3 of better alone", len(x.ID))
	}
}

func TestARunThatHasJustBegunIsAnEmptyPageWhenItIsFollowed(t *testing.T) {
	t.Parallel()
	f := run(t, "r", nil)
	for _, name := range []string{results.EpisodesFile, results.JournalFile} {
		if err := f.Root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if _, err := html.Collect(t.Context(), []*results.Folder{f}, html.Options{}); triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("a run without episodes gives %v", err)
	}
	page := pageOf(t, html.Options{Live: &html.Live{Address: "p.json", Progress: html.Progress{Done: 0, Planned: 7, Version: "1"}}}, f)
	for _, want := range []string{"no episode is finished", `<progress id="live-progress" max="7" value="0">`, "not complete: shown as far as it is"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestARunIsShownWhileItGoesOn(t *testing.T) {
	t.Parallel()
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	j, err := results.CreateRun(dir, results.Settings{results.AgentsSetting: "a", "seed": "1"}, 2, noon)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := j.Append(i, desk("a", int64(i), 0, "Low", "Low")); err != nil {
			t.Fatal(err)
		}
		var x index
		unpacked(t, pageOf(t, html.Options{Live: &html.Live{}}, open(t, dir)), "index", &x)
		if len(x.ID) != i+1 {
			t.Errorf("after %d episodes the page has %d tickets", i+1, len(x.ID))
		}
	}
	if err := j.Finish(); err != nil {
		t.Fatal(err)
	}
}

func TestABrokenFolderIsAnErrorAndLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	f := small(t)
	file, err := f.Root.OpenFile(results.EpisodesFile, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("{\"key\":\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Root.Remove(results.JournalFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if _, err := html.Collect(t.Context(), []*results.Folder{f}, html.Options{}); err == nil || !strings.Contains(err.Error(), "episodes.jsonl:6: not an episode") {
		t.Errorf("a torn line gives %v", err)
	}
}
