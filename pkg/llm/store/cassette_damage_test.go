package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestARecordingThatWasCutShortKeepsItsWholeLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := open(t, dir)
	r, err := Record(root, CassetteOptions{Settings: settings()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		put(t, r, numbered(i), answerTo(i))
	}
	whole := read(t, root, RecordingFile)
	if err := r.file.Close(); err != nil { // as the end of the process would
		t.Fatal(err)
	}
	want := t.TempDir()
	record(t, want, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		for i := range 4 {
			put(t, r, numbered(i), answerTo(i))
		}
	})
	for cut := len(whole); cut >= 0; cut -= 3 {
		lines := strings.Count(whole[:cut], "\n")
		write(t, root, RecordingFile, whole[:cut])
		if lines == 0 {
			if _, err := Replay(root, CassetteOptions{}); err == nil {
				t.Fatalf("cut at %d: there is no cassette yet", cut)
			}
		} else if p := replay(t, dir); p.Len() != lines-1 || len(p.Settings()) != 1 {
			t.Fatalf("cut at %d: %d answers, settings %v", cut, p.Len(), p.Settings())
		}
		if cut%50 != 0 && cut != len(whole) {
			continue
		}
		// It goes on and comes to the same end.
		record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
			for i := max(lines-1, 0); i < 4; i++ {
				put(t, r, numbered(i), answerTo(i))
			}
		})
		if diff := cmp.Diff(files(t, open(t, want)), files(t, root)); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		if err := root.Remove(CassetteFile); err != nil {
			t.Fatal(err)
		}
	}
}

func TestATornLineThatHasAnEndIsLeftOutToo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := open(t, dir)
	line, err := encode(identify(numbered(1), nil)) // its body is not what it says
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, RecordingFile, `{"schema":"triage.cassette/1"}`+"\n"+string(line))
	if p := replay(t, dir); p.Len() != 0 {
		t.Errorf("%d answers", p.Len())
	}
	write(t, root, RecordingFile, string(line)+`{"schema":"triage.cassette/1"}`+"\n")
	want := place(root, RecordingFile) + `:1: not a line of a cassette: the body's SHA-256 is ` + sum(nil) + `, not "" as said`
	if _, err := Record(root, CassetteOptions{}); errorText(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestACloseThatStopsAnywhereLosesNothing(t *testing.T) {
	t.Parallel()
	fill := func(t testing.TB, dir string, from, to, size int) {
		record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
			r.limit = 15 << 10
			for i := from; i < to; i++ {
				put(t, r, numbered(i), fmt.Sprint(i)+strings.Repeat("z", size))
			}
		})
	}
	want := t.TempDir()
	fill(t, want, 0, 40, 700)
	fill(t, want, 0, 60, 600)
	wantFiles := files(t, open(t, want))
	if len(wantFiles) < 4 {
		t.Errorf("there are only %d files", len(wantFiles))
	}
	for stop := range len(wantFiles) {
		t.Run(fmt.Sprintf("at file %d", stop), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root := open(t, dir)
			fill(t, dir, 0, 40, 700)
			r, err := Record(root, CassetteOptions{Settings: settings()})
			if err != nil {
				t.Fatal(err)
			}
			r.limit = 15 << 10
			// A file cannot be put in its place, and then the process is gone.
			for i := range 60 {
				put(t, r, numbered(i), fmt.Sprint(i)+strings.Repeat("z", 600))
			}
			full, _, err := load(root)
			if err != nil {
				t.Fatal(err)
			}
			before, had := files(t, root)[partName(stop)]
			if had {
				if err := root.Remove(partName(stop)); err != nil {
					t.Fatal(err)
				}
			}
			if err := root.MkdirAll(partName(stop)+"/x", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := r.settle(full); err == nil {
				t.Fatal("the file was replaced")
			}
			if err := r.file.Close(); err != nil {
				t.Fatal(err)
			}
			if err := root.RemoveAll(partName(stop)); err != nil {
				t.Fatal(err)
			}
			if had {
				write(t, root, partName(stop), before)
			}
			p := replay(t, dir)
			for i := range 60 {
				if got := get(p, numbered(i)); got != "hit: "+fmt.Sprint(i)+strings.Repeat("z", 600) {
					t.Fatalf("ticket %d: %.100s", i, got)
				}
			}
			fill(t, dir, 0, 0, 0)
			if diff := cmp.Diff(wantFiles, files(t, root)); diff != "" {
				t.Errorf("%.1000s", diff)
			}
		})
	}
}

