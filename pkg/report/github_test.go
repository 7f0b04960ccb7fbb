package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// githubTexts are texts that would be read as something else where they are not escaped.
var githubTexts = map[string]string{
	"a table's bar":         "a | b || c",
	"an end of details":     "</details></summary></code></td></table>",
	"a script":              `<script>alert("x")</script><img src=x onerror=alert(1)>`,
	"backticks":             "`a` ``` ~~~",
	"a mention":             "@everyone @triagebench/owners #1 GH-1",
	"a workflow command":    "::error title=x::y\n::stop-commands::t\n##[add-mask]x",
	"control characters":    "a\x00b\x07c\x1b[31md\x7f\u0085e\r\nf",
	"turned writing":        "abc\u202Egpj.exe\u2066x\u2028y",
	"no UTF-8":              "a\xff\xfeb\xc3",
	"an empty line":         "a\n\n# heading\n\n- list\n\n    code",
	"a link":                "[x](https://example.com) <https://example.com> www.example.com https://example.com a@example.com",
	"emphasis":              "**a** _b_ ~~c~~ $d$",
	"a formula":             "=cmd()",
	"a megabyte":            strings.Repeat("<b>|`@", 1<<20/6),
	"a list":                "1. first",
	"a character reference": "&lt;b&gt; &#60;",
	"nothing":               "",
}

// ticket is a logged episode of one queue ticket that is wrong.
func loggedTicket(seed int64, score float64, subject string) *results.Logged {
	seen, _ := json.Marshal(map[string]any{"ticket": map[string]any{"ticket_id": "TKT-1", "subject": subject, "description": "text"}})
	answer, _ := json.Marshal(map[string]any{"route_category": subject})
	message := "refused: " + subject
	s := &triage.Score{Total: score, Parts: []triage.Part{
		{Name: "route", Value: score, Weight: 0.4, Why: triage.Why{Code: triage.WhyWrong, Got: subject, Want: "billing"}},
		{Name: "urgency", Value: 1, Weight: 0.6, Why: triage.Why{Code: triage.WhyExact, Want: "low"}}}}
	return &results.Logged{Key: triage.Key{Agent: "heuristic", Task: "queue-hard", Seed: seed}, Ended: triage.EndedComplete, Score: &score,
		Steps: []results.LoggedStep{{Observation: seen, Action: answer, Score: s, Error: &message}}}
}

func brokeEpisode(seed int64, why string) *results.Logged {
	return &results.Logged{Key: triage.Key{Agent: "heuristic", Task: "desk-easy", Seed: seed, Trial: 1}, Ended: triage.EndedError, Error: &why}
}

// someWorst has every githubTexts text in a ticket of its own, and one that is right.
func someWorst() *report.Worst {
	w := report.NewWorst(200)
	i := int64(0)
	for _, name := range sortedNames(githubTexts) {
		w.AddEpisode(loggedTicket(i, float64(i)/100, githubTexts[name]))
		i++
	}
	w.AddEpisode(brokeEpisode(3, "connection reset | <b>"))
	w.AddEpisode(loggedTicket(1000, 1, "all right"))
	return w
}

func githubRun(w io.Writer, worst *report.Worst) error {
	r := whole()
	r.Tables[0].Rows = append(r.Tables[0].Rows, []report.Cell{"exec:@all | `x`\n", 1, nil, nil, nil})
	return report.GitHubRun(w, r, worst, report.GitHubOptions{More: "results/a|b"})
}

func TestASummaryOfARunIsItsGolden(t *testing.T) {
	t.Parallel()
	w := someWorst()
	githubGolden(t, "github-run.md", func(out io.Writer) error { return githubRun(out, w) })
}

