package scenario_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
)

func TestWhatIsPackedIsTextAndComesBack(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"nothing": "", "one byte": "x", "a line's worth": strings.Repeat("ab", 48), "long": strings.Repeat("{\"slug\":\"ä\"}\n", 9999)} {
		text, err := scenario.Pack([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if len(line) > 129 || strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
				t.Errorf("%s: a line is no short text: %q", name, line)
			}
		}
		got, err := scenario.Unpack(text)
		if err != nil || string(got) != data {
			t.Errorf("%s: came back as %d bytes, %v", name, len(got), err)
		}
	}
}

func TestWhatIsNotWholeIsNotUnpacked(t *testing.T) {
	t.Parallel()
	text, err := scenario.Pack([]byte(strings.Repeat("some words ", 100)))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"cut": text[:len(text)/2], "empty": nil, "no base64": []byte("???"), "no deflate": []byte("////////"),
		"a byte of another": bytes.Replace(text, text[4:8], []byte("!!!!"), 1)} {
		if got, err := scenario.Unpack(bad); err == nil {
			t.Errorf("%s: unpacked to %q", name, got)
		}
	}
}