func TestACassetteThatIsDamagedSaysWhere(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	record(t, good, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		put(t, r, wire.Key{URL: "u", Scope: "s"}, "body")
		put(t, r, wire.Key{URL: "u", Scope: "t"}, strings.Repeat("z", maxPart-100))
	})
	first, second := read(t, open(t, good), CassetteFile), read(t, open(t, good), partName(1))
	head, line, _ := strings.Cut(first, "\n")
	tests := []struct {
		name string
		file string // changed
		data string
		want string // after the folder
	}{
		{"an edited body", CassetteFile, strings.Replace(first, `"body":"body"`, `"body":"BODY"`, 1), `/cassette.jsonl:2: not a line of a cassette: the body's SHA-256 is ` + sum([]byte("BODY")) + `, not "` + sum([]byte("body")) + `" as said`},
		{"a longer body", CassetteFile, strings.Replace(first, `"body":"body"`, `"body":"bodies"`, 1), `/cassette.jsonl:2: not a line of a cassette: the body has 6 bytes, not 4 as said`},
		{"two bodies", CassetteFile, strings.Replace(first, `"body":"body"`, `"body":"body","body_base64":"aa=="`, 1), `/cassette.jsonl:2: not a line of a cassette: there is both a body and a body_base64`},
		{"no base64", CassetteFile, strings.Replace(first, `"body":"body"`, `"body_base64":"a"`, 1), `/cassette.jsonl:2: not a line of a cassette: body_base64: illegal base64 data at input byte 0`},
		{"another member", CassetteFile, strings.Replace(first, `"body":`, `"text":`, 1), `/cassette.jsonl:2: not a line of a cassette: json: unknown field "text"`},
		{"text behind", CassetteFile, strings.TrimSpace(first) + " x\n", `/cassette.jsonl:2: not a line of a cassette: there is something after the JSON value`},
		{"a conflict", CassetteFile, "<<<<<<< HEAD\n" + first, `/cassette.jsonl:1: not a line of a cassette: invalid character '<' looking for beginning of value`},
		{"no head", CassetteFile, line, `/cassette.jsonl:1: not a line of a cassette: the first line is no head`},
		{"two heads", CassetteFile, head + "\n" + first, `/cassette.jsonl:2: not a line of a cassette: it is a second head`},
		{"a head in the second file", partName(1), first, `/cassette-1.jsonl:1: not a line of a cassette: it is a second head`},
		{"a newer form", CassetteFile, strings.Replace(first, "cassette/1", "cassette/2", 1), `/cassette.jsonl:1: not a line of a cassette: schema "triage.cassette/2" is not triage.cassette/1`},
		{"head and answer in one", CassetteFile, strings.Replace(first, `{"schema"`, `{"scope":"s","schema"`, 1), `/cassette.jsonl:1: not a line of a cassette: it is both a head and an answer`},
		{"empty", CassetteFile, "", `/cassette.jsonl: it is empty`},
		{"cut short", CassetteFile, first[:len(first)-20], `/cassette.jsonl:2: not a line of a cassette: unexpected EOF`},
		{"a lost answer", CassetteFile, head + "\n", `/cassette.jsonl: it says that there are 2 answers, but there are 1: files of several cassettes are mixed`},
		{"a second file that is another's", partName(1), line, `/cassette.jsonl: it says that there are 2 answers, but there are 1: files of several cassettes are mixed`},
		{"a file more", CassetteFile, strings.Replace(first, `"files":2`, `"files":3`, 1), `/cassette-2.jsonl: no such file or directory`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			write(t, root, CassetteFile, first)
			write(t, root, partName(1), second)
			write(t, root, tt.file, tt.data)
			_, errReplay := Replay(root, CassetteOptions{})
			_, errRecord := Record(root, CassetteOptions{}) // before any call is paid for
			for _, err := range []error{errReplay, errRecord} {
				if _, got, _ := strings.Cut(errorText(err), root.Name()); got != tt.want {
					t.Errorf("got %v, want %s", err, tt.want)
				}
			}
		})
	}
	root := folder(t)
	want := "read " + place(root, CassetteFile) + ": there is no cassette: make one with --record"
	if _, err := Replay(root, CassetteOptions{}); errorText(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestACheckoutWithOtherLineEndsIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) { put(t, r, numbered(1), "a\r\nb") })
	root := open(t, dir)
	write(t, root, CassetteFile, strings.ReplaceAll(read(t, root, CassetteFile), "\n", "\r\n"))
	if got := get(replay(t, dir), numbered(1)); got != "hit: a\r\nb" {
		t.Error(got)
	}
}
