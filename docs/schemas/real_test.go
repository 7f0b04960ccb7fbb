package schemas_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/triagebench/triage/pkg/cli"
	"github.com/triagebench/triage/pkg/llm/fakellm"
)

// document is something that the program wrote.
type document struct {
	kind, name string
	data       []byte
}

// shop is a folder in which the program writes.
type shop struct {
	t   *testing.T
	dir string
}

// do runs the program in this process and gives what it prints. Words of the form @NAME are files of the shop. The code is that with which
// it has to end.
func (s *shop) do(code int, command string, more ...string) []byte {
	s.t.Helper()
	var out, errs bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	args := strings.Fields(command)
	for i, a := range args {
		if before, name, ok := strings.Cut(a, "@"); ok {
			args[i] = before + filepath.Join(s.dir, name)
		}
	}
	if got := cli.Main(s.t.Context(), app, append(args, more...)); got != code {
		s.t.Fatalf("triage %s exits with %d, not %d: %s", command, got, code, errs.String())
	}
	return out.Bytes()
}

// faulty is an agent that answers wrongly in every way: every third answer is right in form, one has a wrong value, one is no JSON; and of
// every ninth ticket it refuses to hear.
func faulty() http.Handler {
	var n atomic.Int64
	answers := []string{`{"category": "Bug", "priority": "High", "urgency_days": 2, "department": "Engineering", "recommendation": "Look at it.", "confidence": {"category": 0.75}}`,
		`{"category": ["Bug"], "confidence": 7}`, `I think "Bug"`}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		i := n.Add(1)
		if i%9 == 0 {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		_, _ = fmt.Fprintln(w, answers[i%3])
	})
}

// written plays what the schemas are held against, once for all tests: baselines, runs of all agents, trials, single tickets, noise,
// a private bank with a secret, shards that are merged without floors, a model from a cassette, answers that are refused and episodes that
// break, imported tickets with confidences and costs, comparisons of all forms.
func written(t *testing.T) []document {
	t.Helper()
	if testing.Short() {
		t.Skip("it plays many runs")
	}
	once.Do(func() {
		dir, err := os.MkdirTemp("", "schemas")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // what cannot be removed is the system's
		s := &shop{t: t, dir: dir}
		s.runs()
		s.imported()
		s.model()
		s.faults()
		s.comparisons()
		s.generated()
		all = append(all, s.files()...)
	})
	if len(all) == 0 {
		t.Fatal("nothing was written: see the test that ran first")
	}
	return all
}

var (
	once sync.Once
	all  []document
)

// keep keeps what was printed.
func keep(kind, name string, data []byte) { all = append(all, document{kind, name, data}) }

// keepLines keeps each line.
func keepLines(kind, name string, data []byte) {
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		keep(kind, fmt.Sprintf("%s:%d", name, i+1), line)
	}
}

func (s *shop) runs() {
	s.do(0, "baseline --episodes 2 --output @results-heuristic.json --progress off")
	s.do(0, "run --agent random --agent constant --agent keyword --agent heuristic --agent linear --agent oracle --tasks queue-hard desk-easy desk-medium desk-hard --episodes 3 --out @all --progress off")
	s.do(0, "run --agent random --agent constant --tasks queue-easy desk-hard --trials 2 --episodes 2 --out @trials --no-meta --progress off")
	s.do(0, "run --agent heuristic --only queue-hard:42:3 --out @only --progress off")
	s.do(0, "run --agent heuristic --perturb typos --tasks queue-hard --episodes 4 --limit 3 --split train --out @typos --progress off")
	secret := s.do(0, "secret new")
	s.write("secret.txt", secret)
	s.do(0, "run --agent random --tasks desk-easy --episodes 4 --secret-file @secret.txt --shard 1/2 --out @one --progress off")
	s.do(0, "run --agent random --tasks desk-easy --episodes 4 --secret-file @secret.txt --shard 2/2 --out @two --progress off")
	s.do(0, "merge @one @two --out @merged")
	s.do(0, "run --agent heuristic --tasks queue-easy --episodes 2 --secret-file @secret.txt --bank "+filepath.Join("..", "..", "pkg", "scenario", "bank")+" --out @private --progress off")
}

