// Command go is an agent of its own for triage, in Go and the standard library alone: it reads one observation a line from
// standard input and answers each with one line on standard output. It knows a few words for each answer.
//
// Play it with:
//
//	go build -o my_agent ./examples/go
//	triage run --agent exec:./my_agent --tasks queue-easy desk-easy
//
// Start at [act], which is where a better idea goes; [run] can stay as it is.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
)

// observation has the fields that this agent reads, of both tracks. Ticket is set on the queue track alone.
type observation struct {
	Ticket *struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
		Metadata    struct {
			Tier     string  `json:"customer_tier"`
			Wait     float64 `json:"wait_time_hours"`
			Selected string  `json:"selected_category"`
		} `json:"metadata"`
	} `json:"ticket"`
	Issue     string  `json:"issue_text"`
	Sentiment float64 `json:"sentiment_score"` // -1..1
	Wait      float64 `json:"wait_time_hours"`
	Escalated bool    `json:"is_escalated"`
}

// queueAnswer and deskAnswer are the answers of the two tracks. A field that is left out earns nothing and costs nothing.
type queueAnswer struct {
	Route      string `json:"route_category"`
	Urgency    string `json:"urgency_assessment"`
	Difficulty string `json:"resolution_difficulty"`
	Priority   int    `json:"priority_score"` // 0..100
}

type deskAnswer struct {
	Category       string `json:"category"`
	Priority       string `json:"priority"`
	Days           int    `json:"urgency_days"` // 1..7
	Department     string `json:"department"`
	Recommendation string `json:"recommendation"`
}

// choice is an answer with the words that speak for it.
type choice struct {
	answer string
	words  []string
}

var routes = []choice{
	{"billing", []string{"billing", "invoice", "bill", "charge", "payment", "euros", "refund", "seats", "cancel", "parcel", "order"}},
	{"technical", []string{"repair", "error", "how do i", "explain", "steps", "export", "import", "csv", "api", "wi-fi", "link"}},
	{"feature", []string{"wish", "would like", "miss", "feature", "beta", "please add", "exist", "developed", "depends on", "limit"}},
	{"feedback", []string{"opinion", "feedback", "liked", "compliment", "thank-you", "impression", "tell you", "rude", "banner"}},
	{"spam", []string{"dollars", "free", "bitcoin", "gift card", "seo", "click", "your website", "guaranteed", "password", "pounds"}},
}

var urgencies = []choice{
	{"low", []string{"everything works", "nuisance", "cosmetic", "minor", "wish", "held up", "only me", "nicety", "no date"}},
	{"medium", []string{"slower", "for now", "still", "instead", "more effort", "twice as", "in three days", "by hand", "meanwhile"}},
	{"high", []string{"today", "tomorrow", "my own work", "one colleague", "cannot", "unable", "stuck", "no other way", "no workaround"}},
	{"critical", []string{"whole company", "entire", "nobody in", "all of us", "clients", "our customers", "no workaround", "exposed", "locked"}},
}

var efforts = []choice{
	{"easy", []string{"is enough", "just tell", "a link", "setting", "article", "switch", "support can", "short", "form", "resend"}},
	{"medium", []string{"someone", "check", "look into", "log", "beta", "limit", "find out", "look up", "technician", "our account"}},
	{"hard", []string{"departments", "engineer", "last release", "other customers", "platform", "developed", "built", "warehouse", "both"}},
}

var categories = []choice{
	{"Bug", []string{"repair", "correct", "error", "last release", "other customers", "should", "wrong", "again", "exposed", "overwritten"}},
	{"FeatureRequest", []string{"wish", "would like", "miss", "feature", "beta", "please add", "exist", "developed", "depends on", "limit"}},
	{"Question", []string{"how", "question", "explain", "steps", "terms", "transfer", "tell me", "invoice", "cancel", "change", "price"}},
}

// count gives the place of the choice of which most words are in the text: the first of equals. extra has one word more.
func count(choices []choice, text, extra string) int {
	best, most := 0, -1
	for i, c := range choices {
		n := 0
		for _, w := range c.words {
			if strings.Contains(text, w) {
				n++
			}
		}
		if c.answer == extra {
			n++
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// act answers one observation.
func act(o *observation) any {
	if o.Ticket != nil {
		return queue(o)
	}
	text := strings.ToLower(o.Issue)
	c, level := count(categories, text, ""), count(urgencies, text, "")
	if o.Sentiment <= -0.8 || o.Wait >= 48 || o.Escalated {
		level = min(level+1, 3)
	}
	days := [...]int{7, 4, 2, 1}[level]
	if o.Wait >= 24 {
		days = max(1, days-1)
	}
	return deskAnswer{Category: categories[c].answer, Priority: [...]string{"Low", "Medium", "High", "Critical"}[level], Days: days,
		Department: [...]string{"Engineering", "Product", "Support"}[c], Recommendation: [...]string{
			"Investigate the logs, reproduce the error and repair what the customer reports.",
			"Evaluate the request and put it on the roadmap if others ask for it too.",
			"Answer with the steps and a link to the help article."}[c]}
}

func queue(o *observation) queueAnswer {
	m := o.Ticket.Metadata
	text := strings.ToLower(o.Ticket.Subject + "\n" + o.Ticket.Description)
	route := routes[count(routes, text, m.Selected)].answer
	if route == "spam" {
		return queueAnswer{Route: route, Urgency: "low", Difficulty: "easy"}
	}
	level := count(urgencies, text, "")
	score := 25*level + map[string]int{"pro": 4, "business": 8, "enterprise": 12}[m.Tier]
	switch {
	case m.Wait >= 24:
		score += 6
	case m.Wait >= 4:
		score += 3
	}
	return queueAnswer{Route: route, Urgency: urgencies[level].answer, Difficulty: efforts[count(efforts, text, "")].answer, Priority: score}
}

// run answers each line of in with a line on out, until in ends.
func run(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in) // of any length, which a bufio.Scanner has not
	answers := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read an observation: %w", err)
		}
		var o observation
		if err := json.Unmarshal(line, &o); err != nil {
			return fmt.Errorf("read an observation: %w", err)
		}
		if err := answers.Encode(act(&o)); err != nil { // one write, not buffered: nothing to flush
			return fmt.Errorf("write an answer: %w", err)
		}
	}
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil { //nolint:forbidigo // the streams of a program of its own
		log.Fatal(err) // to standard error: standard output is for answers
	}
}
