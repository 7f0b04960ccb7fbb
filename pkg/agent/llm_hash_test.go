package agent

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/triage"
)

// hashOf gives the prompt's hash of an agent with these options.
func hashOf(t *testing.T, o LLMOptions) string {
	t.Helper()
	a, _ := model(t, o)
	h, err := a.PromptHash()
	if err != nil {
		t.Fatal(err)
	}
	if len(h) != 16 {
		t.Fatalf("hash %q", h)
	}
	return h
}

// lesson B28: the prompt that was used is named in the results; lesson D52: examples are part of it.
func TestTheHashDiffersWhenAnythingThatIsAskedDiffers(t *testing.T) {
	t.Parallel()
	own, err := ParsePrompt("my.tmpl", ownPrompt)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ParsePrompt("my.tmpl", ownPrompt+" ")
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := ParsePrompt("your.tmpl", ownPrompt)
	if err != nil {
		t.Fatal(err)
	}
	more := queueSeen()
	more.Queue.Ticket.Description += "!"
	answer := rightAction
	answer.Queue.Priority = triage.IntOf(5)
	all := map[string]LLMOptions{
		"built in":           {},
		"no handbook":        {NoHandbook: true},
		"own":                {Prompt: own},
		"own, a space more":  {Prompt: other},
		"an example":         {Examples: map[string][]Example{"queue-easy": {{queueSeen(), rightAction}}}},
		"the example twice":  {Examples: map[string][]Example{"queue-easy": {{queueSeen(), rightAction}, {queueSeen(), rightAction}}}},
		"example's ticket":   {Examples: map[string][]Example{"queue-easy": {{more, rightAction}}}},
		"example's answer":   {Examples: map[string][]Example{"queue-easy": {{queueSeen(), answer}}}},
		"own, with examples": {Prompt: own, Examples: map[string][]Example{"queue-easy": {{queueSeen(), rightAction}}}},
	}
	seen := map[string]string{}
	for name, o := range all {
		h := hashOf(t, o)
		if before, twice := seen[h]; twice {
			t.Errorf("%s and %s have the hash %s", name, before, h)
		}
		seen[h] = name
		if again := hashOf(t, o); again != h {
			t.Errorf("%s: %s, then %s", name, h, again)
		}
	}
	if hashOf(t, LLMOptions{Prompt: own, Reask: 1}) != hashOf(t, LLMOptions{Prompt: renamed}) {
		t.Error("the hash depends on the file's name or the number of re-asks")
	}
}

func TestTheDocsNameEveryVariableAndBuiltInTemplatesHaveAVersion(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "prompts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[promptData]().NumField() {
		if name := "| `." + reflect.TypeFor[promptData]().Field(i).Name + "` |"; !strings.Contains(string(docs), name) {
			t.Errorf("docs/prompts.md has no row %s", name)
		}
	}
	for i := range reflect.TypeFor[promptField]().NumField() {
		if name := "`." + reflect.TypeFor[promptField]().Field(i).Name + "`"; !strings.Contains(string(docs), name) {
			t.Errorf("docs/prompts.md does not name %s of .Fields", name)
		}
	}
	_, example, ok := strings.Cut(string(docs), "```\n{{define")
	example, _, closed := strings.Cut("{{define"+example, "```")
	if _, err := ParsePrompt("docs/prompts.md", example); !ok || !closed || err != nil {
		t.Errorf("the example of docs/prompts.md: %v", err)
	}
	for _, track := range []string{"queue", "desk", "tickets"} {
		text, err := fs.ReadFile(baselines.Files, "llm/"+track+".tmpl")
		if err != nil || !strings.HasPrefix(string(text), "{{/* triage prompt 1: "+track) {
			t.Errorf("%s.tmpl begins with %.40q: %v", track, text, err)
		}
	}
}
