package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// FuzzReadScenario feeds strangers' files: no panic, each mistake with the file's name and a message, and a file that is
// taken keeps what the generator relies on.
func FuzzReadScenario(f *testing.F) {
	for _, name := range []string{"bug", "wish", "question", "feedback", "spam", "voice"} {
		text := base(f, name+".yaml")
		for _, route := range []string{"technical", "feature", "billing", "feedback", "spam"} {
			f.Add(route, text)
		}
		f.Add("technical", text[:len(text)/2])
		f.Add("technical", strings.Replace(text, "{x}", "{", 3))
	}
	for _, r := range triage.Routes() {
		f.Add(string(r), string(scenario.Skeleton(r, "x")))
		f.Add(string(r), filledIn(scenario.Skeleton(r, "x")))
	}
	f.Add("billing", "titel: x\n<<: &m {splt: train, <<: *m}\neffort: {selfservice: {plain: [a: b]}}\n? [a]\n: b")
	f.Add("spam", "a: &a [*a]")
	f.Add("feature", "params: [{}, {}, {}, {}, {}, {}]")
	f.Add("billing", "- 1\n- 2")
	f.Fuzz(func(t *testing.T, route, text string) {
		name := route + "/x.yaml"
		s, err := scenario.ReadScenario(name, []byte(text))
		if err != nil {
			var problems scenario.Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("%T is no list of problems: %v", err, err)
			}
			for _, p := range problems {
				if p.File != name || p.Message == "" || p.Line < 0 {
					t.Errorf("problem %+v", p)
				}
			}
			return
		}
		if len(s.Params) == 0 || len(s.Statement.Plain) == 0 || len(s.Ask.Plain) == 0 || len(s.Subjects.Plain) == 0 || !s.Route.Valid() {
			t.Errorf("%+v is taken", s)
		}
		for _, text := range texts(s) {
			if strings.Count(text, "{") != strings.Count(text, "}") {
				t.Errorf("%q is taken", text)
			}
		}
	})
}
