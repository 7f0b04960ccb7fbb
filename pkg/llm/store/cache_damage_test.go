package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestADamagedEntryIsAMissAndThePutAfterItReplacesIt(t *testing.T) {
	t.Parallel()
	good := folder(t)
	k, body := numbered(3), answerTo(3)
	put(t, cache(t, good, On), k, body)
	var name, data string
	for name, data = range files(t, good) {
	}
	damages := map[string]string{"empty": "", "a line more": data + "{}\n", "text": "hello", "null": "null", "array": "[]"}
	for i := range data[:len(data)-1] { // without its line end it is whole
		damages[fmt.Sprintf("cut at %d", i)] = data[:i]
		damages[fmt.Sprintf("byte %d", i)] = data[:i] + string(data[i]^1) + data[i+1:]
	}
	root := folder(t)
	c := cache(t, root, On)
	if err := root.Mkdir(name[:2], 0o755); err != nil {
		t.Fatal(err)
	}
	n := 0
	for what, damaged := range damages {
		write(t, root, name, damaged)
		before := c.Counts()
		if got := get(c, k); got != "miss" {
			t.Fatalf("%s: %s", what, got)
		}
		if diff := cmp.Diff(Counts{Misses: before.Misses + 1, Damaged: before.Damaged + 1, Puts: before.Puts, Hits: before.Hits}, c.Counts()); diff != "" {
			t.Fatalf("%s: %s", what, diff)
		}
		if n++; n%50 != 1 {
			continue
		}
		put(t, c, k, body)
		if got := get(c, k); got != "hit: "+body {
			t.Fatalf("%s: after Put: %s", what, got)
		}
	}
	if n < 1000 {
		t.Errorf("only %d damages were tried", n)
	}
}

func TestAnotherCallsEntryUnderThisNameIsAMiss(t *testing.T) {
	t.Parallel()
	root := folder(t)
	c := cache(t, root, On)
	put(t, c, numbered(1), "1")
	put(t, c, numbered(2), "2")
	one, two := identify(numbered(1), nil), identify(numbered(2), nil)
	write(t, root, entryName(one.Key), read(t, root, entryName(two.Key)))
	if diff := cmp.Diff([]string{"miss", "hit: 2"}, []string{get(c, numbered(1)), get(c, numbered(2))}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Counts{Hits: 1, Misses: 1, Puts: 2, Damaged: 1}, c.Counts()); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderWhereAnEntryShouldBeIsDamageAndAnErrorOfPut(t *testing.T) {
	t.Parallel()
	root := folder(t)
	c := cache(t, root, On)
	id := identify(numbered(1), nil)
	if err := root.MkdirAll(entryName(id.Key)+"/x", 0o755); err != nil {
		t.Fatal(err)
	}
	if got := get(c, numbered(1)); got != "miss" {
		t.Error(got)
	}
	err := c.Put(numbered(1), []byte("1"))
	if err == nil || !strings.HasPrefix(err.Error(), "write cache entry "+place(root, entryName(id.Key))+": ") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(Counts{Misses: 1, Damaged: 1, Failed: 1}, c.Counts()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{}, files(t, root)); diff != "" {
		t.Errorf("the temporary file stays: %s", diff)
	}
}

func TestOnlyTemporaryFilesOfAnHourAgoAreSwept(t *testing.T) {
	t.Parallel()
	root := folder(t)
	c := cache(t, root, On)
	put(t, c, numbered(1), "1")
	for name, age := range map[string]time.Duration{"tmp/old": time.Hour + time.Second, "tmp/new": time.Hour, "tmp/later": -time.Hour} {
		write(t, root, name, "half an en")
		if err := root.Chtimes(name, start.Add(-age), start.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	cache(t, root, Read)
	if got := len(files(t, root)); got != 4 {
		t.Errorf("a cache that is only read sweeps: %d files", got)
	}
	c = cache(t, root, Refresh)
	id := identify(numbered(1), nil)
	want := map[string]string{"tmp/new": "half an en", "tmp/later": "half an en", entryName(id.Key): read(t, root, entryName(id.Key))}
	if diff := cmp.Diff(want, files(t, root)); diff != "" {
		t.Error(diff)
	}
	put(t, c, numbered(2), "2") // what is left is in nobody's way
}

func TestANameThatIsTakenIsLeftAlone(t *testing.T) {
	t.Parallel()
	root := folder(t)
	one, two := cache(t, root, On), cache(t, root, On) // the same process and time: the same names
	for i := range 10 {
		write(t, root, "tmp/"+one.prefix+fmt.Sprint(2*i+1), "another's")
	}
	for i := range 10 {
		put(t, one, numbered(i), answerTo(i))
		put(t, two, numbered(i+10), answerTo(i+10))
	}
	c := cache(t, root, Read)
	for i := range 20 {
		if got := get(c, numbered(i)); got != "hit: "+answerTo(i) {
			t.Error(got)
		}
	}
}

func TestACacheThatIsClearedWhileInUseGoesOn(t *testing.T) {
	t.Parallel()
	root := folder(t)
	c := cache(t, root, On)
	for i := range 5 {
		put(t, c, numbered(i), answerTo(i))
		if got := get(c, numbered(i)); got != "hit: "+answerTo(i) {
			t.Error(got)
		}
		for _, dir := range []string{"tmp", entryName(identify(numbered(i), nil).Key)[:2]} {
			if err := root.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		if got := get(c, numbered(i)); got != "miss" {
			t.Error(got)
		}
	}
	if diff := cmp.Diff(Counts{Hits: 5, Misses: 5, Puts: 5}, c.Counts()); diff != "" {
		t.Error(diff)
	}
}
