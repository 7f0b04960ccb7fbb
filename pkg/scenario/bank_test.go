package scenario_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/triagebench/triage/pkg/packed"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// files is the bank as people write it.
var files = sync.OnceValues(func() (*scenario.Bank, error) { return scenario.LoadDir(os.DirFS("bank")) })

func bank(t *testing.T) *scenario.Bank {
	t.Helper()
	b, err := files()
	if err != nil {
		t.Fatalf("the bank has mistakes:\n%v", err)
	}
	return b
}

// unpacked is what a packed file holds, whose bytes may differ between versions of Go, or another file's own bytes.
func unpacked(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	if !strings.HasSuffix(name, ".txt") || name == "hash.txt" {
		return data
	}
	out, err := packed.Unpack(data)
	if err != nil {
		t.Errorf("embedded/%s: %v", name, err)
	}
	return out
}

func TestEmbeddedBankIsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := scenario.Generate(bank(t))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("embedded")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("embedded/%s is not generated any more: remove it", e.Name())
		}
	}
	for name, data := range want {
		got, err := os.ReadFile(path.Join("embedded", name))
		if err != nil || !bytes.Equal(unpacked(t, name, got), unpacked(t, name, data)) {
			t.Errorf("embedded/%s is stale: run `go generate ./pkg/scenario && go run ./baselines/fit`", name)
		}
		if len(data) >= 1<<20 {
			t.Errorf("embedded/%s has %d bytes: split it, files are under 1 MiB", name, len(data))
		}
	}
}

func TestEmbeddedBankIsTheSameAsTheFiles(t *testing.T) {
	t.Parallel()
	want := bank(t)
	got, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash != scenario.EmbeddedHash() || len(got.Hash) != 12 {
		t.Errorf("the embedded bank has hash %q, the file says %q", got.Hash, scenario.EmbeddedHash())
	}
	if got.Hash != want.Hash {
		t.Skip("stale; TestEmbeddedBankIsUpToDate says so")
	}
	a, err := scenario.Generate(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := scenario.Generate(want)
	if err != nil {
		t.Fatal(err)
	}
	for name := range b {
		if !bytes.Equal(a[name], b[name]) { // packed by the same Go
			t.Errorf("%s differs after embedding and decoding", name)
		}
	}
	if again, _ := scenario.Embedded(); again != got {
		t.Error("a second call decodes again")
	}
	if s := got.Scenarios[0]; got.Find(s.Slug) != s || got.Find("billing/nosuch") != nil {
		t.Error("Find does not find by slug")
	}
	if v := scenario.Version("abc"); v != "2-abc" {
		t.Errorf("generator version of a bank abc is %s", v)
	}
}

func TestCanaryStandsInTheFilesAndInTheBinary(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bank/voices/names.yaml", "embedded/frames.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), scenario.Canary) {
			t.Errorf("%s lacks the canary %q", name, scenario.Canary)
		}
	}
	for _, s := range bank(t).Scenarios {
		for _, text := range texts(s) {
			if strings.Contains(text, "canary 6d1f") {
				t.Errorf("%s: the canary got into a ticket's text", s.Slug)
			}
		}
	}
}

func TestScenariosLieInBothSplitsByRouteAndCategory(t *testing.T) {
	t.Parallel()
	counts := map[string][2]int{} // train, all
	count := func(kind string, s *scenario.Scenario) {
		c := counts[kind]
		if s.Split == triage.Train {
			c[0]++
		}
		c[1]++
		counts[kind] = c
	}
	for _, s := range bank(t).Scenarios {
		count(string(s.Route), s)
		count("all", s)
		if s.Desk != "" {
			count(string(s.Desk), s)
		}
	}
	for kind, c := range counts {
		if off := max(2*c[0]-c[1], c[1]-2*c[0]); off > max(1, c[1]/10) { // 45 to 55 %, or as near as the number allows
			t.Errorf("%d of %d scenarios of %s are in train: 45 to 55 %% are wanted", c[0], c[1], kind)
		}
	}
	for _, r := range triage.Routes() {
		if counts[string(r)][1] == 0 {
			t.Errorf("there is no scenario of route %s", r)
		}
	}
}

