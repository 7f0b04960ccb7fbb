package store

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestCallsThatDifferShareNoAnswer(t *testing.T) {
	t.Parallel()
	call := func(change func(*wire.Key)) wire.Key {
		k := wire.Key{URL: baseURL, Scope: "desk-hard/42/3/1", Request: []byte(
			`{"model":"a","messages":[{"role":"system","content":"S"},{"role":"user","content":"T1"}],"temperature":0,"seed":1,"max_tokens":512}`)}
		change(&k)
		return k
	}
	body := func(old, with string) func(*wire.Key) {
		return func(k *wire.Key) {
			if !strings.Contains(string(k.Request), old) {
				t.Fatalf("%s is not in the request", old)
			}
			k.Request = []byte(strings.Replace(string(k.Request), old, with, 1))
		}
	}
	tests := []struct {
		name   string
		change func(*wire.Key)
	}{
		{"two models", body(`"a"`, `"b"`)},                                                                     // lesson D51
		{"two base URLs", func(k *wire.Key) { k.URL = "https://api.openai.com/v1" }},                           // lesson D51
		{"seeds 1 and 2", body(`"seed":1`, `"seed":2`)},                                                        // lesson D52
		{"another few-shot example", body(`"S"`, `"S, such as: E"`)},                                           // lesson D52
		{"two trials", func(k *wire.Key) { k.Scope = "desk-hard/42/3/2" }},                                     // lesson D53
		{"two episodes", func(k *wire.Key) { k.Scope = "desk-hard/42/4/1" }},                                   // lesson D53
		{"two tickets of one template", body(`T1`, `T2`)},                                                      // lesson D55
		{"T=0 then T=1", body(`"temperature":0`, `"temperature":1`)},                                           // lesson D56
		{"a temperature that is not sent", body(`"temperature":0,`, ``)},                                       // lesson D56
		{"another budget", body(`512`, `513`)},                                                                 // lesson D56
		{"one more field", body(`512`, `512,"logit_bias":{"1":-100}`)},                                         // lesson D56
		{"white space", body(`"seed":1`, `"seed": 1`)},                                                         // the bytes count
		{"a part's end that moves to the next", func(k *wire.Key) { k.URL, k.Scope = k.URL+"d", k.Scope[1:] }}, // why there are lengths
		{"no scope", func(k *wire.Key) { k.Scope = "" }},
		{"no request", func(k *wire.Key) { k.Request = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := cache(t, folder(t), On)
			one, other := call(func(*wire.Key) {}), call(tt.change)
			put(t, c, one, "1")
			got := []string{get(c, other), get(c, one)}
			put(t, c, other, "2")
			got = append(got, get(c, other), get(c, one))
			if diff := cmp.Diff([]string{"miss", "hit: 1", "hit: 2", "hit: 1"}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnAnswerComesBackByteForByte(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"JSON":           answerTo(1),
		"empty":          "",
		"no UTF-8":       "a\xff\xfe\"b",
		"separators":     "a\u2028b\u2029c\x00d\x7f<&>\uFFFD",
		"a byte mark":    "\uFEFF{}",
		"long":           strings.Repeat("0123456789\n", 1<<17),
		"looks the same": `{"schema":"triage.cache/1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			put(t, cache(t, root, On), numbered(1), body)
			if got := get(cache(t, root, Read), numbered(1)); got != "hit: "+body {
				t.Errorf("got %.200q, want %.200q", got, body)
			}
		})
	}
}

func TestAnEntryIsNamedByItsKeyAndHasNoRequest(t *testing.T) {
	t.Parallel()
	root := folder(t)
	put(t, cache(t, root, On), numbered(1), `{"a":"<&>"}`)
	want := map[string]string{
		"f4/0ac5f5b54c6a45f042d0835fb97a75f3e5da011dd94fa74e6f8952a7ca0f8f.json": `{"schema":"triage.cache/1","scope":"queue-easy/42/1/1",` +
			`"key":"f40ac5f5b54c6a45f042d0835fb97a75f3e5da011dd94fa74e6f8952a7ca0f8f","url":"http://127.0.0.1:8080/v1/chat/completions",` +
			`"request_bytes":79,"request_sha256":"a0d6dcd59210db6105ea487fe18a8d7e1b348e37447ba8affbed54612c3290ef",` +
			`"body_bytes":11,"body_sha256":"8658fe1f872cd0d087e206ab8fd59cbc9873d8a4d5701620f4d3d17b0f2fb388","body":"{\"a\":\"<&>\"}"}` + "\n",
	}
	if diff := cmp.Diff(want, files(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestModesSayWhatIsReadAndWritten(t *testing.T) {
	t.Parallel()
	type seen struct {
		Old, New string // what Get gives for an answer from before, and after a Put of both
		Learned  bool
		Kept     [2]string // what is there for a later run
		Counts   Counts
	}
	tests := map[Mode]seen{
		"":      {Old: "hit: old", New: "hit: new", Learned: true, Kept: [2]string{"hit: newer", "hit: new"}, Counts: Counts{Hits: 2, Misses: 1, Puts: 2}},
		On:      {Old: "hit: old", New: "hit: new", Learned: true, Kept: [2]string{"hit: newer", "hit: new"}, Counts: Counts{Hits: 2, Misses: 1, Puts: 2}},
		Off:     {Old: "miss", New: "miss", Kept: [2]string{"hit: old", "miss"}},
		Read:    {Old: "hit: old", New: "miss", Learned: true, Kept: [2]string{"hit: old", "miss"}, Counts: Counts{Hits: 1, Misses: 2}},
		Refresh: {Old: "miss", New: "miss", Kept: [2]string{"hit: newer", "hit: new"}, Counts: Counts{Puts: 2}},
	}
	for mode, want := range tests {
		t.Run("mode "+string(mode), func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			before := cache(t, root, On)
			put(t, before, numbered(1), "old")
			if err := before.SetLearned("e", wire.Learned{Format: "json_object"}); err != nil {
				t.Fatal(err)
			}
			c := cache(t, root, mode)
			got := seen{Old: get(c, numbered(1))}
			if m := get(c, numbered(2)); m != "miss" {
				t.Error(m)
			}
			put(t, c, numbered(1), "newer")
			put(t, c, numbered(2), "new")
			got.New = get(c, numbered(2))
			_, got.Learned = c.Learned("e")
			got.Counts = c.Counts()
			if err := c.SetLearned("f", wire.Learned{}); err != nil {
				t.Fatal(err)
			}
			after := cache(t, root, Read)
			got.Kept = [2]string{get(after, numbered(1)), get(after, numbered(2))}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if _, ok := after.Learned("f"); ok != c.mode.writes() {
				t.Errorf("learned is kept: %v", ok)
			}
			if mode != "" && c.Mode() != mode {
				t.Errorf("mode %q", c.Mode())
			}
		})
	}
}

func TestACacheThatIsOffNeedsNoFolder(t *testing.T) {
	t.Parallel()
	c, err := OpenCache(nil, CacheOptions{Mode: Off})
	if err != nil {
		t.Fatal(err)
	}
	put(t, c, numbered(1), "1")
	if got := get(c, numbered(1)); got != "miss" {
		t.Error(got)
	}
}

func TestOpenCacheSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	blocked := folder(t)
	write(t, blocked, "tmp", "a file")
	tests := []struct {
		name string
		o    CacheOptions
		want string
	}{
		{"no mode of ours", CacheOptions{Mode: "yes", Now: clock}, `cache mode "yes": allowed are on, off, read and refresh`},
		{"no clock", CacheOptions{Mode: Refresh}, "open cache: there is no clock"},
		{"a file in the way", CacheOptions{Now: clock}, "create cache folder " + place(blocked, "tmp") + ": file exists"},
	}
	for _, tt := range tests {
		if _, err := OpenCache(blocked, tt.o); errorText(err) != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	for _, m := range Modes() {
		if got, err := ParseMode(string(m)); got != m || err != nil {
			t.Errorf("%s: %v, %v", m, got, err)
		}
	}
}

func TestAKeyThatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	c := cache(t, folder(t), On)
	for want, k := range map[string]wire.Key{
		`keep an answer: the scope "a\xff" is not UTF-8`: {URL: "u", Scope: "a\xff"},
		`keep an answer: the URL "u\xff" is not UTF-8`:   {URL: "u\xff", Scope: "a"},
	} {
		if err := c.Put(k, nil); errorText(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestManyGoroutinesMayUseOneCache(t *testing.T) {
	t.Parallel()
	c := cache(t, folder(t), On)
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 40 {
				k := (i*7 + g) % 20
				if got := get(c, numbered(k)); got != "miss" && got != "hit: "+answerTo(k) {
					t.Errorf("ticket %d: %s", k, got)
				}
				if err := c.Put(numbered(k), []byte(answerTo(k))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := c.Counts(); got.Damaged != 0 || got.Hits+got.Misses != 640 || got.Puts != 640 {
		t.Errorf("%+v", got)
	}
}

// lesson D68
func TestACacheKeepsNoSecret(t *testing.T) {
	t.Parallel()
	root := folder(t)
	c, err := OpenCache(root, CacheOptions{Now: clock, Redact: hide})
	if err != nil {
		t.Fatal(err)
	}
	k := wire.Key{URL: baseURL + "?key=" + secret, Request: []byte(`{}`), Scope: "s"}
	put(t, c, k, `{"id":"`+secret+`"}`)
	l := wire.Learned{Notes: []string{"refused with " + secret}}
	if err := c.SetLearned(Endpoint(k.URL, "m"), l); err != nil {
		t.Fatal(err)
	}
	if l.Notes[0] != "refused with "+secret {
		t.Error("the caller's notes were changed")
	}
	for name, data := range files(t, root) {
		if strings.Contains(data, secret) {
			t.Errorf("%s has the secret: %s", name, data)
		}
	}
	if got := get(c, k); got != `hit: {"id":"[redacted]"}` {
		t.Error(got)
	}
	got, _ := c.Learned(Endpoint(k.URL, "m"))
	if diff := cmp.Diff(wire.Learned{Notes: []string{"refused with [redacted]"}}, got); diff != "" {
		t.Error(diff)
	}
}
