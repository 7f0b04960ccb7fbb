package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// frameChecker collects the problems of a file that is no scenario: a voice, the noise, the names.
type frameChecker struct {
	at       *locator
	problems Problems
}

func (c *frameChecker) fail(message string, place ...any) {
	c.problems = append(c.problems, c.at.problem(message, place...))
}

// texts checks a list of strings: one that says something at least, blank ones only where nothing may stand, and no
// placeholders but the built-in ones.
func (c *frameChecker) texts(list []string, blank bool, place ...any) {
	if !slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		c.fail(where(place)+" has no text, needs at least one", place...)
	}
	for i, text := range list {
		at := append(slices.Clone(place), i)
		if strings.TrimSpace(text) == "" && !blank {
			c.fail(where(place)+" has an empty text: write or remove it", at...)
		}
		found := placeholder.FindAllStringSubmatch(text, -1)
		for _, m := range found {
			if !slices.Contains(builtin, m[1]) {
				c.fail(fmt.Sprintf("placeholder {%s} is not one of {%s}", m[1], strings.Join(builtin, "}, {")), at...)
			}
		}
		if strings.Count(text, "{") != len(found) || strings.Count(text, "}") != len(found) {
			c.fail("a brace that is no placeholder", at...)
		}
	}
}

func (c *frameChecker) halves(h *Halves, key string) {
	c.texts(h.Train, false, key, "train")
	c.texts(h.Test, false, key, "test")
}

func checkNames(at *locator, n *Names) Problems {
	c := &frameChecker{at: at}
	c.halves(&n.First, "first")
	c.halves(&n.Last, "last")
	c.halves(&n.Companies, "companies")
	return c.problems
}

// checkNoise checks every kind of noise, by the names that the file has for them.
func checkNoise(at *locator, n *Noise) Problems {
	c := &frameChecker{at: at}
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		c.halves(v.Field(i).Addr().Interface().(*Halves), v.Type().Field(i).Tag.Get("yaml"))
	}
	return c.problems
}

func checkVoice(at *locator, v *Voice) Problems {
	c := &frameChecker{at: at}
	if v.Name == "" {
		c.fail("name is missing: say in some words who writes so")
	}
	s := &v.Style
	for _, x := range []struct {
		name   string
		chance float64
	}{{"lowercase", s.Lowercase}, {"typos", s.Typos}, {"articles", s.Articles}, {"caps", s.Caps}, {"exclaim", s.Exclaim}, {"emoji", s.Emoji}} {
		if !(x.chance >= 0 && x.chance <= 1) {
			c.fail(fmt.Sprintf("style.%s is %v: want a chance from 0 to 1", x.name, x.chance), "style", x.name)
		}
	}
	if !slices.Contains([]string{"", "one", "some", "many"}, s.Paragraphs) {
		c.fail(fmt.Sprintf("style.paragraphs %q is not one of one, some, many", s.Paragraphs), "style", "paragraphs")
	}
	for _, half := range []struct {
		name  string
		frame *Frame
	}{{"train", &v.Train}, {"test", &v.Test}} {
		c.texts(half.frame.Greetings, true, half.name, "greetings")
		c.texts(half.frame.Openings, true, half.name, "openings")
		c.texts(half.frame.Closings, true, half.name, "closings")
		c.texts(half.frame.Signatures, false, half.name, "signatures")
	}
	return c.problems
}
