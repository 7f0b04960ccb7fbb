package fakellm_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

func TestTheDocumentNamesAllFormsQuirksFaultsAndKeys(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../docs/fake-llm.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	names := slices.Concat(fakellm.Forms(), fakellm.Quirks(), fakellm.Faults())
	for _, script := range []string{"?: 1", "faults: [{?: 1}]"} { // the message about an unknown key lists all keys
		_, err := fakellm.ParseScript([]byte(script), "s.yaml")
		if err == nil {
			t.Fatalf("%s is taken", script)
		}
		_, keys, _ := strings.Cut(strings.SplitN(err.Error(), "\n", 2)[0], "the keys are ")
		names = append(names, strings.Split(keys, ", ")...)
	}
	for _, name := range names {
		if !strings.Contains(doc, "`"+name+"`") && !strings.Contains(doc, "`"+name+":") {
			t.Errorf("docs/fake-llm.md does not name %s", name)
		}
	}
	_, example, _ := strings.Cut(doc, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if _, err := fakellm.ParseScript([]byte(example), "s.yaml"); err != nil {
		t.Errorf("the example: %v", err)
	}
}
