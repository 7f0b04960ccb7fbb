//go:build unix

package main_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestModelsArePlayedByProcesses runs the built program against models made of scripts, as users do: with signals, shared
// folders and endpoints that do not behave.
func TestModelsArePlayedByProcesses(t *testing.T) {
	t.Parallel()
	p := buildProgram(t)
	for name, f := range map[string]func(*testing.T, program){
		"an interrupted run ends in the bytes of one that was not":              interruptions,
		"what was finished is on disk while a server hangs":                     aServerThatHangs,
		"Ctrl-C ends a run that waits for its only call":                        ctrlC,
		"a large run streams and ends":                                          manyTickets,
		"Retry-After is waited for":                                             retryAfter,
		"two models share a cache and no answers":                               twoModels,
		"the key is in nothing that is written, though the endpoint repeats it": aServerThatTellsTheKey,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, p)
		})
	}
}

// modelRun is `triage run` with a scripted model, in a folder.
type modelRun struct {
	program
	url, dir  string
	variables []string
}

func (r modelRun) args(out string, flags ...string) []string {
	return append([]string{"run", "--agent", "llm", "--model", "llamacpp:fake", "--base-url", r.url, "--no-floor", "--no-meta", "--progress", "off", "--out", out}, flags...)
}

func (r modelRun) must(t *testing.T, code int, out string, flags ...string) *started {
	t.Helper()
	return r.program.must(t, code, r.dir, r.variables, r.args(out, flags...)...)
}

// aServerThatHangs: three answers come, then nothing more.
// lessons D64, D71
func aServerThatHangs(t *testing.T, p program) {
	tickets := []string{"--tasks", "queue-easy", "--episodes", "4"}
	model := p.serve(t, "faults: [{after: 3, reply: hang}]", tickets...)
	r := modelRun{program: p, url: model.url, dir: t.TempDir()}
	run := p.start(t, r.dir, nil, r.args("out", append(tickets, "--cache", "off", "--concurrency", "2", "--progress", "plain")...)...)
	says := regexp.MustCompile(`(?m)^episodes: 0 of 4; fake at ` + regexp.QuoteMeta(model.url) + `: 2 in flight, the oldest for \d+s$`)
	until(t, "a line that says what is waited for", func() bool { return says.MatchString(run.stderr.String()) || run.ended() })
	if run.ended() {
		t.Fatalf("the run ends: %s", &run.stderr)
	}
	if n := len(kept(t, filepath.Join(r.dir, "out"))); n != 3 {
		t.Errorf("%d steps are on disk, of 3 that were answered", n)
	}
	run.send(t, syscall.SIGKILL)
	run.wait(t)
	if n := len(kept(t, filepath.Join(r.dir, "out"))); n != 3 {
		t.Errorf("%d steps are on disk after kill -9, of 3 that were answered", n)
	}
}

// ctrlC: one call at a time, whose answer does not come.
// lesson D62
func ctrlC(t *testing.T, p program) {
	came, end := make(chan struct{}, 1), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		came <- struct{}{}
		select {
		case <-req.Context().Done():
		case <-end:
		}
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(end) })
	r := modelRun{program: p, url: silent.URL + "/v1", dir: t.TempDir()}
	run := p.start(t, r.dir, nil, r.args("out", "--tasks", "desk-easy", "--episodes", "3", "--cache", "off", "--concurrency", "1")...)
	select {
	case <-came:
	case <-run.done:
	}
	run.send(t, syscall.SIGINT)
	if code := run.wait(t); code != 130 || !strings.Contains(run.stdout.String(), "Interrupted: 0 of 3 episodes were finished.") || len(came) > 0 {
		t.Errorf("exit code %d, %d calls after the first, output %s%s", code, len(came), &run.stdout, &run.stderr)
	}
}

// manyTickets: what waits for its turn is bounded, so that memory is too.
// lesson D69
func manyTickets(t *testing.T, p program) {
	const mostKB = 200 << 10
	n := "8192"
	if testing.Short() {
		n = "2048"
	}
	tickets := []string{"--tasks", "desk-easy", "--episodes", n}
	model := p.start(t, t.TempDir(), nil, append([]string{"fake-llm"}, tickets...)...)
	r := modelRun{program: p, url: model.address(t), dir: t.TempDir()}
	run := r.must(t, 0, "out", append(tickets, "--cache", "off", "--concurrency", "16", "--no-handbook")...)
	if !strings.Contains(run.stdout.String(), "│ "+n+" │") {
		t.Errorf("not all %s episodes were played: %s", n, &run.stdout)
	}
	if usage, ok := run.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" && usage.Maxrss > mostKB {
		t.Errorf("%d KB of memory were used, more than %d", usage.Maxrss, mostKB)
	} else if ok {
		t.Logf("%s calls, %d KB of memory, %d ms of processor time", n, usage.Maxrss, (usage.Utime.Nano()+usage.Stime.Nano())/1e6)
	}
}