// golden holds what a function writes against a file of testdata, and writers that fail against it.
func githubGolden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var b, again bytes.Buffer
	if err := errors.Join(write(&b), write(&again)); err != nil {
		t.Fatal(err)
	}
	if b.String() != again.String() {
		t.Error("a second time it is another one")
	}
	testkit.Golden(t, filepath.Join("testdata", name), b.String())
	for size := 0; size < b.Len(); size += 1 + b.Len()/12 {
		if err := write(&testkit.Full{Room: size}); !errors.Is(err, testkit.ErrFull) {
			t.Errorf("a writer that fails after %d of %d bytes gives the error %v", size, b.Len(), err)
		}
	}
}

// tags are what a summary may hold of HTML.
var tags = regexp.MustCompile(`</?(details|summary|table|tr|th|td|code|p|b)( colspan="\d")?>`)

// looksSafe fails where a summary holds what a text of somebody could have brought along.
func looksSafe(t interface{ Errorf(string, ...any) }, summary string) {
	rest := strings.ReplaceAll(tags.ReplaceAllString(summary, ""), "\n> **", "\n**") // the one quotation that it has of its own
	if strings.ContainsAny(rest, "<>`@~[]$\x00\x07\x1b\x7f") || strings.ContainsAny(rest, "\r\u0085\u2028\u202E\u2066") {
		t.Errorf("a text is left as it was:\n%.2000s", rest)
	}
	if !utf8.ValidString(summary) {
		t.Errorf("it is no UTF-8")
	}
	open, last := 0, ""
	for _, line := range strings.Split(summary, "\n") {
		if last == "" && strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "::") || strings.Contains(line, "##[") {
			t.Errorf("a line is code or a command: %.200q", line)
		}
		open += strings.Count(line, "<details>") - strings.Count(line, "</details>")
		if open < 0 || open > 1 {
			t.Errorf("%d details are open at %.200q", open, line)
		}
		last = line
	}
	if open != 0 || strings.Count(summary, "<code>") != strings.Count(summary, "</code>") || strings.Count(summary, "<td>")+strings.Count(summary, "<td ") != strings.Count(summary, "</td>") {
		t.Errorf("what is opened is not closed")
	}
}

func TestNoTextOfATicketIsMoreThanTextInASummary(t *testing.T) {
	t.Parallel()
	for name, text := range githubTexts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := report.NewWorst(10)
			w.AddEpisode(loggedTicket(1, 0, text))
			w.AddEpisode(brokeEpisode(2, text))
			r := &report.Report{Tables: []report.Table{{Title: text, Columns: []report.Column{{Title: "Agent", Text: true}, {Title: "n"}},
				Rows: [][]report.Cell{{text, 1}}, Notes: []string{text}}}, Lines: []string{text}}
			var b bytes.Buffer
			if err := report.GitHubRun(&b, r, w, report.GitHubOptions{More: text}); err != nil {
				t.Fatal(err)
			}
			looksSafe(t, b.String())
			if b.Len() > 40_000 {
				t.Errorf("one ticket takes %d bytes", b.Len())
			}
		})
	}
}

