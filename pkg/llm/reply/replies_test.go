package reply_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/reply"
	"github.com/triagebench/triage/pkg/testkit"
)

// desk is the shape that the models of testdata/replies.jsonl were asked for.
var desk = reply.Shape{Fields: []reply.Field{
	{Name: "category", Kind: reply.Enum, Allowed: []string{"Bug", "FeatureRequest", "Question"}},
	{Name: "priority", Kind: reply.Enum, Allowed: []string{"Low", "Medium", "High", "Critical"}},
	{Name: "urgency_days", Kind: reply.Integer, Low: 1, High: 7},
	{Name: "department", Kind: reply.Enum, Allowed: []string{"Engineering", "Product", "Support", "Billing", "Security", "Sales"}},
	{Name: "recommendation", Kind: reply.Text, MaxRunes: 2000},
}}

// stored is a line of testdata/replies.jsonl.
type stored struct{ ID, Finish, Text string }

func replies(t testing.TB) []stored {
	t.Helper()
	data, err := os.ReadFile("testdata/replies.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []stored
	for line := range bytes.Lines(data) {
		var s stored
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// TestRepliesOfSmallModelsAreReadAsJudgedByHand compares how verbatim replies are read with the golden file, in which a
// person has judged each.
func TestRepliesOfSmallModelsAreReadAsJudgedByHand(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, s := range replies(t) {
		r := reply.Read(reply.Input{Text: s.Text, Finish: s.Finish}, desk)
		again(t, r, desk)
		fmt.Fprintln(&got, strings.TrimSpace(fmt.Sprintln(s.ID, r.Stage, r.Cause)))
		if r.Action != nil {
			fmt.Fprintf(&got, "  %s\n", r.Action)
		}
		for _, c := range r.Coerced {
			fmt.Fprintf(&got, "  coerced: %s\n", c)
		}
		if r.Detail != "" {
			fmt.Fprintf(&got, "  detail: %s\n", r.Detail)
		}
	}
	testkit.Golden(t, "testdata/replies.golden", got.String())
}
