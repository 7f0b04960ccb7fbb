package scenario_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/scenario"
)

func TestAdviceOnAFileOfTheBankIsKnownUntilTheFileIsChanged(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the whole bank")
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	const name = "technical/xero-entries-doubled.yaml" // it has advice
	text, err := os.ReadFile("bank/" + name)
	if err != nil {
		t.Fatal(err)
	}
	data := string(text)
	check := func(data string) (all, public int) {
		l := scenario.NewLinter(bank, nil)
		_, advice, _, err := l.Check(fstest.MapFS{name: {Data: []byte(data)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range advice {
			if l.OnPublic(p) {
				public++
			}
		}
		return len(advice), public
	}
	all, public := check(data)
	if all == 0 || public != all {
		t.Errorf("%d of %d pieces of advice are known to be on a public file", public, all)
	}
	if all, public = check(strings.Replace(data, "title: ", "title: Another ", 1)); all == 0 || public != 0 {
		t.Errorf("after a change %d of %d pieces of advice are", public, all)
	}
}
