package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func TestSecretIsTakenOutOfItsFile(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0123456789abcdef", 4)
	raw := append(bytes.Repeat([]byte{0xfe}, 31), '\n') // random bytes may end in a line end
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"a text", []byte(hex), hex}, {"a text with a line end", []byte(hex + "\n"), hex}, {"a text from Windows", []byte(" " + hex + "\r\n\r\n"), hex},
		{"bytes", raw, string(raw)}, {"bytes with a space in front", append([]byte{' '}, raw...), " " + string(raw)},
		{"a text in another script", []byte("größer " + hex + "\n"), "größer " + hex + "\n"}, {"nothing", nil, ""}, {"white space", []byte(" \n"), ""},
	} {
		if got := string(secretOf(c.file)); got != c.want {
			t.Errorf("%s gives %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSessionMakesEachSourceOnce(t *testing.T) {
	t.Parallel()
	s, err := newSession(newTestApp().App, "", "")
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName("queue-easy")
	if err != nil {
		t.Fatal(err)
	}
	a, errA := s.source(task, triage.Test)
	b, errB := s.source(task, triage.Test)
	c, errC := s.source(task, triage.Train)
	if errA != nil || errB != nil || errC != nil || a != b || a == c {
		t.Errorf("sources %p %p %p: %v %v %v", a, b, c, errA, errB, errC)
	}
	if _, err := s.newEnv("nosuch", triage.Test, triage.Int{}); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("an unknown task gives %v", err)
	}
	if s.bankName != publicBank || !strings.HasPrefix(s.generator(), "2-") {
		t.Errorf("the session plays %s of %s", s.generator(), s.bankName)
	}
}

func TestSecretDoesNotGetOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := strings.Repeat("do-not-tell-", 4)
	file := filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	app := newTestApp()
	out := app.mustRun(t, "run", "--agent", "random", "--tasks", "desk-hard", "--episodes", "3", "--secret-file", file, "--out", filepath.Join(dir, "run"))
	for _, name := range []string{"run.json", "journal.jsonl", "episodes.jsonl", "results-random.json"} {
		out += readFile(t, dir, "run", name)
	}
	if strings.Contains(out+app.errs.String(), "do-not-tell") {
		t.Error("the secret got out")
	}
	if !strings.Contains(out, synth.Fingerprint([]byte(secret))) {
		t.Error("its fingerprint is not said")
	}
}

func TestShiftedSourcesAndMemoryGiveTheSameTickets(t *testing.T) {
	t.Parallel()
	s, err := newSession(newTestApp().App, "", "")
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	src, err := s.source(task, triage.Test)
	if err != nil {
		t.Fatal(err)
	}
	memo := &memory{source: src}
	for _, at := range []struct {
		seed     int64
		position int
	}{{0, 0}, {0, 3}, {0, 1}, {7, 2}, {7, 2}, {0, 0}, {7, 11}} {
		want := src.Ticket(at.seed, at.position).Ticket.Body
		if got := memo.Ticket(at.seed, at.position).Ticket.Body; got != want {
			t.Errorf("memory gives another ticket at %+v", at)
		}
		if got := (shifted{src, at.position}).Ticket(at.seed, 0).Ticket.Body; got != want {
			t.Errorf("shifted gives another ticket at %+v", at)
		}
	}
}

func TestOnlyAndShardAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"queue-hard:3:11": "", "desk-easy:0": "", "desk-easy:0:0": "", "queue-hard": "1 parts", "a:b:c:d": "4 parts",
		"nosuch:1": "unknown task", "queue-hard:-1": "seed", "queue-hard:9223372036854775808": "seed", "queue-hard:1:12": "position", "queue-hard:1:": "position", "queue-hard:1:-1": "position"} {
		_, err := parseOnly(text)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("--only %s gives %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{"": "0/0", "1/1": "1/1", "2/4": "2/4", "04/4": "4/4", "0/4": "", "5/4": "", "1": "", "1/0": "", "a/b": "", "-1/3": "", "1/2/3": ""} {
		s, err := parseShard(text)
		if (want == "") != (err != nil) || err == nil && s.String() != want {
			t.Errorf("--shard %q gives %s, %v", text, s, err)
		}
	}
}
