package validate

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// book is the handbook as a reader takes it from its text: its tables and sentences, with the numbers that stand in them. What
// it does not understand is a problem.
type book struct {
	text     string // white space is one space
	urgency  []urgencyLine
	points   map[string]int // of the priority score, by what: urgencies, tiers, an escalation
	under    []threshold    // of its waits: points under so many hours, the least first
	from     []threshold    // and from so many hours on
	contacts []threshold    // and from so many earlier contacts on
	score    int            // at most
	effort   map[triage.Effort]triage.Resolution
	desk     []deskLine
	extra    []extraLine
	scale    []scaleLine
	days     map[triage.Priority]int
	furious  float64 // a Bug at or under it is Critical
	outraged float64 // anything at or under it is
	lessFrom float64 // hours from which it is a day less
	leastDay int
	home     map[triage.Category]triage.Department
	tone     float64 // with an escalation, at or under it calls for Management
	wait     float64 // hours that do so too
	problems []string
}

// threshold is a number from which, or under which, there are points.
type threshold struct {
	at     float64
	points int
}

type urgencyLine struct {
	urgency triage.Urgency
	holds   func(*triage.Request) bool
}

type deskLine struct {
	category triage.Category
	points   int
	holds    func(*triage.Request) bool
}

// extraLine adds points; one that begins with "else" counts only where the one of its kind before it does not.
type extraLine struct {
	kind   string // sentiment, wait, escalated
	bound  float64
	points int
	other  bool
}

type scaleLine struct {
	from     int
	priority triage.Priority
}

// urgencyWords are what the lines of the urgency table say.
var urgencyWords = map[string]func(*triage.Request) bool{
	"data or security is at risk for more than one person": func(r *triage.Request) bool { return r.Severity == triage.DataAtRisk && r.Impact != triage.One },
	"work is blocked for the whole company or for its customers, and there is no workaround": func(r *triage.Request) bool {
		return r.Severity == triage.Blocked && !r.Workaround && (r.Impact == triage.Company || r.Impact == triage.Customers)
	},
	"data or security is at risk for one person": func(r *triage.Request) bool { return r.Severity == triage.DataAtRisk && r.Impact == triage.One },
	"work is blocked for a person or a team, and there is no workaround": func(r *triage.Request) bool {
		return r.Severity == triage.Blocked && !r.Workaround && (r.Impact == triage.One || r.Impact == triage.Team)
	},
	"the deadline is hours away":                  func(r *triage.Request) bool { return r.Deadline == triage.Hours },
	"work is blocked, but a workaround is in use": func(r *triage.Request) bool { return r.Severity == triage.Blocked && r.Workaround },
	"work goes on, degraded":                      func(r *triage.Request) bool { return r.Severity == triage.Degraded },
	"the deadline is days away":                   func(r *triage.Request) bool { return r.Deadline == triage.Days },
	"anything else":                               func(*triage.Request) bool { return true },
}

// deskWords are what the lines of the table of desk points say.
var deskWords = map[string]func(*triage.Request) bool{
	"data at risk":                         func(r *triage.Request) bool { return r.Severity == triage.DataAtRisk },
	"blocked":                              func(r *triage.Request) bool { return r.Severity == triage.Blocked },
	"degraded":                             func(r *triage.Request) bool { return r.Severity == triage.Degraded },
	"cosmetic":                             func(r *triage.Request) bool { return r.Severity == triage.Cosmetic },
	"work is blocked until it is answered": func(r *triage.Request) bool { return r.Severity == triage.Blocked },
	"a deadline within days or hours":      func(r *triage.Request) bool { return r.Deadline == triage.Days || r.Deadline == triage.Hours },
	"a contract, renewal or launch depends on it":     func(r *triage.Request) bool { return r.Stake == triage.Contract },
	"wanted for a team's or the company's daily work": func(r *triage.Request) bool { return r.Stake == triage.DailyWork },
	"anything else": func(*triage.Request) bool { return true },
}

// readBook reads the handbook's text.
func readBook(text string) *book {
	b := &book{text: strings.Join(strings.Fields(text), " "), points: map[string]int{}, days: map[triage.Priority]int{}, home: map[triage.Category]triage.Department{},
		effort: map[triage.Effort]triage.Resolution{}}
	for _, row := range b.table(text, "urgency", "when") {
		u, holds := triage.Urgency(row[0]), urgencyWords[row[1]]
		if u.Level() < 0 || holds == nil {
			b.problem("the urgency table has the line %q", row)
			continue
		}
		b.urgency = append(b.urgency, urgencyLine{u, holds})
	}
	for _, row := range b.table(text, "what", "points") {
		b.scoring(row[0], b.whole(row[1]))
	}
	for _, row := range b.table(text, "category", "points", "when") {
		category, holds := triage.Category(row[0]), deskWords[row[2]]
		if !category.Valid() || holds == nil {
			b.problem("the table of desk points has the line %q", row)
			continue
		}
		b.desk = append(b.desk, deskLine{category, b.whole(row[1]), holds})
	}
	for _, row := range b.table(text, "addition", "points") {
		b.addition(row[0], b.whole(row[1]))
	}
	b.sentences()
	return b
}