// lesson E79
func retryAfter(t *testing.T, p program) {
	tickets := []string{"--tasks", "desk-easy", "--episodes", "3"}
	model := p.serve(t, "faults: [{calls: 2, reply: 429_retry_after, retry_after: 2}]", tickets...)
	r := modelRun{program: p, url: model.url, dir: t.TempDir()}
	r.must(t, 0, "out", append(tickets, "--cache", "off", "--concurrency", "1")...)
	all := model.asked(t)
	var got []int
	for i := range all {
		got = append(got, all[i].Status)
	}
	if !slices.Equal(got, []int{200, 429, 200, 200}) {
		t.Fatalf("the model gave %v", got)
	}
	if waited := all[2].At.Sub(all[1].At); waited < 2*time.Second {
		t.Errorf("the call was made again after %v, not after 2 s", waited)
	}
}

// lesson D51
func twoModels(t *testing.T, p program) {
	tickets := []string{"--tasks", "desk-easy", "--episodes", "5"}
	model := p.serve(t, "by_model: {bad: {answers: {fixed: '{\"category\":\"Bug\"}'}}}", tickets...)
	r := modelRun{program: p, url: model.url, dir: t.TempDir()}
	both := append(tickets, "--cache-dir", "cache", "--model", "llamacpp:bad")
	r.must(t, 0, "first", append(tickets, "--cache-dir", "cache")...)
	r.must(t, 0, "second", both...)
	asked := map[string]int{}
	for _, a := range model.asked(t) {
		asked[a.Body.Model]++
	}
	if want := (map[string]int{"fake": 5, "bad": 5}); fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("the models were asked %v, want %v", asked, want)
	}
	r.must(t, 0, "third", append(both, "--cache", "read")...)
	sameFile(t, filepath.Join(r.dir, "second", "episodes.jsonl"), filepath.Join(r.dir, "third", "episodes.jsonl"))
	good, bad := readText(t, filepath.Join(r.dir, "third", "results-llamacpp_fake.json")), readText(t, filepath.Join(r.dir, "third", "results-llamacpp_bad.json"))
	if !strings.Contains(good, `"success_rate": 1`) || strings.Contains(bad, `"success_rate": 1`) || len(model.asked(t)) != 10 {
		t.Errorf("%d calls; the good model has %s\nthe bad one %s", len(model.asked(t)), good, bad)
	}
}

// aServerThatTellsTheKey repeats the key in headers, in errors of all kinds, and in what the model says.
// lesson D68
func aServerThatTellsTheKey(t *testing.T, p program) {
	const key, other = "sk-do-not-tell-0123456789", "team-do-not-tell-987654"
	tickets := []string{"--tasks", "desk-easy", "--episodes", "12"}
	model := p.serve(t, "key: "+key+"\nform: {exact: 1, fenced: 1}", tickets...)
	to, err := url.Parse(strings.TrimSuffix(model.url, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	var n atomic.Int64
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		told := req.Header.Get("Authorization") + " and " + req.Header.Get("X-Team")
		if !strings.Contains(told, key) || !strings.Contains(told, other) {
			t.Errorf("the key does not come: %q", told)
		}
		w.Header().Set("X-Echo", told)
		switch n.Add(1) {
		case 1:
			http.Error(w, `{"error":{"message":"no: `+told+`","type":"`+told+`","code":"`+key+`"}}`, http.StatusBadRequest)
		case 2:
			http.Error(w, "<html><h1>"+told+"</h1></html>", http.StatusBadGateway)
		case 3:
			_, _ = fmt.Fprintf(w, `{"error":%q}`, told) // a client that went away is no matter
		case 4: // the answer itself is well
			_, _ = fmt.Fprintf(w, `{"id":%q,"choices":[{"message":{"role":"assistant","content":"{\"category\":\"Bug\"}"},"finish_reason":"stop"}],"system_fingerprint":%q}`, key, told)
		case 5: // and so is this one
			_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, "You sent "+told+`: {"category":"Bug"}`)
		case 6: // and this one is asked again
			_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, "You sent "+told)
		default:
			forward.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(front.Close)
	r := modelRun{program: p, url: front.URL + "/v1", dir: t.TempDir(), variables: []string{"MY_KEY=" + key, "MY_TEAM=" + other}}
	flags := append(tickets, "--api-key-env", "MY_KEY", "--header", "X-Team: ${MY_TEAM}", "--cache-dir", "cache", "--concurrency", "1")
	said := ""
	for _, run := range []*started{r.must(t, 3, "out", append(flags, "--record", "tape")...), r.must(t, 0, "out", append(flags, "--resume", "--record", "tape")...),
		r.must(t, 0, "played", append(flags, "--replay", "tape", "--format", "json")...)} {
		said += run.stdout.String() + run.stderr.String()
	}
	files := map[string]string{"what was printed": said, "the model's own log": readText(t, model.log), "what the model printed": model.proc.stdout.String() + model.proc.stderr.String()}
	err = fs.WalkDir(os.DirFS(r.dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[path] = readText(t, filepath.Join(r.dir, filepath.FromSlash(path)))
		}
		return err
	})
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files were written: %v", len(files), err)
	}
	for name, text := range files {
		if i := strings.Index(text, "do-not-tell"); i >= 0 {
			t.Errorf("%s tells the key: …%s…", name, text[max(0, i-150):min(len(text), i+30)])
		}
	}
}
