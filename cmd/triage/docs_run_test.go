//go:build unix

package main_test

import (
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// page says in what the blocks of a document run, one after the other: a folder of its own.
type page struct {
	// flat is a folder of the repository whose content lies in the folder; copies lie in it under their own names.
	flat   string
	copies []string
	// before are commands that make what the page takes for granted.
	before string
	// ports are those of the page; free ones take their place.
	ports []string
}

// ticketsAndModel make what pages about imported tickets take for granted.
const ticketsAndModel = "triage import tickets.csv --bodies bodies.json --mapping mapping.yaml --redact --output tickets.jsonl\ntriage train tickets.jsonl --output model.bin\n"

// pages are the documents whose blocks of commands are run.
var pages = map[string]page{
	"README.md": {flat: "examples/own-tickets", copies: []string{"examples", "pkg/scenario/bank"}, ports: []string{"7860", "8000"}, before: ticketsAndModel + `cp tickets.csv export.csv
printf 'text,category\nIt fails.,technical\nA refund.,billing\n' >labelled.csv
python3 examples/python/http_agent.py 8000 >agent.log 2>&1 &
triage serve --port 7860 >server.log 2>&1 &
until triage health http://127.0.0.1:7860; do sleep 0.1; done
`},
	"docs/agents.md": {flat: "examples/own-tickets", copies: []string{"examples"}, ports: []string{"8000"},
		before: ticketsAndModel + "python3 examples/python/http_agent.py 8000 >server.log 2>&1 &\n"},
	"docs/ci.md": {copies: []string{"examples/ci"}, before: `mkdir ci results
cp examples/ci/gate.sh ci/
cat >agent <<'END'
#!/bin/sh
while read -r line; do echo '{"category":"Bug","priority":"Medium","department":"Engineering","recommendation":"Look at it."}'; done
END
chmod +x agent
triage run --agent exec:./agent --tasks desk-hard --episodes 100 --no-meta --out results/run
cp results/run/results-*.json ci/base-rules.json
`},
	"docs/compare.md":    {},
	"docs/confidence.md": {flat: "examples/own-tickets", copies: []string{"examples/cost-matrix.yaml"}},
	"docs/history.md": {before: `triage run --agent heuristic --agent keyword --tasks desk-easy --episodes 3 --out results/first
triage run --agent heuristic --tasks queue-easy --episodes 3 --out elsewhere/second
`},
	"docs/models.md":      {copies: []string{"baselines/llm/cassettes", "baselines/scores"}},
	"docs/own-tickets.md": {flat: "examples/own-tickets"},
	"docs/play.md": {flat: "examples/own-tickets", before: ticketsAndModel + `yes 1 | head -n 40 >answers.txt
triage run --tickets tickets.jsonl --agent constant --out runs/ann
triage run --tickets tickets.jsonl --agent random --out runs/ben
triage run --tickets tickets.jsonl --agent constant --agent linear:model.bin --out runs/base
printf 'id,body,first_opinion,second_opinion\n1,It fails.,technical,technical\n2,A refund.,billing,technical\n' >labels.csv
`},
	"docs/report.md":    {},
	"docs/scenarios.md": {},
	"docs/serving.md": {ports: []string{"7860"}, before: `triage serve --port 7860 >server.log 2>&1 &
until triage health http://127.0.0.1:7860; do sleep 0.1; done
`},
	"examples/README.md": {copies: []string{"examples", "go.mod", "go.sum"}, ports: []string{"8000"}},
}

// elsewhere are the documents with blocks that are tested in another way.
var elsewhere = map[string]string{
	"docs/reference.md": "the examples of the commands' help: TestExamplesAreTakenAsTheyStand plays their flags",
}

// programs are those without which a block that names them is left out.
var programs = []string{"python3", "go", "jq", "curl"}

func TestTheCommandsOfDocumentsRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the program is built")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	p := buildProgram(t)
	goFolders := []string{"GOFLAGS=-buildvcs=false"} // what a block builds is not built anew
	for _, name := range []string{"GOCACHE", "GOPATH", "GOPROXY"} {
		if out, err := exec.CommandContext(t.Context(), "go", "env", name).Output(); err == nil {
			goFolders = append(goFolders, name+"="+strings.TrimSpace(string(out)))
		}
	}
	for doc, in := range pages {
		t.Run(doc, func(t *testing.T) {
			t.Parallel()
			w := &workplace{t: t, dir: filepath.Join(t.TempDir(), "work"), free: map[string]string{}}
			w.fill(in)
			w.env = append(slices.Clip(goFolders), "PATH="+filepath.Dir(p.path)+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
			w.run(in.before)
			ran := 0
			for _, b := range blocksOf(readText(t, filepath.Join("..", "..", doc))) {
				if b.isShell() && b.cause == "" && !isReadmesOwn(doc, &b) {
					w.run(b.text)
					ran++
				}
			}
			if ran == 0 {
				t.Error("no block is run: take it off the list")
			}
		})
	}
}

// workplace is the folder in which the blocks of a page run.
type workplace struct {
	t    *testing.T
	dir  string
	env  []string
	free map[string]string // port of the page to port on this machine
}

func (w *workplace) fill(in page) {
	w.t.Helper()
	root := filepath.Join("..", "..")
	if err := os.Mkdir(w.dir, 0o750); err != nil {
		w.t.Fatal(err)
	}
	if in.flat != "" {
		if err := os.CopyFS(w.dir, os.DirFS(filepath.Join(root, in.flat))); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, name := range in.copies {
		from, to := filepath.Join(root, name), filepath.Join(w.dir, name)
		err := os.MkdirAll(filepath.Dir(to), 0o750)
		if info, statErr := os.Stat(from); err == nil && statErr == nil && info.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else if err == nil {
			err = errors.Join(statErr, os.WriteFile(to, []byte(readText(w.t, from)), 0o600))
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for _, port := range in.ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.t.Fatal(err)
		}
		w.free[port] = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		if err := l.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// run runs commands as a shell does that stops at the first that fails. What they leave in the background ends with the test.
func (w *workplace) run(block string) {
	w.t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil && regexp.MustCompile(`\b`+name+`\b`).MatchString(block) {
			w.t.Logf("left out, as there is no %s:\n%s", name, block)
			return
		}
	}
	for _, port := range slices.Sorted(maps.Keys(w.free)) {
		block = strings.ReplaceAll(block, port, w.free[port])
	}
	out, err := os.CreateTemp(w.t.TempDir(), "out") // a pipe would be held open by what stays in the background
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = out.Close() }() // it is read by its name
	cmd := exec.CommandContext(w.t.Context(), "sh", "-eu")
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.dir, w.env, strings.NewReader(withCodes(block)), out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Run()
	if cmd.Process != nil {
		w.t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // a group that has ended is as good
	}
	if err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, block, readText(w.t, out.Name()))
	}
}

// wantedCode is how a line of a block says that it ends with another exit code than 0.
var wantedCode = regexp.MustCompile(`(?m)^(.+?) +# exit code ([0-9]+)$`)

// withCodes makes lines that end with "# exit code N" demand that.
func withCodes(block string) string {
	return wantedCode.ReplaceAllString(block, `if $1; then code=0; else code=$$?; fi; [ $$code = $2 ] || { echo "exit code $$code, not $2"; exit 1; }`)
}
