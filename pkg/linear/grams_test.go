package linear

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// gramsOf are the n-grams of a text as strings.
func gramsOf(s scanner, text string, k kind) []string {
	var out []string
	s.scan(text)
	s.eachOf(k, 1, func(g gram) { out = append(out, string(s.runes[g.lo:g.hi])) })
	return out
}

func TestATextIsCutIntoNGrams(t *testing.T) {
	t.Parallel()
	s := scanner{words: 2, minChars: 3, chars: 4, maxBytes: 1000}
	for name, c := range map[string]struct {
		text  string
		words []string
		chars []string
	}{
		"empty":       {"", nil, nil},
		"spaces":      {" \t\r\n\u00a0", nil, nil},
		"one letter":  {"I", []string{"i"}, []string{" i "}},
		"words":       {"My CARD!", []string{"my", "my card", "card"}, []string{" my", " my ", "my ", " ca", " car", "car", "card", "ard", "ard!", "rd!", "rd! ", "d! "}},
		"apostrophe":  {"it's", []string{"it", "it's", "s"}, []string{" it", " it'", "it'", "it's", "t's", "t's ", "'s "}},
		"control":     {"a\x00b\x1b\u202ec", []string{"a", "a b", "b", "b c", "c"}, []string{" a ", " b ", " c "}},
		"broken":      {"a\xffb", []string{"a", "a b", "b"}, []string{" a ", " b "}},
		"accents":     {"ÉTÉ", []string{"été"}, []string{" ét", " été", "été", "été ", "té "}},
		"no spaces":   {"退款", []string{"退款"}, []string{" 退款", " 退款 ", "退款 "}},
		"only marks":  {"?!", nil, []string{" ?!", " ?! ", "?! "}},
		"digits":      {"a1 2", []string{"a1", "a1 2", "2"}, []string{" a1", " a1 ", "a1 ", " 2 "}},
		"punctuation": {"a,b", []string{"a", "a,b", "b"}, []string{" a,", " a,b", "a,b", "a,b ", ",b "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([][]string{c.words, c.chars}, [][]string{gramsOf(s, c.text, word), gramsOf(s, c.text, char)}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNGramsThatDifferHaveOtherHashes(t *testing.T) {
	t.Parallel()
	hashes := map[uint64]string{}
	s := scanner{words: 3, minChars: 1, chars: 6, maxBytes: 1 << 16}
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "w%d x%dy ab c a bc ", i, i*7)
	}
	s.scan(text.String())
	for _, k := range []kind{word, char} {
		for _, part := range []string{"", "subject", "body"} {
			s.eachOf(k, seeder(k, part), func(g gram) {
				name := fmt.Sprint(k, part, "/", string(s.runes[g.lo:g.hi]))
				if old, ok := hashes[g.hash]; ok && old != name {
					t.Fatalf("%q and %q have one hash", old, name)
				}
				hashes[g.hash] = name
			})
		}
	}
	if len(hashes) < 10_000 {
		t.Errorf("only %d n-grams", len(hashes))
	}
}

func TestATextIsNotCutWithinARune(t *testing.T) {
	t.Parallel()
	for limit, want := range []string{"", "a", "a", "aé", "aé", "aé", "aé退"} {
		if got := cut("aé退", limit); got != want {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{"", "My card!", "\xff\x00 é退款", "it's", strings.Repeat("a", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := scanner{words: 2, minChars: 2, chars: 4, maxBytes: 256}
		for _, k := range []kind{word, char} {
			list := gramsOf(s, text, k)
			if len(list) > 3*(256+2) {
				t.Fatalf("%d n-grams", len(list))
			}
			for _, g := range list {
				n := utf8.RuneCountInString(g)
				if g == "" || !utf8.ValidString(g) || strings.ContainsAny(g, "\x00\n\x1b\t") || k == char && (n < 2 || n > 4) {
					t.Fatalf("n-gram %q of %q", g, text)
				}
			}
		}
	})
}
