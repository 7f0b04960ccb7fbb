package reply_test

import (
	"fmt"

	"github.com/triagebench/triage/pkg/llm/reply"
)

func ExampleRead() {
	shape := reply.Shape{Fields: []reply.Field{
		{Name: "priority", Kind: reply.Enum, Allowed: []string{"Low", "High"}, Aliases: map[string]string{"urgent": "High"}},
		{Name: "days", Kind: reply.Integer, Low: 1, High: 7},
	}}
	for _, text := range []string{
		`{"priority": "High", "days": 2}`,
		"<think>Low?</think>Here you are:\n```json\n{\"priority\": \"Urgent\", \"days\": \"2\"}\n```",
		`{'priority': 'High',}`,
		`{"priority": "High", "da`,
	} {
		r := reply.Read(reply.Input{Text: text, Finish: "stop"}, shape)
		fmt.Printf("%s %s %s %q\n", r.Stage, r.Cause, r.Action, r.Coerced)
	}
	// Output:
	// exact  {"priority":"High","days":2} []
	// embedded  {"priority":"High","days":2} ["priority: \"Urgent\" as High" "days: \"2\" as 2"]
	// repaired  {"priority":"High"} []
	// none not_json  []
}
