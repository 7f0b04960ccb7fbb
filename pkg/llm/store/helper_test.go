package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/llm/wire"
)

const baseURL = "http://127.0.0.1:8080/v1/chat/completions"

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return start }

func folder(t testing.TB) *os.Root {
	t.Helper()
	return open(t, t.TempDir())
}

func open(t testing.TB, dir string) *os.Root {
	t.Helper()
	root := opened(t, dir)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// opened is a folder that the caller closes.
func opened(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func cache(t testing.TB, root *os.Root, mode Mode) *Cache {
	t.Helper()
	c, err := OpenCache(root, CacheOptions{Mode: mode, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, s wire.Store, k wire.Key, body string) {
	t.Helper()
	if err := s.Put(k, []byte(body)); err != nil {
		t.Fatal(err)
	}
}

// get gives what the store has as text, "miss" or the error.
func get(s wire.Store, k wire.Key) string {
	body, ok, err := s.Get(k)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case !ok:
		return "miss"
	}
	return "hit: " + string(body)
}

// numbered is a call that is told from others by its number.
func numbered(i int) wire.Key {
	return wire.Key{
		URL:     baseURL,
		Request: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":"ticket %d"}],"temperature":0}`, i),
		Scope:   fmt.Sprintf("queue-easy/42/%d/1", i%7),
	}
}

func answerTo(i int) string {
	return fmt.Sprintf(`{"choices":[{"message":{"content":"{\"category\":\"billing\",\"n\":%d}"},"finish_reason":"stop"}]}`, i)
}

// files gives all files of a folder by name.
func files(t testing.TB, root *os.Root) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := root.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t testing.TB, root *os.Root, name, data string) {
	t.Helper()
	if err := root.WriteFile(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, root *os.Root, name string) string {
	t.Helper()
	data, err := root.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const secret = "sk-verysecret"

func hide(b []byte) []byte { return bytes.ReplaceAll(b, []byte(secret), []byte("[redacted]")) }

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// broken is a memory that fails.
type broken struct{}

func (broken) Get(wire.Key) ([]byte, bool, error)    { return nil, false, errors.New("get broke") }
func (broken) Put(wire.Key, []byte) error            { return errors.New("put broke") }
func (broken) Learned(string) (wire.Learned, bool)   { return wire.Learned{}, false }
func (broken) SetLearned(string, wire.Learned) error { return errors.New("set broke") }