func TestAnyTextIsOnlyTextInASummary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\n\r\t]{0,80}`), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		w := report.NewWorst(10)
		w.AddEpisode(loggedTicket(1, 0, text))
		var b bytes.Buffer
		if err := report.GitHubRun(&b, &report.Report{Lines: []string{text}}, w, report.GitHubOptions{}); err != nil {
			t.Fatal(err)
		}
		looksSafe(t, b.String())
	})
}

// lesson C47: GitHub drops a summary over 1 MiB whole.
func TestASummaryOf20000TicketsIsUnder900KiBAndCountsTheRest(t *testing.T) {
	t.Parallel()
	w := report.NewWorst(20_000)
	for i := range int64(20_000) {
		w.AddEpisode(loggedTicket(i, float64(i%97)/100, fmt.Sprintf("ticket %d %s", i, strings.Repeat("|<&", 200))))
	}
	var b bytes.Buffer
	if err := report.GitHubRun(&b, whole(), w, report.GitHubOptions{More: "results/run"}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 900<<10 || b.Len() < 890<<10 {
		t.Errorf("the summary has %d bytes", b.Len())
	}
	shown := strings.Count(b.String(), "<details>")
	if want := fmt.Sprintf("…%d more tickets in <code>results/run</code>", 20_000-shown); !strings.Contains(b.String(), want) {
		t.Errorf("it does not say %q, but ends with %q", want, b.String()[b.Len()-200:])
	}
	looksSafe(t, b.String())
}

func TestASmallLimitIsKeptWhateverTheReportHolds(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{4096, 5000, 9000, 20_000, 100_000} {
		var b bytes.Buffer
		if err := report.GitHubRun(&b, big(), someWorst(), report.GitHubOptions{More: strings.Repeat("|", 500), Limit: limit}); err != nil {
			t.Fatal(err)
		}
		if b.Len() > limit {
			t.Errorf("limit %d: %d bytes", limit, b.Len())
		}
		looksSafe(t, b.String())
		if limit < 20_000 && !strings.Contains(b.String(), "more rows") {
			t.Errorf("limit %d: it does not count the rows that are left out", limit)
		}
	}
}

func TestTheWorstTicketsComeFirstInWhateverOrderTheyWereAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 60).Draw(t, "quarters")
		order := rapid.Permutation(indexes(len(scores))).Draw(t, "order")
		most := rapid.IntRange(1, 20).Draw(t, "most")
		forward, shuffled := report.NewWorst(most), report.NewWorst(most)
		for i := range scores {
			forward.AddEpisode(loggedTicket(int64(i), float64(scores[i])/4, "x"))
			shuffled.AddEpisode(loggedTicket(int64(order[i]), float64(scores[order[i]])/4, "x"))
		}
		var a, b bytes.Buffer
		if err := errors.Join(report.GitHubRun(&a, &report.Report{}, forward, report.GitHubOptions{}), report.GitHubRun(&b, &report.Report{}, shuffled, report.GitHubOptions{})); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(a.String(), b.String()); d != "" {
			t.Fatalf("the order matters:\n%s", d)
		}
		last := -1.0
		for _, m := range regexp.MustCompile(`<summary><b>([0-9.]+)</b>`).FindAllStringSubmatch(a.String(), -1) {
			var v float64
			if _, err := fmt.Sscan(m[1], &v); err != nil || v < last || v == 1 {
				t.Fatalf("%s after %v", m[1], last)
			}
			last = v
		}
	})
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestARunThatIsAllRightSaysSo(t *testing.T) {
	t.Parallel()
	w := report.NewWorst(5)
	w.AddEpisode(loggedTicket(1, 1, "x"))
	var b bytes.Buffer
	if err := report.GitHubRun(&b, &report.Report{}, w, report.GitHubOptions{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("## triage\n\nEvery ticket is right: 1 of 1.\n", b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSubjectsAreFoundInEveryTracksObservation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ seen, want string }{
		"queue":             {`{"ticket":{"subject":"one","description":"two"}}`, "one"},
		"queue, no subject": {`{"ticket":{"subject":" ","description":"two\nthree"}}`, "two"},
		"desk":              {`{"issue_text":"one\n\ntwo"}`, "one"},
		"imported":          {`{"subject":"","body":"\n one\ntwo"}`, "one"},
		"none":              {`{}`, ""},
		"no object":         {`[1]`, ""},
		"not there":         {``, ""},
	} {
		w := report.NewWorst(1)
		ep := loggedTicket(1, 0, "x")
		ep.Steps[0].Observation = json.RawMessage(c.seen)
		w.AddEpisode(ep)
		var b bytes.Buffer
		if err := report.GitHubRun(&b, &report.Report{}, w, report.GitHubOptions{}); err != nil {
			t.Fatal(err)
		}
		want := "<code>heuristic</code>: "
		if c.want != "" {
			want += "<code>" + c.want + "</code>"
		}
		if !strings.Contains(b.String(), want+"</summary>") {
			t.Errorf("%s: %s", name, b.String())
		}
	}
}
