package agent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// shownOf renders the messages of a request for people.
func shownOf(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "--- %s\n%s\n", m.Role, m.Content)
	}
	return b.String()
}

func seenOf(t triage.Task) triage.Observation {
	if t.Track == triage.Desk {
		return deskSeen(t.Difficulty, 0)
	}
	o := queueSeen()
	o.Queue.Task = t.Name
	return o
}

// TestThePromptsAreTheGoldens shows each prompt without its handbook, which has a golden of its own.
func TestThePromptsAreTheGoldens(t *testing.T) {
	t.Parallel()
	seen := map[string]triage.Observation{"tickets": ticketsSeen(), "desk-hard-later": deskSeen(triage.Hard, 1)}
	for _, task := range triage.Tasks() {
		seen[task.Name] = seenOf(task)
	}
	for name, o := range seen {
		for variant, without := range map[string]bool{"": false, "-no-handbook": true} {
			if without && name != "queue-hard" && name != "desk-hard" {
				continue
			}
			a, _ := model(t, LLMOptions{NoHandbook: without})
			r, err := a.Request(o)
			if err != nil {
				t.Fatal(err)
			}
			got := shownOf(r)
			for _, track := range triage.Tracks() {
				got = strings.Replace(got, "<handbook>\n"+handbookFor(track)+"\n</handbook>", "<handbook>\n(the "+string(track)+"'s part)\n</handbook>", 1)
			}
			testkit.Golden(t, filepath.Join("testdata", "prompts", name+variant+".golden"), got)
		}
	}
}

func TestTheQueuesHandbookEndsBeforeTheDesksChapter(t *testing.T) {
	t.Parallel()
	queue, whole := handbookFor(triage.Queue), strings.TrimSpace(handbook.Text())
	if handbookFor(triage.Desk) != whole || handbookFor(triage.Dataset) != whole {
		t.Error("the handbook is not whole on other tracks")
	}
	rest, ok := strings.CutPrefix(whole, queue)
	if !ok || !strings.HasPrefix(rest, "\n\n## 4. Desk tickets\n") || !strings.Contains(queue, "### Priority score") {
		t.Errorf("the queue's part goes on with %.60q", rest)
	}
}

// Earlier tickets, their grading and what could identify a ticket stay out: calls do not depend on each other.
func TestAPromptTellsNothingOfOtherTicketsAndNoIDs(t *testing.T) {
	t.Parallel()
	for _, o := range []triage.Observation{queueSeen(), deskSeen(triage.Hard, 1), ticketsSeen()} {
		a, _ := model(t, LLMOptions{NoHandbook: true})
		r, err := a.Request(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"TKT-", "0.8125", "0.625", "0.75", "mean_reward", "last_result", "unclassified", "row 7"} {
			if strings.Contains(shownOf(r), secret) {
				t.Errorf("the prompt holds %q:\n%s", secret, shownOf(r))
			}
		}
	}
}

// lesson A17: the schema is in the prompt too.
func TestTheSchemaIsInThePromptAndNamesEveryField(t *testing.T) {
	t.Parallel()
	const category, priority, days = `"category":{"type":"string","enum":["Bug","FeatureRequest","Question"]}`,
		`"priority":{"type":"string","enum":["Low","Medium","High","Critical"]}`, `"urgency_days":{"type":"integer","minimum":1,"maximum":7}`
	tests := []struct {
		seen triage.Observation
		want string
	}{
		{queueSeen(), `{"type":"object","properties":{"route_category":{"type":"string","enum":["billing","technical","feature","feedback","spam"]},` +
			`"urgency_assessment":{"type":"string","enum":["low","medium","high","critical"]},` +
			`"resolution_difficulty":{"type":"string","enum":["easy","medium","hard"]},"priority_score":{"type":"integer","minimum":0,"maximum":100}},` +
			`"required":["route_category","urgency_assessment","resolution_difficulty","priority_score"],"additionalProperties":false}`},
		{deskSeen(triage.Easy, 0), `{"type":"object","properties":{` + category + `},"required":["category"],"additionalProperties":false}`},
		{deskSeen(triage.Medium, 0), `{"type":"object","properties":{` + category + `,` + priority + `,` + days +
			`},"required":["category","priority","urgency_days"],"additionalProperties":false}`},
		{deskSeen(triage.Hard, 0), `{"type":"object","properties":{` + category + `,` + priority + `,` + days +
			`,"department":{"type":"string","enum":["Engineering","Product","Support","Management"]},"recommendation":{"type":"string"}},` +
			`"required":["category","priority","urgency_days","department","recommendation"],"additionalProperties":false}`},
		{ticketsSeen(), `{"type":"object","properties":{"level":{"type":"string","enum":["1","2","3"]},` +
			`"team":{"type":"string","enum":["Hardware","Software, web"]}},"required":["level","team"],"additionalProperties":false}`},
	}
	for _, tt := range tests {
		a, _ := model(t, LLMOptions{})
		r, err := a.Request(tt.seen)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, string(r.Schema)); d != "" || !json.Valid(r.Schema) {
			t.Errorf("schema (-want +got):\n%s", d)
		}
		if !strings.Contains(r.Messages[0].Content, "\nAs JSON Schema:\n"+tt.want) {
			t.Errorf("the schema is not in the prompt:\n%s", r.Messages[0].Content)
		}
	}
}

