package cli

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

// modelRig is a scripted model on this machine that knows the first tickets of some tasks.
type modelRig struct {
	server *fakellm.Server
	base   string
	dir    string
	// replied is called after each reply, if it is set before the first one.
	replied func(fakellm.Seen)
}

// newModelRig serves a script that knows 5 episodes of each of the tasks from seed 42 on.
func newModelRig(t *testing.T, script string, tasks ...string) *modelRig {
	t.Helper()
	s, err := fakellm.ParseScript([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var answer fakellm.Answerer
	if len(tasks) > 0 {
		known, err := (&fakeLLMOptions{bankOptions: bankOptions{app: System(), Split: "test"}, Tasks: tasks, Seed: 42, Episodes: 5}).known(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		answer = known.answer
	}
	r := &modelRig{dir: t.TempDir()}
	r.server = fakellm.New(s, answer, fakellm.Options{Values: fakeValues(), Log: func(s fakellm.Seen) {
		if r.replied != nil {
			r.replied(s)
		}
	}})
	web := httptest.NewServer(r.server)
	t.Cleanup(web.Close)
	t.Cleanup(r.server.Close) // what hangs ends first
	r.base = web.URL + "/v1"
	return r
}

// args are those of a command that plays a model of the rig.
func (r *modelRig) args(command string, more ...string) []string {
	args := []string{command, "--agent", "llm", "--base-url", r.base, "--no-floor", "--progress", "off"}
	if !strings.Contains(strings.Join(more, " "), "--model ") {
		args = append(args, "--model", "llamacpp:fake")
	}
	if !strings.Contains(strings.Join(more, " "), "--cache") {
		args = append(args, "--cache", "off")
	}
	return append(args, more...)
}

// play plays and gives what is printed, without the port.
func (r *modelRig) play(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	return r.playIn(t, newTestApp(), want, args...)
}

func (r *modelRig) playIn(t *testing.T, a *testApp, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	if code := a.run(t.Context(), args...); code != want {
		t.Fatalf("triage %s exits with %d, want %d: %s\n%s", strings.Join(args, " "), code, want, a.errs.String(), a.out.String())
	}
	return r.portless(a.out.String()), r.portless(a.errs.String())
}

// portless gives a text without what differs between two rigs; columns keep their width.
func (r *modelRig) portless(text string) string {
	text = strings.ReplaceAll(text, r.base+" ", ("http://host/v1" + strings.Repeat(" ", len(r.base)))[:len(r.base)+1])
	return strings.ReplaceAll(strings.ReplaceAll(text, r.base, "http://host/v1"), r.dir, "DIR")
}

// file gives the path of a file of the rig, with a text in it if there is one.
func (r *modelRig) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(r.dir, name)
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// after gives what stands from a title on.
func after(t *testing.T, text, title string) string {
	t.Helper()
	i := strings.Index(text, title)
	if i < 0 {
		t.Fatalf("no %q in\n%s", title, text)
	}
	return text[i:]
}