// texts are all sentences of a scenario.
func texts(s *scenario.Scenario) []string {
	levels := func(l scenario.Levels) []string {
		return append(append(append([]string{}, l.Plain...), l.Indirect...), l.Buried...)
	}
	out := append(append([]string{}, s.Subjects.Plain...), s.Subjects.Vague...)
	out = append(append(out, levels(s.Statement)...), levels(s.Ask)...)
	for _, x := range s.Situations {
		out = append(out, levels(x.Levels)...)
	}
	for _, d := range triage.Deadlines() {
		out = append(out, levels(s.Deadline[d])...)
	}
	for _, e := range triage.Efforts() {
		out = append(out, levels(s.Effort[e])...)
	}
	for _, list := range [][]string{s.Details, s.Secondary.Cosmetic, s.Secondary.Degraded, s.Mentions.Passing, s.Mentions.Denied, s.Quoted, s.Settled, s.Resolved} {
		out = append(out, list...)
	}
	return out
}

// runs calls f for every run of n words in a text, in lower case and without punctuation.
func runs(text string, n int, f func(string)) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 128 && !strings.ContainsRune("'{}", r)
	})
	for i := 0; i+n <= len(words); i++ {
		f(strings.Join(words[i:i+n], " "))
	}
}

func TestTrainAndTestScenariosShareNoRunOfSixWords(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, split := range triage.Splits() {
		for _, s := range bank(t).Scenarios {
			if s.Split != split {
				continue
			}
			for _, text := range texts(s) {
				runs(text, 6, func(run string) {
					if split == triage.Train {
						seen[run] = s.Slug
					} else if where, ok := seen[run]; ok {
						t.Errorf("%s (test) and %s (train) share %q", s.Slug, where, run)
					}
				})
			}
		}
	}
}

func TestHalvesOfVoicesAndNoiseShareNoRunOfFourWords(t *testing.T) {
	t.Parallel()
	b := bank(t)
	train, test := frameTexts(b)
	seen := map[string]bool{}
	for _, text := range train {
		runs(text, 4, func(run string) { seen[run] = true })
	}
	for _, text := range test {
		runs(text, 4, func(run string) {
			if seen[run] && !strings.Contains(run, "{") {
				t.Errorf("both halves have %q, here in %q", run, text)
			}
		})
	}
	for _, pair := range []scenario.Halves{b.Names.First, b.Names.Last, b.Names.Companies} {
		for _, name := range pair.Test {
			for _, other := range pair.Train {
				if name == other {
					t.Errorf("both halves have the name %s", name)
				}
			}
		}
	}
}

// frameTexts are the strings of voices and noise by half.
func frameTexts(b *scenario.Bank) (train, test []string) {
	of := func(f *scenario.Frame) []string {
		return append(append(append(append([]string{}, f.Greetings...), f.Openings...), f.Closings...), f.Signatures...)
	}
	for _, v := range b.Voices {
		train, test = append(train, of(v.Frame(triage.Train))...), append(test, of(v.Frame(triage.Test))...)
	}
	n := &b.Noise
	for _, h := range []*scenario.Halves{&n.Furious, &n.Annoyed, &n.Sarcastic, &n.Pleased, &n.Calm, &n.WaitDay, &n.WaitDays, &n.Escalated,
		&n.Contacts, &n.NoDeadline, &n.Orders, &n.ShoutSubjects, &n.ReplySubjects, &n.ThenSecond, &n.NextFirst, &n.ThreadTurns,
		&n.IgnoreSubject, &n.QuoteHeaders, &n.ForwardHeaders, &n.Disclaimers, &n.DeviceFooters, &n.ForeignGreets, &n.Logs, &n.PS} {
		train, test = append(train, h.Of(triage.Train)...), append(test, h.Of(triage.Test)...)
	}
	return train, test
}

func TestEveryFileOfTheBankIsReadAlone(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(os.DirFS("bank"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(name) == "voices" {
			return err
		}
		data, err := fs.ReadFile(os.DirFS("bank"), name)
		if err != nil {
			return err
		}
		s, err := scenario.ReadScenario(name, data)
		if err != nil {
			t.Error(err)
			return nil
		}
		if s.Slug+".yaml" != name || string(s.Route) != path.Dir(name) {
			t.Errorf("%s is read as %s of route %s", name, s.Slug, s.Route)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
