package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func settings() map[string]string {
	return map[string]string{"base_url": "http://127.0.0.1:8080/v1", "model": "m", "prompt": "1-abc"}
}

func record(t testing.TB, dir string, o CassetteOptions, write func(r *Recorder)) {
	t.Helper()
	root := opened(t, dir)
	defer func() { _ = root.Close() }()
	r, err := Record(root, o)
	if err != nil {
		t.Fatal(err)
	}
	write(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

func replay(t testing.TB, dir string) *Player {
	t.Helper()
	root := opened(t, dir)
	defer func() { _ = root.Close() }() // a replay has all in memory
	p, err := Replay(root, CassetteOptions{Settings: settings()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustLearn(t testing.TB, m Memory, endpoint string, l wire.Learned) {
	t.Helper()
	if err := m.SetLearned(endpoint, l); err != nil {
		t.Fatal(err)
	}
}

func TestACassetteIsTheseBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		put(t, r, wire.Key{URL: "http://h/v1/chat/completions", Request: []byte("{}"), Scope: "s/2"}, "\xff")
		put(t, r, wire.Key{URL: "http://h/v1/chat/completions", Request: []byte("{}"), Scope: "s/1"}, `{"a":"<b>"}`)
		mustLearn(t, r, Endpoint("http://h/v1", "m"), wire.Learned{Drop: []string{"seed"}})
	})
	request := sum([]byte("{}"))
	want := map[string]string{"cassette.jsonl": `{"schema":"triage.cassette/1","files":1,"answers":2,` +
		`"settings":[{"base_url":"http://127.0.0.1:8080/v1","model":"m","prompt":"1-abc"}],"learned":{"http://h/v1 m":{"drop":["seed"]}}}
{"scope":"s/1","key":"06c309308f1f599207d702734093c291eaa2d8aa43aa59e073d01f18bad01b35","url":"http://h/v1/chat/completions","request_bytes":2,"request_sha256":"` + request + `","body_bytes":11,"body_sha256":"` + sum([]byte(`{"a":"<b>"}`)) + `","body":"{\"a\":\"<b>\"}"}
{"scope":"s/2","key":"ef602358d9b9dbeaef2b52baf547d77ebf79f5ebbd7e3f92e7ed3b9fc8f7af85","url":"http://h/v1/chat/completions","request_bytes":2,"request_sha256":"` + request + `","body_bytes":1,"body_sha256":"` + sum([]byte("\xff")) + `","body_base64":"/w=="}
`}
	if diff := cmp.Diff(want, files(t, open(t, dir))); diff != "" {
		t.Error(diff)
	}
}

func TestTwoRecordingsOfTheSameCallsAreTheSameBytes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(" reason", 20)
	var want map[string]string
	for run := range 4 {
		dir := t.TempDir()
		order := rand.New(rand.NewPCG(uint64(run), 1)).Perm(200)
		record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
			r.limit = 20 << 10
			var wg sync.WaitGroup
			for g := range run*5 + 1 {
				wg.Go(func() {
					for i := g; i < len(order); i += run*5 + 1 {
						put(t, r, numbered(order[i]), answerTo(order[i])+long)
						mustLearn(t, r, Endpoint("http://h/v1", fmt.Sprint(order[i]%3)), someLearned())
					}
				})
			}
			wg.Wait()
		})
		got := files(t, open(t, dir))
		if run == 0 {
			want = got
			if len(want) < 3 {
				t.Errorf("there are only %d files: the test needs several", len(want))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run %d: %.2000s", run, diff)
		}
		p := replay(t, dir)
		for i := range 200 {
			if got := get(p, numbered(i)); got != "hit: "+answerTo(i)+long {
				t.Fatalf("ticket %d: %.200s", i, got)
			}
		}
		if p.Len() != 200 || p.Unused() != 0 {
			t.Errorf("%d answers, %d unused", p.Len(), p.Unused())
		}
	}
}

func TestNoFileOfACassetteIsTooLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	huge := strings.Repeat("x", 1200<<10)
	record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		put(t, r, wire.Key{Scope: "a huge one"}, huge)
		for i := range 150 {
			put(t, r, numbered(i), strings.Repeat("y", 9000))
		}
	})
	long := 0
	list := files(t, open(t, dir))
	for name, data := range list {
		if len(data) <= maxPart {
			continue
		}
		long++
		if strings.Count(data, "\n") != 1 {
			t.Errorf("%s has %d bytes and several answers", name, len(data))
		}
	}
	if long != 1 || len(list) != 4 {
		t.Errorf("%d files are too long, of %d", long, len(list))
	}
	if got := get(replay(t, dir), wire.Key{Scope: "a huge one"}); got != "hit: "+huge {
		t.Errorf("%.100s", got)
	}
	// A shorter one leaves no file of before.
	record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		for i := range 150 {
			put(t, r, numbered(i), "y")
		}
	})
	if got := len(files(t, open(t, dir))); got != 3 {
		t.Errorf("%d files", got)
	}
	if p := replay(t, dir); p.Len() != 151 {
		t.Errorf("%d answers", p.Len())
	}
}

func TestASecondRecordingAddsToTheFirstAndWinsWhereBothHaveAnAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := settings()
	other["model"] = "a"
	record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		put(t, r, numbered(1), "one")
		put(t, r, numbered(2), "two")
		mustLearn(t, r, "e", wire.Learned{Format: "text"})
		mustLearn(t, r, "f", wire.Learned{Format: "text"})
	})
	record(t, dir, CassetteOptions{Settings: other}, func(r *Recorder) {
		if got := get(r, numbered(1)); got != "miss" {
			t.Errorf("a recorder answers: %s", got)
		}
		if _, ok := r.Learned("e"); ok {
			t.Error("a recorder has learned something")
		}
		put(t, r, numbered(2), "TWO")
		put(t, r, numbered(3), "three")
		mustLearn(t, r, "e", wire.Learned{Format: "json_object"})
	})
	record(t, dir, CassetteOptions{Settings: other}, func(*Recorder) {})
	p := replay(t, dir)
	got := []string{get(p, numbered(1)), get(p, numbered(2)), get(p, numbered(3))}
	if diff := cmp.Diff([]string{"hit: one", "hit: TWO", "hit: three"}, got); diff != "" {
		t.Error(diff)
	}
	e, _ := p.Learned("e")
	f, _ := p.Learned("f")
	if diff := cmp.Diff([]wire.Learned{{Format: "json_object"}, {Format: "text"}}, []wire.Learned{e, f}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]map[string]string{other, settings()}, p.Settings()); diff != "" {
		t.Error(diff)
	}
}

func TestTheOrderOfRecordingsDoesNotMatter(t *testing.T) {
	t.Parallel()
	other := settings()
	other["model"] = "a"
	var got [2]map[string]string
	for i, order := range [][]map[string]string{{settings(), other}, {other, settings()}} {
		dir := t.TempDir()
		for _, s := range order {
			record(t, dir, CassetteOptions{Settings: s}, func(r *Recorder) {
				put(t, r, wire.Key{Scope: s["model"]}, s["model"])
			})
		}
		got[i] = files(t, open(t, dir))
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Error(diff)
	}
}

func TestTwoRecordingsOfOneFolderAtATimeAreRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks here")
	}
	root := folder(t)
	r, err := Record(root, CassetteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "record into " + place(root, RecordingFile) + ": another run is recording into this folder"
	if _, err := Record(root, CassetteOptions{}); errorText(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	put(t, r, numbered(1), "1")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Put(numbered(2), nil); errorText(err) != "write "+place(root, RecordingFile)+": the recording is closed" {
		t.Errorf("got %v", err)
	}
	again, err := Record(root, CassetteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
