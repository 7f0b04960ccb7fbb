package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// GitHubOptions say how a step summary is written.
type GitHubOptions struct {
	// More is where what has no room can be read, such as a run folder or the name of an HTML report; empty for nowhere.
	More string
	// Limit is the most bytes, from 4,096 to GitHubLimit; 0 is GitHubLimit.
	Limit int
}

// The room that is kept for what follows the tickets.
const (
	roomForMore = 2 << 10
	leastPage   = 4 << 10
)

func (o GitHubOptions) page() *page {
	limit := o.Limit
	if limit <= 0 || limit > GitHubLimit {
		limit = GitHubLimit
	}
	return &page{limit: max(limit, leastPage)}
}

// more is the line that counts what has no room.
func (o GitHubOptions) more(n int, what string) string {
	if n <= 0 {
		return ""
	}
	if o.More == "" {
		return fmt.Sprintf("\n…%d more %s\n", n, what)
	}
	return fmt.Sprintf("\n…%d more %s in %s\n", n, what, githubCode(o.More, shownMore))
}

// GitHubRun writes what a run gave as a step summary for GitHub, which is Markdown: the report's tables, then the worst
// tickets first, each with its answer and why. What is over the limit is left out and counted. worst may be nil.
func GitHubRun(w io.Writer, r *Report, worst *Worst, o GitHubOptions) error {
	p := o.page()
	p.within(roomForMore, func() {
		p.add("## triage\n")
		if worst != nil && worst.broken > 0 {
			p.add(fmt.Sprintf("\n> **%s broke through no fault of the agent.** What broke counts as 0 or is left out, as the tables say.\n", number1(worst.broken, "episode")))
		}
		// Tables and lines have half the room, so that a report of a thousand labels leaves some for the tickets.
		p.within(p.limit/2, func() {
			for i := range r.Tables {
				githubTable(p, &r.Tables[i], o)
			}
			githubLines(p, r.Lines, o)
		})
	})
	if worst != nil {
		githubWorst(p, worst, o)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// RunAnnotations are the annotations of a run: an error where episodes broke, and a notice that counts the tickets; none where
// worst is nil.
func RunAnnotations(worst *Worst) []Annotation {
	var out []Annotation
	if worst == nil {
		return nil
	}
	if worst.broken > 0 {
		out = append(out, Annotation{AnnotationError, "triage: broken episodes", number1(worst.broken, "episode") +
			" broke through no fault of the agent: the scores are of a part, or count them as 0"})
	}
	return append(out, Annotation{AnnotationNotice, "triage", fmt.Sprintf("%d of %s right", worst.tickets-worst.notRight, number1(worst.tickets, "ticket")+are(worst.tickets))})
}

func number1(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// githubLines writes lines as paragraphs, as far as there is room.
func githubLines(p *page, list []string, o GitHubOptions) {
	for i, l := range list {
		if !p.add("\n" + githubText(l, shownText) + "\n") {
			p.within(-roomForMore/2, func() { p.add(o.more(len(list)-i, "lines")) })
			return
		}
	}
}

// githubTable writes a table as far as there is room.
func githubTable(p *page, t *Table, o GitHubOptions) {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "\n**%s**\n", githubText(t.Title, shownName))
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		b.WriteString(" " + githubText(c.Title, shownName) + " |")
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		if c.Text {
			b.WriteString("---|")
		} else {
			b.WriteString("--:|")
		}
	}
	b.WriteString("\n")
	if !p.add(b.String()) {
		p.within(-roomForMore/2, func() { p.add(o.more(len(t.Rows), "rows of a table that has no room here")) })
		return
	}
	for i, row := range t.Rows {
		b.Reset()
		b.WriteString("|")
		for j, c := range row {
			b.WriteString(" " + githubText(people(c, t.Columns[j].Places), shownName) + " |")
		}
		b.WriteString("\n")
		if !p.add(b.String()) {
			p.within(-roomForMore/2, func() { p.add(o.more(len(t.Rows)-i, "rows")) })
			return
		}
	}
	githubLines(p, t.Notes, o)
}

// githubWorst writes the worst tickets, as far as there is room.
func githubWorst(p *page, worst *Worst, o GitHubOptions) {
	worst.shrink()
	shown := 0
	p.within(roomForMore, func() {
		switch {
		case len(worst.kept) == 0 && worst.tickets > 0:
			p.add(fmt.Sprintf("\nEvery ticket is right: %d of %d.\n", worst.tickets, worst.tickets))
		case len(worst.kept) > 0:
			p.add(fmt.Sprintf("\n### The worst tickets\n\n%d of %s not wholly right.\n\n", worst.notRight, number1(worst.tickets, "ticket")+are(worst.tickets)))
		}
		for i := range worst.kept {
			if !p.add(worst.kept[i].block()) {
				break
			}
			shown++
		}
	})
	p.add(o.more(worst.notRight+worst.broken-shown, "tickets"))
}

func are(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// block is one ticket as a part that opens: HTML without an empty line, in which GitHub reads no Markdown.
func (t *worstTicket) block() string {
	var b strings.Builder
	score := decimal(t.score, 3)
	if t.broke {
		score = "broke"
	}
	fmt.Fprintf(&b, "<details><summary><b>%s</b> %s: %s</summary>\n", score, t.place(), githubCode(t.subject, shownSubject))
	if t.error != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", githubCode(t.error, shownText))
	}
	partsTable(&b, t.parts)
	if t.answer != "" && t.answer != "null" {
		fmt.Fprintf(&b, "<p>Answer: %s</p>\n", githubCode(spaced(t.answer), shownText))
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

// place says where a ticket stands in a run, first as `triage run --only` takes it: TASK:SEED or, of the queue,
// TASK:SEED:POSITION; then the trial where it is not the first, and the agent.
func (t *worstTicket) place() string {
	out := fmt.Sprintf("%s:%d", t.key.Task, t.key.Seed)
	switch {
	case t.key.Position.Set:
		out += fmt.Sprintf(":%d", t.key.Position.Value)
	case t.queue:
		out += fmt.Sprintf(":%d", t.index)
	}
	if t.key.Trial > 0 {
		out += fmt.Sprintf(" trial %d", t.key.Trial)
	}
	return githubCode(out, shownName) + " " + githubCode(t.key.Agent, shownName)
}

// partsTable writes why the parts were graded as they were.
func partsTable(b *strings.Builder, parts []triage.Part) {
	if len(parts) == 0 {
		return
	}
	b.WriteString("<table><tr><th>part</th><th>value</th><th>why</th></tr>\n")
	for i, p := range parts {
		if i == shownPartsMost {
			fmt.Fprintf(b, "<tr><td colspan=\"3\">…%d more</td></tr>\n", len(parts)-i)
			break
		}
		fmt.Fprintf(b, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", githubText(p.Name, shownName), decimal(p.Value, 2), githubCode(p.Why.String(), shownText))
	}
	b.WriteString("</table>\n")
}

// shownPartsMost is how many parts of one ticket are shown: all of ours, not a thousand label columns.
const shownPartsMost = 12