func (s *shop) write(name string, data []byte) {
	if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// model plays a model that was recorded, and one that is made of a script: it asks again, is refused, and breaks.
func (s *shop) model() {
	tape := filepath.Join("..", "..", "baselines", "llm", "cassettes", "smollm2-135m")
	s.do(0, "run --agent llm --agent heuristic --model llamacpp:smollm2-135m-instruct-q4_1 --no-handbook --max-output-tokens 120 --response-format json_schema --tasks desk-easy --episodes 10 --replay "+tape+" --out @tape --progress off")
	script, err := fakellm.ParseScript([]byte("form: {exact: 2, fenced: 2, prose: 2, truncated: 1, refusal: 1, reasoning: 1}\nnoise: {route_category: 0.5}\nfaults:\n  - {share: 0.1, reply: 400}\n"), "script.yaml")
	if err != nil {
		s.t.Fatal(err)
	}
	fake := fakellm.New(script, nil, fakellm.Options{})
	web := httptest.NewServer(fake)
	defer web.Close()
	defer fake.Close() // what hangs ends first
	s.do(3, "run --agent llm --model llamacpp:fake --base-url "+web.URL+"/v1 --cache off --tasks desk-easy queue-easy --episodes 6 --no-floor --max-consecutive-errors 100 --out @model --progress off")
	s.do(3, "run --agent llm --model llamacpp:fake --base-url "+web.URL+"/v1 --cache off --tickets @tickets.jsonl --limit 6 --out @judged --progress off")
}

func (s *shop) faults() {
	web := httptest.NewServer(faulty())
	defer web.Close()
	s.do(3, "run --agent "+web.URL+" --tasks queue-easy desk-hard --episodes 12 --trials 2 --out @faults --progress off --workers 1")
}

func (s *shop) imported() {
	from := filepath.Join("..", "..", "examples", "own-tickets")
	if err := os.CopyFS(s.dir, os.DirFS(from)); err != nil {
		s.t.Fatal(err)
	}
	s.do(0, "import @tickets.csv --bodies @bodies.json --mapping @mapping.yaml --redact --output @tickets.jsonl --progress off")
	s.do(0, "train @tickets.jsonl --output @model.bin --progress off")
	s.do(0, "run --tickets @tickets.jsonl --agent constant --agent random --agent linear:@model.bin --cost-matrix @costs.yaml --handover-cost 3 --out @own --progress off")
	if err := os.WriteFile(filepath.Join(s.dir, "plain.csv"), []byte("id,body,route\n1,It fails.,technical\n2,A refund.,billing\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.do(0, "run --tickets @plain.csv --map id=id,body=body --agent constant --agent random --out @plain --progress off") // no sides
	data, err := os.ReadFile(filepath.Join(s.dir, "tickets.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	keepLines("tickets", "tickets.jsonl", data)
}

func (s *shop) comparisons() {
	for _, c := range []struct {
		name    string
		code    int
		command string
		gates   []string
	}{
		{"noise, with gates", 1, "compare @typos", []string{"errors == 0", "identical", "score < 0.1", "score drop <= 0.05"}},
		{"several", 0, "compare constant keyword heuristic --tasks queue-hard queue-easy --moved 1", []string{"score drop <= 0.5"}},
		{"trials", 0, "compare @trials", nil},
		{"one with itself", 0, "compare @only @only", []string{"identical"}},
		{"another split", 0, "compare @all @typos --agent heuristic --allow split --tasks queue-hard", nil},
		{"imported", 5, "compare @own --agent constant --agent random", []string{"route_accuracy drop <= 0.05"}},
		{"with errors", 0, "compare @faults @faults", nil},
		{"repeats", 1, "compare @trials --agent random --aa", []string{"score drop <= 0.05", "identical"}},
	} {
		args := []string{"--format", "json"}
		for _, g := range c.gates {
			args = append(args, "--gate", g)
		}
		keep("comparison", c.name, s.do(c.code, c.command, args...))
	}
}

func (s *shop) generated() {
	for _, task := range []string{"queue-easy", "queue-hard", "desk-hard"} {
		keepLines("generated", task, s.do(0, "tickets generate -n 60 --labels --format jsonl --task "+task))
		keepLines("generated", task+", no labels", s.do(0, "tickets generate -n 2 --format jsonl --task "+task))
	}
}

// files are those of all run folders.
func (s *shop) files() []document {
	var out []document
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "/") && name != "results-heuristic.json" {
			return err
		}
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return err
		}
		file := path.Base(name)
		switch kind := map[string]string{"episodes.jsonl": "episode", "journal.jsonl": "journal", "calls.jsonl": "calls"}[file]; {
		case kind != "":
			for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
				out = append(out, document{kind, fmt.Sprintf("%s:%d", name, i+1), line})
			}
		case file == "run.json":
			out = append(out, document{"run", name, data})
		case strings.HasPrefix(file, "results-"):
			out = append(out, document{"results", name, data})
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func TestWhatTheProgramWritesIsAsItsSchemaHasIt(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for _, d := range written(t) {
		counts[d.kind]++
		takes(t, d.kind, d.name, d.data)
	}
	for _, kind := range kinds(t) {
		if counts[kind] == 0 {
			t.Errorf("nothing was written of which %s%s is", kind, ending)
		}
	}
	t.Log(counts)
}

// TestTheStoredResultsAreAsTheSchemaHasThem: those that CI compares with, and that `compare` brings along.
func TestTheStoredResultsAreAsTheSchemaHasThem(t *testing.T) {
	t.Parallel()
	dir := os.DirFS(filepath.Join("..", "..", "baselines", "scores"))
	files, err := fs.Glob(dir, "*.json")
	if err != nil || !slices.Contains(files, "heuristic.json") {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		data, err := fs.ReadFile(dir, f)
		if err != nil {
			t.Fatal(err)
		}
		takes(t, "results", f, data)
	}
}
