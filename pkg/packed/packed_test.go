package packed_test

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/packed"
)

func TestWhatIsPackedIsTextAndComesBack(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"nothing": "", "one byte": "x", "a line's worth": strings.Repeat("ab", 48), "long": strings.Repeat("{\"slug\":\"ä\"}\n", 9999)} {
		text, err := packed.Pack([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if len(line) > 129 || strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
				t.Errorf("%s: a line is no short text: %q", name, line)
			}
		}
		got, err := packed.Unpack(text)
		if err != nil || string(got) != data {
			t.Errorf("%s: came back as %d bytes, %v", name, len(got), err)
		}
	}
}

func TestWhatIsNotWholeIsNotUnpacked(t *testing.T) {
	t.Parallel()
	text, err := packed.Pack([]byte(strings.Repeat("some words ", 100)))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"cut": text[:len(text)/2], "empty": nil, "no base64": []byte("???"), "no gzip": []byte("////////"), "twice": slices.Concat(text, text), "a tail": append(slices.Clone(text), "<<<<\n"...),
		"a digit of another": bytes.Replace(text, text[40:41], []byte{text[40]%26 + 'a'}, 1),
		"a byte of another":  bytes.Replace(text, text[4:8], []byte("!!!!"), 1)} {
		if got, err := packed.Unpack(bad); err == nil {
			t.Errorf("%s: unpacked to %q", name, got)
		}
	}
}

func TestFilesComeBackAtTheirNames(t *testing.T) {
	t.Parallel()
	in := fstest.MapFS{"a/one.json": {Data: []byte("1")}, "a/two.json": {Data: []byte(strings.Repeat("2", 9999))}, "b/empty.txt": {}, "b/not.md": {Data: []byte("x")}}
	text, err := packed.PackFiles(in, "b/*.txt", "a/*.json")
	if err != nil {
		t.Fatal(err)
	}
	out, err := packed.Files(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(out, "a/one.json", "a/two.json", "b/empty.txt"); err != nil {
		t.Error(err)
	}
	if names, err := fs.Glob(out, "*/*"); err != nil || strings.Join(names, " ") != "a/one.json a/two.json b/empty.txt" {
		t.Errorf("the files are %q, %v", names, err)
	}
	if data, err := fs.ReadFile(out, "a/two.json"); err != nil || !bytes.Equal(data, in["a/two.json"].Data) {
		t.Errorf("a/two.json comes back as %d bytes, %v", len(data), err)
	}
	again, err := packed.PackFiles(in, "b/*.txt", "a/*.json")
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("packed again it is another text (%v)", err)
	}
}

func TestAPatternWithoutFilesIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := packed.PackFiles(fstest.MapFS{"a.json": {}}, "a.json", "nosuch/*.json"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "nosuch/*.json") {
		t.Errorf("the error is %v", err)
	}
	if _, err := packed.PackFiles(fstest.MapFS{}, "[a"); err == nil || !strings.Contains(err.Error(), "[a") {
		t.Errorf("the error is %v", err)
	}
	text, err := packed.Pack([]byte("no archive"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := packed.Files(text); err == nil {
		t.Error("files are found in what is no archive")
	}
}