func TestFieldsStandInTheOrderInWhichTheyAreDecided(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"queue-hard":  "route_category urgency_assessment resolution_difficulty priority_score",
		"desk-easy":   "category",
		"desk-medium": "category priority urgency_days",
		"desk-hard":   "category priority urgency_days department recommendation",
	}
	for task, names := range want {
		fields, err := asked(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, f := range fields {
			got = append(got, f.Name)
		}
		if d := cmp.Diff(names, strings.Join(got, " ")); d != "" {
			t.Errorf("%s (-want +got):\n%s", task, d)
		}
	}
}

func TestTheRecordFollowsTheOrderThatTheObservationAsksFor(t *testing.T) {
	t.Parallel()
	for _, o := range []triage.Observation{queueSeen(), deskSeen(triage.Hard, 0), ticketsSeen()} {
		usual := shownTo(o)
		o.Order = 7
		other := shownTo(o)
		if usual == other {
			t.Errorf("order 7 is the usual one:\n%s\n%s", other.record, other.text)
		}
		sorted := func(s shown) map[string]int {
			out := map[string]int{}
			for _, l := range strings.Split(s.record+"\n"+s.text, "\n") {
				out[l]++
			}
			return out
		}
		if d := cmp.Diff(sorted(usual), sorted(other)); d != "" {
			t.Errorf("another order has other lines (-usual +other):\n%s", d)
		}
	}
}

const ownPrompt = `{{define "system"}}Sort.{{.Handbook}}{{end}}{{define "user"}}
{{.Ticket}}
{{end}}`

func TestAPromptOfOnesOwnIsReadAndUsed(t *testing.T) {
	t.Parallel()
	p, err := ParsePrompt("my.tmpl", ownPrompt)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := model(t, LLMOptions{Prompt: p, NoHandbook: true})
	r, err := a.Request(queueSeen())
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Message{{Role: llm.System, Content: "Sort."}, {Role: llm.User, Content: fenced(shownTo(queueSeen()).text)}}
	if d := cmp.Diff(want, r.Messages); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	p, err = ParsePrompt("my.tmpl", `{{define "user"}}Sort: {{.Ticket}}{{end}}`)
	if err != nil {
		t.Fatal(err)
	}
	a, _ = model(t, LLMOptions{Prompt: p})
	if r, err = a.Request(queueSeen()); err != nil || len(r.Messages) != 1 || r.Messages[0].Role != llm.User {
		t.Errorf("without a system part: %+v, %v", r.Messages, err)
	}
}

func TestAWrongPromptNamesFileAndLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"not closed", "{{define \"user\"}}\n{{.Ticket}}\n{{if .Task}}\n", "my.tmpl:4: the file ends inside of the {{if}} of line 3: write {{end}}"},
		{"unknown variable", "{{define \"user\"}}\n\n{{.Tickets}}{{end}}",
			"my.tmpl:3: .Tickets: there is no field .Tickets; there are .Difficulty, .Examples, .Fence, .Fields, .Handbook, .Message, .Record, .Schema, .Task, .Ticket, .Track; write {{.Ticket}}"},
		{"unknown variable of a field", "{{define \"user\"}}{{.Ticket}}{{range .Fields}}{{.Word}}{{end}}{{end}}",
			"my.tmpl:1: .Word: there is no field .Word; there are .High, .Length, .Low, .Name, .Values, .Words; write {{.Words}}"},
		{"unknown variable in a branch that no ticket takes", "{{define \"user\"}}{{.Ticket}}{{if eq .Task \"none\"}}{{.Tickets}}{{end}}{{end}}", "my.tmpl:1: .Tickets: there is no field .Tickets"},
		{"a number as a text", "{{define \"user\"}}{{.Ticket}}{{if eq .Examples \"0\"}}{{end}}{{end}}", "my.tmpl:1: eq .Examples \"0\": texts can be compared with texts"},
		{"unknown function", "\n{{shout .Ticket}}", "my.tmpl:2: unknown word shout; allowed are if, else, end, with, range, template and define, and the functions and, eq,"},
		{"without end", "{{define \"user\"}}{{.Ticket}}{{template \"user\" .}}{{end}}", "my.tmpl:1: {{template \"user\"}}: parts call one another more than 100 deep"},
		{"no user part", "{{.Ticket}}", `my.tmpl: it does not define "user": {{define "user"}}…{{.Ticket}}…{{end}}`},
		{"an empty file", "", `my.tmpl: it does not define "user": {{define`},
		{"other parts", `{{define "task"}}{{.Ticket}}{{end}}{{define "role"}}{{end}}`, `my.tmpl: it does not define "user", only "role", "task": {{define "user"}}`},
		{"a mistyped part", `{{define "usr"}}{{.Ticket}}{{end}}`, `my.tmpl: it defines "usr"; did you mean "user"?`},
		{"another mistyped part", `{{define "systm"}}Sort.{{end}}{{define "user"}}{{.Ticket}}{{end}}`, `my.tmpl: it defines "systm"; did you mean "system"?`},
		{"no ticket", `{{define "user"}}{{.Record}}{{end}}`, "my.tmpl: its user part does not show .Ticket: write {{.Ticket}} where it is to stand"},
		{"a word for the ticket", "{{define \"user\"}}{{ ticket }}{{end}}", "my.tmpl:1: unknown word ticket; allowed are if, else, end, with, range, template and define, and the functions and, eq, ge, gt, le, len, lt, ne, not, or; write {{.Ticket}}"},
		{"the ticket in small letters", "{{define \"user\"}}{{ .ticket }}{{end}}", ".Ticket, .Track; write {{.Ticket}}"},
		{"a mistyped variable", "{{define \"user\"}}{{.Ticket}}{{.HandBook}}{{end}}", ".Ticket, .Track; write {{.Handbook}}"},
		{"the ticket in one brace", "{{define \"user\"}}Sort.\n\n{ticket}{{end}}", `my.tmpl: its user part does not show .Ticket: line 3 has "{ticket}": write {{.Ticket}}`},
		{"a field of the ticket in one brace", "{{define \"user\"}}{Ticket_Text}{{end}}", `line 1 has "{Ticket_Text}": write {{.Ticket}}`},
		{"the ticket as a variable of a shell", "{{define \"user\"}}${ticket}{{end}}", `line 1 has "${ticket}": write {{.Ticket}}`},
		{"the ticket of printf", "{{define \"user\"}}%(ticket)s{{end}}", `line 1 has "%(ticket)s": write {{.Ticket}}`},
		{"the ticket as an element", "{{define \"user\"}}<ticket>{{end}}", `line 1 has "<ticket>": write {{.Ticket}}`},
		{"no ticket on one track", `{{define "user"}}{{if ne .Track "desk"}}{{.Ticket}}{{end}}{{end}}`, "my.tmpl: its user part does not show .Ticket for the desk track: write {{.Ticket}} where it is to stand"},
		{"no ticket on two tracks", `{{define "user"}}{{if eq .Track "desk"}}{{.Ticket}}{{end}}{{end}}`, "does not show .Ticket for the queue track and imported tickets: write"},
		{"no ticket on later steps", `{{define "user"}}{{if not .Message}}{{.Ticket}}{{end}}{{end}}`, "does not show .Ticket for later steps of the desk track: write"},
		{"no ticket on first steps", `{{define "user"}}{{if or .Message (ne .Track "desk")}}{{.Ticket}}{{end}}{{end}}`, "does not show .Ticket for first steps of the desk track: write"},
		{"no ticket without a handbook", `{{define "user"}}{{if .Handbook}}{{.Ticket}}{{end}}{{end}}`,
			"does not show .Ticket without a handbook: write"},
		{"ticket in the system part on one track", `{{define "system"}}{{if eq .Track "queue"}}{{.Ticket}}{{end}}{{end}}{{define "user"}}{{.Ticket}}{{end}}`,
			"my.tmpl: its system part shows .Ticket for the queue track: what customers write belongs in the user part"},
		{"ticket in the system part", `{{define "system"}}{{.Ticket}}{{end}}{{define "user"}}{{.Ticket}}{{end}}`, "my.tmpl: its system part shows .Ticket: what customers write belongs in the user part"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePrompt("my.tmpl", tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) || triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("error %v; want %q in it", err, tt.want)
			}
		})
	}
}

// BenchmarkLLMRequest is what a call costs before it goes out: prompt, fence and schema.
func BenchmarkLLMRequest(b *testing.B) {
	a, err := NewLLM(LLMOptions{Completer: &scripted{}})
	if err != nil {
		b.Fatal(err)
	}
	for _, o := range []triage.Observation{queueSeen(), deskSeen(triage.Hard, 0)} {
		name, err := taskOf(o)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Request(o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestAPromptIsTheSameWhereverItWasCheckedOut: a mark of the order of bytes and line ends of Windows are no part of it.
func TestAPromptIsTheSameWhereverItWasCheckedOut(t *testing.T) {
	t.Parallel()
	const text = "{{define \"user\"}}Read:\n{{.Ticket}}\nAnswer.\n{{end}}\n"
	want, err := ParsePrompt("p.tmpl", text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParsePrompt("p.tmpl", "\ufeff"+strings.ReplaceAll(text, "\n", "\r\n"))
	if err != nil || got.source != want.source {
		t.Errorf("the prompt is %q, %v", got.source, err)
	}
	for name, bad := range map[string]string{"Latin-1": "{{define \"user\"}}Gr\xfc\xdfe {{.Ticket}}{{end}}", "UTF-16": "\xff\xfe{\x00{\x00", "zeros": "{{define \"user\"}}\x00{{.Ticket}}{{end}}"} {
		if _, err := ParsePrompt("p.tmpl", bad); err == nil || !strings.Contains(err.Error(), "p.tmpl") || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
