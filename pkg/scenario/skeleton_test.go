package scenario_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

var unwritten = regexp.MustCompile(`"[^"]*FILL IN[^"]*"`)

// filledIn writes a different sentence over each place of a skeleton that is to be filled in.
func filledIn(skeleton []byte) string {
	n := 0
	nouns := []string{"lantern", "lamp", "rope", "wheel"}
	return unwritten.ReplaceAllStringFunc(string(skeleton), func(text string) string {
		n++
		switch {
		case strings.Contains(text, "a noun that"):
			return fmt.Sprintf("%q", nouns[n%len(nouns)])
		case strings.Contains(text, "a value of"):
			return fmt.Sprintf(`"value %d"`, n)
		}
		return fmt.Sprintf(`"Sentence %d has lantern %d, lamp %d, rope and wheel of {thing} and {number}."`, n, n, n)
	})
}

func TestASkeletonThatIsFilledInPasses(t *testing.T) {
	t.Parallel()
	for _, r := range triage.Routes() {
		text := filledIn(scenario.Skeleton(r, "late-lantern"))
		name := string(r) + "/late-lantern.yaml"
		s, err := scenario.ReadScenario(name, []byte(text))
		if err != nil {
			t.Errorf("%s:\n%v\n%s", r, err, text)
			continue
		}
		if s.Slug != string(r)+"/late-lantern" || s.Split != triage.Train {
			t.Errorf("it is read as %s of split %s", s.Slug, s.Split)
		}
	}
}

// TestASkeletonNamesEachPlaceToFillIn: every mistake of an unfilled form is a place that says "fill in", one a text.
func TestASkeletonNamesEachPlaceToFillIn(t *testing.T) {
	t.Parallel()
	for _, r := range triage.Routes() {
		text := string(scenario.Skeleton(r, "x"))
		lines := strings.Split(text, "\n")
		want := map[int]int{}
		for i, l := range lines {
			if !strings.HasPrefix(strings.TrimSpace(l), "#") && strings.Contains(l, "FILL IN") {
				want[i+1] = strings.Count(l, "FILL IN")
			}
		}
		_, err := scenario.ReadScenario(string(r)+"/x.yaml", []byte(text))
		var problems scenario.Problems
		if !errors.As(err, &problems) {
			t.Fatalf("%s gives %v", r, err)
		}
		for _, p := range problems {
			if !strings.HasPrefix(p.Message, "fill in ") || !strings.Contains(p.Message, ": ") {
				t.Errorf("%s", p)
			}
			want[p.Line]--
		}
		for line, n := range want {
			if n != 0 {
				t.Errorf("%s: line %d has %d places more than complaints: %s", r, line, n, lines[line-1])
			}
		}
	}
}

// TestAHalfFilledSkeletonNamesOnlyWhatIsLeft fills in all but the last place.
func TestAHalfFilledSkeletonNamesOnlyWhatIsLeft(t *testing.T) {
	t.Parallel()
	text := filledIn(scenario.Skeleton(triage.Billing, "x"))
	at := strings.LastIndex(text, `  - "`)
	text = text[:at] + `  - "FILL IN: what it was about"` + "\n"
	mistakes, _, _, err := scenario.NewLinter(nil, nil).Check(fstest.MapFS{"billing/x.yaml": {Data: []byte(text)}})
	if err != nil || len(mistakes) != 1 || mistakes[0].Message != "fill in resolved, text 3: what it was about" {
		t.Errorf("%v, %v", mistakes, err)
	}
}