func (b *book) problem(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// table gives the rows of the table with these columns.
func (b *book) table(text string, columns ...string) [][]string {
	var out [][]string
	header, inside := "| "+strings.Join(columns, " | ")+" |", false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == header:
			inside = true
		case inside && !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|--"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i, c := range cells {
				cells[i] = strings.TrimSpace(c)
			}
			if len(cells) == len(columns) {
				out = append(out, cells)
			} else {
				b.problem("the line %q does not have the columns %v", line, columns)
			}
		}
	}
	if out == nil {
		b.problem("there is no table of %v", columns)
	}
	return out
}

// number reads a number with a real minus sign.
func (b *book) number(s string) float64 {
	v, err := strconv.ParseFloat(strings.Replace(s, "−", "-", 1), 64)
	if err != nil {
		b.problem("%q is no number", s)
	}
	return v
}

func (b *book) whole(s string) int { return int(b.number(s)) }

const decimal = `(−?[0-9]+(?:\.[0-9]+)?)`

var (
	sentimentAddition = lazyregexp.New(`^(else )?sentiment at or under ` + decimal + `$`)
	waitAddition      = lazyregexp.New(`^(else )?wait of ` + decimal + ` hours or more$`)
)

// addition reads a line of the table of additions.
func (b *book) addition(what string, points int) {
	switch s, w := sentimentAddition.FindStringSubmatch(what), waitAddition.FindStringSubmatch(what); {
	case s != nil:
		b.extra = append(b.extra, extraLine{"sentiment", b.number(s[2]), points, s[1] != ""})
	case w != nil:
		b.extra = append(b.extra, extraLine{"wait", b.number(w[2]), points, w[1] != ""})
	case what == "escalated":
		b.extra = append(b.extra, extraLine{kind: "escalated", points: points})
	default:
		b.problem("the table of additions has the line %q", what)
	}
}

var (
	waitUnder    = lazyregexp.New(`^wait under ` + decimal + ` hours$`)
	waitFrom     = lazyregexp.New(`^wait of ` + decimal + ` hours or more$`)
	contactsFrom = lazyregexp.New(`^([0-9]+) or more previous contacts$`)
	plainPoints  = lazyregexp.New(`^(urgency (low|medium|high|critical)|tier (free|pro|business|enterprise)|escalated)$`)
)

// scoring reads a line of the table of the priority score.
func (b *book) scoring(what string, points int) {
	for list, re := range map[*[]threshold]*lazyregexp.Regexp{&b.under: waitUnder, &b.from: waitFrom, &b.contacts: contactsFrom} {
		if m := re.FindStringSubmatch(what); m != nil {
			*list = append(*list, threshold{b.number(m[1]), points})
			sort.Slice(*list, func(i, j int) bool { return (*list)[i].at < (*list)[j].at })
			return
		}
	}
	if !plainPoints.MatchString(what) {
		b.problem("the table of the priority score has the line %q", what)
	}
	b.points[what] = points
}

// sentence finds a sentence and gives its numbers and words.
func (b *book) sentence(pattern string) []string {
	m := regexp.MustCompile(pattern).FindStringSubmatch(b.text)
	if m == nil {
		b.problem("no sentence says %s", pattern)
		return make([]string, strings.Count(pattern, "(")+1)
	}
	return m
}

// sentences reads the rules that stand in sentences.
func (b *book) sentences() {
	n := func(s string) float64 {
		if s == "" {
			return 0 // the sentence is missing, which is a problem already
		}
		return b.number(s)
	}
	b.score = int(n(b.sentence(`the sum of these points, at most ([0-9]+); spam is 0`)[1]))
	b.sentence(`Spam is low\.`)
	b.sentence(`Spam is easy\.`)
	for effort, w := range effortWords {
		if strings.Contains(b.text, w.says) {
			b.effort[effort] = w.level
		}
	}
	m := b.sentence(`0–[0-9]+ (\w+), ([0-9]+)–[0-9]+ (\w+), ([0-9]+)–[0-9]+ (\w+), ([0-9]+) and more (\w+)\.`)
	b.scale = []scaleLine{{0, triage.Priority(m[1])}, {int(n(m[2])), triage.Priority(m[3])}, {int(n(m[4])), triage.Priority(m[5])}, {int(n(m[6])), triage.Priority(m[7])}}
	m = b.sentence(`A Bug with sentiment at or under ` + decimal + `, and anything with sentiment at or under ` + decimal + `, is Critical\.`)
	b.furious, b.outraged = n(m[1]), n(m[2])
	m = b.sentence(`(\w+) ([0-9]), (\w+) ([0-9]), (\w+) ([0-9]), (\w+) ([0-9]); one day less from ` + decimal + ` hours of waiting on, never under ([0-9])\.`)
	for i := 1; i < 9; i += 2 {
		b.days[triage.Priority(m[i])] = int(n(m[i+1]))
	}
	b.lessFrom, b.leastDay = n(m[9]), int(n(m[10]))
	for _, c := range triage.Categories() {
		b.home[c] = triage.Department(b.sentence(string(c) + `: (Engineering|Product|Support|Management)\.`)[1])
	}
	m = b.sentence(`An escalated ticket with sentiment at or under ` + decimal + ` or a wait of ` + decimal + ` hours or more goes to Management if it is a FeatureRequest or a Question ` +
		`\(the usual department then earns half\), and for a Bug Management earns full credit beside Engineering\. For any other escalated ticket Management earns half\.`)
	b.tone, b.wait = n(m[1]), n(m[2])
}
